/* alignment.c - links from weights, their text and their error. */
#include "io/attention/alignment.h"

static int64_t word_of(const AttentionWords *w, int64_t i) { return w->part_of ? w->part_of[i] : i; }

static int64_t words_in(const AttentionWords *w)
{
    int64_t n = w->part_of ? 0 : w->n;
    for (int64_t i = 0; w->part_of && i < w->n; i++)
        if (w->part_of[i] >= n) n = w->part_of[i] + 1;
    return n;
}

bool alignment_linked(const AttentionExample *e, const AttentionView *v, AttentionReadout how, int64_t i, int64_t j)
{
    const double *row = v->weight + j * e->words.n;
    if (word_of(&e->words, i) < 0 || word_of(&e->target, j) < 0) return false;
    if (how.threshold) return row[i] >= how.least;
    for (int64_t k = 0; k < e->words.n; k++)
        if (k < i ? row[k] >= row[i] : row[k] > row[i]) return false;
    return row[i] > 0;
}

Status alignment_links(const AttentionExample *e, const AttentionView *v, AttentionReadout how, Arena *arena,
                       AttentionLinks *out)
{
    const int64_t source = words_in(&e->words), target = words_in(&e->target);
    bool *linked;
    int64_t *at;
    *out = (AttentionLinks){0};
    TRY_NEW(linked, arena, source * target + 1);
    for (int64_t j = 0; j < e->target.n; j++)
        for (int64_t i = 0; i < e->words.n; i++)
            if (alignment_linked(e, v, how, i, j))
                linked[word_of(&e->words, i) * target + word_of(&e->target, j)] = true;
    int64_t n = 0;
    for (int64_t k = 0; k < source * target; k++) n += linked[k];
    TRY_NEW(at, arena, 2 * n + 1);
    for (int64_t k = 0; k < source * target; k++) {
        if (!linked[k]) continue;
        at[2 * out->n] = k / target;
        at[2 * out->n++ + 1] = k % target;
    }
    out->at = at;
    return OK;
}

static bool among(const AttentionLinks *l, int64_t i, int64_t j)
{
    for (int64_t k = 0; k < l->n; k++)
        if (l->at[2 * k] == i && l->at[2 * k + 1] == j) return true;
    return false;
}

double alignment_rate(const AlignmentCounts *c)
{
    const int64_t all = c->links + c->sure;
    return all ? 1 - (double)(c->hits_sure + c->hits_possible) / (double)all : 0;
}

double alignment_error(const AttentionExample *e, const AttentionLinks *a, AlignmentCounts *sum)
{
    if (!e->sure.at && !e->possible.at) return -1;
    AlignmentCounts c = {.links = a->n, .sure = e->sure.n};
    for (int64_t k = 0; k < a->n; k++) {
        const bool sure = among(&e->sure, a->at[2 * k], a->at[2 * k + 1]);
        c.hits_sure += sure;
        c.hits_possible += sure || among(&e->possible, a->at[2 * k], a->at[2 * k + 1]);
    }
    if (sum) {
        sum->hits_sure += c.hits_sure;
        sum->hits_possible += c.hits_possible;
        sum->links += c.links;
        sum->sure += c.sure;
    }
    return alignment_rate(&c);
}

static int64_t in_both(const int32_t *a, int64_t n, const int32_t *b, int64_t m)
{
    int64_t both = 0;
    for (int64_t i = 0, j = 0; i < n && j < m;) {
        const int32_t *x = a + 2 * i, *y = b + 2 * j;
        const bool same = x[0] == y[0] && x[1] == y[1], before = x[0] < y[0] || (x[0] == y[0] && x[1] < y[1]);
        both += same;
        i += same || before;
        j += same || !before;
    }
    return both;
}

void alignment_compare(const Links *guess, const Links *gold, AlignmentCounts *sum)
{
    sum->links += guess->n_possible;
    sum->sure += gold->n_sure;
    sum->hits_sure += in_both(guess->possible, guess->n_possible, gold->sure, gold->n_sure);
    sum->hits_possible += in_both(guess->possible, guess->n_possible, gold->possible, gold->n_possible);
}

Status alignment_pharaoh(const AttentionLinks *l, Buffer *out)
{
    for (int64_t k = 0; k < l->n; k++)
        TRY(buffer_format(out, "%s%lld-%lld", k ? " " : "", (long long)l->at[2 * k], (long long)l->at[2 * k + 1]));
    return buffer_text(out, "\n");
}
