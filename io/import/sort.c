/* sort.c - generator of pairs whose target is the source in order of size. */
#include "io/import/families.h"
#include "io/import/sequence.h"

/* Insertion: equal symbols keep their order. */
static void sort_order(int64_t n, const int32_t *symbol, int32_t *from)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t j = i;
        for (; j > 0 && symbol[from[j - 1]] > symbol[i]; j--) from[j] = from[j - 1];
        from[j] = (int32_t)i;
    }
}

static Status sort_open(void **state, Arena *run, const void *settings, const TextSettings *text, const char *split)
{
    (void)text; /* the symbols are made, not found */
    return sequence_open(state, run, settings, "sort", split);
}

static Status sort_parse(void *state, const Record *r, Arena *scratch, Example *out)
{
    return sequence_parse(state, r, scratch, sort_order, out);
}

const ImporterDef import_sort = {
    .component = {.name = "sort",
                  .help = "Generated sequences of symbols and the same in order, the smallest first.",
                  .fields = sequence_rows,
                  .n_fields = SEQUENCE_ROWS,
                  .size = sizeof(SequenceSettings)},
    .fields_of = generator_pair_fields,
    .open = sort_open,
    .next = generator_next,
    .parse = sort_parse,
    .close = sequence_close,
    .sample = {.rows = "train: 24, valid: 6, test: 6, max_words: 6", .question = "3 1 2"},
};
