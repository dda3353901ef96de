/* Sequence to sequence: word by word gives the bits of training, company changes none, and what cannot be is refused.
 */
#include "pairs.h"
#include "trainer/core/panel.h"
#include "trainer/layer/decoder.h"
#include "trainer/model/seq2seq.h"

static const char *const kinds[][16] = {
    {"apply", "none", "layers", "2", NULL},
    {"cell", "lstm", "layers", "2", NULL},
    {"cell", "gru", "apply", "between", "score", "additive", "bidirectional", "true", "readout", "maxout", "bridge",
     "backward", NULL},
    {"cell", "rnn", "score", "multi_dim", "input_feeding", "false", "readout", "tanh", NULL},
    {"cell", "lstm", "apply", "between", "score", "additive", "coverage", "true", "range", "local_p", NULL},
    {"cell", "gru", "score", "general", "select", "sparsemax", "range", "local_m", "hidden", "19", NULL}};

enum { KINDS = sizeof kinds / sizeof *kinds };

/* Features and logits of all positions of the batch. */
typedef struct Forward {
    Tape tape;
    ModelOutput out;
    real *logits; /* (N,V) */
} Forward;

static void go_forward(Pairs *p, Arena *step, Forward *f)
{
    f->tape = tape_begin(step);
    f->tape.watch = true;
    model_forward(p->model, &f->tape, &p->batch, &f->out);
    CHECK_OK(tape_status(&f->tape));
    const Node *x = f->out.tokens->x, *w = f->out.tokens->w;
    const int64_t N = x->shape.d[0], D = x->shape.d[1], V = w->shape.d[0];
    Panel panel;
    CHECK_OK(panel_pack(&panel, step, w->value, true, D, V));
    f->logits = arena_alloc(step, (size_t)(N * V) * sizeof(real));
    panel_gemm_bias(N, x->value, D, &panel, f->out.tokens->bias->value, f->logits, V);
}

static bool same(const real *a, const real *b, int64_t n) { return memcmp(a, b, (size_t)n * sizeof *a) == 0; }

/* Row r of each step is example order[r], twice in a row; rows change their places from step to step. */
static void compare_steps(Pairs *p, const Forward *f, Arena *step)
{
    const ModelTokens *k = f->out.tokens;
    const int64_t B = p->batch.B, V = k->w->shape.d[0];
    const TapeView *view = f->tape.views;
    Tape t = tape_begin(step);
    void *state = NULL;
    CHECK_OK(p->model->def->generate->open(p->model, &t, &p->batch, 2 * B, &state));
    int32_t sentence[2 * PAIRS_MOST], parent[2 * PAIRS_MOST], word[2 * PAIRS_MOST], place[PAIRS_MOST] = {0};
    int64_t compared = 0;
    for (int64_t s = 0; s < 6; s++) {
        int64_t rows = 0;
        int32_t next[PAIRS_MOST];
        for (int64_t i = 0; i < B; i++) {
            const int64_t e = (i * 5 + s) % B, at = k->seq.offset[e] + s;
            if (at >= k->seq.offset[e + 1]) continue;
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
        CHECK_OK(p->model->def->generate->step(state, &g, &out));
        assert_int_equal(out.weight != NULL, view != NULL);
        for (int64_t r = 0; r < rows; r++) {
            const int64_t at = k->seq.offset[sentence[r]] + s;
            CHECK(same(out.logits + r * V, f->logits + at * V, V), "logits of example %d step %lld", sentence[r],
                  (long long)s);
            compared++;
            if (!view || view->weight->shape.d[1] > 1) continue;
            const int64_t first = view->keys.offset[at];
            CHECK(same(out.weight[r], view->weight->value + first, view->keys.offset[at + 1] - first),
                  "weights of example %d step %lld", sentence[r], (long long)s);
        }
    }
    assert_int_equal(compared, 2 * k->seq.offset[B]);
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
        const ModelTokens *k = all.out.tokens;
        const int64_t D = k->x->shape.d[1], n = p.batch.B;
        for (int64_t e = 0; e < n; e++) {
            pairs_batch(&p, source[e], target[e]);
            go_forward(&p, &step, &one);
            const int64_t first = k->seq.offset[e], rows = k->seq.offset[e + 1] - first;
            assert_int_equal(one.out.tokens->x->shape.d[0], rows);
            CHECK(same(one.out.tokens->x->value, k->x->value + first * D, rows * D), "example %lld", (long long)e);
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
        p.batch.field[0] = (Ragged){"source", 1, {MANY, 4 * MANY}, {from}, from_id, NULL};
        p.batch.field[1] = (Ragged){"target", 1, {MANY, 2 * MANY}, {to}, to_id, NULL};
        go_forward(&p, &step, &f);
        const int64_t D = f.out.tokens->x->shape.d[1];
        for (int e = 1; e < MANY; e++)
            CHECK(same(f.out.tokens->x->value, f.out.tokens->x->value + e * 3 * D, 3 * D), "example %d", e);
        arena_close(&step);
        arena_close(&p.run);
    }
}

TEST(a_reversed_source_gives_the_states_of_the_reversed_words_and_weights_in_the_order_of_the_words)
{
    Pairs p, q;
    Arena step = {0};
    Forward f, g;
    pairs_open(&p, false, (const char *const[]){"reverse_source", "true", NULL});
    pairs_open(&q, false, NULL);
    pairs_batch(&q, "7 6 5 4|9 8|9 5 4 4 10|5||10 6", PAIRS_TARGET_TEXT);
    go_forward(&p, &step, &f);
    go_forward(&q, &step, &g);
    const Node *x = f.out.tokens->x, *y = g.out.tokens->x;
    for (int64_t i = 0; i < shape_count(&x->shape); i++) CHECK_NEAR(x->value[i], y->value[i], 1e-5);
    const TapeView *v = f.tape.views, *w = g.tape.views;
    assert_int_equal(v->keys.n, f.out.tokens->seq.offset[p.batch.B]);
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
    refuses(false, (const char *const[]){"decoder_hidden", "5", NULL}, ERR_CONFIG,
            "bridge copy: the encoder has 4 units and the decoder 5; sizes that differ need bridge linear");
    refuses(false, (const char *const[]){"bridge", "backward", NULL}, ERR_CONFIG,
            "bridge backward: the encoder does not read backward; set bidirectional or reverse_source");
    refuses(false, (const char *const[]){"tie", "source_target", NULL}, ERR_CONFIG,
            "tie source_target: source and target have vocabularies of their own; pack the corpus with a shared one");
    refuses(true, (const char *const[]){"tie", "all", NULL}, ERR_CONFIG,
            "tie all: embeddings have 3 units (dim), but the output layer reads 4 (readout state)");
    refuses(
        true, (const char *const[]){"tie", "all", "embedding", "random", NULL}, ERR_CONFIG,
        "tie all: the source's embeddings are the output layer's weights, so embedding must be learned, not random");
    refuses(true, (const char *const[]){"tie", "source_target", "embedding", "one_hot", NULL}, ERR_CONFIG,
            "tie source_target: one-hot vectors are no table");
    refuses(false, (const char *const[]){"sampling", "exponential", "sampling_rate", "1", NULL}, ERR_CONFIG,
            "sampling exponential: sampling_rate must be above 0 and below 1, not 1");
    refuses(false, (const char *const[]){"sampling", "inverse_sigmoid", "sampling_rate", "0.5", NULL}, ERR_CONFIG,
            "sampling inverse_sigmoid: sampling_rate must be at least 1, not 0.5");
}

TEST(the_teachers_share_falls_as_the_three_decays_say)
{
    Seq2SeqSettings s = {.sampling = "linear", .sampling_rate = 0.01, .sampling_least = 0.2, .sampling_start = 10};
    CHECK_NEAR(seq2seq_teacher_share(&s, 5), 1, 0);
    CHECK_NEAR(seq2seq_teacher_share(&s, 30), 0.8, 1e-15);
    CHECK_NEAR(seq2seq_teacher_share(&s, 1000), 0.2, 0);
    s = (Seq2SeqSettings){.sampling = "exponential", .sampling_rate = 0.99};
    CHECK_NEAR(seq2seq_teacher_share(&s, 100), 0.36603234127322950493, 1e-14);
    s = (Seq2SeqSettings){.sampling = "inverse_sigmoid", .sampling_rate = 100};
    CHECK_NEAR(seq2seq_teacher_share(&s, 0), 100.0 / 101, 1e-15);
    CHECK_NEAR(seq2seq_teacher_share(&s, 500), 100 / (100 + exp(5)), 1e-15);
    s = (Seq2SeqSettings){.sampling = "none"};
    CHECK_NEAR(seq2seq_teacher_share(&s, 100000), 1, 0);
}

/* Inputs that scheduled sampling made for the batch at some step. */
static void sampled(Pairs *p, Arena *step, uint64_t at, Seq2SeqTarget *target)
{
    Tape t = tape_begin(step);
    t.train = true;
    t.seed = 7;
    t.step = at;
    Seq2SeqSource source;
    seq2seq_encode(p->model, &t, &p->batch, &source);
    CHECK_OK(seq2seq_target(p->model, step, &p->batch, target));
    CHECK_OK(seq2seq_sample(p->model, &t, &p->batch, &source, target));
}

TEST(scheduled_sampling_tosses_a_coin_for_each_position_and_does_not_hang_on_the_batch)
{
    static const char *const source[] = {"4 5 6 7", "8 9", "10 4 4 5 9"};
    Pairs p;
    Arena step = {0};
    pairs_open(&p, false,
               (const char *const[]){"sampling", "linear", "sampling_least", "0.5", "sampling_rate", "1", NULL});
    int64_t positions = 0, replaced = 0;
    for (uint64_t at = 1; at <= 200; at++) {
        Seq2SeqTarget all, one;
        pairs_batch(&p, "4 5 6 7|8 9|10 4 4 5 9", "4 5 4 5 4 5|6 7 8 4|5 5 5");
        sampled(&p, &step, at, &all);
        for (int64_t e = 0; e < 3; e++) {
            const int64_t first = all.seq.offset[e], n = all.seq.offset[e + 1] - first;
            assert_int_equal(all.input[first], VOCAB_BOS);
            assert_int_equal(all.output[first + n - 1], VOCAB_EOS);
            positions += n - 1;
            for (int64_t j = 1; j < n; j++) replaced += all.input[first + j] != all.output[first + j - 1];
        }
        pairs_batch(&p, source[0], "4 5 4 5 4 5"); /* the first example, alone */
        sampled(&p, &step, at, &one);
        assert_memory_equal(one.input, all.input, 7 * sizeof *one.input);
        arena_release(&step, (ArenaMark){0});
    }
    /* half of them are the model's own, of which about 1 in 9 is the true one by chance: 0.44, deviation 0.011 */
    const double share = (double)replaced / (double)positions;
    CHECK(share > 0.36 && share < 0.5, "%lld of %lld inputs are the model's own", (long long)replaced,
          (long long)positions);
    arena_close(&step);
    arena_close(&p.run);
}

static double own_share(const char *choose, uint64_t at)
{
    Pairs p;
    Arena step = {0};
    pairs_open(&p, false,
               (const char *const[]){"sampling", "linear", "sampling_rate", "1", "sampling_choose", choose, NULL});
    Seq2SeqTarget target;
    sampled(&p, &step, at, &target);
    /* every input is the model's own: what it makes of them must be what it made */
    Tape t = tape_begin(&step);
    Seq2SeqSource source;
    seq2seq_encode(p.model, &t, &p.batch, &source);
    Seq2SeqSteps *s;
    CHECK_OK(seq2seq_open(&s, p.model, &t, &source, 1));
    int64_t most_likely = 0, n = 0;
    const int64_t e = 1;
    for (int64_t j = target.seq.offset[e]; j + 1 < target.seq.offset[e + 1]; j++, n++) {
        GenerateOut out;
        const GenerateStep g = {1, n, (const int32_t[]){(int32_t)e}, n ? (const int32_t[]){0} : NULL, &target.input[j]};
        CHECK_OK(seq2seq_step(s, &g, &out));
        int64_t best = 0;
        for (int64_t v = 1; v < PAIRS_TARGET; v++)
            if (out.logits[v] > out.logits[best]) best = v;
        most_likely += target.input[j + 1] == best;
    }
    arena_close(&step);
    arena_close(&p.run);
    return (double)most_likely / (double)n;
}

TEST(the_models_own_words_are_the_most_likely_or_drawn)
{
    double drawn = 0;
    for (uint64_t at = 1; at <= 50; at++) {
        CHECK_NEAR(own_share("argmax", at), 1, 0);
        drawn += own_share("sample", at) / 50;
    }
    CHECK(drawn > 0.05 && drawn < 0.9, "the most likely word is drawn in %g of the cases", drawn);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(words_made_one_by_one_have_the_bits_of_training),
        RUN(company_in_the_batch_changes_no_bit),
        RUN(large_batches_are_made_of_the_same_rows),
        RUN(a_reversed_source_gives_the_states_of_the_reversed_words_and_weights_in_the_order_of_the_words),
        RUN(what_cannot_be_together_is_refused_by_name),
        RUN(the_teachers_share_falls_as_the_three_decays_say),
        RUN(scheduled_sampling_tosses_a_coin_for_each_position_and_does_not_hang_on_the_batch),
        RUN(the_models_own_words_are_the_most_likely_or_drawn)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
