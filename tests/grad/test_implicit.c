/* What an output hangs on, against central differences: each word of the input is another one, so that its row in the
 * tables is its vector; and a word that comes several times, whose row is stretched. */
#include <string.h>

#include "component.h"
#include "gradient.h"
#include "model_data.h"
#include "packed.h"
#include "trainer/look/implicit.h"
#include "trainer/model/model.h"
#include "trainer/op/op.h"

enum { WORDS = 16, LABELS = 9, CHARACTERS = 10, SETTINGS_BYTES = 1024, FIELDS = 4, STEPS_MOST = 16 };

typedef struct Case {
    Arena run, scratch;
    Params params;
    Model *model;
    Task *task;
    Batch batch;
    Packed field[FIELDS];
    int64_t example[1];
    _Alignas(16) char settings[SETTINGS_BYTES];
} Case;

/* The task that takes what the model predicts; none of its settings is asked here. */
static void open(Case *c, const char *model, const char *const *set)
{
    *c = (Case){.example = {7}};
    c->params.arena = &c->run;
    const Component *component = component_find(model_choice, model);
    assert_true(component->size <= sizeof c->settings);
    component_settings(component, c->settings, set);
    const ModelData data = {MODEL_DATA_SPELLED(WORDS, LABELS, CHARACTERS, 3, 6)};
    CHECK_OK(model_build(&c->model, &c->run, &c->params, component, c->settings, &data));
    static const struct {
        double label_smoothing;
        const char *class_weights;
    } settings = {0, "none"};
    static const struct {
        double label_smoothing;
        TextList texts;
    } translation = {0, {0, NULL}};
    const bool words = c->model->kind == PREDICTION_WORDS;
    CHECK_OK(task_open(&c->task, &c->run, words ? "translation" : "classification",
                       words ? (const void *)&translation : (const void *)&settings, &data, NULL));
    CHECK_OK(params_allocate(&c->params, 3));
    for (int i = 0; i < c->params.n; i++) { /* numbers that are not near 0 */
        Param *p = c->params.item[i];
        for (int64_t j = p->zero_row ? p->shape.d[1] : 0; j < p->count; j++)
            p->value[j] += gradient_number((uint64_t)(50 * i + j)) / 2;
    }
    c->batch = (Batch){.B = 1, .all = 1, .example = c->example};
}

static void put(Case *c, const char *name, int levels, const char *text)
{
    const int f = c->batch.n_fields++;
    c->batch.field[f] = packed_field(&c->field[f], name, levels, text);
}

static void close_case(Case *c)
{
    arena_close(&c->run);
    arena_close(&c->scratch);
}

/* log p of each word of the target and of its end. */
static int token_outputs(Tape *t, const PredictionWords *k, double *y)
{
    const int n = (int)k->x->shape.d[0];
    assert_true(n <= STEPS_MOST);
    real loss[STEPS_MOST];
    (void)op_output_loss(t, k->x, k->w, k->bias, k->target, 0, loss);
    CHECK_OK(tape_status(t));
    for (int j = 0; j < n; j++) y[j] = -(double)loss[j];
    return n;
}

/* All outputs by the ordinary way: the logit of class `chosen`, or of the words. */
static int outputs(Case *c, int64_t *chosen, double *y)
{
    Tape t = tape_begin(&c->scratch);
    Prediction out;
    const ArenaMark mark = arena_mark(&c->scratch);
    model_forward(c->model, &t, &c->batch, &out);
    CHECK_OK(tape_status(&t));
    if (out.kind == PREDICTION_WORDS) {
        const int n = token_outputs(&t, &out.words, y);
        arena_release(&c->scratch, mark);
        return n;
    }
    if (*chosen < 0)
        for (int64_t k = 0; k < LABELS; k++)
            if (*chosen < 0 || out.scores->value[k] > out.scores->value[*chosen]) *chosen = k;
    y[0] = (double)out.scores->value[*chosen];
    arena_release(&c->scratch, mark);
    return 1;
}

/* Is it a table whose rows are vectors of words of the input? Those of the target are another vocabulary's. */
static bool is_table(const Param *p)
{
    return p->zero_row && strncmp(p->name, "target", 6) != 0 && strncmp(p->name, "characters", 10) != 0;
}

/* d y / d (number at) */
static int slope(Case *c, real *at, int64_t *chosen, double *d)
{
    double up[STEPS_MOST], down[STEPS_MOST];
    const real keep = *at;
    *at = keep + (real)GRADIENT_STEP;
    const int n = outputs(c, chosen, up);
    *at = keep - (real)GRADIENT_STEP;
    (void)outputs(c, chosen, down);
    *at = keep;
    for (int j = 0; j < n; j++) d[j] = (up[j] - down[j]) / (2 * GRADIENT_STEP);
    return n;
}

/* |dy/dx|^2 and x . dy/dx of one word that comes once. */
static int expected(Case *c, int32_t word, int64_t *chosen, double *squares, double *product)
{
    int n = 0;
    memset(squares, 0, STEPS_MOST * sizeof *squares);
    memset(product, 0, STEPS_MOST * sizeof *product);
    for (int i = 0; i < c->params.n; i++) {
        Param *p = c->params.item[i];
        for (int64_t k = 0; is_table(p) && k < p->shape.d[1]; k++) {
            double d[STEPS_MOST];
            real *at = p->value + word * p->shape.d[1] + k;
            n = slope(c, at, chosen, d);
            for (int j = 0; j < n; j++) {
                squares[j] += d[j] * d[j];
                product[j] += d[j] * (double)*at;
            }
        }
    }
    return n;
}

static void check_field(Case *c, Role field)
{
    const Ragged *r = batch_role(&c->batch, field);
    const int64_t words = r->count[r->field->levels];
    const double *norm, *product;
    int64_t n_outputs, chosen = -1;
    double y[STEPS_MOST], squares[STEPS_MOST], products[STEPS_MOST];
    const int n = outputs(c, &chosen, y);
    CHECK_OK(implicit_field(c->task, c->model, 1, &c->batch, field, ATTENTION_JACOBIAN, &c->run, &n_outputs, &norm));
    CHECK_OK(implicit_field(c->task, c->model, 1, &c->batch, field, ATTENTION_INPUT_X_GRADIENT, &c->run, &n_outputs,
                            &product));
    assert_int_equal(n_outputs, n);
    double most = 0;
    for (int64_t i = 0; i < words; i++) {
        assert_int_equal(expected(c, r->id[i], &chosen, squares, products), n);
        for (int j = 0; j < n; j++) {
            CHECK_NEAR(norm[j * words + i], sqrt(squares[j]), 1e-8);
            CHECK_NEAR(product[j * words + i], products[j], 1e-8);
            most = norm[j * words + i] > most ? norm[j * words + i] : most;
        }
    }
    CHECK(most > 1e-3, "the output hangs on nothing: %g", most);
}

TEST(documents_hang_on_their_words)
{
    static const char *const set[][9] = {{"dim", "3", "*.hidden", "2", NULL},
                                         {"dim", "3", "*.hidden", "2", "*.cell", "lstm", "*.layers", "2", NULL},
                                         {"dim", "3", "*.hidden", "3", "embedding", "random", NULL}};
    for (size_t i = 0; i < sizeof set / sizeof *set; i++) {
        Case c;
        open(&c, "han", set[i]);
        put(&c, "text", 2, "1 2 3/4/9 5 6 8/");
        check_field(&c, ROLE_INPUT);
        close_case(&c);
    }
}

TEST(answers_hang_on_stories_and_questions)
{
    static const char *const set[][9] = {{"dim", "4", "init", "0.5", "answer", "free", NULL},
                                         {"dim", "4", "init", "0.5", "tying", "layerwise", "answer", "free", NULL},
                                         {"dim", "4", "encoding", "bow", "hops", "1", "answer", "free", NULL}};
    for (size_t i = 0; i < sizeof set / sizeof *set; i++) {
        Case c;
        open(&c, "memn2n", set[i]);
        put(&c, "story", 2, "1 2 3/4/9 5 6 8/");
        put(&c, "question", 1, "7 10 11");
        check_field(&c, ROLE_INPUT);
        check_field(&c, ROLE_QUERY);
        close_case(&c);
    }
}

TEST(each_target_word_hangs_on_the_source)
{
    static const char *const set[][17] = {{"dim", "3", "encoder.hidden", "2", "decoder.apply", "none", NULL},
                                          {"dim", "3", "encoder.hidden", "2", "encoder.reverse", "true",
                                           "decoder.apply", "none", "encoder.cell", "gru", NULL},
                                          {"dim", "3", "encoder.hidden", "2", NULL},
                                          {"dim", "3", "encoder.hidden", "2", "decoder.apply", "between",
                                           "attention.score", "additive", "readout", "maxout", "readout.width", "4",
                                           "encoder.bidirectional", "true", NULL},
                                          {"dim", "3", "encoder.hidden", "2", "encoder.layers", "2", "attention.range",
                                           "local_p", "attention.select", "sparsemax", NULL},
                                          {"dim", "3", "encoder.hidden", "2", "embedding", "one_hot", NULL}};
    for (size_t i = 0; i < sizeof set / sizeof *set; i++) {
        Case c;
        open(&c, "seq2seq", set[i]);
        put(&c, "source", 1, "5 4 9 12 7");
        put(&c, "target", 1, "6 8 4");
        if (i + 1 < sizeof set / sizeof *set) check_field(&c, ROLE_INPUT);
        const double *value;
        int64_t n;
        CHECK_OK(implicit_field(c.task, c.model, 1, &c.batch, ROLE_INPUT, ATTENTION_JACOBIAN, &c.run, &n, &value));
        assert_int_equal(n, 4);
        CHECK(value[2] > 1e-4 && value[15] > 1e-4, "%g %g", value[2], value[15]);
        close_case(&c);
    }
}

/* sum over the places of a word of x . dy/dx_i = d y((1 + s) x) / ds */
TEST(places_of_one_word_are_told_apart_and_add_up)
{
    Case c;
    double up[STEPS_MOST], down[STEPS_MOST];
    int64_t chosen = -1, n_outputs;
    const double *product;
    open(&c, "han", (const char *const[]){"dim", "3", "*.hidden", "2", NULL});
    put(&c, "text", 2, "1 2 1/1/2 5 1 8/");
    (void)outputs(&c, &chosen, up);
    CHECK_OK(implicit_field(c.task, c.model, 1, &c.batch, ROLE_INPUT, ATTENTION_INPUT_X_GRADIENT, &c.run, &n_outputs,
                            &product));
    Param *p = params_find(&c.params, "word/embedding");
    real *row = p->value + p->shape.d[1];
    for (int64_t k = 0; k < 3; k++) row[k] *= (real)(1 + GRADIENT_STEP);
    (void)outputs(&c, &chosen, up);
    for (int64_t k = 0; k < 3; k++) row[k] *= (real)((1 - GRADIENT_STEP) / (1 + GRADIENT_STEP));
    (void)outputs(&c, &chosen, down);
    CHECK_NEAR(product[0] + product[2] + product[3] + product[6], (up[0] - down[0]) / (2 * GRADIENT_STEP), 1e-8);
    CHECK(fabs(product[0] - product[2]) > 1e-6, "the same word at two places is not the same");
    close_case(&c);
}

static void scale(Case *c, const char *name, double factor)
{
    Param *p = params_find(&c->params, name);
    for (int64_t i = 0; i < p->count; i++) p->value[i] *= (real)factor;
}

static void scale_made(Case *c, double factor)
{
    scale(c, "characters/compose/W", factor);
    scale(c, "characters/compose/b", factor);
}

/* x . dy/dx = d y((1 + s) x) / ds; the vector of the one unknown word is a linear map of its characters. */
TEST(unknown_words_made_of_characters_count_as_words)
{
    Case c;
    double up[STEPS_MOST], down[STEPS_MOST];
    int64_t chosen = -1, n_outputs;
    const double *product;
    open(&c, "nested",
         (const char *const[]){"dim", "3", "encoder.hidden", "2", "characters.dim", "2", "characters.hidden", "3",
                               NULL});
    put(&c, "source", 1, "5 4 1 12");
    put(&c, "target", 1, "6 8 4");
    put(&c, "source_chars", 2, "4 5/6/7 8 9/5/");
    put(&c, "target_chars", 2, "4/5 5/6/");
    CHECK_OK(implicit_field(c.task, c.model, 1, &c.batch, ROLE_INPUT, ATTENTION_INPUT_X_GRADIENT, &c.run, &n_outputs,
                            &product));
    scale_made(&c, 1 + GRADIENT_STEP);
    const int n = outputs(&c, &chosen, up);
    scale_made(&c, (1 - GRADIENT_STEP) / (1 + GRADIENT_STEP));
    (void)outputs(&c, &chosen, down);
    assert_int_equal(n_outputs, n);
    double most = 0;
    for (int j = 0; j < n; j++) {
        CHECK_NEAR(product[j * 4 + 2], (up[j] - down[j]) / (2 * GRADIENT_STEP), 1e-8);
        most = fmax(most, fabs(product[j * 4 + 2]));
    }
    CHECK(most > 1e-4, "the output hangs on no unknown word: %g", most);
    c.batch.field[0] = packed_field(&c.field[0], "source", 1, "5 4 9 12");
    check_field(&c, ROLE_INPUT);
    close_case(&c);
}

TEST(parameters_get_no_gradient)
{
    Case c;
    int64_t n;
    const double *value;
    open(&c, "han", (const char *const[]){"dim", "3", "*.hidden", "2", NULL});
    put(&c, "text", 2, "1 2 3/");
    CHECK_OK(implicit_field(c.task, c.model, 1, &c.batch, ROLE_INPUT, ATTENTION_JACOBIAN, &c.run, &n, &value));
    for (int64_t i = 0; i < c.params.dense; i++) CHECK(c.params.grad[i] == 0, "gradient %lld", (long long)i);
    for (int i = 0; i < c.params.n; i++) CHECK(!c.params.item[i]->rows, "rows of %s", c.params.item[i]->name);
    CHECK_SAYS(implicit_field(c.task, c.model, 1, &c.batch, ROLE_QUERY, ATTENTION_JACOBIAN, &c.run, &n, &value),
               ERR_INTERNAL, "the batch has no words in a field of role query");
    close_case(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(documents_hang_on_their_words),
                                       cmocka_unit_test(answers_hang_on_stories_and_questions),
                                       cmocka_unit_test(each_target_word_hangs_on_the_source),
                                       cmocka_unit_test(places_of_one_word_are_told_apart_and_add_up),
                                       cmocka_unit_test(unknown_words_made_of_characters_count_as_words),
                                       cmocka_unit_test(parameters_get_no_gradient)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
