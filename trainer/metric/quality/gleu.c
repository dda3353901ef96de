/* gleu.c - GLEU (Napoles et al. 2015, several references as in 2016), as the script gleu.py of JFLEG counts.
 *
 * Each of 500 iterations draws one reference for each sentence and adds up, for n = 1..4:
 *     m_n = max(0, |h & r| - |h & (s without all n-grams of r)|),  t_n = max(0, length of h + 1 - n)
 *     GLEU = exp(min(0, 1 - length of r / length of h) + mean of log(m_n / t_n)),  0 when any of them is 0
 * and the score is their mean. The script's iteration j draws by random.seed(101 j), random.randint(0, references - 1)
 * of Python 2, sentence after sentence; a copy made to run under Python 3 draws others from the same seeds. Either can
 * be had here: the draw hangs on the index of the sentence alone, so counts of parts add up.
 * The score of one sentence is the mean over all references, each 0 among the counts taken as 1. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "trainer/metric/quality/gleu.h"
#include "trainer/metric/quality/ngrams.h"
#include "trainer/metric/quality/quality.h"
#include "trainer/metric/quality/twister.h"

enum { ORDER = 4, ITERATIONS = 500, SEED_STEP = 101 };

typedef struct Stats {
    int64_t hypothesis, reference, match[ORDER], total[ORDER];
} Stats;

enum { STATS = sizeof(Stats) / sizeof(int64_t) };

static const char *const draws[] = {"python2", "python3", NULL};

const char *gleu_draw_name(int i) { return draws[i]; }

typedef struct Draws {
    int64_t next; /* sentence */
    Twister twister[ITERATIONS];
} Draws;

static Status open(Quality *q, Arena *arena)
{
    Draws *d;
    if (q->option.sentence) return OK;
    TRY_NEW(d, arena, 1);
    d->next = INT64_MAX;
    q->state = d;
    return OK;
}

static uint32_t draw_one(const Quality *q, Twister *t)
{
    const uint32_t n = (uint32_t)q->references;
    return strcmp(q->option.draw, "python3") == 0 ? twister_below(t, n) : (uint32_t)(twister_real(t) * n);
}

/* The references that all iterations have for this sentence. */
static void draw(const Quality *q, int64_t sentence, uint32_t reference[ITERATIONS])
{
    Draws *d = q->state;
    if (sentence < d->next) {
        for (uint32_t j = 0; j < ITERATIONS; j++) twister_seed(&d->twister[j], j * SEED_STEP);
        d->next = 0;
    }
    for (; d->next <= sentence; d->next++)
        for (int j = 0; j < ITERATIONS; j++) reference[j] = draw_one(q, &d->twister[j]);
}

static int64_t counters(const Quality *q) { return STATS * (q->option.sentence ? q->references : ITERATIONS); }

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* text: the hypothesis, the references, the source last. */
static Status compare(const Quality *q, Arena *scratch, const NgramText *text, Stats *s)
{
    const int last = 1 + q->references;
    Ngrams g;
    TRY(ngrams_open(&g, scratch, last + 1, text));
    for (int n = 0; n < ORDER; n++) {
        int64_t count[2 + QUALITY_REFERENCES];
        ngrams_next(&g);
        while (ngrams_count(&g, count))
            for (int r = 0; r < q->references; r++)
                s[r].match[n] += count[1 + r] > 0 ? least(count[0], count[1 + r]) : -least(count[0], count[last]);
        for (int r = 0; r < q->references; r++) {
            if (s[r].match[n] < 0) s[r].match[n] = 0;
            s[r].total[n] = ngrams_total(text[0].n, n + 1);
        }
    }
    for (int r = 0; r < q->references; r++) {
        s[r].hypothesis = text[0].n;
        s[r].reference = text[1 + r].n;
    }
    return OK;
}

static void accumulate(Stats *sum, const Stats *s)
{
    sum->hypothesis += s->hypothesis;
    sum->reference += s->reference;
    for (int n = 0; n < ORDER; n++) {
        sum->match[n] += s->match[n];
        sum->total[n] += s->total[n];
    }
}

static Status add(const Quality *q, int64_t *count, const QualityPair *p, Arena *scratch)
{
    Stats s[QUALITY_REFERENCES] = {{0}}, *sum = (Stats *)(void *)count;
    Tokens tokens[2 + QUALITY_REFERENCES];
    NgramText text[2 + QUALITY_REFERENCES];
    const int texts = 2 + q->references;
    for (int t = 0; t < texts; t++) {
        const Word *w = t == 0 ? &p->hypothesis : t <= q->references ? &p->reference[t - 1] : &p->source;
        TRY(tokenize_bytes(w, q->option.lowercase, scratch, &tokens[t]));
    }
    TRY(ngrams_intern(scratch, texts, tokens, text));
    TRY(compare(q, scratch, text, s));
    if (q->option.sentence) {
        for (int r = 0; r < q->references; r++) accumulate(&sum[r], &s[r]);
        return OK;
    }
    uint32_t reference[ITERATIONS] = {0};
    draw(q, p->index, reference);
    for (int j = 0; j < ITERATIONS; j++) accumulate(&sum[j], &s[reference[j]]);
    return OK;
}

/* smooth: a count of 0 is taken as 1. */
static double gleu(const Stats *s, bool smooth)
{
    Stats c;
    int64_t count[STATS];
    memcpy(count, s, sizeof count);
    for (int i = 0; i < STATS; i++) {
        if (count[i] == 0 && !smooth) return 0;
        if (count[i] == 0) count[i] = 1;
    }
    memcpy(&c, count, sizeof c);
    double sum = 0;
    for (int n = 0; n < ORDER; n++) sum += log((double)c.match[n] / (double)c.total[n]);
    const double brevity = 1 - (double)c.reference / (double)c.hypothesis;
    return exp((brevity < 0 ? brevity : 0) + sum / ORDER);
}

static Status report(const Quality *q, const int64_t *count, QualityReport *out)
{
    const double NORMAL_95 = 1.959963984540054; /* the quantile 0.975 of the normal distribution */
    const Stats *s = (const Stats *)(const void *)count;
    const int n = q->option.sentence ? q->references : ITERATIONS;
    double mean = 0, squares = 0;
    for (int i = 0; i < n; i++) mean += gleu(&s[i], q->option.sentence);
    mean /= n;
    for (int i = 0; i < n; i++) squares += pow(gleu(&s[i], q->option.sentence) - mean, 2);
    const double deviation = sqrt(squares / n);
    QualityItem *item;
    TRY(quality_item(out, &item, "GLEU", mean, 6));
    snprintf(item->signature, sizeof item->signature, "nrefs:%d|case:%s|draw:%s|%s", q->references,
             q->option.lowercase ? "lc" : "mixed", q->option.sentence ? "all" : q->option.draw, quality_version);
    snprintf(item->detail, sizeof item->detail, "(std = %.6f 95%% = %.3f to %.3f)", deviation,
             mean - NORMAL_95 * deviation, mean + NORMAL_95 * deviation);
    return OK;
}

const QualityDef quality_gleu = {
    .name = "gleu",
    .help = "GLEU of corrected sentences against source and references (Napoles 2015, 2016), as JFLEG's script.",
    .source = true,
    .open = open,
    .counters = counters,
    .add = add,
    .report = report,
};
