/* h5_read.c - datasets and attributes of a vetted file; types and shapes must be the expected ones. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/h5/h5_core.h"

/* H5Lexists wants every group on the way to exist. */
static bool has_here(H5 *h, const char *object)
{
    char path[1024];
    const size_t n = strlen(object);
    if (n == 0 || n >= sizeof path) return false;
    for (size_t i = 1; i <= n; i++) {
        if (object[i] != '/' && object[i] != '\0') continue;
        memcpy(path, object, i);
        path[i] = '\0';
        if (strcmp(path, "/") != 0 && H5Lexists(h->file, path, H5P_DEFAULT) <= 0) return false;
    }
    return true;
}

bool h5_has(H5 *h, const char *object)
{
    h5_enter();
    const bool has = has_here(h, object);
    (void)h5_leave(OK);
    return has;
}

typedef struct Extent {
    H5Type type;
    int rank;
    hsize_t shape[H5_RANK];
} Extent;

static Status extent_of(H5 *h, const char *object, hid_t set, Extent *e)
{
    char text[64];
    const hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    const bool ours = type >= 0 && h5_our_type(type, &e->type, text, sizeof text);
    e->rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
    if (e->rank > H5_RANK || (e->rank > 0 && H5Sget_simple_extent_dims(space, e->shape, NULL) < 0)) e->rank = -1;
    if (type >= 0) (void)H5Tclose(type);
    if (space >= 0) (void)H5Sclose(space);
    REQUIRE(ours && e->rank >= 0, ERR_DATA, "%s: %s: cannot be read", h->name, object);
    return OK;
}

/* Open a dataset, do the work, close it. */
typedef struct Request {
    H5Type type;
    int rank;             /* 0: any */
    const int64_t *shape; /* NULL: any */
    int64_t first, n;     /* of a list; n < 0: all of it */
    void *data;           /* NULL: only the extent is wanted */
} Request;

static void shape_text(int rank, const hsize_t *shape, char *text, size_t size)
{
    size_t used = 0;
    for (int i = 0; i < rank && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, i ? " x %llu" : "%llu", (unsigned long long)shape[i]);
}

static Status check_extent(const H5 *h, const char *object, const Extent *e, const Request *r)
{
    REQUIRE(e->type == r->type, ERR_DATA, "%s: %s: found %s, expected %s", h->name, object, h5_type_name(e->type),
            h5_type_name(r->type));
    REQUIRE(e->rank == r->rank, ERR_DATA, "%s: %s: found %d axes, expected %d", h->name, object, e->rank, r->rank);
    for (int i = 0; r->shape && i < r->rank; i++) {
        if (e->shape[i] == (hsize_t)r->shape[i]) continue;
        char found[128] = "", wanted[128] = "";
        hsize_t shape[H5_RANK];
        for (int k = 0; k < r->rank; k++) shape[k] = (hsize_t)r->shape[k];
        shape_text(e->rank, e->shape, found, sizeof found);
        shape_text(r->rank, shape, wanted, sizeof wanted);
        FAIL(ERR_DATA, "%s: %s: found shape %s, expected %s", h->name, object, found, wanted);
    }
    if (r->n < 0) return OK;
    REQUIRE(r->first >= 0 && (hsize_t)r->first <= e->shape[0] && (hsize_t)r->n <= e->shape[0] - (hsize_t)r->first,
            ERR_DATA, "%s: %s: found %llu values, expected at least %lld", h->name, object,
            (unsigned long long)e->shape[0], (long long)(r->first + r->n));
    return OK;
}

static Status transfer(H5 *h, const char *object, hid_t set, const Request *r)
{
    if (r->n < 0) {
        TRY_H5(h, object, H5Dread(set, h5_memory_type(r->type), H5S_ALL, H5S_ALL, H5P_DEFAULT, r->data));
        return OK;
    }
    const hsize_t start = (hsize_t)r->first, count = (hsize_t)r->n;
    const hid_t there = H5Dget_space(set), here = H5Screate_simple(1, &count, NULL);
    herr_t rc = H5Sselect_hyperslab(there, H5S_SELECT_SET, &start, NULL, &count, NULL);
    if (rc >= 0) rc = H5Dread(set, h5_memory_type(r->type), here, there, H5P_DEFAULT, r->data);
    const Status st = rc < 0 ? h5_says(h, object) : OK;
    (void)H5Sclose(there);
    (void)H5Sclose(here);
    return st;
}

static Status serve(H5 *h, const char *object, hid_t set, const Request *r, Extent *e)
{
    TRY(extent_of(h, object, set, e));
    if (!r) return OK;
    TRY(check_extent(h, object, e, r));
    bool empty = r->n == 0;
    for (int i = 0; i < e->rank; i++) empty = empty || e->shape[i] == 0;
    if (r->data && !empty) TRY(transfer(h, object, set, r));
    return OK;
}

static Status with_dataset(H5 *h, const char *object, const Request *r, Extent *e)
{
    REQUIRE(has_here(h, object), ERR_DATA, "%s: %s: is missing", h->name, object);
    const hid_t set = H5Dopen2(h->file, object, H5P_DEFAULT);
    REQUIRE(set >= 0, ERR_DATA, "%s: %s: found a group, expected a dataset", h->name, object);
    const Status st = serve(h, object, set, r, e);
    (void)H5Dclose(set);
    return st;
}

Status h5_shape(H5 *h, const char *object, H5Type *type, int *rank, int64_t shape[H5_RANK])
{
    Extent e = {0};
    h5_enter();
    TRY(h5_leave(with_dataset(h, object, NULL, &e)));
    *type = e.type;
    *rank = e.rank;
    for (int i = 0; i < e.rank; i++) shape[i] = (int64_t)e.shape[i];
    return OK;
}

Status h5_length(H5 *h, const char *object, H5Type type, int64_t *n)
{
    Extent e = {0};
    const Request r = {.type = type, .rank = 1, .n = -1};
    h5_enter();
    TRY(h5_leave(with_dataset(h, object, &r, &e)));
    *n = (int64_t)e.shape[0];
    return OK;
}

Status h5_read(H5 *h, const char *object, H5Type type, int rank, const int64_t *shape, void *data)
{
    Extent e = {0};
    const Request r = {.type = type, .rank = rank, .shape = shape, .n = -1, .data = data};
    h5_enter();
    TRY(h5_leave(with_dataset(h, object, &r, &e)));
    return OK;
}

Status h5_read_range(H5 *h, const char *object, H5Type type, int64_t first, int64_t n, void *data)
{
    Extent e = {0};
    const Request r = {.type = type, .rank = 1, .first = first, .n = n, .data = data};
    REQUIRE(n >= 0, ERR_INTERNAL, "%s: %s: %lld values were asked for", h->name, object, (long long)n);
    h5_enter();
    TRY(h5_leave(with_dataset(h, object, &r, &e)));
    return OK;
}
