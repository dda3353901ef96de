/* Model nested, part by part: what an unknown word's vector hangs on, whose characters are read, what is penalised. */
#include "nest.h"
#include "trainer/generate/guide.h"

/* Features of the target's positions, and what each costs besides. */
typedef struct Result {
    int64_t n, width;
    double x[200], more[40], penalty;
} Result;

static void result(Nest *n, bool train, Result *r)
{
    Arena a = {0};
    Tape t = train ? gradient_tape(&a) : tape_begin(&a);
    Prediction out;
    model_forward(n->pairs.model, &t, &n->pairs.batch, &out);
    CHECK_OK(tape_status(&t));
    *r = (Result){.n = out.words.x->shape.d[0], .width = out.words.x->shape.d[1]};
    CHECK(r->n <= 40 && r->n * r->width <= 200, "%d positions", (int)r->n);
    for (int64_t i = 0; i < r->n * r->width; i++) r->x[i] = (double)out.words.x->value[i];
    for (int64_t i = 0; i < r->n && out.words.more; i++) r->more[i] = out.words.more[i];
    if (out.penalty) r->penalty = (double)out.penalty->value[0];
    arena_close(&a);
}

/* With composing weights of 0 all unknown words have the vector b: that of a known word, beyond what a squashing
 * function could give. */
TEST(an_unknown_word_has_the_vector_that_is_composed_for_it)
{
    static const real b[] = {1.7, -2.1, 0.4};
    Nest n;
    Result unknown, known;
    nest_open(&n, NULL);
    Param *w = params_find(&n.pairs.params, "characters/compose/W"),
          *c = params_find(&n.pairs.params, "characters/compose/b");
    Param *table = params_find(&n.pairs.params, "source/embedding");
    for (int64_t i = 0; i < w->count; i++) w->value[i] = 0;
    memcpy(c->value, b, sizeof b);
    memcpy(table->value + 10 * 3, b, sizeof b);
    nest_batch(&n, "4 1 6 1|1 5", "5 6|7", "4/5/6/7/|8/9/", "4/5/|6/");
    result(&n, false, &unknown);
    nest_batch(&n, "4 10 6 10|10 5", "5 6|7", "4/5/6/7/|8/9/", "4/5/|6/");
    result(&n, false, &known);
    for (int64_t i = 0; i < known.n * known.width; i++) CHECK_NEAR(unknown.x[i], known.x[i], 1e-14);
    arena_close(&n.pairs.run);
}

/* The second and the fourth word of the second source are unknown. */
TEST(only_characters_of_unknown_words_are_read_and_each_for_its_word)
{
    static const char *const letters[] = {"4/5/|6 7/8 4/9/5 5/",   "4/5/|9 9 9/8 4/9/5 5/", "4/5/|6 7/7/9/5 5/",
                                          "4/5/|6 7/8 4/4 4/5 5/", "4/5/|6 7/8 4/9/8/",     "4/5/|6 7/5 5/9/8 4/"};
    Nest n;
    Result r[6];
    nest_open(&n, NULL);
    for (int i = 0; i < 6; i++) {
        nest_batch(&n, "8 9|4 1 6 1", "5|7 8", letters[i], "4/|5/6/");
        result(&n, false, &r[i]);
        double off = 0; /* of the second example: positions 2, 3 and 4 */
        for (int64_t k = 2 * r[0].width; k < 5 * r[0].width; k++) off = fmax(off, fabs(r[i].x[k] - r[0].x[k]));
        CHECK((off > 1e-6) == (i == 2 || i >= 4), "letters %s: features move by %g", letters[i], off);
    }
    arena_close(&n.pairs.run);
}

static int most(const double *weight, int n)
{
    int best = 0;
    for (int j = 1; j < n; j++)
        if (weight[j] > weight[best]) best = j;
    return best;
}

/* All words of the source are known, so that their characters matter to the speller alone. */
TEST(the_word_that_got_most_attention_is_spelled_from)
{
    static const char *const letters[] = {"4/5/|6 7/8 4/9/5 5/", "4/5/|9/8 4/9/5 5/", "4/5/|6 7/4/9/5 5/",
                                          "4/5/|6 7/8 4/4/5 5/", "4/5/|6 7/8 4/9/4/"};
    static const int32_t target[] = {1, 6, 1, 7, 1};
    Nest n;
    Result r[5];
    double weight[6 * NEST_MOST];
    bool seen[4] = {0};
    nest_open(&n, NULL);
    Params *all = &n.pairs.params; /* states far apart */
    for (int64_t i = 0; i < all->count; i++) all->value[i] = (real)2 * gradient_number((uint64_t)i);
    for (int i = 0; i < 5; i++) {
        nest_batch(&n, "8 9|4 5 6 7", "5|1 6 1 7 1", letters[i], "4/|5/6/7 8/9/4 4/");
        result(&n, false, &r[i]);
    }
    nest_weights(&n, 1, 5, target, weight);
    for (int p = 0; p < 5; p += 2) { /* the second example's positions stand from 2 on */
        const int looked = most(weight + p * NEST_MOST, 4);
        seen[looked] = true;
        for (int i = 1; i < 5; i++)
            CHECK((fabs(r[i].more[2 + p] - r[0].more[2 + p]) > 1e-9) == (i - 1 == looked),
                  "position %d looks at word %d, letters of word %d", p, looked, i - 1);
    }
    CHECK(seen[0] + seen[1] + seen[2] + seen[3] > 1, "all look at one word: not a telling case");
    arena_close(&n.pairs.run);
}

/* -0.7 log of the weight of the word that each comes from, and the characters. */
TEST(the_penalty_is_of_guide_and_characters)
{
    static const int32_t target[3][6] = {{4, 6, 1}, {9}, {8, 9, 7, 1, 5}};
    static const int length[] = {3, 1, 5};
    Nest n;
    Result r;
    int32_t *wanted;
    double want = 0;
    int told = 0;
    nest_open(&n, (const char *const[]){"guide", "0.7", NULL});
    nest_batch(&n, "4 1 6|5 9|8 1 9 7", "4 6 1|9|8 9 7 1 5", "4/5 6/7/|8/9/|4/5/6/7/", "4/5/6 6/|7/|8/9/4/5 4/6/");
    result(&n, true, &r);
    CHECK_OK(guide_wanted(&n.pairs.run, &n.pairs.batch, &wanted));
    for (int e = 0, p = 0; e < 3; p += length[e++] + 1) {
        double weight[6 * NEST_MOST];
        nest_weights(&n, e, length[e], target[e], weight);
        for (int k = 0; k <= length[e]; k++) {
            want += r.more[p + k];
            if (wanted[p + k] < 0) continue;
            told++;
            want -= 0.7 * log(weight[k * NEST_MOST + wanted[p + k]]);
        }
    }
    CHECK(told >= 6, "%d words are told where to look", told);
    CHECK_NEAR(r.penalty, want, 1e-12);
    result(&n, false, &r);
    CHECK_NEAR(r.penalty, r.more[2] + r.more[9], 1e-12); /* outside of training it is the characters' alone */
    arena_close(&n.pairs.run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(an_unknown_word_has_the_vector_that_is_composed_for_it),
                                       RUN(only_characters_of_unknown_words_are_read_and_each_for_its_word),
                                       RUN(the_word_that_got_most_attention_is_spelled_from),
                                       RUN(the_penalty_is_of_guide_and_characters)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
