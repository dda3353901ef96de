/* chrf.c - chrF (Popovic 2015) and chrF++ (Popovic 2017), as sacreBLEU counts: n-grams of characters, and of words.
 *
 * P and R are means over the orders that both sides are long enough for; chrF = (1 + beta^2) P R / (beta^2 P + R) */
#include <stdio.h>

#include "trainer/metric/quality/ngrams.h"
#include "trainer/metric/quality/quality.h"

/* Of one order: n-grams of the hypothesis, of the reference, and those they have in common. */
typedef struct Match {
    int64_t hypothesis, reference, both;
} Match;

enum { MATCH = sizeof(Match) / sizeof(int64_t) };

/* Word n-grams: as the option says, or as many as belong to the measure. */
static int64_t word_order(const Quality *q)
{
    return q->option.word_order >= 0 ? q->option.word_order : q->def == &quality_chrf_words ? 2 : 0;
}

static int64_t orders(const Quality *q) { return q->option.char_order + word_order(q); }

static int64_t counters(const Quality *q) { return orders(q) * MATCH; }

static double f_score(const Quality *q, const Match *m)
{
    const double tiny = 1e-16, factor = (double)(q->option.beta * q->option.beta);
    double precisions = 0, recalls = 0, sum = 0;
    int64_t effective = 0;
    for (int64_t i = 0; i < orders(q); i++) {
        const double precision = m[i].hypothesis > 0 ? (double)m[i].both / (double)m[i].hypothesis : tiny;
        const double recall = m[i].reference > 0 ? (double)m[i].both / (double)m[i].reference : tiny;
        const double below = factor * precision + recall;
        sum += below > 0 ? (1 + factor) * precision * recall / below : tiny;
        if (m[i].hypothesis == 0 || m[i].reference == 0) continue;
        precisions += precision;
        recalls += recall;
        effective++;
    }
    if (q->option.eps_smoothing) return 100 * sum / (double)orders(q);
    if (effective == 0 || precisions + recalls == 0) return 0;
    const double precision = precisions / (double)effective, recall = recalls / (double)effective;
    return 100 * ((1 + factor) * precision * recall / (factor * precision + recall));
}

static bool is_mark(uint32_t c)
{
    return (c > ' ' && c < '0') || (c > '9' && c < 'A') || (c > 'Z' && c < 'a') || (c > 'z' && c < 0x7f);
}

/* Words between white space; a mark at the end, or else one at the beginning, is a word of its own. */
static Status split_words(const Characters *text, Arena *scratch, Tokens *out)
{
    Tokens word;
    TRY(tokenize_spaces(text, scratch, &word));
    *out = (Tokens){0};
    TRY_NEW(out->token, scratch, 2 * word.n);
    for (int64_t i = 0; i < word.n; i++) {
        const uint32_t *at = word.token[i].at;
        const int64_t n = word.token[i].n, first = n == 1 ? 1 : is_mark(at[n - 1]) ? n - 1 : is_mark(at[0]) ? 1 : n;
        out->token[out->n++] = (Token){at, first};
        if (first < n) out->token[out->n++] = (Token){at + first, n - first};
    }
    return OK;
}

static Status without_spaces(const Characters *text, Arena *scratch, NgramText *out)
{
    uint32_t *unit;
    TRY_NEW(unit, scratch, text->n);
    *out = (NgramText){0, unit};
    for (int64_t i = 0; i < text->n; i++)
        if (!character_space(text->at[i])) unit[out->n++] = text->at[i];
    return OK;
}

/* match[reference * stride + order - 1] for orders 1 to `most`; text 0 is the hypothesis. */
static Status match_orders(Arena *scratch, int texts, const NgramText *text, int64_t most, int64_t stride, Match *match)
{
    Ngrams g;
    TRY(ngrams_open(&g, scratch, texts, text));
    for (int n = 1; n <= most; n++) {
        int64_t count[1 + QUALITY_REFERENCES];
        for (int t = 1; t < texts; t++) {
            Match *m = &match[(t - 1) * stride + n - 1];
            m->reference = ngrams_total(text[t].n, n);
            m->hypothesis = m->reference > 0 ? ngrams_total(text[0].n, n) : 0;
        }
        ngrams_next(&g);
        while (ngrams_count(&g, count))
            for (int t = 1; t < texts; t++)
                match[(t - 1) * stride + n - 1].both += count[0] < count[t] ? count[0] : count[t];
    }
    return OK;
}

/* Of several references that counts to which the sentence is nearest. */
static Status add(const Quality *q, int64_t *count, const QualityPair *p, Arena *scratch)
{
    const int texts = 1 + q->references;
    const int64_t stride = orders(q), letters = q->option.char_order, words = word_order(q);
    NgramText unit[1 + QUALITY_REFERENCES], word[1 + QUALITY_REFERENCES];
    Tokens tokens[1 + QUALITY_REFERENCES];
    Match *match;
    TRY_NEW(match, scratch, stride * q->references);
    for (int t = 0; t < texts; t++) {
        Characters c;
        TRY(tokenize_characters(t == 0 ? &p->hypothesis : &p->reference[t - 1], q->option.lowercase, scratch, &c));
        unit[t] = (NgramText){c.n, c.at};
        if (!q->option.whitespace) TRY(without_spaces(&c, scratch, &unit[t]));
        TRY(split_words(&c, scratch, &tokens[t]));
    }
    TRY(ngrams_intern(scratch, texts, tokens, word));
    TRY(match_orders(scratch, texts, unit, letters, stride, match));
    TRY(match_orders(scratch, texts, word, words, stride, match + letters));
    int best = 0;
    for (int r = 1; r < q->references; r++)
        if (f_score(q, match + r * stride) > f_score(q, match + best * stride)) best = r;
    const int64_t *from = (const int64_t *)(const void *)(match + best * stride);
    for (int64_t i = 0; i < q->counters; i++) count[i] += from[i];
    return OK;
}

static Status report(const Quality *q, const int64_t *count, QualityReport *out)
{
    QualityItem *item;
    TRY(quality_item(out, &item, "chrF", f_score(q, (const Match *)(const void *)count), 1));
    int n = snprintf(item->name, sizeof item->name, "chrF%lld", (long long)q->option.beta);
    for (int64_t i = 0; i < word_order(q); i++) item->name[n++] = '+'; /* QUALITY_ORDER is below the room */
    item->name[n] = '\0';
    snprintf(item->signature, sizeof item->signature, "nrefs:%d|case:%s|eff:%s|nc:%lld|nw:%lld|space:%s|%s",
             q->references, q->option.lowercase ? "lc" : "mixed", q->option.eps_smoothing ? "no" : "yes",
             (long long)q->option.char_order, (long long)word_order(q), q->option.whitespace ? "yes" : "no",
             quality_version);
    return OK;
}

const QualityDef quality_chrf = {
    .name = "chrf",
    .help = "chrF, the F-score of character n-grams (Popovic 2015), as sacreBLEU computes it.",
    .counters = counters,
    .add = add,
    .report = report,
};

const QualityDef quality_chrf_words = {
    .name = "chrf++",
    .help = "chrF++, with words and pairs of words beside the characters (Popovic 2017).",
    .counters = counters,
    .add = add,
    .report = report,
};
