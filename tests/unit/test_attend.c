/* Attention of queries that come step by step: windows, masks, company, refusals, memory. */
#include <stdio.h>
#include <stdlib.h>

#include "attend_batch.h"

enum { BOUND = 12 }; /* most keys that location has positions for */

static const char *const any_select = "soft";

/* --- Windows. --- */

/* local_m with D = 2 over 5 keys: first and last position at each step, also behind the source's end. */
TEST(a_local_window_is_cut_at_both_ends_and_behind_the_end_is_empty_or_stays)
{
    enum { LAST = 4, STEPS = 9 };
    static const int64_t want[2][STEPS][2] = {{{0, 2}, {0, 3}, {0, 4}, {1, 4}, {2, 4}, {3, 4}, {4, 4}, {9, 9}, {9, 9}},
                                              {{0, 2}, {0, 3}, {0, 4}, {1, 4}, {2, 4}, {2, 4}, {2, 4}, {2, 4}, {2, 4}}};
    for (int hold = 0; hold < 2; hold++) {
        BatchCase c;
        const AttendSettings s = attend_settings("dot", any_select, "local_m", 0, 0, 2);
        if (hold) attend_put(&s.range, "past_end", "hold");
        batch_open(&c, &s, 8, 8, BOUND);
        batch_lengths(&c, 1, (int64_t[]){LAST + 1}, STEPS);
        batch_run(&c, true);
        batch_finite(&c);
        for (int64_t t = 0; t < STEPS; t++) {
            for (int64_t j = 0; j <= LAST; j++) {
                const real w = batch_weights(&c, 0, t)[j];
                CHECK((w > 0) == (j >= want[hold][t][0] && j <= want[hold][t][1]), "step %d, key %d: weight %g", (int)t,
                      (int)j, (double)w);
            }
            const real *context = c.context + batch_slot(&c, 0, t) * attend_width(c.attend);
            for (int64_t i = 0; i < attend_width(c.attend); i++)
                CHECK((context[i] == 0) == (want[hold][t][0] > LAST), "step %d: context %g", (int)t,
                      (double)context[i]);
        }
        batch_close(&c);
    }
}

/* A predicted place at the very end, p = S in float, still sees the last position. */
TEST(a_predicted_window_at_either_end_sees_something)
{
    for (int side = -1; side <= 1; side += 2) {
        BatchCase c;
        const AttendSettings s = attend_settings("dot", any_select, "local_p", 0, 0, 1);
        batch_open(&c, &s, 8, 8, BOUND);
        Param *w = params_find(&c.params, "attend/W_position"), *v = params_find(&c.params, "attend/v_position");
        for (int64_t i = 0; i < w->count; i++) w->value[i] = (real)(i % 9 == 0); /* the identity */
        for (int64_t i = 0; i < v->count; i++) v->value[i] = (real)(1000 * side);
        batch_lengths(&c, 2, (int64_t[]){5, 1}, 2);
        for (int64_t i = 0; i < 4 * 8; i++) c.query[i] = 1;
        batch_run(&c, true);
        for (int64_t j = 0; j < 5; j++) {
            const real got = batch_weights(&c, 0, 0)[j];
            CHECK((got > 0) == (side > 0 ? j == 4 : j <= 1), "side %d, key %d: weight %g", side, (int)j, (double)got);
        }
        CHECK(batch_weights(&c, 1, 1)[0] > 0, "the only key is not seen");
        batch_finite(&c);
        batch_close(&c);
    }
}

/* --- Sums and masks. --- */

static bool sums_to_one(const char *select, const char *range)
{
    return strcmp(range, "local_p") != 0 || select_find(select)->chooses;
}

static void check_sums(const char *score, const char *select, const char *range)
{
    BatchCase c;
    const AttendSettings s = batch_settings(score, select, range);
    batch_open(&c, &s, 8, 8, BOUND);
    batch_lengths(&c, 4, (int64_t[]){7, 0, 1, BOUND}, 4);
    batch_run(&c, true);
    batch_finite(&c);
    for (int64_t b = 0; b < 4; b++)
        for (int64_t t = 0; t < 4; t++)
            for (int64_t k = 0; k < attend_heads(c.attend) && c.length[b] > 0; k++) {
                double sum = 0;
                for (int64_t j = 0; j < c.length[b]; j++) {
                    const real w = batch_weights(&c, b, t)[k * c.length[b] + j];
                    CHECK(w >= 0 && w <= 1.000001, "%s %s %s: weight %g", score, select, range, (double)w);
                    if (strcmp(range, "local_m") == 0 && llabs(j - t) > 2)
                        CHECK(w == 0, "%s %s: %g outside the window", score, select, (double)w);
                    if (strcmp(range, "causal") == 0 && j > t)
                        CHECK(w == 0, "%s %s: %g in the future", score, select, (double)w);
                    sum += (double)w;
                }
                if (strcmp(range, "local_m") == 0 && t - 2 >= c.length[b]) {
                    CHECK(sum == 0, "%s %s: weights of an empty window sum to %g", score, select, sum);
                    continue;
                }
                CHECK(sums_to_one(select, range) ? fabs(sum - 1) < 1e-6 : sum > 0 && sum < 1.000001,
                      "%s %s %s: example %d, step %d: weights sum to %g", score, select, range, (int)b, (int)t, sum);
            }
    for (int64_t i = 0; i < attend_width(c.attend); i++)
        CHECK(c.context[batch_slot(&c, 1, 0) * attend_width(c.attend) + i] == 0, "a context of nothing");
    batch_close(&c);
}

/* Walks all combinations: each that is allowed runs forward and backward, each that is refused says why. */
TEST(every_combination_gives_weights_or_its_reason)
{
    int refused = 0, all = 0;
    for (int i = 0; score_name(i); i++)
        for (int j = 0; select_name(j); j++)
            for (int k = 0; range_name(k); k++)
                for (int l = 0; attend_apply_name(l); l++, all++) {
                    const char *reason =
                        attend_refuses(score_name(i), select_name(j), range_name(k), attend_apply_name(l));
                    const bool once =
                        strcmp(attend_apply_name(l), range_find(range_name(k))->within ? "self" : "after") == 0;
                    if (!reason && once) check_sums(score_name(i), select_name(j), range_name(k));
                    if (!reason) continue;
                    char want[400];
                    snprintf(want, sizeof want, "score %s with selection %s and range %s: %s", score_name(i),
                             select_name(j), range_name(k), reason);
                    const AttendSettings s = batch_settings(score_name(i), select_name(j), range_name(k));
                    const AttendUse use = {.apply = attend_apply_name(l)};
                    BatchCase c;
                    CHECK_SAYS(batch_try(&c, &s, use, 8, 8, BOUND), ERR_CONFIG, want);
                    batch_close(&c);
                    refused++;
                }
    assert_int_equal(all, 9 * 6 * 4 * 5);
    /* Draws from mlp and multi_dim; of the other pairs the ranges that ask for a place, 3 with a learnt query and
     * causal in 3 places; with hard_sample all but a decoder's two places, and causal there. */
    assert_int_equal(refused, 2 * 2 * 4 * 5 + 43 * (3 + 3) + 7 * (3 * 4 + 2));
}

TEST(a_batch_of_empty_sources_only_is_no_trouble)
{
    for (int i = 0; score_name(i); i++)
        for (int k = 0; range_name(k); k++) {
            BatchCase c;
            const AttendSettings s = batch_settings(score_name(i), any_select, range_name(k));
            batch_open(&c, &s, 8, 8, BOUND);
            batch_lengths(&c, 2, (int64_t[]){0, 0}, 2);
            batch_run(&c, true);
            batch_finite(&c);
            for (int64_t n = 0; n < 4 * attend_width(c.attend); n++) assert_true(c.context[n] == 0);
            batch_close(&c);
        }
}

/* --- Company. --- */

static void check_company(const char *score, const char *select, const char *range, int64_t width)
{
    static const int64_t length[] = {7, 0, 12, 1, 9, 3};
    BatchCase all, one;
    const AttendSettings s = batch_settings(score, select, range);
    attend_cover(&s);
    batch_open(&all, &s, width, width, BOUND);
    batch_lengths(&all, 6, length, 5);
    batch_run(&all, true);
    for (int64_t b = 0; b < 6; b++) {
        batch_open(&one, &s, width, width, BOUND);
        batch_lengths(&one, 1, length + b, 5);
        batch_take(&one, &all, b);
        batch_run(&one, true);
        for (int64_t t = 0; t < 5; t++) {
            const int64_t here = batch_slot(&all, b, t), there = batch_slot(&one, 0, t), w = attend_width(all.attend);
            CHECK(memcmp(all.context + here * w, one.context + there * w, (size_t)w * sizeof(real)) == 0,
                  "%s %s %s: the context of example %d, step %d hangs on its company", score, select, range, (int)b,
                  (int)t);
            CHECK(memcmp(batch_weights(&all, b, t), batch_weights(&one, 0, t),
                         (size_t)(attend_heads(all.attend) * length[b]) * sizeof(real)) == 0,
                  "%s %s %s: weights hang on company", score, select, range);
            CHECK(memcmp(all.d_query + here * width, one.d_query + there * width, (size_t)width * sizeof(real)) == 0,
                  "%s %s %s: the gradient of a query hangs on its company", score, select, range);
        }
        batch_close(&one);
    }
    batch_close(&all);
}

TEST(a_row_alone_and_among_others_is_the_same_bit_for_bit)
{
    for (int i = 0; score_name(i); i++)
        for (int j = 0; select_name(j); j++)
            for (int k = 0; range_name(k); k++)
                if (!attend_refuses(score_name(i), select_name(j), range_name(k), NULL))
                    check_company(score_name(i), select_name(j), range_name(k), i % 2 ? 37 : 80);
}

/* Without training nothing is drawn, and backward or not makes no difference to forward. */
TEST(records_for_backward_change_no_bit_of_forward)
{
    for (int i = 0; score_name(i); i++) {
        BatchCase a, b;
        const AttendSettings s = batch_settings(score_name(i), any_select, "local_p");
        batch_open(&a, &s, 8, 8, BOUND);
        batch_open(&b, &s, 8, 8, BOUND);
        batch_lengths(&a, 2, (int64_t[]){7, 9}, 3);
        batch_lengths(&b, 2, (int64_t[]){7, 9}, 3);
        batch_run(&a, true);
        batch_run(&b, false);
        assert_memory_equal(a.context, b.context, (size_t)(6 * attend_width(a.attend)) * sizeof(real));
        batch_close(&a);
        batch_close(&b);
    }
}

/* In decoding the steps share their records: those of the step before leave no trace in the weights. */
TEST(records_used_again_hold_nothing_of_the_step_before)
{
    for (int k = 0; range_name(k); k++) {
        BatchCase c;
        const AttendSettings s = batch_settings("multi_dim", "sparsemax", range_name(k));
        batch_open(&c, &s, 8, 8, BOUND);
        batch_lengths(&c, 3, (int64_t[]){7, 12, 9}, 6);
        batch_run(&c, false);
        AttendRun *again;
        real context[3 * 24];
        const AttendBatch b = {.key = c.key, .keys = {3, c.offset}, .slots = 3};
        CHECK_OK(attend_open(&again, c.attend, &c.step, &b));
        for (int64_t t = 0; t < 6; t++) {
            static const int32_t sentence[] = {2, 0, 2}; /* two rows may look at one example */
            real query[3 * 8];
            for (int i = 0; i < 3; i++)
                memcpy(query + 8 * i, c.query + batch_slot(&c, sentence[i], t) * 8, 8 * sizeof *query);
            attend_forward(again, &(AttendBlock){.rows = 3,
                                                 .step = t,
                                                 .sentence = sentence,
                                                 .query = query,
                                                 .ld_query = 8,
                                                 .context = context,
                                                 .ld_context = 24});
            for (int i = 0; i < 3; i++) {
                assert_memory_equal(attend_weights(again, i), batch_weights(&c, sentence[i], t),
                                    (size_t)(3 * c.length[sentence[i]]) * sizeof(real));
                assert_memory_equal(context + 24 * i, c.context + 24 * batch_slot(&c, sentence[i], t),
                                    24 * sizeof(real));
            }
        }
        batch_close(&c);
    }
}

/* --- Noise. --- */

TEST(draws_differ_by_example_and_step_and_follow_the_key)
{
    BatchCase c;
    const AttendSettings s = batch_settings("location", "hard_sample", "global");
    batch_open(&c, &s, 8, 8, BOUND);
    for (int64_t i = 0; i < c.params.count; i++) c.params.value[i] = 0; /* all positions equally likely */
    batch_lengths(&c, 4, (int64_t[]){12, 12, 12, 12}, 4);
    int different = 0, count[12] = {0};
    for (uint64_t noise = 0; noise < 100; noise++) {
        int64_t before = -1;
        c.noise = noise;
        batch_run(&c, false);
        for (int64_t i = 0; i < 16; i++) {
            int64_t j = 0;
            while (batch_weights(&c, i / 4, i % 4)[j] == 0) j++;
            count[j]++;
            different += j != before;
            before = j;
        }
    }
    CHECK(different > 1600 * 0.88 && different < 1600 * 0.96, "%d of 1600 draws differ from their neighbour",
          different);
    for (int j = 0; j < 12; j++) CHECK(count[j] > 80 && count[j] < 190, "position %d: %d of 1600", j, count[j]);
    batch_close(&c);
}

TEST(the_temperature_of_the_step_counts)
{
    for (int cold = 0; cold < 2; cold++) {
        BatchCase c;
        const AttendSettings s = batch_settings("dot", "gumbel", "global");
        attend_put(&s.select, "temperature", "1000");
        attend_put(&s.select, "temperature_rate", "1");
        attend_put(&s.select, "temperature_least", "1e-3");
        batch_open(&c, &s, 8, 8, BOUND);
        c.training_step = cold ? 20 : 0; /* 1000 exp(-20) is below the least */
        batch_lengths(&c, 1, (int64_t[]){4}, 1);
        batch_run(&c, false);
        real most = 0;
        for (int j = 0; j < 4; j++) most = batch_weights(&c, 0, 0)[j] > most ? batch_weights(&c, 0, 0)[j] : most;
        CHECK(cold ? most > 0.99 : most < 0.27, "largest weight %g", (double)most);
        batch_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(a_local_window_is_cut_at_both_ends_and_behind_the_end_is_empty_or_stays),
                                       RUN(a_predicted_window_at_either_end_sees_something),
                                       RUN(every_combination_gives_weights_or_its_reason),
                                       RUN(a_batch_of_empty_sources_only_is_no_trouble),
                                       RUN(a_row_alone_and_among_others_is_the_same_bit_for_bit),
                                       RUN(records_for_backward_change_no_bit_of_forward),
                                       RUN(records_used_again_hold_nothing_of_the_step_before),
                                       RUN(draws_differ_by_example_and_step_and_follow_the_key),
                                       RUN(the_temperature_of_the_step_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
