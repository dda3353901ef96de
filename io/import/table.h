/* table.h - labelled documents in the rows of a table: what tsv and csv have in common.
 *
 * Rows are parted by the ends of lines (io/text/line.h), but for those within quotes (row.h); blank ones are passed over.
 * All rows of a file have as many cells as its first one; without quotes those that are not needed may lack. */
#ifndef IO_IMPORT_TABLE_H
#define IO_IMPORT_TABLE_H
#include "io/import/document.h"

typedef struct TableSettings {
    TextList train, valid, test;
    const char *text_column, *label_column, *delimiter, *encoding;
    DocumentEmpty empty;
    bool header, quotes;
    double valid_share;
    int64_t seed;
} TableSettings;

/* Rows of section `source` that both have; FIELD wants the name of the struct. */
#define TABLE_FILES(pattern)                                                                                           \
    FIELD(TableSettings, train, .is_file = true, .help = "Files to train on; patterns such as " pattern "."),          \
        FIELD(TableSettings, valid, .preset = "[]", .is_file = true, .help = "Files to validate on."),                 \
        FIELD(TableSettings, test, .preset = "[]", .is_file = true, .help = "Files to test on.")
#define TABLE_COLUMNS                                                                                                  \
    FIELD(TableSettings, header, .preset = "true", .help = "The first line of each file names the columns."),          \
        FIELD(TableSettings, text_column, .preset = "text",                                                            \
              .help = "Column of the text: its name, or its number from 1."),                                          \
        FIELD(TableSettings, label_column, .preset = "label",                                                          \
              .help = "Column of the label: its name, or its number from 1.")
#define TABLE_SPLIT                                                                                                    \
    FIELD(TableSettings, encoding, .preset = "utf-8",                                                                  \
          .help = "Encoding of the files, by any name that ICU knows, such as windows-1252 or utf-16."),               \
        FIELD(TableSettings, valid_share, .preset = "0.1", .min = 0, .max = 0.9,                                       \
              .help = "Share of the training documents, chosen at random, to validate on when there are no files for " \
                      "that; a class that train has not yet keeps its document there."),                               \
        FIELD(TableSettings, seed, .preset = "1", .min = 0, .max = 1e15,                                               \
              .help = "Of the choice of documents to validate on."),                                                   \
        FIELD(TableSettings, empty, .preset = "error", .choice = document_empty,                                       \
              .help = "A document without words is a fault, or is left out and counted.")

/* The functions of an ImporterDef. */
NODISCARD Status table_open(void **state, Arena *run, const void *settings, const TextSettings *text,
                            const char *split);
NODISCARD Status table_next(void *state, Record *out, bool *end);
NODISCARD Status table_parse(void *state, const Record *r, Arena *scratch, Example *out);
void table_close(void *state);
int64_t table_skipped(const void *state);

#endif
