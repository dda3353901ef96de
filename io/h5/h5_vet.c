/* h5_vet.c - every object of a file is looked at before anything is read. See the rules in h5.h.
 *
 * A file may declare far more than it holds, point at other files, lead in circles, or lead to the same objects again
 * and again: so depth, objects and bytes are counted against what the file can hold, and an object has one name. */
#include <stdio.h>
#include <string.h>

#include "io/h5/h5_core.h"

enum { DEPTH_MOST = 16, OBJECTS_MOST = 1000000, ATTRIBUTES_MOST = 1000, NAME_MOST = 1024 };
static const hsize_t CHUNK_MOST = (hsize_t)64 << 20; /* bytes */

/* Addresses of the objects that were looked at: a table with open addressing. */
typedef struct Seen {
    Arena arena;
    haddr_t *slot; /* HADDR_UNDEF: free */
    size_t size, n;
} Seen;

typedef struct Walk {
    H5 *h;
    Seen seen;
    int64_t objects, bytes;
    int depth;
    Status st;
    char path[NAME_MOST]; /* of the current group, ends in '/' */
} Walk;

/* Where the address stands, or would. size: a power of two, never full. */
static size_t seen_slot(const Seen *s, haddr_t address)
{
    size_t at = (size_t)((uint64_t)address * 0x9e3779b97f4a7c15u >> 20) & (s->size - 1);
    while (s->slot[at] != HADDR_UNDEF && s->slot[at] != address) at = (at + 1) & (s->size - 1);
    return at;
}

static Status seen_grow(Seen *s)
{
    const Seen old = *s;
    if (2 * (s->n + 1) < s->size) return OK;
    s->size = old.size ? 4 * old.size : 256;
    s->slot = arena_alloc(&s->arena, s->size * sizeof *s->slot); /* the smaller ones stay: a third as much */
    if (!s->slot) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    for (size_t i = 0; i < s->size; i++) s->slot[i] = HADDR_UNDEF;
    for (size_t i = 0; i < old.size; i++)
        if (old.slot[i] != HADDR_UNDEF) s->slot[seen_slot(s, old.slot[i])] = old.slot[i];
    return OK;
}

static const char *link_word(H5L_type_t type)
{
    return type == H5L_TYPE_SOFT ? "a soft link" : type == H5L_TYPE_EXTERNAL ? "an external link" : "a special link";
}

static Status vet_filters(const H5 *h, const char *object, hid_t plist)
{
    bool checksum = false;
    const int n = H5Pget_nfilters(plist);
    for (int i = 0; i < n; i++) {
        unsigned flags = 0;
        size_t values = 0;
        char name[64] = "";
        const H5Z_filter_t id = H5Pget_filter2(plist, (unsigned)i, &flags, &values, NULL, sizeof name, name, NULL);
        checksum = checksum || id == H5Z_FILTER_FLETCHER32;
        REQUIRE(id == H5Z_FILTER_FLETCHER32, ERR_DATA, "%s: %s: found filter %d (%.40s), expected fletcher32 alone",
                h->name, object, (int)id, name);
    }
    REQUIRE(checksum, ERR_DATA, "%s: %s: found no checksums, expected filter fletcher32", h->name, object);
    return OK;
}

static Status vet_layout(const H5 *h, const char *object, hid_t plist, size_t width)
{
    const H5D_layout_t layout = H5Pget_layout(plist);
    REQUIRE(H5Pget_external_count(plist) == 0, ERR_DATA, "%s: %s: its values lie in another file", h->name, object);
    REQUIRE(layout != H5D_VIRTUAL, ERR_DATA, "%s: %s: a virtual dataset, which reads other files", h->name, object);
    REQUIRE(layout == H5D_CHUNKED, ERR_DATA, "%s: %s: found a %s layout, expected chunks with fletcher32", h->name,
            object, layout == H5D_COMPACT ? "compact" : "contiguous");
    hsize_t chunk[H5_RANK], bytes = width;
    const int rank = H5Pget_chunk(plist, H5_RANK, chunk);
    REQUIRE(rank >= 0, ERR_DATA, "%s: %s: chunks that cannot be read", h->name, object);
    for (int i = 0; i < rank; i++) {
        REQUIRE(chunk[i] > 0 && chunk[i] <= CHUNK_MOST / bytes, ERR_DATA, "%s: %s: chunks of more than %llu bytes",
                h->name, object, (unsigned long long)CHUNK_MOST);
        bytes *= chunk[i];
    }
    TRY(vet_filters(h, object, plist));
    return OK;
}

/* values = product of the sides, refused above most */
static Status vet_extent(const H5 *h, const char *object, hid_t space, size_t width, int64_t *bytes)
{
    hsize_t shape[H5_RANK] = {0};
    REQUIRE(H5Sget_simple_extent_type(space) == H5S_SIMPLE, ERR_DATA,
            "%s: %s: found a single value or nothing, expected an array", h->name, object);
    const int rank = H5Sget_simple_extent_ndims(space);
    REQUIRE(rank >= 1 && rank <= H5_RANK, ERR_DATA, "%s: %s: found %d axes, expected 1 to %d", h->name, object, rank,
            H5_RANK);
    TRY_H5(h, object, H5Sget_simple_extent_dims(space, shape, NULL));
    bool empty = false;
    for (int i = 0; i < rank; i++) empty = empty || shape[i] == 0;
    hsize_t size = empty ? 0 : width;
    const hsize_t most = (hsize_t)h->bytes;
    for (int i = 0; i < rank && size > 0; i++) {
        REQUIRE(shape[i] <= most / size, ERR_DATA,
                "%s: %s: declares more values than the %lld bytes of the file can hold", h->name, object,
                (long long)h->bytes);
        size *= shape[i];
    }
    *bytes = (int64_t)size;
    return OK;
}

static Status vet_dataset_parts(Walk *w, const char *object, hid_t set, hid_t type, hid_t space, hid_t plist)
{
    const H5 *h = w->h;
    H5Type ours;
    char text[64];
    int64_t bytes = 0;
    REQUIRE(h5_our_type(type, &ours, text, sizeof text), ERR_DATA,
            "%s: %s: found %s, expected int32, int64, float32, float64 or uint8, little-endian", h->name, object, text);
    TRY(vet_extent(h, object, space, h5_type_size(ours), &bytes));
    if (bytes > 0) {
        TRY(vet_layout(h, object, plist, h5_type_size(ours)));
        const hsize_t stored = H5Dget_storage_size(set);
        REQUIRE(stored >= (hsize_t)bytes, ERR_DATA, "%s: %s: declares %lld bytes, but %llu are stored", h->name, object,
                (long long)bytes, (unsigned long long)stored);
    }
    w->bytes += bytes;
    REQUIRE(w->bytes <= h->bytes, ERR_DATA, "%s: %s: the datasets declare more than the %lld bytes of the file",
            h->name, object, (long long)h->bytes);
    return OK;
}

static Status vet_dataset(Walk *w, const char *object, hid_t set)
{
    const hid_t type = H5Dget_type(set), space = H5Dget_space(set), plist = H5Dget_create_plist(set);
    Status st;
    if (type < 0 || space < 0 || plist < 0)
        st = h5_says(w->h, object);
    else
        st = vet_dataset_parts(w, object, set, type, space, plist);
    if (type >= 0) (void)H5Tclose(type);
    if (space >= 0) (void)H5Sclose(space);
    if (plist >= 0) (void)H5Pclose(plist);
    return st;
}

static Status vet_attribute(const H5 *h, const char *object, const char *key, hid_t attribute)
{
    const hid_t type = H5Aget_type(attribute);
    REQUIRE(type >= 0, ERR_DATA, "%s: %s: attribute %s: cannot be read", h->name, object, key);
    const H5T_class_t class = H5Tget_class(type);
    const bool variable = class == H5T_VLEN || (class == H5T_STRING && H5Tis_variable_str(type) != 0);
    (void)H5Tclose(type);
    REQUIRE(!variable, ERR_DATA, "%s: %s: attribute %s: found variable length, expected fixed length", h->name, object,
            key);
    REQUIRE(class == H5T_STRING || class == H5T_INTEGER || class == H5T_FLOAT, ERR_DATA,
            "%s: %s: attribute %s: found neither text nor a number", h->name, object, key);
    return OK;
}

static herr_t on_attribute(hid_t object, const char *key, const H5A_info_t *info, void *context)
{
    Walk *w = context;
    (void)info;
    const hid_t attribute = H5Aopen(object, key, H5P_DEFAULT);
    if (attribute < 0) {
        w->st = h5_says(w->h, w->path);
        return -1;
    }
    w->st = vet_attribute(w->h, w->path, key, attribute);
    (void)H5Aclose(attribute);
    return w->st == OK ? 0 : -1;
}

static Status vet_attributes(Walk *w, hid_t object)
{
    H5O_info_t info;
    TRY_H5(w->h, w->path, H5Oget_info2(object, &info, H5O_INFO_NUM_ATTRS));
    REQUIRE(info.num_attrs <= ATTRIBUTES_MOST, ERR_DATA, "%s: %s: %llu attributes, more than %d", w->h->name, w->path,
            (unsigned long long)info.num_attrs, ATTRIBUTES_MOST);
    w->st = OK;
    const herr_t rc = H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, on_attribute, w);
    if (w->st != OK) return w->st;
    TRY_H5(w->h, w->path, rc);
    return OK;
}

static Status vet_group(Walk *w, hid_t group);

static Status vet_kind(Walk *w, hid_t object, H5I_type_t kind)
{
    REQUIRE(kind == H5I_GROUP || kind == H5I_DATASET, ERR_DATA, "%s: %s: neither a group nor a dataset", w->h->name,
            w->path);
    TRY(vet_attributes(w, object));
    if (kind == H5I_DATASET) return vet_dataset(w, w->path, object);
    TRY(vet_group(w, object));
    return OK;
}

/* Behind a group all that is in it was looked at: a circle, inside itself, ends by its depth instead. */
static Status vet_opened(Walk *w, hid_t object)
{
    const H5I_type_t kind = H5Iget_type(object);
    H5O_info_t info;
    TRY_H5(w->h, w->path, H5Oget_info2(object, &info, H5O_INFO_BASIC));
    TRY(seen_grow(&w->seen));
    REQUIRE(w->seen.slot[seen_slot(&w->seen, info.addr)] == HADDR_UNDEF, ERR_DATA,
            "%s: %s: an object that has another name already", w->h->name, w->path);
    TRY(vet_kind(w, object, kind));
    TRY(seen_grow(&w->seen));
    w->seen.slot[seen_slot(&w->seen, info.addr)] = info.addr;
    w->seen.n++;
    return OK;
}
static Status vet_member(Walk *w, hid_t group, const char *name, const H5L_info_t *info)
{
    const size_t before = strlen(w->path);
    REQUIRE(++w->objects <= OBJECTS_MOST, ERR_DATA, "%s: more than %d objects", w->h->name, OBJECTS_MOST);
    REQUIRE(before + strlen(name) + 2 < NAME_MOST, ERR_DATA, "%s: %.80s...: a name that is too long", w->h->name,
            w->path);
    memcpy(w->path + before, name, strlen(name) + 1);
    REQUIRE(info->type == H5L_TYPE_HARD, ERR_DATA, "%s: %s: found %s, expected a group or a dataset of this file",
            w->h->name, w->path, link_word(info->type));
    const hid_t object = H5Oopen(group, name, H5P_DEFAULT);
    if (object < 0) return h5_says(w->h, w->path);
    const Status st = vet_opened(w, object);
    (void)H5Oclose(object);
    w->path[before] = '\0';
    return st;
}

static herr_t on_link(hid_t group, const char *name, const H5L_info_t *info, void *context)
{
    Walk *w = context;
    w->st = vet_member(w, group, name, info);
    return w->st == OK ? 0 : -1;
}

static Status vet_group(Walk *w, hid_t group)
{
    const size_t end = strlen(w->path);
    REQUIRE(++w->depth <= DEPTH_MOST, ERR_DATA, "%s: %.80s: groups more than %d deep", w->h->name, w->path, DEPTH_MOST);
    if (end == 0 || w->path[end - 1] != '/') memcpy(w->path + end, "/", 2);
    w->st = OK;
    const herr_t rc = H5Literate(group, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, on_link, w);
    if (w->st != OK) return w->st;
    TRY_H5(w->h, w->path, rc);
    w->path[end] = '\0';
    w->depth--;
    return OK;
}

static Status vet_root(Walk *w, hid_t root)
{
    memcpy(w->path, "/", 2);
    TRY(vet_attributes(w, root));
    w->path[0] = '\0';
    TRY(vet_group(w, root));
    return OK;
}

Status h5_vet(H5 *h)
{
    Walk walk = {.h = h};
    const hid_t root = H5Gopen2(h->file, "/", H5P_DEFAULT);
    if (root < 0) return h5_says(h, "/");
    const Status st = vet_root(&walk, root);
    (void)H5Gclose(root);
    arena_close(&walk.seen.arena);
    return st;
}
