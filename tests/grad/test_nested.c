/* Model nested: gradients over all parameters, and unknown words spelled as the forced decoder would have it. */
#include "nest.h"

static Node *loss(Tape *t, void *context)
{
    Pairs *p = context;
    Prediction out;
    model_forward(p->model, t, &p->batch, &out);
    if (t->status != OK) return out.scores;
    const PredictionWords *k = &out.words;
    Node *bias = op_reshape(t, k->bias, SHAPE1(shape_count(&k->bias->shape)));
    Node *logits = op_add_row(t, op_linear_nt(t, k->x, k->w), bias);
    Node *sum = op_cross_entropy(t, logits, k->target, NULL, 0);
    CHECK(out.penalty, "nothing was spelled");
    return op_add(t, sum, out.penalty);
}

TEST(gradient_over_all_parameters)
{
    static const char *const sets[][9] = {{"encoder.cell", "lstm", NULL},
                                          {"decoder.apply", "between", "encoder.cell", "gru", "attention.score",
                                           "additive", "characters.score", "additive", NULL},
                                          {"encoder.cell", "gru", "encoder.bidirectional", "true", "decoder.bridge",
                                           "linear", "characters.score", "concat", NULL}};
    for (int i = 0; i < 3; i++) {
        Nest n;
        nest_open(&n, sets[i]);
        gradient_check_params(&n.pairs.params, loss, &n.pairs, 1e-7);
        arena_close(&n.pairs.run);
    }
}

TEST(an_unknown_word_costs_its_characters_too)
{
    Nest n;
    nest_open(&n, NULL);
    Arena a = {0};
    Tape t = tape_begin(&a);
    Prediction out;
    model_forward(n.pairs.model, &t, &n.pairs.batch, &out);
    CHECK_OK(tape_status(&t));
    /* its source has no word to spell from: the 1 of the fourth example */
    static const bool spelled[] = {1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0};
    double sum = 0;
    assert_int_equal(out.seq.offset[5], COUNT(spelled));
    for (int i = 0; i < (int)COUNT(spelled); i++) {
        CHECK((out.words.more[i] > 0) == spelled[i], "position %d costs %g", i, out.words.more[i]);
        sum += out.words.more[i];
    }
    CHECK_NEAR(sum, out.penalty->value[0], 1e-12);
    arena_close(&a);
    arena_close(&n.pairs.run);
}

/* Plain gradient descent on one pair; tables of vectors stay as they are. */
static void learn(Nest *n, int steps)
{
    Params *ps = &n->pairs.params;
    Arena a = {0};
    for (int i = 0; i < steps; i++) {
        const ArenaMark mark = arena_mark(&a);
        Tape t = gradient_tape(&a);
        params_zero_grad(ps);
        CHECK_OK(tape_backward(&t, loss(&t, &n->pairs), 1));
        for (int64_t k = 0; k < ps->learnt; k++) ps->value[k] -= (real)0.2 * ps->grad[k];
        arena_release(&a, mark);
    }
    arena_close(&a);
}

TEST(words_that_were_learnt_are_spelled)
{
    Nest n;
    nest_open(&n, (const char *const[]){"encoder.cell", "gru", "encoder.hidden", "8", "characters.hidden", "8", NULL});
    pairs_batch(&n.pairs, "4 1 6|5 1", "5 1|1 1");
    n.pairs.batch.field[2] = packed_field(&n.source_chars, "source_chars", 2, "4 5/6 7 8/5/|4/9 5/");
    n.pairs.batch.field[3] = packed_field(&n.target_chars, "target_chars", 2, "4/8 6 6 7/|9 4/5 5 5/");
    n.pairs.batch.n_fields = 4;
    learn(&n, 600);
    n.pairs.batch.n_fields = 3; /* the target is not read */
    Arena a = {0};
    Tape t = tape_begin(&a);
    const int32_t first[] = {5, VOCAB_UNK}, second[] = {VOCAB_UNK, VOCAB_UNK};
    const GenerateWords words[] = {{2, first}, {2, second}};
    GenerateSpelled spelled;
    CHECK_OK(n.pairs.model->def->generate->spell(n.pairs.model, &t, &n.pairs.batch, words, &spelled));
    static const int32_t expected[] = {8, 6, 6, 7, 9, 4, 5, 5, 5}, of[] = {0, 1, 1}, place[] = {1, 0, 1};
    static const int64_t offset[] = {0, 4, 6, 9};
    assert_int_equal(spelled.n, 3);
    assert_memory_equal(spelled.example, of, sizeof of);
    assert_memory_equal(spelled.word, place, sizeof place);
    assert_memory_equal(spelled.offset, offset, sizeof offset);
    assert_memory_equal(spelled.id, expected, sizeof expected);
    arena_close(&a);
    arena_close(&n.pairs.run);
}

/* Twice the characters of its source's word, and ten, whatever stands beside it. What is no character is not written.
 */
TEST(a_word_that_never_ends_is_cut)
{
    for (int always = VOCAB_UNK; always < CHARACTERS; always += 5) {
        Nest n;
        nest_open(&n, NULL);
        nest_batch(&n, "5|4||5", "8|8||8", "4 5 6/|5/||4/", "8/|8/||8/");
        Param *bias = params_find(&n.pairs.params, "characters/output/b");
        for (int i = 0; i < CHARACTERS; i++) bias->value[i] = i == always ? 100 : 0;
        Arena a = {0};
        Tape t = tape_begin(&a);
        const int32_t one[] = {VOCAB_UNK};
        const GenerateWords words[] = {{1, one}, {1, one}, {1, one}, {0, one}};
        GenerateSpelled spelled; /* the source of the third example has no word to spell from */
        CHECK_OK(n.pairs.model->def->generate->spell(n.pairs.model, &t, &n.pairs.batch, words, &spelled));
        assert_int_equal(spelled.n, 2);
        assert_int_equal(spelled.example[1], 1);
        assert_int_equal(spelled.offset[1], always < VOCAB_SPECIALS ? 0 : 16);
        assert_int_equal(spelled.offset[2], always < VOCAB_SPECIALS ? 0 : 16 + 12);
        arena_close(&a);
        arena_close(&n.pairs.run);
    }
}

TEST(what_cannot_be_is_refused)
{
    Nest n;
    CHECK_SAYS(nest_build(&n, CHARACTERS, (const char *const[]){"decoder.apply", "none", NULL}), ERR_CONFIG,
               "model nested needs an attention: apply none has none");
    arena_close(&n.pairs.run);
    CHECK_SAYS(nest_build(&n, 0, NULL), ERR_DATA, "model nested: the corpus has no vocabulary characters");
    arena_close(&n.pairs.run);
    nest_open(&n, NULL);
    n.pairs.batch.field[2] = packed_field(&n.source_chars, "source_chars", 2, "4/5/");
    Arena a = {0};
    Tape t = tape_begin(&a);
    Prediction out;
    model_forward(n.pairs.model, &t, &n.pairs.batch, &out);
    CHECK_SAYS(tape_status(&t), ERR_DATA, "model nested: 9 words, but characters of 2: it takes words, not subwords");
    arena_close(&a);
    arena_close(&n.pairs.run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(gradient_over_all_parameters), RUN(an_unknown_word_costs_its_characters_too),
                                       RUN(words_that_were_learnt_are_spelled), RUN(a_word_that_never_ends_is_cut),
                                       RUN(what_cannot_be_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
