/* hits.c - the place of the highest weight against the known places. */
#include "trainer/look/hits.h"

#include <stdbool.h>
#include <stddef.h>

static int64_t highest(const double *weight, int64_t begin, int64_t end)
{
    int64_t best = begin;
    for (int64_t i = begin + 1; i < end; i++)
        if (weight[i] > weight[best]) best = i;
    return best;
}

static bool among(int64_t place, const Ragged *places)
{
    for (int64_t i = 0; i < places->count[1]; i++)
        if (places->id[i] == place) return true;
    return false;
}

static bool sentences_hit(const AttentionView *v, const AttentionExample *e)
{
    const int64_t best = highest(v->weight, 0, v->n);
    for (int64_t i = 0; i < e->n_facts; i++)
        if (e->fact[i] == best) return true;
    return false;
}

static bool words_hit(const AttentionView *v, const AttentionExample *e, const Ragged *words)
{
    for (int64_t i = 0; i < e->n_facts; i++) {
        const int64_t s = e->fact[i];
        if (s < 0 || s >= e->n_sentences) return false;
        if (!among(highest(v->weight, e->sentence[s], e->sentence[s + 1]), words)) return false;
    }
    return true;
}

void hits_add(Hits *h, const Batch *b, const AttentionExample *e)
{
    const Ragged *words = batch_field(b, "key_word");
    if (e->n_facts == 0) return;
    for (int i = 0; i < e->n_views && i < HITS_VIEWS; i++) {
        const AttentionView *v = &e->view[i];
        if (v->measure != ATTENTION_WEIGHT || v->over == ATTENTION_QUESTION) continue;
        if (v->over == ATTENTION_WORDS && (!words || h->no_words)) continue;
        h->view[i].name = v->name;
        h->view[i].head = v->head;
        h->view[i].hop = v->hop;
        h->view[i].inputs++;
        h->view[i].hits += v->over == ATTENTION_WORDS ? words_hit(v, e, words) : sentences_hit(v, e);
        if (h->n <= i) h->n = i + 1;
    }
}
