/* copy.c - generator of pairs whose target is the source as it is. */
#include "io/import/families.h"
#include "io/import/sequence.h"

static void copy_order(int64_t n, const int32_t *symbol, int32_t *from)
{
    (void)symbol;
    for (int64_t j = 0; j < n; j++) from[j] = (int32_t)j;
}

static Status copy_open(void **state, Arena *run, const void *settings, const TextSettings *text, const char *split)
{
    (void)text; /* the symbols are made, not found */
    return sequence_open(state, run, settings, "copy", split);
}

static Status copy_parse(void *state, const Record *r, Arena *scratch, Example *out)
{
    return sequence_parse(state, r, scratch, copy_order, out);
}

const ImporterDef import_copy = {
    .component = {.name = "copy",
                  .help = "Generated sequences of symbols and the same once more.",
                  .fields = sequence_rows,
                  .n_fields = SEQUENCE_ROWS,
                  .size = sizeof(SequenceSettings)},
    .fields_of = generator_pair_fields,
    .open = copy_open,
    .next = generator_next,
    .parse = copy_parse,
    .close = sequence_close,
    .sample = {.rows = "train: 24, valid: 6, test: 6, max_words: 6", .question = "3 1 2"},
};
