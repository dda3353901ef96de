/* Scheduled sampling: the decays, a coin for each position, and whose words the inputs are. */
#include "pairs.h"
#include "trainer/generate/generator.h"

static double share(const char *decay, const SamplingSettings *s, uint64_t step)
{
    return sampling_teacher_share((Chosen){component_find(sampling_choice, decay), s}, step);
}

TEST(the_teachers_share_falls_as_the_three_decays_say)
{
    SamplingSettings s = {.rate = 0.01, .least = 0.2, .start = 10};
    CHECK_NEAR(share("linear", &s, 5), 1, 0);
    CHECK_NEAR(share("linear", &s, 30), 0.8, 1e-15);
    CHECK_NEAR(share("linear", &s, 1000), 0.2, 0);
    s = (SamplingSettings){.rate = 0.99};
    CHECK_NEAR(share("exponential", &s, 100), 0.36603234127322950493, 1e-14);
    s = (SamplingSettings){.rate = 100};
    CHECK_NEAR(share("inverse_sigmoid", &s, 0), 100.0 / 101, 1e-15);
    CHECK_NEAR(share("inverse_sigmoid", &s, 500), 100 / (100 + exp(5)), 1e-15);
    component_settings(component_find(sampling_choice, "linear"), &s, NULL); /* each has a rate of its own */
    CHECK_NEAR(share("linear", &s, 1000), 0.9, 1e-15);
    component_settings(component_find(sampling_choice, "exponential"), &s, NULL);
    CHECK_NEAR(share("exponential", &s, 10000), exp(10000 * log(0.9999)), 1e-12);
    component_settings(component_find(sampling_choice, "inverse_sigmoid"), &s, NULL);
    CHECK_NEAR(share("inverse_sigmoid", &s, 2000), 1000 / (1000 + exp(2)), 1e-15);
    CHECK_NEAR(share("none", NULL, 100000), 1, 0);
}

/* Inputs that scheduled sampling made for the batch at some step. */
static void sampled(Pairs *p, Arena *step, uint64_t at, WriterPositions *target)
{
    Tape t = tape_begin(step);
    t.train = true;
    t.seed = 7;
    t.step = at;
    const Generator *g = p->model->state;
    Memory m;
    Generated made;
    generator_encode(g, &t, &p->batch, &m);
    generator_forward(g, &t, &p->batch, &m, &made);
    CHECK_OK(tape_status(&t));
    *target = made.positions;
}

TEST(scheduled_sampling_tosses_a_coin_for_each_position_and_does_not_hang_on_the_batch)
{
    static const char *const source[] = {"4 5 6 7", "8 9", "10 4 4 5 9"};
    Pairs p;
    Arena step = {0};
    pairs_open(&p, false,
               (const char *const[]){"sampling", "linear", "sampling.least", "0.5", "sampling.rate", "1", NULL});
    int64_t positions = 0, replaced = 0, second = 0;
    for (uint64_t at = 1; at <= 200; at++) {
        WriterPositions all, one;
        pairs_batch(&p, "4 5 6 7|8 9|10 4 4 5 9", "4 5 4 5 4 5|6 7 8 4|5 5 5");
        sampled(&p, &step, at, &all);
        for (int64_t e = 0; e < 3; e++) {
            const int64_t first = all.seq.offset[e], n = all.seq.offset[e + 1] - first;
            assert_int_equal(all.input[first], VOCAB_BOS);
            assert_int_equal(all.output[first + n - 1], VOCAB_EOS);
            positions += n - 1;
            for (int64_t j = 1; j < n; j++) replaced += all.input[first + j] != all.output[first + j - 1];
        }
        second += all.input[1] != all.output[0];
        pairs_batch(&p, source[0], "4 5 4 5 4 5"); /* the first example, alone */
        sampled(&p, &step, at, &one);
        assert_memory_equal(one.input, all.input, 7 * sizeof *one.input);
        arena_release(&step, (ArenaMark){0});
    }
    /* half of them are the model's own, of which about 1 in 9 is the true one by chance: 0.44, deviation 0.011 */
    const double share = (double)replaced / (double)positions;
    CHECK(share > 0.36 && share < 0.5, "%lld of %lld inputs are the model's own", (long long)replaced,
          (long long)positions);
    CHECK(second > 40 && second < 160, "one place is tossed alike in %lld of 200 steps", (long long)second);
    arena_close(&step);
    arena_close(&p.run);
}

static double own_share(const char *choose, uint64_t at)
{
    Pairs p;
    Arena step = {0};
    pairs_open(&p, false,
               (const char *const[]){"sampling", "linear", "sampling.rate", "1", "sampling.choose", choose, NULL});
    WriterPositions target;
    sampled(&p, &step, at, &target);
    /* every input is the model's own: what it makes of them must be what it made */
    Tape t = tape_begin(&step);
    Generation made;
    CHECK_OK(generator_start(p.model->state, &t, &p.batch, 1, &made));
    int64_t most_likely = 0, n = 0;
    const int64_t e = 1;
    for (int64_t j = target.seq.offset[e]; j + 1 < target.seq.offset[e + 1]; j++, n++) {
        GenerateOut out;
        const GenerateStep g = {1, n, (const int32_t[]){(int32_t)e}, n ? (const int32_t[]){0} : NULL, &target.input[j]};
        CHECK_OK(generator_step(made.state, &g, &out));
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
        RUN(the_teachers_share_falls_as_the_three_decays_say),
        RUN(scheduled_sampling_tosses_a_coin_for_each_position_and_does_not_hang_on_the_batch),
        RUN(the_models_own_words_are_the_most_likely_or_drawn)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
