/* outputs.h - the measures of what a model of sequences makes by itself, beside the loss of what it is given.
 *
 *   decoded/exact   share of the examples whose output is the target word for word
 *   decoded/bleu    BLEU of words, without subwords and without any further tokenisation
 *   decoded/length  words of the outputs to those of the targets
 *   decoded/cut     share of outputs that had to be cut
 *   decoded/aer     alignment error of the attention when it makes the target itself, where the corpus has gold links:
 *                   each target word is linked to the source word that its tokens looked at most
 * Everything is counted in integers, so that no figure depends on ranks or batches. An unknown word is never right. */
#ifndef TRAINER_EVALUATE_OUTPUTS_H
#define TRAINER_EVALUATE_OUTPUTS_H
#include "trainer/decode/decode.h"
#include "trainer/metric/quality/quality.h"
#include "trainer/session/session.h"

typedef struct Outputs {
    Session *s;
    DecodeSettings set;
    Quality bleu;
    Counts *counts;
} Outputs;

/* *out is NULL when the settings ask for none. Memory from the session's run arena. */
NODISCARD Status outputs_open(Outputs **out, Session *s);
NODISCARD Status outputs_measure(Outputs *o, const Batch *b);
/* From the counts of all ranks. */
NODISCARD Status outputs_report(const Outputs *o, Measures *m);

#endif
