/* attend_table.c - which scores, selections, ranges and places of application go together. */
#include <stddef.h>
#include <string.h>

#include "trainer/attention/attend.h"

static const char *const apply_name[] = {"between", "after", NULL};
static const char *const apply_help[] = {
    "the state before the step asks, the context enters the step (Bahdanau 2015)",
    "the state after the step asks, tanh(W [context ; state]) makes the prediction (Luong 2015)",
};

const char *attend_apply_name(int i) { return apply_name[i]; }
const char *attend_apply_help(int i) { return apply_help[i]; }

/* Every score is a function of query and key, every range a window, every selection a function of the scores in the
 * window, and both places of application have a query: all go together but for one thing. A draw from the softmax of
 * scores that lie in an interval of length d gives no position more than e^d times the probability of another, however
 * long it learns: with e^1 (mlp) the best of 20 positions is taken at most every eighth time, with e^2 (multi_dim)
 * every fourth. */
const char *attend_refuses(const char *score, const char *select, const char *range, const char *apply)
{
    const ScoreDef *s = score_find(score);
    const SelectDef *how = select_find(select);
    (void)range, (void)apply; /* nothing hangs on them so far */
    if (!s || !how || s->most_apart == 0 || !how->draws) return NULL;
    return s->most_apart <= 1
               ? "a draw stays near chance: scores between 0 and 1 make no position more than e times as "
                 "likely as another"
               : "a draw stays near chance: scores between -1 and 1 make no position more than e^2 "
                 "times as likely as another";
}

const char *attend_refuses_coverage(const char *score)
{
    const ScoreDef *s = score_find(score);
    return !s || s->steps->hidden ? NULL : "it enters the hidden layer of a score, and this one has none";
}
