/* samples.h - what a model of sequences makes of the first examples of a split: greedily, as plain text, measured
 * (greedy/bleu and greedy/chrf, as sacreBLEU measures text) and shown. A few examples, so that it costs little. */
#ifndef TRAINER_EVALUATE_SAMPLES_H
#define TRAINER_EVALUATE_SAMPLES_H
#include "trainer/session/session.h"

typedef struct Sample {
    int64_t example;                      /* its number in the split */
    const char *source, *target, *output; /* source "": it is no text */
} Sample;

typedef struct Samples {
    int64_t n; /* at most eval.shown, ascending by example */
    Sample *item;
} Samples;

/* Does this model make sequences, and do the settings ask for them? */
bool samples_wanted(const Session *s);
/* Its measures, from an evaluation of nothing. */
NODISCARD Status samples_names(Session *s, Measures *out);
/* [collective] The same on all ranks, whatever their number. Adds to m; out lies in keep. */
NODISCARD Status samples_make(Session *s, const char *split, Measures *m, Arena *keep, Samples *out);

#endif
