/* table.c - rows are put together of lines, and taken apart into cells twice: for the split, and for the example. */
#include "io/import/table.h"

#include <inttypes.h>
#include <string.h>

#include "comm/log.h"
#include "io/config/config.h"
#include "io/import/row.h"
#include "io/text/check.h"

enum { COLUMNS_MOST = 100000 };

typedef struct Table {
    const TableSettings *settings;
    char delimiter;
    DocumentLines lines;
    TextTool *tool;
    Buffer row;                             /* of more than one line */
    Arena look;                             /* cells of the row that is looked at */
    int columns, text_column, label_column; /* of the open file, the two from 0 */
    int64_t first_line;                     /* of the open file that is not blank */
    bool skip, warned;
    int64_t skipped;
} Table;

void table_close(void *state)
{
    Table *t = state;
    document_lines_close(&t->lines);
    text_close(t->tool);
    buffer_close(&t->row);
    arena_close(&t->look);
}

static Status find_delimiter(const TableSettings *s, char *out)
{
    const char *d = s->delimiter;
    const bool tab = strcmp(d, "tab") == 0 || strcmp(d, "\\t") == 0;
    REQUIRE(tab || (strlen(d) == 1 && !strchr("\"\r\n", *d) && (unsigned char)*d < 0x80), ERR_CONFIG,
            "source.delimiter: \"%s\" is no delimiter; one character such as , or ; or tab was expected", d);
    *out = *d;
    if (tab) *out = '\t';
    return OK;
}

Status table_open(void **state, Arena *run, const void *settings, const TextSettings *text, const char *split)
{
    Table *t;
    TRY_NEW(t, run, 1);
    const TableSettings *s = t->settings = settings;
    t->skip = s->empty == DOCUMENT_SKIP;
    TRY(find_delimiter(s, &t->delimiter));
    const DocumentSource from = {&s->train, &s->valid, &s->test, s->valid_share, s->seed};
    TRY(document_lines_open(&t->lines, run, &from, split));
    t->lines.lines.encoding = s->encoding;
    TRY(text_open(&t->tool, run, text));
    *state = t;
    return OK;
}

/* --- Cells --- */

static Row row_of(const Table *t, const Record *r) { return row_begin(r, t->delimiter, t->settings->quotes); }

/* Both cells of the row; *n: how many it has. */
static Status find_cells(const Table *t, const Record *r, Arena *scratch, Word *text, Word *label, int *n)
{
    *text = *label = (Word){0};
    *n = 0;
    for (Row c = row_of(t, r); !c.done; (*n)++) {
        Word cell;
        TRY(row_cell(&c, scratch, &cell));
        if (*n == t->text_column) *text = cell;
        if (*n == t->label_column) *label = cell;
    }
    return OK;
}

static Status check_cells(const Table *t, const Record *r, int n)
{
    REQUIRE(n > t->text_column, ERR_DATA, "%s:%" PRId64 ": %d columns, but the text is in column %d", r->file, r->line,
            n, t->text_column + 1);
    REQUIRE(n > t->label_column, ERR_DATA, "%s:%" PRId64 ": %d columns, but the label is in column %d", r->file,
            r->line, n, t->label_column + 1);
    REQUIRE(n <= t->columns && (n == t->columns || !t->settings->quotes), ERR_DATA,
            "%s:%" PRId64 ": %d columns, but line %" PRId64 " has %d", r->file, r->line, n, t->first_line, t->columns);
    return OK;
}

/* --- The header --- */

/* A number from 1 as an index from 0; -1: not a number. */
static int number_of(const char *text)
{
    int n = 0;
    for (const char *p = text; *p; p++) {
        if (*p < '0' || *p > '9' || n > COLUMNS_MOST) return -1;
        n = n * 10 + (*p - '0');
    }
    return n - 1;
}

static Status no_column(Table *t, const Record *r, const char *key, const char *name)
{
    const char *near[64];
    int n = 0;
    Word cell;
    for (Row c = row_of(t, r); !c.done && n < COUNT(near);) {
        TRY(row_cell(&c, &t->look, &cell));
        char *copy = arena_alloc(&t->look, cell.size + 1);
        TRY(copy ? OK : ERR_HOST);
        memcpy(copy, cell.text, cell.size);
        copy[cell.size] = '\0';
        near[n++] = copy;
    }
    const char *best = config_nearest(name, near, n);
    FAIL(ERR_DATA, "%s:%" PRId64 ": source.%s: there is no column \"%s\" in the header \"%.*s\"%s%s%s", r->file,
         r->line, key, name, (int)(r->size < 200 ? r->size : 200), r->text, best ? "; did you mean " : "",
         best ? best : "", best ? "?" : "");
}

static Status find_column(Table *t, const Record *r, const char *key, const char *name, int *out)
{
    Word cell;
    *out = number_of(name);
    t->columns = 0;
    for (Row c = row_of(t, r); !c.done; t->columns++) {
        TRY(row_cell(&c, &t->look, &cell));
        while (cell.size > 0 && *cell.text == ' ') cell.text++, cell.size--;
        while (cell.size > 0 && cell.text[cell.size - 1] == ' ') cell.size--;
        const bool same = strlen(name) == cell.size && memcmp(name, cell.text, cell.size) == 0;
        if (t->settings->header && *out < 0 && same) *out = t->columns;
    }
    REQUIRE(*out >= 0 || t->settings->header, ERR_CONFIG,
            "source.%s is \"%s\"; without a header the number of the column, from 1, was expected", key, name);
    if (*out < 0) return no_column(t, r, key, name);
    REQUIRE(*out < t->columns, ERR_DATA, "%s:%" PRId64 ": source.%s is %d, but there are %d columns", r->file, r->line,
            key, *out + 1, t->columns);
    return OK;
}

static Status look_at_columns(Table *t, const Record *r)
{
    TRY(text_require(r->text, r->size, r->file, r->line));
    t->first_line = r->line;
    TRY(find_column(t, r, "text_column", t->settings->text_column, &t->text_column));
    return find_column(t, r, "label_column", t->settings->label_column, &t->label_column);
}

/* --- Rows --- */

/* What other programs would take for marks. */
static void warn_of_quotes(Table *t, const Record *r, Word text, Word label)
{
    if (t->settings->quotes || t->warned || (!row_in_quotes(text) && !row_in_quotes(label))) return;
    t->warned = true;
    log_warn("%s:%" PRId64 ": a cell stands in quotes, which are kept as letters; source.quotes: true takes them off",
             r->file, r->line);
}

/* Whether the row is one of the split with words. */
static Status is_wanted(Table *t, const Record *r, bool *wanted)
{
    Word text, label;
    int n;
    TRY(text_require(r->text, r->size, r->file, r->line));
    TRY(find_cells(t, r, &t->look, &text, &label, &n));
    TRY(check_cells(t, r, n));
    warn_of_quotes(t, r, text, label);
    TRY(document_belongs(&t->lines.split, document_trim(label), wanted));
    if (!*wanted || !t->skip || text_has_words(t->tool, text.text, text.size)) return OK;
    *wanted = false;
    t->skipped++;
    return OK;
}

Status table_next(void *state, Record *out, bool *end)
{
    Table *t = state;
    for (bool first, wanted;;) {
        TRY(document_lines_next(&t->lines, out, &first, end));
        if (*end) return OK;
        arena_release(&t->look, (ArenaMark){0});
        if (t->settings->quotes) TRY(row_join(&t->lines.lines, t->delimiter, &t->row, out));
        if (first) TRY(look_at_columns(t, out));
        if (first && t->settings->header) continue;
        TRY(is_wanted(t, out, &wanted));
        if (wanted) return OK;
    }
}

Status table_parse(void *state, const Record *r, Arena *scratch, Example *out)
{
    Table *t = state;
    Word text, label;
    int n;
    TRY(find_cells(t, r, scratch, &text, &label, &n));
    TRY(check_cells(t, r, n));
    TRY(document_label(label, r, &label));
    TextWords words;
    TRY(text_split(t->tool, text.text, text.size, scratch, &words));
    return document_put(&words, label, r, scratch, out);
}

int64_t table_skipped(const void *state) { return ((const Table *)state)->skipped; }
