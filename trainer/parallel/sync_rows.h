/* sync_rows.h - gradients kept as rows, summed over the ranks.
 *
 * Each rank sends the rows it has; all ranks add them in the order of the ranks, so all get the same bits. */
#ifndef TRAINER_PARALLEL_SYNC_ROWS_H
#define TRAINER_PARALLEL_SYNC_ROWS_H
#include "trainer/core/params.h"

/* [collective] For every table with as_rows: its rows = sum over ranks of their rows / weight (the sum itself when
 * weight is 0). Uses of a table in the same step are merged first. Memory from step, until the step ends. The same
 * failure on every rank. */
NODISCARD Status sync_rows(Comm *c, Params *ps, int64_t weight, Arena *step);

/* ids[r][0..n[r]) ascending, each id once in a list, with grad[r] (n[r],D): out = the union of the lists, ascending,
 * each row the sum over the lists that have it in the order of the lists, times scale. V: ids are below it. No
 * collective. ids and rows of out hold room for all of them; slot (V) is overwritten. */
void sync_rows_merge(int lists, const int64_t *n, const int32_t *const *ids, const real *const *grad, int64_t D,
                     real scale, int64_t V, int32_t *slot, ParamRows *out, int32_t *out_row);

#endif
