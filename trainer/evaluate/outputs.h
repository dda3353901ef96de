/* outputs.h - the measures of what a model makes by itself, beside the loss of what it is given: the task says which
 * (its outputs). Their names begin with decoded/. A word that the vocabulary of the corpus
 * lacks is never right. */
#ifndef TRAINER_EVALUATE_OUTPUTS_H
#define TRAINER_EVALUATE_OUTPUTS_H
#include "trainer/decode/decode.h"
#include "trainer/session/session.h"

/* How a word of the corpus is spelled that its vocabulary lacks, where texts are compared: it equals nothing that a model
 * can write. Rare words are long: so many characters are counted for measures of characters. */
extern const char outputs_never_right[];

typedef struct Outputs {
    Session *s;
    DecodeSettings set;
    MetricSet metrics;
    Counts *counts;
    const TaskListener *listener; /* hears of each output that is compared; NULL: nobody listens */
} Outputs;

/* *out is NULL when the settings ask for none. Memory from the session's run arena. */
NODISCARD Status outputs_open(Outputs **out, Session *s);
NODISCARD Status outputs_measure(Outputs *o, const Batch *b);
/* The words of ids of the input or the target, from the session's step arena; unknown: how the unknown one is spelled. */
NODISCARD Status outputs_tokens(Session *s, Role role, const GenerateWords *w, const char *unknown, Word **out);
GenerateWords outputs_words(const Ragged *r, int64_t example); /* of a sequence */
/* From the counts of all ranks. */
NODISCARD Status outputs_report(const Outputs *o, Measures *m);

#endif
