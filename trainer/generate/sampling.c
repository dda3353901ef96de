/* sampling.c - scheduled sampling (Bengio 2015): the word before a position is the true one or the model's own.
 *
 * A coin for each position says which. A pass without gradients, in which nothing is dropped, makes the model's words;
 * the words that result are the inputs of the ordinary pass. No gradient goes through the choice, as in the paper. */
#include "trainer/generate/sampling.h"

#include <math.h>

enum { NONE, LINEAR, EXPONENTIAL, INVERSE_SIGMOID };

static const char *own_name(int i) { return (const char *const[]){"sample", "argmax", NULL}[i]; }

#define ROW(member, ...) FIELD(SamplingSettings, member, __VA_ARGS__)
#define ROWS_OF(k, says)                                                                                               \
    ROW(rate, .preset = (k), .min = 0, .max = 1e9, .help = (says)),                                                    \
        ROW(least, .preset = "0", .min = 0, .max = 1, .help = "The chance falls no lower."),                           \
        ROW(start, .preset = "0", .min = 0, .max = 1e12, .unit = "steps", .help = "Steps before it begins to fall."),  \
        ROW(choose, .preset = "sample", .choice = own_name,                                                            \
            .help = "The model's own word: drawn by its probability, or the most likely.")

static const Field linear[] = {ROWS_OF("0.0001", "k of the chance 1 - k i after i steps.")};
static const Field exponential[] = {ROWS_OF("0.9999", "k of the chance k^i after i steps: above 0 and below 1.")};
static const Field inverse_sigmoid[] = {
    ROWS_OF("1000", "k of the chance k / (k + exp(i / k)) after i steps: at least 1.")};

static const Component decays[] = {
    [NONE] = {.name = "none", .help = "The word before is always the true one."},
    [LINEAR] = {.name = "linear", .help = "The chance of the true word falls evenly.", ROWS(linear, SamplingSettings)},
    [EXPONENTIAL] = {.name = "exponential",
                     .help = "The chance of the true word is multiplied by the same at each step.",
                     ROWS(exponential, SamplingSettings)},
    [INVERSE_SIGMOID] = {.name = "inverse_sigmoid",
                         .help = "The chance of the true word falls late, then fast, then slowly.",
                         ROWS(inverse_sigmoid, SamplingSettings)},
};

const Component *sampling_choice(int i) { return i < COUNT(decays) ? &decays[i] : NULL; }

bool sampling_samples(Chosen c) { return c.def != &decays[NONE]; }

Status sampling_check(Chosen c)
{
    const SamplingSettings *s = c.settings;
    REQUIRE(c.def != &decays[EXPONENTIAL] || (s->rate > 0 && s->rate < 1), ERR_CONFIG,
            "sampling exponential: rate must be above 0 and below 1, not %g", s->rate);
    REQUIRE(c.def != &decays[INVERSE_SIGMOID] || s->rate >= 1, ERR_CONFIG,
            "sampling inverse_sigmoid: rate must be at least 1, not %g", s->rate);
    return OK;
}

double sampling_teacher_share(Chosen c, uint64_t step)
{
    const SamplingSettings *s = c.settings;
    if (!sampling_samples(c)) return 1;
    const double i = step > (uint64_t)s->start ? (double)(step - (uint64_t)s->start) : 0;
    const double k = s->rate;
    double share = 1;
    if (c.def == &decays[LINEAR]) share = 1 - k * i;
    if (c.def == &decays[EXPONENTIAL]) share = pow(k, i);
    if (c.def == &decays[INVERSE_SIGMOID]) share = k / (k + exp(i / k));
    return fmax(share, s->least);
}

/* The most likely word, or one drawn by its probability: uniform u in [0, 1). */
static int32_t choose(int64_t V, const real *logit, bool most_likely, double u)
{
    int64_t best = 0;
    for (int64_t v = 1; v < V; v++)
        if (logit[v] > logit[best]) best = v;
    if (most_likely) return (int32_t)best;
    double sum = 0, below = 0;
    for (int64_t v = 0; v < V; v++) sum += exp((double)(logit[v] - logit[best]));
    for (int64_t v = 0; v < V; v++) {
        below += exp((double)(logit[v] - logit[best]));
        if (below > u * sum) return (int32_t)v;
    }
    return (int32_t)best;
}

typedef struct Sampling {
    const SamplingSettings *set;
    const Memory *memory;
    WriterPositions *target;
    int64_t V;
    RandomKey coin, draw;
    double teacher;
    WriterSteps *steps;
    int32_t *sentence, *parent, *word; /* (B) rows of a step */
} Sampling;

/* After step t: the inputs of step t + 1, where the coin says so. */
static void replace(const Sampling *s, int64_t t, int64_t rows, const real *logits)
{
    const int64_t *offset = s->target->seq.offset;
    const bool most_likely = s->set->choose == SAMPLING_LIKELIEST;
    for (int64_t i = 0; i < rows; i++) {
        const int64_t at = offset[s->sentence[i]] + t + 1;
        const uint64_t key = op_row_key((int64_t)s->memory->key[s->sentence[i]], t + 1);
        if (at >= offset[s->sentence[i] + 1] || random_uniform(s->coin, key, 0) < s->teacher) continue;
        s->target->input[at] =
            choose(s->V, logits + i * s->V, most_likely, most_likely ? 0 : random_uniform(s->draw, key, 0));
    }
}

/* Rows of step t from those of the step before: sequences that have a position there. */
static int64_t rows_at(const Sampling *s, int64_t t, int64_t before)
{
    const int64_t *offset = s->target->seq.offset;
    int64_t rows = 0;
    for (int64_t i = 0; i < before; i++) {
        const int32_t e = t > 0 ? s->sentence[i] : (int32_t)i;
        if (offset[e] + t >= offset[e + 1]) continue;
        s->sentence[rows] = e;
        s->parent[rows] = (int32_t)i;
        s->word[rows++] = s->target->input[offset[e] + t];
    }
    return rows;
}

static Status sample(Sampling *s, int64_t longest)
{
    int64_t rows = s->memory->n;
    for (int64_t t = 0; t + 1 < longest; t++) { /* the last step's word is no input */
        rows = rows_at(s, t, rows);
        const GenerateStep step = {
            .rows = rows, .step = t, .sentence = s->sentence, .parent = t > 0 ? s->parent : NULL, .word = s->word};
        GenerateOut out;
        TRY(writer_step(s->steps, &step, &out));
        replace(s, t, rows, out.logits);
    }
    return OK;
}

/* The pass is one of its own: what it leaves on a tape goes with its memory. */
Status sampling_replace(Chosen sampling, const Writer *w, Tape *t, const Memory *m, WriterPositions *positions)
{
    Sampling s = {.set = sampling.settings, .memory = m, .target = positions, .V = w->w->shape.d[0]};
    s.teacher = sampling_teacher_share(sampling, t->step);
    s.coin = tape_random(t, RANDOM_SELECT);
    s.draw = tape_random(t, RANDOM_SELECT);
    if (s.teacher >= 1) return OK;
    int64_t longest = 0;
    for (int64_t i = 0; i < m->n; i++) {
        const int64_t n = positions->seq.offset[i + 1] - positions->seq.offset[i];
        longest = n > longest ? n : longest;
    }
    const ArenaMark mark = arena_mark(t->arena);
    Tape pass = *t;
    TRY(writer_open(&s.steps, w, &pass, m, m->n));
    TRY_NEW(s.sentence, t->arena, m->n);
    TRY_NEW(s.parent, t->arena, m->n);
    TRY_NEW(s.word, t->arena, m->n);
    const Status st = sample(&s, longest);
    arena_release(t->arena, mark);
    return st;
}
