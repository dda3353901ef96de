/* Measures do not know how many ranks there are, nor who counted which example. */
#include "comm/random.h"
#include "ranks.h"
#include "trainer/metric/metric.h"

enum { N = 1000 };
static const char *const names[] = {"loss", "perplexity", "accuracy", "f1", "confusion", "groups", NULL};

static void add(const MetricSet *set, Counts *c, Arena *a, int64_t i)
{
    const RandomKey key = random_key(3, RANDOM_TEST, 0);
    const int32_t truth = (int32_t)random_below(key, (uint64_t)i, 0, 5),
                  guess = (int32_t)random_below(key, (uint64_t)i, 1, 5);
    const double loss = 20 * pow(random_uniform(key, (uint64_t)i, 3), 9);
    const MetricExample e = {.truth = {.n = 1, .id = &truth},
                             .guess = {.n = 1, .id = &guess},
                             .n_losses = 1,
                             .loss = &loss,
                             .group = (int32_t)random_below(key, (uint64_t)i, 2, 3)};
    CHECK_OK(metric_add(set, c, &e, a));
}

/* This rank counts the examples that fall to `part` of `parts`, in an order of its own. */
static void count(const MetricSet *set, Counts *c, Arena *a, int part, int parts)
{
    for (int64_t k = 0; k < N; k++) {
        const int64_t i = random_permute(random_key(4, RANDOM_TEST, (uint64_t)part), k, N);
        if (i * i % parts == part) add(set, c, a, i);
    }
}

TEST(any_split_over_ranks_gives_the_bits_of_one_rank)
{
    Arena a = {0};
    MetricSet set;
    const MetricShape shape = {.classes = 5, .groups = 3, .unknown = -1};
    CHECK_OK(metric_open(&set, &a, &shape, names, NULL));
    Counts *all, *mine;
    CHECK_OK(counts_open(&all, &a, set.counters));
    CHECK_OK(counts_open(&mine, &a, set.counters));
    count(&set, all, &a, 0, 1);
    count(&set, mine, &a, comm_rank(comm), comm_size(comm));
    CHECK_OK(counts_reduce(mine, comm));
    static Measures want, got;
    CHECK_OK(metric_report(&set, all, &want));
    CHECK_OK(metric_report(&set, mine, &got));
    assert_memory_equal(&got, &want, sizeof got);
    CHECK(fabs(measures_find(&got, "examples")->value - N) < 0.5, "examples were lost");
    ranks_same(&got, sizeof got, "measures");
    arena_close(&a);
}

static const struct CMUnitTest tests[] = {RUN(any_split_over_ranks_gives_the_bits_of_one_rank)};
RANKS_MAIN(tests)
