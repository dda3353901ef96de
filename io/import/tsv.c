/* tsv.c - labelled documents, one a line, in columns parted by a tab. */
#include "io/import/families.h"
#include "io/import/table.h"

static const Field fields[] = {
    TABLE_FILES("data/*.tsv"),
    TABLE_COLUMNS,
    FIELD(TableSettings, delimiter, .preset = "tab", .help = "What parts the columns: a character, or tab."),
    FIELD(TableSettings, quotes, .preset = "false",
          .help = "Cells may stand in quotes, as in CSV files; else a quote mark is a letter."),
    TABLE_SPLIT,
};

const ImporterDef import_tsv = {
    .component = {.name = "tsv",
                  .help = "Labelled documents, one a line, in columns parted by a tab.",
                  ROWS(fields, TableSettings)},
    .fields = document_fields,
    .n_fields = DOCUMENT_FIELDS,
    .open = table_open,
    .next = table_next,
    .parse = table_parse,
    .close = table_close,
    .skipped = table_skipped,
    .sample = {.rows = "train: [sample.tsv], test: [sample.tsv], valid_share: 0.25",
               .file = {{"sample.tsv", "text\tlabel\n"
                                       "a fine film. go and see it.\tgood\n"
                                       "dull. i left early.\tbad\n"
                                       "the best of the year.\tgood\n"
                                       "a bad film.\tbad\n"
                                       "fine actors, and a good end.\tgood\n"
                                       "nothing in it is good.\tbad\n"
                                       "i liked it.\tgood\n"
                                       "a dull end.\tbad\n"}},
               .question = "a fine end. i liked it."},
};
