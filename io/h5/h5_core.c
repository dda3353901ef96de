/* h5_core.c - starting HDF5, its messages, its types, opening and closing. */
#include "io/h5/h5_core.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/file/file.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* H5dont_atexit: after a failed write HDF5 1.10 crashes in its own exit handler. External links and plug-in filters
 * would make a data file reach other files and other code. */
static void start(void)
{
    (void)H5dont_atexit();
    (void)H5open();
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    (void)H5PLset_loading_state(0);
    (void)H5Lunregister(H5L_TYPE_EXTERNAL);
}

void h5_enter(void)
{
    (void)pthread_once(&once, start);
    (void)pthread_mutex_lock(&lock);
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* the setting belongs to the thread */
    (void)H5Eclear2(H5E_DEFAULT);
}

Status h5_leave(Status st)
{
    (void)pthread_mutex_unlock(&lock);
    return st;
}

static herr_t innermost(unsigned n, const H5E_error2_t *e, void *context)
{
    (void)n;
    if (e->desc) snprintf(context, 256, "%s", e->desc);
    return 0;
}

Status h5_says(const H5 *h, const char *object)
{
    char text[256] = "no reason given";
    (void)H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, innermost, text);
    FAIL(ERR_DATA, "%s: %s: damaged, or not as expected: HDF5 says: %s", h->name, object, text);
}

size_t h5_type_size(H5Type type)
{
    switch (type) {
    case H5_I32:
    case H5_F32: return 4;
    case H5_I64:
    case H5_F64: return 8;
    case H5_U8: return 1;
    }
    return 0;
}

const char *h5_type_name(H5Type type)
{
    static const char *const name[] = {"int32", "int64", "float32", "float64", "uint8"};
    return name[type];
}

/* In files little-endian always; HDF5 converts on a host that is not. */
hid_t h5_file_type(H5Type type)
{
    switch (type) {
    case H5_I32: return H5T_STD_I32LE;
    case H5_I64: return H5T_STD_I64LE;
    case H5_F32: return H5T_IEEE_F32LE;
    case H5_F64: return H5T_IEEE_F64LE;
    case H5_U8: return H5T_STD_U8LE;
    }
    return H5I_INVALID_HID;
}

hid_t h5_memory_type(H5Type type)
{
    switch (type) {
    case H5_I32: return H5T_NATIVE_INT32;
    case H5_I64: return H5T_NATIVE_INT64;
    case H5_F32: return H5T_NATIVE_FLOAT;
    case H5_F64: return H5T_NATIVE_DOUBLE;
    case H5_U8: return H5T_NATIVE_UINT8;
    }
    return H5I_INVALID_HID;
}

bool h5_our_type(hid_t type, H5Type *ours, char *text, size_t size)
{
    for (H5Type t = H5_I32; t <= H5_U8; t++) {
        if (H5Tequal(type, h5_file_type(t)) <= 0) continue;
        *ours = t;
        snprintf(text, size, "%s", h5_type_name(t));
        return true;
    }
    const H5T_class_t class = H5Tget_class(type);
    const int bits = (int)(H5Tget_size(type) * 8);
    const char *order = H5Tget_order(type) == H5T_ORDER_BE ? "big-endian " : "";
    if (class == H5T_INTEGER)
        snprintf(text, size, "%s%s%d", order, H5Tget_sign(type) == H5T_SGN_NONE ? "uint" : "int", bits);
    else if (class == H5T_FLOAT)
        snprintf(text, size, "%sfloat%d", order, bits);
    else if (class == H5T_VLEN || (class == H5T_STRING && H5Tis_variable_str(type) > 0))
        snprintf(text, size, "values of variable length");
    else
        snprintf(text, size, "%s",
                 class == H5T_STRING     ? "text"
                 : class == H5T_COMPOUND ? "a compound"
                                         : "a special type");
    return false;
}

Status h5_new(H5 **out, const char *name)
{
    Arena arena = {0};
    H5 *h;
    TRY_NEW(h, &arena, 1);
    h->name = arena_text(&arena, name);
    h->file = H5I_INVALID_HID;
    h->arena = arena;
    if (!h->name) h5_close(h);
    REQUIRE(h->name, ERR_HOST, "%s: out of memory", name);
    *out = h;
    return OK;
}

static void close_here(H5 *h)
{
    if (h->file >= 0) (void)H5Fclose(h->file);
    buffer_close(&h->memory);
    buffer_close(&h->chunk);
    Arena arena = h->arena;
    arena_close(&arena);
}

void h5_close(H5 *h)
{
    if (!h) return;
    h5_enter();
    close_here(h);
    (void)h5_leave(OK);
}

int64_t h5_handles(void)
{
    h5_enter();
    const ssize_t n = H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL);
    (void)h5_leave(OK);
    return n;
}

/* --- Opening --- */

/* Since format 2 every piece of structure in a file has a checksum; older ones are read as wrong numbers when damaged.
 */
static Status check_signature(const char *name, const void *head, size_t size)
{
    static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    const unsigned char *p = head;
    REQUIRE(size >= 48 && memcmp(p, signature, 8) == 0, ERR_DATA, "%s: not an HDF5 file", name);
    REQUIRE(p[8] == 2 || p[8] == 3, ERR_DATA,
            "%s: HDF5 superblock of version %d, which has no checksums; expected 2 or 3 (h5py: libver=(\"v110\", "
            "\"v110\"))",
            name, p[8]);
    return OK;
}

static Status open_with(H5 *h, const char *path, hid_t access)
{
    h->file = H5Fopen(path, H5F_ACC_RDONLY, access);
    if (h->file < 0) return h5_says(h, "/");
    TRY(h5_vet(h));
    return OK;
}

static Status open_file(H5 *h, const char *path)
{
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    (void)H5Pset_fapl_sec2(access);
    (void)H5Pset_file_locking(access, false, true); /* locks fail on NFS and Lustre, and readers need none */
    const Status st = open_with(h, path, access);
    (void)H5Pclose(access);
    return st;
}

static Status open_bytes(H5 *h, const void *data, size_t size)
{
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    (void)H5Pset_fapl_core(access, (size_t)1 << 20, false);
    Status st = OK;
    /* HDF5 copies the bytes and does not change ours. */
    if (H5Pset_file_image(access, (void *)(uintptr_t)data, size) < 0)
        st = status_fail(ERR_HOST, __FILE__, __LINE__, __func__, "%s: out of memory: %zu bytes were asked for", h->name,
                         size);
    if (st == OK) st = open_with(h, h->name, access);
    (void)H5Pclose(access);
    return st;
}

typedef struct Head {
    size_t n;
    unsigned char byte[48];
} Head;

/* The first bytes are enough: end the walk over the file with a status that is no failure. */
static Status keep_head(void *context, const void *data, size_t size)
{
    Head *head = context;
    head->n = size < sizeof head->byte ? size : sizeof head->byte;
    memcpy(head->byte, data, head->n);
    return STOPPED;
}

Status h5_open(H5 **out, const char *path, int64_t limit)
{
    int64_t bytes = 0;
    Head head = {0};
    TRY(file_size(path, &bytes));
    REQUIRE(limit == 0 || bytes <= limit, ERR_DATA, "%s: %lld bytes, more than the %lld that are allowed", path,
            (long long)bytes, (long long)limit);
    const Status first = file_each(path, keep_head, &head);
    if (first != STOPPED) TRY(first);
    status_clear();
    TRY(check_signature(path, head.byte, head.n));
    H5 *h;
    TRY(h5_new(&h, path));
    h->bytes = bytes;
    h5_enter();
    const Status st = h5_leave(open_file(h, path));
    if (st != OK) h5_close(h);
    TRY(st);
    *out = h;
    return OK;
}

Status h5_open_image(H5 **out, const char *name, const void *data, size_t size)
{
    TRY(check_signature(name, data, size));
    H5 *h;
    TRY(h5_new(&h, name));
    h->bytes = (int64_t)size;
    h5_enter();
    const Status st = h5_leave(open_bytes(h, data, size));
    if (st != OK) h5_close(h);
    TRY(st);
    *out = h;
    return OK;
}
