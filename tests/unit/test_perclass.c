/* Figures by class against hand-counted ones; many classes become the pairs that were confused most; a file comes back. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "allocations.h"
#include "io/record/perclass.h"

static const char *const three[] = {"cat", "dog\x1b[31m\n", "<b>owl"};
/* 8 cats: 6 right, 2 taken for dogs; 4 dogs: 1 right, 3 for cats; no owl is there, and none was said. */
static const int64_t matrix[] = {6, 2, 0, 3, 1, 0, 0, 0, 0};
static const int64_t counts[] = {6, 8, 9, 1, 4, 3, 0, 0, 0};
static const Classes some = {.split = "test", .n = 3, .name = three, .count = counts, .confusion = matrix};

TEST(figures_are_those_counted_by_hand)
{
    const ClassFigures cat = perclass_figures(&some, 0), dog = perclass_figures(&some, 1),
                       owl = perclass_figures(&some, 2);
    const ClassFigures macro = perclass_macro(&some), micro = perclass_micro(&some);
    CHECK_NEAR(cat.precision, 6 / 9.0, 1e-15);
    CHECK_NEAR(cat.recall, 6 / 8.0, 1e-15);
    CHECK_NEAR(cat.f1, 12 / 17.0, 1e-15);
    CHECK_NEAR(dog.precision, 1 / 3.0, 1e-15);
    CHECK_NEAR(dog.recall, 1 / 4.0, 1e-15);
    CHECK(owl.precision == 0 && owl.recall == 0 && owl.f1 == 0, "nothing by nothing is 0");
    CHECK_NEAR(macro.precision, (6 / 9.0 + 1 / 3.0) / 3, 1e-15);
    CHECK_NEAR(macro.f1, (12 / 17.0 + 2 / 7.0) / 3, 1e-15);
    CHECK_NEAR(micro.f1, 7 / 12.0, 1e-15);
}

TEST(few_classes_are_a_matrix_and_names_are_shown_escaped)
{
    Buffer b = {0};
    CHECK_OK(perclass_text(&some, &b));
    CHECK(strstr(b.data, "\n  dog\\x1b[31m\\n            ") && !strchr(b.data, '\x1b'), "%s", b.data);
    CHECK(strstr(b.data, "rows are the truth") && strstr(b.data, "        6         2         0\n"), "%s", b.data);
    CHECK(strstr(b.data, "\n  micro                        0.5833     0.5833     0.5833\n"), "%s", b.data);
    b.size = 0;
    CHECK_OK(perclass_page(&some, &b));
    CHECK(strstr(b.data, "&lt;b&gt;owl") && strstr(b.data, "style=\"--a:0.750\">6</td>"), "%s", b.data);
    buffer_close(&b);
}

TEST(of_many_classes_the_pairs_that_were_confused_most_are_told)
{
    enum { N = 40 };
    static int64_t many[N * N], count[CLASS_COUNTS * N];
    static char name[N][8];
    const char *names[N];
    for (int i = 0; i < N; i++) {
        snprintf(name[i], sizeof name[i], "c%d", i);
        names[i] = name[i];
        many[i * N + i] = 1000;
        many[i * N + (i + 1) % N] = i % 7; /* 6 of each 7th, the first of equal ones first */
        count[CLASS_COUNTS * i + CLASS_TRUE] = 1000 + i % 7;
    }
    const Classes c = {.n = N, .name = names, .count = count, .confusion = many};
    ClassPair pair[10];
    CHECK(perclass_confused(&c, 10, pair) == 10, "ten");
    for (int k = 0; k < 10; k++) {
        const int64_t truth = k < 5 ? 7 * k + 6 : 7 * (k - 5) + 5;
        CHECK(pair[k].truth == truth && pair[k].guess == truth + 1 && pair[k].n == truth % 7, "%d: %lld", k,
              (long long)pair[k].truth);
    }
    Buffer b = {0};
    CHECK_OK(perclass_text(&c, &b));
    CHECK(strstr(b.data, "confused most") &&
              strstr(b.data, "  c6                        c7                               6"),
          "%s", b.data);
    b.size = 0;
    CHECK_OK(perclass_page(&c, &b));
    CHECK(strstr(b.data, "<td dir=\"auto\">c6</td><td dir=\"auto\">c7</td><td class=\"num\">6</td>"), "%s", b.data);
    buffer_close(&b);
}

TEST(what_is_written_comes_back)
{
    char folder[] = "/tmp/mneme-perclass-XXXXXX", path[80];
    assert_non_null(mkdtemp(folder));
    Arena a = {0};
    int n = 7;
    Classes *c = NULL;
    CHECK_OK(perclass_read(folder, &a, &n, &c));
    CHECK(n == 0, "nothing is there");
    const Classes both[] = {some, {.split = "valid", .n = 3, .name = three, .count = counts}};
    CHECK_OK(perclass_write(folder, 2, both));
    CHECK_OK(perclass_read(folder, &a, &n, &c));
    CHECK(n == 2 && strcmp(c[0].split, "test") == 0 && c[0].n == 3 && !c[1].confusion, "%d", n);
    CHECK(memcmp(c[0].confusion, matrix, sizeof matrix) == 0 && memcmp(c[1].count, counts, sizeof counts) == 0,
          "counts");
    assert_string_equal(c[1].name[1], three[1]);
    EACH_ALLOCATION_FAILS((n = 0, perclass_read(folder, &failing, &n, &c)), (void)0);
    snprintf(path, sizeof path, "%s/classes.json", folder);
    FILE *f = fopen(path, "w");
    fputs("{\"test\": {\"classes\": [3, {\"true\": -1, \"name\": 4}], \"confusion\": [[1], 2]}, \"x\": []}", f);
    fclose(f);
    CHECK_OK(perclass_read(folder, &a, &n, &c)); /* odd content is no reason to have no page */
    CHECK(n == 1 && c[0].n == 2 && c[0].count[CLASS_COUNTS + CLASS_TRUE] == 0, "%d", n);
    unlink(path);
    rmdir(folder);
    arena_close(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(figures_are_those_counted_by_hand),
        RUN(few_classes_are_a_matrix_and_names_are_shown_escaped),
        RUN(of_many_classes_the_pairs_that_were_confused_most_are_told),
        RUN(what_is_written_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
