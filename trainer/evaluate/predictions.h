/* predictions.h - every example of an evaluation with truth, guess, loss and probability, for people who look for what
 * goes wrong. The same bytes on any number of ranks.
 *
 * A guess is a class, a list (labels, tags, words: of decoded ones where eval.decode asks for them, else each given the
 * true words before it) or numbers. Its probability is that of the whole of it; words have none. The loss is the mean
 * over what the example's loss is a mean over. Examples are counted from 0 in the order of the corpus. */
#ifndef TRAINER_EVALUATE_PREDICTIONS_H
#define TRAINER_EVALUATE_PREDICTIONS_H
#include "trainer/session/session.h"

typedef enum PredictionsForm { PREDICTIONS_CSV, PREDICTIONS_JSON } PredictionsForm;

typedef struct Predictions {
    Session *s;
    TaskListener guessed, decoded; /* to be asked while the split is read */
    Buffer mine;                   /* records of this rank */
} Predictions;

void predictions_open(Predictions *p, Session *s);
void predictions_close(Predictions *p);
/* [collective] All examples as rows of CSV or lines of JSON, appended to out on rank 0: in their order, or with `worst`
 * by their loss, the largest first. */
NODISCARD Status predictions_write(const Predictions *p, PredictionsForm form, bool worst, Buffer *out);

#endif
