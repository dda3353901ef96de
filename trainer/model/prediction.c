/* prediction.c - the kinds by name, and the loss for those who learn from it. */
#include "trainer/model/prediction.h"

#include <stddef.h>

const char *prediction_names(int kinds)
{
    static const char *const name[] = {"classes", "labels", "candidates", "tags", "words", "values"};
    if (kinds == (PREDICTION_CLASSES | PREDICTION_LABELS)) return "classes or labels";
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if (kinds == 1 << i) return name[i];
    return "one of several kinds";
}

void prediction_reward(const Prediction *p, Tape *t, const real *loss)
{
    if (p->reward) p->reward(t, p->context, loss);
}
