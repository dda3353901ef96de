/* Gradients of sequence-to-sequence models over all parameters; words made one by one as training has them. */
#include "gradient.h"
#include "pairs.h"
#include "trainer/generate/decoder/recurrent_run.h"

static Node *with_penalty(Tape *t, Node *sum, const Prediction *out)
{
    return out->penalty ? op_add(t, sum, out->penalty) : sum;
}

static Node *loss(Tape *t, void *context)
{
    Pairs *p = context;
    Prediction out;
    model_forward(p->model, t, &p->batch, &out);
    if (t->status != OK) return out.scores;
    const PredictionWords *k = &out.words;
    Node *logits = op_add_row(t, op_linear_nt(t, k->x, k->w), k->bias);
    return with_penalty(t, op_cross_entropy(t, logits, k->target, NULL, 0), &out);
}

/* The same as training has it: with the loss of each position, which rewards are made of. */
static Node *loss_in_pieces(Tape *t, Pairs *p)
{
    Prediction out;
    model_forward(p->model, t, &p->batch, &out);
    return with_penalty(t, pairs_loss(t, &out), &out);
}

static void check(bool shared, const char *const *set)
{
    Pairs p;
    pairs_open(&p, shared, set);
    gradient_check_params(&p.params, loss, &p, 1e-7);
    arena_close(&p.run);
}

#define CHECK_WITH(...) check(false, (const char *const[]){__VA_ARGS__, NULL})

TEST(gradient_without_attention)
{
    CHECK_WITH("decoder.apply", "none", "encoder.cell", "lstm");
    CHECK_WITH("decoder.apply", "none", "encoder.cell", "gru", "encoder.layers", "2");
    CHECK_WITH("decoder.apply", "none", "encoder.cell", "rnn", "encoder.reverse", "true");
}

TEST(gradient_of_attention_after_the_step)
{
    CHECK_WITH("encoder.cell", "lstm");
    CHECK_WITH("encoder.cell", "gru", "encoder.layers", "3", "decoder.apply.input_feeding", "false");
    CHECK_WITH("encoder.cell", "rnn", "encoder.layers", "2", "encoder.bidirectional", "true", "attention.score",
               "concat");
}

TEST(gradient_of_attention_between_the_steps)
{
    CHECK_WITH("decoder.apply", "between", "encoder.cell", "gru", "attention.score", "additive",
               "encoder.bidirectional", "true", "readout", "maxout", "decoder.bridge", "backward");
    CHECK_WITH("decoder.apply", "between", "encoder.cell", "lstm", "attention.score", "general", "encoder.layers", "2",
               "readout", "tanh");
    CHECK_WITH("decoder.apply", "between", "encoder.cell", "rnn", "attention.score", "dot");
}

/* Bahdanau's appendix: the reset gate before the product, the state before the step in its result. */
TEST(gradient_with_the_state_before_in_the_result)
{
    CHECK_WITH("decoder.apply", "between", "decoder.apply.state", "before", "encoder.cell", "gru", "encoder.cell.reset",
               "before", "attention.score", "additive", "encoder.bidirectional", "true", "readout", "maxout",
               "decoder.bridge", "backward", "decoder.dropout_state", "0.3");
    CHECK_WITH("decoder.apply", "between", "decoder.apply.state", "before", "encoder.cell", "lstm", "attention.score",
               "general", "encoder.layers", "2", "decoder.dropout", "0.4", "readout", "tanh");
}

TEST(gradient_of_every_bridge)
{
    CHECK_WITH("decoder.bridge", "linear", "encoder.bidirectional", "true", "encoder.layers", "2", "decoder.hidden",
               "5");
    CHECK_WITH("decoder.bridge", "copy", "encoder.bidirectional", "true");
    CHECK_WITH("decoder.bridge", "backward", "encoder.reverse", "true");
    CHECK_WITH("decoder.bridge", "zero", "decoder.hidden", "3");
}

TEST(gradient_of_every_readout)
{
    CHECK_WITH("readout", "tanh");
    CHECK_WITH("readout", "maxout", "decoder.apply", "none");
}

TEST(gradient_with_dropout_everywhere)
{
    CHECK_WITH("encoder.layers", "2", "dropout_embedding", "0.3", "encoder.dropout", "0.4", "decoder.dropout", "0.4",
               "encoder.dropout_state", "0.3", "decoder.dropout_state", "0.3", "dropout_output", "0.2");
    CHECK_WITH("encoder.layers", "2", "encoder.cell", "gru", "encoder.dropout", "0.4", "decoder.dropout", "0.4",
               "encoder.dropout_state", "0.3", "decoder.dropout_state", "0.3", "decoder.apply", "between", "readout",
               "maxout");
}

TEST(gradient_with_tied_tables)
{
    check(true, (const char *const[]){"tie", "source_target", NULL});
    check(false, (const char *const[]){"tie", "target_output", "dim", "4", NULL});
    check(true, (const char *const[]){"tie", "all", "readout", "tanh", NULL});
}

TEST(gradient_with_several_rows_ranges_and_penalties)
{
    CHECK_WITH("attention.score", "multi_dim", "attention.score.orthogonality", "0.3", "decoder.apply", "after");
    CHECK_WITH("attention.range", "local_p", "attention.score", "general");
    CHECK_WITH("attention.range", "local_m", "attention.score", "location");
    CHECK_WITH("attention.score", "additive", "attention.score.coverage", "true", "attention.coverage_loss", "0.5",
               "decoder.apply", "between");
}

TEST(gradient_with_a_guide)
{
    check(true, (const char *const[]){"guide", "0.7", NULL});
    check(true, (const char *const[]){"guide", "0.7", "decoder.apply", "between", "attention.score", "additive",
                                      "encoder.cell", "gru", NULL});
}

TEST(gradient_with_scheduled_sampling)
{
    CHECK_WITH("sampling", "linear", "sampling.rate", "1", "sampling.least", "0.5");
}

/* Hard attention on one pair of three source words and two positions: nine ways to choose. */
enum { CHOICES = 9, KEYS = 3 };

typedef struct Choices {
    bool seen[CHOICES];
    double probability[CHOICES], loss[CHOICES];
} Choices;

static const RecurrentRun *decoder_of(const Tape *t)
{
    for (const Node *n = t->last; n; n = n->before)
        if (n->op && strcmp(n->op->name, "decoder") == 0) return n->data;
    fail_msg("no decoder");
    return NULL;
}

/* One pass at some step of the training: which choice, its probability, the loss. Gradients when back is set. */
static void draw(Pairs *p, Arena *a, uint64_t step, bool back, Choices *c)
{
    const ArenaMark mark = arena_mark(a);
    Tape t = gradient_tape(a);
    t.step = step;
    Node *sum = loss_in_pieces(&t, p);
    CHECK_OK(tape_status(&t));
    const AttendRun *r = decoder_of(&t)->attend;
    int way = 0;
    double probability = 1;
    for (int64_t slot = 0; slot < 2; slot++)
        for (int j = 0; j < KEYS; j++)
            if (attend_weights(r, slot)[j] == 1) {
                way = way * KEYS + j;
                probability *= (double)attend_kept(r, slot)[j];
            }
    c->seen[way] = true;
    c->probability[way] = probability;
    c->loss[way] = (double)sum->value[0];
    if (back) CHECK_OK(tape_backward(&t, sum, 1));
    arena_release(a, mark);
}

/* sum over the ways of probability times loss */
static double expected_loss(Pairs *p, Arena *a)
{
    Choices c = {0};
    int missing = CHOICES;
    for (uint64_t step = 0; missing > 0 && step < 3000; step++) {
        draw(p, a, step, false, &c);
        missing = 0;
        for (int i = 0; i < CHOICES; i++) missing += !c.seen[i];
    }
    assert_int_equal(missing, 0);
    double sum = 0, all = 0;
    for (int i = 0; i < CHOICES; i++) {
        sum += c.probability[i] * c.loss[i];
        all += c.probability[i];
    }
    CHECK_NEAR(all, 1, 1e-12);
    return sum;
}

/* The mean gradient of many draws against central differences of the expected loss. Its spread is estimated from the
 * draws; 5 standard deviations of the mean are allowed. */
static void check_reward(const char *const *set)
{
    enum { DRAWS = 3000 };
    Pairs p;
    Arena a = {0};
    pairs_open(&p, false, set);
    pairs_batch(&p, "4 9 6", "5");
    const int64_t n = p.params.learnt;
    double *sum = arena_zeros(&a, n, sizeof *sum), *square = arena_zeros(&a, n, sizeof *square);
    Choices c = {0};
    for (uint64_t step = 0; step < DRAWS; step++) {
        params_zero_grad(&p.params);
        draw(&p, &a, step, true, &c);
        for (int64_t i = 0; i < n; i++) {
            sum[i] += (double)p.params.grad[i];
            square[i] += (double)(p.params.grad[i] * p.params.grad[i]);
        }
    }
    for (int k = 0; k < p.params.n; k++) {
        const Param *q = p.params.item[k];
        if (q->as_rows || q->average > 0) continue;
        for (int64_t j = 0; j < q->count; j += q->count / 4 + 1) {
            const double mean = sum[q->offset + j] / DRAWS;
            const double spread = sqrt((square[q->offset + j] / DRAWS - mean * mean) / DRAWS), h = 1e-4;
            const real keep = q->value[j];
            q->value[j] = keep + h;
            const double up = expected_loss(&p, &a);
            q->value[j] = keep - h;
            const double down = expected_loss(&p, &a);
            q->value[j] = keep;
            const double want = (up - down) / (2 * h);
            CHECK(fabs(mean - want) <= 5 * spread + 1e-6, "%s[%lld]: mean %g, expected %g, deviation %g", q->name,
                  (long long)j, mean, want, spread);
        }
    }
    arena_close(&a);
    arena_close(&p.run);
}

TEST(hard_attention_follows_the_gradient_of_the_expected_loss)
{
    check_reward((const char *const[]){"attention.select", "hard_sample", "attention.select.entropy", "0",
                                       "encoder.layers", "1", NULL});
    check_reward((const char *const[]){"attention.select", "hard_sample", "attention.select.entropy", "0",
                                       "encoder.layers", "1", "decoder.apply.input_feeding", "false", NULL});
    check_reward((const char *const[]){"attention.select", "hard_sample", "attention.select.entropy", "0",
                                       "decoder.apply", "between", "encoder.cell", "gru", "attention.score", "additive",
                                       NULL});
}

TEST(the_baseline_gets_the_sum_of_the_log_probabilities)
{
    Pairs p;
    Arena a = {0};
    pairs_open(&p, false,
               (const char *const[]){"attention.select", "hard_sample", "attention.select.entropy", "0", NULL});
    const Param *baseline = params_find(&p.params, "attention/baseline");
    assert_non_null(baseline);
    params_zero_grad(&p.params);
    Tape t = gradient_tape(&a);
    Node *sum = loss_in_pieces(&t, &p);
    CHECK_OK(tape_backward(&t, sum, 1));
    CHECK_NEAR(baseline->grad[0], -sum->value[0], 1e-10);
    arena_close(&a);
    arena_close(&p.run);
}

TEST(gradient_through_relaxed_and_sparse_selections)
{
    CHECK_WITH("attention.select", "gumbel", "attention.select.temperature", "0.7", "attention.select.temperature_rate",
               "0.1");
    CHECK_WITH("attention.select", "sparsemax", "decoder.apply", "between", "attention.score", "additive");
    CHECK_WITH("attention.select", "entmax15", "attention.range", "local_p");
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(gradient_without_attention),
                                       RUN(gradient_of_attention_after_the_step),
                                       RUN(gradient_of_attention_between_the_steps),
                                       RUN(gradient_with_the_state_before_in_the_result),
                                       RUN(gradient_of_every_bridge),
                                       RUN(gradient_of_every_readout),
                                       RUN(gradient_with_dropout_everywhere),
                                       RUN(gradient_with_tied_tables),
                                       RUN(gradient_with_several_rows_ranges_and_penalties),
                                       RUN(gradient_with_a_guide),
                                       RUN(gradient_with_scheduled_sampling),
                                       RUN(hard_attention_follows_the_gradient_of_the_expected_loss),
                                       RUN(the_baseline_gets_the_sum_of_the_log_probabilities),
                                       RUN(gradient_through_relaxed_and_sparse_selections)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
