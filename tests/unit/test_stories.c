/* test_stories.c - the generated stories, checked by a solver that knows nothing but the words. */
#include "check.h"
#include "io/import/import.h"
#include "io/import/story.h"

#include <stdio.h>
#include <stdlib.h>

static Arena run, scratch;

/* Fills the settings of an importer from the presets of its rows that are numbers, and from a list of tasks. */
static void *settings_of(const ImporterDef *def, const TextList *tasks, int64_t each)
{
    char *s = arena_zeros(&run, 1, def->component.size);
    assert_non_null(s);
    for (int i = 0; i < def->component.n_fields; i++) {
        const Field *f = &def->component.fields[i];
        if (f->kind == FIELD_INT) *(int64_t *)(void *)(s + f->offset) = strtoll(f->preset, NULL, 10);
        if (strcmp(f->key, "tasks") == 0) *(TextList *)(void *)(s + f->offset) = *tasks;
        if (each && (strcmp(f->key, "train") == 0 || strcmp(f->key, "test") == 0))
            *(int64_t *)(void *)(s + f->offset) = each;
    }
    return s;
}

static Importer *open_stories(const char *const *tasks, int n, int64_t each, const char *split)
{
    TextList *list = arena_zeros(&run, 1, sizeof *list);
    assert_non_null(list);
    *list = (TextList){n, tasks};
    Importer *im;
    CHECK_OK(import_open(&im, &run, "stories", settings_of(import_find("stories"), list, each), NULL, split));
    return im;
}

static bool next_example(Importer *im, Example *e)
{
    Record r;
    bool end;
    arena_release(&scratch, (ArenaMark){0});
    CHECK_OK(import_next(im, &r, &end));
    if (!end) CHECK_OK(import_parse(im, &r, &scratch, e));
    return !end;
}

/* --- the words of an example, as C strings --- */

enum { MAX = 64 };
typedef struct Told {
    int n;
    char sentence[MAX][256], question[256], answer[64];
    int n_support, support[MAX];
    int used[MAX], n_used; /* by the solver */
} Told;

static void join(char *out, const Word *w, int64_t n)
{
    size_t at = 0;
    for (int64_t i = 0; i < n; i++) at += (size_t)sprintf(out + at, "%s%.*s", i ? " " : "", (int)w[i].size, w[i].text);
}

static void unpack(const Example *e, Told *t)
{
    const ExampleField *s = &e->field[STORY_STORY], *q = &e->field[STORY_QUESTION], *p = &e->field[STORY_SUPPORT];
    memset(t, 0, sizeof *t);
    assert_int_equal(s->count[0], 1);
    assert_int_equal(s->offset[0][1], s->count[1]);
    assert_int_equal(s->offset[1][s->count[1]], s->count[2]);
    t->n = (int)s->count[1];
    for (int i = 0; i < t->n; i++)
        join(t->sentence[i], s->word + s->offset[1][i], s->offset[1][i + 1] - s->offset[1][i]);
    join(t->question, q->word, q->count[1]);
    join(t->answer, e->field[STORY_ANSWER].word, 1);
    t->n_support = (int)p->count[1];
    for (int i = 0; i < t->n_support; i++) t->support[i] = p->number[i];
}

/* --- the solver --- */

static void use(Told *t, int i) { t->used[t->n_used++] = i; }

/* "anna walked to the market": who and where; false for other sentences */
static bool is_move(const char *s, char *who, char *where)
{
    char verb[32];
    return sscanf(s, "%31s %31s to the %31s", who, verb, where) == 3 && strcmp(verb, "handed") != 0;
}

static bool is_take(const char *s, char *who, char *what)
{
    return sscanf(s, "%31s picked up the %31s", who, what) == 2 ||
           sscanf(s, "%31s collected the %31s", who, what) == 2 || sscanf(s, "%31s fetched the %31s", who, what) == 2;
}

static bool is_put(const char *s, char *who, char *what)
{
    return sscanf(s, "%31s put down the %31s", who, what) == 2 ||
           sscanf(s, "%31s let go of the %31s", who, what) == 2 ||
           sscanf(s, "%31s parted with the %31s", who, what) == 2;
}

/* The last move of a person in the sentences before `end`; -1: none */
static int last_move(const Told *t, const char *person, int end, char *where)
{
    char who[32], there[32];
    for (int i = end - 1; i >= 0; i--)
        if (is_move(t->sentence[i], who, there) && strcmp(who, person) == 0) {
            strcpy(where, there);
            return i;
        }
    return -1;
}

static void solve_one_fact(Told *t, char *answer)
{
    char who[32];
    assert_int_equal(sscanf(t->question, "where is %31s", who), 1);
    use(t, last_move(t, who, t->n, answer));
}

static void solve_yes_no(Told *t, char *answer)
{
    char who[32], asked[32], where[32];
    assert_int_equal(sscanf(t->question, "is %31s at the %31s", who, asked), 2);
    use(t, last_move(t, who, t->n, where));
    strcpy(answer, strcmp(where, asked) == 0 ? "yes" : "no");
}

static void solve_two_facts(Told *t, char *answer)
{
    char asked[32], who[32], what[32];
    assert_int_equal(sscanf(t->question, "where is the %31s", asked), 1);
    for (int i = t->n - 1; i >= 0; i--)
        if (is_take(t->sentence[i], who, what) && strcmp(what, asked) == 0) {
            use(t, i);
            use(t, last_move(t, who, t->n, answer));
            return;
        }
    fail_msg("nobody took the %s", asked);
}

/* Walk through the story with the thing: who has it, where it is, where it was before each place. */
static void solve_three_facts(Told *t, char *answer)
{
    char asked[32], place[32], who[32], what[32], where[32], holder[32] = "", at[32] = "";
    int took = -1;
    assert_int_equal(sscanf(t->question, "where was the %31s before the %31s", asked, place), 2);
    for (int i = 0; i < t->n; i++) {
        if (is_take(t->sentence[i], who, what) && strcmp(what, asked) == 0) {
            assert_string_equal(holder, "");
            strcpy(holder, who);
            last_move(t, who, i, where);
            CHECK(!at[0] || strcmp(at, where) == 0, "taken at the %s, but it lies at the %s", where, at);
            strcpy(at, where);
            took = i;
        } else if (is_put(t->sentence[i], who, what) && strcmp(what, asked) == 0) {
            assert_string_equal(holder, who);
            holder[0] = '\0';
        } else if (is_move(t->sentence[i], who, where) && strcmp(who, holder) == 0) {
            if (strcmp(where, place) == 0) {
                char before[32];
                strcpy(answer, at);
                t->n_used = 0;
                use(t, took);
                use(t, last_move(t, who, i, before));
                use(t, i);
                assert_string_equal(before, at);
            }
            strcpy(at, where);
        }
    }
}

/* Who has each thing at the end, and which sentences concern the person's hands. */
static int holdings(Told *t, const char *person, char held[][32])
{
    static const char *const things[] = {"kettle", "lantern", "map", "violin"};
    char holder[4][32] = {"", "", "", ""}, who[32], what[32], to[32];
    for (int i = 0; i < t->n; i++) {
        const bool handed = sscanf(t->sentence[i], "%31s handed the %31s to %31s", who, what, to) == 3;
        if (!handed && !is_take(t->sentence[i], who, what) && !is_put(t->sentence[i], who, what))
            fail_msg("not understood: %s", t->sentence[i]);
        for (int k = 0; k < 4; k++) {
            if (strcmp(things[k], what) != 0) continue;
            if (is_take(t->sentence[i], who, what))
                assert_string_equal(holder[k], "");
            else
                assert_string_equal(holder[k], who);
            strcpy(holder[k], handed ? to : is_take(t->sentence[i], who, what) ? who : "");
        }
        if (strcmp(who, person) == 0 || (handed && strcmp(to, person) == 0)) use(t, i);
    }
    int n = 0;
    for (int k = 0; k < 4; k++)
        if (strcmp(holder[k], person) == 0) strcpy(held[n++], things[k]);
    return n;
}

static void solve_counting(Told *t, char *answer)
{
    static const char *const numbers[] = {"none", "one", "two", "three", "four"};
    char who[32], held[4][32];
    assert_int_equal(sscanf(t->question, "how many things does %31s hold", who), 1);
    strcpy(answer, numbers[holdings(t, who, held)]);
}

static void solve_lists(Told *t, char *answer)
{
    char who[32], held[4][32];
    assert_int_equal(sscanf(t->question, "what does %31s hold", who), 1);
    const int n = holdings(t, who, held);
    strcpy(answer, n ? "" : "nothing");
    for (int i = 0; i < n; i++) sprintf(answer + strlen(answer), "%s%s", i ? "," : "", held[i]);
}

static void solve_negation(Told *t, char *answer)
{
    char who[32], asked[32], person[32], place[32];
    assert_int_equal(sscanf(t->question, "is %31s at the %31s", who, asked), 2);
    for (int i = t->n - 1; i >= 0; i--) {
        const bool denied = sscanf(t->sentence[i], "%31s is not at the %31s", person, place) == 2;
        if (!denied) assert_int_equal(sscanf(t->sentence[i], "%31s is at the %31s", person, place), 2);
        if (strcmp(person, who) != 0) continue;
        use(t, i);
        CHECK(!denied || strcmp(place, asked) == 0, "only the denied place can be asked for");
        strcpy(answer, !denied && strcmp(place, asked) == 0 ? "yes" : "no");
        return;
    }
}

/* One statement read in both ways: from place `from` the way `way` leads to place `to`. */
static bool leads(const char *s, bool turned, char *from, char *way, char *to)
{
    static const char *const ways[] = {"north", "east", "south", "west"};
    char a[32], b[32], d[32];
    if (sscanf(s, "the %31s is %31s of the %31s", a, d, b) != 3) fail_msg("not understood: %s", s);
    for (int i = 0; i < 4; i++)
        if (strcmp(ways[i], d) == 0) strcpy(way, ways[(i + (turned ? 2 : 0)) % 4]);
    strcpy(from, turned ? a : b);
    strcpy(to, turned ? b : a);
    return true;
}

static void solve_directions(Told *t, char *answer)
{
    char start[32], goal[32], from[32], way[32], to[32], from2[32], way2[32], to2[32];
    assert_int_equal(sscanf(t->question, "which way leads from the %31s to the %31s", start, goal), 2);
    for (int i = 0; i < 2 * t->n; i++) {
        leads(t->sentence[i / 2], i % 2, from, way, to);
        if (strcmp(from, start) != 0) continue;
        if (strcmp(to, goal) == 0) {
            t->n_used = 0;
            use(t, i / 2);
            strcpy(answer, way);
            return;
        }
        for (int j = 0; j < 2 * t->n; j++) {
            leads(t->sentence[j / 2], j % 2, from2, way2, to2);
            if (strcmp(from2, to) != 0 || strcmp(to2, goal) != 0) continue;
            assert_int_equal(t->n_used, 0); /* there is one way only */
            use(t, i / 2);
            use(t, j / 2);
            sprintf(answer, "%s,%s", way, way2);
        }
    }
}

static const char *const names[] = {"one_fact", "two_facts", "three_facts", "yes_no",
                                    "counting", "lists",     "negation",    "directions"};
static void (*const solvers[])(Told *, char *) = {solve_one_fact, solve_two_facts, solve_three_facts, solve_yes_no,
                                                  solve_counting, solve_lists,     solve_negation,    solve_directions};

TEST(answers_and_supporting_sentences_are_those_that_a_solver_finds)
{
    for (int k = 0; k < 8; k++) {
        Importer *im = open_stories(&names[k], 1, 1500, "train");
        Example e;
        Told t;
        int n = 0;
        for (; next_example(im, &e); n++) {
            char answer[128] = "?";
            unpack(&e, &t);
            solvers[k](&t, answer);
            CHECK(strcmp(answer, t.answer) == 0, "%s %d: %s: %s, the solver says %s", names[k], n, t.question, t.answer,
                  answer);
            assert_int_equal(t.n_used, t.n_support);
            for (int i = 0; i < t.n_used; i++) {
                bool found = false;
                for (int j = 0; j < t.n_support; j++) found = found || t.support[j] == t.used[i];
                CHECK(found, "%s %d: sentence %d is not among the supporting ones", names[k], n, t.used[i]);
            }
            assert_int_equal(e.field[STORY_TASK].number[0], k + 1);
            CHECK(t.n <= 10 && t.n >= 3, "%d sentences", t.n);
        }
        assert_int_equal(n, 1500);
        import_close(im);
    }
}

TEST(nobody_goes_to_where_he_is)
{
    for (int k = 0; k < 8; k++) {
        Importer *im = open_stories(&names[k], 1, 500, "train");
        Example e;
        Told t;
        char who[32], where[32], before[32];
        while (next_example(im, &e)) {
            unpack(&e, &t);
            for (int i = 0; i < t.n; i++)
                if (is_move(t.sentence[i], who, where) && last_move(&t, who, i, before) >= 0)
                    CHECK(strcmp(before, where) != 0, "%s: %s", names[k], t.sentence[i]);
        }
        import_close(im);
    }
}

/* No answer is so frequent that a guess does well, and no task is without variety. */
TEST(answers_are_spread)
{
    for (int k = 0; k < 8; k++) {
        Importer *im = open_stories(&names[k], 1, 1000, "train");
        Example e;
        Told t;
        char seen[64][64];
        int count[64] = {0}, n = 0, most = 0;
        while (next_example(im, &e)) {
            unpack(&e, &t);
            int i = 0;
            while (i < n && strcmp(seen[i], t.answer) != 0) i++;
            if (i == n) strcpy(seen[n++], t.answer);
            if (++count[i] > most) most = count[i];
        }
        CHECK(most < 650, "%s: one answer in %d of 1000 questions", names[k], most);
        CHECK(n >= 2, "%s: %d answers", names[k], n);
        import_close(im);
    }
}

static void question_at(Importer *im, int skip, Told *t)
{
    Example e;
    for (int i = 0; i <= skip; i++) assert_true(next_example(im, &e));
    unpack(&e, t);
}

TEST(an_example_depends_on_its_number_and_split_alone)
{
    Told a, b;
    Importer *few = open_stories(&names[2], 1, 50, "train"), *many = open_stories(&names[2], 1, 100, "train");
    question_at(few, 31, &a);
    question_at(many, 31, &b);
    assert_memory_equal(&a, &b, sizeof a);
    Importer *test = open_stories(&names[2], 1, 50, "test");
    question_at(test, 31, &b);
    assert_memory_not_equal(&a, &b, sizeof a);
    import_close(few);
    import_close(many);
    import_close(test);
}

TEST(tasks_follow_each_other_and_an_unknown_split_is_empty)
{
    Importer *im = open_stories(names, 8, 3, "train");
    Example e;
    for (int i = 0; i < 24; i++) {
        assert_true(next_example(im, &e));
        assert_int_equal(e.field[STORY_TASK].number[0], i / 3 + 1);
    }
    assert_false(next_example(im, &e));
    import_close(im);
    im = open_stories(names, 8, 3, "other");
    assert_false(next_example(im, &e));
    import_close(im);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(answers_and_supporting_sentences_are_those_that_a_solver_finds),
        RUN(nobody_goes_to_where_he_is),
        RUN(answers_are_spread),
        RUN(an_example_depends_on_its_number_and_split_alone),
        RUN(tasks_follow_each_other_and_an_unknown_split_is_empty),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_close(&run);
    arena_close(&scratch);
    return failed;
}
