/* look.c - weights, words and probabilities of one example. */
#include "trainer/run/look.h"

#include <math.h>
#include <string.h>

#include "trainer/run/evaluate.h"

enum { CLASSES_SHOWN = 5 };

static Status fill_words(AttentionWords *w, int64_t n, const Word *word, Arena *arena)
{
    size_t bytes = 0;
    for (int64_t i = 0; i < n; i++) bytes += word[i].size;
    int64_t *start;
    char *text;
    TRY_NEW(start, arena, n + 1);
    TRY_NEW(text, arena, (int64_t)bytes + 1);
    for (int64_t i = 0; i < n; i++) {
        memcpy(text + start[i], word[i].text, word[i].size);
        start[i + 1] = start[i] + (int64_t)word[i].size;
    }
    *w = (AttentionWords){.n = n, .text = text, .start = start};
    return OK;
}

Status look_words(const Session *s, const Batch *b, Arena *arena, const Word *word[BATCH_FIELDS])
{
    for (int f = 0; f < b->n_fields; f++) {
        const Ragged *r = &b->field[f];
        const CorpusField *field = corpus_field(s->corpus, r->name);
        const Vocab *vocab = field ? corpus_vocab(s->corpus, field->vocab) : NULL;
        Word *w;
        word[f] = NULL;
        if (!vocab || !r->id) continue;
        TRY_NEW(w, arena, r->count[r->levels]);
        for (int64_t i = 0; i < r->count[r->levels]; i++) {
            const char *text = vocab_word(vocab, r->id[i]);
            w[i] = (Word){text, strlen(text)};
        }
        word[f] = w;
    }
    return OK;
}

/* Column k of a view. A memory that kept only the newest sentences has no weight on the others. */
static Status fill_view(AttentionView *v, const TapeView *from, int64_t k, const AttentionExample *e, Arena *arena)
{
    const Node *w = from->weight;
    const int64_t rows = w->shape.d[0], columns = shape_count(&w->shape) / rows;
    const bool words = e->kind == ATTENTION_DOCUMENT && from->layer == 0 && rows == e->words.n;
    const int64_t n = words ? e->words.n : e->n_sentences, missing = n - rows;
    REQUIRE(missing >= 0, ERR_INTERNAL, "attention %s has %lld weights for %lld places", from->name, (long long)rows,
            (long long)n);
    double *weight;
    TRY_NEW(weight, arena, n);
    for (int64_t i = 0; i < rows; i++) weight[missing + i] = (double)w->value[i * columns + k];
    *v = (AttentionView){.name = from->name,
                         .layer = from->layer,
                         .head = columns > 1 ? (int)k : from->head,
                         .hop = from->hop,
                         .over = words ? ATTENTION_WORDS : ATTENTION_SENTENCES,
                         .n = n,
                         .weight = weight};
    return OK;
}

static Status fill_views(AttentionExample *e, const Tape *t, Arena *arena)
{
    int64_t n = 0;
    for (const TapeView *v = t->views; v; v = v->next) n += shape_count(&v->weight->shape) / v->weight->shape.d[0];
    AttentionView *view;
    TRY_NEW(view, arena, n);
    e->view = view;
    for (const TapeView *v = t->views; v; v = v->next)
        for (int64_t k = 0; k < shape_count(&v->weight->shape) / v->weight->shape.d[0]; k++)
            TRY(fill_view(&view[e->n_views++], v, k, e, arena));
    return OK;
}

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

static Status fill_text(AttentionExample *e, const Batch *b, const Word *const *word, Arena *arena)
{
    for (int f = 0; f < b->n_fields; f++) {
        const Ragged *r = &b->field[f];
        if (!word[f]) continue;
        if (r->levels == 2) {
            TRY(fill_words(&e->words, r->count[2], word[f], arena));
            e->n_sentences = r->count[1];
            e->sentence = r->offset[1];
        } else if (r->levels == 1 && strcmp(r->name, "question") == 0) {
            TRY(fill_words(&e->question, r->count[1], word[f], arena));
            e->kind = ATTENTION_STORY;
        }
    }
    return OK;
}

/* The sentences that the answer rests on, when the corpus knows them; data.max_sentences may have cut some off. */
static Status fill_facts(AttentionExample *e, const Batch *b, Arena *arena)
{
    const Ragged *r = batch_field(b, "support");
    if (!r) r = batch_field(b, "key_sentence");
    if (!r || r->levels != 1 || !r->id) return OK;
    int64_t *fact;
    TRY_NEW(fact, arena, r->count[1]);
    for (int64_t i = 0; i < r->count[1]; i++)
        if (r->id[i] < e->n_sentences) fact[e->n_facts++] = r->id[i];
    e->fact = fact;
    return OK;
}

Status look_example(Session *s, const Batch *b, const Word *const *word, const Tape *t, const ModelOutput *out,
                    const char *id, const char *truth, Arena *arena, AttentionExample *e)
{
    *e = (AttentionExample){.id = id, .truth = truth, .kind = ATTENTION_DOCUMENT};
    TRY(fill_text(e, b, word, arena));
    TRY(fill_classes(e, s, out->logits, arena));
    TRY(fill_facts(e, b, arena));
    return fill_views(e, t, arena);
}

const char *look_truth(const Session *s, const Batch *b)
{
    const Ragged *r = batch_field(b, s->model->def->target);
    const Vocab *labels = corpus_vocab(s->corpus, corpus_field(s->corpus, s->model->def->target)->vocab);
    return r && r->id && r->id[0] >= 0 && r->id[0] < vocab_size(labels) ? vocab_word(labels, r->id[0]) : NULL;
}

Status look_keep(Batch *to, const Batch *from, Arena *arena)
{
    *to = *from;
    int64_t *example;
    TRY_NEW(example, arena, from->B);
    memcpy(example, from->example, (size_t)from->B * sizeof *example);
    to->example = example;
    for (int f = 0; f < from->n_fields; f++) {
        Ragged *r = &to->field[f];
        for (int l = 0; l < r->levels; l++) {
            int64_t *offset;
            TRY_NEW(offset, arena, r->count[l] + 1);
            memcpy(offset, r->offset[l], (size_t)(r->count[l] + 1) * sizeof *offset);
            r->offset[l] = offset;
        }
        if (!r->id) continue;
        int32_t *id;
        TRY_NEW(id, arena, r->count[r->levels]);
        memcpy(id, r->id, (size_t)r->count[r->levels] * sizeof *id);
        r->id = id;
    }
    return OK;
}

/* One example of a split; the tape's memory is kept, for the views point into it. */
static Status look_at(Session *s, const Batch *b, const char *split, AttentionExample *e, Hits *hits)
{
    const Word *word[BATCH_FIELDS] = {NULL};
    Tape t;
    ModelOutput out;
    TRY(look_words(s, b, &s->step, word));
    TRY(evaluate_forward(s, b, true, &t, &out));
    const char *id = arena_format(&s->step, "%s %lld", split, (long long)b->example[0]);
    REQUIRE(id, ERR_HOST, "%s", status_message());
    TRY(look_example(s, b, word, &t, &out, id, look_truth(s, b), &s->step, e));
    if (hits) hits_add(hits, b, e);
    return OK;
}

Status look_split(Session *s, const char *split, int64_t most, AttentionExample *e, int *n, Hits *hits)
{
    LoaderOptions options = session_reading(s, split, 1);
    options.part = 0; /* one rank alone, one example after the other */
    options.parts = options.window = 1;
    options.bucket = NULL;
    Loader *l = NULL;
    Status st = loader_open(&l, s->corpus, &options, (LoaderPosition){0, 0});
    while (st == OK && *n < most) {
        const Batch *b = NULL;
        LoaderPosition at;
        Batch kept;
        st = loader_next(l, &b, &at, NULL);
        if (st != OK || !b) break;
        st = look_keep(&kept, b, &s->step);
        if (st == OK) st = look_at(s, &kept, split, &e[*n], hits);
        if (st == OK) (*n)++;
    }
    loader_close(l);
    return st;
}
