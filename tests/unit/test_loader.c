/* Batches hold each example once an epoch, in an order that shards, ranks and memory have no say in. */
#include "corpus_test.h"

#include <sys/resource.h>

#include "io/corpus/order.h"

static Arena run;

static const LoaderOptions usual = {
    .split = "train", .seed = 7, .batch = 8, .parts = 1, .shuffle = true, .window = 5, .memory = 1 << 20, .epochs = 2};

static Corpus *open_corpus(const char *name)
{
    Corpus *c = NULL;
    CHECK_OK(corpus_open(&c, &run, NULL, in(name), true));
    return c;
}

/* The numbers of all examples that come, batch after batch, with -1 after each batch; *n of them. */
static int64_t *order_from(const Corpus *c, const LoaderOptions *o, LoaderPosition start, int64_t *n)
{
    int64_t *list = arena_zeros(&run, 100000, sizeof *list);
    Loader *l;
    const Batch *b;
    LoaderPosition at, expected = start;
    *n = 0;
    CHECK_OK(loader_open(&l, c, o, start));
    if (start.batch == loader_batches(l)) expected = (LoaderPosition){start.epoch + 1, 0};
    for (;;) {
        CHECK_OK(loader_next(l, &b, &at, NULL));
        if (!b) break;
        CHECK(at.epoch == expected.epoch && at.batch == expected.batch, "at %lld.%lld instead of %lld.%lld",
              (long long)at.epoch, (long long)at.batch, (long long)expected.epoch, (long long)expected.batch);
        if (++expected.batch == loader_batches(l)) expected = (LoaderPosition){expected.epoch + 1, 0};
        for (int64_t i = 0; i < b->B; i++) {
            check_example(b, i, (const int64_t[]){o->max_sentences, o->max_words});
            list[(*n)++] = b->example[i];
        }
        list[(*n)++] = -1;
    }
    CHECK_OK(loader_next(l, &b, &at, NULL));
    CHECK(!b, "a batch after the end");
    loader_close(l);
    return list;
}

static void check_same(const int64_t *a, int64_t n, const int64_t *b, int64_t m, const char *what)
{
    CHECK(n == m, "%s: %lld and %lld", what, (long long)n, (long long)m);
    for (int64_t i = 0; i < n; i++) CHECK(a[i] == b[i], "%s: they differ at %lld", what, (long long)i);
}

TEST(each_example_comes_once_an_epoch)
{
    static const int64_t counts[] = {1, 7, 8, 9, 40, 41, 303, 5003 /* blocks of 4, and a tail of 3 */};
    for (int k = 0; k < 8; k++) {
        char name[16];
        snprintf(name, sizeof name, "c%d", k);
        corpus_make(in(name), 1, &counts[k]);
        const Corpus *c = open_corpus(name);
        for (int shuffle = 0; shuffle < 2; shuffle++) {
            LoaderOptions o = usual;
            o.shuffle = shuffle != 0;
            int64_t n = 0, at = 0;
            const int64_t *list = order_from(c, &o, (LoaderPosition){0, 0}, &n);
            for (int epoch = 0; epoch < 2; epoch++) {
                char seen[5003] = {0};
                for (int64_t left = counts[k]; left > 0; at++) {
                    if (list[at] < 0) continue;
                    CHECK(!seen[list[at]]++, "example %lld came twice", (long long)list[at]);
                    CHECK(shuffle || list[at] == counts[k] - left, "not in the order of the corpus");
                    left--;
                }
            }
            CHECK(at == n - 1, "%lld of %lld", (long long)at, (long long)n);
        }
    }
}

TEST(shards_and_memory_have_no_say)
{
    const int64_t sizes[4][7] = {
        {3000}, {700, 800, 750, 750}, {0, 1, 2999, 0, 0, 0, 0}, {500, 0, 900, 100, 999, 1, 500}};
    const int shards[4] = {1, 4, 7, 7};
    const int64_t *list[2] = {NULL, NULL};
    int64_t n[2] = {0, 0};
    for (int k = 0; k < 4; k++) {
        char name[16];
        snprintf(name, sizeof name, "s%d", k);
        corpus_make(in(name), shards[k], sizes[k]);
        const Corpus *c = open_corpus(name);
        for (int bucket = 0; bucket < 2; bucket++) {
            for (int small = 0; small < 2; small++) {
                LoaderOptions o = usual;
                o.bucket = bucket ? "text" : NULL;
                o.memory = small ? 40000 : 1 << 24;
                int64_t m = 0;
                const int64_t *got = order_from(c, &o, (LoaderPosition){0, 0}, &m);
                if (!list[bucket]) {
                    list[bucket] = got;
                    n[bucket] = m;
                }
                check_same(list[bucket], n[bucket], got, m, name);
            }
        }
    }
}

TEST(epochs_and_seeds_differ)
{
    corpus_make(in("c"), 1, &(int64_t){303});
    const Corpus *c = open_corpus("c");
    LoaderOptions o = usual;
    int64_t n = 0, m = 0, same = 0;
    const int64_t *a = order_from(c, &o, (LoaderPosition){0, 0}, &n);
    o.seed = 8;
    const int64_t *b = order_from(c, &o, (LoaderPosition){0, 0}, &m);
    for (int64_t i = 0; i < n / 2; i++) same += (a[i] >= 0 && a[i] == a[n / 2 + i]) + (a[i] >= 0 && a[i] == b[i]);
    CHECK(n == m && same < 20, "%lld places are the same", (long long)same);
}

TEST(any_position_is_found_again)
{
    corpus_make(in("c"), 3, (const int64_t[]){100, 103, 100});
    const Corpus *c = open_corpus("c");
    LoaderOptions o = usual;
    o.bucket = "text";
    for (int small = 0; small < 2; small++) {
        o.memory = small ? 20000 : 1 << 20;
        int64_t n = 0, from = 0;
        const int64_t *all = order_from(c, &o, (LoaderPosition){0, 0}, &n);
        const int64_t batches = 38;
        for (int64_t k = 0; k < 2 * batches; k++) {
            int64_t m = 0;
            /* the batch after the last is the first of the next epoch */
            const LoaderPosition p = k == batches ? (LoaderPosition){0, k} : (LoaderPosition){k / batches, k % batches};
            const int64_t *rest = order_from(c, &o, p, &m);
            check_same(all + from, n - from, rest, m, "resumed");
            while (all[from++] >= 0) {
            }
        }
    }
}

TEST(parts_share_a_batch_without_gaps)
{
    corpus_make(in("c"), 2, (const int64_t[]){50, 21});
    const Corpus *c = open_corpus("c");
    int64_t n = 0;
    const int64_t *all = order_from(c, &usual, (LoaderPosition){0, 0}, &n);
    for (int64_t parts = 2; parts <= 9; parts++) {
        for (int64_t part = 0; part < parts; part++) {
            LoaderOptions o = usual;
            o.part = part;
            o.parts = parts;
            int64_t m = 0, at = 0, place = 0;
            const int64_t *mine = order_from(c, &o, (LoaderPosition){0, 0}, &m);
            for (int64_t i = 0; i < n; i++) {
                if (all[i] >= 0 && place++ % parts != part) continue;
                CHECK(mine[at++] == all[i], "part %lld of %lld differs", (long long)part, (long long)parts);
                if (all[i] < 0) place = 0;
            }
            CHECK(at == m, "part %lld of %lld has more", (long long)part, (long long)parts);
        }
    }
}

/* Largest and smallest number of words in the examples of one batch. */
TEST(buckets_hold_examples_of_like_length)
{
    corpus_make(in("c"), 1, &(int64_t){400});
    const Corpus *c = open_corpus("c");
    int64_t spread[2] = {0, 0};
    for (int bucket = 0; bucket < 2; bucket++) {
        LoaderOptions o = usual;
        o.bucket = bucket ? "text" : NULL;
        o.window = 50;
        int64_t n = 0, low = 1000, high = 0;
        const int64_t *list = order_from(c, &o, (LoaderPosition){0, 0}, &n);
        for (int64_t i = 0; i < n; i++) {
            if (list[i] < 0) {
                spread[bucket] += high - low;
                low = 1000;
                high = 0;
                continue;
            }
            const int64_t words = total_words(list[i]);
            low = words < low ? words : low;
            high = words > high ? words : high;
        }
    }
    CHECK(10 * spread[1] < spread[0], "spread %lld with buckets, %lld without", (long long)spread[1],
          (long long)spread[0]);
}

TEST(caps_keep_the_first_units)
{
    corpus_make(in("c"), 1, &(int64_t){100});
    const Corpus *c = open_corpus("c");
    LoaderOptions o = usual;
    o.max_sentences = 2;
    for (o.max_words = 3; o.max_words > 0; o.max_words--) { /* lists of numbers, of up to 3, are never cut */
        int64_t n = 0;
        (void)order_from(c, &o, (LoaderPosition){0, 0}, &n); /* checks every example */
        CHECK(n == 2 * (100 + 13), "%lld", (long long)n);
    }
}

/* Examples 0..9 in blocks of 4: the two that are left over come first, between the blocks, and last, equally often. */
TEST(the_shorter_block_has_every_place)
{
    int first[3] = {0};
    Order o = order_of(5, 10, 2, 2, true);
    o.block = 4;
    for (int64_t epoch = 0; epoch < 300; epoch++)
        for (int64_t at = 0; at < 10;) {
            const OrderRun r = order_run(&o, epoch, at);
            CHECK(r.n >= 1 && at + r.n <= 10, "a run of %lld at %lld", (long long)r.n, (long long)at);
            if (r.first == 8) first[at / 4]++;
            at += r.n;
        }
    for (int i = 0; i < 3; i++) CHECK(first[i] > 70 && first[i] < 130, "place %d: %d of 300", i, first[i]);
}

TEST(an_empty_split_ends_at_once)
{
    corpus_make(in("c"), 2, (const int64_t[]){0, 0});
    const Corpus *c = open_corpus("c");
    int64_t n = 0;
    (void)order_from(c, &usual, (LoaderPosition){0, 0}, &n);
    CHECK(n == 0, "%lld", (long long)n);
}

TEST(what_cannot_be_is_told)
{
    corpus_make(in("c"), 1, &(int64_t){100});
    const Corpus *c = open_corpus("c");
    LoaderOptions o = usual;
    Loader *l;
    char text[400];
    o.split = "dev";
    snprintf(text, sizeof text, "%s: there is no split dev; it has train", in("c"));
    CHECK_SAYS(loader_open(&l, c, &o, (LoaderPosition){0, 0}), ERR_CONFIG, text);
    o = usual;
    o.bucket = "story";
    snprintf(text, sizeof text, "%s: there is no field story to sort by", in("c"));
    CHECK_SAYS(loader_open(&l, c, &o, (LoaderPosition){0, 0}), ERR_CONFIG, text);
    snprintf(text, sizeof text, "%s: split train: there is no batch 14 of epoch 3: an epoch has 13 batches", in("c"));
    CHECK_SAYS(loader_open(&l, c, &usual, (LoaderPosition){3, 14}), ERR_DATA, text);
    o = usual;
    o.memory = 3000; /* 100 examples take more, and a window of 40 more than half of it */
    CHECK_FAILS(loader_open(&l, c, &o, (LoaderPosition){0, 0}), ERR_CONFIG);
    CHECK(strstr(status_message(),
                 "data.memory: 3000 bytes are too little for two windows of 5 batches of 8 examples of "
                 "the split train, which take about "),
          "%s", status_message());
}

/* One example of 20,000 words among small ones: its window does not fit, and that is an end with a reason, not a crash.
 */
TEST(a_window_that_is_larger_than_all_others_is_told)
{
    corpus_make(in("c"), 1, &(int64_t){2000});
    Corpus *c = open_corpus("c");
    LoaderOptions o = usual;
    Loader *l;
    const Batch *b;
    LoaderPosition at;
    char text[400];
    o.window = 10;
    /* the index says that there are fewer words than there are: as if most of them were in one window */
    IndexSplit *split = (IndexSplit *)(uintptr_t)index_split(corpus_index(c), "train");
    split->units[TEXT][1] /= 4;
    split->units[FEATURES][0] /= 4;
    for (o.memory = 1000; loader_open(&l, c, &o, (LoaderPosition){0, 0}) != OK; o.memory += 100)
        CHECK(o.memory < 100000, "it never fits");
    snprintf(text, sizeof text,
             "%s: a window of examples does not fit into its memory: make data.memory larger or data.window smaller",
             in("c/train-00000-of-00001.h5"));
    CHECK_SAYS(loader_next(l, &b, &at, NULL), ERR_CONFIG, text);
    CHECK_SAYS(loader_next(l, &b, &at, NULL), ERR_CONFIG, text);
    loader_close(l);
}

/* Largest so far, in KiB, with all that HDF5 holds. */
static int64_t memory_held(void)
{
    struct rusage use;
    CHECK(getrusage(RUSAGE_SELF, &use) == 0, "getrusage");
    return use.ru_maxrss;
}

TEST(steady_state_asks_the_system_for_nothing)
{
    corpus_make(in("c"), 3, (const int64_t[]){1000, 1000, 1000});
    const Corpus *c = open_corpus("c");
    for (int small = 0; small < 2; small++) {
        LoaderOptions o = usual;
        o.memory = small ? 40000 : 1 << 24;
        o.bucket = "text";
        o.epochs = 6;
        Loader *l;
        const Batch *b;
        LoaderPosition at;
        int64_t calls = 0, held = 0;
        double waited = 0;
        CHECK_OK(loader_open(&l, c, &o, (LoaderPosition){0, 0}));
        for (int64_t k = 0;; k++) {
            CHECK_OK(loader_next(l, &b, &at, &waited));
            if (!b) break;
            if (k == loader_batches(l)) {
                calls = loader_system_calls(l);
                held = memory_held();
            }
            CHECK(k <= loader_batches(l) || loader_system_calls(l) == calls, "batch %lld asked the system",
                  (long long)k);
        }
        CHECK(memory_held() - held < 512, "%lld KiB more", (long long)(memory_held() - held));
        CHECK(calls > 0 && waited >= 0, "%lld", (long long)calls);
        loader_close(l);
    }
}

TEST(a_loader_may_be_closed_at_any_time)
{
    corpus_make(in("c"), 1, &(int64_t){303});
    const Corpus *c = open_corpus("c");
    for (int k = 0; k < 12; k++) {
        Loader *l;
        const Batch *b;
        LoaderPosition at;
        LoaderOptions o = usual;
        o.epochs = 0;
        CHECK_OK(loader_open(&l, c, &o, (LoaderPosition){0, 0}));
        for (int i = 0; i < k; i++) CHECK_OK(loader_next(l, &b, &at, NULL));
        loader_close(l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN_IN_FOLDER(each_example_comes_once_an_epoch),
                                       RUN_IN_FOLDER(shards_and_memory_have_no_say),
                                       RUN_IN_FOLDER(epochs_and_seeds_differ),
                                       RUN_IN_FOLDER(any_position_is_found_again),
                                       RUN_IN_FOLDER(parts_share_a_batch_without_gaps),
                                       RUN_IN_FOLDER(buckets_hold_examples_of_like_length),
                                       RUN_IN_FOLDER(caps_keep_the_first_units),
                                       RUN_IN_FOLDER(the_shorter_block_has_every_place),
                                       RUN_IN_FOLDER(an_empty_split_ends_at_once),
                                       RUN_IN_FOLDER(what_cannot_be_is_told),
                                       RUN_IN_FOLDER(a_window_that_is_larger_than_all_others_is_told),
                                       RUN_IN_FOLDER(steady_state_asks_the_system_for_nothing),
                                       RUN_IN_FOLDER(a_loader_may_be_closed_at_any_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
