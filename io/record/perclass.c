/* perclass.c - figures by class, and the confusion matrix. */
#include "io/record/perclass.h"

#include <jansson.h>
#include <string.h>

#include "io/file/file.h"
#include "io/page/page.h"

enum {
    MATRIX = 12 /* more classes are shown as the pairs that were confused most */,
    PAIRS = 10,
    LISTED = 50,
    CLASSES_MOST = 4096
};
static const char *const file_name = "classes.json";
static const size_t FILE_MOST = (size_t)64 << 20; /* bytes */

static double share(int64_t part, int64_t whole) { return whole > 0 ? (double)part / (double)whole : 0; }

static ClassFigures figures(int64_t right, int64_t truths, int64_t guessed)
{
    return (ClassFigures){share(right, guessed), share(right, truths), share(2 * right, truths + guessed)};
}

static int64_t count(const Classes *c, int64_t i, ClassCount k) { return c->count[i * CLASS_COUNTS + k]; }

ClassFigures perclass_figures(const Classes *c, int64_t i)
{
    return figures(count(c, i, CLASS_RIGHT), count(c, i, CLASS_TRUE), count(c, i, CLASS_GUESSED));
}

ClassFigures perclass_macro(const Classes *c)
{
    ClassFigures sum = {0};
    for (int64_t i = 0; i < c->n; i++) {
        const ClassFigures f = perclass_figures(c, i);
        sum.precision += f.precision / (double)c->n;
        sum.recall += f.recall / (double)c->n;
        sum.f1 += f.f1 / (double)c->n;
    }
    return sum;
}

ClassFigures perclass_micro(const Classes *c)
{
    int64_t all[CLASS_COUNTS] = {0};
    for (int64_t i = 0; i < c->n; i++)
        for (int k = 0; k < CLASS_COUNTS; k++) all[k] += count(c, i, (ClassCount)k);
    return figures(all[CLASS_RIGHT], all[CLASS_TRUE], all[CLASS_GUESSED]);
}

int perclass_confused(const Classes *c, int most, ClassPair *out)
{
    int n = 0;
    for (int64_t t = 0; t < c->n && c->confusion; t++)
        for (int64_t g = 0; g < c->n; g++) {
            const ClassPair p = {t, g, c->confusion[t * c->n + g]};
            if (t == g || p.n == 0 || (n == most && p.n <= out[n - 1].n)) continue;
            int at = n < most ? n++ : n - 1;
            for (; at > 0 && out[at - 1].n < p.n; at--) out[at] = out[at - 1];
            out[at] = p;
        }
    return n;
}

/* --- Text --- */

static Status text_row(Buffer *out, const char *name, ClassFigures f, int64_t examples)
{
    TRY(buffer_say(out, "  %-24.24s  %9.4f  %9.4f  %9.4f", name, f.precision, f.recall, f.f1));
    return examples < 0 ? buffer_text(out, "\n") : buffer_say(out, "  %8lld\n", (long long)examples);
}

static Status text_matrix(const Classes *c, Buffer *out)
{
    TRY(buffer_say(out, "confusion: rows are the truth, columns the guess\n  %-24s", ""));
    for (int64_t g = 0; g < c->n; g++) TRY(buffer_say(out, " %9.9s", c->name[g]));
    for (int64_t t = 0; t < c->n; t++) {
        TRY(buffer_say(out, "\n  %-24.24s", c->name[t]));
        for (int64_t g = 0; g < c->n; g++) TRY(buffer_say(out, " %9lld", (long long)c->confusion[t * c->n + g]));
    }
    return buffer_text(out, "\n");
}

static Status text_pairs(const Classes *c, Buffer *out)
{
    ClassPair pair[PAIRS];
    const int n = perclass_confused(c, PAIRS, pair);
    if (n > 0)
        TRY(buffer_say(out, "confused most\n  %-24s  %-24s  %8s  of those true\n", "truth", "guess", "examples"));
    for (int i = 0; i < n; i++)
        TRY(buffer_say(out, "  %-24.24s  %-24.24s  %8lld  %6.1f %%\n", c->name[pair[i].truth], c->name[pair[i].guess],
                       (long long)pair[i].n, 100 * share(pair[i].n, count(c, pair[i].truth, CLASS_TRUE))));
    return OK;
}

Status perclass_text(const Classes *c, Buffer *out)
{
    TRY(buffer_say(out, "%-26s  %9s  %9s  %9s  %8s\n", "class", "precision", "recall", "F1", "examples"));
    for (int64_t i = 0; i < c->n && i < LISTED; i++)
        TRY(text_row(out, c->name[i], perclass_figures(c, i), count(c, i, CLASS_TRUE)));
    if (c->n > LISTED) TRY(buffer_say(out, "  ... and %lld classes more\n", (long long)(c->n - LISTED)));
    TRY(text_row(out, "macro", perclass_macro(c), -1));
    TRY(text_row(out, "micro", perclass_micro(c), -1));
    if (!c->confusion) return OK;
    return c->n <= MATRIX ? text_matrix(c, out) : text_pairs(c, out);
}

/* --- JSON --- */

static void put_figures(Json *j, ClassFigures f)
{
    json_put_number(j, "precision", f.precision);
    json_put_number(j, "recall", f.recall);
    json_put_number(j, "f1", f.f1);
}

static void put_mean(Json *j, const char *key, ClassFigures f)
{
    json_key(j, key);
    json_open_object(j);
    put_figures(j, f);
    json_end(j);
}

void perclass_json(const Classes *c, Json *j)
{
    static const char *const key[CLASS_COUNTS] = {"right", "true", "guessed"};
    json_key(j, "classes");
    json_open_array(j);
    for (int64_t i = 0; i < c->n; i++) {
        json_open_object(j);
        json_put_text(j, "name", c->name[i]);
        for (int k = 0; k < CLASS_COUNTS; k++) json_put_int(j, key[k], count(c, i, (ClassCount)k));
        put_figures(j, perclass_figures(c, i));
        json_end(j);
    }
    json_end(j);
    put_mean(j, "macro", perclass_macro(c));
    put_mean(j, "micro", perclass_micro(c));
    if (!c->confusion) return;
    json_key(j, "confusion"); /* rows: the truth, in the order of the classes */
    json_open_array(j);
    for (int64_t t = 0; t < c->n; t++) {
        json_open_array(j);
        for (int64_t g = 0; g < c->n; g++) json_int(j, c->confusion[t * c->n + g]);
        json_end(j);
    }
    json_end(j);
}

Status perclass_write(const char *folder, int n, const Classes *c)
{
    Buffer text = {0}, path = {0};
    Json j = json_begin(&text);
    json_open_object(&j);
    for (int i = 0; i < n; i++) {
        json_key(&j, c[i].split);
        json_open_object(&j);
        perclass_json(&c[i], &j);
        json_end(&j);
    }
    json_end(&j);
    Status st = json_finish(&j);
    if (st == OK) st = buffer_text(&text, "\n");
    if (st == OK) st = buffer_format(&path, "%s/%s", folder, file_name);
    if (st == OK) st = file_write(path.data, text.data, text.size);
    buffer_close(&text);
    buffer_close(&path);
    return st;
}

/* --- Back from the file --- */

static int64_t whole(const json_t *value)
{
    const int64_t n = json_is_integer(value) ? json_integer_value(value) : 0;
    return n > 0 && n < INT64_MAX / 4096 ? n : 0;
}

static Status read_matrix(const json_t *rows, int64_t n, Arena *arena, const int64_t **out)
{
    int64_t *cell;
    if (!json_is_array(rows) || (int64_t)json_array_size(rows) != n || n > CLASSES_MOST) return OK;
    TRY_NEW(cell, arena, n * n);
    for (int64_t t = 0; t < n; t++)
        for (int64_t g = 0; g < n; g++)
            cell[t * n + g] = whole(json_array_get(json_array_get(rows, (size_t)t), (size_t)g));
    *out = cell;
    return OK;
}

static Status read_split(const json_t *from, Arena *arena, Classes *c)
{
    const json_t *list = json_object_get(from, "classes");
    const char **name;
    int64_t *counts;
    c->n = (int64_t)json_array_size(list);
    TRY_NEW(name, arena, c->n + 1);
    TRY_NEW(counts, arena, CLASS_COUNTS * c->n + 1);
    for (int64_t i = 0; i < c->n; i++) {
        const json_t *item = json_array_get(list, (size_t)i);
        const char *text = json_string_value(json_object_get(item, "name"));
        name[i] = arena_text(arena, text ? text : "?");
        if (!name[i]) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
        counts[CLASS_COUNTS * i + CLASS_RIGHT] = whole(json_object_get(item, "right"));
        counts[CLASS_COUNTS * i + CLASS_TRUE] = whole(json_object_get(item, "true"));
        counts[CLASS_COUNTS * i + CLASS_GUESSED] = whole(json_object_get(item, "guessed"));
    }
    c->name = name;
    c->count = counts;
    return read_matrix(json_object_get(from, "confusion"), c->n, arena, &c->confusion);
}

static Status read_splits(json_t *root, Arena *arena, int *n, Classes **out)
{
    TRY_NEW(*out, arena, (int64_t)json_object_size(root) + 1);
    for (void *at = json_object_iter(root); at; at = json_object_iter_next(root, at)) {
        Classes *c = &(*out)[*n];
        c->split = arena_text(arena, json_object_iter_key(at));
        if (!c->split) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
        TRY(read_split(json_object_iter_value(at), arena, c));
        *n += c->n > 0;
    }
    return OK;
}

Status perclass_read(const char *folder, Arena *arena, int *n, Classes **out)
{
    *n = 0;
    const char *path = arena_format(arena, "%s/%s", folder, file_name);
    REQUIRE(path, ERR_HOST, "%s", status_message());
    if (!file_exists(path)) return OK;
    Buffer text = {0};
    Status st = file_read(path, FILE_MOST, &text);
    json_t *root = st == OK ? json_loadb(text.data ? text.data : "", text.size, 0, NULL) : NULL;
    buffer_close(&text);
    if (st == OK && root) st = read_splits(root, arena, n, out);
    json_decref(root);
    return st;
}

/* --- Page --- */

static Status page_figures(Buffer *out, const char *name, ClassFigures f, int64_t examples)
{
    static const char *const head = "class|>precision|>recall|>F1|>examples";
    char cell[4][32] = {"", "", "", ""};
    page_number(cell[0], f.precision);
    page_number(cell[1], f.recall);
    page_number(cell[2], f.f1);
    if (examples >= 0) page_number(cell[3], (double)examples);
    return page_row(out, 5, (const char *const[]){name, cell[0], cell[1], cell[2], cell[3]}, head);
}

/* A cell is as dark as its share of the row. */
static Status page_matrix(const Classes *c, Buffer *out)
{
    TRY(buffer_text(out, "<h3>Confusion matrix</h3>\n<p class=\"note\">Rows are the truth, columns the guess.</p>\n"
                         "<div class=\"scroll\"><table class=\"matrix\">\n<tr><th></th>"));
    for (int64_t g = 0; g < c->n; g++) {
        TRY(buffer_text(out, "<th class=\"num\" dir=\"auto\">"));
        TRY(page_label(out, c->name[g], strlen(c->name[g]), 16));
        TRY(buffer_text(out, "</th>"));
    }
    for (int64_t t = 0; t < c->n; t++) {
        TRY(buffer_text(out, "</tr>\n<tr><th dir=\"auto\">"));
        TRY(page_label(out, c->name[t], strlen(c->name[t]), 24));
        TRY(buffer_text(out, "</th>"));
        for (int64_t g = 0; g < c->n; g++) {
            char text[32];
            page_number(text, (double)c->confusion[t * c->n + g]);
            TRY(buffer_format(out, "<td class=\"num%s\" style=\"--a:%.3f\">%s</td>", t == g ? "" : " off",
                              share(c->confusion[t * c->n + g], count(c, t, CLASS_TRUE)), text));
        }
    }
    return buffer_text(out, "</tr>\n</table></div>\n");
}

static Status page_pairs(const Classes *c, Buffer *out)
{
    static const char *const head = "truth|guess|>examples|>of those true";
    ClassPair pair[PAIRS];
    const int n = perclass_confused(c, PAIRS, pair);
    if (n == 0) return OK;
    TRY(buffer_text(out, "<h3>Confused most</h3>\n"));
    TRY(page_table(out, head));
    for (int i = 0; i < n; i++) {
        char examples[32], part[32];
        page_number(examples, (double)pair[i].n);
        const double of = share(pair[i].n, count(c, pair[i].truth, CLASS_TRUE));
        page_number(part, of);
        TRY(page_row(out, 4, (const char *const[]){c->name[pair[i].truth], c->name[pair[i].guess], examples, part},
                     head));
    }
    return page_table_end(out);
}

Status perclass_page(const Classes *c, Buffer *out)
{
    TRY(page_table(out, "class|>precision|>recall|>F1|>examples"));
    for (int64_t i = 0; i < c->n && i < LISTED; i++)
        TRY(page_figures(out, c->name[i], perclass_figures(c, i), count(c, i, CLASS_TRUE)));
    TRY(page_figures(out, "macro: mean of all classes", perclass_macro(c), -1));
    TRY(page_figures(out, "micro: all together", perclass_micro(c), -1));
    TRY(page_table_end(out));
    if (!c->confusion) return OK;
    return c->n <= MATRIX ? page_matrix(c, out) : page_pairs(c, out);
}
