/* tsv.c - labelled documents, one a line, in columns parted by a tab. There is no quoting: a quote mark is a letter. */
#include <inttypes.h>
#include <string.h>

#include "io/import/document.h"
#include "io/import/families.h"
#include "io/text/check.h"

typedef struct TsvSettings {
    TextList train, valid, test;
    const char *text_column, *label_column;
    DocumentEmpty empty;
    bool header;
    double valid_share;
    int64_t seed;
} TsvSettings;

static const Field fields[] = {
    FIELD(TsvSettings, train, .is_file = true, .help = "Files to train on; patterns such as data/*.tsv."),
    FIELD(TsvSettings, valid, .preset = "[]", .is_file = true, .help = "Files to validate on."),
    FIELD(TsvSettings, test, .preset = "[]", .is_file = true, .help = "Files to test on."),
    FIELD(TsvSettings, header, .preset = "true", .help = "The first line of each file names the columns."),
    FIELD(TsvSettings, text_column, .preset = "text", .help = "Column of the text: its name, or its number from 1."),
    FIELD(TsvSettings, label_column, .preset = "label", .help = "Column of the label: its name, or its number from 1."),
    FIELD(TsvSettings, valid_share, .preset = "0.1", .min = 0, .max = 0.9,
          .help =
              "Share of the training documents, chosen at random, to validate on when there are no files for that."),
    FIELD(TsvSettings, seed, .preset = "1", .min = 0, .max = 1e15,
          .help = "Of the choice of documents to validate on."),
    FIELD(TsvSettings, empty, .preset = "error", .choice = document_empty,
          .help = "A document without words is a fault, or is left out and counted."),
};

typedef struct Tsv {
    const TsvSettings *settings;
    DocumentLines lines;
    TextTool *tool;
    int text_column, label_column; /* from 0, in the open file */
    bool skip;
    int64_t skipped;
} Tsv;

static void tsv_close(void *state)
{
    Tsv *t = state;
    document_lines_close(&t->lines);
    text_close(t->tool);
}

static Status tsv_open(void **state, Arena *run, const void *settings, const TextSettings *text, const char *split)
{
    Tsv *t;
    TRY_NEW(t, run, 1);
    t->settings = settings;
    const TsvSettings *s = t->settings;
    t->skip = s->empty == DOCUMENT_SKIP;
    const DocumentSource from = {&s->train, &s->valid, &s->test, s->valid_share, s->seed};
    TRY(document_lines_open(&t->lines, run, &from, split));
    TRY(text_open(&t->tool, run, text));
    *state = t;
    return OK;
}

/* Column i of the line, from 0; false when there are fewer. */
static bool column(const Record *r, int i, Word *out)
{
    const char *at = r->text, *end = at + r->size;
    for (;; i--) {
        const char *tab = memchr(at, '\t', (size_t)(end - at));
        *out = (Word){at, (size_t)((tab ? tab : end) - at)};
        if (i == 0) return true;
        if (!tab) return false;
        at = tab + 1;
    }
}

static int columns(const Record *r)
{
    int n = 1;
    for (size_t i = 0; i < r->size; i++) n += r->text[i] == '\t';
    return n;
}

/* A number from 1 as an index from 0; -1: not a number. */
static int number_of(const char *text)
{
    int n = 0;
    for (const char *p = text; *p; p++) {
        if (*p < '0' || *p > '9' || n > 100000) return -1;
        n = n * 10 + (*p - '0');
    }
    return n - 1;
}

static Status find_column(const Tsv *t, const Record *r, const char *key, const char *name, int *out)
{
    *out = number_of(name);
    Word found;
    for (int i = 0; t->settings->header && *out < 0 && column(r, i, &found); i++)
        if (strlen(name) == found.size && memcmp(name, found.text, found.size) == 0) *out = i;
    REQUIRE(*out >= 0 || t->settings->header, ERR_CONFIG,
            "source.%s is \"%s\"; without a header the number of the column, from 1, was expected", key, name);
    REQUIRE(*out >= 0, ERR_DATA, "%s:%" PRId64 ": source.%s: there is no column \"%s\" in the header \"%.*s\"", r->file,
            r->line, key, name, (int)(r->size < 200 ? r->size : 200), r->text);
    REQUIRE(*out < columns(r), ERR_DATA, "%s:%" PRId64 ": source.%s is %d, but there are %d columns", r->file, r->line,
            key, *out + 1, columns(r));
    return OK;
}

static Status look_at_columns(Tsv *t, const Record *r)
{
    TRY(text_require(r->text, r->size, r->file, r->line));
    TRY(find_column(t, r, "text_column", t->settings->text_column, &t->text_column));
    return find_column(t, r, "label_column", t->settings->label_column, &t->label_column);
}

static Status text_of(const Tsv *t, const Record *r, Word *text)
{
    REQUIRE(column(r, t->text_column, text), ERR_DATA, "%s:%" PRId64 ": %d columns, but the text is in column %d",
            r->file, r->line, columns(r), t->text_column + 1);
    return text_require(r->text, r->size, r->file, r->line);
}

static Status tsv_next(void *state, Record *out, bool *end)
{
    Tsv *t = state;
    for (bool first;;) {
        TRY(document_lines_next(&t->lines, out, &first, end));
        if (*end) return OK;
        if (first) TRY(look_at_columns(t, out));
        if ((first && t->settings->header) || !document_belongs(&t->lines.split)) continue;
        if (!t->skip) return OK;
        Word text;
        TRY(text_of(t, out, &text));
        if (text_has_words(t->tool, text.text, text.size)) return OK;
        t->skipped++;
    }
}

static Status tsv_parse(void *state, const Record *r, Arena *scratch, Example *out)
{
    Tsv *t = state;
    Word text, label;
    TRY(text_of(t, r, &text));
    REQUIRE(column(r, t->label_column, &label), ERR_DATA, "%s:%" PRId64 ": %d columns, but the label is in column %d",
            r->file, r->line, columns(r), t->label_column + 1);
    TRY(document_label(label, r, &label));
    TextWords words;
    TRY(text_split(t->tool, text.text, text.size, scratch, &words));
    return document_put(&words, label, r, scratch, out);
}

static int64_t tsv_skipped(const void *state) { return ((const Tsv *)state)->skipped; }

const ImporterDef import_tsv = {
    .component = {.name = "tsv",
                  .help = "Labelled documents, one a line, in columns parted by a tab.",
                  ROWS(fields, TsvSettings)},
    .fields = document_fields,
    .n_fields = DOCUMENT_FIELDS,
    .open = tsv_open,
    .next = tsv_next,
    .parse = tsv_parse,
    .close = tsv_close,
    .skipped = tsv_skipped,
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
