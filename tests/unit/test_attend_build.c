/* Attention of queries that come step by step: what is refused, its documents, and its memory. */
#include <stdio.h>
#include <stdlib.h>

#include "attend_batch.h"

static void says(const AttendSettings *s, double guide, int64_t query, int64_t longest, const char *text)
{
    BatchCase c;
    CHECK_SAYS(batch_try(&c, s, (AttendUse){.guide = guide}, 8, query, longest), ERR_CONFIG, text);
    batch_close(&c);
}

TEST(what_does_not_go_together_is_refused_by_name)
{
    AttendSettings s = batch_settings("dot", "soft", "global");
    says(&s, 0, 6, 9,
         "score dot needs a query as wide as the keys, but the query has 6 units and a key has 8; score general takes "
         "any widths");
    s = batch_settings("cosine", "soft", "global");
    says(&s, 0, 6, 9,
         "score cosine needs a query as wide as the keys, but the query has 6 units and a key has 8; score general "
         "takes any widths");
    s = batch_settings("location", "soft", "global");
    says(&s, 0, 8, 0, "score location needs the greatest length, which is not known here");
    s = batch_settings("multi_dim", "soft", "global");
    s.coverage_loss = 1;
    says(&s, 0, 8, 9, "coverage_loss is for one row of weights, and score multi_dim has several");
    s = batch_settings("general", "hard_sample", "global");
    s.coverage_loss = 1;
    says(&s, 0, 8, 9, "coverage_loss needs weights with a gradient, and hard_sample learns from its reward alone");
    s = batch_settings("general", "sparsemax", "global");
    says(&s, 1, 8, 9,
         "guide is for one row of weights that none can leave at 0, not for score general with selection sparsemax");
    s = batch_settings("multi_dim", "soft", "global");
    says(&s, 1, 8, 9,
         "guide is for one row of weights that none can leave at 0, not for score multi_dim with selection soft");
}

/* Glorot's bounds for matrices, which keep the size of what they carry; small vectors; biases of 0. */
TEST(parameters_of_scores_begin_as_they_are_said_to)
{
    static const char *const kind[] = {"0", "constant", "uniform", "normal", "xavier", "orthogonal"};
    static const char *const said[][2] = {
        {"additive", "W xavier 1, U xavier 1, b 0, v normal 0.1"},
        {"dot", ""},
        {"scaled_dot", ""},
        {"general", "scaled_W xavier 1"},
        {"concat", "W xavier 1, v normal 0.1"},
        {"cosine", "log_beta constant 1"},
        {"location", "W xavier 1"},
        {"mlp", "W1 xavier 1, b1 0, w2 xavier 1, b2 0"},
        {"multi_dim", "scaled_W xavier 1"},
    };
    for (int i = 0; i < COUNT(said); i++) {
        BatchCase c;
        const AttendSettings s = batch_settings(said[i][0], "soft", "global");
        char text[400] = "";
        batch_open(&c, &s, 8, 8, 9);
        for (int p = 0; p < c.params.n; p++) {
            const Param *x = c.params.item[p];
            const char *slash = strrchr(x->name, '/');
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s %s", p ? ", " : "",
                     slash ? slash + 1 : x->name, kind[x->init]);
            if (x->init != INIT_ZERO) snprintf(text + strlen(text), sizeof text - strlen(text), " %g", x->scale);
        }
        CHECK(strcmp(text, said[i][1]) == 0, "%s: %s", said[i][0], text);
        batch_close(&c);
    }
}

/* What does nothing for a score, a selection or a range is no row of it, so that no file can say it. */
TEST(settings_belong_to_the_parts_that_read_them)
{
    for (int i = 0; score_choice(i); i++) {
        const Component *c = score_choice(i);
        const ScoreDef *def = score_find(c->name);
        assert_true(def->hidden == (schema_row(c->fields, c->n_fields, "coverage") != NULL));
        assert_true(def->hidden == (schema_row(c->fields, c->n_fields, "width") != NULL));
        assert_true(def->hidden == (attend_refuses_coverage(c->name) == NULL));
        assert_true(def->many == (schema_row(c->fields, c->n_fields, "orthogonality") != NULL));
        assert_true(def->many == (schema_row(c->fields, c->n_fields, "rows") != NULL));
    }
    for (int i = 0; range_choice(i); i++) {
        const Field *window = schema_row(range_choice(i)->fields, range_choice(i)->n_fields, "window");
        assert_true(range_find(range_name(i))->window == (window != NULL));
        if (window) assert_true(window->min == 1);
    }
    for (int i = 0; select_choice(i); i++) {
        const Component *c = select_choice(i);
        const bool gumbel = strcmp(c->name, "gumbel") == 0;
        assert_true(gumbel == (schema_row(c->fields, c->n_fields, "straight_through") != NULL));
        assert_true(gumbel == (schema_row(c->fields, c->n_fields, "temperature") != NULL));
        assert_true(select_find(c->name)->rewards == (schema_row(c->fields, c->n_fields, "entropy") != NULL));
    }
}

TEST(names_that_are_not_there_are_not_found)
{
    assert_null(score_find("dotty"));
    assert_null(select_find("softest"));
    assert_null(range_find("local"));
}

TEST(location_refuses_a_longer_source)
{
    BatchCase c;
    const AttendSettings s = batch_settings("location", "soft", "global");
    batch_open(&c, &s, 8, 8, 4);
    batch_lengths(&c, 2, (int64_t[]){4, 5}, 2);
    CHECK_SAYS(batch_pass(&c, true), ERR_DATA, "score location: 5 keys, but it has positions for 4");
    batch_close(&c);
}

/* The stored page is what `mneme doc attention` prints: a change of the table is seen. */
TEST(the_page_of_attentions_is_the_stored_one)
{
    const char *source = getenv("SOURCE");
    if (!source) skip();
    char path[1024];
    snprintf(path, sizeof path, "%s/tests/golden/attend/attention.md", source);
    FILE *f = fopen(path, "rb");
    CHECK(f, "%s cannot be read", path);
    static char stored[1 << 14];
    stored[fread(stored, 1, sizeof stored - 1, f)] = '\0';
    fclose(f);
    Buffer page = {0};
    CHECK_OK(attend_markdown(&page));
    assert_string_equal(page.data, stored);
    buffer_close(&page);
}

TEST(every_allocation_may_fail)
{
    for (int i = 0; score_name(i); i++)
        for (int k = 0; range_name(k); k++) {
            const AttendSettings s = batch_settings(score_name(i), "entmax15", range_name(k));
            attend_cover(&s);
            for (long n = 1;; n++) {
                BatchCase c;
                batch_open(&c, &s, 8, 8, 9);
                batch_lengths(&c, 3, (int64_t[]){4, 0, 9}, 2);
                c.step.fail_in = n;
                const Status st = batch_pass(&c, true);
                const bool reached = c.step.fail_in == 0;
                CHECK(st == (reached ? ERR_HOST : OK), "%s %s: allocation %ld: status %d", score_name(i), range_name(k),
                      n, (int)st);
                batch_close(&c);
                if (!reached) {
                    CHECK(n > 10, "only %ld allocations", n);
                    break;
                }
            }
        }
}

TEST(a_second_batch_asks_the_system_for_nothing)
{
    for (int i = 0; score_name(i); i++) {
        BatchCase c;
        const AttendSettings s = batch_settings(score_name(i), "soft", "local_p");
        batch_open(&c, &s, 64, 64, 9);
        batch_lengths(&c, 3, (int64_t[]){4, 0, 9}, 2);
        batch_run(&c, true);
        const int64_t calls = c.step.system_calls;
        batch_run(&c, true);
        assert_int_equal(c.step.system_calls, calls);
        batch_close(&c);
    }
}

/* The largest weight that a query of 256 units gives to one of eight keys. */
static real most_weight(BatchCase *c)
{
    real most = 0;
    batch_run(c, false);
    for (int64_t j = 0; j < 8; j++) most = batch_weights(c, 0, 0)[j] > most ? batch_weights(c, 0, 0)[j] : most;
    return most;
}

/* Glorot's matrix alone gives scores of wide vectors that differ by ten: the softmax is saturated before anything is
 * learnt. Then a step of Adam: each weight by the rate towards one key and away from another. */
TEST(a_learnt_matrix_between_wide_vectors_leaves_all_keys_open_at_the_start_and_learns_by_small_steps)
{
    const AttendSettings s = batch_settings("general", "soft", "global");
    BatchCase c;
    batch_open(&c, &s, 256, 256, 8);
    batch_lengths(&c, 1, (const int64_t[]){8}, 1);
    const real most = most_weight(&c);
    CHECK(most < 0.35, "the largest of 8 weights is %g", (double)most);
    Param *w = c.params.item[0];
    for (int64_t i = 0; i < 256 * 256; i++) {
        const real apart = c.query[i / 256] * (c.key[i % 256] - c.key[256 + i % 256]);
        w->value[i] += apart > 0 ? (real)0.001 : (real)-0.001;
    }
    const real after = most_weight(&c);
    CHECK(after > most && after < 0.7, "the largest of 8 weights was %g and is %g", (double)most, (double)after);
    batch_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(what_does_not_go_together_is_refused_by_name),
        RUN(parameters_of_scores_begin_as_they_are_said_to),
        RUN(settings_belong_to_the_parts_that_read_them),
        RUN(names_that_are_not_there_are_not_found),
        RUN(location_refuses_a_longer_source),
        RUN(the_page_of_attentions_is_the_stored_one),
        RUN(every_allocation_may_fail),
        RUN(a_second_batch_asks_the_system_for_nothing),
        RUN(a_learnt_matrix_between_wide_vectors_leaves_all_keys_open_at_the_start_and_learns_by_small_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
