/* alignment.c - links from weights, their text and their error. */
#include "io/attention/alignment.h"

static int64_t word_of(const AttentionWords *w, int64_t i) { return w->part_of ? w->part_of[i] : i; }

static const AttentionWords *words_of(const AttentionExample *e, const AttentionAxis *a)
{
    return &e->field[a->field].words;
}

bool alignment_linked(const AttentionExample *e, const AttentionView *v, AttentionReadout how, int64_t i, int64_t j)
{
    const int64_t n = v->columns.size;
    const double *row = v->weight + j * n;
    if (word_of(words_of(e, &v->columns), i) < 0 || word_of(words_of(e, &v->rows), j) < 0) return false;
    if (how.threshold) return row[i] >= how.least;
    for (int64_t k = 0; k < n; k++)
        if (k < i ? row[k] >= row[i] : row[k] > row[i]) return false;
    return row[i] > 0;
}

Status alignment_links(const AttentionExample *e, const AttentionView *v, AttentionReadout how, Arena *arena,
                       AlignmentLinks *out)
{
    const AttentionWords *from = words_of(e, &v->columns), *to = words_of(e, &v->rows);
    const int64_t source = attention_whole_words(from), target = attention_whole_words(to);
    bool *linked;
    int64_t *at;
    *out = (AlignmentLinks){0};
    TRY_NEW(linked, arena, source * target + 1);
    for (int64_t j = 0; j < to->n; j++)
        for (int64_t i = 0; i < from->n; i++)
            if (alignment_linked(e, v, how, i, j)) linked[word_of(from, i) * target + word_of(to, j)] = true;
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

static AlignmentLinks links_of(const AttentionExample *e, const AttentionView *v, bool possible)
{
    const AttentionGold *g = attention_gold(e, AXIS_WORDS, v->columns.field, v->rows.field, possible);
    return g ? (AlignmentLinks){g->n, g->at} : (AlignmentLinks){0};
}

AlignmentGold alignment_gold(const AttentionExample *e, const AttentionView *v)
{
    if (!attention_has_links(e, v)) return (AlignmentGold){.sure = {0}};
    return (AlignmentGold){links_of(e, v, false), links_of(e, v, true)};
}

static bool among(const AlignmentLinks *l, int64_t i, int64_t j)
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

double alignment_error(const AlignmentGold *gold, const AlignmentLinks *a, AlignmentCounts *sum)
{
    if (!gold->sure.at && !gold->possible.at) return -1;
    AlignmentCounts c = {.links = a->n, .sure = gold->sure.n};
    for (int64_t k = 0; k < a->n; k++) {
        const bool sure = among(&gold->sure, a->at[2 * k], a->at[2 * k + 1]);
        c.hits_sure += sure;
        c.hits_possible += sure || among(&gold->possible, a->at[2 * k], a->at[2 * k + 1]);
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

Status alignment_pharaoh(const AlignmentLinks *l, Buffer *out)
{
    for (int64_t k = 0; k < l->n; k++)
        TRY(buffer_format(out, "%s%lld-%lld", k ? " " : "", (long long)l->at[2 * k], (long long)l->at[2 * k + 1]));
    return buffer_text(out, "\n");
}
