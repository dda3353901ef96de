/* reading.c - parts of an attention file, whoever wrote it: what does not fit is refused. */
#include "io/attention/reading.h"

#include <stdio.h>
#include <string.h>

#include "comm/utf8.h"

Status reading_text(const Reading *r, const char *object, const char *key, const char *preset, const char **value)
{
    *value = preset;
    return h5_has_attribute(r->h, object, key) ? h5_get_text(r->h, object, key, r->arena, value) : OK;
}

Status reading_int(const Reading *r, const char *object, const char *key, int *value)
{
    int64_t n = 0;
    if (h5_has_attribute(r->h, object, key)) TRY(h5_get_int(r->h, object, key, &n));
    REQUIRE(n >= 0 && n < 1 << 20, ERR_DATA, "%s: %s: %s %lld", r->path, object, key, (long long)n);
    *value = (int)n;
    return OK;
}

Status reading_choice(const Reading *r, const char *object, const char *key, const char *(*name)(int),
                      const char *preset, int *out)
{
    const char *text;
    TRY(reading_text(r, object, key, preset, &text));
    for (*out = 0; name(*out); ++*out)
        if (strcmp(name(*out), text) == 0) return OK;
    FAIL(ERR_DATA, "%s: %s: %s \"%s\" is not known", r->path, object, key, text);
}

Status reading_list(const Reading *r, const char *group, const char *name, H5Type type, int64_t *n, void *list)
{
    char object[READING_OBJECT];
    void **out = list;
    *out = NULL;
    *n = 0;
    snprintf(object, sizeof object, "%.150s/%.60s", group, name);
    if (!h5_has(r->h, object)) return OK;
    TRY(h5_length(r->h, object, type, n));
    *out = arena_zeros(r->arena, *n + 1, h5_type_size(type));
    REQUIRE(*out, ERR_HOST, "%s", status_message());
    return h5_read_range(r->h, object, type, 0, *n, *out);
}

Status reading_table(const Reading *r, const char *object, int rank, int64_t shape[2], const double **value)
{
    H5Type type;
    int found;
    int64_t size[H5_RANK] = {0};
    double *all;
    TRY(h5_shape(r->h, object, &type, &found, size));
    REQUIRE(type == H5_F64 && found == rank, ERR_DATA, "%s: %s: found %d axes of %s, expected %d of %s", r->path,
            object, found, h5_type_name(type), rank, h5_type_name(H5_F64));
    shape[0] = rank == 2 ? size[0] : 1;
    shape[1] = size[rank - 1];
    TRY_NEW(all, r->arena, shape[0] * shape[1] + 1);
    *value = all;
    return h5_read(r->h, object, H5_F64, rank, size, all);
}

Status reading_words(const Reading *r, const char *group, AttentionWords *w)
{
    char *text;
    int64_t *start, *part, bytes, n, parts;
    *w = (AttentionWords){0};
    if (!h5_has(r->h, group)) return OK;
    TRY(reading_list(r, group, "text", H5_U8, &bytes, &text));
    TRY(reading_list(r, group, "word", H5_I64, &n, &start));
    TRY(reading_list(r, group, "part_of", H5_I64, &parts, &part));
    REQUIRE(n >= 1 && text, ERR_DATA, "%s: %s: text or word is missing", r->path, group);
    REQUIRE(start[n - 1] == bytes, ERR_DATA, "%s: %s/word: the last word ends at byte %lld of %lld", r->path, group,
            (long long)start[n - 1], (long long)bytes);
    REQUIRE(!part || parts == n - 1, ERR_DATA, "%s: %s/part_of: found %lld values for %lld words", r->path, group,
            (long long)parts, (long long)n - 1);
    REQUIRE(utf8_check(text, (size_t)bytes) == (size_t)bytes, ERR_DATA, "%s: %s/text: not UTF-8 at byte %lld", r->path,
            group, (long long)utf8_check(text, (size_t)bytes) + 1);
    *w = (AttentionWords){n - 1, text, start, part};
    return OK;
}

Status reading_links(const Reading *r, const char *object, int64_t *n, const int64_t **at)
{
    H5Type type;
    int rank;
    int64_t shape[H5_RANK], *all;
    *at = NULL;
    *n = 0;
    if (!h5_has(r->h, object)) return OK;
    TRY(h5_shape(r->h, object, &type, &rank, shape));
    REQUIRE(type == H5_I64 && rank == 2 && shape[1] == 2, ERR_DATA, "%s: %s: expected pairs of int64", r->path, object);
    TRY_NEW(all, r->arena, 2 * shape[0] + 1);
    TRY(h5_read(r->h, object, H5_I64, 2, shape, all));
    *n = shape[0];
    *at = all;
    return OK;
}

Status reading_view(const Reading *r, const char *group, AttentionView *v)
{
    int measure;
    TRY(reading_text(r, group, "name", "-", &v->name));
    TRY(reading_int(r, group, "layer", &v->layer));
    TRY(reading_int(r, group, "head", &v->head));
    TRY(reading_int(r, group, "hop", &v->hop));
    TRY(reading_choice(r, group, "measure", attention_measure_name, "weight", &measure));
    v->measure = (AttentionMeasure)measure;
    return OK;
}

static Status read_classes(const Reading *r, const char *group, AttentionExample *e)
{
    char inside[READING_OBJECT];
    AttentionWords names;
    int64_t n;
    double *probability;
    const char **name;
    snprintf(inside, sizeof inside, "%.200s/class", group);
    TRY(reading_list(r, group, "probability", H5_F64, &n, &probability));
    TRY(reading_words(r, inside, &names));
    if (!probability) return OK;
    REQUIRE(n == names.n, ERR_DATA, "%s: %s: found %lld probabilities of %lld classes", r->path, group, (long long)n,
            (long long)names.n);
    TRY_NEW(name, r->arena, n + 1);
    for (int64_t i = 0; i < n; i++) {
        const int64_t first = names.start[i], end = names.start[i + 1];
        REQUIRE(first >= 0 && first <= end && end <= names.start[n], ERR_DATA, "%s: %s/class: name %lld is not there",
                r->path, group, (long long)i);
        name[i] = arena_format(r->arena, "%.*s", (int)(end - first), names.text + first);
        REQUIRE(name[i], ERR_HOST, "%s", status_message());
    }
    e->n_classes = (int)n;
    e->class_name = name;
    e->probability = probability;
    return OK;
}

Status reading_answer(const Reading *r, const char *group, AttentionExample *e)
{
    TRY(reading_text(r, group, "id", NULL, &e->id));
    TRY(reading_text(r, group, "prediction", NULL, &e->prediction));
    TRY(reading_text(r, group, "truth", NULL, &e->truth));
    return read_classes(r, group, e);
}

Status reading_groups(const Reading *r, const char *group, const char *prefix, ReadingEach *each, AttentionExample *e,
                      int *n)
{
    int all;
    const char *const *name;
    TRY(h5_list(r->h, group, r->arena, &all, &name));
    for (int i = 0; i < all; i++) {
        char inside[READING_OBJECT];
        if (strncmp(name[i], prefix, strlen(prefix)) != 0) continue;
        snprintf(inside, sizeof inside, "%.100s/%.*s", group, (int)strcspn(name[i], "/"), name[i]);
        if (each) TRY(each(r, inside, e, *n));
        ++*n;
    }
    return OK;
}
