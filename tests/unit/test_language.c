/* test_language.c - the generated language, checked by a translator that reads nothing but the source's words. */
#include "import_test.h"
#include "io/import/language.h"

/* --- Reads a sentence word by word and writes its translation; of the generator it shares the dictionary alone. --- */
typedef struct Reader {
    const char *word[128];
    int n, at;
    char out[4096];
} Reader;

static const char *peek(const Reader *r) { return r->at < r->n ? r->word[r->at] : ""; }
static bool is(const Reader *r, const char *word) { return strcmp(peek(r), word) == 0; }
static bool take(Reader *r, const char *word)
{
    const bool there = *word && is(r, word);
    r->at += there;
    return there;
}
static void add(char *out, const char *a, const char *b)
{
    if (!*a) return;
    if (*out) strcat(out, " ");
    strcat(strcat(out, a), b);
}

static const LanguagePlain *plain(Reader *r, const LanguagePlain *list, int n)
{
    for (int i = 0; i < n; i++)
        if (take(r, list[i].source)) return &list[i];
    return NULL;
}

typedef struct Heard {
    char text[512];
    bool alive, many;
} Heard;

static void noun_phrase(Reader *r, Heard *h)
{
    const LanguageDeterminer *d = NULL;
    const LanguageAdjective *adjective[8];
    const LanguageNoun *noun = NULL;
    int n = 0;
    for (int i = 0; i < LANGUAGE_DETERMINERS && !d; i++)
        if (take(r, language_determiners[i].source)) d = &language_determiners[i];
    CHECK(d, "no determiner at word %d, %s", r->at, peek(r));
    for (int i = 0; i < LANGUAGE_ADJECTIVES; i++)
        if (take(r, language_adjectives[i].source)) {
            adjective[n++] = &language_adjectives[i];
            i = -1;
        }
    for (int i = 0; i < LANGUAGE_NOUNS && !noun; i++) {
        h->many = is(r, language_nouns[i].many);
        if (take(r, language_nouns[i].one) || take(r, language_nouns[i].many)) noun = &language_nouns[i];
    }
    CHECK(noun, "no noun at word %d, %s", r->at, peek(r));
    h->alive = noun->alive;
    static const char *const articles[3][2] = {{"la", "las"}, {"lo", "los"}, {"le", "les"}};
    static const char *const endings[3][2] = {{"a", "as"}, {"o", "os"}, {"e", "es"}};
    const bool late = strcmp(d->source, "this") == 0 || strcmp(d->source, "my") == 0;
    const char *word = strcmp(d->source, "the") == 0 ? articles[noun->gender][h->many] : d->target;
    if (!late) add(h->text, word, "");
    add(h->text, noun->target, "");
    if (h->many) add(h->text, "pe", "");
    while (n-- > 0) add(h->text, h->alive ? adjective[n]->alive : adjective[n]->other, endings[noun->gender][h->many]);
    if (late) add(h->text, word, "");
}

static void clause(Reader *r)
{
    Heard subject = {{0}, false, false}, object = subject, place = subject;
    char verb_text[64] = "";
    const LanguagePlain *joiner = plain(r, language_joiners, LANGUAGE_JOINERS);
    CHECK((joiner == NULL) == (r->at == 0), "clauses are not joined at word %d", r->at);
    if (is(r, "it"))
        r->at++;
    else if (is(r, "he") || is(r, "she") || is(r, "they")) {
        subject.alive = true;
        subject.many = take(r, "they");
        r->at += !subject.many;
    } else
        noun_phrase(r, &subject);
    const bool past = take(r, "did"), present = take(r, "do") || take(r, "does");
    const bool negated = take(r, "not");
    CHECK(!present || negated, "do without not at word %d", r->at);
    const LanguageVerb *v = NULL;
    for (int i = 0; i < LANGUAGE_VERBS && !v; i++) {
        const bool bare = past || present || subject.many;
        if (take(r, bare ? language_verbs[i].base : language_verbs[i].third)) v = &language_verbs[i];
    }
    CHECK(v, "no verb at word %d, %s", r->at, peek(r));
    CHECK(!*v->particle || take(r, v->particle), "no particle at word %d", r->at);
    if (v->transitive) noun_phrase(r, &object);
    const LanguagePlain *preposition = plain(r, language_prepositions, LANGUAGE_PREPOSITIONS);
    if (preposition) noun_phrase(r, &place);
    const LanguagePlain *adverb = plain(r, language_adverbs, LANGUAGE_ADVERBS);

    if (joiner) add(r->out, joiner->target, "");
    if (adverb) add(r->out, adverb->target, "");
    add(r->out, subject.text, "");
    add(r->out, place.text, "");
    if (preposition) add(r->out, preposition->target, "");
    add(r->out, object.text, "");
    if (v->transitive) add(r->out, "ob", "");
    if (negated) add(r->out, "ni", "");
    add(verb_text, subject.alive ? v->alive : v->other, subject.many ? "an" : "it");
    add(r->out, verb_text, "");
    if (past) add(r->out, "ta", "");
}

static int split(char *text, const char **word)
{
    int n = 0;
    char *save = NULL;
    for (char *p = strtok_r(text, " ", &save); p; p = strtok_r(NULL, " ", &save)) word[n++] = p;
    return n;
}

static const char *side(const Example *e, const char *field)
{
    DataField fields[BATCH_FIELDS];
    const int n = pair_fields((PairKind){.links = true}, fields);
    return field_text_of(fields, n, e, field);
}

static void check_translation(const Example *e)
{
    static Reader r;
    static char source[4096];
    r.at = 0;
    r.out[0] = '\0';
    snprintf(source, sizeof source, "%s", side(e, "source"));
    r.n = split(source, r.word);
    while (r.at < r.n) clause(&r);
    assert_string_equal(r.out, side(e, "target"));
}

/* --- Links --- */

static bool in_words(const char *words, const char *word)
{
    char a[80], b[80];
    snprintf(a, sizeof a, " %s ", words);
    snprintf(b, sizeof b, " %s ", word);
    return strstr(a, b) != NULL;
}

static bool starts(const char *word, const char *stem) { return strncmp(word, stem, strlen(stem)) == 0; }

/* Can t be a word of the translation of s, whatever stands around them? */
static bool translates(const char *s, const char *t)
{
    static const LanguagePlain others[] = {{"the", "la las lo los le les"}, {"did", "ta"}, {"not", "ni"}};
    for (int i = 0; i < COUNT(others); i++)
        if (strcmp(s, others[i].source) == 0) return in_words(others[i].target, t);
    for (int i = 0; i < LANGUAGE_NOUNS; i++) {
        const LanguageNoun *n = &language_nouns[i];
        if (strcmp(s, n->one) == 0) return in_words(n->target, t);
        if (strcmp(s, n->many) == 0) return in_words(n->target, t) || strcmp(t, "pe") == 0;
    }
    for (int i = 0; i < LANGUAGE_ADJECTIVES; i++) {
        const LanguageAdjective *a = &language_adjectives[i];
        if (strcmp(s, a->source) == 0) return starts(t, a->alive) || starts(t, a->other);
    }
    for (int i = 0; i < LANGUAGE_VERBS; i++) {
        const LanguageVerb *v = &language_verbs[i];
        if (strcmp(s, v->base) == 0 || strcmp(s, v->third) == 0 || strcmp(s, v->particle) == 0)
            return starts(t, v->alive) || starts(t, v->other);
    }
    for (int i = 0; i < LANGUAGE_DETERMINERS; i++)
        if (strcmp(s, language_determiners[i].source) == 0) return in_words(language_determiners[i].target, t);
    const LanguagePlain *const lists[] = {language_prepositions, language_adverbs, language_joiners};
    const int sizes[] = {LANGUAGE_PREPOSITIONS, LANGUAGE_ADVERBS, LANGUAGE_JOINERS};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < sizes[k]; i++)
            if (strcmp(s, lists[k][i].source) == 0) return in_words(lists[k][i].target, t);
    return false;
}

static void word_of(const ExampleField *f, int i, char out[64])
{
    CHECK(i >= 0 && i < f->count[1], "a link to word %d of %d", i, (int)f->count[1]);
    snprintf(out, 64, "%.*s", (int)f->word[i].size, f->word[i].text);
}

static void check_links(const Example *e)
{
    const ExampleField *source = &e->field[0], *target = &e->field[1], *sure = &e->field[2], *possible = &e->field[3];
    int of_source[128] = {0}, of_target[384] = {0}, from_possible[384] = {0};
    char s[64], t[64];
    for (int64_t k = 0; k < sure->count[1]; k += 2) {
        word_of(source, sure->number[k], s);
        word_of(target, sure->number[k + 1], t);
        CHECK(translates(s, t), "%s is linked to %s", s, t);
        of_source[sure->number[k]]++;
        of_target[sure->number[k + 1]]++;
        bool also = false; /* possible holds the sure ones, in order */
        for (int64_t i = 0; i < possible->count[1]; i += 2)
            also |= possible->number[i] == sure->number[k] && possible->number[i + 1] == sure->number[k + 1];
        CHECK(also, "the sure link of %s and %s is not possible", s, t);
    }
    for (int64_t i = 0; i < possible->count[1]; i += 2) {
        word_of(source, possible->number[i], s);
        word_of(target, possible->number[i + 1], t);
        from_possible[possible->number[i + 1]]++;
        if (i == 0) continue;
        const int64_t now = possible->number[i] * 1000 + possible->number[i + 1];
        CHECK(possible->number[i - 2] * 1000 + possible->number[i - 1] < now, "links are not in order at %d", (int)i);
    }
    for (int i = 0; i < source->count[1]; i++) {
        word_of(source, i, s);
        CHECK((of_source[i] == 0) == in_words("a do does he she it they", s), "%d sure links of %s", of_source[i], s);
    }
    for (int i = 0; i < target->count[1]; i++) {
        word_of(target, i, t);
        CHECK((of_target[i] == 0) == (strcmp(t, "ob") == 0), "%d sure links of %s", of_target[i], t);
        CHECK(from_possible[i] > 0, "%s has no link", t);
    }
}

static void check_split(const void *settings, const char *name, int low, int high, int n)
{
    Importer *im;
    Record r;
    Example e;
    bool end;
    int seen[128] = {0}, count = 0;
    CHECK_OK(import_open(&im, &run, "language", settings, NULL, name));
    for (;; count++) {
        CHECK_OK(import_next(im, &r, &end));
        if (end) break;
        arena_release(&scratch, (ArenaMark){0});
        CHECK_OK(import_parse(im, &r, &scratch, &e));
        check_translation(&e);
        check_links(&e);
        seen[e.field[0].count[1]]++;
    }
    import_close(im);
    assert_int_equal(count, n);
    for (int i = 0; i < 128; i++) /* all lengths are as frequent: within 6 standard deviations */
        if (i < low || i > high)
            assert_int_equal(seen[i], 0);
        else {
            const double mean = n / (high - low + 1.0);
            CHECK(fabs(seen[i] - mean) < 6 * sqrt(mean), "%d sentences of %d words", seen[i], i);
        }
}

TEST(a_translator_by_rules_agrees_and_links_join_what_belongs_together)
{
    const void *s = settings_of("language", "min_test_words", "3", "max_test_words", "40", NULL);
    check_split(s, "train", 3, 20, 4000);
    check_split(s, "valid", 3, 20, 400);
    check_split(s, "test", 3, 40, 1000);
    check_split(settings_of("language", "min_words", "99", "max_words", "100", "train", "50", NULL), "train", 99, 100,
                50);
}

TEST(a_sentence_depends_on_its_number_and_split_alone)
{
    char texts[3][2000];
    const char *splits[] = {"train", "train", "valid"}, *sizes[] = {"100", "7", "100"};
    for (int k = 0; k < 3; k++) {
        Importer *im;
        Record r;
        Example e;
        bool end;
        CHECK_OK(import_open(&im, &run, "language", settings_of("language", "train", sizes[k], NULL), NULL, splits[k]));
        for (int i = 0; i < 5; i++) {
            CHECK_OK(import_next(im, &r, &end));
            if (k != 1 || i == 4) CHECK_OK(import_parse(im, &r, &scratch, &e)); /* others parse other records */
        }
        snprintf(texts[k], sizeof texts[k], "%s", side(&e, "source"));
        import_close(im);
    }
    assert_string_equal(texts[0], texts[1]);
    assert_string_not_equal(texts[0], texts[2]);
}

TEST(bounds_that_cross_are_faults)
{
    int n;
    CHECK_SAYS(walk("language", settings_of("language", "min_words", "21", NULL), NULL, "train", &n), ERR_CONFIG,
               "source.min_words is 21, more than source.max_words, 20");
    CHECK_SAYS(walk("language", settings_of("language", "max_test_words", "2", NULL), NULL, "test", &n), ERR_CONFIG,
               "test: source.min_test_words is 3, more than source.max_test_words, 2");
    CHECK_SAYS(walk("language", settings_of("language", "min_test_words", "2", NULL), NULL, "test", &n), ERR_CONFIG,
               "source.min_test_words is 2, but the shortest sentence has 3 words");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(a_translator_by_rules_agrees_and_links_join_what_belongs_together),
        RUN(a_sentence_depends_on_its_number_and_split_alone),
        RUN(bounds_that_cross_are_faults),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_close(&run);
    arena_close(&scratch);
    return failed;
}
