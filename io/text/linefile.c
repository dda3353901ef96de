/* linefile.c - a text through the reader of io/text/lines.h. */
#include "io/text/linefile.h"

#include <inttypes.h>
#include <string.h>

#include "io/text/check.h"
#include "io/text/lines.h"

static const size_t WHOLE_MAX = (size_t)4 << 30; /* bytes in memory */

/* The lines one behind the other in text; end[i] is where line i ends. */
typedef struct Gathered {
    Buffer text, end;
} Gathered;

static Status gather(Gathered *g, const char *bytes, size_t size, const char *name)
{
    const int64_t number = (int64_t)(g->end.size / sizeof(size_t)) + 1;
    TRY(text_require(bytes, size, name, number));
    REQUIRE(g->text.size + size <= WHOLE_MAX, ERR_DATA, "%s:%" PRId64 ": more than %zu MiB of text", name, number,
            WHOLE_MAX >> 20);
    TRY(buffer_append(&g->text, bytes, size));
    return buffer_append(&g->end, &g->text.size, sizeof g->text.size);
}

static Status read_lines(Gathered *g, Lines *l, const char *path)
{
    const char *text;
    size_t size;
    bool end = false;
    TRY(lines_open(l, path));
    for (;;) {
        TRY(lines_next(l, &text, &size, &end));
        if (end) return OK;
        TRY(gather(g, text, size, l->path));
    }
}

static Status keep(LineFile *out, const Gathered *g, Arena *arena)
{
    out->n = (int64_t)(g->end.size / sizeof(size_t));
    char *text = arena_alloc(arena, g->text.size + 1);
    TRY(text ? OK : ERR_HOST);
    if (g->text.size > 0) memcpy(text, g->text.data, g->text.size);
    TRY_NEW(out->line, arena, out->n);
    size_t begin = 0;
    for (int64_t i = 0; i < out->n; i++) {
        size_t end;
        memcpy(&end, g->end.data + (size_t)i * sizeof end, sizeof end);
        out->line[i] = (Word){text + begin, end - begin};
        begin = end;
    }
    return OK;
}

Status linefile_read(LineFile *out, const char *path, Arena *arena)
{
    *out = (LineFile){0};
    Gathered g = {0};
    Lines lines = {0};
    Status st = read_lines(&g, &lines, path);
    out->name = lines.path;
    if (st == OK) st = keep(out, &g, arena);
    lines_free(&lines);
    buffer_close(&g.text);
    buffer_close(&g.end);
    return st;
}

int64_t linefile_words(Word line)
{
    int64_t n = 0;
    for (size_t i = 0; i < line.size; i++)
        n += strchr(" \t", line.text[i]) == NULL && (i == 0 || strchr(" \t", line.text[i - 1]));
    return n;
}

Status linefile_same(const LineFile *a, const LineFile *b)
{
    const LineFile *shorter = a->n < b->n ? a : b, *longer = a->n < b->n ? b : a;
    REQUIRE(a->n == b->n, ERR_DATA,
            "%s has %" PRId64 " lines, but %s has %" PRId64 ": line %" PRId64 " of it has no counterpart",
            shorter->name, shorter->n, longer->name, longer->n, shorter->n + 1);
    return OK;
}
