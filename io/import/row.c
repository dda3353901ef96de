/* row.c - the grammar of cells. */
#include "io/import/row.h"

#include <inttypes.h>
#include <string.h>

static const size_t ROW_MOST = (size_t)16 << 20; /* bytes */

Row row_begin(const Record *r, char delimiter, bool quotes)
{
    return (Row){r, r->text, r->text + r->size, delimiter, quotes, false};
}

bool row_in_quotes(Word cell) { return cell.size >= 2 && *cell.text == '"' && cell.text[cell.size - 1] == '"'; }

/* Where the cell that begins at row->at ends: at a delimiter or at the row's end. NULL: the row ends inside its quotes. */
static const char *cell_end(const Row *row, bool *quoted)
{
    const char *p = row->at;
    *quoted = row->quotes && p < row->end && *p == '"';
    if (*quoted) {
        for (p++; p < row->end; p++) {
            if (*p != '"') continue;
            if (p + 1 == row->end || p[1] != '"') break;
            p++;
        }
        if (p == row->end) return NULL;
        p++;
    }
    const char *stop = memchr(p, row->delimiter, (size_t)(row->end - p));
    return stop ? stop : row->end;
}

/* *good: nothing but blanks behind the quotes. */
static Status take_quotes_off(const char *at, const char *end, Arena *scratch, Word *out, bool *good)
{
    char *text;
    size_t n = 0;
    TRY_NEW(text, scratch, end - at);
    for (at++; at < end; at++) {
        if (*at == '"' && (at + 1 == end || at[1] != '"')) break;
        at += *at == '"';
        text[n++] = *at;
    }
    for (*good = true; ++at < end;) *good = *good && *at == ' ';
    *out = (Word){text, n};
    return OK;
}

Status row_cell(Row *row, Arena *scratch, Word *out)
{
    bool quoted, good = true;
    const Record *r = row->record;
    const char *end = cell_end(row, &quoted);
    REQUIRE(end, ERR_DATA, "%s:%" PRId64 ": the quotes that are opened in this row are never closed", r->file, r->line);
    *out = (Word){row->at, (size_t)(end - row->at)};
    if (quoted) TRY(take_quotes_off(row->at, end, scratch, out, &good));
    REQUIRE(good, ERR_DATA,
            "%s:%" PRId64 ": something stands behind the quotes of a cell; a quote mark within quotes is written twice",
            r->file, r->line);
    row->done = end == row->end;
    row->at = end + !row->done;
    return OK;
}

static bool ends_in_quotes(const Record *r, char delimiter)
{
    bool quoted;
    for (Row row = row_begin(r, delimiter, true);; row.at++) {
        row.at = cell_end(&row, &quoted);
        if (!row.at || row.at == row.end) return !row.at;
    }
}

Status row_join(Lines *l, char delimiter, Buffer *joined, Record *r)
{
    if (!memchr(r->text, '"', r->size) || !ends_in_quotes(r, delimiter)) return OK;
    joined->size = 0;
    TRY(buffer_append(joined, r->text, r->size));
    do {
        const char *line;
        size_t size;
        bool end;
        TRY(lines_next(l, &line, &size, &end));
        REQUIRE(!end, ERR_DATA, "%s:%" PRId64 ": the quotes that are opened in this row are never closed", r->file,
                r->line);
        REQUIRE(joined->size + size < ROW_MOST, ERR_DATA,
                "%s:%" PRId64 ": a row of more than %zu MiB: are the quotes that it opens closed?", r->file, r->line,
                ROW_MOST >> 20);
        TRY(buffer_append(joined, "\n", 1));
        TRY(buffer_append(joined, line, size));
        r->text = joined->data;
        r->size = joined->size;
    } while (ends_in_quotes(r, delimiter));
    return OK;
}
