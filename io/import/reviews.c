/* reviews.c - generator of documents whose label hangs on known words in known sentences.
 *
 * All sentences are made alike, from words that say nothing about the class; the deciding ones hold, in addition, a
 * word that stands for the class and comes nowhere else. So it is known where a good attention has to look. Document i
 * of a split depends on (seed, split, i) alone. */
#include <inttypes.h>
#include <string.h>

#include "io/batch/example.h"
#include "io/import/families.h"
#include "io/import/generator.h"

enum { CLASSES = 5, KEYS = 8, SENTENCES_MAX = 200, WORDS_MAX = 100 };

typedef struct ReviewsSettings {
    int64_t train, valid, test, classes, min_sentences, max_sentences, min_words, max_words, deciding, names, seed;
} ReviewsSettings;

static const Field fields[] = {
    FIELD(ReviewsSettings, train, .preset = "2000", .min = 0, .max = 1e9, .unit = "documents", .help = "To train on."),
    FIELD(ReviewsSettings, valid, .preset = "200", .min = 0, .max = 1e9, .unit = "documents",
          .help = "To validate on."),
    FIELD(ReviewsSettings, test, .preset = "500", .min = 0, .max = 1e9, .unit = "documents", .help = "To test on."),
    FIELD(ReviewsSettings, classes, .preset = "2", .min = 2, .max = CLASSES, .help = "Different labels."),
    FIELD(ReviewsSettings, min_sentences, .preset = "3", .min = 1, .max = SENTENCES_MAX, .unit = "sentences",
          .help = "Shortest document."),
    FIELD(ReviewsSettings, max_sentences, .preset = "10", .min = 1, .max = SENTENCES_MAX, .unit = "sentences",
          .help = "Longest document."),
    FIELD(ReviewsSettings, min_words, .preset = "5", .min = 3, .max = WORDS_MAX, .unit = "words",
          .help = "Shortest sentence."),
    FIELD(ReviewsSettings, max_words, .preset = "12", .min = 3, .max = WORDS_MAX, .unit = "words",
          .help = "Longest sentence."),
    FIELD(ReviewsSettings, deciding, .preset = "1", .min = 1, .max = SENTENCES_MAX, .unit = "sentences",
          .help = "Sentences with a deciding word; at most all of a document."),
    FIELD(ReviewsSettings, names, .preset = "200", .min = 1, .max = 100000,
          .help = "Different invented names, which make the vocabulary as large as is wanted."),
    FIELD(ReviewsSettings, seed, .preset = "1", .min = 0, .max = 1e15, .help = "Of all random choices."),
};

static const char *const labels[CLASSES] = {"praise", "blame", "doubt", "surprise", "calm"};
static const char *const keys[CLASSES][KEYS] = {
    {"delightful", "superb", "charming", "splendid", "brilliant", "lovely", "masterly", "wonderful"},
    {"dreadful", "clumsy", "tedious", "shoddy", "awful", "dull", "hopeless", "miserable"},
    {"questionable", "unproven", "uncertain", "dubious", "vague", "unclear", "debatable", "puzzling"},
    {"unexpected", "startling", "astonishing", "sudden", "unforeseen", "stunning", "amazing", "shocking"},
    {"peaceful", "serene", "gentle", "tranquil", "soothing", "restful", "mellow", "placid"},
};
static const char *const nouns[] = {"window",  "chapter", "engine", "garden",  "letter",  "bridge",
                                    "painter", "bottle",  "corner", "ticket",  "kitchen", "journey",
                                    "mirror",  "castle",  "ladder", "pocket",  "basket",  "signal",
                                    "theatre", "village", "carpet", "teacher", "island",  "camera"};
static const char *const adjectives[] = {"wooden",  "narrow", "yellow", "second", "distant",  "square",
                                         "printed", "silver", "early",  "local",  "northern", "round",
                                         "weekly",  "public", "folded", "striped"};
static const char *const verbs[] = {"shows", "follows", "holds",  "crosses",  "reaches",  "carries",
                                    "joins", "leaves",  "covers", "mentions", "replaces", "enters"};
static const char *const links[] = {"beside", "behind", "under", "near", "after", "before", "and", "with"};

enum { REVIEW_TEXT, REVIEW_LABEL, REVIEW_SENTENCE, REVIEW_WORD, REVIEW_FIELDS };
static const DataField review_fields[REVIEW_FIELDS] = {
    [REVIEW_TEXT] = {.name = "text", .role = ROLE_INPUT, .vocab = "words", .levels = 2, .special = true},
    [REVIEW_LABEL] = {.name = "label", .role = ROLE_TARGET, .vocab = "labels", .levels = 0, .closed = true},
    /* the deciding sentences and words, both counted from the first of the document */
    [REVIEW_SENTENCE] = {.name = "key_sentence", .role = ROLE_GOLD, .of = "text", .levels = 1, .unit = 1},
    [REVIEW_WORD] = {.name = "key_word", .role = ROLE_GOLD, .of = "text", .levels = 1, .unit = 2},
};

typedef struct Reviews {
    Generator generator; /* first */
    const ReviewsSettings *settings;
} Reviews;

/* One document while it is written. */
typedef struct Draft {
    const ReviewsSettings *o;
    Arena *scratch;
    Draws draws;
    TextWords text;
} Draft;

static int64_t below(Draft *d, int64_t n) { return generator_below(&d->draws, n); }

static Status reviews_open(void **state, Arena *run, const void *settings, const TextSettings *text, const char *split)
{
    (void)text; /* the words are made, not found */
    Reviews *r;
    TRY_NEW(r, run, 1);
    r->settings = settings;
    const ReviewsSettings *o = r->settings;
    REQUIRE(o->min_sentences <= o->max_sentences, ERR_CONFIG,
            "source.min_sentences is %" PRId64 ", more than source.max_sentences, %" PRId64, o->min_sentences,
            o->max_sentences);
    REQUIRE(o->min_words <= o->max_words, ERR_CONFIG,
            "source.min_words is %" PRId64 ", more than source.max_words, %" PRId64, o->min_words, o->max_words);
    generator_open(&r->generator, "reviews", split, o->train, o->valid, o->test);
    *state = r;
    return OK;
}

static void put(Draft *d, const char *word) { d->text.word[d->text.words++] = (Word){word, strlen(word)}; }

/* An invented name: three syllables, the number in base 60. */
static Status put_name(Draft *d)
{
    static const char consonants[] = "bdfklmnprtvz", vowels[] = "aeiou";
    int64_t n = below(d, d->o->names);
    char *name;
    TRY_NEW(name, d->scratch, 7);
    for (int i = 0; i < 3; i++, n /= 60) {
        name[2 * i] = consonants[n % 60 / 5];
        name[2 * i + 1] = vowels[n % 5];
    }
    put(d, name);
    return OK;
}

#define PICK(d, list) (list)[below((d), COUNT(list))]

/* About `length` neutral words: the narrow bridge crosses balado near the garden ... */
static Status put_sentence(Draft *d, int64_t length)
{
    const int64_t end = d->text.words + length;
    for (int part = 0; d->text.words < end; part++) {
        if (part > 0) put(d, part % 2 ? PICK(d, verbs) : PICK(d, links));
        if (d->text.words < end && below(d, 4) == 0) {
            TRY(put_name(d));
            continue;
        }
        if (d->text.words < end) put(d, "the");
        if (d->text.words < end && below(d, 2) == 0) put(d, PICK(d, adjectives));
        if (d->text.words < end) put(d, PICK(d, nouns));
    }
    return OK;
}

/* The deciding word takes the place of a neutral one, anywhere in the sentence. */
static int32_t decide(Draft *d, int64_t sentence, int64_t label)
{
    const int64_t first = d->text.start[sentence], at = first + below(d, d->text.start[sentence + 1] - first);
    const char *word = keys[label][below(d, KEYS)];
    d->text.word[at] = (Word){word, strlen(word)};
    return (int32_t)at;
}

/* Which of the sentences decide: k of n, each choice as likely (Knuth, selection sampling), in order. */
static void choose_sentences(Draft *d, int64_t n, int64_t k, int32_t *chosen)
{
    for (int64_t i = 0, found = 0; found < k; i++)
        if (below(d, n - i) < k - found) chosen[found++] = (int32_t)i;
}

static Status write_document(Draft *d, int64_t label, Example *out)
{
    const ReviewsSettings *o = d->o;
    const int64_t n = o->min_sentences + below(d, o->max_sentences - o->min_sentences + 1);
    const int64_t k = o->deciding < n ? o->deciding : n;
    int32_t *sentence, *word;
    TRY_NEW(d->text.start, d->scratch, n + 1);
    TRY_NEW(d->text.word, d->scratch, n * o->max_words);
    TRY_NEW(sentence, d->scratch, k);
    TRY_NEW(word, d->scratch, k);
    for (int64_t i = 0; i < n; i++) {
        TRY(put_sentence(d, o->min_words + below(d, o->max_words - o->min_words + 1)));
        d->text.start[++d->text.sentences] = d->text.words;
    }
    choose_sentences(d, n, k, sentence);
    for (int64_t i = 0; i < k; i++) word[i] = decide(d, sentence[i], label);
    TRY(example_sentences(&out->field[REVIEW_TEXT], d->scratch, &d->text));
    TRY(example_word(&out->field[REVIEW_LABEL], d->scratch, labels[label], strlen(labels[label])));
    TRY(example_numbers(&out->field[REVIEW_SENTENCE], d->scratch, k, sentence));
    return example_numbers(&out->field[REVIEW_WORD], d->scratch, k, word);
}

static Status reviews_parse(void *state, const Record *record, Arena *scratch, Example *out)
{
    const Reviews *r = state;
    Draft d = {
        .o = r->settings, .scratch = scratch, .draws = generator_draws(&r->generator, r->settings->seed, record)};
    *out = (Example){0};
    return write_document(&d, below(&d, r->settings->classes), out);
}

static void reviews_close(void *state) { (void)state; }

const ImporterDef import_reviews = {
    .component = {.name = "reviews",
                  .help = "Generated documents whose label hangs on known words in known sentences.",
                  ROWS(fields, ReviewsSettings)},
    .fields = review_fields,
    .n_fields = REVIEW_FIELDS,
    .open = reviews_open,
    .next = generator_next,
    .parse = reviews_parse,
    .close = reviews_close,
    .sample = {.rows = "train: 24, valid: 6, test: 6, max_sentences: 4", .question = "a fine end. i liked it."},
};
