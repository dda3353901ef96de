/* A beam of one, draws, what ends and what never does, and what must not change a result. */
#include "check.h"
#include "table_model.h"

enum { V = 7 }; /* usable words: <unk> 4 5 6 */

static Arena arena;
static TableModel m;

static void decode(const DecodeSettings *set, int64_t first, int64_t n, const GenerateWords *given, DecodeOutput **out)
{
    static TableBatch batch;
    table_batch(&batch, first, n);
    const DecodeRequest r = {.batch = &batch.batch, .given = given, .seed = 3};
    CHECK_OK(decode_batch(&m.model, set, &r, &arena, out));
}

TEST(a_beam_of_one_is_greedy)
{
    table_model(&m, 300, 4); /* more than two blocks of the row */
    DecodeSettings set = table_settings();
    set.beam = 1;
    set.max_words = 12;
    m.end = 3;
    for (int64_t example = 0; example < 20; example++) {
        DecodeOutput *out;
        decode(&set, example, 1, NULL, &out);
        uint64_t history = table_start(&m, example);
        int64_t n = 0;
        for (;; n++) {
            int32_t best = VOCAB_UNK;
            for (int32_t v = 0; v < 300; v++)
                if (v != VOCAB_PAD && v != VOCAB_BOS && table_logit(&m, history, v) > table_logit(&m, history, best))
                    best = v;
            if (best == VOCAB_EOS || n == 12) break;
            CHECK(n < out->item[0].n && out->item[0].word[n] == best, "example %d, word %d", (int)example, (int)n);
            history = table_mix(history, (uint64_t)best);
        }
        CHECK(out->item[0].n == n && out->item[0].cut == (n == 12), "example %d: %d words", (int)example, (int)n);
    }
}

static void check_equal(const DecodeOutput *a, const DecodeOutput *b)
{
    CHECK(a->n == b->n, "%d and %d outputs", a->n, b->n);
    for (int i = 0; i < a->n; i++) {
        const DecodeHypothesis *x = &a->item[i], *y = &b->item[i];
        CHECK(x->n == y->n && x->cut == y->cut && memcmp(&x->score, &y->score, sizeof x->score) == 0, "output %d", i);
        CHECK(memcmp(x->word, y->word, (size_t)x->n * sizeof *x->word) == 0, "words of output %d", i);
        CHECK(memcmp(x->look, y->look, (size_t)x->n * sizeof *x->look) == 0, "look of output %d", i);
        CHECK(memcmp(x->log_p, y->log_p, (size_t)(x->n + 1) * sizeof *x->log_p) == 0, "log p of output %d", i);
    }
}

TEST(the_batch_changes_no_bit)
{
    table_model(&m, 50, 5);
    m.end = 2;
    for (int variant = 0; variant < 6; variant++) {
        DecodeSettings set = table_settings();
        set.nbest = 3;
        set.max_words = 9;
        set.stop = variant == 1 ? DECODE_STOP_BOUND : DECODE_STOP_BEAM;
        set.coverage = variant == 2 ? 0.3 : 0;
        set.search = variant >= 3 ? DECODE_SAMPLE : DECODE_BEAM;
        set.top = variant == 4 ? 5 : 0;
        set.temperature = variant == 5 ? 0.5 : 1;
        DecodeOutput *one[TABLE_SOURCES], *all;
        for (int64_t b = 0; b < TABLE_SOURCES; b++) decode(&set, b, 1, NULL, &one[b]);
        for (int64_t size = 7; size <= 64; size += 57)
            for (int64_t first = 0; first < TABLE_SOURCES; first += size) {
                const int64_t n = first + size < TABLE_SOURCES ? size : TABLE_SOURCES - first;
                decode(&set, first, n, NULL, &all);
                for (int64_t b = 0; b < n; b++) check_equal(&all[b], one[first + b]);
            }
    }
}

TEST(equal_scores_go_to_the_lower_word)
{
    table_model(&m, V, 6);
    m.equal = true;
    m.end = -1;
    DecodeSettings set = table_settings();
    set.beam = set.nbest = 3;
    set.max_words = 2;
    set.length_penalty = DECODE_NO_PENALTY;
    DecodeOutput *out;
    decode(&set, 0, 1, NULL, &out);
    /* After <unk>, 4, 5 the best of two words are (<unk>, <unk>), (4, <unk>), (5, <unk>); the end is less likely. */
    CHECK(out->n == 3, "%d outputs", out->n);
    static const int32_t first[] = {VOCAB_UNK, 4, 5};
    for (int i = 0; i < 3; i++)
        CHECK(out->item[i].n == 2 && out->item[i].cut && out->item[i].word[0] == first[i] &&
                  out->item[i].word[1] == VOCAB_UNK,
              "output %d is %d %d", i, (int)out->item[i].word[0], (int)out->item[i].word[1]);
}

TEST(what_never_ends_is_cut_and_says_so)
{
    table_model(&m, V, 7);
    m.end = -1000;
    DecodeSettings set = table_settings();
    set.max_factor = 1.5;
    set.max_words = 3;
    DecodeOutput *out;
    decode(&set, 2, 1, NULL, &out); /* 3 source words: 4 + 3 */
    CHECK(out->n == 1 && out->item[0].cut && out->item[0].n == 7, "%d words", (int)out->item[0].n);
    CHECK_NEAR(out->item[0].score, out->item[0].total / pow(13.0 / 6, 0.6), 1e-12);
}

TEST(no_run_of_words_stands_twice_and_what_cannot_go_on_is_cut)
{
    table_model(&m, 5, 8); /* words: <unk> and 4 */
    m.end = -1000;
    DecodeSettings set = table_settings();
    set.block = 1;
    set.max_words = 10;
    set.min_words = 10;
    for (int sample = 0; sample < 2; sample++) {
        set.search = sample ? DECODE_SAMPLE : DECODE_BEAM;
        DecodeOutput *out;
        decode(&set, 0, 1, NULL, &out);
        CHECK(out->n == 1 && out->item[0].cut && out->item[0].n == 2, "%d words", (int)out->item[0].n);
        CHECK(out->item[0].word[0] != out->item[0].word[1], "the word stands twice");
    }
}

TEST(pruning_and_finished_examples_leave_the_batch)
{
    table_model(&m, 50, 9);
    m.end = 2;
    DecodeSettings set = table_settings();
    set.max_words = 30;
    DecodeOutput *out;
    decode(&set, 0, 32, NULL, &out);
    const int64_t rows = m.rows, steps = m.steps;
    CHECK(rows < steps * 32 * 5 * 3 / 4, "%d rows in %d steps", (int)rows, (int)steps);
    m.rows = 0;
    set.prune = 1;
    decode(&set, 0, 32, NULL, &out);
    CHECK(m.rows < rows, "%d rows, %d without pruning", (int)m.rows, (int)rows);
}

TEST(draws_follow_the_distribution_that_temperature_and_top_make)
{
    table_model(&m, V, 11);
    DecodeSettings set = table_settings();
    set.search = DECODE_SAMPLE;
    set.nbest = 20000;
    set.max_words = 1;
    set.temperature = 0.7;
    set.top = 3;
    DecodeOutput *out;
    decode(&set, 0, 1, NULL, &out);
    int count[V] = {0};
    for (int i = 0; i < out->n; i++) count[out->item[i].n ? out->item[i].word[0] : VOCAB_EOS]++;
    const uint64_t history = table_start(&m, 0);
    double p[V], sum = 0;
    for (int v = 0; v < V; v++) {
        int better = 0;
        for (int u = 0; u < V; u++)
            better += u != VOCAB_PAD && u != VOCAB_BOS && table_logit(&m, history, u) > table_logit(&m, history, v);
        p[v] = v == VOCAB_PAD || v == VOCAB_BOS || better >= 3 ? 0 : exp(table_logit(&m, history, v) / 0.7);
        sum += p[v];
    }
    for (int v = 0; v < V; v++) { /* five deviations of a count of 20000 draws */
        const double share = p[v] / sum, deviation = sqrt(share * (1 - share) * 20000);
        CHECK(fabs(count[v] - share * 20000) <= 5 * deviation + 1e-9, "word %d: %d draws, %.0f expected", v, count[v],
              share * 20000);
    }
}

TEST(the_look_is_the_largest_weight_of_the_step_that_made_the_word)
{
    table_model(&m, V, 12);
    const DecodeSettings set = table_settings();
    DecodeOutput *out;
    decode(&set, 3, 1, NULL, &out);
    const DecodeHypothesis *h = &out->item[0];
    uint64_t history = table_start(&m, 3);
    CHECK(h->n > 0, "no word");
    for (int64_t t = 0; t < h->n; t++) {
        real w[4];
        table_look(history, 4, w);
        for (int j = 0; j < 4; j++) CHECK(w[j] <= w[h->look[t]], "word %d looks at %d", (int)t, (int)h->look[t]);
        history = table_mix(history, (uint64_t)h->word[t]);
    }
    m.attention = false;
    decode(&set, 3, 1, NULL, &out);
    CHECK(!out->item[0].look, "a model without attention looks");
}

TEST(faults_are_said)
{
    table_model(&m, V, 13);
    static TableBatch batch;
    table_batch(&batch, 40, 2);
    const DecodeRequest r = {.batch = &batch.batch};
    DecodeSettings set = table_settings();
    DecodeOutput *out;
    m.broken = true;
    CHECK_SAYS(decode_batch(&m.model, &set, &r, &arena, &out), ERR_CHECK,
               "example 40, word 1 of the output: the model's logits are not finite");
    m.broken = m.attention = false;
    set.coverage = 0.2;
    CHECK_SAYS(decode_batch(&m.model, &set, &r, &arena, &out), ERR_CONFIG,
               "decode.coverage is 0.2, but model table has no attention that could cover the source");
    m.def.generate = NULL;
    CHECK_SAYS(decode_batch(&m.model, &set, &r, &arena, &out), ERR_CONFIG,
               "model table makes no sequences: there is nothing to decode");
}

TEST(every_allocation_may_fail)
{
    table_model(&m, V, 14);
    static TableBatch batch;
    table_batch(&batch, 0, 3);
    const DecodeRequest r = {.batch = &batch.batch};
    DecodeSettings set = table_settings();
    set.coverage = 0.2;
    for (long n = 1;; n++) {
        Arena small = {.fail_in = n};
        DecodeOutput *out;
        const Status st = decode_batch(&m.model, &set, &r, &small, &out);
        const bool reached = small.fail_in == 0;
        arena_close(&small);
        if (!reached) {
            CHECK_OK(st);
            CHECK(n > 100, "only %ld allocations", n);
            return;
        }
        CHECK(st == ERR_HOST, "allocation %ld: %d", n, (int)st);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(a_beam_of_one_is_greedy),
        RUN(the_batch_changes_no_bit),
        RUN(equal_scores_go_to_the_lower_word),
        RUN(what_never_ends_is_cut_and_says_so),
        RUN(no_run_of_words_stands_twice_and_what_cannot_go_on_is_cut),
        RUN(pruning_and_finished_examples_leave_the_batch),
        RUN(draws_follow_the_distribution_that_temperature_and_top_make),
        RUN(the_look_is_the_largest_weight_of_the_step_that_made_the_word),
        RUN(faults_are_said),
        RUN(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("decode", tests, NULL, NULL);
}
