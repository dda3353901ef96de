/* h5.h - HDF5 files as Mneme writes and trusts them. The only way to HDF5 from other folders.
 *
 * Files are built in memory and written all or nothing. What is read is vetted first, every object of the file: chunked
 * and checksummed (fletcher32, format v110), numbers or fixed-length text, nothing that points out of the file, nothing
 * larger than the file itself. So memory is bounded by the size of the file, and damage is an error, never a number.
 * Any thread may call; one handle belongs to one thread at a time.
 *
 * A file that h5py makes is read too when it is made like this:
 *     import h5py, numpy
 *     f = h5py.File("x.h5", "w", libver=("v110", "v110"))
 *     f.create_dataset("a/values", data=numpy.arange(5, dtype="<i4"), chunks=True, fletcher32=True)
 *     f["a"].attrs["note"] = numpy.bytes_("fixed-length text")       # not a plain str, which has variable length */
#ifndef IO_H5_H5_H
#define IO_H5_H5_H
#include <stdint.h>

#include "comm/arena.h"
#include "comm/status.h"

typedef struct H5 H5;
typedef enum H5Type { H5_I32, H5_I64, H5_F32, H5_F64, H5_U8 } H5Type;
enum { H5_RANK = 4, H5_TEXT = 60000 /* longest text attribute, bytes */ };

size_t h5_type_size(H5Type type);
const char *h5_type_name(H5Type type); /* "int32", ... */

/* --- Writing. name stands for the file in messages. Objects are named by their path, "layer/weights"; the groups on
 * the way are made. --- */
NODISCARD Status h5_create(H5 **out, const char *name);
/* The same in memory that is there already, such as an earlier file's: it is taken over, and h5_image hands it out.
 * Memory that is touched for the first time costs more than the bytes that are written there. */
NODISCARD Status h5_create_in(H5 **out, const char *name, Buffer *memory);
NODISCARD Status h5_write(H5 *h, const char *object, H5Type type, int rank, const int64_t *shape, const void *data);
NODISCARD Status h5_write_list(H5 *h, const char *object, H5Type type, int64_t n, const void *data); /* rank 1 */
/* A list of n values to be filled piece by piece with h5_write_range. */
NODISCARD Status h5_declare(H5 *h, const char *object, H5Type type, int64_t n);
NODISCARD Status h5_write_range(H5 *h, const char *object, H5Type type, int64_t first, int64_t n, const void *data);
NODISCARD Status h5_group(H5 *h, const char *object); /* fine when it is there */
/* Attributes of an object ("/" is the file). Setting one again replaces it. */
NODISCARD Status h5_set_text(H5 *h, const char *object, const char *key, const char *text);
NODISCARD Status h5_set_int(H5 *h, const char *object, const char *key, int64_t value);
NODISCARD Status h5_set_real(H5 *h, const char *object, const char *key, double value);
/* End the writing and give the file as bytes, into an empty buffer. */
NODISCARD Status h5_image(H5 *h, Buffer *out);
/* End the writing and put the file at path, by file_write. */
NODISCARD Status h5_save(H5 *h, const char *path);

/* --- Reading --- */
/* Open and vet a file of at most limit bytes (0: any). Nothing is held in memory but the handle. */
NODISCARD Status h5_open(H5 **out, const char *path, int64_t limit);
/* The same for bytes in memory, which are copied. */
NODISCARD Status h5_open_image(H5 **out, const char *name, const void *data, size_t size);
bool h5_has(H5 *h, const char *object);
NODISCARD Status h5_shape(H5 *h, const char *object, H5Type *type, int *rank, int64_t shape[H5_RANK]);
/* The length of a list (rank 1) of this type. */
NODISCARD Status h5_length(H5 *h, const char *object, H5Type type, int64_t *n);
/* Read all of it; type and shape must be these. */
NODISCARD Status h5_read(H5 *h, const char *object, H5Type type, int rank, const int64_t *shape, void *data);
/* Values first .. first + n of a list. */
NODISCARD Status h5_read_range(H5 *h, const char *object, H5Type type, int64_t first, int64_t n, void *data);
bool h5_has_attribute(H5 *h, const char *object, const char *key);
NODISCARD Status h5_get_text(H5 *h, const char *object, const char *key, Arena *arena, const char **text);
NODISCARD Status h5_get_int(H5 *h, const char *object, const char *key, int64_t *value);
NODISCARD Status h5_get_real(H5 *h, const char *object, const char *key, double *value);
/* Names in a group in byte order; groups end in '/'. */
NODISCARD Status h5_list(H5 *h, const char *group, Arena *arena, int *n, const char *const **names);
/* Names of an object's attributes in byte order. */
NODISCARD Status h5_attributes(H5 *h, const char *object, Arena *arena, int *n, const char *const **names);

void h5_close(H5 *h);     /* NULL is fine */
int64_t h5_handles(void); /* tests: files, groups, datasets and attributes that are open in the program */

#endif
