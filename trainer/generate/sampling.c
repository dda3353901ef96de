/* sampling.c - scheduled sampling (Bengio 2015): the word before a position is the true one or the model's own.
 *
 * A coin for each position says which. A pass without gradients, in which nothing is dropped, makes the model's words;
 * the words that result are the inputs of the ordinary pass. No gradient goes through the choice, as in the paper. */
#include "trainer/generate/sampling.h"

#include <math.h>
#include <string.h>

enum { NONE, LINEAR, EXPONENTIAL, INVERSE_SIGMOID };
static const char *const decays[] = {
    [NONE] = "none", [LINEAR] = "linear", [EXPONENTIAL] = "exponential", [INVERSE_SIGMOID] = "inverse_sigmoid", NULL};

const char *sampling_name(int i) { return decays[i]; }
const char *sampling_choose_name(int i) { return (const char *const[]){"sample", "argmax", NULL}[i]; }

static int decay_of(const SamplingSettings *s)
{
    int i = 0;
    while (strcmp(decays[i], s->decay) != 0) i++;
    return i;
}

static double rate_of(const SamplingSettings *s)
{
    static const double own[] = {[LINEAR] = 1e-4, [EXPONENTIAL] = 0.9999, [INVERSE_SIGMOID] = 1000};
    return s->rate > 0 ? s->rate : own[decay_of(s)];
}

Status sampling_check(const SamplingSettings *s)
{
    const double k = rate_of(s);
    const int decay = decay_of(s);
    REQUIRE(decay != EXPONENTIAL || k < 1, ERR_CONFIG,
            "sampling exponential: sampling_rate must be above 0 and below 1, not %g", k);
    REQUIRE(decay != INVERSE_SIGMOID || k >= 1, ERR_CONFIG,
            "sampling inverse_sigmoid: sampling_rate must be at least 1, not %g", k);
    return OK;
}

double sampling_teacher_share(const SamplingSettings *s, uint64_t step)
{
    const double i = step > (uint64_t)s->start ? (double)(step - (uint64_t)s->start) : 0;
    const double k = rate_of(s);
    const int decay = decay_of(s);
    double share = 1;
    if (decay == LINEAR) share = 1 - k * i;
    if (decay == EXPONENTIAL) share = pow(k, i);
    if (decay == INVERSE_SIGMOID) share = k / (k + exp(i / k));
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
    const bool most_likely = strcmp(s->set->choose, "argmax") == 0;
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
Status sampling_replace(const SamplingSettings *set, const Writer *w, Tape *t, const Memory *m,
                        WriterPositions *positions)
{
    Sampling s = {.set = set, .memory = m, .target = positions, .V = w->w->shape.d[0]};
    s.teacher = sampling_teacher_share(set, t->step);
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
