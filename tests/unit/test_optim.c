/* Storage, put-off rows, frozen and padding values change no result; memory is asked for once. */
#include "optim_fixture.h"
#include "trainer/optim/ema.h"

enum { ROWS = 50, WIDTH = 37, N = ROWS * WIDTH };

typedef struct Setup {
    Params ps;
    Param *table;
    Optim *o;
} Setup;

static Setup *setup(Arena *a, const char *name, double nesterov, double decay, bool as_rows, bool looked_up)
{
    Setup *s = arena_zeros(a, 1, sizeof *s);
    s->ps.arena = a;
    const Component *c = fixture_component(name);
    void *settings = fixture_settings(c, a);
    fixture_set(c, settings, "nesterov", nesterov);
    fixture_set(c, settings, "weight_decay", decay);
    fixture_set(c, settings, "lr", 0.05);
    CHECK_OK(param_add(&s->table, &s->ps, "table", SHAPE2(ROWS, WIDTH), INIT_NORMAL, 1));
    s->table->as_rows = as_rows;
    s->table->looked_up = looked_up;
    s->table->zero_row = true;
    CHECK_OK(params_allocate(&s->ps, 5));
    CHECK_OK(optim_open(&s->o, a, c, settings, &s->ps));
    return s;
}

/* Step t touches a few rows; some often, some hardly ever. Both forms of the same gradient. */
static int64_t make_rows(int64_t t, int32_t *row, real *grad, real *dense)
{
    int64_t n = 0;
    memset(dense, 0, N * sizeof *dense);
    for (int32_t r = 0; r < ROWS; r++) {
        const int64_t period = r < 5 ? 2 : r < 20 ? 17 : r < 40 ? 301 : 2111;
        if ((t + r) % period != 0) continue;
        for (int k = 0; k < WIDTH; k++) {
            grad[n * WIDTH + k] = (real)fixture_number(t * 7 + r * WIDTH + k);
            dense[r * WIDTH + k] = r == 0 ? 0 : grad[n * WIDTH + k];
        }
        row[n++] = r;
    }
    return n;
}

static void same_bits(const real *a, const real *b, int64_t n, const char *what)
{
    for (int64_t i = 0; i < n; i++)
        CHECK(memcmp(&a[i], &b[i], sizeof *a) == 0, "%s: element %lld is %.9g, not %.9g", what, (long long)i,
              (double)a[i], (double)b[i]);
}

static void rows_equal_dense(Arena *a, const char *name, double nesterov, double decay, bool looked_up, int64_t steps)
{
    print_message("%s nesterov %g decay %g looked_up %d\n", name, nesterov, decay, looked_up);
    Setup *d = setup(a, name, nesterov, decay, false, false), *r = setup(a, name, nesterov, decay, true, looked_up);
    static int32_t row[ROWS];
    static real grad[N], dense[N];
    for (int64_t t = 1; t <= steps; t++) {
        const int64_t n = make_rows(t, row, grad, dense);
        param_refresh(r->table, n, row); /* as a lookup does */
        for (int64_t i = 0; i < n; i++)
            same_bits(r->table->value + row[i] * WIDTH, d->table->value + row[i] * WIDTH, WIDTH, "a row when read");
        ParamRows rows = {.n = n, .row = row, .grad = grad};
        r->table->rows = &rows;
        memcpy(d->table->grad, dense, sizeof dense);
        const double rate = 0.05 / (1 + 0.001 * (double)(t % 700));
        CHECK_OK(optim_step(d->o, rate));
        CHECK_OK(optim_step(r->o, rate));
        if (decay == 0 && nesterov == 0 && t % 777 == 0) optim_flush(r->o); /* the others come to the end of a window */
    }
    optim_flush(r->o);
    same_bits(r->table->value, d->table->value, N, "value");
    const char *const *names;
    real *const *buffer;
    for (int i = 0; i < optim_states(r->o, &names, &buffer); i++) same_bits(buffer[i], d->o->state[i], N, names[i]);
}

TEST(rows_and_dense_gradients_give_the_same_bits)
{
    for (int i = 0; optim_choice(i); i++)
        for (int decay = 0; decay < 2; decay++) {
            Arena a = {0};
            rows_equal_dense(&a, optim_choice(i)->name, 0, decay * 0.01, false, 60);
            arena_close(&a);
        }
}

TEST(momentum_that_was_put_off_gives_the_bits_of_the_dense_update)
{
    for (int kind = 0; kind < 3; kind++) {
        Arena a = {0};
        rows_equal_dense(&a, "momentum", kind == 1, kind == 2 ? 0.001 : 0, true, 2500);
        arena_close(&a);
    }
}

TEST(momentum_is_really_put_off)
{
    Arena a = {0};
    Setup *s = setup(&a, "momentum", 0, 0, true, true);
    static real grad[WIDTH];
    for (int k = 0; k < WIDTH; k++) grad[k] = 1;
    const int32_t row = 3;
    ParamRows rows = {.n = 1, .row = &row, .grad = grad};
    s->table->rows = &rows;
    CHECK_OK(optim_step(s->o, 0.1));
    const real after = s->table->value[3 * WIDTH];
    s->table->rows = NULL;
    CHECK_OK(optim_step(s->o, 0.1));
    CHECK(s->table->value[3 * WIDTH] == after, "the row moved at once");
    optim_flush(s->o);
    CHECK_NEAR(s->table->value[3 * WIDTH], after - (real)0.09, 1e-6);
    arena_close(&a);
}

TEST(lazy_adam_leaves_other_rows_alone)
{
    Arena a = {0};
    Setup *s = setup(&a, "adam", 0, 0, true, false);
    const Component *c = &s->o->def->component;
    fixture_set(c, (void *)s->o->settings, "lazy", 1);
    static int32_t row[ROWS];
    static real grad[N], dense[N], before[N];
    for (int64_t t = 1; t < 10; t++) {
        ParamRows rows = {.n = make_rows(t, row, grad, dense), .row = row, .grad = grad};
        s->table->rows = &rows;
        memcpy(before, s->table->value, sizeof before);
        CHECK_OK(optim_step(s->o, 0.05));
        for (int64_t r = 0, i = 0; r < ROWS; r++) {
            const bool touched = i < rows.n && row[i] == r;
            i += touched;
            const bool moved = memcmp(before + r * WIDTH, s->table->value + r * WIDTH, WIDTH * sizeof(real)) != 0;
            CHECK(moved == (touched && r != 0), "row %lld at step %lld", (long long)r, (long long)t);
        }
    }
    arena_close(&a);
}

TEST(frozen_values_and_padding_rows_stay)
{
    for (int i = 0; optim_choice(i); i++) {
        Arena a = {0};
        Params ps = {.arena = &a};
        Param *w, *fixed, *table;
        CHECK_OK(param_add(&w, &ps, "w", SHAPE2(4, 5), INIT_NORMAL, 1));
        CHECK_OK(param_add(&fixed, &ps, "fixed", SHAPE2(4, 5), INIT_NORMAL, 1));
        CHECK_OK(param_add(&table, &ps, "table", SHAPE2(4, 5), INIT_NORMAL, 1));
        w->zero_row = table->zero_row = table->as_rows = fixed->frozen = true;
        CHECK_OK(params_allocate(&ps, 9));
        void *settings = fixture_settings(optim_choice(i), &a);
        fixture_set(optim_choice(i), settings, "weight_decay", 0.1);
        Optim *o;
        CHECK_OK(optim_open(&o, &a, optim_choice(i), settings, &ps));
        real keep[20], grad[10];
        memcpy(keep, fixed->value, sizeof keep);
        const int32_t row[2] = {0, 2};
        for (int k = 0; k < 10; k++) grad[k] = 1;
        ParamRows rows = {.n = 2, .row = row, .grad = grad};
        for (int t = 0; t < 3; t++) {
            for (int k = 0; k < 20; k++) w->grad[k] = 1;
            table->rows = &rows;
            CHECK_OK(optim_step(o, 0.1));
        }
        same_bits(fixed->value, keep, 20, "a frozen parameter");
        for (int k = 0; k < 5; k++) CHECK(w->value[k] == 0 && table->value[k] == 0, "a padding row moved");
        CHECK(w->value[5] != keep[5] && table->value[10] != 0, "nothing moved");
        arena_close(&a);
    }
}

TEST(rows_that_were_not_merged_are_our_own_mistake)
{
    Arena a = {0};
    Setup *s = setup(&a, "sgd", 0, 0, true, false);
    ParamRows second = {0}, first = {.next = &second};
    s->table->rows = &first;
    CHECK_SAYS(optim_step(s->o, 0.1), ERR_INTERNAL, "table: the rows of its gradient were not merged");
    CHECK_SAYS(optim_open(&s->o, &a, &(Component){.name = "newton"}, NULL, &s->ps), ERR_INTERNAL,
               "newton is not an optimiser");
    arena_close(&a);
}

TEST(a_step_allocates_nothing)
{
    Arena a = {0};
    Setup *s = setup(&a, "adam", 0, 0, true, false);
    const ArenaMark mark = arena_mark(&a);
    for (int t = 0; t < 3; t++) CHECK_OK(optim_step(s->o, 0.1));
    const ArenaMark now = arena_mark(&a);
    CHECK(mark.chunk == now.chunk && mark.used == now.used, "the arena grew");
    arena_close(&a);
}

TEST(every_allocation_may_fail)
{
    for (int i = 0; optim_choice(i); i++)
        for (long n = 1;; n++) {
            Arena a = {0};
            Params ps = {.arena = &a};
            Param *p;
            CHECK_OK(param_add(&p, &ps, "p", SHAPE2(4, 5), INIT_NORMAL, 1));
            p->as_rows = p->looked_up = true;
            CHECK_OK(params_allocate(&ps, 9));
            void *settings = fixture_settings(optim_choice(i), &a);
            a.fail_in = n;
            Optim *o;
            Ema *e;
            Status st = optim_open(&o, &a, optim_choice(i), settings, &ps);
            if (st == OK) st = ema_open(&e, &a, &ps, 0.9);
            const bool reached = a.fail_in == 0;
            a.fail_in = 0;
            arena_close(&a);
            if (!reached) {
                CHECK(st == OK && n > 5, "%ld allocations", n);
                break;
            }
            CHECK_FAILS(st, ERR_HOST);
        }
}

TEST(the_running_mean_follows_its_formula_and_swaps_back_every_bit)
{
    Arena a = {0};
    Params ps = {.arena = &a};
    Param *p;
    CHECK_OK(param_add(&p, &ps, "p", SHAPE1(3), INIT_NORMAL, 1));
    CHECK_OK(params_allocate(&ps, 2));
    Ema *e;
    CHECK_OK(ema_open(&e, &a, &ps, 0.5));
    double mean[3];
    for (int i = 0; i < 3; i++) mean[i] = p->value[i];
    for (int t = 1; t < 30; t++) {
        const double d = fmin(0.5, (1.0 + t) / (10.0 + t));
        for (int i = 0; i < 3; i++) {
            p->value[i] = (real)fixture_number(t * 3 + i);
            mean[i] = d * mean[i] + (1 - d) * p->value[i];
        }
        ema_update(e);
        for (int i = 0; i < 3; i++) CHECK_NEAR(e->average[i], mean[i], 1e-6); /* the first steps weigh most */
    }
    real keep[3];
    memcpy(keep, p->value, sizeof keep);
    ema_swap(e);
    for (int i = 0; i < 3; i++) CHECK_NEAR(p->value[i], mean[i], 1e-6);
    ema_swap(e);
    same_bits(p->value, keep, 3, "a value after both swaps");
    CHECK(!e->swapped && e->updates == 29, "%lld updates", (long long)e->updates);
    arena_close(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(rows_and_dense_gradients_give_the_same_bits),
        RUN(momentum_that_was_put_off_gives_the_bits_of_the_dense_update),
        RUN(momentum_is_really_put_off),
        RUN(lazy_adam_leaves_other_rows_alone),
        RUN(frozen_values_and_padding_rows_stay),
        RUN(rows_that_were_not_merged_are_our_own_mistake),
        RUN(a_step_allocates_nothing),
        RUN(every_allocation_may_fail),
        RUN(the_running_mean_follows_its_formula_and_swaps_back_every_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
