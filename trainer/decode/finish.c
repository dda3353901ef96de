/* finish.c - hypotheses that are closed: ranked, traced back, kept when they are among the best. */
#include <math.h>
#include <string.h>

#include "trainer/decode/search.h"

void finish_trace(const Search *s, int64_t row, int32_t *word)
{
    for (int64_t t = s->step; t > 0; t--) {
        word[t - 1] = s->history[t].word[row];
        row = s->history[t].parent[row];
    }
}

static Status trace(const Search *s, int64_t row, double end, DecodeHypothesis *h)
{
    int32_t *word, *look;
    double *log_p;
    TRY_NEW(word, s->arena, h->n);
    TRY_NEW(look, s->arena, h->n);
    TRY_NEW(log_p, s->arena, h->n + 1);
    finish_trace(s, row, word);
    log_p[h->n] = end;
    for (int64_t t = s->step; t > 0; t--) {
        const SearchStep *step = &s->history[t];
        look[t - 1] = step->look[row];
        log_p[t - 1] = step->log_p[row];
        row = step->parent[row];
    }
    h->word = word;
    h->log_p = log_p;
    h->look = s->out.weight ? look : NULL;
    return OK;
}

static Status score(const Search *s, const SearchSentence *x, int64_t row, DecodeHypothesis *h)
{
    h->score = h->total / decode_length_penalty(s->set, h->n + 1);
    if (s->set->coverage == 0) return OK;
    const ArenaMark mark = arena_mark(s->arena);
    real *attended; /* by all words and the end */
    TRY_NEW(attended, s->arena, x->source);
    for (int64_t j = 0; j < x->source; j++) attended[j] = s->history[s->step].attended[row][j] + s->out.weight[row][j];
    h->score += decode_coverage_penalty(s->set->coverage, x->source, attended);
    arena_release(s->arena, mark);
    return OK;
}

Status finish_close(Search *s, SearchSentence *x, const Candidate *c)
{
    DecodeHypothesis h = {.n = s->step, .total = c->total, .cut = c->cut};
    TRY(score(s, x, c->row, &h));
    DecodeOutput *out = x->out;
    int at = out->n;
    while (at > 0 && h.score > out->item[at - 1].score) at--;
    if (at >= s->kept) return OK;
    TRY(trace(s, c->row, c->log_p, &h));
    memmove(&out->item[at + 1], &out->item[at], (size_t)(out->n - at) * sizeof *out->item);
    out->item[at] = h;
    if (out->n < s->kept) out->n++;
    return OK;
}

/* log p only falls, the divisor is at most that of the longest output, and the coverage penalty is at most 0. */
bool finish_hopeful(const Search *s, const SearchSentence *x, double total)
{
    return x->out->n < s->kept || total / x->divisor > x->out->item[s->kept - 1].score;
}
