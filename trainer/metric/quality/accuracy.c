/* accuracy.c - how many lines are right from end to end, and how many tokens are right at their place.
 *
 * exact = lines that are one of their references / lines
 * tokens = sum of places where both have the same token / sum of the longer length
 * Tokens lie between white space; of several references that counts which gives the line the highest share. */
#include "trainer/metric/quality/ngrams.h"
#include "trainer/metric/quality/quality.h"

typedef struct Hits {
    int64_t lines, exact, places, right;
} Hits;

static int64_t counters(const Quality *q)
{
    (void)q;
    return sizeof(Hits) / sizeof(int64_t);
}

static Hits compare(const NgramText *a, const NgramText *b)
{
    const int64_t most = a->n > b->n ? a->n : b->n;
    Hits h = {.lines = 1, .places = most};
    for (int64_t i = 0; i < a->n && i < b->n; i++) h.right += a->unit[i] == b->unit[i];
    h.exact = h.right == most;
    return h;
}

/* right / places of a above that of b, without a division; a text without places is right. */
static bool better(const Hits *a, const Hits *b)
{
    if (a->exact != b->exact) return a->exact > b->exact;
    return a->right * b->places > b->right * a->places;
}

static Status add(const Quality *q, int64_t *count, const QualityPair *p, Arena *scratch)
{
    Hits *sum = (Hits *)(void *)count, best = {0};
    const int texts = 1 + q->references;
    Tokens tokens[1 + QUALITY_REFERENCES];
    NgramText text[1 + QUALITY_REFERENCES];
    for (int t = 0; t < texts; t++)
        TRY(tokenize_text("none", t == 0 ? &p->hypothesis : &p->reference[t - 1], q->option.lowercase, scratch,
                          &tokens[t]));
    TRY(ngrams_intern(scratch, texts, tokens, text));
    for (int t = 1; t < texts; t++) {
        const Hits h = compare(&text[0], &text[t]);
        if (t == 1 || better(&h, &best)) best = h;
    }
    sum->lines += best.lines;
    sum->exact += best.exact;
    sum->places += best.places;
    sum->right += best.right;
    return OK;
}

static double share(int64_t part, int64_t whole) { return whole > 0 ? (double)part / (double)whole : 1; }

static Status report(const Quality *q, const int64_t *count, QualityReport *out)
{
    (void)q;
    const Hits *h = (const Hits *)(const void *)count;
    TRY(quality_item(out, NULL, "exact", share(h->exact, h->lines), 4));
    return quality_item(out, NULL, "tokens", share(h->right, h->places), 4);
}

const QualityDef quality_accuracy = {
    .name = "accuracy",
    .help = "Share of lines that are exactly right, and of tokens that are right at their place.",
    .counters = counters,
    .add = add,
    .report = report,
};
