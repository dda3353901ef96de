/* csv.c - the table of metrics. */
#include "io/record/csv.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "io/file/file.h"
#include "io/format/number.h"

static const char *const fixed[CSV_FIXED] = {"step", "epoch", "kind", "time"};

Status csv_cell(Buffer *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) return buffer_text(out, text);
    TRY(buffer_text(out, "\""));
    for (const char *p = text; *p; p++) TRY(buffer_append(out, *p == '"' ? "\"\"" : p, *p == '"' ? 2 : 1));
    return buffer_text(out, "\"");
}

static int find(const CsvFile *f, const char *name)
{
    for (int i = 0; i < f->n; i++)
        if (strcmp(f->column[i], name) == 0) return i;
    return -1;
}

static Status add(CsvFile *f, const char *name)
{
    if (find(f, name) >= 0) return OK;
    REQUIRE(f->n < CSV_COLUMNS_MAX, ERR_INTERNAL, "%s: more than %d columns", f->file.path, CSV_COLUMNS_MAX);
    f->column[f->n] = arena_text(f->arena, name);
    if (!f->column[f->n]) return ERR_HOST;
    f->n++;
    return OK;
}

/* Take one cell off the text; *more tells whether another one follows. */
static Status take_cell(const char **text, Buffer *cell, bool *more)
{
    const char *p = *text;
    cell->size = 0;
    TRY(buffer_text(cell, ""));
    const bool quoted = *p == '"';
    if (quoted) p++;
    for (; *p && (quoted || (*p != '\n' && *p != '\r')); p++) {
        if (quoted && *p == '"') {
            if (p[1] != '"') break;
            p++;
        } else if (!quoted && *p == ',')
            break;
        TRY(buffer_append(cell, p, 1));
    }
    if (quoted && *p == '"') p++;
    *more = *p == ',';
    *text = *more ? p + 1 : p;
    return OK;
}

static Status read_header(CsvFile *f, char *text, size_t size, size_t *length)
{
    const ssize_t got = pread(f->file.fd, text, size - 1, 0);
    REQUIRE(got >= 0, ERR_IO, "%s: %s", f->file.path, strerror(errno));
    text[got] = '\0';
    const char *end = text;
    for (bool quoted = false; *end && (quoted || *end != '\n'); end++)
        if (*end == '"') quoted = !quoted;
    REQUIRE(*end, ERR_DATA, "%s: the first line is no header of columns", f->file.path);
    *length = (size_t)(end - text) + 1;
    return OK;
}

static Status parse_header(CsvFile *f, const char *text, Buffer *cell)
{
    bool more = true;
    for (int i = 0; more; i++) {
        TRY(take_cell(&text, cell, &more));
        REQUIRE(i >= CSV_FIXED || strcmp(cell->data, fixed[i]) == 0, ERR_DATA,
                "%s: column %d of the header is \"%s\", expected \"%s\"", f->file.path, i + 1, cell->data, fixed[i]);
        TRY(add(f, cell->data));
    }
    return OK;
}

static Status write_header(CsvFile *f, AppendFile *file)
{
    f->row.size = 0;
    for (int i = 0; i < f->n; i++) {
        if (i > 0) TRY(buffer_text(&f->row, ","));
        TRY(csv_cell(&f->row, f->column[i]));
    }
    TRY(buffer_text(&f->row, "\n"));
    return append_write(file, f->row.data, f->row.size);
}

/* Rows from byte `from`, each with `extra` empty cells more. */
static Status copy_rows(CsvFile *f, AppendFile *to, int64_t from, int extra)
{
    char block[16384];
    bool quoted = false;
    for (int64_t at = from; at < f->file.size;) {
        const ssize_t n = pread(f->file.fd, block, sizeof block, (off_t)at);
        REQUIRE(n > 0, ERR_IO, "%s: %s", f->file.path, n < 0 ? strerror(errno) : "the file shrank while it was read");
        f->row.size = 0;
        for (ssize_t i = 0; i < n; i++) {
            if (block[i] == '"') quoted = !quoted;
            for (int k = 0; block[i] == '\n' && !quoted && k < extra; k++) TRY(buffer_text(&f->row, ","));
            TRY(buffer_append(&f->row, &block[i], 1));
        }
        TRY(append_write(to, f->row.data, f->row.size));
        at += n;
    }
    return OK;
}

static Status fill_wider(CsvFile *f, AppendFile *to, int64_t from, int extra)
{
    TRY(append_cut(to, 0)); /* an earlier attempt may have left something */
    TRY(write_header(f, to));
    TRY(copy_rows(f, to, from, extra));
    return append_sync(to);
}

/* The file has fewer columns than the run: write it anew beside itself, then take its place. */
static Status widen(CsvFile *f, int64_t from, int extra)
{
    const char *part = arena_format(f->arena, "%s.part", f->file.path);
    if (!part) return ERR_HOST;
    AppendFile *to;
    TRY_NEW(to, f->arena, 1);
    TRY(append_open(to, part, NULL, NULL));
    Status st = fill_wider(f, to, from, extra);
    if (st == OK) st = file_rename(part, f->file.path);
    if (st != OK) close(to->fd);
    TRY(st);
    close(f->file.fd);
    f->file.fd = to->fd;
    f->file.size = to->size;
    return OK;
}

static Status settle_columns(CsvFile *f, int n, const char *const *name)
{
    char text[65536];
    size_t header = 0;
    Buffer cell = {0};
    if (f->file.size > 0) {
        TRY(read_header(f, text, sizeof text, &header));
        const Status st = parse_header(f, text, &cell);
        buffer_close(&cell);
        TRY(st);
    }
    const int before = f->n;
    for (int i = 0; i < CSV_FIXED; i++) TRY(add(f, fixed[i]));
    for (int i = 0; i < n; i++) TRY(add(f, name[i]));
    if (f->file.size == 0) return write_header(f, &f->file);
    return f->n > before ? widen(f, (int64_t)header, f->n - before) : OK;
}

Status csv_open(CsvFile *f, Arena *arena, const char *path, int n, const char *const *name, int64_t last)
{
    LineRule rule = {.prefix = "", .last = last, .drop = ",final_", .quotes = true};
    f->arena = arena;
    f->n = 0;
    TRY_NEW(f->column, arena, CSV_COLUMNS_MAX);
    TRY(append_open(&f->file, path, append_scan_lines, &rule));
    const Status st = settle_columns(f, n, name);
    if (st == OK) return OK;
    close(f->file.fd);
    f->file.fd = -1;
    buffer_close(&f->row);
    return status_trace(st, __FILE__, __LINE__, __func__);
}

Status csv_add(CsvFile *f, int n, const char *const *name)
{
    char text[65536];
    size_t header = 0;
    const int before = f->n;
    for (int i = 0; i < n; i++) TRY(add(f, name[i]));
    if (f->n == before) return OK;
    TRY(read_header(f, text, sizeof text, &header));
    return widen(f, (int64_t)header, f->n - before);
}

Status csv_write(CsvFile *f, int64_t step, double epoch, const char *kind, double time, int n, const char *const *name,
                 const double *value)
{
    char text[NUMBER_SIZE];
    f->row.size = 0;
    TRY(buffer_format(&f->row, "%lld,%s,", (long long)step, number_double(text, epoch)));
    TRY(csv_cell(&f->row, kind));
    TRY(buffer_format(&f->row, ",%.3f", time));
    for (int c = CSV_FIXED; c < f->n; c++) {
        TRY(buffer_text(&f->row, ","));
        for (int i = 0; i < n; i++) {
            if (strcmp(name[i], f->column[c]) != 0) continue;
            TRY(buffer_text(&f->row, number_double(text, value[i])));
            break;
        }
    }
    TRY(buffer_text(&f->row, "\n"));
    return append_write(&f->file, f->row.data, f->row.size);
}

Status csv_close(CsvFile *f)
{
    buffer_close(&f->row);
    return append_close(&f->file);
}
