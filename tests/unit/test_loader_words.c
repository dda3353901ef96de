/* Batches of so many words: like shares of each window, in an order that is still a function of (seed, epoch). */
#include "corpus_test.h"

enum { EXAMPLES = 611, MOST = 4000, LONGEST = 12 };

static Arena run;

/* 40 words a batch, an end counted for each example. */
static const LoaderOptions usual = {.split = "train",
                                    .seed = 7,
                                    .batch = 40,
                                    .by_words = "text",
                                    .extra_words = 1,
                                    .parts = 1,
                                    .shuffle = true,
                                    .bucket = "text",
                                    .window = 5,
                                    .memory = 1 << 20,
                                    .epochs = 2};

static const Corpus *open_corpus(void)
{
    Corpus *c = NULL;
    corpus_make(in("c"), 3, (const int64_t[]){200, 211, 200});
    CHECK_OK(corpus_open(&c, &run, NULL, in("c"), true));
    return c;
}

/* All examples from a position on, -1 after each batch. */
static int64_t read_from(const Corpus *c, const LoaderOptions *o, LoaderPosition start, int64_t list[MOST])
{
    Loader *l;
    const Batch *b;
    LoaderPosition at;
    int64_t n = 0;
    CHECK_OK(loader_open(&l, c, o, start));
    for (;;) {
        CHECK_OK(loader_next(l, &b, &at, NULL));
        if (!b) break;
        for (int64_t i = 0; i < b->B; i++) {
            check_example(b, i, NULL);
            list[n++] = b->example[i];
        }
        list[n++] = -1;
    }
    loader_close(l);
    return n;
}

static void plan(const Corpus *c, const LoaderOptions *o, int64_t *examples, int64_t *batches)
{
    CHECK_OK(loader_plan(c, o, examples, batches));
    int64_t words = EXAMPLES * o->extra_words;
    for (int64_t e = 0; e < EXAMPLES; e++) words += total_words(e);
    const double mean = (double)o->batch * EXAMPLES / (double)words;
    CHECK(fabs((double)*examples - mean) <= 0.5, "%lld examples, mean %g", (long long)*examples, mean);
    assert_int_equal(*batches, (EXAMPLES + *examples - 1) / *examples);
}

/* Two epochs: twice as many batches as planned, each example once in each epoch. */
static void check_epochs(int64_t n, const int64_t *list, int64_t batches)
{
    int64_t seen[EXAMPLES] = {0}, ends = 0;
    for (int64_t i = 0; i < n; i++) {
        if (list[i] < 0) {
            CHECK(i > 0 && list[i - 1] >= 0, "an empty batch at %lld", (long long)i);
            ends++;
            continue;
        }
        CHECK(++seen[list[i]] == 1 + ends / batches, "example %lld in batch %lld", (long long)list[i], (long long)ends);
    }
    assert_int_equal(ends, 2 * batches);
}

/* In a window each batch has its share of the words, give or take a sentence at each end. */
static void check_balance(int64_t n, const int64_t *list, int64_t batches, int64_t window)
{
    int64_t words[MOST] = {0}, b = 0;
    for (int64_t i = 0; i < n; i++) {
        if (list[i] < 0)
            b++;
        else
            words[b] += 1 + total_words(list[i]);
    }
    for (int64_t first = 0; first < batches; first += window) {
        const int64_t end = first + window < batches ? first + window : batches;
        double sum = 0;
        for (int64_t i = first; i < end; i++) sum += (double)words[i];
        for (int64_t i = first; i < end; i++)
            CHECK(fabs((double)words[i] - sum / (double)(end - first)) <= LONGEST + 1, "batch %lld: %lld words of %g",
                  (long long)i, (long long)words[i], sum / (double)(end - first));
    }
}

TEST(each_example_comes_once_an_epoch_and_batches_have_like_shares)
{
    static int64_t list[MOST];
    const Corpus *c = open_corpus();
    for (int64_t e = 0; e < EXAMPLES; e++) CHECK(total_words(e) <= 2 * LONGEST, "%lld", (long long)total_words(e));
    for (int sorted = 0; sorted < 2; sorted++) {
        LoaderOptions o = usual;
        o.bucket = sorted ? "text" : NULL;
        int64_t examples, batches;
        plan(c, &o, &examples, &batches);
        const int64_t n = read_from(c, &o, (LoaderPosition){0, 0}, list);
        check_epochs(n, list, batches);
        check_balance(n, list, batches, o.window);
    }
}

TEST(batches_of_fewer_words_than_an_example_have_one_example)
{
    static int64_t list[MOST];
    const Corpus *c = open_corpus();
    LoaderOptions o = usual;
    o.batch = 1;
    o.extra_words = 0;
    const int64_t n = read_from(c, &o, (LoaderPosition){0, 0}, list);
    check_epochs(n, list, EXAMPLES);
    o.batch = 1000000; /* all in one */
    check_epochs(read_from(c, &o, (LoaderPosition){0, 0}, list), list, 1);
}

TEST(memory_has_no_say_and_any_position_is_found_again)
{
    static int64_t all[MOST], rest[MOST];
    const Corpus *c = open_corpus();
    int64_t examples, batches, from = 0;
    plan(c, &usual, &examples, &batches);
    const int64_t n = read_from(c, &usual, (LoaderPosition){0, 0}, all);
    LoaderOptions streamed = usual;
    streamed.memory = 20000;
    for (int64_t k = 0; k < 2 * batches; k++) {
        const LoaderPosition p = {k / batches, k % batches};
        const bool try = k % 7 == 0 || k % batches == batches - 1;
        const int64_t m = !try ? n - from : read_from(c, k % 2 ? &streamed : &usual, p, rest);
        CHECK(!try || (m == n - from && memcmp(all + from, rest, (size_t)m * sizeof *rest) == 0), "from %lld.%lld on",
              (long long)p.epoch, (long long)p.batch);
        while (all[from++] >= 0) {
        }
    }
}

TEST(parts_share_a_batch_without_gaps)
{
    static int64_t all[MOST], mine[MOST];
    const Corpus *c = open_corpus();
    const int64_t n = read_from(c, &usual, (LoaderPosition){0, 0}, all);
    for (int64_t parts = 2; parts <= 5; parts++)
        for (int64_t part = 0; part < parts; part++) {
            LoaderOptions o = usual;
            o.part = part;
            o.parts = parts;
            const int64_t m = read_from(c, &o, (LoaderPosition){0, 0}, mine);
            int64_t at = 0, place = 0;
            for (int64_t i = 0; i < n; i++) {
                if (all[i] >= 0 && place++ % parts != part) continue;
                CHECK(mine[at++] == all[i], "part %lld of %lld differs", (long long)part, (long long)parts);
                if (all[i] < 0) place = 0;
            }
            CHECK(at == m, "part %lld of %lld has more", (long long)part, (long long)parts);
        }
}

TEST(only_a_text_can_be_counted)
{
    const Corpus *c = open_corpus();
    Loader *l;
    char text[400];
    int64_t examples, batches;
    LoaderOptions o = usual;
    o.by_words = "story";
    snprintf(text, sizeof text, "%s: there is no text story to count by", in("c"));
    CHECK_SAYS(loader_open(&l, c, &o, (LoaderPosition){0, 0}), ERR_CONFIG, text);
    CHECK_SAYS(loader_plan(c, &o, &examples, &batches), ERR_CONFIG, text);
    o.by_words = "label";
    snprintf(text, sizeof text, "%s: there is no text label to count by", in("c"));
    CHECK_SAYS(loader_open(&l, c, &o, (LoaderPosition){0, 0}), ERR_CONFIG, text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN_IN_FOLDER(each_example_comes_once_an_epoch_and_batches_have_like_shares),
                                       RUN_IN_FOLDER(batches_of_fewer_words_than_an_example_have_one_example),
                                       RUN_IN_FOLDER(memory_has_no_say_and_any_position_is_found_again),
                                       RUN_IN_FOLDER(parts_share_a_batch_without_gaps),
                                       RUN_IN_FOLDER(only_a_text_can_be_counted)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_close(&run);
    return failed;
}
