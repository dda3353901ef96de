/* search.c - the loop over the steps: the model, the chooser, the rows of the next step. */
#include "trainer/decode/search.h"

#include <string.h>

static Status open_sentence(Search *s, int64_t b, const int64_t *offset, SearchSentence *x)
{
    const DecodeSettings *set = s->set;
    x->source = offset[b + 1] - offset[b];
    x->most = (int64_t)(set->max_factor * (double)x->source) + set->max_words;
    if (s->request->given) x->given = s->request->given[b];
    if (x->most < x->given.n) x->most = x->given.n;
    if (x->most < 1) x->most = 1;
    if (x->most > s->longest) s->longest = x->most;
    x->first = b;
    x->rows = 1;
    x->width = set->beam;
    x->divisor = decode_length_penalty(set, x->most + 1);
    TRY_NEW(x->out->item, s->arena, s->kept + 1);
    return OK;
}

/* Room for the rows of a step. */
static Status open_step(Search *s, SearchStep *h, int64_t rows)
{
    h->rows = 0;
    TRY_NEW(h->sentence, s->arena, rows);
    TRY_NEW(h->parent, s->arena, rows);
    TRY_NEW(h->word, s->arena, rows);
    TRY_NEW(h->origin, s->arena, rows);
    TRY_NEW(h->look, s->arena, rows);
    TRY_NEW(h->log_p, s->arena, rows);
    TRY_NEW(h->total, s->arena, rows);
    if (s->set->coverage > 0) TRY_NEW(h->attended, s->arena, rows);
    return OK;
}

/* Coverage of a row: its parent's and what the parent looked at when it made this word. */
static Status cover(Search *s, const SearchStep *before, int32_t parent, int64_t n, real **out)
{
    TRY_NEW(*out, s->arena, n);
    if (!before) return OK;
    for (int64_t j = 0; j < n; j++) (*out)[j] = before->attended[parent][j] + s->out.weight[parent][j];
    return OK;
}

static Status add_row(Search *s, int64_t b, SearchStep *next, const Candidate *c)
{
    const int64_t i = next->rows++;
    next->sentence[i] = (int32_t)b;
    next->parent[i] = c->row;
    next->word[i] = c->word;
    next->log_p[i] = c->log_p;
    next->total[i] = c->total;
    next->look[i] = -1;
    const SearchStep *before = next == s->history ? NULL : next - 1;
    next->origin[i] = before ? before->origin[c->row] : (int32_t)(i - s->sentence[b].first);
    if (before && s->out.weight) {
        const real *w = s->out.weight[c->row];
        real most = 0;
        for (int64_t j = 0; j < s->sentence[b].source; j++) {
            if (!(w[j] > most)) continue;
            most = w[j];
            next->look[i] = (int32_t)j;
        }
    }
    return next->attended ? cover(s, before, c->row, s->sentence[b].source, &next->attended[i]) : OK;
}

/* A candidate becomes an output, or a row of the next step. */
static Status follow(Search *s, SearchSentence *x, SearchStep *next, const Candidate *c)
{
    if (c->word != VOCAB_EOS) return finish_hopeful(s, x, c->total) ? add_row(s, x - s->sentence, next, c) : OK;
    if (s->narrows) x->width--;
    return finish_close(s, x, c);
}

static Status advance_sentence(Search *s, SearchChoose *choose, SearchSentence *x, SearchStep *next)
{
    TRY(choose(s, x));
    const int64_t first = next->rows;
    for (int64_t i = 0; i < s->n_candidates; i++) TRY(follow(s, x, next, &s->candidate[i]));
    /* Better candidates stand first: what an output of this step made hopeless stands last. */
    while (next->rows > first && !finish_hopeful(s, x, next->total[next->rows - 1])) next->rows--;
    x->first = first;
    x->rows = next->rows - first;
    return OK;
}

static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

static Status advance(Search *s, SearchChoose *choose)
{
    const SearchStep *now = &s->history[s->step];
    const GenerateStep step = {.rows = now->rows,
                               .step = s->step,
                               .sentence = now->sentence,
                               .parent = s->step ? now->parent : NULL,
                               .word = now->word};
    s->out = (GenerateOut){0};
    TRY(s->m->def->generate->step(s->made.state, &step, &s->out));
    REQUIRE(s->out.weight || s->set->coverage == 0, ERR_CONFIG,
            "decode.coverage is %g, but model %s has no attention that could cover the source", s->set->coverage,
            s->m->def->component.name);
    int64_t rows = 0;
    for (int64_t b = 0; b < s->n; b++)
        if (s->sentence[b].rows) rows += most(s->sentence[b].width, s->sentence[b].rows);
    SearchStep *next = &s->history[s->step + 1];
    TRY(open_step(s, next, rows));
    for (int64_t b = 0; b < s->n; b++)
        if (s->sentence[b].rows) TRY(advance_sentence(s, choose, &s->sentence[b], next));
    s->step++;
    return OK;
}

/* beam: rows that an example may have. */
static Status open_search(Search *s, int64_t beam, DecodeOutput *out)
{
    TRY_NEW(s->sentence, s->arena, s->n);
    for (int64_t b = 0; b < s->n; b++) {
        s->sentence[b].out = &out[b];
        TRY(open_sentence(s, b, s->made.memory.offset, &s->sentence[b]));
    }
    TRY_NEW(s->history, s->arena, s->longest + 2);
    TRY_NEW(s->trace, s->arena, s->longest + 1);
    TRY_NEW(s->block, s->arena, top_blocks(s->words));
    const int64_t k = beam < s->words ? beam : s->words;
    TRY_NEW(s->top, s->arena, s->sample ? s->words : k);
    TRY_NEW(s->candidate, s->arena, k * beam);
    TRY(open_step(s, s->history, s->n * beam));
    return OK;
}

/* The first rows: an empty hypothesis for each example, or for each draw. */
static Status begin(Search *s)
{
    const Candidate empty = {.word = VOCAB_BOS};
    for (int64_t b = 0; b < s->n; b++) {
        SearchSentence *x = &s->sentence[b];
        x->first = s->history->rows;
        x->rows = s->sample ? s->kept : 1;
        for (int64_t r = 0; r < x->rows; r++) TRY(add_row(s, b, s->history, &empty));
    }
    return OK;
}

Status decode_batch(Model *m, const DecodeSettings *set, const DecodeRequest *r, Arena *arena, DecodeOutput **out)
{
    Search s = {.m = m,
                .set = set,
                .request = r,
                .arena = arena,
                .n = r->batch->B,
                .words = model_words(&m->data, ROLE_TARGET)};
    s.sample = !r->whole && set->search == DECODE_SAMPLE;
    s.narrows = !s.sample && set->stop == DECODE_STOP_BEAM;
    s.kept = r->whole ? 1 : set->nbest;
    const int64_t beam = r->whole ? 1 : s.sample ? set->nbest : set->beam;
    SearchChoose *const choose = r->whole ? choose_given : s.sample ? choose_sample : choose_beam;
    REQUIRE(m->def->generate, ERR_CONFIG, "model %s makes no sequences: there is nothing to decode",
            m->def->component.name);
    TRY_NEW(*out, arena, s.n);
    Tape t = tape_begin(arena);
    TRY(m->def->generate->open(m, &t, r->batch, s.n * beam, &s.made));
    TRY(tape_status(&t));
    TRY(open_search(&s, beam, *out));
    TRY(begin(&s));
    while (s.history[s.step].rows > 0) TRY(advance(&s, choose));
    return OK;
}
