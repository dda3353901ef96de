/* evaluate.h - the measures of a split: each example once, whatever the ranks, the batch size or the order. */
#ifndef TRAINER_EVALUATE_EVALUATE_H
#define TRAINER_EVALUATE_EVALUATE_H
#include "trainer/evaluate/predictions.h"

/* What an evaluation tells beside its measures. */
typedef struct EvaluateDetails {
    Arena *keep;              /* where classes lie */
    Classes classes;          /* out: none where the task names none */
    Predictions *predictions; /* open; NULL: not wanted */
} EvaluateDetails;

/* [collective] *stopped: a signal came on some rank, and the measures are not complete. details may be NULL. */
NODISCARD Status evaluate_split(Session *s, const char *split, int64_t batch, Measures *out, EvaluateDetails *details,
                                bool *stopped);

/* The measures that it will report, from an evaluation of nothing. */
NODISCARD Status evaluate_names(Session *s, Measures *out);

/* Forward without dropout and noise, over one batch; watch keeps the attention views. */
NODISCARD Status evaluate_forward(Session *s, const Batch *b, bool watch, Tape *t, Prediction *out);

#endif
