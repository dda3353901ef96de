/* row.h - one row of a table, cell by cell.
 *
 * With quotes a cell is as RFC 4180 has it: between quote marks it may hold the delimiter, line breaks, and quote marks
 * written twice; a quote mark inside an unquoted cell is a letter. Without, every quote mark is a letter. */
#ifndef IO_IMPORT_ROW_H
#define IO_IMPORT_ROW_H
#include "io/import/import.h"
#include "io/text/lines.h"

typedef struct Row {
    const Record *record; /* for messages */
    const char *at, *end; /* what is left of it */
    char delimiter;
    bool quotes, done;
} Row;

Row row_begin(const Record *r, char delimiter, bool quotes);
/* The next cell, its quotes taken off, in the row or in scratch; there is at least one until done. */
NODISCARD Status row_cell(Row *row, Arena *scratch, Word *out);
/* A line that ends inside quotes and the lines that belong to it, put together in joined. */
NODISCARD Status row_join(Lines *l, char delimiter, Buffer *joined, Record *r);
bool row_in_quotes(Word cell); /* as other programs would write it */

#endif
