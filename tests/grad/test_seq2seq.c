/* Gradients of sequence-to-sequence models over all parameters; words made one by one as training has them. */
#include "gradient.h"
#include "pairs.h"

static Node *loss(Tape *t, void *context)
{
    Pairs *p = context;
    ModelOutput out;
    model_forward(p->model, t, &p->batch, &out);
    if (!out.tokens) return out.logits;
    const ModelTokens *k = out.tokens;
    Node *bias = op_reshape(t, k->bias, SHAPE1(shape_count(&k->bias->shape)));
    Node *logits = op_add_row(t, op_linear_nt(t, k->x, k->w), bias);
    Node *sum = op_cross_entropy(t, logits, k->target, NULL, 0);
    return out.penalty ? op_add(t, sum, out.penalty) : sum;
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
    CHECK_WITH("apply", "none", "cell", "lstm");
    CHECK_WITH("apply", "none", "cell", "gru", "layers", "2");
    CHECK_WITH("apply", "none", "cell", "rnn", "reverse_source", "true");
}

TEST(gradient_of_attention_after_the_step)
{
    CHECK_WITH("cell", "lstm");
    CHECK_WITH("cell", "gru", "layers", "3", "input_feeding", "false");
    CHECK_WITH("cell", "rnn", "layers", "2", "bidirectional", "true", "score", "concat");
}

TEST(gradient_of_attention_between_the_steps)
{
    CHECK_WITH("apply", "between", "cell", "gru", "score", "additive", "bidirectional", "true", "readout", "maxout",
               "bridge", "backward");
    CHECK_WITH("apply", "between", "cell", "lstm", "score", "general", "layers", "2", "readout", "tanh");
    CHECK_WITH("apply", "between", "cell", "rnn", "score", "dot");
}

TEST(gradient_of_every_bridge)
{
    CHECK_WITH("bridge", "linear", "bidirectional", "true", "layers", "2", "decoder_hidden", "5");
    CHECK_WITH("bridge", "copy", "bidirectional", "true");
    CHECK_WITH("bridge", "backward", "reverse_source", "true");
    CHECK_WITH("bridge", "zero", "decoder_hidden", "3");
}

TEST(gradient_of_every_readout)
{
    CHECK_WITH("readout", "tanh");
    CHECK_WITH("readout", "maxout", "apply", "none");
}

TEST(gradient_with_dropout_everywhere)
{
    CHECK_WITH("layers", "2", "dropout_embedding", "0.3", "dropout_layers", "0.4", "dropout_state", "0.3",
               "dropout_output", "0.2");
    CHECK_WITH("layers", "2", "cell", "gru", "dropout_layers", "0.4", "dropout_state", "0.3", "apply", "between",
               "readout", "maxout");
}

TEST(gradient_with_tied_tables)
{
    check(true, (const char *const[]){"tie", "source_target", NULL});
    check(false, (const char *const[]){"tie", "target_output", "dim", "4", NULL});
    check(true, (const char *const[]){"tie", "all", "readout", "tanh", "maxout", "3", NULL});
}

TEST(gradient_with_several_rows_ranges_and_penalties)
{
    CHECK_WITH("score", "multi_dim", "orthogonality", "0.3", "apply", "after");
    CHECK_WITH("range", "local_p", "score", "general");
    CHECK_WITH("range", "local_m", "score", "location");
    CHECK_WITH("coverage", "true", "coverage_loss", "0.5", "score", "additive", "apply", "between");
}

TEST(gradient_with_scheduled_sampling)
{
    CHECK_WITH("sampling", "linear", "sampling_rate", "1", "sampling_least", "0.5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(gradient_without_attention),
                                       RUN(gradient_of_attention_after_the_step),
                                       RUN(gradient_of_attention_between_the_steps),
                                       RUN(gradient_of_every_bridge),
                                       RUN(gradient_of_every_readout),
                                       RUN(gradient_with_dropout_everywhere),
                                       RUN(gradient_with_tied_tables),
                                       RUN(gradient_with_several_rows_ranges_and_penalties),
                                       RUN(gradient_with_scheduled_sampling)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
