/* look.c - weights and probabilities of one example. */
#include "trainer/look/look.h"

#include <string.h>

#include "trainer/evaluate/evaluate.h"
#include "trainer/look/implicit.h"

/* --- What the model's attention gave --- */

/* Over what a view lies, and how many places that are. */
static AttentionOver over_of(const TapeView *v, const AttentionExample *e, int64_t *places)
{
    const int64_t rows = v->weight->shape.d[0];
    if (e->kind == ATTENTION_PAIR) {
        *places = e->words.n * e->target.n;
        return ATTENTION_PAIRS;
    }
    const bool words = e->kind == ATTENTION_DOCUMENT && v->layer == 0 && rows == e->words.n;
    *places = words ? e->words.n : e->n_sentences;
    return words ? ATTENTION_WORDS : ATTENTION_SENTENCES;
}

/* Column k of a view. A memory that kept only the newest sentences has no weight on the others. */
static Status fill_view(AttentionView *v, const TapeView *from, int64_t k, const AttentionExample *e, Arena *arena)
{
    int64_t n;
    const Node *w = from->weight;
    const int64_t rows = w->shape.d[0], columns = shape_count(&w->shape) / rows;
    const AttentionOver over = over_of(from, e, &n);
    const int64_t missing = n - rows;
    REQUIRE(missing >= 0 && (missing == 0 || over == ATTENTION_SENTENCES), ERR_INTERNAL,
            "attention %s has %lld weights for %lld places", from->name, (long long)rows, (long long)n);
    double *weight;
    TRY_NEW(weight, arena, n);
    for (int64_t i = 0; i < rows; i++) weight[missing + i] = (double)w->value[i * columns + k];
    *v = (AttentionView){.name = from->name,
                         .layer = from->layer,
                         .head = columns > 1 ? (int)k : from->head,
                         .hop = from->hop,
                         .over = over,
                         .n = n,
                         .weight = weight};
    return OK;
}

static int64_t columns_of(const TapeView *v)
{
    return v->weight->shape.d[0] > 0 ? shape_count(&v->weight->shape) / v->weight->shape.d[0] : 0;
}

static Status fill_views(AttentionExample *e, const Tape *t, Arena *arena)
{
    int64_t n = IMPLICIT_VIEWS;
    for (const TapeView *v = t->views; v; v = v->next) n += columns_of(v);
    AttentionView *view;
    TRY_NEW(view, arena, n);
    e->view = view;
    for (const TapeView *v = t->views; v; v = v->next)
        for (int64_t k = 0; k < columns_of(v); k++) TRY(fill_view(&view[e->n_views++], v, k, e, arena));
    return OK;
}

/* --- What it said --- */

static Status fill_said(Look *k, Tape *t, const Prediction *p, const Batch *b, AttentionExample *e)
{
    TaskLook said;
    TRY(task_look(k->s->task, t, p, b, k->keep, &said));
    e->prediction = said.said;
    e->n_classes = (int)said.n;
    e->class_name = said.name;
    e->probability = said.probability;
    REQUIRE(!said.loss || said.n_losses == e->target.n, ERR_INTERNAL, "%lld losses for %lld places",
            (long long)said.n_losses, (long long)e->target.n);
    e->loss = said.loss;
    return OK;
}

/* --- One input --- */

static Status look_here(Look *k, const Batch *b, const Word *const *word, AttentionExample *e)
{
    Tape t;
    Prediction out;
    TRY(look_fill(b, word, k->keep, e));
    TRY(evaluate_forward(k->s, b, true, &t, &out));
    TRY(fill_said(k, &t, &out, b, e));
    TRY(fill_views(e, &t, k->keep));
    if (k->implicit != ATTENTION_WEIGHT) TRY(implicit_views(k->s, b, k->implicit, k->keep, e));
    if (k->hits) hits_add(k->hits, b, e);
    return OK;
}

/* Gold links belong to the target that people wrote. */
static Status look_at_own(Look *k, const Batch *b, const Word *const *word, AttentionExample *e)
{
    const Word *own_word[BATCH_FIELDS] = {NULL};
    Batch own;
    TRY(look_own(k->s, b, word, &k->s->step, &own, own_word));
    int kept = 0;
    for (int f = 0; f < own.n_fields; f++) {
        if (own.field[f].field->links) continue;
        own.field[kept] = own.field[f];
        own_word[kept++] = own_word[f];
    }
    own.n_fields = kept;
    e->id = arena_format(k->keep, "%s (own output)", e->id);
    REQUIRE(e->id, ERR_HOST, "%s", status_message());
    return look_here(k, &own, own_word, e);
}

Status look_example(Look *k, const Batch *b, const Word *const *word, const char *id, const char *truth,
                    AttentionExample *e)
{
    *e = (AttentionExample){.id = id, .truth = truth, .kind = ATTENTION_DOCUMENT};
    const ArenaMark mark = arena_mark(&k->s->step);
    const Status st =
        k->own || !look_has_target(k->s->model, b) ? look_at_own(k, b, word, e) : look_here(k, b, word, e);
    arena_release(&k->s->step, mark);
    return st;
}

static Status look_at(Look *k, const Batch *b, const char *split, AttentionExample *e)
{
    const Word *word[BATCH_FIELDS] = {NULL};
    const ArenaMark mark = arena_mark(&k->s->step);
    const char *id = arena_format(k->keep, "%s %lld", split, (long long)b->example[0]);
    REQUIRE(id, ERR_HOST, "%s", status_message());
    Status st = look_words(k->s, b, &k->s->step, word);
    if (st == OK) st = look_example(k, b, word, id, task_truth(k->s->task, b, 0), e);
    arena_release(&k->s->step, mark);
    return st;
}

Status look_split(Look *k, const char *split, int64_t most, AttentionExample *e, int *n)
{
    LoaderOptions options = session_reading(k->s, split, 1);
    options.part = 0; /* one rank alone, one example after the other */
    options.parts = options.window = 1;
    options.bucket = NULL;
    Loader *l = NULL;
    Status st = loader_open(&l, k->s->corpus, &options, (LoaderPosition){0, 0});
    while (st == OK && *n < most) {
        const Batch *b = NULL;
        LoaderPosition at;
        st = loader_next(l, &b, &at, NULL);
        if (st != OK || !b) break;
        st = look_at(k, b, split, &e[*n]);
        if (st == OK) (*n)++;
    }
    loader_close(l);
    return st;
}
