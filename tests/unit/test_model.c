/* Models: rows that do not know each other, failures of memory, messages, attention that can be looked at. */
#include "component.h"
#include "model_data.h"
#include "packed.h"
#include "trainer/model/model.h"
#include "trainer/op/op.h"

enum { SETTINGS_BYTES = 512, WORDS = 12, LABELS = 4, MOST = 4 };

typedef struct Case {
    Arena run, step;
    Params params;
    Model *model;
    Batch batch;
    Packed first, second;
    int64_t example[MOST];
    _Alignas(16) char settings[SETTINGS_BYTES];
} Case;

static const char *const han_set[] = {"dim",
                                      "20",
                                      "word.dropout_input",
                                      "0.3",
                                      "sentence.dropout_input",
                                      "0.4",
                                      "dropout_document",
                                      "0.3",
                                      "*.dropout_state",
                                      "0.2",
                                      NULL};
static const char *const memn2n_set[] = {"dim", "20", "noise", "0.4", "init", "0.5", NULL};
static const int32_t target[MOST] = {1, 0, 3, 2}, answer_word[LABELS] = {5, -1, 2, 6};

static Status build(Case *c, const char *name, const char *const *set, const ModelData *data)
{
    c->params.arena = &c->run;
    const Component *component = component_find(model_choice, name);
    assert_true(component->size <= sizeof c->settings);
    component_settings(component, c->settings, set);
    return model_build(&c->model, &c->run, &c->params, component, c->settings, data);
}

static const ModelData small = {MODEL_DATA(WORDS, LABELS, 4, 6), .answer_word = answer_word};

/* Examples first .. first + n - 1 of one fixed set, in a batch of their own. */
static void pack(Case *c, const char *name, int first, int n)
{
    static const char *const text[MOST] = {"1 2 3/4/2 2 5 8 11/", "", "6 1 7/0 3/", "9/10 10/1 2 3 4 5 6/7/"};
    static const char *const question[MOST] = {"1 4", "3", "2 5 6 7", "8 8 8"};
    char all[256] = "", asked[128] = "";
    for (int i = 0; i < n; i++) {
        strcat(strcat(all, i ? "|" : ""), text[first + i]);
        strcat(strcat(asked, i ? "|" : ""), question[first + i]);
        c->example[i] = 100 + first + i;
    }
    c->batch = (Batch){.B = n, .all = n, .example = c->example, .n_fields = 2};
    c->batch.field[0] = packed_field(&c->first, strcmp(name, "han") == 0 ? "text" : "story", 2, all);
    c->batch.field[1] = packed_field(&c->second, "question", 1, asked);
}

static void logits(Case *c, const char *name, int first, int n, bool train, real *out)
{
    const ArenaMark mark = arena_mark(&c->step);
    Tape t = tape_begin(&c->step);
    t.train = train;
    t.seed = 4;
    t.step = 9;
    Prediction o;
    pack(c, name, first, n);
    model_forward(c->model, &t, &c->batch, &o);
    CHECK_OK(tape_status(&t));
    memcpy(out, o.scores->value, (size_t)(n * LABELS) * sizeof *out);
    arena_release(&c->step, mark);
}

static void company_changes_nothing(const char *name, const char *const *set)
{
    static Case c;
    c = (Case){0};
    CHECK_OK(build(&c, name, set, &small));
    CHECK_OK(params_allocate(&c.params, 3));
    for (int train = 0; train < 2; train++) {
        real together[MOST * LABELS], alone[LABELS];
        logits(&c, name, 0, MOST, train, together);
        for (int i = 0; i < MOST; i++) {
            logits(&c, name, i, 1, train, alone);
            CHECK(memcmp(alone, together + i * LABELS, sizeof alone) == 0, "%s: example %d differs, training %d", name,
                  i, train);
        }
    }
    arena_close(&c.step);
    arena_close(&c.run);
}

TEST(the_company_in_a_batch_changes_no_bit)
{
    company_changes_nothing("han", han_set);
    company_changes_nothing("memn2n", memn2n_set);
}

static Status step(Case *c, const char *name)
{
    Tape t = tape_begin(&c->step);
    t.train = t.watch = true;
    Prediction o;
    pack(c, name, 0, MOST);
    model_forward(c->model, &t, &c->batch, &o);
    Node *loss = op_cross_entropy(&t, o.scores, target, NULL, 0);
    TRY(tape_status(&t));
    return tape_backward(&t, loss, 1);
}

static void every_step_allocation_fails(const char *name, const char *const *set)
{
    static Case c;
    c = (Case){0};
    CHECK_OK(build(&c, name, set, &small));
    CHECK_OK(params_allocate(&c.params, 3));
    for (long n = 1;; n++) {
        const ArenaMark mark = arena_mark(&c.step);
        params_zero_grad(&c.params);
        c.step.fail_in = n;
        const Status st = step(&c, name);
        const bool reached = c.step.fail_in == 0;
        c.step.fail_in = 0;
        arena_release(&c.step, mark);
        CHECK(st == (reached ? ERR_HOST : OK), "%s: allocation %ld of a step: status %d", name, n, (int)st);
        if (reached) continue;
        CHECK(n > 20, "%s: only %ld allocations", name, n);
        break;
    }
    arena_close(&c.step);
    arena_close(&c.run);
}

static void every_build_allocation_fails(const char *name)
{
    for (long n = 1;; n++) {
        static Case c;
        c = (Case){.run = {.fail_in = n}};
        const Status st = build(&c, name, NULL, &small);
        const bool reached = c.run.fail_in == 0;
        arena_close(&c.run);
        CHECK(st == (reached ? ERR_HOST : OK), "%s: allocation %ld of the build: status %d", name, n, (int)st);
        if (!reached) break;
    }
}

TEST(every_allocation_may_fail)
{
    every_step_allocation_fails("han", han_set);
    every_step_allocation_fails("memn2n", memn2n_set);
    every_build_allocation_fails("han");
    every_build_allocation_fails("memn2n");
}

/* A rank may have no share of the last batch. */
TEST(a_batch_without_examples_has_loss_0)
{
    const char *const name[] = {"han", "memn2n"};
    for (int i = 0; i < 2; i++) {
        static Case c;
        c = (Case){0};
        CHECK_OK(build(&c, name[i], i ? memn2n_set : han_set, &small));
        CHECK_OK(params_allocate(&c.params, 3));
        Tape t = tape_begin(&c.step);
        t.train = t.watch = true;
        Prediction o;
        pack(&c, name[i], 0, 0);
        for (int f = 0; f < 2; f++) c.batch.field[f].count[0] = 0;
        model_forward(c.model, &t, &c.batch, &o);
        Node *loss = op_cross_entropy(&t, o.scores, target, NULL, 0);
        CHECK_OK(tape_status(&t));
        CHECK(loss->value[0] == 0, "%s: loss %g", name[i], (double)loss->value[0]);
        CHECK_OK(tape_backward(&t, loss, 1));
        arena_close(&c.step);
        arena_close(&c.run);
    }
}

TEST(a_step_in_steady_state_asks_the_system_for_nothing)
{
    const char *const name[] = {"han", "memn2n"};
    for (int i = 0; i < 2; i++) {
        static Case c;
        c = (Case){0};
        CHECK_OK(build(&c, name[i], i ? memn2n_set : han_set, &small));
        CHECK_OK(params_allocate(&c.params, 3));
        int64_t calls = 0;
        for (int s = 0; s < 4; s++) {
            const ArenaMark mark = arena_mark(&c.step);
            params_zero_grad(&c.params);
            CHECK_OK(step(&c, name[i]));
            arena_release(&c.step, mark);
            if (s == 1) calls = c.step.system_calls + c.run.system_calls;
        }
        assert_int_equal(c.step.system_calls + c.run.system_calls, calls);
        arena_close(&c.step);
        arena_close(&c.run);
    }
}

TEST(attention_is_handed_out_by_name_and_hop)
{
    static Case c;
    c = (Case){0};
    CHECK_OK(build(&c, "memn2n", (const char *const[]){"dim", "5", NULL}, &small));
    CHECK_OK(params_allocate(&c.params, 3));
    Tape t = tape_begin(&c.step);
    t.watch = true;
    Prediction o;
    pack(&c, "memn2n", 0, MOST);
    model_forward(c.model, &t, &c.batch, &o);
    CHECK_OK(tape_status(&t));
    int hop = 0;
    for (const TapeView *v = t.views; v; v = v->next) {
        assert_string_equal(v->name, "story");
        assert_int_equal(v->hop, hop++);
        assert_int_equal(v->keys.n, MOST);
        for (int64_t b = 0; b < MOST; b++) {
            double sum = 0;
            for (int64_t r = v->keys.offset[b]; r < v->keys.offset[b + 1]; r++) sum += (double)v->weight->value[r];
            if (v->keys.offset[b] < v->keys.offset[b + 1]) CHECK_NEAR(sum, 1, 1e-6);
        }
    }
    assert_int_equal(hop, 3);
    arena_close(&c.step);
    arena_close(&c.run);
}

/* What a user can get wrong. */
TEST(settings_and_data_that_do_not_go_together_are_refused)
{
    static Case c;
    static const float vectors[WORDS * 5];
    ModelData data = small;
    c = (Case){0};
    CHECK_OK(build(&c, "han", (const char *const[]){"embedding", "pretrained", "dim", "7", NULL}, &data));
    assert_int_equal(c.model->pretrained, 7);
    CHECK_SAYS(model_init(c.model), ERR_CONFIG, "embedding pretrained: there are no vectors of words");
    c.model->data.vectors = vectors;
    c.model->data.vector_width = 5;
    CHECK_SAYS(model_init(c.model), ERR_CONFIG, "embedding pretrained: dim is 7, but the vectors have 5 numbers");
    arena_close(&c.run);
    c = (Case){0};
    data.field[0].words = 10000;
    CHECK_SAYS(
        build(&c, "han", (const char *const[]){"embedding", "one_hot", NULL}, &data), ERR_CONFIG,
        "embedding one_hot: a vocabulary of 10000 words makes vectors of 10000 numbers; at most 8192 are possible");
    data.field[1].words = 1;
    CHECK_SAYS(build(&c, "memn2n", NULL, &data), ERR_DATA,
               "model memn2n: the corpus has 1 label(s); at least 2 are needed to learn anything");
    data.field[0].words = 0;
    CHECK_SAYS(build(&c, "memn2n", NULL, &data), ERR_DATA, "model memn2n: the vocabulary of words is empty");
    arena_close(&c.run);
}

TEST(pretrained_vectors_fill_the_rows_that_are_known)
{
    static Case c;
    c = (Case){0};
    float vectors[WORDS * 5];
    bool known[WORDS];
    for (int i = 0; i < WORDS * 5; i++) vectors[i] = 100 + (float)i;
    for (int i = 0; i < WORDS; i++) known[i] = i % 2 == 0;
    ModelData data = small;
    data.vectors = vectors;
    data.vector_known = known;
    data.vector_width = 5;
    CHECK_OK(build(&c, "han", (const char *const[]){"embedding", "pretrained", "dim", "5", NULL}, &data));
    CHECK_OK(params_allocate(&c.params, 3));
    CHECK_OK(model_init(c.model));
    const real *table = params_find(&c.params, "word/embedding")->value;
    for (int i = 0; i < WORDS * 5; i++) {
        const int word = i / 5;
        if (word == 0)
            CHECK(table[i] == 0, "row 0 is not zero");
        else if (known[word])
            CHECK(table[i] == (real)vectors[i], "word %d has not its vector", word);
        else
            CHECK(fabs((double)table[i]) < 1, "word %d has a vector that is not known", word);
    }
    arena_close(&c.run);
}

TEST(a_corpus_without_the_fields_of_the_model_is_refused)
{
    const ModelDef *han = (const ModelDef *)component_find(model_choice, "han");
    const DataField fields[] = {{.name = "story", .role = ROLE_INPUT, .vocab = "words", .levels = 2},
                                {.name = "text", .role = ROLE_QUERY, .vocab = "words", .levels = 1}};
    CHECK_SAYS(
        model_check_fields(han, NULL, 2, fields, "corpora/babi"), ERR_CONFIG,
        "corpora/babi: model han reads a field of role target with 0 levels (one label); the corpus has the fields: "
        "story (input, 2 levels), text (query, 1)");
    CHECK_SAYS(
        model_check_fields(han, NULL, 0, NULL, "x"), ERR_CONFIG,
        "x: model han reads a field of role input with 2 levels (words of sentences); the corpus has the fields: "
        "none");
    const DataField good[] = {{.name = "text", .role = ROLE_INPUT, .vocab = "words", .levels = 2},
                              {.name = "label", .role = ROLE_TARGET, .vocab = "labels", .levels = 0}};
    CHECK_OK(model_check_fields(han, NULL, 2, good, "x"));
}

TEST(ids_and_labels_outside_their_tables_are_refused)
{
    static Case c;
    static const int32_t wrong[] = {1, 0, 9, 2};
    c = (Case){0};
    CHECK_OK(build(&c, "memn2n", NULL, &small));
    CHECK_OK(params_allocate(&c.params, 3));
    Tape t = tape_begin(&c.step);
    Prediction o;
    pack(&c, "memn2n", 0, MOST);
    model_forward(c.model, &t, &c.batch, &o);
    (void)op_cross_entropy(&t, o.scores, wrong, NULL, 0);
    CHECK_SAYS(tape_status(&t), ERR_DATA, "label 9 of row 2 is not one of the 4 labels 0 to 3");
    c.first.id[4] = WORDS;
    t = tape_begin(&c.step);
    model_forward(c.model, &t, &c.batch, &o);
    (void)op_cross_entropy(&t, o.scores, wrong, NULL, 0);
    CHECK_SAYS(tape_status(&t), ERR_DATA, "word 12 of sentence 2 is not in the table of 12 rows");
    arena_close(&c.step);
    arena_close(&c.run);
}

/* Documents have labels as well as classes; stories have no labels. */
TEST(a_model_is_asked_for_a_kind_of_prediction)
{
    static Case c;
    c = (Case){0};
    ModelData data = small;
    data.kind = PREDICTION_LABELS;
    CHECK_SAYS(build(&c, "memn2n", NULL, &data), ERR_CONFIG, "model memn2n predicts classes; labels are asked of it");
    arena_close(&c.run);
    c = (Case){0};
    CHECK_OK(build(&c, "han", NULL, &data));
    CHECK_OK(params_allocate(&c.params, 3));
    Tape t = tape_begin(&c.step);
    Prediction o;
    pack(&c, "han", 0, MOST);
    model_forward(c.model, &t, &c.batch, &o);
    CHECK_OK(tape_status(&t));
    assert_int_equal(o.kind, PREDICTION_LABELS);
    const DataField topics[] = {{.name = "text", .role = ROLE_INPUT, .vocab = "words", .levels = 2},
                                {.name = "label", .role = ROLE_TARGET, .vocab = "labels", .levels = 1}};
    CHECK_OK(model_check_fields(c.model->def, NULL, 2, topics, "x")); /* how many labels is the task's */
    arena_close(&c.step);
    arena_close(&c.run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(the_company_in_a_batch_changes_no_bit),
                                       RUN(every_allocation_may_fail),
                                       RUN(a_batch_without_examples_has_loss_0),
                                       RUN(a_step_in_steady_state_asks_the_system_for_nothing),
                                       RUN(attention_is_handed_out_by_name_and_hop),
                                       RUN(settings_and_data_that_do_not_go_together_are_refused),
                                       RUN(pretrained_vectors_fill_the_rows_that_are_known),
                                       RUN(a_corpus_without_the_fields_of_the_model_is_refused),
                                       RUN(ids_and_labels_outside_their_tables_are_refused),
                                       RUN(a_model_is_asked_for_a_kind_of_prediction)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
