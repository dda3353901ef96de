/* errors.c - how far guessed numbers are from the true ones: mean of the squares and mean of the sizes, over all
 * numbers of all examples. */
#include <math.h>

#include "trainer/metric/exact.h"
#include "trainer/metric/metric.h"

enum { SQUARES, SIZES = EXACT_COUNTERS, NUMBERS = 2 * EXACT_COUNTERS, COUNTERS };

static int64_t counters(const Metric *m)
{
    (void)m;
    return COUNTERS;
}

static Status add(const Metric *m, int64_t *count, const MetricExample *e, Arena *scratch)
{
    (void)m, (void)scratch;
    for (int64_t i = 0; i < e->truth.n; i++) {
        const double d = e->guess.value[i] - e->truth.value[i];
        exact_add(count + SQUARES, d * d);
        exact_add(count + SIZES, fabs(d));
    }
    count[NUMBERS] += e->truth.n;
    return OK;
}

static Status report(const Metric *m, const int64_t *count, Measures *out)
{
    const double n = count[NUMBERS] ? (double)count[NUMBERS] : (double)NAN;
    (void)m;
    TRY(measures_add(out, "mean_squared_error", exact_value(count + SQUARES) / n, false));
    return measures_add(out, "mean_absolute_error", exact_value(count + SIZES) / n, false);
}

const MetricDef metric_errors = {
    .name = "errors",
    .help = "Mean squared and mean absolute error of numbers.",
    .counters = counters,
    .add = add,
    .report = report,
};
