/* choose.c - which words may follow, and which of them do: the best of a beam, one that is drawn, the one given. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trainer/core/kernel.h"
#include "trainer/decode/search.h"

static real *logits(const Search *s, int64_t row) { return s->out.logits + row * s->words; }

/* log sum exp of the logits of a row. Leaves the maxima of its blocks in s->block. */
static Status normaliser_of(Search *s, int64_t row, double *out)
{
    const Kernels *k = kernels();
    const real *x = logits(s, row);
    k->block_maxima(s->words, x, s->block);
    *out = k->log_sum(s->words, x, k->maximum(top_blocks(s->words), s->block));
    const SearchStep *step = &s->history[s->step];
    REQUIRE(isfinite(*out), ERR_CHECK, "example %lld, word %lld of the output: the model's logits are not finite",
            (long long)s->request->batch->example[step->sentence[row]], (long long)s->step + 1);
    return OK;
}

/* Words after which the last n - 1 words stand already. */
static void block_runs(Search *s, int64_t row, real *x)
{
    const int64_t n = s->set->block, t = s->step;
    if (n == 0 || t < n) return;
    finish_trace(s, row, s->trace);
    const int32_t *last = s->trace + t - (n - 1);
    for (int64_t i = 0; i + n <= t; i++)
        if (memcmp(s->trace + i, last, (size_t)(n - 1) * sizeof *last) == 0) x[s->trace[i + n - 1]] = (real)-INFINITY;
}

/* Logits of words that must not come next become -inf, after the normaliser is known. The maxima of their blocks may be
 * too large from then on, which costs a look and changes nothing. */
static void constrain(Search *s, int64_t row)
{
    real *v = logits(s, row);
    v[VOCAB_PAD] = v[VOCAB_BOS] = (real)-INFINITY;
    if (s->set->unknown == DECODE_FORBID) v[VOCAB_UNK] = (real)-INFINITY;
    if (s->step < s->set->min_words) v[VOCAB_EOS] = (real)-INFINITY;
    block_runs(s, row, v);
}

static Candidate candidate(const Search *s, int64_t row, int32_t word, double log_p)
{
    return (Candidate){s->history[s->step].total[row] + log_p, log_p, word, (int32_t)row, false};
}

/* The n likeliest words that may come next in a row, in s->top. None when the output has as many words as it may have,
 * or all words are forbidden: then the end is forced, and is a candidate already. */
static Status look_ahead(Search *s, const SearchSentence *x, int64_t row, int64_t n, double *normaliser)
{
    TRY(normaliser_of(s, row, normaliser));
    const double end = (double)logits(s, row)[VOCAB_EOS] - *normaliser;
    constrain(s, row);
    s->n_top = top_select(s->words, logits(s, row), s->block, n, s->top);
    if (s->n_top > 0 && s->step < x->most) return OK;
    const bool cut = s->n_top == 0 || s->top[0].id != VOCAB_EOS;
    s->n_top = 0;
    s->candidate[s->n_candidates] = candidate(s, row, VOCAB_EOS, end);
    s->candidate[s->n_candidates++].cut = cut;
    return OK;
}

/* The given words come first, whatever the rules for others say. */
static bool is_given(const Search *s, const SearchSentence *x) { return s->step < x->given.n; }

Status choose_given(Search *s, SearchSentence *x)
{
    s->n_candidates = 0;
    const int32_t word = is_given(s, x) ? x->given.id[s->step] : VOCAB_EOS;
    for (int64_t r = 0; r < x->rows; r++) {
        double normaliser;
        TRY(normaliser_of(s, x->first + r, &normaliser));
        const double log_p = (double)logits(s, x->first + r)[word] - normaliser;
        s->candidate[s->n_candidates++] = candidate(s, x->first + r, word, log_p);
    }
    return OK;
}

static int by_rank(const void *pa, const void *pb)
{
    const Candidate *a = pa, *b = pb;
    if (a->total != b->total) return a->total > b->total ? -1 : 1;
    if (a->word != b->word) return a->word < b->word ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

Status choose_beam(Search *s, SearchSentence *x)
{
    if (is_given(s, x)) return choose_given(s, x);
    const int64_t k = x->width < s->words ? x->width : s->words;
    s->n_candidates = 0;
    for (int64_t row = x->first; row < x->first + x->rows; row++) {
        double normaliser;
        TRY(look_ahead(s, x, row, k, &normaliser));
        for (int64_t i = 0; i < s->n_top; i++)
            s->candidate[s->n_candidates++] = candidate(s, row, s->top[i].id, (double)s->top[i].value - normaliser);
    }
    int64_t n = s->n_candidates;
    qsort(s->candidate, (size_t)n, sizeof *s->candidate, by_rank);
    if (n > x->width) n = x->width;
    if (s->set->prune > 0)
        while (n > 1 && s->candidate[n - 1].total < s->candidate[0].total - s->set->prune) n--;
    s->n_candidates = n;
    return OK;
}

/* The word whose share of the sum of exp((logit - most) / temperature) the draw u in [0, 1) falls into. */
static const Top *draw(const Search *s, double u)
{
    const double scale = 1 / s->set->temperature, most = (double)s->top[0].value;
    double sum = 0, part = 0;
    for (int64_t i = 0; i < s->n_top; i++) sum += exp(((double)s->top[i].value - most) * scale);
    for (int64_t i = 0; i < s->n_top; i++) {
        part += exp(((double)s->top[i].value - most) * scale);
        if (u * sum < part) return &s->top[i];
    }
    return &s->top[s->n_top - 1];
}

Status choose_sample(Search *s, SearchSentence *x)
{
    if (is_given(s, x)) return choose_given(s, x);
    const int64_t k = s->set->top > 0 && s->set->top < s->words ? s->set->top : s->words;
    const uint64_t example = (uint64_t)s->request->batch->example[x - s->sentence];
    s->n_candidates = 0;
    for (int64_t row = x->first; row < x->first + x->rows; row++) {
        double normaliser;
        TRY(look_ahead(s, x, row, k, &normaliser));
        if (s->n_top == 0) continue;
        const RandomKey key = random_key(s->request->seed, RANDOM_SELECT, (uint64_t)s->history[s->step].origin[row]);
        const Top *word = draw(s, random_uniform(key, example, (uint64_t)s->step));
        s->candidate[s->n_candidates++] = candidate(s, row, word->id, (double)word->value - normaliser);
    }
    return OK;
}
