/* Measures of text as a library: their counts add up in any order, a text is as near to itself as can be, tokens are
 * those of the reference's rules, and memory may end anywhere. */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "trainer/metric/quality/quality.h"
#include "trainer/metric/quality/tokenize.h"
#include "trainer/metric/quality/twister.h"

enum { PAIRS = 6, REFERENCES = 2, COUNTS = 6000 };

static Arena arena;

static const char *const hypothesis[PAIRS] = {"the cat sat on the mat .",
                                              "",
                                              "a dog runs fast",
                                              "one",
                                              ("Der Fluß, die Stra\xc3\x9f"
                                               "e."),
                                              "\xe4\xbd\xa0\xe5\xa5\xbd world"};
static const char *const reference[PAIRS][REFERENCES] = {{"the cat was on the mat .", "there is a cat on the mat ."},
                                                         {"nothing", ""},
                                                         {"a dog runs fast", "the dog is fast"},
                                                         {"one", "two"},
                                                         {"Der Fluss, die Strasse.", "die Stra\xc3\x9f"
                                                                                     "e"},
                                                         {"\xe4\xbd\xa0\xe5\xa5\xbd", "hello world"}};
static const char *const source[PAIRS] = {
    "the cat sit on the mat .", "x", "a dog run fast", "one", "der Fluss", "hi world"};

static Word word(const char *text) { return (Word){text, strlen(text)}; }

static QualityPair pair(int i, Word *refs)
{
    for (int r = 0; r < REFERENCES; r++) refs[r] = word(reference[i][r]);
    return (QualityPair){word(hypothesis[i]), refs, word(source[i]), i};
}

static void open_measure(Quality *q, const char *name, bool sentence)
{
    QualityOptions o = quality_preset;
    o.sentence = sentence;
    o.stem = true;
    CHECK_OK(quality_open(q, &arena, name, &o, REFERENCES));
    CHECK(q->counters <= COUNTS, "%s has %lld counters", name, (long long)q->counters);
}

/* The counts of the pairs whose bit is set in `which`, from the last to the first when backward. */
static void count_pairs(const Quality *q, unsigned which, bool backward, int64_t *count)
{
    for (int k = 0; k < PAIRS; k++) {
        const int i = backward ? PAIRS - 1 - k : k;
        Word refs[REFERENCES];
        const QualityPair p = pair(i, refs);
        if (which >> i & 1) CHECK_OK(quality_add(q, count, &p, &arena));
    }
}

TEST(counts_of_parts_add_up_in_any_order)
{
    for (int k = 0; quality_at(k); k++) {
        if (!quality_at(k)->add) continue;
        static int64_t whole[COUNTS], parts[COUNTS];
        memset(whole, 0, sizeof whole);
        memset(parts, 0, sizeof parts);
        Quality a, b;
        open_measure(&a, quality_name(k), false);
        open_measure(&b, quality_name(k), false);
        count_pairs(&a, 0x3f, false, whole);
        count_pairs(&a, 0x15, true, parts);
        count_pairs(&b, 0x2a, false, parts);
        CHECK(memcmp(whole, parts, (size_t)a.counters * sizeof *whole) == 0, "%s", quality_name(k));
    }
}

TEST(a_text_is_nearest_to_itself)
{
    static const struct {
        const char *name;
        double best;
    } measure[] = {{"bleu", 100}, {"chrf", 100}, {"chrf++", 100}, {"gleu", 1}, {"rouge", 1}, {"accuracy", 1}};
    const char *text = "Dr. Wei\xc3\x9f says: \"1,000.5 people (at least) came\"...";
    for (size_t k = 0; k < sizeof measure / sizeof *measure; k++) {
        const Word refs[REFERENCES] = {word("another text"), word(text)};
        const QualityPair p = {word(text), refs, word("a source"), 0};
        Quality q;
        QualityReport r;
        open_measure(&q, measure[k].name, true);
        CHECK_OK(quality_whole(&q, 1, &p, &arena, &r));
        /* gleu is the mean over the references: 1 and next to nothing */
        const double best = strcmp(measure[k].name, "gleu") == 0 ? 0.5 : measure[k].best;
        for (int i = 0; i < r.n; i++)
            CHECK(r.item[i].value >= best * (1 - 1e-12), "%s: %g", r.item[i].name, r.item[i].value);
    }
}

/* Two of four places are right, whichever of the two texts is the longer one. */
TEST(tokens_too_many_or_too_few_count_as_wrong)
{
    const Word text[2] = {word("a b c d"), word("a  b")};
    for (int k = 0; k < 2; k++) {
        const QualityPair p = {.hypothesis = text[k], .reference = &text[1 - k]};
        Quality q;
        QualityReport r;
        CHECK_OK(quality_open(&q, &arena, "accuracy", &quality_preset, 1));
        CHECK_OK(quality_whole(&q, 1, &p, &arena, &r));
        CHECK(r.n == 2 && r.item[0].value == 0 && r.item[1].value == 0.5, "%g %g", r.item[0].value, r.item[1].value);
    }
}

/* The tokens of a text, with | between them. */
static const char *tokens(const char *name, const char *text)
{
    static char out[512];
    Tokens t;
    const Word w = word(text);
    CHECK_OK(tokenize_text(name, &w, false, &arena, &t));
    size_t n = 0;
    for (int64_t i = 0; i < t.n; i++) {
        if (i > 0) out[n++] = '|';
        for (int64_t c = 0; c < t.token[i].n; c++) out[n++] = t.token[i].at[c] < 128 ? (char)t.token[i].at[c] : '#';
    }
    out[n] = '\0';
    return out;
}

TEST(tokens_are_those_of_the_rules)
{
    static const char *const known[][3] = {
        {"13a", "U.S. 1,000.5, 5-10 a.b..", "U|.|S|.|1,000.5|,|5|-|10|a|.|b|.|."},
        {"13a", "&quot;x&quot; &amp;lt; it's <skipped>(ok)", "\"|x|\"|<|it's|(|ok|)"},
        {"13a", "x-y 2-y ~^_", "x-y|2|-|y|~|^|_"},
        {"intl", "U.S. 1,000.5, 5-10 a.b.. $5", "U|.|S|.|1,000.5|,|5-10|a|.|b|.|.|$|5"},
        {"intl", "ends in 2015.", "ends|in|2015."},
        {"zh",
         "\xe4\xbd\xa0\xe5\xa5\xbd"
         "abc\xe2\x80\x94"
         "1.5\xf0\xa0\x80\x80"
         "d",
         "#|#|abc|#|1.5#d"},
        {"char", " a b\xc3\xa9", "a|b|#"},
        {"none",
         "a,b\xc2\xa0"
         "c \t d.",
         "a,b|c|d."},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_string_equal(tokens(known[i][0], known[i][1]), known[i][2]);
}

/* random.seed(N); random.random(), then random.randint(0, 2) of Python 3, as Python prints them. */
TEST(random_numbers_are_those_of_python)
{
    Twister t;
    twister_seed(&t, 0);
    CHECK(twister_real(&t) == 0.8444218515250481, "seed 0");
    CHECK(twister_real(&t) == 0.7579544029403025, "seed 0");
    twister_seed(&t, 101);
    CHECK(twister_real(&t) == 0.5811521325045647, "seed 101");
    for (int i = 0; i < 2000; i++) (void)twister_next(&t);
    CHECK(twister_real(&t) == 0.065438701272019, "seed 101, later");
    twister_seed(&t, 50399);
    const uint32_t wanted[] = {0, 1, 0, 2, 0, 1, 1, 0, 2, 1, 0, 2, 2, 0, 0, 1, 2, 1, 1, 2, 1, 0, 1, 2};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) assert_int_equal(twister_below(&t, 3), wanted[i]);
}

TEST(every_allocation_may_fail)
{
    for (int k = 0; quality_at(k); k++)
        for (long n = 1;; n++) {
            QualityPair p[PAIRS];
            Word refs[PAIRS][REFERENCES];
            Quality q;
            QualityReport r;
            for (int i = 0; i < PAIRS; i++) p[i] = pair(i, refs[i]);
            const ArenaMark mark = arena_mark(&arena);
            arena.fail_in = n;
            Status st = quality_open(&q, &arena, quality_name(k), &quality_preset, REFERENCES);
            if (st == OK) st = quality_whole(&q, PAIRS, p, &arena, &r);
            const bool reached = arena.fail_in == 0;
            arena.fail_in = 0;
            arena_release(&arena, mark);
            if (!reached) {
                CHECK_OK(st);
                CHECK(n > 3, "%s: %ld allocations", quality_name(k), n);
                break;
            }
            CHECK(st == ERR_HOST, "%s, allocation %ld: %d", quality_name(k), n, (int)st);
        }
}

TEST(what_is_not_known_is_said)
{
    Quality q;
    QualityOptions o = quality_preset;
    CHECK_SAYS(quality_open(&q, &arena, "blue", &o, 1), ERR_USAGE, "there is no measure blue; did you mean bleu?");
    CHECK_SAYS(quality_open(&q, &arena, "bleu", &o, 17), ERR_USAGE, "17 references; 1 to 16 are possible");
    o.tokenize = "13b";
    CHECK_SAYS(quality_open(&q, &arena, "bleu", &o, 1), ERR_USAGE, "there is no tokenisation 13b; did you mean 13a?");
    o = quality_preset;
    o.smooth = "ex";
    CHECK_SAYS(quality_open(&q, &arena, "bleu", &o, 1), ERR_USAGE, "there is no smoothing ex; did you mean exp?");
    int64_t count[1] = {0};
    const QualityPair p = {.hypothesis = word("a")};
    CHECK_OK(quality_open(&q, &arena, "distinct", &quality_preset, 1));
    CHECK_SAYS(quality_add(&q, count, &p, &arena), ERR_USAGE,
               "distinct needs all lines at once: it is no sum over lines");
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(counts_of_parts_add_up_in_any_order),
                                       RUN(a_text_is_nearest_to_itself),
                                       RUN(tokens_too_many_or_too_few_count_as_wrong),
                                       RUN(tokens_are_those_of_the_rules),
                                       RUN(random_numbers_are_those_of_python),
                                       RUN(every_allocation_may_fail),
                                       RUN(what_is_not_known_is_said)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_close(&arena);
    return failed;
}
