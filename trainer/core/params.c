/* params.c - the flat buffers, and where each parameter lies in them. */
#include "trainer/core/params.h"

#include <math.h>
#include <string.h>

#include "comm/random.h"

Param *params_find(const Params *ps, const char *name)
{
    for (int i = 0; i < ps->n; i++)
        if (strcmp(ps->item[i]->name, name) == 0) return ps->item[i];
    return NULL;
}

static Status grow(Params *ps)
{
    if (ps->n < ps->capacity) return OK;
    const int capacity = ps->capacity ? 2 * ps->capacity : 32;
    Param **item;
    TRY_NEW(item, ps->arena, capacity);
    if (ps->n) memcpy(item, ps->item, (size_t)ps->n * sizeof *item);
    ps->item = item;
    ps->capacity = capacity;
    return OK;
}

Status param_add(Param **out, Params *ps, const char *name, Shape shape, ParamInit init, double scale)
{
    REQUIRE(!params_find(ps, name), ERR_INTERNAL, "parameter %s is declared twice", name);
    for (int i = 0; i < shape.n; i++)
        REQUIRE(shape.d[i] >= 1, ERR_INTERNAL, "parameter %s: dimension %d is %lld", name, i, (long long)shape.d[i]);
    TRY(grow(ps));
    Param *p;
    TRY_NEW(p, ps->arena, 1);
    *p = (Param){.shape = shape, .init = init, .scale = scale, .count = shape_count(&shape)};
    p->name = arena_text(ps->arena, name);
    REQUIRE(p->name, ERR_HOST, "%s", status_message());
    ps->item[ps->n++] = p;
    *out = p;
    return OK;
}

Status param_average(Param **out, Params *ps, const char *name, Shape shape, double initial, double rate)
{
    REQUIRE(rate > 0 && rate <= 1, ERR_INTERNAL, "average %s: its rate is %g, but must be above 0 and at most 1", name,
            rate);
    TRY(param_add(out, ps, name, shape, INIT_CONSTANT, initial));
    (*out)->average = rate;
    return OK;
}

/* Rows and columns of the last two dimensions. */
static void matrix(const Shape *s, int64_t *rows, int64_t *columns)
{
    *columns = s->n >= 1 ? s->d[s->n - 1] : 1;
    *rows = s->n >= 2 ? s->d[s->n - 2] : 1;
}

/* In eight sums, so that none waits for the one before: large blocks take seconds otherwise. */
static double dot(int64_t n, const double *x, const double *y)
{
    double sum[8] = {0}, all = 0;
    int64_t k = 0;
    for (; k + 8 <= n; k += 8)
        for (int i = 0; i < 8; i++) sum[i] += x[k + i] * y[k + i];
    for (; k < n; k++) all += x[k] * y[k];
    for (int i = 0; i < 8; i++) all += sum[i];
    return all;
}

/* Modified Gram-Schmidt, twice for accuracy, over `count` vectors of `length` with the given strides: q is (count,
 * length) with count <= length. */
static void orthonormalise(double *q, int64_t count, int64_t length)
{
    for (int64_t i = 0; i < count; i++) {
        double *v = q + i * length;
        for (int64_t pass = 0; pass < 2; pass++)
            for (int64_t j = 0; j < i; j++) {
                const double *u = q + j * length;
                const double along = dot(length, u, v);
                for (int64_t k = 0; k < length; k++) v[k] -= along * u[k];
            }
        double sum = 0;
        for (int64_t k = 0; k < length; k++) sum += v[k] * v[k];
        const double scale = 1 / sqrt(sum);
        for (int64_t k = 0; k < length; k++) v[k] *= scale;
    }
}

/* Each square block of side min(rows, columns) is orthogonal: for the (H, 3H) recurrent weights of a GRU each gate's
 * part is. */
static Status draw_orthogonal(Params *ps, const Param *p, RandomKey key)
{
    int64_t rows, columns;
    matrix(&p->shape, &rows, &columns);
    const int64_t side = rows < columns ? rows : columns;
    const int64_t long_side = rows < columns ? columns : rows;
    const ArenaMark mark = arena_mark(ps->arena);
    double *q = arena_alloc(ps->arena, (size_t)(side * side) * sizeof *q);
    REQUIRE(q, ERR_HOST, "%s", status_message());
    const int64_t matrices = p->count / (rows * columns);
    for (int64_t m = 0; m < matrices; m++)
        for (int64_t start = 0; start < long_side; start += side) {
            const int64_t n = long_side - start < side ? long_side - start : side;
            const uint64_t block = (uint64_t)(m * long_side + start);
            for (int64_t i = 0; i < n * side; i++) q[i] = random_normal(key, block, (uint64_t)i);
            orthonormalise(q, n, side);
            real *w = p->value + m * rows * columns;
            for (int64_t i = 0; i < n; i++)
                for (int64_t k = 0; k < side; k++) {
                    const int64_t at = rows < columns ? k * columns + start + i : (start + i) * columns + k;
                    w[at] = (real)(p->scale * q[i * side + k]);
                }
        }
    arena_release(ps->arena, mark);
    return OK;
}

/* A name's own number, so that a parameter's initial values do not change when others are added (FNV-1a). */
static uint64_t name_number(const char *name)
{
    uint64_t h = 14695981039346656037u;
    for (; *name; name++) h = (h ^ (unsigned char)*name) * 1099511628211u;
    return h;
}

static Status draw(Params *ps, const Param *p, uint64_t seed)
{
    const RandomKey key = random_key(seed, RANDOM_INIT, name_number(p->name));
    int64_t rows, columns;
    matrix(&p->shape, &rows, &columns);
    double range = p->scale;
    if (p->init == INIT_XAVIER) range = p->scale * sqrt(6.0 / (double)(rows + columns));
    switch (p->init) {
    case INIT_ZERO: memset(p->value, 0, (size_t)p->count * sizeof *p->value); break;
    case INIT_CONSTANT:
        for (int64_t i = 0; i < p->count; i++) p->value[i] = (real)p->scale;
        break;
    case INIT_UNIFORM:
    case INIT_XAVIER:
        for (int64_t i = 0; i < p->count; i++)
            p->value[i] =
                (real)(range * (2 * random_uniform(key, (uint64_t)(i / columns), (uint64_t)(i % columns)) - 1));
        break;
    case INIT_NORMAL:
        for (int64_t i = 0; i < p->count; i++)
            p->value[i] = (real)(range * random_normal(key, (uint64_t)(i / columns), (uint64_t)(i % columns)));
        break;
    case INIT_ORTHOGONAL: TRY(draw_orthogonal(ps, p, key)); break;
    }
    if (p->zero_row) memset(p->value, 0, (size_t)columns * sizeof *p->value);
    return OK;
}

typedef enum Place { PLACE_LEARNT, PLACE_AVERAGE, PLACE_ROWS, PLACE_FROZEN } Place;

static Place place(const Param *p)
{
    if (p->frozen) return PLACE_FROZEN;
    if (p->as_rows) return PLACE_ROWS;
    return p->average > 0 ? PLACE_AVERAGE : PLACE_LEARNT;
}

static void lay_out(Params *ps, Place which)
{
    for (int i = ps->n - 1; i >= 0; i--) { /* backward finishes the last used first */
        if (place(ps->item[i]) != which) continue;
        ps->item[i]->offset = ps->count;
        ps->count += ps->item[i]->count;
    }
}

void params_place(Params *ps)
{
    ps->count = 0;
    lay_out(ps, PLACE_LEARNT);
    ps->learnt = ps->count;
    lay_out(ps, PLACE_AVERAGE);
    ps->dense = ps->count;
    lay_out(ps, PLACE_ROWS);
    lay_out(ps, PLACE_FROZEN);
}

Status params_lay_out(Params *ps)
{
    params_place(ps);
    TRY_NEW(ps->value, ps->arena, ps->count);
    if (!ps->grad) TRY_NEW(ps->grad, ps->arena, ps->dense + PARAMS_EXTRA);
    for (int i = 0; i < ps->n; i++) {
        Param *p = ps->item[i];
        p->value = ps->value + p->offset;
        p->grad = p->offset < ps->dense ? ps->grad + p->offset : NULL;
    }
    return OK;
}

Status params_draw(Params *ps, uint64_t seed)
{
    for (int i = 0; i < ps->n; i++) TRY(draw(ps, ps->item[i], seed));
    return OK;
}

Status params_allocate(Params *ps, uint64_t seed)
{
    TRY(params_lay_out(ps));
    return params_draw(ps, seed);
}

void param_refresh(Param *p, int64_t n, const int32_t *row)
{
    if (p->refresh) p->refresh(p->refresh_context, p, n, row);
}

Status params_move_averages(Params *ps)
{
    for (int i = 0; i < ps->n; i++) {
        const Param *p = ps->item[i];
        for (int64_t j = 0; place(p) == PLACE_AVERAGE && j < p->count; j++)
            REQUIRE(isfinite(p->grad[j]), ERR_CHECK, "the mean that %s follows is not finite", p->name);
    }
    for (int i = 0; i < ps->n; i++) {
        const Param *p = ps->item[i];
        for (int64_t j = 0; place(p) == PLACE_AVERAGE && j < p->count; j++)
            p->value[j] += (real)p->average * (p->grad[j] - p->value[j]);
    }
    return OK;
}

void params_zero_grad(Params *ps)
{
    for (int i = 0; i < ps->n; i++) ps->item[i]->rows = NULL;
    memset(ps->grad, 0, (size_t)(ps->dense + PARAMS_EXTRA) * sizeof *ps->grad);
}

/* Two ascending lists of rows joined; where both have a row, a's value comes first in the sum. */
static ParamRows *join(const ParamRows *a, const ParamRows *b, int64_t width, Arena *arena)
{
    ParamRows *out = arena_alloc(arena, sizeof *out);
    int32_t *row = arena_alloc(arena, (size_t)(a->n + b->n) * sizeof *row);
    real *grad = arena_alloc(arena, (size_t)((a->n + b->n) * width) * sizeof *grad);
    if (!out || !row || !grad) return NULL;
    int64_t n = 0;
    for (int64_t i = 0, j = 0; i < a->n || j < b->n; n++) {
        const bool from_a = i < a->n && (j == b->n || a->row[i] <= b->row[j]);
        const bool from_b = j < b->n && (i == a->n || b->row[j] <= a->row[i]);
        real *to = grad + n * width;
        row[n] = from_a ? a->row[i] : b->row[j];
        memcpy(to, from_a ? a->grad + i * width : b->grad + j * width, (size_t)width * sizeof *to);
        if (from_a && from_b)
            for (int64_t k = 0; k < width; k++) to[k] += b->grad[j * width + k];
        i += from_a;
        j += from_b;
    }
    *out = (ParamRows){.n = n, .row = row, .grad = grad};
    return out;
}

Status param_merge_rows(Param *p, Arena *arena)
{
    const int64_t width = p->shape.d[p->shape.n - 1];
    ParamRows *all = p->rows;
    for (ParamRows *r = all ? all->next : NULL; r; r = r->next) {
        all = join(all, r, width, arena);
        REQUIRE(all, ERR_HOST, "%s: %s", p->name, status_message());
    }
    if (all) all->next = NULL;
    p->rows = all;
    return OK;
}
