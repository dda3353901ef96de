/* attention_file.c - attention as an HDF5 file. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/h5.h"
#include "io/record/attention.h"

enum { OBJECT = 128, VERSION = 1 };
static const char FORMAT[] = "mneme-attention";

/* --- What the arrays promise --- */

static Status check_offsets(const char *what, int64_t n, const int64_t *start, int64_t end)
{
    REQUIRE(n >= 0 && (n == 0 || start[0] == 0), ERR_INTERNAL, "attention: %s do not begin at 0", what);
    for (int64_t i = 0; i < n; i++)
        REQUIRE(start[i] <= start[i + 1], ERR_INTERNAL, "attention: %s %lld ends before it begins", what, (long long)i);
    REQUIRE(end < 0 || n == 0 || start[n] == end, ERR_INTERNAL, "attention: %s end at %lld of %lld", what,
            (long long)start[n], (long long)end);
    return OK;
}

Status attention_check(const AttentionExample *e)
{
    TRY(check_offsets("words", e->words.n, e->words.start, -1));
    TRY(check_offsets("sentences", e->n_sentences, e->sentence, e->words.n));
    TRY(check_offsets("words of the question", e->question.n, e->question.start, -1));
    for (int64_t i = 0; i < e->n_facts; i++)
        REQUIRE(e->fact[i] >= 0 && e->fact[i] < e->n_sentences, ERR_INTERNAL, "attention: fact %lld of %lld sentences",
                (long long)e->fact[i], (long long)e->n_sentences);
    for (int i = 0; i < e->n_views; i++) {
        const AttentionView *v = &e->view[i];
        const int64_t expected = v->over == ATTENTION_WORDS ? e->words.n : e->n_sentences;
        REQUIRE(v->n == expected, ERR_INTERNAL, "attention: view %s has %lld weights, expected %lld", v->name,
                (long long)v->n, (long long)expected);
    }
    return OK;
}

/* --- Writing --- */

static Status put_list(H5 *h, const char *group, const char *name, H5Type type, int64_t n, const void *data)
{
    char object[OBJECT];
    snprintf(object, sizeof object, "%.90s/%.30s", group, name);
    return h5_write_list(h, object, type, n, data);
}

static Status put_words(H5 *h, const char *group, const char *name, const AttentionWords *w)
{
    static const int64_t none[1] = {0};
    char inside[OBJECT];
    snprintf(inside, sizeof inside, "%.60s/%.40s", group, name);
    TRY(put_list(h, inside, "text", H5_U8, w->n ? w->start[w->n] : 0, w->text));
    return put_list(h, inside, "word", H5_I64, w->n + 1, w->n ? w->start : none);
}

static Status put_classes(H5 *h, const char *group, const AttentionExample *e, Buffer *names, Buffer *starts)
{
    for (int i = 0; i <= e->n_classes; i++) {
        const int64_t at = (int64_t)names->size;
        TRY(buffer_append(starts, &at, sizeof at));
        if (i < e->n_classes) TRY(buffer_text(names, e->class_name[i]));
    }
    char inside[OBJECT];
    snprintf(inside, sizeof inside, "%.60s/class", group);
    TRY(put_list(h, group, "probability", H5_F64, e->n_classes, e->probability));
    TRY(put_list(h, inside, "text", H5_U8, (int64_t)names->size, names->data));
    return put_list(h, inside, "word", H5_I64, e->n_classes + 1, starts->data);
}

static Status put_view(H5 *h, const char *group, int index, const AttentionView *v)
{
    char inside[OBJECT];
    snprintf(inside, sizeof inside, "%.60s/view-%02d", group, index);
    TRY(put_list(h, inside, "weights", H5_F64, v->n, v->weight));
    TRY(h5_set_text(h, inside, "name", v->name));
    TRY(h5_set_int(h, inside, "layer", v->layer));
    TRY(h5_set_int(h, inside, "head", v->head));
    TRY(h5_set_int(h, inside, "hop", v->hop));
    return h5_set_text(h, inside, "over", v->over == ATTENTION_WORDS ? "words" : "sentences");
}

static Status put_facts(H5 *h, const char *group, const AttentionExample *e)
{
    TRY(h5_set_text(h, group, "kind", e->kind == ATTENTION_STORY ? "story" : "document"));
    if (e->id) TRY(h5_set_text(h, group, "id", e->id));
    if (e->prediction) TRY(h5_set_text(h, group, "prediction", e->prediction));
    if (e->truth) TRY(h5_set_text(h, group, "truth", e->truth));
    if (e->n_facts) TRY(put_list(h, group, "facts", H5_I64, e->n_facts, e->fact));
    return OK;
}

static Status put_example(H5 *h, int index, const AttentionExample *e)
{
    static const int64_t none[1] = {0};
    char group[OBJECT];
    TRY(attention_check(e));
    snprintf(group, sizeof group, "example-%05d", index);
    TRY(h5_group(h, group));
    TRY(put_facts(h, group, e));
    TRY(put_words(h, group, "tokens", &e->words));
    TRY(put_list(h, group, "tokens/sentence", H5_I64, e->n_sentences + 1, e->n_sentences ? e->sentence : none));
    if (e->question.n) TRY(put_words(h, group, "question", &e->question));
    for (int i = 0; i < e->n_views; i++) TRY(put_view(h, group, i, &e->view[i]));
    if (e->n_classes == 0) return OK;
    Buffer names = {0}, starts = {0};
    const Status st = put_classes(h, group, e, &names, &starts);
    buffer_close(&names);
    buffer_close(&starts);
    return st;
}

static Status put_all(H5 *h, const char *program, const char *model, int n, const AttentionExample *example)
{
    TRY(h5_set_text(h, "/", "format", FORMAT));
    TRY(h5_set_int(h, "/", "version", VERSION));
    TRY(h5_set_int(h, "/", "n", n));
    if (program) TRY(h5_set_text(h, "/", "program", program));
    if (model) TRY(h5_set_text(h, "/", "model", model));
    for (int i = 0; i < n; i++) TRY(put_example(h, i, &example[i]));
    return OK;
}

Status attention_save(const char *path, const char *program, const char *model, int n, const AttentionExample *example)
{
    H5 *h;
    TRY(h5_create(&h, path));
    Status st = put_all(h, program, model, n, example);
    if (st == OK) st = h5_save(h, path);
    h5_close(h);
    TRY(st);
    return OK;
}

/* --- Inspecting --- */

typedef struct Look {
    H5 *h;
    const char *path;
    Arena *arena;
    Buffer *text;
} Look;

static Status text_of(const Look *k, const char *object, const char *key, const char **value)
{
    *value = "-";
    return h5_has_attribute(k->h, object, key) ? h5_get_text(k->h, object, key, k->arena, value) : OK;
}

/* The sum of weights over each sentence, or over all sentences, is 1: else the file is not what it says. */
static Status check_view(const Look *k, const char *object, const char *group)
{
    char list[OBJECT * 3];
    int64_t n = 0, sentences = 0;
    const char *over;
    snprintf(list, sizeof list, "%s/weights", object);
    TRY(h5_length(k->h, list, H5_F64, &n));
    double *weight;
    int64_t *start;
    TRY_NEW(weight, k->arena, n + 1);
    TRY(h5_read_range(k->h, list, H5_F64, 0, n, weight));
    snprintf(list, sizeof list, "%s/tokens/sentence", group);
    TRY(h5_length(k->h, list, H5_I64, &sentences));
    TRY_NEW(start, k->arena, sentences + 1);
    TRY(h5_read_range(k->h, list, H5_I64, 0, sentences, start));
    TRY(text_of(k, object, "over", &over));
    const int64_t expected = sentences < 1 ? 0 : strcmp(over, "words") == 0 ? start[sentences - 1] : sentences - 1;
    REQUIRE(n == expected, ERR_DATA, "%s: %s/weights: found %lld values, expected %lld %s", k->path, object,
            (long long)n, (long long)expected, over);
    for (int64_t i = 0; i < n; i++)
        REQUIRE(isfinite(weight[i]), ERR_DATA, "%s: %s/weights: value %lld is not finite", k->path, object,
                (long long)i);
    return OK;
}

static Status say_example(const Look *k, const char *group)
{
    int n = 0, views = 0;
    int64_t words = 0, sentences = 0;
    const char *const *name, *prediction, *truth, *kind;
    char object[OBJECT * 2];
    TRY(h5_list(k->h, group, k->arena, &n, &name));
    for (int i = 0; i < n; i++) {
        if (strncmp(name[i], "view-", 5) != 0) continue;
        snprintf(object, sizeof object, "%s/%.*s", group, (int)strcspn(name[i], "/"), name[i]);
        TRY(check_view(k, object, group));
        views++;
    }
    snprintf(object, sizeof object, "%s/tokens/word", group);
    TRY(h5_length(k->h, object, H5_I64, &words));
    snprintf(object, sizeof object, "%s/tokens/sentence", group);
    TRY(h5_length(k->h, object, H5_I64, &sentences));
    TRY(text_of(k, group, "kind", &kind));
    TRY(text_of(k, group, "prediction", &prediction));
    TRY(text_of(k, group, "truth", &truth));
    return buffer_format(k->text, "  %s  %s, %lld sentences, %lld words, %d views; predicted %s, true %s\n", group,
                         kind, (long long)sentences - 1, (long long)words - 1, views, prediction, truth);
}

static Status say_all(const Look *k)
{
    const char *format, *program, *model;
    int64_t version = 0;
    int n = 0;
    const char *const *name;
    TRY(text_of(k, "/", "format", &format));
    REQUIRE(strcmp(format, FORMAT) == 0, ERR_DATA, "%s: not an attention file of Mneme", k->path);
    TRY(h5_get_int(k->h, "/", "version", &version));
    REQUIRE(version == VERSION, ERR_CONFIG, "%s: attention format %lld, this program reads format %d", k->path,
            (long long)version, VERSION);
    TRY(text_of(k, "/", "program", &program));
    TRY(text_of(k, "/", "model", &model));
    TRY(h5_list(k->h, "/", k->arena, &n, &name));
    TRY(buffer_format(k->text, "%s: attention, format %d\n  program      %s\n  model        %s\n  examples     %d\n\n",
                      k->path, VERSION, program, model, n));
    for (int i = 0; i < n; i++) {
        char group[OBJECT];
        const ArenaMark mark = arena_mark(k->arena);
        snprintf(group, sizeof group, "%.*s", (int)strcspn(name[i], "/"), name[i]);
        TRY(say_example(k, group));
        arena_release(k->arena, mark);
    }
    return OK;
}

Status attention_inspect(const char *path, Buffer *text)
{
    Arena arena = {0};
    Look k = {.path = path, .arena = &arena, .text = text};
    TRY(h5_open(&k.h, path, 0));
    const Status st = say_all(&k);
    h5_close(k.h);
    arena_close(&arena);
    TRY(st);
    return OK;
}
