/* Each optimiser against its paper's formula, written down once more in plain double, on a dense matrix and on a table
 * whose gradient is kept as rows. */
#include "optim_fixture.h"

enum { ROWS = 7, WIDTH = 3, N = ROWS * WIDTH, STEPS = 23 };

typedef struct Plain { /* one value by itself */
    double p, a, b;    /* value and states */
} Plain;

typedef struct Set {
    double decay, mu, nesterov, rho, b1, b2, eps;
} Set;

static const Set set = {.decay = 0.01, .mu = 0.8, .rho = 0.85, .b1 = 0.7, .b2 = 0.95, .eps = 1e-5};

static void sgd(Plain *x, double g, double lr, int t)
{
    (void)t;
    x->p = x->p - lr * (g + set.decay * x->p);
}

static void momentum(Plain *x, double g, double lr, int t)
{
    (void)t;
    x->a = set.mu * x->a + g + set.decay * x->p;
    x->p = x->p - lr * x->a;
}

static void adagrad(Plain *x, double g, double lr, int t)
{
    (void)t;
    g += set.decay * x->p;
    x->a += pow(g, 2);
    x->p -= lr * g / (sqrt(x->a) + set.eps);
}

static void adadelta(Plain *x, double g, double lr, int t)
{
    (void)t;
    g += set.decay * x->p;
    x->a = set.rho * x->a + (1 - set.rho) * g * g;
    const double step = -sqrt(x->b + set.eps) / sqrt(x->a + set.eps) * g;
    x->b = set.rho * x->b + (1 - set.rho) * step * step;
    x->p += lr * step;
}

static void rmsprop(Plain *x, double g, double lr, int t)
{
    (void)t;
    g += set.decay * x->p;
    x->a = set.rho * x->a + (1 - set.rho) * g * g;
    x->p -= lr * g / (sqrt(x->a) + set.eps);
}

static void moments(Plain *x, double g, double lr, int t)
{
    x->a = set.b1 * x->a + (1 - set.b1) * g;
    x->b = set.b2 * x->b + (1 - set.b2) * g * g;
    const double mean = x->a / (1 - pow(set.b1, t)), square = x->b / (1 - pow(set.b2, t));
    x->p -= lr * mean / (sqrt(square) + set.eps);
}

static void adam(Plain *x, double g, double lr, int t) { moments(x, g + set.decay * x->p, lr, t); }

static void adamw(Plain *x, double g, double lr, int t)
{
    x->p -= lr * set.decay * x->p;
    moments(x, g, lr, t);
}

static const struct {
    const char *name;
    void (*step)(Plain *x, double g, double lr, int t);
} papers[] = {{"sgd", sgd},         {"momentum", momentum}, {"adagrad", adagrad}, {"adadelta", adadelta},
              {"rmsprop", rmsprop}, {"adam", adam},         {"adamw", adamw}};

static void *settings_of(const Component *c, Arena *a)
{
    void *s = fixture_settings(c, a);
    fixture_set(c, s, "weight_decay", set.decay);
    fixture_set(c, s, "momentum", set.mu);
    fixture_set(c, s, "rho", set.rho);
    fixture_set(c, s, "beta1", set.b1);
    fixture_set(c, s, "beta2", set.b2);
    fixture_set(c, s, "epsilon", set.eps);
    return s;
}

/* The table gets gradients for rows 1, 3, 5 or 0, 2, 4, 6 by turns; the matrix for every element. */
static void against_paper(int which, Arena *a)
{
    const Component *c = fixture_component(papers[which].name);
    Params ps = {.arena = a};
    Param *dense, *table;
    CHECK_OK(param_add(&dense, &ps, "dense", SHAPE2(ROWS, WIDTH), INIT_NORMAL, 1));
    CHECK_OK(param_add(&table, &ps, "table", SHAPE2(ROWS, WIDTH), INIT_NORMAL, 1));
    table->as_rows = true;
    CHECK_OK(params_allocate(&ps, 3));
    Plain x[N] = {{0}}, y[N] = {{0}};
    for (int i = 0; i < N; i++) {
        x[i].p = dense->value[i];
        y[i].p = table->value[i];
    }
    Optim *o;
    CHECK_OK(optim_open(&o, a, c, settings_of(c, a), &ps));
    for (int t = 1; t <= STEPS; t++) {
        const double lr = 0.05 / t;
        int32_t row[ROWS];
        real grad[N];
        ParamRows rows = {.row = row, .grad = grad};
        double g[N] = {0};
        for (int32_t r = t % 2; r < ROWS; r += 2) {
            for (int k = 0; k < WIDTH; k++)
                grad[rows.n * WIDTH + k] = g[r * WIDTH + k] = fixture_number(t * N + r * WIDTH + k);
            row[rows.n++] = r;
        }
        table->rows = t % 5 == 0 ? NULL : &rows;
        for (int i = 0; i < N; i++) {
            dense->grad[i] = fixture_number(1000 + t * N + i);
            papers[which].step(&x[i], dense->grad[i], lr, t);
            papers[which].step(&y[i], table->rows ? g[i] : 0, lr, t);
        }
        CHECK_OK(optim_step(o, lr));
    }
    for (int i = 0; i < N; i++) {
        CHECK_NEAR(dense->value[i], x[i].p, 1e-13);
        CHECK_NEAR(table->value[i], y[i].p, 1e-13);
    }
}

TEST(every_optimiser_follows_its_paper_on_dense_gradients_and_on_rows)
{
    Arena a = {0};
    for (int i = 0; optim_choice(i); i++) {
        bool known = false;
        for (int k = 0; k < COUNT(papers); k++) known |= strcmp(papers[k].name, optim_choice(i)->name) == 0;
        CHECK(known, "%s has no formula here", optim_choice(i)->name);
    }
    for (int i = 0; i < COUNT(papers); i++) {
        print_message("%s\n", papers[i].name);
        against_paper(i, &a);
    }
    arena_close(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(every_optimiser_follows_its_paper_on_dense_gradients_and_on_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
