/* reverse.c - generator of pairs whose target is the source backwards. */
#include "io/import/families.h"
#include "io/import/sequence.h"

static void reverse_order(int64_t n, const int32_t *symbol, int32_t *from)
{
    (void)symbol;
    for (int64_t j = 0; j < n; j++) from[j] = (int32_t)(n - 1 - j);
}

static Status reverse_open(void **state, Arena *run, const void *settings, const TextSettings *text, const char *split)
{
    (void)text; /* the symbols are made, not found */
    return sequence_open(state, run, settings, "reverse", split);
}

static Status reverse_parse(void *state, const Record *r, Arena *scratch, Example *out)
{
    return sequence_parse(state, r, scratch, reverse_order, out);
}

const ImporterDef import_reverse = {
    .component = {.name = "reverse",
                  .help = "Generated sequences of symbols and the same backwards.",
                  .fields = sequence_rows,
                  .n_fields = SEQUENCE_ROWS,
                  .size = sizeof(SequenceSettings)},
    .fields_of = generator_pair_fields,
    .open = reverse_open,
    .next = generator_next,
    .parse = reverse_parse,
    .close = sequence_close,
    .sample = {.rows = "train: 24, valid: 6, test: 6, max_words: 6", .question = "3 1 2"},
};
