/* sequence.c - a sequence of symbols, and the same symbols in another order. */
#include "io/import/sequence.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "io/batch/example.h"

const Field sequence_rows[SEQUENCE_ROWS] = {
    FIELD(SequenceSettings, train, .preset = "4000", .max = 1e9, .unit = "pairs", .help = "To train on."),
    FIELD(SequenceSettings, valid, .preset = "400", .max = 1e9, .unit = "pairs", .help = "To validate on."),
    FIELD(SequenceSettings, test, .preset = "1000", .max = 1e9, .unit = "pairs", .help = "To test on."),
    FIELD(SequenceSettings, symbols, .preset = "20", .min = 1, .max = 1000000,
          .help = "Different symbols: the numbers from 0."),
    FIELD(SequenceSettings, min_words, .preset = "3", .min = 1, .max = SEQUENCE_MOST, .unit = "symbols",
          .help = "Shortest sequence."),
    FIELD(SequenceSettings, max_words, .preset = "20", .min = 1, .max = SEQUENCE_MOST, .unit = "symbols",
          .help = "Longest sequence."),
    FIELD(SequenceSettings, min_test_words, .preset = "0", .max = SEQUENCE_MOST, .unit = "symbols",
          .help = "Shortest sequence of test; 0: as the others."),
    FIELD(SequenceSettings, max_test_words, .preset = "0", .max = SEQUENCE_MOST, .unit = "symbols",
          .help = "Longest sequence of test; 0: as the others."),
    FIELD(SequenceSettings, seed, .preset = "1", .max = 1e15, .help = "Of all random choices."),
};

typedef struct Sequences {
    Generator generator; /* first */
    const SequenceSettings *settings;
    GeneratorLengths lengths;
} Sequences;

Status sequence_open(void **state, Arena *run, const void *settings, const char *name, const char *split)
{
    Sequences *s;
    TRY_NEW(s, run, 1);
    s->settings = settings;
    const SequenceSettings *o = s->settings;
    s->lengths = (GeneratorLengths){o->min_words, o->max_words, o->min_test_words, o->max_test_words};
    TRY(generator_check_lengths(&s->lengths));
    generator_open(&s->generator, name, split, o->train, o->valid, o->test);
    *state = s;
    return OK;
}

void sequence_close(void *state) { (void)state; }

static Status put(ExampleField *f, Arena *scratch, int64_t n, const int32_t *symbol)
{
    enum { DIGITS = 8 };
    TextWords words = {.words = n};
    char *text;
    TRY_NEW(words.word, scratch, n);
    TRY_NEW(text, scratch, n * DIGITS);
    for (int64_t i = 0; i < n; i++, text += DIGITS)
        words.word[i] = (Word){text, (size_t)snprintf(text, DIGITS, "%" PRId32, symbol[i])};
    return example_words(f, scratch, &words);
}

Status sequence_parse(void *state, const Record *r, Arena *scratch, SequenceOrder *order, Example *out)
{
    const Sequences *s = state;
    Draws draws = generator_draws(&s->generator, s->settings->seed, r);
    const int64_t n = generator_length(&s->generator, &s->lengths, &draws);
    int32_t *symbol, *from, *moved, *links;
    TRY_NEW(symbol, scratch, n);
    TRY_NEW(from, scratch, n);
    TRY_NEW(moved, scratch, n);
    TRY_NEW(links, scratch, 2 * n);
    for (int64_t i = 0; i < n; i++) symbol[i] = (int32_t)generator_below(&draws, s->settings->symbols);
    order(n, symbol, from);
    for (int64_t j = 0; j < n; j++) {
        moved[j] = symbol[from[j]];
        links[2 * from[j]] = from[j]; /* in the order of the source */
        links[2 * from[j] + 1] = (int32_t)j;
    }
    *out = (Example){0};
    TRY(put(&out->field[PAIR_SOURCE], scratch, n, symbol));
    TRY(put(&out->field[PAIR_TARGET], scratch, n, moved));
    TRY(example_numbers(&out->field[PAIR_SURE], scratch, 2 * n, links));
    return example_numbers(&out->field[PAIR_POSSIBLE], scratch, 2 * n, links);
}
