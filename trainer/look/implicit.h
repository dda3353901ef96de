/* implicit.h - what an output hangs on, for every model, with attention or without: its gradient with respect to the
 * vector of each input word.
 *
 *   jacobian          |d y / d x_i|_2           how far y moves when the word's vector does
 *   input_x_gradient  x_i . d y / d x_i         what the word adds to y, to first order; it has a sign
 * y is what the task says (task_scalar): the predicted class's logit, or for each target word its log p. Where a word
 * has several vectors, of several tables, they are taken as one long vector. */
#ifndef TRAINER_LOOK_IMPLICIT_H
#define TRAINER_LOOK_IMPLICIT_H
#include "io/attention/attention.h"
#include "trainer/session/session.h"

enum { IMPLICIT_VIEWS = 4 };

/* b holds one example, e its fields; e->view has room for IMPLICIT_VIEWS more, in arena. */
NODISCARD Status implicit_views(Session *s, const Batch *b, AttentionMeasure measure, Arena *arena,
                                AttentionExample *e);
/* For the field of that role: y_j by word i, (outputs, words); outputs are 1, or the target's words and its end. */
NODISCARD Status implicit_field(const Task *task, Model *m, uint64_t seed, const Batch *b, Role role,
                                AttentionMeasure measure, Arena *scratch, int64_t *outputs, const double **value);

#endif
