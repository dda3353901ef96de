/* h5_write.c - a file built in memory. Every dataset is chunked, with a checksum for each chunk. */
#include <stdio.h>
#include <string.h>

#include "io/file/file.h"
#include "io/h5/h5_core.h"

enum { CHUNK_VALUES = 65536 };

/* HDF5 keeps the file in our buffer and leaves it there when it closes: the bytes are then those of a closed file,
 * without a copy. (H5Fget_file_image of 1.10 clears a flag of the superblock and leaves its checksum wrong.) */
static void *memory_resize(void *p, size_t size, H5FD_file_image_op_t op, void *udata)
{
    H5 *h = udata;
    (void)p;
    (void)op;
    return buffer_reserve(&h->memory, size) == OK ? h->memory.data : NULL;
}

static void *memory_new(size_t size, H5FD_file_image_op_t op, void *udata)
{
    return memory_resize(NULL, size, op, udata);
}

static herr_t memory_keep(void *p, H5FD_file_image_op_t op, void *udata)
{
    (void)p;
    (void)op;
    (void)udata;
    return 0;
}

static void *same_udata(void *udata) { return udata; }

static herr_t keep_udata(void *udata)
{
    (void)udata;
    return 0;
}

/* No times anywhere: the same content gives the same bytes. */
static Status create_here(H5 *h)
{
    H5FD_file_image_callbacks_t memory = {.image_malloc = memory_new,
                                          .image_realloc = memory_resize,
                                          .image_free = memory_keep,
                                          .udata_copy = same_udata,
                                          .udata_free = keep_udata,
                                          .udata = h};
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS), create = H5Pcreate(H5P_FILE_CREATE);
    (void)H5Pset_fapl_core(access, (size_t)1 << 16, false);
    (void)H5Pset_file_image_callbacks(access, &memory);
    (void)H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
    (void)H5Pset_obj_track_times(create, false);
    h->file = H5Fcreate(h->name, H5F_ACC_TRUNC, create, access);
    (void)H5Pclose(create);
    (void)H5Pclose(access);
    REQUIRE(h->file >= 0, ERR_HOST, "%s: HDF5 cannot make a file in memory", h->name);
    return OK;
}

Status h5_create_in(H5 **out, const char *name, Buffer *memory)
{
    H5 *h;
    TRY(h5_new(&h, name));
    h->memory = *memory;
    h->memory.size = 0;
    *memory = (Buffer){0};
    h5_enter();
    const Status st = h5_leave(create_here(h));
    if (st != OK) h5_close(h);
    TRY(st);
    *out = h;
    return OK;
}

Status h5_create(H5 **out, const char *name)
{
    Buffer none = {0};
    TRY(h5_create_in(out, name, &none));
    return OK;
}

/* A failure while the file is built is lack of memory or our own mistake, never the user's data. */
static Status cannot(const H5 *h, const char *object)
{
    const Status st = h5_says(h, object);
    char why[512];
    snprintf(why, sizeof why, "%.500s", status_message());
    (void)st;
    FAIL(ERR_INTERNAL, "while writing %s", why);
}
#define MUST(h, object, call)                                                                                          \
    do {                                                                                                               \
        if ((call) < 0) return cannot((h), (object));                                                                  \
    } while (0)

/* Groups are made one by one: those that HDF5 makes on the way would carry the time. */
static Status make_group(H5 *h, const char *path)
{
    if (H5Lexists(h->file, path, H5P_DEFAULT) > 0) return OK;
    const hid_t plist = H5Pcreate(H5P_GROUP_CREATE);
    (void)H5Pset_obj_track_times(plist, false);
    const hid_t group = H5Gcreate2(h->file, path, H5P_DEFAULT, plist, H5P_DEFAULT);
    (void)H5Pclose(plist);
    MUST(h, path, group);
    (void)H5Gclose(group);
    return OK;
}

/* The groups above object, or with `whole` object too. */
static Status make_groups(H5 *h, const char *object, bool whole)
{
    char path[1024];
    const size_t n = strlen(object);
    REQUIRE(n > 0 && n < sizeof path && object[0] != '/', ERR_INTERNAL, "%s: %.80s: not a name", h->name, object);
    memcpy(path, object, n + 1);
    for (size_t i = 1; i < n; i++) {
        if (object[i] != '/') continue;
        path[i] = '\0';
        TRY(make_group(h, path));
        path[i] = '/';
    }
    if (whole) TRY(make_group(h, path));
    return OK;
}

/* Chunks of 64 Ki values along the rows: small enough for a random read, large enough for speed. */
static void chunk_for(int rank, const int64_t *shape, hsize_t *chunk)
{
    int64_t room = CHUNK_VALUES;
    for (int i = rank - 1; i >= 0; i--) {
        const int64_t side = shape[i] < 1 ? 1 : shape[i];
        chunk[i] = (hsize_t)(side < room ? side : room);
        room /= (int64_t)chunk[i];
        if (room < 1) room = 1;
    }
}

static hid_t new_dataset(H5 *h, const char *object, H5Type type, int rank, const hsize_t *side, const hsize_t *chunk)
{
    const hid_t space = H5Screate_simple(rank, side, NULL);
    const hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    (void)H5Pset_chunk(plist, rank, chunk);
    (void)H5Pset_fletcher32(plist);
    (void)H5Pset_fill_time(plist, H5D_FILL_TIME_NEVER);
    (void)H5Pset_obj_track_times(plist, false);
    const hid_t set = H5Dcreate2(h->file, object, h5_file_type(type), space, H5P_DEFAULT, plist, H5P_DEFAULT);
    (void)H5Pclose(plist);
    (void)H5Sclose(space);
    return set;
}

static Status fill(H5 *h, const char *object, hid_t set, H5Type type, int rank, const hsize_t *side,
                   const hsize_t *chunk, const void *data)
{
    const herr_t rc = h5_chunks_are_slabs(type, rank, side, chunk)
                          ? h5_chunks_write(h, set, type, rank, side, chunk, data)
                          : H5Dwrite(set, h5_memory_type(type), H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    return rc < 0 ? cannot(h, object) : OK;
}

static Status write_here(H5 *h, const char *object, H5Type type, int rank, const int64_t *shape, const void *data)
{
    hsize_t side[H5_RANK], chunk[H5_RANK];
    int64_t n = 1;
    for (int i = 0; i < rank; i++) {
        side[i] = (hsize_t)shape[i];
        n *= shape[i];
    }
    chunk_for(rank, shape, chunk);
    TRY(make_groups(h, object, false));
    const hid_t set = new_dataset(h, object, type, rank, side, chunk);
    if (set < 0) return cannot(h, object);
    const Status st = n > 0 && data ? fill(h, object, set, type, rank, side, chunk, data) : OK;
    (void)H5Dclose(set);
    return st;
}

Status h5_write(H5 *h, const char *object, H5Type type, int rank, const int64_t *shape, const void *data)
{
    REQUIRE(rank >= 1 && rank <= H5_RANK, ERR_INTERNAL, "%s: %s: %d axes", h->name, object, rank);
    h5_enter();
    TRY(h5_leave(write_here(h, object, type, rank, shape, data)));
    return OK;
}

Status h5_write_list(H5 *h, const char *object, H5Type type, int64_t n, const void *data)
{
    TRY(h5_write(h, object, type, 1, &n, data));
    return OK;
}

Status h5_declare(H5 *h, const char *object, H5Type type, int64_t n)
{
    TRY(h5_write(h, object, type, 1, &n, NULL));
    return OK;
}

static Status range_spaces(H5 *h, const char *object, hid_t set, H5Type type, int64_t first, int64_t n,
                           const void *data)
{
    const hsize_t start = (hsize_t)first, count = (hsize_t)n;
    const hid_t there = H5Dget_space(set), here = H5Screate_simple(1, &count, NULL);
    herr_t rc = H5Sselect_hyperslab(there, H5S_SELECT_SET, &start, NULL, &count, NULL);
    if (rc >= 0) rc = H5Dwrite(set, h5_memory_type(type), here, there, H5P_DEFAULT, data);
    const Status st = rc < 0 ? cannot(h, object) : OK;
    (void)H5Sclose(there);
    (void)H5Sclose(here);
    return st;
}

static Status write_range_here(H5 *h, const char *object, H5Type type, int64_t first, int64_t n, const void *data)
{
    const hid_t set = H5Dopen2(h->file, object, H5P_DEFAULT);
    if (set < 0) return cannot(h, object);
    const Status st = range_spaces(h, object, set, type, first, n, data);
    (void)H5Dclose(set);
    return st;
}

Status h5_write_range(H5 *h, const char *object, H5Type type, int64_t first, int64_t n, const void *data)
{
    if (n == 0) return OK;
    h5_enter();
    TRY(h5_leave(write_range_here(h, object, type, first, n, data)));
    return OK;
}

Status h5_group(H5 *h, const char *object)
{
    h5_enter();
    TRY(h5_leave(make_groups(h, object, true)));
    return OK;
}

/* --- Attributes --- */

static Status put_attribute(H5 *h, const char *object, const char *key, hid_t on, hid_t in_file, hid_t in_memory,
                            const void *value)
{
    if (H5Aexists(on, key) > 0) MUST(h, object, H5Adelete(on, key));
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attribute = H5Acreate2(on, key, in_file, space, H5P_DEFAULT, H5P_DEFAULT);
    (void)H5Sclose(space);
    if (attribute < 0) return cannot(h, object);
    const Status st = H5Awrite(attribute, in_memory, value) < 0 ? cannot(h, object) : OK;
    (void)H5Aclose(attribute);
    return st;
}

static Status set_here(H5 *h, const char *object, const char *key, hid_t in_file, hid_t in_memory, const void *value)
{
    const hid_t on = H5Oopen(h->file, object, H5P_DEFAULT);
    if (on < 0) return cannot(h, object);
    const Status st = put_attribute(h, object, key, on, in_file, in_memory, value);
    (void)H5Oclose(on);
    return st;
}

static Status set_text_here(H5 *h, const char *object, const char *key, const char *text)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    (void)H5Tset_size(type, strlen(text) + 1);
    (void)H5Tset_cset(type, H5T_CSET_UTF8);
    const Status st = set_here(h, object, key, type, type, text);
    (void)H5Tclose(type);
    return st;
}

Status h5_set_text(H5 *h, const char *object, const char *key, const char *text)
{
    REQUIRE(strlen(text) <= H5_TEXT, ERR_INTERNAL, "%s: %s: attribute %s: %zu bytes, more than %d", h->name, object,
            key, strlen(text), H5_TEXT);
    h5_enter();
    TRY(h5_leave(set_text_here(h, object, key, text)));
    return OK;
}

Status h5_set_int(H5 *h, const char *object, const char *key, int64_t value)
{
    h5_enter();
    TRY(h5_leave(set_here(h, object, key, H5T_STD_I64LE, H5T_NATIVE_INT64, &value)));
    return OK;
}

Status h5_set_real(H5 *h, const char *object, const char *key, double value)
{
    h5_enter();
    TRY(h5_leave(set_here(h, object, key, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value)));
    return OK;
}

/* --- The finished file --- */

/* The superblock tells where the file ends (format: version 2 and 3, bytes 28 to 35, little-endian); the buffer may be
 * longer. */
static Status image_here(H5 *h, Buffer *out)
{
    enum { END_OF_FILE = 28 };
    REQUIRE(h->file >= 0 && out->size == 0, ERR_INTERNAL, "%s: the file is finished already", h->name);
    const hid_t file = h->file;
    h->file = H5I_INVALID_HID;
    MUST(h, "/", H5Fclose(file));
    uint64_t size = 0;
    for (int i = 7; i >= 0; i--) size = size << 8 | (unsigned char)h->memory.data[END_OF_FILE + i];
    REQUIRE(size < h->memory.capacity, ERR_INTERNAL, "%s: a file of %llu bytes in a buffer of %zu", h->name,
            (unsigned long long)size, h->memory.capacity);
    buffer_close(out);
    *out = h->memory;
    out->size = (size_t)size;
    out->data[size] = '\0';
    h->memory = (Buffer){0};
    return OK;
}

Status h5_image(H5 *h, Buffer *out)
{
    h5_enter();
    TRY(h5_leave(image_here(h, out)));
    return OK;
}

Status h5_save(H5 *h, const char *path)
{
    Buffer image = {0};
    Status st = h5_image(h, &image);
    if (st == OK) st = file_write(path, image.data, image.size);
    buffer_close(&image);
    TRY(st);
    return OK;
}
