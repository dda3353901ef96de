/* look.c - weights and probabilities of one example. */
#include "trainer/look/look.h"

#include <math.h>
#include <string.h>

#include "trainer/evaluate/evaluate.h"
#include "trainer/look/implicit.h"

enum { CLASSES_SHOWN = 5 };

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

Status look_likely(const Session *s, const real *logit, int64_t n, int64_t top, Arena *arena, Likely *out)
{
    const Vocab *labels = corpus_vocab(s->corpus, corpus_field(s->corpus, s->model->def->target)->vocab);
    double *p, most = -INFINITY, sum = 0;
    out->n = top > 0 && top < n ? top : n;
    TRY_NEW(out->label, arena, out->n);
    TRY_NEW(out->probability, arena, out->n);
    TRY_NEW(p, arena, n);
    int64_t *rank;
    TRY_NEW(rank, arena, out->n);
    for (int64_t i = 0; i < n; i++) most = fmax(most, (double)logit[i]);
    for (int64_t i = 0; i < n; i++) sum += p[i] = exp((double)logit[i] - most);
    for (int64_t i = 0; i < n; i++) { /* insertion into the best: the first of equal ones stays first */
        int64_t at = i < out->n ? i : out->n;
        while (at > 0 && p[rank[at - 1]] < p[i]) {
            if (at < out->n) rank[at] = rank[at - 1];
            at--;
        }
        if (at < out->n) rank[at] = i;
    }
    for (int64_t i = 0; i < out->n; i++) {
        out->label[i] = vocab_word(labels, rank[i]);
        out->probability[i] = p[rank[i]] / sum;
    }
    return OK;
}

static Status fill_classes(AttentionExample *e, const Session *s, const Node *logits, Arena *arena)
{
    Likely likely;
    TRY(look_likely(s, logits->value, logits->shape.d[1], CLASSES_SHOWN, arena, &likely));
    e->n_classes = (int)likely.n;
    e->class_name = likely.label;
    e->probability = likely.probability;
    e->prediction = likely.label[0];
    return OK;
}

/* -log p of each word of the target, which the task's loss leaves behind. */
static Status fill_loss(AttentionExample *e, Session *s, Tape *t, const ModelOutput *out, const Batch *b, Arena *arena)
{
    double *loss;
    (void)task_loss(s->task, t, out, b);
    TRY(tape_status(t));
    if (!out->tokens->loss) return OK;
    TRY_NEW(loss, arena, e->target.n + 1);
    for (int64_t j = 0; j < e->target.n; j++) loss[j] = (double)out->tokens->loss[j];
    e->loss = loss;
    return OK;
}

/* --- One input --- */

static Status look_here(Look *k, const Batch *b, const Word *const *word, AttentionExample *e)
{
    Tape t;
    ModelOutput out;
    TRY(look_fill(b, word, k->keep, e));
    TRY(evaluate_forward(k->s, b, true, &t, &out));
    TRY(out.tokens ? fill_loss(e, k->s, &t, &out, b, k->keep) : fill_classes(e, k->s, out.logits, k->keep));
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

/* The label of the batch's only example; NULL when it is not known, or is no label. */
static const char *truth_of(const Session *s, const Batch *b)
{
    const Ragged *r = batch_field(b, s->model->def->target);
    const Vocab *labels = corpus_vocab(s->corpus, corpus_field(s->corpus, s->model->def->target)->vocab);
    if (!r || r->field->levels != 0 || !r->id) return NULL;
    return r->id[0] >= 0 && r->id[0] < vocab_size(labels) ? vocab_word(labels, r->id[0]) : NULL;
}

static Status look_at(Look *k, const Batch *b, const char *split, AttentionExample *e)
{
    const Word *word[BATCH_FIELDS] = {NULL};
    const ArenaMark mark = arena_mark(&k->s->step);
    const char *id = arena_format(k->keep, "%s %lld", split, (long long)b->example[0]);
    REQUIRE(id, ERR_HOST, "%s", status_message());
    Status st = look_words(k->s, b, &k->s->step, word);
    if (st == OK) st = look_example(k, b, word, id, truth_of(k->s, b), e);
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
