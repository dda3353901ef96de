/* test_sequence.c - copy, reverse and sort: the target is what the name says, and links join equal symbols. */
#include "import_test.h"

enum { MOST = 64 };

static int numbers(const ExampleField *f, int *out)
{
    for (int64_t i = 0; i < f->count[1]; i++) {
        char text[16];
        snprintf(text, sizeof text, "%.*s", (int)f->word[i].size, f->word[i].text);
        out[i] = atoi(text);
    }
    return (int)f->count[1];
}

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static void check_pair(const char *name, const Example *e)
{
    int source[MOST], target[MOST], expected[MOST], linked[MOST] = {0};
    const int n = numbers(&e->field[0], source);
    assert_int_equal(numbers(&e->field[1], target), n);
    for (int i = 0; i < n; i++) expected[i] = source[strcmp(name, "reverse") == 0 ? n - 1 - i : i];
    if (strcmp(name, "sort") == 0) qsort(expected, (size_t)n, sizeof *expected, compare);
    assert_memory_equal(target, expected, (size_t)n * sizeof *target);
    const ExampleField *sure = &e->field[2], *possible = &e->field[3];
    assert_int_equal(sure->count[1], 2 * n);
    assert_int_equal(possible->count[1], 2 * n);
    assert_memory_equal(sure->number, possible->number, (size_t)(2 * n) * sizeof *sure->number);
    for (int k = 0; k < n; k++) {
        const int i = sure->number[2 * k], j = sure->number[2 * k + 1];
        assert_int_equal(i, k);
        assert_int_equal(source[i], target[j]);
        if (strcmp(name, "copy") == 0) assert_int_equal(i, j);
        if (strcmp(name, "reverse") == 0) assert_int_equal(i, n - 1 - j);
        assert_int_equal(linked[j]++, 0);
        for (int other = 0; other < k; other++) /* equal symbols keep their order */
            if (strcmp(name, "sort") == 0 && source[other] == source[i]) assert_true(sure->number[2 * other + 1] < j);
    }
}

static void check_split(const char *name, const void *settings, const char *split, int low, int high, int symbols)
{
    Importer *im;
    Record r;
    Example e;
    bool end;
    int lengths[MOST] = {0}, most = 0;
    CHECK_OK(import_open(&im, &run, name, settings, NULL, split));
    for (;;) {
        CHECK_OK(import_next(im, &r, &end));
        if (end) break;
        arena_release(&scratch, (ArenaMark){0});
        CHECK_OK(import_parse(im, &r, &scratch, &e));
        check_pair(name, &e);
        int symbol[MOST];
        const int n = numbers(&e.field[0], symbol);
        lengths[n]++;
        for (int i = 0; i < n; i++) most = symbol[i] > most ? symbol[i] : most;
    }
    import_close(im);
    for (int n = 0; n < MOST; n++) CHECK((lengths[n] > 0) == (n >= low && n <= high), "%d of %d", lengths[n], n);
    assert_int_equal(most, symbols - 1);
}

TEST(the_target_is_the_source_in_the_order_that_the_name_says)
{
    static const char *const names[] = {"copy", "reverse", "sort"};
    for (int k = 0; k < 3; k++) {
        const void *s = settings_of(names[k], "train", "1000", "symbols", "9", "min_words", "1", "max_words", "12",
                                    "min_test_words", "13", "max_test_words", "30", NULL);
        check_split(names[k], s, "train", 1, 12, 9);
        check_split(names[k], s, "test", 13, 30, 9);
    }
}

TEST(bounds_that_cross_are_faults)
{
    int n;
    CHECK_SAYS(walk("copy", settings_of("copy", "min_words", "21", NULL), NULL, "train", &n), ERR_CONFIG,
               "source.min_words is 21, more than source.max_words, 20");
    CHECK_SAYS(walk("sort", settings_of("sort", "min_test_words", "30", NULL), NULL, "test", &n), ERR_CONFIG,
               "test: source.min_test_words is 30, more than source.max_test_words, 20");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(the_target_is_the_source_in_the_order_that_the_name_says),
        RUN(bounds_that_cross_are_faults),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_close(&run);
    arena_close(&scratch);
    return failed;
}
