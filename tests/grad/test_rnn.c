/* Gradients of recurrent layers against central differences: all cells, directions, layers, ragged lengths, with and
 * without an index, dropout on. */
#include "cells.h"
#include "check.h"
#include "trainer/layer/rnn.h"
#include "trainer/op/op.h"

enum { INPUT = 3, SEQUENCES = 70, ROWS_MOST = 400 };

static Arena run, step;

typedef struct Case {
    RnnSettings settings;
    bool indexed, cells_only;
    int64_t sequences;
} Case;

typedef struct World {
    Case c;
    Rnn rnn;
    Params params;
    real x[ROWS_MOST * INPUT], dx[ROWS_MOST * INPUT];
    int64_t rows, offset[SEQUENCES + 1];
    int32_t index[ROWS_MOST];
    uint64_t key[SEQUENCES];
} World;

static World w;

static real number(int64_t i) { return (real)sin(1.7 * (double)i + 0.3); }

static void build(Case c)
{
    static const int lengths[] = {3, 0, 1, 7, 2, 5, 1, 0, 4};
    w = (World){.c = c, .params.arena = &run};
    CHECK_OK(rnn_declare(&w.rnn, &w.params, "net", c.settings, INPUT));
    CHECK_OK(params_allocate(&w.params, 3));
    /* larger than drawn, so that no gate is near its linear part */
    for (int64_t i = 0; i < w.params.count; i++) w.params.value[i] = w.params.value[i] * 1.5 + 0.2 * number(i);
    for (int64_t i = 0; i < c.sequences; i++) {
        w.offset[i + 1] = w.offset[i] + lengths[i % 9];
        w.key[i] = (uint64_t)(100 + i);
    }
    const int64_t positions = w.offset[c.sequences];
    w.rows = c.indexed ? positions / 2 + 2 : positions; /* some rows are used often, some never */
    for (int64_t i = 0; i < positions; i++) w.index[i] = (int32_t)((i * 7) % (w.rows - 1));
    for (int64_t i = 0; i < w.rows * INPUT; i++) w.x[i] = number(i + 50);
}

static Node *weighted(Tape *t, Node *x, int64_t from)
{
    real *b = tape_alloc(t, (size_t)shape_count(&x->shape) * sizeof *b);
    for (int64_t i = 0; i < shape_count(&x->shape); i++) b[i] = number(3 * i + from);
    return op_sum(t, op_mul(t, x, tape_leaf(t, x->shape, b, NULL)));
}

/* sum of a_i states_i^2 + b_i last_i (+ the same for the cells and for each layer); cells_only: the last cells alone */
static Node *loss_of(Tape *t, real *dx)
{
    Node *x = tape_leaf(t, SHAPE2(w.rows, INPUT), w.x, dx);
    const Segments seq = {w.c.sequences, w.offset};
    const RnnOut out = rnn_forward(&w.rnn, t, x, w.c.indexed ? w.index : NULL, seq, w.key);
    real *a = tape_alloc(t, (size_t)shape_count(&out.states->shape) * sizeof *a);
    for (int64_t i = 0; i < shape_count(&out.states->shape); i++) a[i] = number(i + 7);
    Node *squares = op_mul(t, out.states, out.states);
    Node *first = op_sum(t, op_mul(t, squares, tape_leaf(t, out.states->shape, a, NULL)));
    Node *sum = op_add(t, first, weighted(t, out.last, 0));
    for (int64_t i = 0; out.layer && i < w.c.settings.layers; i++) {
        sum = op_add(t, sum, weighted(t, out.layer[i].state, i + 1));
        if (out.layer[i].second) sum = op_add(t, sum, weighted(t, out.layer[i].second, i + 9));
    }
    return w.c.cells_only ? weighted(t, out.layer[w.c.settings.layers - 1].second, 1) : sum;
}

static Tape begin(void)
{
    Tape t = tape_begin(&step);
    t.train = true;
    t.seed = 11;
    t.step = 4;
    return t;
}

static double loss_at(real *value, double by)
{
    const real keep = *value;
    *value += by;
    const ArenaMark mark = arena_mark(&step);
    Tape t = begin();
    const Node *loss = loss_of(&t, NULL);
    CHECK_OK(tape_status(&t));
    const double result = (double)loss->value[0];
    arena_release(&step, mark);
    *value = keep;
    return result;
}

static void check_numbers(real *value, const real *grad, int64_t n, int64_t stride, const char *what)
{
    const double h = 3e-5;
    for (int64_t i = 0; i < n; i += stride) {
        const double near = loss_at(value + i, h) - loss_at(value + i, -h);
        const double far = loss_at(value + i, 2 * h) - loss_at(value + i, -2 * h);
        const double want = (8 * near - far) / (12 * h); /* truncation h^4, rounding precision / h */
        if (!(fabs(grad[i] - want) <= 5e-9 * (1 + fabs(want))))
            fail_msg("%s[%lld] of %s, %lld layers, %s%s: %.12g instead of %.12g", what, (long long)i,
                     cells_name(w.c.settings.cell), (long long)w.c.settings.layers,
                     w.c.settings.bidirectional ? "both directions" : "one direction", w.c.indexed ? ", indexed" : "",
                     grad[i], want);
    }
}

static void check_case(Case c, int64_t stride)
{
    const ArenaMark mark = arena_mark(&run);
    build(c);
    Tape t = begin();
    params_zero_grad(&w.params);
    memset(w.dx, 0, sizeof w.dx);
    Node *loss = loss_of(&t, w.dx);
    CHECK_OK(tape_backward(&t, loss, 1));
    check_numbers(w.x, w.dx, w.rows * INPUT, stride, "x");
    for (int i = 0; i < w.params.n; i++) {
        Param *p = w.params.item[i];
        check_numbers(p->value, p->grad, p->count, stride, p->name);
    }
    arena_release(&step, (ArenaMark){0});
    arena_release(&run, mark);
}

static Cell test_cell(int i)
{
    static const LstmSettings lstm = {.forget_bias = 0.5};
    Cell cell = cells_at(i);
    if (cell.def && cell.def->add_bias) cell.settings = &lstm;
    return cell;
}

TEST(gradients_of_all_cells_match_central_differences)
{
    for (int i = 0; test_cell(i).def; i++)
        for (int variant = 0; variant < 8; variant++) {
            const RnnSettings s = {.cell = test_cell(i),
                                   .hidden = variant & 4 ? 9 : 4,
                                   .layers = variant & 2 ? 2 : 1,
                                   .bidirectional = variant & 1};
            check_case((Case){s, variant & 4, false, 9}, 1);
        }
}

TEST(gradients_with_dropout_match_central_differences)
{
    for (int i = 0; test_cell(i).def; i++) {
        const RnnSettings s = {.cell = test_cell(i),
                               .hidden = 5,
                               .layers = 2,
                               .bidirectional = true,
                               .dropout = 0.4,
                               .recurrent_dropout = 0.3};
        check_case((Case){s, true, false, 9}, 1);
        const RnnSettings recurrent = {.cell = test_cell(i), .hidden = 5, .layers = 1, .recurrent_dropout = 0.5};
        check_case((Case){recurrent, false, false, 9}, 1);
    }
}

TEST(gradients_over_several_blocks_of_sequences_match_central_differences)
{
    for (int i = 0; test_cell(i).def; i++)
        for (int indexed = 0; indexed < 2; indexed++) {
            const RnnSettings s = {.cell = test_cell(i), .hidden = 10, .layers = 1, .bidirectional = true};
            check_case((Case){s, indexed, false, SEQUENCES}, 23);
        }
}

TEST(gradients_of_last_states_and_cells_match_central_differences)
{
    for (int i = 0; test_cell(i).def; i++)
        for (int variant = 0; variant < 4; variant++) {
            const RnnSettings s = {.cell = test_cell(i),
                                   .hidden = 5,
                                   .layers = variant & 1 ? 2 : 1,
                                   .bidirectional = variant & 2,
                                   .reversed = true,
                                   .every_last = true};
            check_case((Case){s, variant & 1, false, 9}, 1);
            if (s.cell.def->second >= 0) check_case((Case){s, variant & 1, true, 9}, 1);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(gradients_of_all_cells_match_central_differences),
                                       RUN(gradients_with_dropout_match_central_differences),
                                       RUN(gradients_over_several_blocks_of_sequences_match_central_differences),
                                       RUN(gradients_of_last_states_and_cells_match_central_differences)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_close(&run);
    arena_close(&step);
    return failed;
}
