/* bleu.c - BLEU (Papineni et al. 2002) with the smoothing methods of Chen and Cherry 2014, as sacreBLEU counts.
 *
 * BLEU = bp * exp(mean over n = 1..4 of log p_n), p_n = 100 correct_n / total_n, bp = min(1, exp(1 - r / c)) */
#include "trainer/metric/quality/bleu.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trainer/metric/quality/ngrams.h"
#include "trainer/metric/quality/quality.h"

static const struct {
    const char *name;
    double value; /* NaN: takes none */
} smoothing[] = {{"exp", NAN}, {"floor", 0.1}, {"add-k", 1}, {"none", NAN}, {NULL, NAN}};

const char *bleu_smooth_name(int i) { return smoothing[i].name; }

/* The value of the method: the given one, or its own; NaN when it takes none. */
static double value_of(const QualityOptions *o)
{
    for (int i = 0; smoothing[i].name; i++)
        if (strcmp(smoothing[i].name, o->smooth) == 0)
            return isnan(smoothing[i].value) || isnan(o->smooth_value) ? smoothing[i].value : o->smooth_value;
    return NAN;
}

static bool any(const int64_t *count)
{
    for (int n = 0; n < BLEU_ORDER; n++)
        if (count[n] > 0) return true;
    return false;
}

BleuScore bleu_score(const BleuCounts *c, const char *smooth, double value, bool effective)
{
    const double NO_LOG = -9999999999.0; /* of 0: makes the score 0 */
    BleuScore s = {.brevity = 1};
    if (c->hypothesis < c->reference)
        s.brevity = c->hypothesis > 0 ? exp(1 - (double)c->reference / (double)c->hypothesis) : 0;
    if (!any(c->correct)) return s;
    double halved = 1, sum = 0;
    int order = BLEU_ORDER;
    for (int n = 0; n < BLEU_ORDER; n++) {
        const double add = n > 0 && strcmp(smooth, "add-k") == 0 ? value : 0;
        const double correct = (double)c->correct[n] + add, total = (double)c->total[n] + add;
        if (total == 0) break;
        if (effective) order = n + 1;
        if (correct > 0)
            s.precision[n] = 100 * correct / total;
        else if (strcmp(smooth, "exp") == 0)
            s.precision[n] = 100 / ((halved *= 2) * total);
        else if (strcmp(smooth, "floor") == 0)
            s.precision[n] = 100 * value / total;
    }
    for (int n = 0; n < order; n++) sum += s.precision[n] == 0 ? NO_LOG : log(s.precision[n]);
    s.score = s.brevity * exp(sum / order);
    return s;
}

static int64_t nearest_length(int64_t n, int references, const NgramText *reference)
{
    int64_t best = reference[0].n;
    for (int r = 1; r < references; r++) {
        const int64_t length = reference[r].n, far = llabs(n - length), best_far = llabs(n - best);
        if (far < best_far || (far == best_far && length < best)) best = length;
    }
    return best;
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static int64_t counters(const Quality *q)
{
    (void)q;
    return sizeof(BleuCounts) / sizeof(int64_t);
}

static Status add(const Quality *q, int64_t *count, const QualityPair *p, Arena *scratch)
{
    BleuCounts *c = (BleuCounts *)(void *)count;
    const int texts = 1 + q->references;
    Tokens tokens[1 + QUALITY_REFERENCES];
    NgramText text[1 + QUALITY_REFERENCES];
    for (int t = 0; t < texts; t++)
        TRY(tokenize_text(q->option.tokenize, t == 0 ? &p->hypothesis : &p->reference[t - 1], q->option.lowercase,
                          scratch, &tokens[t]));
    TRY(ngrams_intern(scratch, texts, tokens, text));
    c->hypothesis += text[0].n;
    c->reference += nearest_length(text[0].n, q->references, text + 1);
    Ngrams g;
    TRY(ngrams_open(&g, scratch, texts, text));
    for (int n = 0; n < BLEU_ORDER; n++) {
        int64_t times[1 + QUALITY_REFERENCES];
        c->total[n] += ngrams_total(text[0].n, n + 1);
        ngrams_next(&g);
        while (ngrams_count(&g, times)) {
            int64_t most = 0;
            for (int t = 1; t < texts; t++) most = times[t] > most ? times[t] : most;
            c->correct[n] += least(times[0], most);
        }
    }
    return OK;
}

static Status report(const Quality *q, const int64_t *count, QualityReport *out)
{
    const BleuCounts *c = (const BleuCounts *)(const void *)count;
    const double value = value_of(&q->option);
    const BleuScore s = bleu_score(c, q->option.smooth, value, q->option.sentence);
    QualityItem *item;
    TRY(quality_item(out, &item, "BLEU", s.score, 1));
    char with[32] = "";
    if (!isnan(value)) snprintf(with, sizeof with, "[%.2f]", value);
    snprintf(item->signature, sizeof item->signature, "nrefs:%d|case:%s|eff:%s|tok:%s|smooth:%s%s|%s", q->references,
             q->option.lowercase ? "lc" : "mixed", q->option.sentence ? "yes" : "no", q->option.tokenize,
             q->option.smooth, with, quality_version);
    const double ratio = c->reference > 0 ? (double)c->hypothesis / (double)c->reference : 0;
    snprintf(item->detail, sizeof item->detail,
             "%.1f/%.1f/%.1f/%.1f (BP = %.3f ratio = %.3f hyp_len = %lld ref_len = %lld)", s.precision[0],
             s.precision[1], s.precision[2], s.precision[3], s.brevity, ratio, (long long)c->hypothesis,
             (long long)c->reference);
    return OK;
}

const QualityDef quality_bleu = {
    .name = "bleu",
    .help = "BLEU of whole test sets (Papineni 2002), as sacreBLEU computes it.",
    .counters = counters,
    .add = add,
    .report = report,
};
