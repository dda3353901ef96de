/* language.c - generator of sentences of a small language and their translations: reordered, of unequal numbers of
 * words, and with known links (language.h has the grammar). */
#include "io/import/language.h"

#include <inttypes.h>

#include "io/batch/example.h"
#include "io/import/families.h"

enum { SOURCE_MOST = 100 };

typedef struct LanguageSettings {
    int64_t train, valid, test, min_words, max_words, min_test_words, max_test_words, seed;
} LanguageSettings;

static const Field fields[] = {
    FIELD(LanguageSettings, train, .preset = "4000", .max = 1e9, .unit = "pairs", .help = "To train on."),
    FIELD(LanguageSettings, valid, .preset = "400", .max = 1e9, .unit = "pairs", .help = "To validate on."),
    FIELD(LanguageSettings, test, .preset = "1000", .max = 1e9, .unit = "pairs", .help = "To test on."),
    FIELD(LanguageSettings, min_words, .preset = "3", .min = 3, .max = SOURCE_MOST, .unit = "words",
          .help = "Shortest source sentence."),
    FIELD(LanguageSettings, max_words, .preset = "20", .min = 3, .max = SOURCE_MOST, .unit = "words",
          .help = "Longest source sentence; all lengths are as frequent."),
    FIELD(LanguageSettings, min_test_words, .preset = "0", .max = SOURCE_MOST, .unit = "words",
          .help = "Shortest source sentence of test; 0: as the others."),
    FIELD(LanguageSettings, max_test_words, .preset = "0", .max = SOURCE_MOST, .unit = "words",
          .help = "Longest source sentence of test; 0: as the others."),
    FIELD(LanguageSettings, seed, .preset = "1", .max = 1e15, .help = "Of all random choices."),
};

typedef struct Language {
    Generator generator; /* first */
    const LanguageSettings *settings;
    GeneratorLengths lengths;
    LanguageSentence sentence;
    LanguageText source, target;
} Language;

static Status language_open(void **state, Arena *run, const void *settings, const TextSettings *text, const char *split)
{
    (void)text; /* the words are made, not found */
    Language *l;
    TRY_NEW(l, run, 1);
    l->settings = settings;
    const LanguageSettings *o = l->settings;
    l->lengths = (GeneratorLengths){o->min_words, o->max_words, o->min_test_words, o->max_test_words};
    TRY(generator_check_lengths(&l->lengths));
    REQUIRE(o->min_test_words == 0 || o->min_test_words >= 3, ERR_CONFIG,
            "source.min_test_words is %" PRId64 ", but the shortest sentence has 3 words", o->min_test_words);
    generator_open(&l->generator, "language", split, o->train, o->valid, o->test);
    *state = l;
    return OK;
}

/* Clauses until there are n words; false when the last one went beyond. */
static Status try_sentence(Language *l, Draws *d, int64_t n, bool *fits)
{
    LanguageSentence *s = &l->sentence;
    s->clauses = 0;
    l->source.words = 0;
    while (l->source.words < n) {
        LanguageClause *c = &s->clause[s->clauses];
        language_draw_clause(c, d, s->clauses++ == 0);
        TRY(language_say(c, &l->source));
    }
    *fits = l->source.words == n;
    return OK;
}

/* A sentence of exactly n words: about one try in seven gives it. */
static Status draw_sentence(Language *l, Draws *d, int64_t n, Arena *scratch)
{
    const ArenaMark mark = arena_mark(scratch);
    for (bool fits = false; !fits;) {
        arena_release(scratch, mark);
        TRY(try_sentence(l, d, n, &fits));
    }
    return OK;
}

/* Links in the order of the source, then of the target. */
static Status put_links(const LanguageText *t, int64_t source_words, bool only_sure, Arena *scratch, ExampleField *f)
{
    int32_t *number;
    int64_t n = 0;
    TRY_NEW(number, scratch, 2 * t->links);
    for (int32_t i = 0; i < (int32_t)source_words; i++)
        for (int64_t k = 0; k < t->links; k++) {
            if (t->link[k].source != i || (only_sure && !t->link[k].sure)) continue;
            number[n++] = i;
            number[n++] = t->link[k].target;
        }
    return example_numbers(f, scratch, n, number);
}

static Status put_words(const LanguageText *t, Arena *scratch, ExampleField *f)
{
    TextWords words = {.words = t->words};
    TRY_NEW(words.word, scratch, t->words);
    for (int64_t i = 0; i < t->words; i++) words.word[i] = t->word[i];
    return example_words(f, scratch, &words);
}

static Status language_parse(void *state, const Record *r, Arena *scratch, Example *out)
{
    Language *l = state;
    Draws d = generator_draws(&l->generator, l->settings->seed, r);
    *out = (Example){0};
    l->source.scratch = l->target.scratch = scratch;
    l->target.words = l->target.links = 0;
    TRY(draw_sentence(l, &d, generator_length(&l->generator, &l->lengths, &d), scratch));
    for (int i = 0; i < l->sentence.clauses; i++) TRY(language_translate(&l->sentence.clause[i], &l->target));
    TRY(put_words(&l->source, scratch, &out->field[PAIR_SOURCE]));
    TRY(put_words(&l->target, scratch, &out->field[PAIR_TARGET]));
    TRY(put_links(&l->target, l->source.words, true, scratch, &out->field[PAIR_SURE]));
    return put_links(&l->target, l->source.words, false, scratch, &out->field[PAIR_POSSIBLE]);
}

static void language_close(void *state) { (void)state; }

const ImporterDef import_language = {
    .component = {.name = "language",
                  .help = "Generated sentences of a small language and their translations, with links of words.",
                  ROWS(fields, LanguageSettings)},
    .fields_of = generator_pair_fields,
    .open = language_open,
    .next = generator_next,
    .parse = language_parse,
    .close = language_close,
    .sample = {.rows = "train: 24, valid: 6, test: 6, max_words: 8", .question = "the old farmer sees the horses"},
};
