/* h5_core.h - what the files of this room share. No other file includes it. */
#ifndef IO_H5_H5_CORE_H
#define IO_H5_H5_CORE_H
#include <hdf5.h>

#include "io/h5/h5.h"

struct H5 {
    Arena arena; /* holds this struct too */
    hid_t file;
    const char *name;
    int64_t bytes; /* size of the file that is read */
    Buffer memory; /* the file that is written */
    Buffer chunk;  /* scratch of h5_chunks.c */
};

/* Between these, HDF5 belongs to this thread (not every build of it is made for several) and is quiet. */
void h5_enter(void);
Status h5_leave(Status st);

/* "FILE: OBJECT: what HDF5 says" */
Status h5_says(const H5 *h, const char *object);
#define TRY_H5(h, object, call)                                                                                        \
    do {                                                                                                               \
        if ((call) < 0) return status_trace(h5_says((h), (object)), __FILE__, __LINE__, __func__);                     \
    } while (0)

hid_t h5_file_type(H5Type type);
hid_t h5_memory_type(H5Type type);
/* The type of a dataset as ours; false when it is none of ours. text: for messages, "big-endian int32". */
bool h5_our_type(hid_t type, H5Type *ours, char *text, size_t size);

/* Whether the chunks of a dataset lie behind one another in memory, and the way to write them then (h5_chunks.c). */
bool h5_chunks_are_slabs(H5Type type, int rank, const hsize_t *side, const hsize_t *chunk);
herr_t h5_chunks_write(H5 *h, hid_t set, H5Type type, int rank, const hsize_t *side, const hsize_t *chunk,
                       const void *data);

Status h5_new(H5 **out, const char *name);
/* Check every object of the file. */
Status h5_vet(H5 *h);

#endif
