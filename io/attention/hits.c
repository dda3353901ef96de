/* hits.c - the place of the highest weight against the known places. */
#include "io/attention/hits.h"

#include <string.h>

static int64_t highest(const double *weight, int64_t begin, int64_t end)
{
    int64_t best = begin;
    for (int64_t i = begin + 1; i < end; i++)
        if (weight[i] > weight[best]) best = i;
    return best;
}

static bool among(int64_t place, const AttentionGold *gold)
{
    for (int64_t i = 0; i < gold->n; i++)
        if (gold->at[i] == place) return true;
    return false;
}

/* The word that a piece belongs to. */
static int64_t whole(const AttentionField *f, AxisUnit unit, int64_t place)
{
    return unit == AXIS_WORDS && f->words.part_of ? f->words.part_of[place] : place;
}

static bool each_sentence_hit(const AttentionView *v, const AttentionField *f, const AttentionGold *sentences,
                              const AttentionGold *words)
{
    for (int64_t i = 0; i < sentences->n; i++) {
        const int64_t *s = f->sentence + sentences->at[i];
        if (s[0] == s[1] || !among(whole(f, AXIS_WORDS, highest(v->weight, s[0], s[1])), words)) return false;
    }
    return true;
}

/* Whether it hits; -1: nobody knows. */
static int is_hit(const AttentionExample *e, const AttentionView *v)
{
    const AttentionAxis *a = &v->columns;
    if (v->measure != ATTENTION_WEIGHT || v->rows.unit != AXIS_NONE || a->field < 0 || a->size == 0) return -1;
    const AttentionField *f = &e->field[a->field];
    const AttentionGold *gold = attention_gold(e, a->unit, a->field, -1, false);
    if (!gold) return -1;
    if (!a->by_sentence) return gold->n ? among(whole(f, a->unit, highest(v->weight, 0, a->size)), gold) : -1;
    const AttentionGold *sentences = attention_gold(e, AXIS_SENTENCES, a->field, -1, false);
    return sentences && sentences->n ? each_sentence_hit(v, f, sentences, gold) : -1;
}

static bool same_view(const AttentionView *a, const AttentionView *b)
{
    return a->layer == b->layer && a->head == b->head && a->hop == b->hop && strcmp(a->name, b->name) == 0;
}

void hits_add(Hits *h, const AttentionExample *e)
{
    for (int i = 0; i < e->n_views; i++) {
        const int hit = is_hit(e, &e->view[i]);
        int at = 0;
        while (at < h->n && !same_view(h->view[at].of, &e->view[i])) at++;
        if (hit < 0 || at == HITS_VIEWS) continue;
        if (at == h->n) h->view[h->n++].of = &e->view[i];
        h->view[at].inputs++;
        h->view[at].hits += hit;
    }
}

Status hits_say(const Hits *h, Buffer *text)
{
    for (int i = 0; i < h->n; i++) {
        const AttentionView *v = h->view[i].of;
        const long long hits = h->view[i].hits, inputs = h->view[i].inputs;
        TRY(buffer_say(text,
                       "%s hop %d head %d: the highest weight is on what decides in %lld of %lld inputs (%.1f %%)\n",
                       v->name, v->hop + 1, v->head + 1, hits, inputs, 100.0 * (double)hits / (double)inputs));
    }
    return OK;
}
