/* h5_names.c - attributes that are read, and lists of names. */
#include <stdio.h>
#include <string.h>

#include "io/h5/h5_core.h"

/* --- One attribute: open it, do the work, close it --- */

typedef Status (*Getter)(H5 *h, const char *object, const char *key, hid_t attribute, void *out);

static Status with_attribute(H5 *h, const char *object, const char *key, Getter get, void *out)
{
    const htri_t there = H5Aexists_by_name(h->file, object, key, H5P_DEFAULT);
    REQUIRE(there > 0, ERR_DATA, "%s: %s: attribute %s is missing", h->name, object, key);
    const hid_t attribute = H5Aopen_by_name(h->file, object, key, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0) return h5_says(h, object);
    const Status st = get(h, object, key, attribute, out);
    (void)H5Aclose(attribute);
    return st;
}

static Status get_checked(H5 *h, const char *object, const char *key, Getter get, void *out)
{
    h5_enter();
    return h5_leave(with_attribute(h, object, key, get, out));
}

static Status check_one(const H5 *h, const char *object, const char *key, hid_t attribute, H5T_class_t wanted,
                        const char *word, size_t *size)
{
    const hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    const H5T_class_t class = H5Tget_class(type);
    const hssize_t n = H5Sget_simple_extent_npoints(space);
    *size = H5Tget_size(type);
    (void)H5Tclose(type);
    (void)H5Sclose(space);
    REQUIRE(class == wanted && n == 1, ERR_DATA, "%s: %s: attribute %s: expected %s", h->name, object, key, word);
    return OK;
}

static Status get_int(H5 *h, const char *object, const char *key, hid_t attribute, void *out)
{
    size_t size;
    TRY(check_one(h, object, key, attribute, H5T_INTEGER, "one integer", &size));
    TRY_H5(h, object, H5Aread(attribute, H5T_NATIVE_INT64, out));
    return OK;
}

static Status get_real(H5 *h, const char *object, const char *key, hid_t attribute, void *out)
{
    size_t size;
    TRY(check_one(h, object, key, attribute, H5T_FLOAT, "one floating-point number", &size));
    TRY_H5(h, object, H5Aread(attribute, H5T_NATIVE_DOUBLE, out));
    return OK;
}

typedef struct TextTo {
    Arena *arena;
    char *text;
} TextTo;

static Status get_text(H5 *h, const char *object, const char *key, hid_t attribute, void *out)
{
    TextTo *to = out;
    size_t size;
    TRY(check_one(h, object, key, attribute, H5T_STRING, "text", &size));
    REQUIRE(size <= H5_TEXT + 1, ERR_DATA, "%s: %s: attribute %s: %zu bytes, more than %d", h->name, object, key, size,
            H5_TEXT);
    TRY_NEW(to->text, to->arena, (int64_t)size + 1);
    const hid_t type = H5Aget_type(attribute);
    const herr_t rc = H5Aread(attribute, type, to->text); /* in the type of the file: no conversion */
    (void)H5Tclose(type);
    TRY_H5(h, object, rc);
    return OK;
}

Status h5_get_int(H5 *h, const char *object, const char *key, int64_t *value)
{
    TRY(get_checked(h, object, key, get_int, value));
    return OK;
}

Status h5_get_real(H5 *h, const char *object, const char *key, double *value)
{
    TRY(get_checked(h, object, key, get_real, value));
    return OK;
}

Status h5_get_text(H5 *h, const char *object, const char *key, Arena *arena, const char **text)
{
    TextTo to = {arena, NULL};
    TRY(get_checked(h, object, key, get_text, &to));
    *text = to.text;
    return OK;
}

bool h5_has_attribute(H5 *h, const char *object, const char *key)
{
    h5_enter();
    const htri_t there = H5Aexists_by_name(h->file, object, key, H5P_DEFAULT);
    (void)h5_leave(OK);
    return there > 0;
}

/* --- Names --- */

typedef struct Names {
    Buffer text;
    int n;
    Status st;
} Names;

static herr_t add_name(Names *names, const char *name, const char *mark)
{
    names->st = buffer_text(&names->text, name);
    if (names->st == OK) names->st = buffer_append(&names->text, mark, strlen(mark) + 1);
    names->n++;
    return names->st == OK ? 0 : -1;
}

static herr_t on_link(hid_t group, const char *name, const H5L_info_t *info, void *context)
{
    H5O_info_t object;
    (void)info;
    if (H5Oget_info_by_name2(group, name, &object, H5O_INFO_BASIC, H5P_DEFAULT) < 0) return -1;
    return add_name(context, name, object.type == H5O_TYPE_GROUP ? "/" : "");
}

static herr_t on_attribute(hid_t object, const char *key, const H5A_info_t *info, void *context)
{
    (void)object;
    (void)info;
    return add_name(context, key, "");
}

static Status list_here(H5 *h, const char *object, bool attributes, Arena *arena, int *n, const char *const **names)
{
    Names found = {.st = OK};
    const hid_t on = H5Oopen(h->file, object, H5P_DEFAULT);
    if (on < 0) return h5_says(h, object);
    const herr_t rc = attributes ? H5Aiterate2(on, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, on_attribute, &found)
                                 : H5Literate(on, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, on_link, &found);
    Status st = found.st != OK ? found.st : rc < 0 ? h5_says(h, object) : OK;
    (void)H5Oclose(on);
    *n = found.n;
    if (st == OK) st = buffer_names(&found.text, found.n, arena, names);
    buffer_close(&found.text);
    return st;
}

Status h5_list(H5 *h, const char *group, Arena *arena, int *n, const char *const **names)
{
    h5_enter();
    TRY(h5_leave(list_here(h, group, false, arena, n, names)));
    return OK;
}

Status h5_attributes(H5 *h, const char *object, Arena *arena, int *n, const char *const **names)
{
    h5_enter();
    TRY(h5_leave(list_here(h, object, true, arena, n, names)));
    return OK;
}
