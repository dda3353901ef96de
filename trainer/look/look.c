/* look.c - the fields and the gold of one example, and what the model looked at and said. */
#include "trainer/look/look.h"

#include <math.h>
#include <string.h>

#include "io/batch/build.h"

#include "io/text/form.h"
#include "trainer/decode/decode.h"
#include "trainer/evaluate/evaluate.h"
#include "trainer/look/implicit.h"

/* --- The fields of an example --- */

/* The end of a target is no word of the corpus, but the model looks somewhere for it too. */
static const Word END = {"</s>", 4};

static Status fill_words(AttentionWords *w, int64_t n, const Word *word, bool end, Arena *arena)
{
    size_t bytes = end ? END.size : 0;
    for (int64_t i = 0; i < n; i++) bytes += word[i].size;
    int64_t *start;
    char *text;
    TRY_NEW(start, arena, n + 2);
    TRY_NEW(text, arena, (int64_t)bytes + 1);
    for (int64_t i = 0; i < n + end; i++) {
        const Word *from = i < n ? &word[i] : &END;
        memcpy(text + start[i], from->text, from->size);
        start[i + 1] = start[i] + (int64_t)from->size;
    }
    *w = (AttentionWords){.n = n + end, .text = text, .start = start};
    return OK;
}

/* Where words are cut into subwords: the word of each. */
static Status fill_pieces(AttentionWords *w, int64_t n, const Word *word, bool end, Arena *arena)
{
    int64_t *part;
    TRY_NEW(part, arena, n + 1);
    const int64_t words = form_word_of(n, word, part);
    if (end) part[n] = -1;
    if (words < n || end) w->part_of = part;
    return OK;
}

static Status fill_text(AttentionField *f, const Ragged *r, const Word *word, Arena *arena)
{
    const bool end = f->role == ROLE_TARGET;
    const int64_t n = r->count[f->levels];
    int64_t *sentence;
    TRY(fill_words(&f->words, n, word, end && f->levels == 1, arena));
    if (f->levels == 1) return fill_pieces(&f->words, n, word, end, arena);
    TRY_NEW(sentence, arena, r->count[1] + 1);
    memcpy(sentence, r->offset[1], (size_t)(r->count[1] + 1) * sizeof *sentence);
    f->n_sentences = r->count[1];
    f->sentence = sentence;
    return OK;
}

/* Of one number a cell, or of red, green and blue: from the least to the greatest of the picture. */
static Status fill_grey(AttentionField *f, const Ragged *r, Arena *arena)
{
    static const double part[] = {0.299, 0.587, 0.114};
    const int64_t n = r->count[1], width = r->field->width;
    double *grey, least = INFINITY, most = -INFINITY;
    if (!r->value || (width != 1 && width != 3)) return OK;
    TRY_NEW(grey, arena, n);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t c = 0; c < width; c++) grey[i] += (width == 1 ? 1 : part[c]) * (double)r->value[i * width + c];
        least = fmin(least, grey[i]);
        most = fmax(most, grey[i]);
    }
    for (int64_t i = 0; i < n; i++) grey[i] = most > least ? (grey[i] - least) / (most - least) : 0;
    f->grey = grey;
    return OK;
}

/* Cells of a picture that is as near to a square as may be, until a view knows better. */
static Status fill_grid(AttentionField *f, const Ragged *r, Arena *arena)
{
    const int64_t n = r->count[1];
    f->height = (int64_t)sqrt((double)n);
    while (f->height > 1 && n % f->height != 0) f->height--;
    f->width = f->height > 0 ? n / f->height : 0;
    return fill_grey(f, r, arena);
}

/* Is it something that can be looked at: words, or rows of numbers? */
static bool has_places(const Ragged *r, const Word *word)
{
    const DataField *f = r->field;
    if (field_has_of(f->role) || f->role == ROLE_GROUP) return false;
    return f->type == FIELD_FLOATS ? f->levels == 1 && r->count[1] > 0 : f->levels >= 1 && f->levels <= 2 && word;
}

static Status fill_fields(AttentionExample *e, const Batch *b, const Word *const *word, Arena *arena)
{
    AttentionField *field;
    TRY_NEW(field, arena, b->n_fields + 1);
    e->field = field;
    for (int i = 0; i < b->n_fields; i++) {
        const Ragged *r = &b->field[i];
        if (!has_places(r, word[i])) continue;
        AttentionField *f = &field[e->n_fields++];
        f->role = r->field->role;
        f->levels = r->field->levels;
        f->name = arena_text(arena, r->field->name);
        if (!f->name) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
        TRY(r->field->type == FIELD_FLOATS ? fill_grid(f, r, arena) : fill_text(f, r, word[i], arena));
    }
    return OK;
}

/* --- What the corpus knows --- */

static AxisUnit unit_of(const AttentionField *f, const DataField *gold)
{
    if (f->height > 0) return AXIS_CELLS;
    return gold->unit == f->levels ? AXIS_WORDS : AXIS_SENTENCES;
}

static bool is_there(const AttentionExample *e, const AttentionGold *g, const int32_t *number)
{
    const AttentionField *of = &e->field[g->of];
    const int64_t places = g->unit == AXIS_WORDS ? attention_whole_words(&of->words) : attention_size(of, g->unit);
    return number[0] < places && (g->to < 0 || number[1] < attention_whole_words(&e->field[g->to].words));
}

/* What a cap of section `data` cut off is left out. */
static Status fill_numbers(const AttentionExample *e, AttentionGold *g, const Ragged *r, Arena *arena)
{
    const int64_t width = g->to < 0 ? 1 : 2;
    int64_t *at;
    TRY_NEW(at, arena, r->count[1] + 1);
    g->at = at;
    for (int64_t k = 0; k + width <= r->count[1]; k += width) {
        if (!is_there(e, g, r->id + k)) continue;
        for (int64_t c = 0; c < width; c++) at[width * g->n + c] = r->id[k + c];
        g->n++;
    }
    return OK;
}

static int named(const AttentionExample *e, const char *name)
{
    for (int f = 0; f < e->n_fields; f++)
        if (strcmp(e->field[f].name, name) == 0) return f;
    return -1;
}

static Status fill_gold(AttentionExample *e, const Batch *b, bool cut, Arena *arena)
{
    AttentionGold *gold;
    TRY_NEW(gold, arena, b->n_fields + 1);
    e->gold = gold;
    for (int i = 0; i < b->n_fields; i++) {
        const Ragged *r = &b->field[i];
        if (r->field->role != ROLE_GOLD || r->field->levels != 1 || !r->id) continue;
        const int of = named(e, r->field->of), target = attention_role(e, ROLE_TARGET);
        if (of < 0 || (r->field->links && target < 0)) continue;
        AttentionGold g = {.of = of, .to = r->field->links ? target : -1, .possible = r->field->possible};
        g.unit = unit_of(&e->field[of], r->field);
        if (cut && g.unit == AXIS_WORDS && e->field[of].levels == 2) continue;
        TRY(fill_numbers(e, &g, r, arena));
        gold[e->n_gold++] = g;
    }
    return OK;
}

Status look_fields(const Batch *b, const Word *const *word, bool cut, Arena *arena, AttentionExample *e)
{
    TRY(fill_fields(e, b, word, arena));
    return fill_gold(e, b, cut, arena);
}

/* The words behind the ids of a batch of the corpus. */
static Status find_words(const Session *s, const Batch *b, Arena *arena, const Word *word[BATCH_FIELDS])
{
    for (int f = 0; f < b->n_fields; f++) {
        const Ragged *r = &b->field[f];
        const Vocab *vocab = corpus_vocab(s->corpus, r->field->vocab);
        Word *w;
        word[f] = NULL;
        if (!vocab || !r->id) continue;
        TRY_NEW(w, arena, r->count[r->field->levels]);
        for (int64_t i = 0; i < r->count[r->field->levels]; i++) {
            const char *text = vocab_word(vocab, r->id[i]);
            w[i] = (Word){text, strlen(text)};
        }
        word[f] = w;
    }
    return OK;
}

/* --- What the model's attention gave --- */

static AttentionAxis axis_of(const AttentionExample *e, const TapeAxis *a, int64_t size)
{
    const int field = a->role == ROLE_NONE ? -1 : attention_role(e, a->role);
    AttentionAxis axis = attention_axis(e, a->unit, field, size);
    axis.by_sentence = a->by_sentence;
    return axis;
}

/* Column k of what the tape kept. A memory that kept only the newest sentences has no weight on the others. */
static Status fill_weights(AttentionView *v, const TapeView *from, int64_t k, double *weight)
{
    const Node *w = from->weight;
    const int64_t heads = shape_count(&w->shape) / w->shape.d[0];
    const bool newest = v->columns.unit == AXIS_SENTENCES || v->columns.unit == AXIS_SLOTS;
    const int64_t queries = v->columns.by_sentence ? 1 : from->keys.n;
    REQUIRE(queries == v->rows.size, ERR_INTERNAL, "attention %s has %lld rows for %lld places", from->name,
            (long long)queries, (long long)v->rows.size);
    for (int64_t q = 0; q < queries; q++) {
        const int64_t first = v->columns.by_sentence ? 0 : from->keys.offset[q];
        const int64_t n = v->columns.by_sentence ? w->shape.d[0] : from->keys.offset[q + 1] - first;
        const int64_t missing = v->columns.size - n;
        REQUIRE(missing >= 0 && (missing == 0 || newest), ERR_INTERNAL, "attention %s has %lld weights for %lld places",
                from->name, (long long)n, (long long)v->columns.size);
        for (int64_t i = 0; i < n; i++)
            weight[q * v->columns.size + missing + i] = (double)w->value[(first + i) * heads + k];
    }
    return OK;
}

static int64_t heads_of(const TapeView *v)
{
    return v->weight->shape.d[0] > 0 ? shape_count(&v->weight->shape) / v->weight->shape.d[0] : 0;
}

static Status fill_view(AttentionView *v, const TapeView *from, int64_t k, const AttentionExample *e, Arena *arena)
{
    double *weight;
    const int64_t queries = from->columns.by_sentence ? 1 : from->keys.n;
    *v = (AttentionView){.name = from->name,
                         .layer = from->layer,
                         .head = heads_of(from) > 1 ? (int)k : from->head,
                         .hop = from->hop,
                         .rows = axis_of(e, &from->rows, queries)};
    v->columns = axis_of(e, &from->columns, v->rows.size ? from->weight->shape.d[0] / v->rows.size : 0);
    TRY_NEW(weight, arena, v->rows.size * v->columns.size + 1);
    v->weight = weight;
    return fill_weights(v, from, k, weight);
}

/* The model knows how its grid lies. */
static void shape_grid(AttentionExample *e, const TapeAxis *a)
{
    const int field = attention_role(e, a->role);
    AttentionField *f = (AttentionField *)(uintptr_t)&e->field[field < 0 ? 0 : field]; /* made here */
    if (field < 0 || a->unit != AXIS_CELLS || a->width <= 0 || f->height * f->width % a->width != 0) return;
    f->height = f->height * f->width / a->width;
    f->width = a->width;
}

Status look_views(const Tape *t, int more, Arena *arena, AttentionExample *e)
{
    int64_t n = more;
    for (const TapeView *v = t->views; v; v = v->next) n += heads_of(v);
    AttentionView *view;
    TRY_NEW(view, arena, n);
    e->view = view;
    for (const TapeView *v = t->views; v; v = v->next) {
        shape_grid(e, &v->columns);
        for (int64_t k = 0; k < heads_of(v); k++) TRY(fill_view(&view[e->n_views++], v, k, e, arena));
    }
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
    const int target = attention_role(e, ROLE_TARGET);
    if (!said.loss || target < 0) return OK;
    AttentionField *f = (AttentionField *)(uintptr_t)&e->field[target]; /* made here */
    REQUIRE(said.n_losses == f->words.n, ERR_INTERNAL, "%lld losses for %lld places", (long long)said.n_losses,
            (long long)f->words.n);
    f->loss = said.loss;
    return OK;
}

/* --- A pair without a target gets the model's own --- */

static Status fill_target(const Session *s, const DecodeHypothesis *h, Arena *arena, Ragged *r, const Word **word)
{
    const DataField *field = corpus_role(s->corpus, ROLE_TARGET);
    const Vocab *vocab = corpus_vocab(s->corpus, field->vocab);
    Word *w;
    TRY(build_ids(r, arena, field, 1, &(BuildIds){h->n, h->word}));
    TRY_NEW(w, arena, h->n + 1);
    for (int64_t j = 0; j < h->n; j++) {
        const char *text = vocab_word(vocab, h->word[j]);
        w[j] = (Word){text, strlen(text)};
    }
    *word = w;
    return OK;
}

/* A pair with what the model makes of its source as target. */
static Status with_own_target(Session *s, const Batch *b, const Word *const *word, Arena *arena, Batch *out,
                              const Word *out_word[BATCH_FIELDS])
{
    const DecodeRequest request = {.batch = b, .seed = s->seed};
    DecodeOutput *found;
    TRY(decode_batch(s->model, config_section(s->config, "decode"), &request, arena, &found));
    REQUIRE(found[0].n > 0, ERR_INTERNAL, "the model has made no sequence");
    *out = *b;
    for (int f = 0; f < b->n_fields; f++) out_word[f] = word[f];
    Ragged target;
    const Word *target_word = NULL;
    int f;
    TRY(fill_target(s, &found[0].item[0], arena, &target, &target_word));
    TRY(build_put(out, &target, &f));
    out_word[f] = target_word;
    return OK;
}

/* Or needs none. */
static bool has_target(const Model *m, const Batch *b)
{
    const Ragged *r = batch_role(b, ROLE_TARGET);
    return !m->def->generate || (r && r->field->levels == 1 && r->count[1] > 0);
}

/* --- One input --- */

static Status look_here(Look *k, const Batch *b, const Word *const *word, AttentionExample *e)
{
    Tape t;
    Prediction out;
    const DataSettings *data = config_section(k->s->config, "data");
    TRY(look_fields(b, word, data->max_words > 0, k->keep, e));
    TRY(evaluate_forward(k->s, b, true, &t, &out));
    TRY(fill_said(k, &t, &out, b, e));
    TRY(look_views(&t, IMPLICIT_VIEWS, k->keep, e));
    return k->implicit == ATTENTION_WEIGHT ? OK : implicit_views(k->s, b, k->implicit, k->keep, e);
}

/* Gold links belong to the target that people wrote. */
static Status look_at_own(Look *k, const Batch *b, const Word *const *word, AttentionExample *e)
{
    const Word *own_word[BATCH_FIELDS] = {NULL};
    Batch own;
    TRY(with_own_target(k->s, b, word, &k->s->step, &own, own_word));
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
    *e = (AttentionExample){.id = id, .truth = truth};
    const ArenaMark mark = arena_mark(&k->s->step);
    const Status st = k->own || !has_target(k->s->model, b) ? look_at_own(k, b, word, e) : look_here(k, b, word, e);
    arena_release(&k->s->step, mark);
    return st;
}

static Status look_at(Look *k, const Batch *b, const char *split, AttentionExample *e)
{
    const Word *word[BATCH_FIELDS] = {NULL};
    const ArenaMark mark = arena_mark(&k->s->step);
    const char *id = arena_format(k->keep, "%s %lld", split, (long long)b->example[0]);
    REQUIRE(id, ERR_HOST, "%s", status_message());
    Status st = find_words(k->s, b, &k->s->step, word);
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
