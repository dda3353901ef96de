/* Sequence to sequence: word by word gives the bits of training, company changes none, and what cannot be is refused.
 */
#include <stdio.h>

#include "pairs.h"
#include "trainer/core/panel.h"
#include "trainer/generate/decoder/recurrent_run.h"
#include "trainer/generate/generator.h"
#include "trainer/op/op.h"

static const char *const kinds[][20] = {
    {"decoder.apply", "none", "encoder.layers", "2", NULL},
    {"encoder.cell", "lstm", "encoder.layers", "2", NULL},
    {"encoder.cell", "gru", "decoder.apply", "between", "attention.score", "additive", "encoder.bidirectional", "true",
     "readout", "maxout", "decoder.bridge", "backward", NULL},
    {"encoder.cell", "rnn", "attention.score", "multi_dim", "decoder.apply.input_feeding", "false", "readout", "tanh",
     NULL},
    {"encoder.cell", "lstm", "decoder.apply", "between", "attention.score", "additive", "attention.score.coverage",
     "true", "attention.range", "local_p", NULL},
    {"encoder.cell", "gru", "attention.score", "general", "attention.select", "sparsemax", "attention.range", "local_m",
     "encoder.hidden", "19", NULL},
    {"encoder.cell", "gru", "encoder.cell.reset", "before", "decoder.apply", "between", "decoder.apply.state", "before",
     "attention.score", "additive", "encoder.bidirectional", "true", "readout", "maxout", NULL},
    {"encoder.cell", "lstm", "decoder.apply", "between", "decoder.apply.state", "before", "encoder.layers", "2", NULL}};

enum { KINDS = sizeof kinds / sizeof *kinds };

/* Features and logits of all positions of the batch. */
typedef struct Forward {
    Tape tape;
    Prediction out;
    real *logits; /* (N,V) */
} Forward;

static void go_forward(Pairs *p, Arena *step, Forward *f)
{
    f->tape = tape_begin(step);
    f->tape.watch = true;
    model_forward(p->model, &f->tape, &p->batch, &f->out);
    CHECK_OK(tape_status(&f->tape));
    const Node *x = f->out.words.x, *w = f->out.words.w;
    const int64_t N = x->shape.d[0], D = x->shape.d[1], V = w->shape.d[0];
    Panel panel;
    CHECK_OK(panel_pack(&panel, step, w->value, true, D, V));
    f->logits = arena_alloc(step, (size_t)(N * V) * sizeof(real));
    panel_gemm_bias(N, x->value, D, &panel, f->out.words.bias->value, f->logits, V);
}

static bool same(const real *a, const real *b, int64_t n) { return memcmp(a, b, (size_t)n * sizeof *a) == 0; }

/* Row r of each step is example order[r], twice in a row; rows change their places from step to step. */
static void compare_steps(Pairs *p, const Forward *f, Arena *step)
{
    const PredictionWords *k = &f->out.words;
    const int64_t *offset = f->out.seq.offset;
    const int64_t B = p->batch.B, V = k->w->shape.d[0];
    const TapeView *view = f->tape.views;
    Tape t = tape_begin(step);
    Generation made;
    CHECK_OK(p->model->def->generate->open(p->model, &t, &p->batch, 2 * B, &made));
    int32_t sentence[2 * PAIRS_MOST], parent[2 * PAIRS_MOST], word[2 * PAIRS_MOST], place[PAIRS_MOST] = {0};
    int64_t compared = 0;
    for (int64_t s = 0; s < 6; s++) {
        int64_t rows = 0;
        int32_t next[PAIRS_MOST];
        for (int64_t i = 0; i < B; i++) {
            const int64_t e = (i * 5 + s) % B, at = offset[e] + s;
            if (at >= offset[e + 1]) continue;
            next[e] = (int32_t)rows;
            for (int twice = 0; twice < 2; twice++) {
                sentence[rows] = (int32_t)e;
                parent[rows] = place[e] + (twice && s > 0);
                word[rows++] = s == 0 ? VOCAB_BOS : k->target[at - 1];
            }
        }
        if (rows == 0) break;
        memcpy(place, next, sizeof place);
        GenerateOut out;
        const GenerateStep g = {rows, s, sentence, s ? parent : NULL, word};
        CHECK_OK(p->model->def->generate->step(made.state, &g, &out));
        assert_int_equal(out.weight != NULL, view != NULL);
        for (int64_t r = 0; r < rows; r++) {
            const int64_t at = offset[sentence[r]] + s;
            CHECK(same(out.logits + r * V, f->logits + at * V, V), "logits of example %d step %lld", sentence[r],
                  (long long)s);
            compared++;
            if (!view || view->weight->shape.d[1] > 1) continue;
            const int64_t first = view->keys.offset[at];
            CHECK(same(out.weight[r], view->weight->value + first, view->keys.offset[at + 1] - first),
                  "weights of example %d step %lld", sentence[r], (long long)s);
        }
    }
    assert_int_equal(compared, 2 * offset[B]);
}

TEST(words_made_one_by_one_have_the_bits_of_training)
{
    for (int i = 0; i < KINDS; i++) {
        Pairs p;
        Arena step = {0};
        Forward f;
        pairs_open(&p, false, kinds[i]);
        go_forward(&p, &step, &f);
        compare_steps(&p, &f, &step);
        arena_close(&step);
        arena_close(&p.run);
    }
}

/* With the state before in the result, what a step reads comes to light one step later: <s> not in the first. */
TEST(the_state_before_does_not_know_the_word_of_its_step)
{
    for (int before = 0; before < 2; before++) {
        Pairs p;
        Arena step = {0};
        Forward f[2];
        pairs_open(&p, false,
                   (const char *const[]){"decoder.apply", "between", "decoder.apply.state", before ? "before" : "new",
                                         "attention.score", "additive", "readout", "state", NULL});
        Param *words = params_find(&p.params, "target/embedding");
        assert_non_null(words);
        for (int i = 0; i < 2; i++) {
            for (int64_t c = 0; i && c < words->shape.d[1]; c++) words->value[VOCAB_BOS * words->shape.d[1] + c] += 1;
            go_forward(&p, &step, &f[i]);
        }
        const int64_t V = f[0].out.words.w->shape.d[0], *offset = f[0].out.seq.offset;
        for (int64_t e = 0; e < p.batch.B; e++)
            for (int64_t at = offset[e]; at < offset[e + 1]; at++)
                CHECK(same(f[0].logits + at * V, f[1].logits + at * V, V) == (before && at == offset[e]),
                      "before %d, example %d, position %d", before, (int)e, (int)(at - offset[e]));
        arena_close(&step);
        arena_close(&p.run);
    }
}

TEST(company_in_the_batch_changes_no_bit)
{
    static const char *const source[] = {"4 5 6 7", "8 9", "10 4 4 5 9", "5", "", "6 10"};
    static const char *const target[] = {"4 5", "6 7 8 4", "", "5 5 6", "8", "7 4"};
    for (int i = 0; i < KINDS; i++) {
        Pairs p;
        Arena step = {0};
        Forward all, one;
        pairs_open(&p, false, kinds[i]);
        go_forward(&p, &step, &all);
        const PredictionWords *k = &all.out.words;
        const int64_t D = k->x->shape.d[1], n = p.batch.B;
        for (int64_t e = 0; e < n; e++) {
            pairs_batch(&p, source[e], target[e]);
            go_forward(&p, &step, &one);
            const int64_t first = all.out.seq.offset[e], rows = all.out.seq.offset[e + 1] - first;
            assert_int_equal(one.out.words.x->shape.d[0], rows);
            CHECK(same(one.out.words.x->value, k->x->value + first * D, rows * D), "example %lld", (long long)e);
        }
        arena_close(&step);
        arena_close(&p.run);
    }
}

/* A batch of many examples: more rows in a step than a kernel takes at once. */
TEST(large_batches_are_made_of_the_same_rows)
{
    enum { MANY = 83 };
    int64_t example[MANY];
    for (int i = 0; i < MANY; i++) example[i] = i;
    for (int i = 0; i < KINDS; i++) {
        Pairs p;
        Arena step = {0};
        Forward f;
        pairs_open(&p, false, kinds[i]);
        int64_t from[MANY + 1], to[MANY + 1];
        int32_t from_id[4 * MANY], to_id[2 * MANY];
        for (int e = 0; e <= MANY; e++) {
            from[e] = 4 * e;
            to[e] = 2 * e;
        }
        for (int e = 0; e < 4 * MANY; e++) from_id[e] = 4 + e % 4;
        for (int e = 0; e < 2 * MANY; e++) to_id[e] = 4 + e % 2;
        p.batch = (Batch){.B = MANY, .all = MANY, .example = example, .n_fields = 2};
        p.batch.field[0] = (Ragged){test_field_of("source"), {MANY, 4 * MANY}, {from}, from_id, NULL};
        p.batch.field[1] = (Ragged){test_field_of("target"), {MANY, 2 * MANY}, {to}, to_id, NULL};
        go_forward(&p, &step, &f);
        const int64_t D = f.out.words.x->shape.d[1];
        for (int e = 1; e < MANY; e++)
            CHECK(same(f.out.words.x->value, f.out.words.x->value + e * 3 * D, 3 * D), "example %d", e);
        arena_close(&step);
        arena_close(&p.run);
    }
}

enum { COPIES = 70 }; /* more than the rows of a kernel */

static void train_forward(Pairs *p, Arena *step, Forward *f)
{
    f->tape = tape_begin(step);
    f->tape.train = true;
    f->tape.seed = 3;
    model_forward(p->model, &f->tape, &p->batch, &f->out);
    CHECK_OK(tape_status(&f->tape));
}

/* Copies of one pair; example numbers from `first` on. */
static void copies(Pairs *p, int64_t n, int64_t first, int64_t *example, int64_t at[2][COPIES + 1],
                   int32_t id[2][4 * COPIES])
{
    for (int64_t i = 0; i < n; i++) example[i] = first + i;
    p->batch = (Batch){.B = n, .all = n, .example = example, .n_fields = 2};
    for (int f = 0; f < 2; f++) {
        for (int64_t e = 0; e <= n; e++) at[f][e] = 4 * e;
        for (int64_t e = 0; e < 4 * n; e++) id[f][e] = (int32_t)(4 + e % 4);
        p->batch.field[f] = (Ragged){test_field_of(f ? "target" : "source"), {n, 4 * n}, {at[f]}, id[f], NULL};
    }
}

static const char *const dropping[] = {
    "encoder.layers", "2", "encoder.cell", "gru", "decoder.dropout_state", "0.4", "decoder.dropout", "0.4", NULL};

/* What is dropped in a row hangs on its example alone, behind the rows that a kernel takes at once too. */
TEST(masks_of_a_large_batch_are_those_of_each_example)
{
    Pairs p;
    Arena step = {0};
    Forward all, one;
    int64_t example[COPIES], at[2][COPIES + 1];
    int32_t id[2][4 * COPIES];
    pairs_open(&p, false, dropping);
    copies(&p, COPIES, 0, example, at, id);
    train_forward(&p, &step, &all);
    const int64_t size = 5 * all.out.words.x->shape.d[1];
    real *rows = arena_alloc(&step, (size_t)(COPIES * size) * sizeof *rows);
    memcpy(rows, all.out.words.x->value, (size_t)(COPIES * size) * sizeof *rows);
    int different = 0;
    for (int64_t e = 0; e < COPIES; e++) {
        copies(&p, 1, e, example, at, id);
        train_forward(&p, &step, &one);
        CHECK(same(one.out.words.x->value, rows + e * size, size), "example %d in a batch is another", (int)e);
        different += !same(rows, rows + e * size, size);
    }
    assert_int_equal(different, COPIES - 1);
    arena_close(&step);
    arena_close(&p.run);
}

static const RecurrentRun *decoder_of(const Tape *t)
{
    for (const Node *n = t->last; n; n = n->before)
        if (n->op && strcmp(n->op->name, "decoder") == 0) return n->data;
    fail_msg("no decoder");
    return NULL;
}

/* Between layers other units are dropped at every step, of the state the same ones all along. */
TEST(units_between_layers_are_dropped_anew_at_every_step)
{
    Pairs p;
    Arena step = {0};
    Forward f;
    int64_t example[COPIES], at[2][COPIES + 1], dropped = 0, alike = 0;
    int32_t id[2][4 * COPIES];
    pairs_open(&p, false, dropping);
    copies(&p, COPIES, 0, example, at, id);
    train_forward(&p, &step, &f);
    const RecurrentRun *r = decoder_of(&f.tape);
    const uint8_t *stays = r->cell[1].stays;
    const int64_t h = r->decoder->settings.hidden;
    for (int64_t t = 1; t < r->steps; t++)
        for (int64_t i = 0; i < COPIES; i++) /* all are of one length: row i of each step is one example */
            alike += memcmp(stays + (r->start[t] + i) * h, stays + (r->start[t - 1] + i) * h, (size_t)h) == 0;
    for (int64_t i = 0; i < r->slots * h; i++) dropped += !stays[i];
    const double share = (double)dropped / (double)(r->slots * h);
    CHECK(fabs(share - 0.4) < 0.05, "a share of %g is dropped", share);
    CHECK(alike < (r->steps - 1) * COPIES / 8, "%d of %d steps drop what the step before dropped", (int)alike,
          (int)((r->steps - 1) * COPIES));
    arena_close(&step);
    arena_close(&p.run);
}

TEST(a_reversed_source_gives_the_states_of_the_reversed_words_and_weights_in_the_order_of_the_words)
{
    Pairs p, q;
    Arena step = {0};
    Forward f, g;
    pairs_open(&p, false, (const char *const[]){"encoder.reverse", "true", NULL});
    pairs_open(&q, false, NULL);
    pairs_batch(&q, "7 6 5 4|9 8|9 5 4 4 10|5||10 6", PAIRS_TARGET_TEXT);
    go_forward(&p, &step, &f);
    go_forward(&q, &step, &g);
    const Node *x = f.out.words.x, *y = g.out.words.x;
    for (int64_t i = 0; i < shape_count(&x->shape); i++) CHECK_NEAR(x->value[i], y->value[i], 1e-5);
    const TapeView *v = f.tape.views, *w = g.tape.views;
    assert_int_equal(v->keys.n, f.out.seq.offset[p.batch.B]);
    for (int64_t s = 0; s < v->keys.n; s++)
        for (int64_t j = v->keys.offset[s], k = v->keys.offset[s + 1] - 1; j < v->keys.offset[s + 1]; j++, k--)
            CHECK_NEAR(v->weight->value[j], w->weight->value[k], 1e-5);
    arena_close(&step);
    arena_close(&p.run);
    arena_close(&q.run);
}

static void refuses(bool shared, const char *const *set, Status code, const char *text)
{
    Pairs p;
    CHECK_SAYS(pairs_build(&p, shared, set), code, text);
    arena_close(&p.run);
}

TEST(what_cannot_be_together_is_refused_by_name)
{
    refuses(false, (const char *const[]){"decoder.hidden", "5", NULL}, ERR_CONFIG,
            "bridge copy: the encoder has 4 units and the decoder 5; sizes that differ need bridge linear");
    refuses(false, (const char *const[]){"decoder.bridge", "backward", NULL}, ERR_CONFIG,
            "bridge backward: the encoder does not read backward; set encoder.bidirectional or encoder.reverse");
    refuses(false, (const char *const[]){"encoder.bidirectional", "true", "encoder.reverse", "true", NULL}, ERR_CONFIG,
            "encoder.reverse is for one direction, and encoder.bidirectional reads in both");
    refuses(true, (const char *const[]){"guide", "0.5", "decoder.apply", "none", NULL}, ERR_CONFIG,
            "guide 0.5 is for an attention, and the decoder looks at nothing");
    refuses(false, (const char *const[]){"tie", "source_target", NULL}, ERR_CONFIG,
            "tie source_target: source and target have vocabularies of their own; pack the corpus with one "
            "(source.shared)");
    refuses(true, (const char *const[]){"tie", "all", NULL}, ERR_CONFIG,
            "tie all: embeddings have 3 units (dim), but the output layer reads 4 (readout state)");
    refuses(
        true, (const char *const[]){"tie", "all", "embedding", "random", NULL}, ERR_CONFIG,
        "tie all: the source's embeddings are the output layer's weights, so embedding must be learned, not random");
    refuses(true, (const char *const[]){"tie", "source_target", "embedding", "one_hot", NULL}, ERR_CONFIG,
            "tie source_target: one-hot vectors are no table");
    refuses(false, (const char *const[]){"guide", "0.5", NULL}, ERR_CONFIG,
            "guide 0.5: source and target have vocabularies of their own, and none of their words are the same; pack "
            "the corpus with one (source.shared)");
    refuses(false, (const char *const[]){"sampling", "exponential", "sampling.rate", "1", NULL}, ERR_CONFIG,
            "sampling exponential: rate must be above 0 and below 1, not 1");
    refuses(false, (const char *const[]){"sampling", "inverse_sigmoid", "sampling.rate", "0.5", NULL}, ERR_CONFIG,
            "sampling inverse_sigmoid: rate must be at least 1, not 0.5");
}

/* One step of training; every gradient must be a number. */
static Status train_once(Pairs *p, Arena *step)
{
    params_zero_grad(&p->params);
    Tape t = tape_begin(step);
    t.train = true;
    Prediction out;
    model_forward(p->model, &t, &p->batch, &out);
    if (tape_status(&t) != OK) return tape_status(&t);
    Node *loss = pairs_loss(&t, &out);
    if (out.penalty) loss = op_add(&t, loss, out.penalty);
    TRY(tape_backward(&t, loss, 1));
    for (int64_t i = 0; i < p->params.dense; i++)
        REQUIRE(isfinite(p->params.grad[i]), ERR_CHECK, "gradient %lld is not finite", (long long)i);
    return OK;
}

static void walk(const char *score, const char *select, const char *range, const char *apply, int *trained)
{
    Pairs p;
    Arena step = {0};
    const char *const set[] = {
        "attention.score", score, "attention.select", select, "attention.range", range, "decoder.apply", apply, NULL};
    const char *reason = attend_refuses(score, select, range, apply);
    if (reason) {
        char want[512];
        snprintf(want, sizeof want, "score %s, select %s, range %s, apply %s: %s", score, select, range, apply, reason);
        refuses(false, set, ERR_CONFIG, want);
        return;
    }
    pairs_open(&p, false, set);
    const Status st = train_once(&p, &step);
    CHECK(st == OK, "%s %s %s %s: %s", score, select, range, apply, status_message());
    ++*trained;
    arena_close(&step);
    arena_close(&p.run);
}

TEST(every_combination_trains_or_is_refused_by_name)
{
    int trained = 0;
    for (int i = 0; score_name(i); i++)
        for (int j = 0; select_name(j); j++)
            for (int k = 0; range_name(k); k++)
                for (int l = 0; l < 2; l++) /* before and after a decoder's step */
                    walk(score_name(i), select_name(j), range_name(k), attend_apply_name(l), &trained);
    CHECK(trained > 250, "only %d combinations train", trained);
}

TEST(every_allocation_of_a_pass_may_fail)
{
    Pairs p;
    pairs_open(&p, false,
               (const char *const[]){"encoder.layers",
                                     "2",
                                     "encoder.dropout",
                                     "0.3",
                                     "decoder.dropout",
                                     "0.3",
                                     "encoder.dropout_state",
                                     "0.3",
                                     "decoder.dropout_state",
                                     "0.3",
                                     "sampling",
                                     "linear",
                                     "sampling.rate",
                                     "1",
                                     "attention.select",
                                     "hard_sample",
                                     "readout",
                                     "maxout",
                                     "decoder.bridge",
                                     "linear",
                                     NULL});
    for (long n = 1;; n++) {
        Arena step = {.fail_in = n};
        Tape t = tape_begin(&step);
        t.train = true;
        t.step = 1;
        Prediction out;
        params_zero_grad(&p.params);
        model_forward(p.model, &t, &p.batch, &out);
        Status st = tape_status(&t);
        if (st == OK) {
            Node *loss = pairs_loss(&t, &out);
            st = tape_backward(&t, op_add(&t, loss, out.penalty), 1);
        }
        const bool reached = step.fail_in == 0;
        arena_close(&step);
        if (!reached) {
            CHECK_OK(st);
            CHECK(n > 100, "only %ld allocations", n);
            break;
        }
        CHECK(st == ERR_HOST, "allocation %ld failed, but the status is %d", n, (int)st);
    }
    arena_close(&p.run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(words_made_one_by_one_have_the_bits_of_training),
        RUN(the_state_before_does_not_know_the_word_of_its_step),
        RUN(company_in_the_batch_changes_no_bit),
        RUN(large_batches_are_made_of_the_same_rows),
        RUN(masks_of_a_large_batch_are_those_of_each_example),
        RUN(units_between_layers_are_dropped_anew_at_every_step),
        RUN(a_reversed_source_gives_the_states_of_the_reversed_words_and_weights_in_the_order_of_the_words),
        RUN(what_cannot_be_together_is_refused_by_name),
        RUN(every_combination_trains_or_is_refused_by_name),
        RUN(every_allocation_of_a_pass_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
