/* coins.c - generator of throws of a coin, whose label is the side that came more often. */
#include <string.h>

#include "io/import/document.h"
#include "io/import/families.h"
#include "io/import/generator.h"

typedef struct CoinsSettings {
    int64_t train, valid, test, throws;
} CoinsSettings;

static const Field fields[] = {
    FIELD(CoinsSettings, train, .preset = "100", .max = 1e9, .unit = "games", .help = "To train on."),
    FIELD(CoinsSettings, valid, .preset = "20", .max = 1e9, .unit = "games", .help = "To validate on."),
    FIELD(CoinsSettings, test, .preset = "20", .max = 1e9, .unit = "games", .help = "To test on."),
    FIELD(CoinsSettings, throws, .preset = "5", .min = 1, .max = 1e3, .help = "Throws of a game."),
};

static const char *const side[] = {"head", "tail"};

typedef struct Coins {
    Generator generator; /* first */
    const CoinsSettings *settings;
} Coins;

static Status coins_open(void **state, Arena *run, const void *settings, const TextSettings *text, const char *split)
{
    (void)text;
    Coins *c;
    TRY_NEW(c, run, 1);
    c->settings = settings;
    generator_open(&c->generator, "coins", split, c->settings->train, c->settings->valid, c->settings->test);
    *state = c;
    return OK;
}

static Status coins_parse(void *state, const Record *r, Arena *scratch, Example *out)
{
    const Coins *c = state;
    const int64_t n = c->settings->throws;
    Draws draws = generator_draws(&c->generator, 1, r);
    int64_t tails = 0;
    TextWords text = {.sentences = 1, .words = n};
    TRY_NEW(text.word, scratch, n);
    TRY_NEW(text.start, scratch, 2);
    text.start[1] = n;
    for (int64_t i = 0; i < n; i++) {
        const int64_t thrown = generator_below(&draws, 2);
        text.word[i] = (Word){side[thrown], strlen(side[thrown])};
        tails += thrown;
    }
    *out = (Example){0};
    const char *more = side[2 * tails > n];
    return document_put(&text, (Word){more, strlen(more)}, r, scratch, out);
}

static void coins_close(void *state) { (void)state; }

const ImporterDef import_coins = {
    .component = {.name = "coins", .help = "Generated throws of a coin.", ROWS(fields, CoinsSettings)},
    .fields = document_fields,
    .n_fields = DOCUMENT_FIELDS,
    .open = coins_open,
    .next = generator_next,
    .parse = coins_parse,
    .close = coins_close,
    .sample = {.rows = "train: 24, valid: 6, test: 6", .question = "head tail tail"},
};
