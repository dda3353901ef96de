/* Gradients of hierarchical attention networks over all parameters; logits as plain loops have them. */
#include <stdio.h>

#include "component.h"
#include "gradient.h"
#include "model_data.h"
#include "packed.h"
#include "trainer/attention/score/score.h"
#include "trainer/model/model.h"

enum { WORDS = 9, LABELS = 3, SETTINGS_BYTES = 512, D = 3, H = 2, A = 4, B = 4 };

typedef struct Documents {
    Arena run;
    Params params;
    Model *model;
    Batch batch;
    Packed text;
    int64_t example[B];
    _Alignas(16) char settings[SETTINGS_BYTES];
} Documents;

static const int32_t label[B] = {2, 0, 1, 1};

/* Three sentences; none; two, one of them without words; one. */
#define TEXT "1 2 3/4/2 2 5 8/||6 1 7/0 3/|/5 5/"

static void open(Documents *d, const char *const *set)
{
    *d = (Documents){0};
    d->params.arena = &d->run;
    const Component *c = component_find(model_choice, "han");
    assert_true(c->size <= sizeof d->settings);
    component_settings(c, d->settings, (const char *const[]){"dim", "3", "*.hidden", "2", NULL});
    for (; set && set[0]; set += 2) component_put(c, d->settings, set[0], set[1]);
    component_put(c, d->settings, "embedding_spread", "0.8");
    const ModelData data = {MODEL_DATA(WORDS, LABELS, 3, 4)};
    CHECK_OK(model_build(&d->model, &d->run, &d->params, c, d->settings, &data));
    CHECK_OK(params_allocate(&d->params, 3));
    CHECK_OK(model_init(d->model));
    for (int i = 0; i < d->params.n; i++) { /* biases and contexts that are not near 0 */
        Param *p = d->params.item[i];
        const int64_t from = p->zero_row ? p->shape.d[1] : 0;
        for (int64_t j = from; j < p->count; j++) p->value[j] += gradient_number((uint64_t)(50 * i + j)) / 3;
    }
    for (int i = 0; i < B; i++) d->example[i] = 20 + i;
    d->batch = (Batch){.B = B, .all = B, .example = d->example, .n_fields = 1};
    d->batch.field[0] = packed_field(&d->text, "text", 2, TEXT);
    assert_int_equal(d->batch.field[0].count[0], B);
}

static Node *loss(Tape *t, void *context)
{
    Documents *d = context;
    Prediction out;
    model_forward(d->model, t, &d->batch, &out);
    Node *sum = op_cross_entropy(t, out.scores, label, NULL, 0);
    return out.penalty ? op_add(t, sum, out.penalty) : sum;
}

static void check(const char *const *set)
{
    Documents d;
    open(&d, set);
    gradient_check_params(&d.params, loss, &d, 1e-7);
    arena_close(&d.run);
}

TEST(gradient_of_the_presets) { check(NULL); }

TEST(gradient_of_every_cell)
{
    check((const char *const[]){"*.cell", "rnn", "*.layers", "2", NULL});
    check((const char *const[]){"*.cell", "lstm", "*.bidirectional", "false", NULL});
}

TEST(gradient_of_every_score)
{
    for (int i = 0; score_name(i); i++)
        check((const char *const[]){"*.attention.score", score_name(i),
                                    score_find(score_name(i))->many ? "*.attention.score.rows" : NULL, "2",
                                    "*.attention.score.orthogonality", "0.2", NULL});
}

TEST(gradient_of_other_selections)
{
    check((const char *const[]){"*.attention.select", "entmax15", NULL});
    check((const char *const[]){"*.attention.select", "gumbel", "*.attention.score", "scaled_dot", NULL});
    check((const char *const[]){"*.attention.score", "general", "*.attention.query", "3", NULL});
}

TEST(gradient_of_every_embedding)
{
    check((const char *const[]){"embedding", "one_hot", NULL});
    check((const char *const[]){"embedding", "random", NULL});
    check((const char *const[]){"frozen", "true", NULL});
}

TEST(gradient_with_dropout_everywhere_and_layer_norm)
{
    check((const char *const[]){"word.dropout_input", "0.3", "sentence.dropout_input", "0.2", "dropout_document",
                                "0.25", "*.dropout", "0.3", "*.dropout_state", "0.2", "*.layers", "2", "*.layer_norm",
                                "true", NULL});
}

TEST(gradient_of_levels_that_differ)
{
    check((const char *const[]){"word.cell", "lstm", "word.hidden", "3", "word.layers", "2", "sentence.cell", "rnn",
                                "sentence.bidirectional", "false", "word.attention.score", "multi_dim",
                                "word.attention.score.rows", "2", "sentence.layer_norm", "true", NULL});
}

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }

static const real *param(const Documents *d, const char *level, const char *name)
{
    char path[96];
    snprintf(path, sizeof path, "%s/%s", level, name);
    const Param *p = params_find(&d->params, path);
    CHECK(p, "no parameter %s", path);
    return p->value;
}

/* One direction of the GRU: r, z = sigmoid(W x + U h + b), n = tanh(W x + b_n + r (U h + b_u)), h = (1-z) n + z h */
static void gru(const Documents *d, const char *level, bool reverse, int n, int width, const double *x, double *out)
{
    char path[64];
    snprintf(path, sizeof path, "%s/gru/%s", level, reverse ? "backward" : "forward");
    const real *W = param(d, path, "W"), *U = param(d, path, "U"), *b = param(d, path, "b");
    double h[H] = {0};
    for (int step = 0; step < n; step++) {
        const int t = reverse ? n - 1 - step : step;
        double in[3 * H], back[3 * H];
        for (int g = 0; g < 3 * H; g++) {
            in[g] = (double)b[g];
            back[g] = 0;
            for (int i = 0; i < width; i++) in[g] += x[t * width + i] * (double)W[i * 3 * H + g];
            for (int i = 0; i < H; i++) back[g] += h[i] * (double)U[i * 3 * H + g];
        }
        for (int i = 0; i < H; i++) {
            const double r = sigmoid(in[i] + back[i]), z = sigmoid(in[H + i] + back[H + i]);
            const double next = tanh(in[2 * H + i] + r * (back[2 * H + i] + (double)b[3 * H + i]));
            h[i] = (1 - z) * next + z * h[i];
        }
        for (int i = 0; i < H; i++) out[t * 2 * H + (reverse ? H : 0) + i] = h[i];
    }
}

/* Both directions, then the attention: one row of 2H. */
static void level(const Documents *d, const char *name, int n, int width, const double *x, double *out)
{
    double h[8 * 2 * H], e[8], sum = 0;
    char path[64];
    gru(d, name, false, n, width, x, h);
    gru(d, name, true, n, width, x, h);
    snprintf(path, sizeof path, "%s/attention", name);
    const real *W = param(d, path, "W"), *b = param(d, path, "b"), *context = param(d, path, "context");
    for (int t = 0; t < n; t++) {
        e[t] = 0;
        for (int a = 0; a < A; a++) {
            double u = (double)b[a];
            for (int i = 0; i < 2 * H; i++) u += h[t * 2 * H + i] * (double)W[i * A + a];
            e[t] += tanh(u) * (double)context[a];
        }
        sum += e[t] = exp(e[t]);
    }
    for (int i = 0; i < 2 * H; i++) out[i] = 0;
    for (int t = 0; t < n; t++)
        for (int i = 0; i < 2 * H; i++) out[i] += e[t] / sum * h[t * 2 * H + i];
}

static void reference(const Documents *d, int example, double *logits)
{
    const Ragged *text = &d->batch.field[0];
    const real *table = params_find(&d->params, "word/embedding")->value;
    double sentences[8 * 2 * H], document[2 * H];
    const int64_t first = text->offset[0][example], n = text->offset[0][example + 1] - first;
    for (int64_t s = 0; s < n; s++) {
        const int64_t w = text->offset[1][first + s], words = text->offset[1][first + s + 1] - w;
        double x[8 * D];
        for (int64_t j = 0; j < words; j++)
            for (int c = 0; c < D; c++) x[j * D + c] = (double)table[text->id[w + j] * D + c];
        level(d, "word", (int)words, D, x, sentences + s * 2 * H);
    }
    level(d, "sentence", (int)n, 2 * H, sentences, document);
    for (int l = 0; l < LABELS; l++) {
        logits[l] = (double)param(d, "label", "b")[l];
        for (int i = 0; i < 2 * H; i++) logits[l] += document[i] * (double)param(d, "label", "W")[i * LABELS + l];
    }
}

TEST(logits_are_those_of_the_formulas)
{
    Documents d;
    Arena step = {0};
    open(&d, NULL);
    Tape t = tape_begin(&step);
    Prediction out;
    model_forward(d.model, &t, &d.batch, &out);
    CHECK_OK(tape_status(&t));
    for (int b = 0; b < B; b++) {
        double want[LABELS];
        reference(&d, b, want);
        for (int l = 0; l < LABELS; l++) CHECK_NEAR(out.scores->value[b * LABELS + l], want[l], 1e-13);
    }
    arena_close(&step);
    arena_close(&d.run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(gradient_of_the_presets),        RUN(gradient_of_every_cell),
        RUN(gradient_of_every_score),        RUN(gradient_of_other_selections),
        RUN(gradient_of_every_embedding),    RUN(gradient_with_dropout_everywhere_and_layer_norm),
        RUN(gradient_of_levels_that_differ), RUN(logits_are_those_of_the_formulas)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
