/* The output layer with its cross-entropy: gradients in double, and pieces against plain loops. */
#include "gradient.h"

static const int32_t words[] = {4, 0, 2, 18, 6};

typedef struct Smooth {
    double e;
    real factor;
} Smooth;

static Node *with_bias(Tape *t, Node *const *x, const void *context)
{
    const Smooth *s = context;
    return op_scale(t, op_output_loss(t, x[0], x[1], x[2], words, s->e, NULL), s->factor);
}

static Node *without_bias(Tape *t, Node *const *x, const void *context)
{
    const Smooth *s = context;
    return op_output_loss(t, x[0], x[1], NULL, words, s->e, NULL);
}

TEST(gradients_of_features_words_and_bias_with_smoothing_and_a_factor)
{
    static const Smooth s[] = {{0, 1}, {0.1, 1}, {0.1, (real)-0.7}};
    for (int i = 0; i < 3; i++) {
        const GradientCase c = {
            .n = 3, .shape = {SHAPE2(5, 7), SHAPE2(19, 7), SHAPE1(19)}, .build = with_bias, .context = &s[i]};
        gradient_check(&c, 1e-8);
        const GradientCase plain = {
            .n = 2, .shape = {SHAPE2(5, 7), SHAPE2(19, 7)}, .build = without_bias, .context = &s[i]};
        gradient_check(&plain, 1e-8);
    }
}

static real fixed_words[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1}, fixed_rows[] = {1, -2, 3, -1};

static Node *alone(Tape *t, Node *const *x, const void *context)
{
    const int only = *(const int *)context;
    Node *const w = only == 1 ? x[0] : tape_leaf(t, SHAPE2(5, 2), fixed_words, NULL);
    Node *const rows = only == 0 ? x[0] : tape_leaf(t, SHAPE2(2, 2), fixed_rows, NULL);
    return op_output_loss(t, rows, w, NULL, words + 1, 0, NULL);
}

TEST(one_input_may_be_fixed)
{
    const int rows = 0, w = 1;
    gradient_check(&(GradientCase){.n = 1, .shape = {SHAPE2(2, 2)}, .build = alone, .context = &rows}, 1e-8);
    gradient_check(&(GradientCase){.n = 1, .shape = {SHAPE2(5, 2)}, .build = alone, .context = &w}, 1e-8);
}

TEST(memory_may_end_anywhere)
{
    const Smooth s = {0.1, 1};
    gradient_without_memory(
        &(GradientCase){.n = 3, .shape = {SHAPE2(5, 7), SHAPE2(19, 7), SHAPE1(19)}, .build = with_bias, .context = &s});
}

/* --- Several pieces, against loops that hold one row of logits --- */

enum { N = 1100, D = 3, V = 8200 };

typedef struct Plain {
    real *x, *w, *b, *dx, *dw, *db; /* dx, dw, db: of the op, and below of the loops */
    real *ex, *ew, *eb, *loss;
    int32_t *target;
} Plain;

static real *numbers(Arena *a, int64_t n, uint64_t from)
{
    real *x = arena_zeros(a, n, sizeof *x);
    CHECK(x, "out of memory");
    for (int64_t i = 0; from && i < n; i++) x[i] = gradient_number(from + (uint64_t)i);
    return x;
}

static double plain_row(const Plain *p, int64_t r, double e, double *z)
{
    double sum = 0, mean = 0;
    for (int64_t c = 0; c < V; c++) {
        z[c] = p->b[c];
        for (int64_t d = 0; d < D; d++) z[c] += p->x[r * D + d] * p->w[c * D + d];
        sum += exp(z[c]);
        mean += z[c] / V;
    }
    const double all = log(sum), sharp = all - z[p->target[r]];
    for (int64_t c = 0; c < V; c++) {
        const double g = exp(z[c] - all) - (c == p->target[r] ? 1 - e : 0) - e / V;
        p->eb[c] += g;
        for (int64_t d = 0; d < D; d++) {
            p->ex[r * D + d] += g * p->w[c * D + d];
            p->ew[c * D + d] += g * p->x[r * D + d];
        }
    }
    CHECK_NEAR(p->loss[r], sharp, 1e-12);
    return (1 - e) * sharp + e * (all - mean);
}

static void near(const real *x, const real *want, int64_t n, double scale)
{
    for (int64_t i = 0; i < n; i++) CHECK_NEAR(x[i], scale * want[i], 1e-11);
}

TEST(pieces_give_what_loops_give)
{
    Arena a = {0};
    Plain p = {numbers(&a, N * D, 1),
               numbers(&a, V * D, 9000),
               numbers(&a, V, 99),
               numbers(&a, N * D, 0),
               numbers(&a, V * D, 0),
               numbers(&a, V, 0),
               numbers(&a, N * D, 0),
               numbers(&a, V * D, 0),
               numbers(&a, V, 0),
               numbers(&a, N, 0),
               NULL};
    p.target = arena_zeros(&a, N, sizeof *p.target);
    for (int64_t i = 0; i < N; i++) p.target[i] = (int32_t)(i * 7919 % V);
    Tape t = gradient_tape(&a);
    Node *loss = op_output_loss(&t, tape_leaf(&t, SHAPE2(N, D), p.x, p.dx), tape_leaf(&t, SHAPE2(V, D), p.w, p.dw),
                                tape_leaf(&t, SHAPE1(V), p.b, p.db), p.target, 0.1, p.loss);
    CHECK_OK(tape_status(&t));
    const double value = (double)loss->value[0];
    CHECK_OK(tape_backward(&t, loss, 0.5));
    double sum = 0, *z = (double *)numbers(&a, V, 0);
    for (int64_t r = 0; r < N; r++) sum += plain_row(&p, r, 0.1, z);
    CHECK_NEAR(value, sum, 1e-9);
    near(p.dx, p.ex, N * D, 0.5);
    near(p.dw, p.ew, V * D, 0.5);
    near(p.db, p.eb, V, 0.5);
    arena_close(&a);
}

TEST(what_does_not_fit_is_refused)
{
    Arena a = {0};
    real x[12] = {0};
    Params ps = {.arena = &a};
    Param *table;
    CHECK_OK(param_add(&table, &ps, "target/E", SHAPE2(4, 3), INIT_ZERO, 0));
    table->as_rows = true;
    CHECK_OK(params_allocate(&ps, 1));
    Tape t = tape_begin(&a);
    Node *rows = tape_leaf(&t, SHAPE2(2, 3), x, NULL), *w = tape_leaf(&t, SHAPE2(4, 3), x, NULL);
    (void)op_output_loss(&t, rows, tape_param(&t, table), NULL, words, 0, NULL);
    CHECK_SAYS(tape_status(&t), ERR_INTERNAL,
               "output_loss: the gradient of target/E is kept as rows, but all of them have one");
    t = tape_begin(&a);
    (void)op_output_loss(&t, rows, rows, w, words, 0, NULL);
    CHECK_SAYS(tape_status(&t), ERR_INTERNAL, "output_loss over 2 words with a bias of (4,3)");
    t = tape_begin(&a);
    (void)op_output_loss(&t, rows, tape_leaf(&t, SHAPE2(3, 4), x, NULL), NULL, words, 0, NULL);
    CHECK_SAYS(tape_status(&t), ERR_INTERNAL, "output_loss of (2,3) by (3,4)");
    t = tape_begin(&a);
    (void)op_output_loss(&t, rows, w, NULL, words, 0, NULL);
    CHECK_SAYS(tape_status(&t), ERR_DATA, "word 4 at position 0 is not one of the 4 words 0 to 3");
    arena_close(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(gradients_of_features_words_and_bias_with_smoothing_and_a_factor),
                                       RUN(one_input_may_be_fixed), RUN(memory_may_end_anywhere),
                                       RUN(pieces_give_what_loops_give), RUN(what_does_not_fit_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
