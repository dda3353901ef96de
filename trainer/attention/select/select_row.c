/* select_row.c - what several selections do with a row: its largest score, a one-hot answer, the scores in order. */
#include "trainer/attention/select/select.h"

#include <string.h>

int64_t select_largest(int64_t n, const real *x)
{
    int64_t best = 0;
    for (int64_t i = 1; i < n; i++)
        if (x[i] > x[best]) best = i;
    return best;
}

void select_one(int64_t n, int64_t chosen, real *weight)
{
    memset(weight, 0, (size_t)n * sizeof *weight);
    weight[chosen] = 1;
}

/* Heap sort: in place, and n log n whatever the order. The smallest is on top, so that the largest come first. */
static void sink(real *x, int64_t top, int64_t n)
{
    const real value = x[top];
    for (int64_t child; (child = 2 * top + 1) < n; top = child) {
        if (child + 1 < n && x[child + 1] < x[child]) child++;
        if (!(x[child] < value)) break;
        x[top] = x[child];
        x[top = child] = value;
    }
}

static void descend(real *x, int64_t n)
{
    for (int64_t i = n / 2; i-- > 0;) sink(x, i, n);
    for (int64_t last = n - 1; last > 0; last--) {
        const real smallest = x[0];
        x[0] = x[last];
        x[last] = smallest;
        sink(x, 0, last);
    }
}

int64_t select_descending(int64_t n, const real *x, real reach, real *out)
{
    const real top = x[select_largest(n, x)];
    int64_t found = 0;
    for (int64_t i = 0; i < n; i++)
        if (!(x[i] - top <= -reach)) out[found++] = x[i] - top; /* a NaN stays, to be seen in the result */
    descend(out, found);
    return found;
}
