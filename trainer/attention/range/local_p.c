/* local_p.c - positions |j - p| <= D around p = S sigmoid(v . tanh(W s)), which the query predicts (Luong 2015).
 *
 * The engine multiplies the weights by exp(-(j - p)^2 / (2 sigma^2)), sigma = D / 2, which gives p its gradient; the
 * ends of the window give none. As p lies in [0,S] and D >= 1, the window of a source with positions is never empty. */
#include <math.h>
#include <string.h>

#include "trainer/attention/range/range.h"
#include "trainer/core/blas.h"

enum { W, V };

static const Field fields[] = {RANGE_WINDOW(WindowSettings)};

typedef struct Own {
    Panel ask, back;
    real *hidden;   /* (slots,m) tanh(W s) */
    real *d_hidden; /* (slots,m) before the tanh */
} Own;

static Status param(Range *r, Params *ps, int i, const char *path, const char *name, Shape shape, ParamInit init,
                    double scale, const char *meaning)
{
    const char *full = arena_format(ps->arena, "%s/%s", path, name);
    if (!full) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    TRY(param_add(&r->p[i], ps, full, shape, init, scale));
    r->p[i]->meaning = meaning;
    return OK;
}

static Status build(Range *r, Params *ps, const char *path)
{
    const int64_t m = r->query;
    TRY(param(r, ps, W, path, "W_position", SHAPE2(m, m), INIT_XAVIER, 1, "query to hidden: rows are inputs"));
    return param(r, ps, V, path, "v_position", SHAPE1(m), INIT_NORMAL, 0.1, "hidden to the place of the window");
}

static Status open(RangeRun *r)
{
    const int64_t m = r->range->query;
    Own *own;
    TRY_NEW(own, r->arena, 1);
    r->own = own;
    TRY_NEW(own->hidden, r->arena, r->slots * m);
    if (r->backward) TRY_NEW(own->d_hidden, r->arena, r->slots * m); /* 0 where a slot is never used */
    TRY(panel_pack(&own->ask, r->arena, r->range->p[W]->value, false, m, m));
    return r->backward ? panel_pack(&own->back, r->arena, r->range->p[W]->value, true, m, m) : OK;
}

static void window(int64_t S, int64_t D, double p, int64_t *first, int64_t *n)
{
    const double low = ceil(p - (double)D), high = floor(p + (double)D);
    *first = low > 0 ? (int64_t)low : 0;
    const int64_t last = high < (double)S - 1 ? (int64_t)high : S - 1;
    *n = last - *first + 1; /* 0 for S = 0 */
}

static void forward(RangeRun *r, const RangeBlock *b)
{
    const int64_t m = r->range->query;
    const Own *own = r->own;
    real *hidden = own->hidden + b->slot * m, *p = r->centre + b->slot;
    panel_gemm(b->rows, b->query, b->ld_query, &own->ask, 0, hidden, m);
    kernels()->tanh(b->rows * m, hidden, hidden);
    for (int64_t i = 0; i < b->rows; i++) {
        const int64_t S = range_keys(r, b, i);
        const real a = kernels()->dot(m, hidden + i * m, r->range->p[V]->value);
        kernels()->sigmoid(1, &a, &p[i]);
        p[i] *= (real)S;
        window(S, range_window(r->range), (double)p[i], &b->first[i], &b->n[i]);
    }
}

/* With p = S y, y = sigmoid(a): da = dp p (1 - p / S), dhidden = da v (1 - hidden^2), dv += da hidden */
static void backward(RangeRun *r, const RangeBlock *b)
{
    const int64_t m = r->range->query;
    const Own *own = r->own;
    const real *v = r->range->p[V]->value;
    for (int64_t i = 0; i < b->rows; i++) {
        const real *hidden = own->hidden + (b->slot + i) * m, p = r->centre[b->slot + i];
        real *d = own->d_hidden + (b->slot + i) * m;
        const int64_t S = range_keys(r, b, i);
        const real da = S > 0 ? b->d_centre[i] * p * (1 - p / (real)S) : 0;
        for (int64_t c = 0; c < m; c++) d[c] = da * v[c] * (1 - hidden[c] * hidden[c]);
        kernels()->axpy(m, da, hidden, r->range->p[V]->grad);
    }
    panel_gemm(b->rows, own->d_hidden + b->slot * m, m, &own->back, 1, b->d_query, b->ld_query);
}

static Status finish(RangeRun *r)
{
    const int64_t m = r->range->query;
    const Own *own = r->own;
    blas_gemm(true, false, m, m, r->slots, 1, r->query, m, own->d_hidden, m, 1, r->range->p[W]->grad, m);
    return OK;
}

const RangeDef range_local_p = {
    .component = {.name = "local_p",
                  .help = "a window at a predicted place, weights times a Gaussian around it.",
                  .source = "Luong 2015",
                  ROWS(fields, WindowSettings)},
    .window = true,
    .gaussian = true,
    .build = build,
    .open = open,
    .forward = forward,
    .backward = backward,
    .finish = finish};
