/* attention_read.c - an attention file read back, whoever wrote it: what does not fit is refused. */
#include <stdio.h>
#include <string.h>

#include "io/attention/attention_parts.h"
#include "io/attention/entropy.h"
#include "io/format/utf8.h"
#include "io/h5/h5.h"

enum { OBJECT = 256 };

typedef struct Reading {
    H5 *h;
    const char *path;
    Arena *arena;
} Reading;

static Status text_of(const Reading *r, const char *object, const char *key, const char *preset, const char **value)
{
    *value = preset;
    return h5_has_attribute(r->h, object, key) ? h5_get_text(r->h, object, key, r->arena, value) : OK;
}

static Status int_of(const Reading *r, const char *object, const char *key, int *value)
{
    int64_t n = 0;
    if (h5_has_attribute(r->h, object, key)) TRY(h5_get_int(r->h, object, key, &n));
    REQUIRE(n >= 0 && n < 1 << 20, ERR_DATA, "%s: %s: %s %lld", r->path, object, key, (long long)n);
    *value = (int)n;
    return OK;
}

/* A list that may be missing: then *list is NULL. */
static Status list_of(const Reading *r, const char *group, const char *name, H5Type type, int64_t *n, void *list)
{
    char object[OBJECT];
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

/* Which of the names is it? */
static Status choice_of(const Reading *r, const char *object, const char *key, const char *(*name)(int),
                        const char *preset, int *out)
{
    const char *text;
    TRY(text_of(r, object, key, preset, &text));
    for (*out = 0; name(*out); ++*out)
        if (strcmp(name(*out), text) == 0) return OK;
    FAIL(ERR_DATA, "%s: %s: %s \"%s\" is not known", r->path, object, key, text);
}

static Status words_of(const Reading *r, const char *example, const char *name, AttentionWords *w)
{
    char group[OBJECT];
    char *text;
    int64_t *start, *part, bytes, n, parts;
    *w = (AttentionWords){0};
    snprintf(group, sizeof group, "%.100s/%.40s", example, name);
    if (!h5_has(r->h, group)) return OK;
    TRY(list_of(r, group, "text", H5_U8, &bytes, &text));
    TRY(list_of(r, group, "word", H5_I64, &n, &start));
    TRY(list_of(r, group, "part_of", H5_I64, &parts, &part));
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

static Status links_of(const Reading *r, const char *example, const char *name, AttentionLinks *l)
{
    char object[OBJECT];
    H5Type type;
    int rank;
    int64_t shape[H5_RANK], *at;
    snprintf(object, sizeof object, "%.100s/gold/%.20s", example, name);
    if (!h5_has(r->h, object)) return OK;
    TRY(h5_shape(r->h, object, &type, &rank, shape));
    REQUIRE(type == H5_I64 && rank == 2 && shape[1] == 2, ERR_DATA, "%s: %s: expected pairs of int64", r->path, object);
    TRY_NEW(at, r->arena, 2 * shape[0] + 1);
    TRY(h5_read(r->h, object, H5_I64, 2, shape, at));
    *l = (AttentionLinks){shape[0], at};
    return OK;
}

/* For pairs the shape says which side is which. */
static Status weights_of(const Reading *r, const char *group, const AttentionExample *e, AttentionView *v)
{
    char object[OBJECT];
    H5Type type;
    int rank;
    int64_t shape[H5_RANK] = {0};
    double *weight;
    snprintf(object, sizeof object, "%.200s/weights", group);
    TRY(h5_shape(r->h, object, &type, &rank, shape));
    const bool pairs = v->over == ATTENTION_PAIRS;
    REQUIRE(type == H5_F64 && rank == (pairs ? 2 : 1), ERR_DATA, "%s: %s: found %d axes of %s, expected %d of %s",
            r->path, object, rank, h5_type_name(type), pairs ? 2 : 1, h5_type_name(H5_F64));
    REQUIRE(!pairs || (shape[0] == e->target.n && shape[1] == e->words.n), ERR_DATA,
            "%s: %s: found %lld x %lld values, expected %lld target x %lld source words", r->path, object,
            (long long)shape[0], (long long)shape[1], (long long)e->target.n, (long long)e->words.n);
    v->n = pairs ? shape[0] * shape[1] : shape[0];
    TRY_NEW(weight, r->arena, v->n + 1);
    TRY(h5_read(r->h, object, H5_F64, rank, shape, weight));
    v->weight = weight;
    return OK;
}

static Status view_of(const Reading *r, const char *example, const char *name, const AttentionExample *e,
                      AttentionView *v)
{
    char group[OBJECT];
    int over, measure;
    snprintf(group, sizeof group, "%.100s/%.*s", example, (int)strcspn(name, "/"), name);
    TRY(text_of(r, group, "name", "-", &v->name));
    TRY(int_of(r, group, "layer", &v->layer));
    TRY(int_of(r, group, "head", &v->head));
    TRY(int_of(r, group, "hop", &v->hop));
    TRY(choice_of(r, group, "over", attention_over_name, "", &over));
    TRY(choice_of(r, group, "measure", attention_measure_name, "weight", &measure));
    v->over = (AttentionOver)over;
    v->measure = (AttentionMeasure)measure;
    return weights_of(r, group, e, v);
}

static Status views_of(const Reading *r, const char *group, AttentionExample *e)
{
    int n;
    const char *const *name;
    AttentionView *view;
    TRY(h5_list(r->h, group, r->arena, &n, &name));
    TRY_NEW(view, r->arena, n + 1);
    e->view = view;
    for (int i = 0; i < n; i++)
        if (strncmp(name[i], "view-", 5) == 0) TRY(view_of(r, group, name[i], e, &view[e->n_views++]));
    return OK;
}

static Status target_of(const Reading *r, const char *group, AttentionExample *e)
{
    int64_t n;
    double *loss;
    TRY(words_of(r, group, "target", &e->target));
    TRY(list_of(r, group, "loss", H5_F64, &n, &loss));
    REQUIRE(!loss || n == e->target.n, ERR_DATA, "%s: %s/loss: found %lld values for %lld target words", r->path, group,
            (long long)n, (long long)e->target.n);
    e->loss = loss;
    TRY(links_of(r, group, "sure", &e->sure));
    return links_of(r, group, "possible", &e->possible);
}

static Status classes_of(const Reading *r, const char *group, AttentionExample *e)
{
    AttentionWords names;
    int64_t n;
    double *probability;
    const char **name;
    TRY(list_of(r, group, "probability", H5_F64, &n, &probability));
    TRY(words_of(r, group, "class", &names));
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

static Status example_of(const Reading *r, const char *group, AttentionExample *e)
{
    int kind;
    int64_t n, *sentence, *fact;
    *e = (AttentionExample){0};
    TRY(choice_of(r, group, "kind", attention_kind_name, "", &kind));
    e->kind = (AttentionKind)kind;
    TRY(text_of(r, group, "id", NULL, &e->id));
    TRY(text_of(r, group, "prediction", NULL, &e->prediction));
    TRY(text_of(r, group, "truth", NULL, &e->truth));
    TRY(words_of(r, group, "tokens", &e->words));
    REQUIRE(e->words.start, ERR_DATA, "%s: %s: tokens is missing", r->path, group);
    TRY(words_of(r, group, "question", &e->question));
    TRY(list_of(r, group, "tokens/sentence", H5_I64, &n, &sentence));
    e->n_sentences = n > 0 ? n - 1 : 0;
    e->sentence = sentence;
    TRY(list_of(r, group, "facts", H5_I64, &e->n_facts, &fact));
    e->fact = fact;
    TRY(target_of(r, group, e));
    TRY(classes_of(r, group, e));
    TRY(views_of(r, group, e));
    return attention_check_as(e, ERR_DATA, arena_format(r->arena, "%s: %s", r->path, group));
}

static Status read_all(Reading *r, AttentionFile *out)
{
    const char *format;
    const char *const *name;
    AttentionExample *example;
    TRY(text_of(r, "/", "format", "", &format));
    REQUIRE(strcmp(format, ATTENTION_FORMAT) == 0, ERR_DATA, "%s: not an attention file of Mneme", r->path);
    TRY(int_of(r, "/", "version", &out->version));
    REQUIRE(out->version >= 1 && out->version <= ATTENTION_VERSION, ERR_CONFIG,
            "%s: attention format %d, this program reads formats 1 to %d", r->path, out->version, ATTENTION_VERSION);
    TRY(text_of(r, "/", "program", "-", &out->program));
    TRY(text_of(r, "/", "model", "-", &out->model));
    TRY(h5_list(r->h, "/", r->arena, &out->n, &name));
    TRY_NEW(example, r->arena, out->n + 1);
    out->example = example;
    for (int i = 0; i < out->n; i++) {
        char group[OBJECT];
        snprintf(group, sizeof group, "%.*s", (int)strcspn(name[i], "/"), name[i]);
        TRY(example_of(r, group, &example[i]));
    }
    return OK;
}

Status attention_read(AttentionFile *out, const char *path, Arena *arena)
{
    Reading r = {.path = path, .arena = arena};
    *out = (AttentionFile){.label = NULL};
    TRY(h5_open(&r.h, path, 0));
    const Status st = read_all(&r, out);
    h5_close(r.h);
    TRY(st);
    return OK;
}
