/* clip.c - by norm and by value. */
#include "trainer/core/clip.h"

#include <math.h>
#include <string.h>

#include "trainer/core/kernel.h"

static int64_t row_width(const Param *p) { return p->shape.d[p->shape.n - 1]; }

void clip_zero_rows(Params *ps)
{
    for (int i = 0; i < ps->n; i++) {
        const Param *p = ps->item[i];
        if (p->zero_row && p->grad) memset(p->grad, 0, (size_t)row_width(p) * sizeof *p->grad);
    }
}

/* Where the rows of a padded table start that count: row 0 may be there, but gets no gradient. */
static int64_t first_row(const Param *p) { return p->zero_row && p->rows->n && p->rows->row[0] == 0 ? 1 : 0; }

typedef void (*Visit)(void *context, real *g, int64_t n);

static void each_run(Params *ps, Visit visit, void *context)
{
    clip_zero_rows(ps);
    visit(context, ps->grad, ps->learnt);
    for (int i = 0; i < ps->n; i++) {
        const Param *p = ps->item[i];
        if (p->frozen || !p->as_rows || !p->rows) continue;
        const int64_t first = first_row(p), width = row_width(p);
        visit(context, p->rows->grad + first * width, (p->rows->n - first) * width);
    }
}

static void add_squares(void *context, real *g, int64_t n) { *(double *)context += kernels()->sum_squares(n, g); }

static void scale(void *context, real *g, int64_t n) { kernels()->scale(n, *(const real *)context, g); }

static void bound(void *context, real *g, int64_t n)
{
    const real max = *(const real *)context;
    for (int64_t i = 0; i < n; i++) g[i] = g[i] > max ? max : g[i] < -max ? -max : g[i];
}

double clip_norm_of(Params *ps)
{
    double sum = 0;
    each_run(ps, add_squares, &sum);
    return sqrt(sum);
}

double clip_norm(Params *ps, double max)
{
    const double norm = clip_norm_of(ps);
    if (!isfinite(norm) || norm <= max) return norm;
    real factor = (real)(max / norm);
    each_run(ps, scale, &factor);
    return norm;
}

void clip_value(Params *ps, double max)
{
    real limit = (real)max;
    each_run(ps, bound, &limit);
}
