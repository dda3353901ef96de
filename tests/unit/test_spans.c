/* Spans that tags write, against spans that are listed by conlleval's own rules and compared as sets. */
#include "check.h"
#include "comm/random.h"
#include "trainer/metric/metric.h"

static const char *const name[] = {"O", "B-PER", "I-PER", "B-LOC", "I-LOC", "E-PER", "B-", "I-"};
enum { O, BP, IP, BL, IL, EP, B0, I0, TAGS, MOST = 12 };

typedef struct Span {
    int begin, end;
    const char *type;
} Span;

static char letter(int tag) { return name[tag][0]; }
static const char *type(int tag) { return name[tag][1] ? name[tag] + 2 : ""; }

static bool one_of(const char *pairs, int before, int now)
{
    for (; *pairs; pairs += 3)
        if (pairs[0] == letter(before) && pairs[1] == letter(now)) return true;
    return false;
}

/* endOfChunk and startOfChunk as conlleval has them; E before B of the same type is not in its list of ends. */
static bool ends(int before, int now)
{
    return one_of("BB BO IB IO EE EI EO EB ", before, now) ||
           (letter(before) != 'O' && strcmp(type(before), type(now)) != 0);
}

static bool begins(int before, int now)
{
    return one_of("BB IB OB OI EE EI OE EB ", before, now) ||
           (letter(now) != 'O' && strcmp(type(before), type(now)) != 0);
}

static int list(int n, const int32_t *tag, Span *span)
{
    int spans = 0, begin = -1;
    for (int i = 0; i <= n; i++) {
        const int before = i ? tag[i - 1] : O, now = i < n ? tag[i] : O;
        if (begin >= 0 && ends(before, now)) {
            span[spans++] = (Span){begin, i, type(before)};
            begin = -1;
        }
        if (begins(before, now)) begin = i;
    }
    return spans;
}

static int shared(int n, const Span *a, int m, const Span *b)
{
    int both = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            both += a[i].begin == b[j].begin && a[i].end == b[j].end && strcmp(a[i].type, b[j].type) == 0;
    return both;
}

static double value(const Measures *m, const char *what)
{
    const Measure *x = measures_find(m, what);
    CHECK(x, "no measure %s", what);
    return x->value;
}

static void open(MetricSet *set, Arena *a, Counts **c)
{
    const MetricShape shape = {.classes = TAGS, .groups = 1, .class_name = name, .unknown = -1};
    CHECK_OK(metric_open(set, a, &shape, (const char *[]){"spans", NULL}, NULL));
    CHECK_OK(counts_open(c, a, set->counters));
}

TEST(spans_are_those_of_the_list)
{
    Arena a = {0};
    MetricSet set;
    Counts *c;
    const RandomKey key = random_key(7, RANDOM_TEST, 0);
    int64_t hits = 0, truths = 0, guesses = 0;
    open(&set, &a, &c);
    for (uint64_t e = 0; e < 2000; e++) {
        int32_t truth[MOST], guess[MOST];
        Span t[MOST], g[MOST];
        const int n = (int)random_below(key, e, 0, MOST + 1);
        for (int i = 0; i < n; i++) {
            truth[i] = (int32_t)random_below(key, e, (uint32_t)(1 + i), TAGS);
            guess[i] = random_below(key, e, (uint32_t)(100 + i), 4)
                           ? truth[i]
                           : (int32_t)random_below(key, e, (uint32_t)(200 + i), TAGS);
        }
        const MetricExample x = {.truth = {.n = n, .id = truth}, .guess = {.n = n, .id = guess}};
        CHECK_OK(metric_add(&set, c, &x, &a));
        const int nt = list(n, truth, t), ng = list(n, guess, g);
        hits += shared(nt, t, ng, g);
        truths += nt;
        guesses += ng;
    }
    Measures m = {0};
    CHECK_OK(metric_report(&set, c, &m));
    CHECK(hits > 1000 && hits < truths && truths != guesses, "not a telling case");
    CHECK_NEAR(value(&m, "span_precision"), (double)hits / (double)guesses, 1e-15);
    CHECK_NEAR(value(&m, "span_recall"), (double)hits / (double)truths, 1e-15);
    CHECK_NEAR(value(&m, "span_f1"), 2 * (double)hits / (double)(truths + guesses), 1e-15);
    arena_close(&a);
}

/* One span each: the tags may differ and the span be the same, or be the same for a while and the span differ. */
TEST(spans_by_hand)
{
    static const struct {
        int n;
        int32_t truth[4], guess[4];
        double f1;
    } cases[] = {{3, {IP, IP, O}, {BP, IP, O}, 1},         {3, {BP, IP, O}, {BP, IP, IP}, 0},
                 {3, {BP, IP, IP}, {BP, BP, IP}, 0},       {2, {BP, IL}, {BP, BL}, 1},
                 {3, {BP, IP, EP}, {BP, IP, IP}, 1},       {2, {BP, O}, {BL, O}, 0},
                 {4, {BP, O, BL, O}, {BP, O, BL, IL}, 0.5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Arena a = {0};
        MetricSet set;
        Counts *c;
        Measures m = {0};
        open(&set, &a, &c);
        const MetricExample x = {.truth = {.n = cases[i].n, .id = cases[i].truth},
                                 .guess = {.n = cases[i].n, .id = cases[i].guess}};
        CHECK_OK(metric_add(&set, c, &x, &a));
        CHECK_OK(metric_report(&set, c, &m));
        CHECK(value(&m, "span_f1") == cases[i].f1, "case %zu: %g", i, value(&m, "span_f1"));
        arena_close(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(spans_are_those_of_the_list), RUN(spans_by_hand)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
