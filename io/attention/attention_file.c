/* attention_file.c - attention as an HDF5 file: writing. */
#include <stdio.h>
#include <string.h>

#include "io/attention/attention.h"
#include "io/attention/attention_parts.h"
#include "io/attention/entropy.h"
#include "io/h5/h5.h"

enum { OBJECT = 128 };

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
    if (w->part_of) TRY(put_list(h, inside, "part_of", H5_I64, w->n, w->part_of));
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

/* Weights have a row for each target word where there are two sides. */
static Status put_weights(H5 *h, const char *inside, const AttentionExample *e, const AttentionView *v)
{
    char object[OBJECT];
    snprintf(object, sizeof object, "%.100s/weights", inside);
    if (v->over != ATTENTION_PAIRS) return h5_write_list(h, object, H5_F64, v->n, v->weight);
    return h5_write(h, object, H5_F64, 2, (const int64_t[]){e->target.n, e->words.n}, v->weight);
}

static Status put_entropy(H5 *h, const char *inside, const AttentionExample *e, const AttentionView *v, Arena *arena)
{
    const int64_t rows = entropy_rows(e, v);
    const Entropy all = entropy_of_view(e, v);
    double *row, share;
    TRY_NEW(row, arena, rows);
    for (int64_t r = 0; r < rows; r++) row[r] = entropy_of_row(e, v, r, &share);
    TRY(put_list(h, inside, "entropy", H5_F64, rows, row));
    TRY(h5_set_real(h, inside, "entropy", entropy_mean(&all)));
    return h5_set_real(h, inside, "entropy_share", entropy_mean_share(&all));
}

static Status put_view(H5 *h, const char *group, int index, const AttentionExample *e, Arena *arena)
{
    char inside[OBJECT];
    const AttentionView *v = &e->view[index];
    snprintf(inside, sizeof inside, "%.60s/view-%02d", group, index);
    TRY(put_weights(h, inside, e, v));
    TRY(h5_set_text(h, inside, "name", v->name));
    TRY(h5_set_int(h, inside, "layer", v->layer));
    TRY(h5_set_int(h, inside, "head", v->head));
    TRY(h5_set_int(h, inside, "hop", v->hop));
    TRY(h5_set_text(h, inside, "measure", attention_measure_name((int)v->measure)));
    if (v->measure == ATTENTION_WEIGHT) TRY(put_entropy(h, inside, e, v, arena));
    return h5_set_text(h, inside, "over", attention_over_name((int)v->over));
}

static Status put_links(H5 *h, const char *group, const char *name, const AttentionLinks *l)
{
    char object[OBJECT];
    if (!l->at) return OK;
    snprintf(object, sizeof object, "%.60s/gold/%.20s", group, name);
    return h5_write(h, object, H5_I64, 2, (const int64_t[]){l->n, 2}, l->at);
}

static Status put_target(H5 *h, const char *group, const AttentionExample *e)
{
    TRY(put_words(h, group, "target", &e->target));
    if (e->loss) TRY(put_list(h, group, "loss", H5_F64, e->target.n, e->loss));
    TRY(put_links(h, group, "sure", &e->sure));
    return put_links(h, group, "possible", &e->possible);
}

static Status put_facts(H5 *h, const char *group, const AttentionExample *e)
{
    TRY(h5_set_text(h, group, "kind", attention_kind_name((int)e->kind)));
    if (e->id) TRY(h5_set_text(h, group, "id", e->id));
    if (e->prediction) TRY(h5_set_text(h, group, "prediction", e->prediction));
    if (e->truth) TRY(h5_set_text(h, group, "truth", e->truth));
    if (e->n_facts) TRY(put_list(h, group, "facts", H5_I64, e->n_facts, e->fact));
    return OK;
}

static Status put_example(H5 *h, int index, const AttentionExample *e, Arena *arena)
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
    if (e->kind == ATTENTION_PAIR) TRY(put_target(h, group, e));
    for (int i = 0; i < e->n_views; i++) TRY(put_view(h, group, i, e, arena));
    if (e->n_classes == 0) return OK;
    Buffer names = {0}, starts = {0};
    const Status st = put_classes(h, group, e, &names, &starts);
    buffer_close(&names);
    buffer_close(&starts);
    return st;
}

static Status put_all(H5 *h, const char *program, const char *model, int n, const AttentionExample *example)
{
    Arena arena = {0};
    TRY(h5_set_text(h, "/", "format", ATTENTION_FORMAT));
    TRY(h5_set_int(h, "/", "version", ATTENTION_VERSION));
    TRY(h5_set_int(h, "/", "n", n));
    if (program) TRY(h5_set_text(h, "/", "program", program));
    if (model) TRY(h5_set_text(h, "/", "model", model));
    Status st = OK;
    for (int i = 0; i < n && st == OK; i++) {
        arena_release(&arena, (ArenaMark){0});
        st = put_example(h, i, &example[i], &arena);
    }
    arena_close(&arena);
    return st;
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
