/* counts.c - counters of all metrics side by side, summed over the ranks as exact integers. */
#include <string.h>

#include "trainer/metric/metric.h"

Status counts_open(Counts **out, Arena *arena, int64_t n)
{
    Counts *c;
    TRY_NEW(c, arena, 1);
    c->n = n;
    TRY_NEW(c->value, arena, n);
    *out = c;
    return OK;
}

void counts_clear(Counts *c) { memset(c->value, 0, (size_t)c->n * sizeof *c->value); }

Status counts_reduce(Counts *c, Comm *comm) { return comm_allreduce(comm, c->value, (size_t)c->n, COMM_I64, COMM_SUM); }
