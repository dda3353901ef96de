/* Recurrent layers against plain loops over one sequence, and sequences alone against the same in company. */
#include "cells.h"
#include "check.h"
#include "trainer/layer/rnn.h"

enum { INPUT = 11, SEQUENCES = 150, MOST = 64 };

static Arena run, step;

static real number(int64_t i) { return (real)sin(1.7 * (double)i + 0.3); }

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }

/* column c of bias + x W, or of h U */
static double column(const double *x, int64_t n, const Param *w, int64_t c)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += x[i] * (double)w->value[i * w->shape.d[1] + c];
    return sum;
}

static bool is_cell(const RnnSettings *s, const char *name) { return strcmp(cells_name(s->cell), name) == 0; }

/* Unit j of h' = (1 - z) tanh(a_n + U_n (r h)) + z h */
static double plain_reset_before(const RnnLayer *l, int d, const double *a, const double *u, const double *h, int64_t n,
                                 int64_t j)
{
    double held[MOST];
    for (int64_t i = 0; i < n; i++) held[i] = sigmoid(a[i] + u[i]) * h[i];
    const double z = sigmoid(a[n + j] + u[n + j]);
    return (1 - z) * tanh(a[2 * n + j] + column(held, n, l->of[d].u, 2 * n + j)) + z * h[j];
}

/* One step of one sequence, as the formulas in trainer/core/kernel/ say. */
static void plain_step(const RnnSettings *s, const RnnLayer *l, int d, const double *x, double *h, double *cell)
{
    const int64_t n = s->hidden;
    double a[4 * MOST], u[4 * MOST], was[MOST];
    memcpy(was, h, (size_t)n * sizeof *h);
    for (int64_t c = 0; c < l->of[d].w->shape.d[1]; c++) {
        a[c] = column(x, l->input, l->of[d].w, c) + (double)l->of[d].b->value[c];
        u[c] = column(h, n, l->of[d].u, c);
    }
    for (int64_t j = 0; j < n; j++) {
        if (is_cell(s, "rnn")) {
            h[j] = tanh(a[j] + u[j]);
        } else if (is_cell(s, "gru")) {
            const double r = sigmoid(a[j] + u[j]), z = sigmoid(a[n + j] + u[n + j]);
            const double q = u[2 * n + j] + (double)l->of[d].b->value[3 * n + j], new = tanh(a[2 * n + j] + r * q);
            h[j] = (1 - z) * new + z *h[j];
        } else if (is_cell(s, "gru, reset before")) { /* all of r must be known: one unit at a time reads what was */
            h[j] = plain_reset_before(l, d, a, u, was, n, j);
        } else {
            const double i = sigmoid(a[j] + u[j]), f = sigmoid(a[n + j] + u[n + j] + 1);
            const double g = tanh(a[2 * n + j] + u[2 * n + j]), o = sigmoid(a[3 * n + j] + u[3 * n + j]);
            cell[j] = f * cell[j] + i * g;
            h[j] = o * tanh(cell[j]);
        }
    }
}

/* (length, input) -> (length, directions * H), in place of x */
static void plain_layer(const RnnSettings *s, const RnnLayer *l, int64_t length, double (*x)[2 * MOST])
{
    static double out[40][2 * MOST];
    for (int d = 0; d < (s->bidirectional ? 2 : 1); d++) {
        double h[MOST] = {0}, cell[MOST] = {0};
        for (int64_t t = 0; t < length; t++) {
            const int64_t p = d ? length - 1 - t : t;
            plain_step(s, l, d, x[p], h, cell);
            memcpy(out[p] + d * s->hidden, h, (size_t)s->hidden * sizeof *h);
        }
    }
    memcpy(x, out, (size_t)length * sizeof *out);
}

typedef struct World {
    RnnSettings settings;
    Rnn rnn;
    Params params;
    int64_t n, offset[SEQUENCES + 1];
    int32_t index[SEQUENCES * 40];
    real x[SEQUENCES * 40 * INPUT];
} World;

static World w;

static void build(RnnSettings s, int64_t n)
{
    arena_release(&run, (ArenaMark){0});
    w = (World){.settings = s, .n = n, .params.arena = &run};
    CHECK_OK(rnn_declare(&w.rnn, &w.params, "net", s, INPUT));
    CHECK_OK(params_allocate(&w.params, 5));
    for (int64_t i = 0; i < w.params.count; i++) w.params.value[i] += (real)0.2 * number(i);
    for (int64_t i = 0; i < n; i++) w.offset[i + 1] = w.offset[i] + (i * 13) % 40 * (i % 4 > 0);
    for (int64_t i = 0; i < w.offset[n]; i++) w.index[i] = (int32_t)((i * 31) % 500);
    for (int64_t i = 0; i < w.offset[n] * INPUT; i++) w.x[i] = number(i);
}

static RnnOut forward(Tape *t, const real *x, int64_t rows, const int32_t *index, Segments seq)
{
    *t = tape_begin(&step);
    const RnnOut out = rnn_forward(&w.rnn, t, tape_leaf(t, SHAPE2(rows, INPUT), (real *)x, NULL), index, seq, NULL);
    CHECK_OK(tape_status(t));
    return out;
}

static void check_sequence(const RnnOut *out, int64_t i, bool indexed)
{
    static double x[40][2 * MOST];
    const int64_t length = w.offset[i + 1] - w.offset[i], wide = out->states->shape.d[1], h = w.settings.hidden;
    for (int64_t t = 0; t < length; t++)
        for (int64_t c = 0; c < INPUT; c++) {
            const int64_t p = w.offset[i] + t;
            x[t][c] = (double)w.x[(indexed ? w.index[p] : p) * INPUT + c];
        }
    for (int64_t k = 0; k < w.settings.layers; k++) plain_layer(&w.settings, &w.rnn.layer[k], length, x);
    for (int64_t t = 0; t < length; t++)
        for (int64_t c = 0; c < wide; c++) CHECK_NEAR(out->states->value[(w.offset[i] + t) * wide + c], x[t][c], 5e-6);
    for (int64_t c = 0; c < wide; c++) {
        const double want = length ? x[c >= h ? 0 : length - 1][c] : 0;
        CHECK_NEAR(out->last->value[i * wide + c], want, 5e-6);
    }
}

static RnnSettings settings_with(Cell cell, int variant)
{
    return (RnnSettings){.cell = cell,
                         .hidden = (const int[]){5, 16, 23, 50}[variant % 4],
                         .layers = 1 + variant % 3 / 2,
                         .bidirectional = variant % 2};
}

static RnnSettings settings_of(const char *cell, int variant)
{
    return settings_with((Cell){.def = cell_find(cell)}, variant);
}

TEST(states_agree_with_plain_loops)
{
    for (int i = 0; cells_at(i).def; i++)
        for (int variant = 0; variant < 6; variant++) {
            build(settings_with(cells_at(i), variant), SEQUENCES);
            const bool indexed = variant % 2 == 0;
            Tape t;
            const RnnOut out =
                forward(&t, w.x, indexed ? 500 : w.offset[w.n], indexed ? w.index : NULL, (Segments){w.n, w.offset});
            for (int64_t k = 0; k < w.n; k++) check_sequence(&out, k, indexed);
            arena_release(&step, (ArenaMark){0});
        }
}

TEST(a_sequence_alone_has_the_same_bits_as_in_company)
{
    for (int c = 0; cells_at(c).def; c++)
        for (int variant = 0; variant < 4; variant++) {
            build(settings_with(cells_at(c), variant), SEQUENCES);
            Tape t;
            const RnnOut all = forward(&t, w.x, 500, w.index, (Segments){w.n, w.offset});
            const int64_t wide = all.states->shape.d[1];
            for (int64_t i = 0; i < w.n; i += 7) {
                const int64_t offset[2] = {0, w.offset[i + 1] - w.offset[i]};
                real own[40 * INPUT];
                for (int64_t p = 0; p < offset[1]; p++)
                    memcpy(own + p * INPUT, w.x + w.index[w.offset[i] + p] * INPUT, INPUT * sizeof(real));
                const RnnOut one = forward(&t, own, offset[1], NULL, (Segments){1, offset});
                CHECK(memcmp(one.states->value, all.states->value + w.offset[i] * wide,
                             (size_t)(offset[1] * wide) * sizeof(real)) == 0,
                      "%s: sequence %d differs", cells_name(cells_at(c)), (int)i);
                CHECK(memcmp(one.last->value, all.last->value + i * wide, (size_t)wide * sizeof(real)) == 0,
                      "%s: last state of sequence %d differs", cells_name(cells_at(c)), (int)i);
            }
            arena_release(&step, (ArenaMark){0});
        }
}

TEST(dropout_hangs_on_the_key_of_the_sequence_alone)
{
    RnnSettings s = settings_of("gru", 2);
    s.recurrent_dropout = 0.5;
    s.dropout = 0.3;
    build(s, 8);
    const uint64_t keys[8] = {5, 6, 7, 8, 9, 10, 11, 12};
    Tape t = tape_begin(&step);
    t.train = true;
    Node *x = tape_leaf(&t, SHAPE2(w.offset[8], INPUT), w.x, NULL);
    const RnnOut all = rnn_forward(&w.rnn, &t, x, NULL, (Segments){8, w.offset}, keys);
    Tape u = tape_begin(&step);
    u.train = true;
    const int64_t first = w.offset[3], offset[2] = {0, w.offset[4] - first}, wide = all.states->shape.d[1];
    x = tape_leaf(&u, SHAPE2(offset[1], INPUT), w.x + first * INPUT, NULL);
    const RnnOut one = rnn_forward(&w.rnn, &u, x, NULL, (Segments){1, offset}, keys + 3);
    CHECK_OK(tape_status(&t));
    CHECK_OK(tape_status(&u));
    CHECK(memcmp(one.states->value, all.states->value + first * wide, (size_t)(offset[1] * wide) * sizeof(real)) == 0,
          "%s", "the mask changed with the company");
}

/* The first layer of two reads its input as it is: its states are those without dropout, those of the second are not. */
TEST(dropout_is_between_the_layers_alone)
{
    const uint64_t keys[8] = {5, 6, 7, 8, 9, 10, 11, 12};
    const int64_t last = 8 * 2 * 16;
    for (int c = 0; cells_at(c).def; c++) {
        RnnSettings s = settings_with(cells_at(c), 1);
        s.layers = 2;
        s.dropout = 0.5;
        s.every_last = true;
        build(s, 8);
        RnnOut out[2];
        for (int train = 0; train < 2; train++) {
            Tape t = tape_begin(&step);
            t.train = train;
            out[train] = rnn_forward(&w.rnn, &t, tape_leaf(&t, SHAPE2(w.offset[8], INPUT), w.x, NULL), NULL,
                                     (Segments){8, w.offset}, keys);
            CHECK_OK(tape_status(&t));
        }
        for (int l = 0; l < 2; l++)
            CHECK((memcmp(out[0].layer[l].state->value, out[1].layer[l].state->value, (size_t)last * sizeof(real)) ==
                   0) == (l == 0),
                  "%s: layer %d", cells_name(s.cell), l + 1);
        arena_release(&step, (ArenaMark){0});
    }
}

static Status one_pass(bool with_keys)
{
    const uint64_t keys[5] = {1, 2, 3, 4, 5};
    const ArenaMark mark = arena_mark(&step);
    real dx[SEQUENCES * INPUT];
    int32_t index[SEQUENCES];
    for (int64_t i = 0; i < w.offset[w.n]; i++) index[i] = (int32_t)(i % 9);
    Tape t = tape_begin(&step);
    t.train = true;
    Node *x = tape_leaf(&t, SHAPE2(w.offset[w.n], INPUT), w.x, dx);
    const RnnOut out = rnn_forward(&w.rnn, &t, x, index, (Segments){w.n, w.offset}, with_keys ? keys : NULL);
    real *d = node_grad(&t, out.last);
    if (d) out.last->op->backward(&t, out.last);
    if (d && t.status == OK) out.states->op->backward(&t, out.states);
    if (d && t.status == OK && with_keys) CHECK(out.states->grad != NULL, "%s", "no gradient");
    const Status st = t.status;
    arena_release(&step, mark);
    return st;
}

TEST(every_allocation_of_a_pass_may_fail)
{
    RnnSettings s = settings_of("lstm", 1);
    s.recurrent_dropout = 0.5;
    build(s, 5);
    for (long n = 1;; n++) {
        step.fail_in = n;
        const Status st = one_pass(true);
        const bool reached = step.fail_in == 0;
        step.fail_in = 0;
        if (!reached) {
            CHECK_OK(st);
            CHECK(n > 20, "only %ld allocations", n);
            break;
        }
        CHECK(st == ERR_HOST, "allocation %ld: %d", n, (int)st);
    }
    CHECK_SAYS(one_pass(false), ERR_INTERNAL, "dropout without keys");
}

TEST(a_pass_in_steady_state_asks_the_system_for_nothing)
{
    build(settings_of("gru", 1), 5);
    CHECK_OK(one_pass(true));
    const int64_t calls = step.system_calls;
    for (int i = 0; i < 3; i++) CHECK_OK(one_pass(true));
    CHECK(step.system_calls == calls, "%d calls more", (int)(step.system_calls - calls));
}

TEST(wrong_inputs_are_refused)
{
    build(settings_of("gru", 1), 5);
    Tape t = tape_begin(&step);
    rnn_forward(&w.rnn, &t, tape_leaf(&t, SHAPE2(3, INPUT + 1), w.x, NULL), NULL, (Segments){w.n, w.offset}, NULL);
    CHECK_SAYS(tape_status(&t), ERR_INTERNAL, "a recurrent layer of 11 inputs got 3 rows of 12 for 78 positions");
    Rnn r;
    CHECK_SAYS(rnn_declare(&r, &w.params, "net", (RnnSettings){.layers = 1}, 4), ERR_INTERNAL,
               "net: 0 units in 1 layers over 4 inputs");
}

TEST(a_batch_without_sequences_has_no_states)
{
    build(settings_of("gru", 1), 5);
    Tape t;
    const int64_t offset[1] = {0};
    const RnnOut out = forward(&t, w.x, 0, NULL, (Segments){0, offset});
    CHECK(out.states->shape.d[0] == 0 && out.last->shape.d[0] == 0, "%s", "rows from nothing");
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(states_agree_with_plain_loops),
                                       RUN(a_sequence_alone_has_the_same_bits_as_in_company),
                                       RUN(dropout_hangs_on_the_key_of_the_sequence_alone),
                                       RUN(dropout_is_between_the_layers_alone),
                                       RUN(every_allocation_of_a_pass_may_fail),
                                       RUN(a_pass_in_steady_state_asks_the_system_for_nothing),
                                       RUN(wrong_inputs_are_refused),
                                       RUN(a_batch_without_sequences_has_no_states)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_close(&run);
    arena_close(&step);
    return failed;
}
