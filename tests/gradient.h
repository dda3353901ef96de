/* gradient.h - gradients against central differences, in double.
 *
 * A case builds its result from leaves; the loss is the sum of the result's elements times fixed uneven factors, so
 * that no error can cancel. With h = 1e-5 the difference is good to about 1e-10 of values near 1. */
#ifndef TESTS_GRADIENT_H
#define TESTS_GRADIENT_H
#include "check.h"
#include "trainer/op/op.h"

enum { GRADIENT_LEAVES = 8 };

typedef struct GradientCase {
    int n;
    Shape shape[GRADIENT_LEAVES];
    Node *(*build)(Tape *t, Node *const *x, const void *context);
    const void *context;
    double spread; /* of the leaves' values; 0 means 1 */
} GradientCase;

static const double GRADIENT_STEP = 1e-5;

/* A number in [-1, 1) that looks random. */
static inline real gradient_number(uint64_t i)
{
    i = (i + 1) * 0x9e3779b97f4a7c15u;
    i = (i ^ i >> 30) * 0xbf58476d1ce4e5b9u;
    i = (i ^ i >> 27) * 0x94d049bb133111ebu;
    return (real)((double)((i ^ i >> 31) >> 11) * 0x1p-52 - 1);
}

/* sum_i f_i y_i */
static inline Node *gradient_loss(Tape *t, Node *y)
{
    const int64_t n = shape_count(&y->shape);
    real *f = tape_alloc(t, (size_t)n * sizeof *f);
    for (int64_t i = 0; f && i < n; i++) f[i] = gradient_number((uint64_t)(i + 1000));
    return op_sum(t, op_mul(t, y, tape_leaf(t, y->shape, f, NULL)));
}

static inline Tape gradient_tape(Arena *a)
{
    Tape t = tape_begin(a);
    t.train = true;
    t.seed = 5;
    return t;
}

static inline double gradient_value(Arena *a, const GradientCase *c, real *const *x)
{
    const ArenaMark mark = arena_mark(a);
    Tape t = gradient_tape(a);
    Node *leaf[GRADIENT_LEAVES];
    for (int i = 0; i < c->n; i++) leaf[i] = tape_leaf(&t, c->shape[i], x[i], NULL);
    const Node *loss = gradient_loss(&t, c->build(&t, leaf, c->context));
    CHECK_OK(tape_status(&t));
    const double value = (double)loss->value[0];
    arena_release(a, mark);
    return value;
}

static inline void gradient_compare(Arena *a, const GradientCase *c, real *const *x, real *const *dx, double tolerance)
{
    for (int i = 0; i < c->n; i++)
        for (int64_t j = 0; j < shape_count(&c->shape[i]); j++) {
            const real keep = x[i][j];
            x[i][j] = keep + (real)GRADIENT_STEP;
            const double up = gradient_value(a, c, x);
            x[i][j] = keep - (real)GRADIENT_STEP;
            const double down = gradient_value(a, c, x);
            x[i][j] = keep;
            const double want = (up - down) / (2 * GRADIENT_STEP);
            if (!(fabs((double)dx[i][j] - want) <= tolerance * fmax(1, fabs(want))))
                fail_msg("leaf %d element %lld: gradient %.12g, difference %.12g", i, (long long)j, (double)dx[i][j],
                         want);
        }
}

/* Every element of every leaf. Gradients are added twice to what is there, to see that ops add. */
static inline void gradient_check(const GradientCase *c, double tolerance)
{
    Arena a = {0};
    real *x[GRADIENT_LEAVES], *dx[GRADIENT_LEAVES];
    Tape t = gradient_tape(&a);
    Node *leaf[GRADIENT_LEAVES];
    for (int i = 0; i < c->n; i++) {
        const int64_t n = shape_count(&c->shape[i]);
        x[i] = arena_zeros(&a, n, sizeof(real));
        dx[i] = arena_zeros(&a, n, sizeof(real));
        CHECK(x[i] && dx[i], "out of memory");
        for (int64_t j = 0; j < n; j++) {
            x[i][j] = (real)(c->spread > 0 ? c->spread : 1) * gradient_number((uint64_t)(j + 100 * i));
            dx[i][j] = 7;
        }
        leaf[i] = tape_leaf(&t, c->shape[i], x[i], dx[i]);
    }
    CHECK_OK(tape_backward(&t, gradient_loss(&t, c->build(&t, leaf, c->context)), 1));
    for (int i = 0; i < c->n; i++)
        for (int64_t j = 0; j < shape_count(&c->shape[i]); j++) dx[i][j] -= 7;
    gradient_compare(&a, c, x, dx, tolerance);
    arena_close(&a);
}

/* The n-th allocation fails, for every n: the tape says so, and nothing crashes. */
static inline void gradient_without_memory(const GradientCase *c)
{
    for (long n = 1;; n++) {
        Arena a = {0};
        real *x[GRADIENT_LEAVES], *dx[GRADIENT_LEAVES];
        for (int i = 0; i < c->n; i++) {
            x[i] = arena_zeros(&a, shape_count(&c->shape[i]), sizeof(real));
            dx[i] = arena_zeros(&a, shape_count(&c->shape[i]), sizeof(real));
            CHECK(x[i] && dx[i], "out of memory");
        }
        a.fail_in = n;
        Tape t = gradient_tape(&a);
        Node *leaf[GRADIENT_LEAVES];
        for (int i = 0; i < c->n; i++) leaf[i] = tape_leaf(&t, c->shape[i], x[i], dx[i]);
        Node *loss = gradient_loss(&t, c->build(&t, leaf, c->context));
        const Status st = tape_status(&t) == OK ? tape_backward(&t, loss, 1) : tape_status(&t);
        const bool reached = a.fail_in == 0;
        arena_close(&a);
        if (!reached) {
            CHECK_OK(st);
            CHECK(n > 2, "only %ld allocations", n);
            return;
        }
        CHECK(st == ERR_HOST, "allocation %ld failed, but the status is %d", n, (int)st);
    }
}

/* What a test of a model needs: the sum of losses as a function of all parameters. */
typedef Node *(*GradientModel)(Tape *t, void *context);

/* Every value of every learnt parameter; rows gradients are spread into the dense buffer first. */
static inline void gradient_check_params(Params *ps, GradientModel loss, void *context, double tolerance)
{
    Arena a = {0};
    params_zero_grad(ps);
    Tape t = gradient_tape(&a);
    CHECK_OK(tape_backward(&t, loss(&t, context), 1));
    real *dense = arena_zeros(&a, ps->dense, sizeof *dense); /* an op may add to gradients when a loss is made */
    CHECK(dense, "out of memory");
    memcpy(dense, ps->grad, (size_t)ps->dense * sizeof *dense);
    for (int i = 0; i < ps->n; i++) {
        Param *p = ps->item[i];
        if (p->frozen || p->average > 0) continue;
        real *grad = arena_zeros(&a, p->count, sizeof *grad);
        CHECK(grad, "out of memory");
        for (int64_t j = 0; !p->as_rows && j < p->count; j++) grad[j] = dense[p->grad - ps->grad + j];
        const int64_t width = p->shape.d[p->shape.n - 1];
        for (const ParamRows *r = p->rows; r; r = r->next)
            for (int64_t k = 0; k < r->n * width; k++) grad[r->row[k / width] * width + k % width] += r->grad[k];
        for (int64_t j = p->zero_row ? width : 0; j < p->count; j++) {
            double side[2];
            const real keep = p->value[j];
            for (int s = 0; s < 2; s++) {
                const ArenaMark mark = arena_mark(&a);
                p->value[j] = keep + (real)(s ? -GRADIENT_STEP : GRADIENT_STEP);
                Tape u = gradient_tape(&a);
                const Node *value = loss(&u, context);
                CHECK_OK(tape_status(&u));
                side[s] = (double)value->value[0];
                arena_release(&a, mark);
            }
            p->value[j] = keep;
            const double want = (side[0] - side[1]) / (2 * GRADIENT_STEP);
            if (!(fabs((double)grad[j] - want) <= tolerance * fmax(1, fabs(want))))
                fail_msg("%s[%lld]: gradient %.12g, difference %.12g", p->name, (long long)j, (double)grad[j], want);
        }
        if (p->zero_row)
            for (int64_t j = 0; j < width; j++) CHECK(grad[j] == 0, "%s: the zero row has a gradient", p->name);
    }
    arena_close(&a);
}

#endif
