/* guess.c - cells of a file, and which columns are text and label. */
#include "io/import/guess_parts.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/import/json_text.h"
#include "io/import/row.h"
#include "io/text/check.h"
#include "io/text/lines.h"

enum { LABEL_BYTES = 64 }; /* no label is longer */

static bool same(Word w, const char *text) { return w.size == strlen(text) && memcmp(w.text, text, w.size) == 0; }

/* --- Cells --- */

Status guess_keep(Arena *arena, const char *text, size_t size, Word *out)
{
    char *copy = arena_alloc(arena, size + 1);
    if (!copy) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    memcpy(copy, text, size);
    copy[size] = '\0';
    *out = (Word){copy, size};
    return OK;
}

static Status add_cells(Guess *g, Arena *arena, Word *row, const Record *r)
{
    int n = 0;
    for (Row c = row_begin(r, g->delimiter, g->quotes); !c.done; n++) {
        Word cell;
        TRY(row_cell(&c, arena, &cell));
        if (n < GUESS_COLUMNS) TRY(guess_keep(arena, cell.text, cell.size, &row[n]));
    }
    if (n > GUESS_COLUMNS) n = GUESS_COLUMNS;
    if (n > g->n_columns) g->n_columns = n;
    return OK;
}

/* A value as text: what the importer takes as a text or a label, and nothing else. */
static Status put_value(Buffer *out, const json_t *v)
{
    if (json_is_string(v)) return buffer_append(out, json_string_value(v), json_string_length(v));
    if (json_is_integer(v)) return buffer_format(out, "%lld", (long long)json_integer_value(v));
    for (size_t i = 0; i < json_array_size(v); i++) {
        TRY(put_value(out, json_array_get(v, i)));
        TRY(buffer_text(out, json_is_array(json_array_get(v, i)) ? "\n\n" : " "));
    }
    return OK;
}

static Status add_members(Guess *g, Arena *arena, Word *row, json_t *object)
{
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        int i = 0;
        while (i < g->n_columns && strcmp(g->column[i].name, key) != 0) i++;
        if (i == GUESS_COLUMNS) continue;
        if (i == g->n_columns) {
            TRY(guess_keep(arena, key, strlen(key), &row[i])); /* the name; the cell takes its place at once */
            g->column[g->n_columns++].name = row[i].text;
        }
        Buffer text = {0};
        Status st = put_value(&text, value);
        if (st == OK) st = guess_keep(arena, text.data ? text.data : "", text.size, &row[i]);
        buffer_close(&text);
        TRY(st);
    }
    return OK;
}

static Status add_json(Guess *g, Arena *arena, Word *row, const Record *r)
{
    json_error_t e;
    json_t *object = json_text_try(r, &e);
    const Status st = json_is_object(object) ? add_members(g, arena, row, object) : OK;
    const bool good = json_is_object(object);
    json_decref(object);
    REQUIRE(good, ERR_DATA, "%s:%" PRId64 ": no JSON object, as in the lines before: %s", r->file, r->line,
            *e.text ? e.text : "something else");
    return st;
}

/* The next line that is not blank, with those that its quotes hold. */
static Status next_row(const Guess *g, Lines *l, Buffer *joined, Record *r, bool *end)
{
    *r = (Record){.file = l->path};
    do {
        TRY(lines_next(l, &r->text, &r->size, end));
        if (*end) return OK;
    } while (r->size == strspn(r->text, " \t"));
    r->line = l->number;
    if (!g->json && g->quotes) TRY(row_join(l, g->delimiter, joined, r));
    return text_require(r->text, r->size, r->file, r->line);
}

static Status read_rows(Guess *g, Arena *arena, Lines *l, Buffer *joined)
{
    Record r;
    size_t bytes = 0;
    for (bool end;;) {
        TRY(next_row(g, l, joined, &r, &end));
        g->whole = end;
        if (end || g->n == GUESS_RECORDS || bytes > GUESS_BYTES) return OK;
        Word *row = &g->cell[g->n * GUESS_COLUMNS];
        TRY(g->json ? add_json(g, arena, row, &r) : add_cells(g, arena, row, &r));
        g->n++;
        bytes += r.size;
    }
}

/* --- The form --- */

/* Columns of the first rows, when all have as many; *in_quotes: a cell stands in quotes as it is. 0: no such table. */
static Status try_table(Guess *g, Lines *l, Arena *arena, Buffer *joined, int *columns, bool *in_quotes)
{
    enum { LOOK = 100 };
    Record r;
    *columns = 0;
    for (int k = 0; k < LOOK; k++) {
        bool end;
        int n = 0;
        TRY(next_row(g, l, joined, &r, &end));
        if (end) return OK;
        for (Row c = row_begin(&r, g->delimiter, g->quotes); !c.done; n++) {
            Word cell;
            TRY(row_cell(&c, arena, &cell));
            *in_quotes |= row_in_quotes(cell);
        }
        if (k > 0 && n != *columns) n = 0;
        *columns = n;
        if (n < 2) return OK;
    }
    return OK;
}

/* What the first rows of the file are: JSON, or the first of these tables that they all fit in. */
static Status find_form(Guess *g, Lines *l, Arena *arena, Buffer *joined)
{
    static const struct {
        char delimiter;
        bool quotes;
    } forms[] = {{'\t', false}, {'\t', true}, {',', true}, {';', true}, {'|', true}};
    Record first;
    bool end, any = false;
    TRY(lines_open_regular(l, g->path));
    TRY(next_row(g, l, joined, &first, &end));
    g->json = !end && json_text_begins(first.text, first.size);
    lines_close(l);
    for (int i = 0; i < COUNT(forms) && !g->json && !any; i++) {
        int columns;
        bool in_quotes = false;
        g->delimiter = forms[i].delimiter;
        g->quotes = forms[i].quotes;
        TRY(lines_open_regular(l, g->path));
        any = try_table(g, l, arena, joined, &columns, &in_quotes) == OK && columns > 1;
        any = any && (g->quotes || !in_quotes);
        lines_close(l);
    }
    REQUIRE(g->json || any, ERR_DATA,
            "%s: neither JSON lines nor rows of as many cells, parted by tabs, commas, semicolons or bars", g->path);
    return OK;
}

/* --- Columns --- */

static Status look_at_column(const Guess *g, Arena *arena, int64_t from, int i, GuessColumn *out)
{
    const ArenaMark mark = arena_mark(arena);
    Word *w;
    TRY_NEW(w, arena, g->n);
    *out = (GuessColumn){.name = out->name};
    for (int64_t r = from; r < g->n; r++) {
        const Word c = g->cell[r * GUESS_COLUMNS + i];
        if (c.size == 0) continue;
        w[out->filled++] = c;
        out->bytes += (int64_t)c.size;
        if ((int64_t)c.size > out->longest) out->longest = (int64_t)c.size;
    }
    out->distinct = guess_distinct(out->filled, w);
    arena_release(arena, mark);
    return OK;
}

/* Few values, which are short and come again. */
static bool may_be_label(const GuessColumn *c, int64_t n)
{
    return c->filled == n && c->distinct >= 2 && c->longest <= LABEL_BYTES && 2 * c->distinct <= n;
}

static const char *name_of(const Guess *g, int i, char out[24])
{
    snprintf(out, 24, "%d", i + 1);
    return g->column[i].name ? g->column[i].name : out;
}

static Status cannot_tell(const Guess *g, const char *what, const char *option)
{
    Buffer seen = {0};
    char number[24];
    Status st = OK;
    for (int i = 0; i < g->n_columns && st == OK; i++)
        st = buffer_say(&seen, "%scolumn %s: %lld values, %lld different, %lld bytes on average", i ? "; " : "",
                        name_of(g, i, number), (long long)g->column[i].filled, (long long)g->column[i].distinct,
                        (long long)(g->column[i].filled ? g->column[i].bytes / g->column[i].filled : 0));
    if (st == OK)
        st = status_fail(
            ERR_DATA, __FILE__, __LINE__, __func__,
            "%s: which column is the %s cannot be told from %lld examples; give %s COLUMN, by name or number: %s",
            g->path, what, (long long)g->n, option, seen.data ? seen.data : "");
    buffer_close(&seen);
    return st;
}

static Status asked_column(const Guess *g, const char *option, const char *name, int *out)
{
    char *end;
    for (int i = 0; i < g->n_columns; i++)
        if (g->column[i].name && strcmp(g->column[i].name, name) == 0) {
            *out = i;
            return OK;
        }
    const long number = strtol(name, &end, 10);
    REQUIRE(*name && !*end && number >= 1 && number <= g->n_columns && !g->json, ERR_USAGE,
            "init: %s %s: %s has no such column", option, name, g->path);
    *out = (int)number - 1;
    return OK;
}

static bool is_called(const GuessColumn *c, const char *const *names)
{
    for (; c->name && *names; names++)
        if (strcmp(c->name, *names) == 0) return true;
    return false;
}

/* A column with a usual name wins; else it must be the only one. */
static Status find_label(Guess *g, int64_t n)
{
    static const char *const usual[] = {"label", "Label", "class", "category", "target", "sentiment", NULL};
    int found = 0;
    for (int i = 0; i < g->n_columns; i++) {
        if (i == g->text || !may_be_label(&g->column[i], n)) continue;
        if (is_called(&g->column[i], usual)) {
            g->label = i;
            return OK;
        }
        g->label = i;
        found++;
    }
    return found == 1 ? OK : cannot_tell(g, "label", "--label");
}

/* The longest column, if it is twice as long as the next. */
static Status find_text(Guess *g)
{
    static const char *const usual[] = {"text", "Text", NULL};
    int64_t best = 0, next = 0;
    for (int i = 0; i < g->n_columns; i++) {
        const GuessColumn *c = &g->column[i];
        if (i == g->label) continue;
        if (is_called(c, usual)) {
            g->text = i;
            return OK;
        }
        if (c->bytes > best) {
            next = best;
            best = c->bytes;
            g->text = i;
        } else if (c->bytes > next) {
            next = c->bytes;
        }
    }
    return best > 0 && best >= 2 * next ? OK : cannot_tell(g, "text", "--text");
}

/* The first line names columns when what it says of the label is said nowhere else. */
static Status find_header(Guess *g, Arena *arena, const char *text, const char *label)
{
    const Word *first = g->cell;
    for (int i = 0; i < g->n_columns; i++) TRY(look_at_column(g, arena, 1, i, &g->column[i]));
    bool named = false;
    for (int i = 0; i < g->n_columns; i++) {
        named |= (text && same(first[i], text)) || (label && same(first[i], label));
        if (!may_be_label(&g->column[i], g->n - 1) || first[i].size == 0) continue;
        bool again = false;
        for (int64_t r = 1; r < g->n && !again; r++)
            again = text_compare(g->cell[r * GUESS_COLUMNS + i], first[i]) == 0;
        named |= !again;
    }
    g->header = named;
    if (!named) {
        for (int i = 0; i < g->n_columns; i++) TRY(look_at_column(g, arena, 0, i, &g->column[i]));
        return OK;
    }
    for (int i = 0; i < g->n_columns; i++) g->column[i].name = first[i].text;
    g->cell += GUESS_COLUMNS;
    g->n--;
    return OK;
}

static Status count_labels(Guess *g, Arena *arena)
{
    Word *w;
    TRY_NEW(w, arena, g->n);
    for (int64_t r = 0; r < g->n; r++) {
        w[r] = g->cell[r * GUESS_COLUMNS + g->label];
        if (!w[r].text) w[r].text = "";
    }
    (void)guess_distinct(g->n, w); /* in order */
    g->least = g->n;
    for (int64_t from = 0, r = 1; r <= g->n; r++) {
        if (r < g->n && text_compare(w[r], w[from]) == 0) continue;
        const int64_t n = r - from;
        if (n < g->least) g->least = n;
        if (n > g->most) g->most = n;
        from = r;
    }
    return OK;
}

Status guess_documents(Guess *g, Arena *arena, const char *path, const char *text, const char *label)
{
    Lines l = {0};
    *g = (Guess){.path = path, .text = -1, .label = -1};
    TRY_NEW(g->cell, arena, (int64_t)GUESS_RECORDS * GUESS_COLUMNS);
    Buffer joined = {0};
    Status st = find_form(g, &l, arena, &joined);
    if (st == OK) st = lines_open_regular(&l, path);
    if (st == OK) st = read_rows(g, arena, &l, &joined);
    lines_free(&l);
    buffer_close(&joined);
    TRY(st);
    g->seen = g->whole ? "all of it" : "its beginning alone";
    REQUIRE(g->n >= 4, ERR_DATA, "%s: %lld lines are too few to tell what they are", path, (long long)g->n);
    if (g->json)
        for (int i = 0; i < g->n_columns; i++) TRY(look_at_column(g, arena, 0, i, &g->column[i]));
    else
        TRY(find_header(g, arena, text, label));
    if (text) TRY(asked_column(g, "--text", text, &g->text));
    if (label) TRY(asked_column(g, "--label", label, &g->label));
    if (!label) TRY(find_label(g, g->n));
    if (!text) TRY(find_text(g));
    REQUIRE(g->text != g->label, ERR_USAGE, "init: text and label are the same column");
    TRY(count_labels(g, arena));
    return guess_measure(g, arena);
}
