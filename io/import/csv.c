/* csv.c - labelled documents in the rows of CSV files (RFC 4180). */
#include "io/import/families.h"
#include "io/import/table.h"

static const Field fields[] = {
    TABLE_FILES("data/*.csv"),
    TABLE_COLUMNS,
    FIELD(TableSettings, delimiter, .preset = ",", .help = "What parts the columns: a character such as ; or tab."),
    FIELD(TableSettings, quotes, .preset = "true",
          .help = "Cells may stand in quotes, with delimiters, line breaks and doubled quotes in them."),
    TABLE_SPLIT,
};

const ImporterDef import_csv = {
    .component = {.name = "csv",
                  .help = "Labelled documents in the rows of CSV files, quoted or not.",
                  ROWS(fields, TableSettings)},
    .fields = document_fields,
    .n_fields = DOCUMENT_FIELDS,
    .open = table_open,
    .next = table_next,
    .parse = table_parse,
    .close = table_close,
    .skipped = table_skipped,
    .sample = {.rows = "train: [sample.csv], test: [sample.csv], valid_share: 0.25",
               .file = {{"sample.csv", "text,label\n"
                                       "a fine film. go and see it.,good\n"
                                       "\"dull, and\nlong. i left early.\",bad\n"
                                       "\"the \"\"best\"\" of the year.\",good\n"
                                       "a bad film.,bad\n"
                                       "\"fine actors, and a good end.\",good\n"
                                       "nothing in it is good.,bad\n"
                                       "i liked it.,good\n"
                                       "a dull end.,bad\n"}},
               .question = "a fine end. i liked it."},
};
