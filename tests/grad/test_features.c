/* Captions: a generator whose encoder reads rows of numbers. Gradients, company in the batch, a small world that is
 * learnt by heart, and what cannot be. */
#include "component.h"
#include "gradient.h"
#include "io/text/vocab.h"
#include "packed.h"
#include "trainer/generate/generator.h"
#include "trainer/model/model.h"
#include "trainer/op/op.h"

enum { WIDTH = 7, KINDS = 3, SCENES = 24, MOST = 3, WORDS = VOCAB_SPECIALS + 2 * KINDS };

/* Scenes of things in a row, each a colour and a shape; the caption names them from left to right: colour, shape. */
typedef struct World {
    Arena run;
    Params params;
    Generator g;
    Batch batch;
    Packed target;
    int64_t example[SCENES], rows[SCENES + 1], words[SCENES + 1];
    float value[SCENES * MOST * WIDTH];
    int32_t word[SCENES * MOST * 2];
    _Alignas(16) char settings[1024];
} World;

static const DataField features = {
    .name = "features", .role = ROLE_FEATURES, .levels = 1, .type = FIELD_FLOATS, .width = WIDTH};

static Status build(World *w, const char *const *set)
{
    static const char *const small[] = {"dim",
                                        "4",
                                        "encoder",
                                        "features",
                                        "encoder.hidden",
                                        "5",
                                        "decoder.cell",
                                        "gru",
                                        "decoder.hidden",
                                        "4",
                                        "decoder.bridge",
                                        "mean",
                                        "embedding_spread",
                                        "0.8",
                                        NULL};
    *w = (World){0};
    w->params.arena = &w->run;
    const Component *c = component_find(model_choice, "seq2seq");
    CHECK(c->size <= sizeof w->settings, "settings of %zu bytes", c->size);
    component_settings(c, w->settings, small);
    for (; set && set[0]; set += 2) component_put(c, w->settings, set[0], set[1]);
    const GeneratorSizes size = {.features = WIDTH, .target = WORDS, .longest = MOST};
    return generator_build(&w->g, &w->params, (const GeneratorSettings *)(const void *)w->settings, &size);
}

static void add_scene(World *w, int e, int things)
{
    int64_t row = w->rows[e], word = w->words[e];
    for (int i = 0; i < things; i++, row++) {
        const int colour = (e * 5 + i * 7 + e / 3) % KINDS, shape = (e * 11 + i * 4 + e / 5) % KINDS;
        w->value[row * WIDTH + colour] = 1;
        w->value[row * WIDTH + KINDS + shape] = 1;
        w->value[row * WIDTH + 2 * KINDS] = (float)i;
        w->word[word++] = VOCAB_SPECIALS + colour;
        w->word[word++] = VOCAB_SPECIALS + KINDS + shape;
    }
    w->rows[e + 1] = row;
    w->words[e + 1] = word;
    w->example[e] = 40 + e;
}

/* things: of the first scene; the next ones have one more each, and begin again. Scene `empty` has none; -1: no such.
 */
static void fill(World *w, int first, int scenes, int empty)
{
    memset(w->value, 0, sizeof w->value);
    for (int e = 0; e < scenes; e++) add_scene(w, e, e == empty ? 0 : 1 + (first + e) % MOST);
    w->batch = (Batch){.B = scenes, .all = scenes, .example = w->example, .n_fields = 2};
    w->batch.field[0] =
        (Ragged){.field = &features, .count = {scenes, w->rows[scenes]}, .offset = {w->rows}, .value = w->value};
    w->batch.field[1] = (Ragged){
        .field = test_field_of("target"), .count = {scenes, w->words[scenes]}, .offset = {w->words}, .id = w->word};
}

static void open(World *w, const char *const *set)
{
    CHECK_OK(build(w, set));
    CHECK_OK(params_allocate(&w->params, 3));
    for (int i = 0; i < w->params.n; i++) { /* biases that are not 0 */
        Param *q = w->params.item[i];
        for (int64_t j = q->zero_row ? q->shape.d[1] : 0; j < q->count; j++)
            q->value[j] += (real)(0.3 * sin(1.3 * (double)j + i));
    }
}

static Node *loss(Tape *t, void *context)
{
    World *w = context;
    Memory *m = tape_alloc(t, sizeof *m);
    Generated made;
    generator_encode(&w->g, t, &w->batch, m);
    generator_forward(&w->g, t, &w->batch, m, &made);
    if (t->status != OK) return tape_leaf(t, SHAPE1(0), NULL, NULL);
    const Written *x = &made.written;
    Node *logits = op_add_row(t, op_linear_nt(t, x->x, x->w), x->bias);
    Node *sum = op_cross_entropy(t, logits, made.positions.output, NULL, 0);
    return x->made.penalty ? op_add(t, sum, x->made.penalty) : sum;
}

static void check_gradient(const char *const *set)
{
    World w;
    open(&w, set);
    fill(&w, 0, 5, 3); /* a scene without anything, too */
    gradient_check_params(&w.params, loss, &w, 1e-7);
    arena_close(&w.run);
}

TEST(gradient_over_all_parameters)
{
    check_gradient(NULL);
    check_gradient((const char *const[]){"encoder.places", "true", "encoder.squash", "true", "encoder.dropout", "0.3",
                                         "decoder.cell", "lstm", "decoder.layers", "2", NULL});
    check_gradient((const char *const[]){"decoder.bridge", "zero", "decoder.apply", "between", "attention.score",
                                         "additive", "readout", "maxout", "readout.width", "4", "dropout_output", "0.2",
                                         NULL});
}

/* Features of all positions and the weights of the attention. */
static void forward(World *w, Tape *t, Generated *made)
{
    Memory *m = tape_alloc(t, sizeof *m);
    generator_encode(&w->g, t, &w->batch, m);
    generator_forward(&w->g, t, &w->batch, m, made);
    CHECK_OK(tape_status(t));
}

TEST(company_in_the_batch_changes_no_bit)
{
    World w;
    Arena step = {0};
    Generated all, one;
    open(&w, (const char *const[]){"encoder.places", "true", NULL});
    fill(&w, 0, 6, 4);
    Tape t = tape_begin(&step), u;
    t.watch = true;
    forward(&w, &t, &all);
    assert_int_equal(t.views->columns.role, ROLE_FEATURES);
    const int64_t D = all.written.x->shape.d[1];
    const World whole = w;
    for (int e = 0; e < 6; e++) {
        const int64_t first = all.positions.seq.offset[e], n = all.positions.seq.offset[e + 1] - first;
        const int64_t rows = whole.rows[e + 1] - whole.rows[e], words = whole.words[e + 1] - whole.words[e];
        memcpy(w.value, whole.value + whole.rows[e] * WIDTH, (size_t)(rows * WIDTH) * sizeof *w.value);
        memcpy(w.word, whole.word + whole.words[e], (size_t)words * sizeof *w.word);
        w.rows[1] = w.batch.field[0].count[1] = rows;
        w.words[1] = w.batch.field[1].count[1] = words;
        w.batch.B = w.batch.field[0].count[0] = w.batch.field[1].count[0] = 1;
        u = tape_begin(&step);
        forward(&w, &u, &one);
        assert_int_equal(one.written.x->shape.d[0], n);
        assert_memory_equal(one.written.x->value, all.written.x->value + first * D, (size_t)(n * D) * sizeof(real));
    }
    arena_close(&step);
    arena_close(&w.run);
}

/* Adam over all parameters but tables of vectors, which stay as they are drawn. */
static void learn(World *w, int steps)
{
    Arena a = {0};
    const int64_t n = w->params.learnt;
    double *mean = arena_zeros(&a, n, sizeof *mean), *square = arena_zeros(&a, n, sizeof *square);
    for (int k = 1; k <= steps; k++) {
        const ArenaMark mark = arena_mark(&a);
        Tape t = gradient_tape(&a);
        params_zero_grad(&w->params);
        CHECK_OK(tape_backward(&t, loss(&t, w), 1));
        for (int64_t i = 0; i < n; i++) {
            const double g = (double)w->params.grad[i];
            mean[i] = 0.9 * mean[i] + 0.1 * g;
            square[i] = 0.99 * square[i] + 0.01 * g * g;
            w->params.value[i] -=
                (real)(0.02 * mean[i] / (1 - pow(0.9, k)) / (sqrt(square[i] / (1 - pow(0.99, k))) + 1e-8));
        }
        arena_release(&a, mark);
    }
    arena_close(&a);
}

/* The likeliest word, step by step: how many captions are right to the last word and their end. */
static int exact(World *w)
{
    Arena a = {0};
    Tape t = tape_begin(&a);
    Generation made;
    int32_t row[SCENES], before[SCENES];
    bool right[SCENES], ended[SCENES] = {0};
    CHECK_OK(generator_start(&w->g, &t, &w->batch, SCENES, &made));
    assert_ptr_equal(made.memory.offset, w->rows);
    for (int e = 0; e < SCENES; e++) {
        row[e] = e;
        before[e] = VOCAB_BOS;
        right[e] = true;
    }
    for (int64_t k = 0; k <= 2 * MOST; k++) {
        GenerateOut out;
        const GenerateStep step = {SCENES, k, row, k ? row : NULL, before};
        CHECK_OK(generator_step(made.state, &step, &out));
        for (int e = 0; e < SCENES; e++) {
            int32_t best = 0;
            for (int32_t v = 1; v < WORDS; v++)
                if (out.logits[e * WORDS + v] > out.logits[e * WORDS + best]) best = v;
            const int64_t at = w->words[e] + k;
            before[e] = best;
            if (ended[e]) continue;
            right[e] = right[e] && best == (at < w->words[e + 1] ? w->word[at] : VOCAB_EOS);
            ended[e] = best == VOCAB_EOS;
        }
    }
    int n = 0;
    for (int e = 0; e < SCENES; e++) n += right[e] && ended[e];
    arena_close(&a);
    return n;
}

TEST(captions_of_a_small_world_are_learnt_to_the_last_word)
{
    World w;
    open(&w, (const char *const[]){"encoder.hidden", "12", "decoder.hidden", "16", "dim", "8", "decoder.cell", "lstm",
                                   NULL});
    fill(&w, 0, SCENES, -1);
    CHECK(exact(&w) < SCENES / 2, "%d captions are right before anything was learnt", exact(&w));
    learn(&w, 250);
    assert_int_equal(exact(&w), SCENES);
    arena_close(&w.run);
}

static void refuses(const char *const *set, const char *text)
{
    World w;
    CHECK_SAYS(build(&w, set), ERR_CONFIG, text);
    arena_close(&w.run);
}

TEST(what_features_cannot_give_is_refused_by_name)
{
    refuses((const char *const[]){"decoder.bridge", "copy", NULL},
            "bridge copy: the encoder is not recurrent and leaves no last state; use bridge mean or zero");
    refuses((const char *const[]){"decoder.cell", "same", NULL},
            "decoder.cell is same, but the encoder has no cells: name one");
    refuses((const char *const[]){"decoder.hidden", "0", NULL},
            "decoder.hidden is 0, but the encoder has no recurrent units: say how many");
    refuses((const char *const[]){"tie", "all", NULL}, "tie all: encoder features reads no words");
    refuses((const char *const[]){"embedding", "pretrained", NULL},
            "embedding and frozen are of words that are read, and encoder features reads none");
    refuses((const char *const[]){"guide", "0.5", NULL},
            "guide 0.5: encoder features reads no words that could become the target's");
    World w;
    Arena step = {0};
    open(&w, (const char *const[]){"encoder.places", "true", NULL});
    fill(&w, 0, 2, -1);
    w.rows[1] = 0, w.rows[2] = 4; /* more rows than there are places */
    w.batch.field[0].count[1] = 4;
    Tape t = tape_begin(&step);
    loss(&t, &w);
    CHECK_SAYS(tape_status(&t), ERR_DATA,
               "an example has 4 rows of features, but the model has places for 3 (encoder features: places)");
    arena_close(&step);
    arena_close(&w.run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(gradient_over_all_parameters), RUN(company_in_the_batch_changes_no_bit),
                                       RUN(captions_of_a_small_world_are_learnt_to_the_last_word),
                                       RUN(what_features_cannot_give_is_refused_by_name)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
