/* page.c - HTML, escaped. */
#include "io/page/page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "comm/utf8.h"
#include "io/page/page_style.h"
#include "io/page/script.h"

/* What stands for a character; NULL: itself. Controls and non-characters are not allowed in XML, which pictures are. */
static const char *escape_of(uint32_t c)
{
    switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    case '\n':
    case '\t': return NULL;
    default: break;
    }
    if (c < 0x20 || c == 0x7f) return "";
    return (c >= 0x80 && c < 0xa0) || (c & 0xfffe) == 0xfffe ? "\xef\xbf\xbd" : NULL;
}

Status page_text_n(Buffer *out, const char *text, size_t size)
{
    for (size_t i = 0; i < size;) {
        const size_t n = utf8_length(text + i, size - i);
        const char *escape = n == 0 ? "\xef\xbf\xbd" : escape_of(utf8_point(text + i, n));
        TRY(escape ? buffer_text(out, escape) : buffer_append(out, text + i, n));
        i += n ? n : 1;
    }
    return OK;
}

Status page_label(Buffer *out, const char *text, size_t size, int64_t columns)
{
    const bool whole = script_columns(text, size) <= columns;
    TRY(page_text_n(out, text, whole ? size : script_cut(text, size, columns - 1)));
    return whole ? OK : buffer_text(out, "\xe2\x80\xa6");
}

Status page_text(Buffer *out, const char *text) { return page_text_n(out, text, strlen(text)); }

Status page_begin(Buffer *out, const char *title)
{
    TRY(buffer_text(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                         "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>"));
    TRY(page_text(out, title));
    TRY(buffer_text(out, "</title>\n<style>\n"));
    TRY(buffer_text(out, page_style));
    return buffer_text(out, "</style>\n</head>\n<body>\n<main>\n");
}

Status page_end(Buffer *out) { return buffer_text(out, "</main>\n</body>\n</html>\n"); }

Status page_section(Buffer *out, const char *title, const char *note)
{
    TRY(buffer_text(out, "<section>\n<h2>"));
    TRY(page_text(out, title));
    TRY(buffer_text(out, "</h2>\n"));
    if (!note) return OK;
    TRY(buffer_text(out, "<p class=\"note\">"));
    TRY(page_text(out, note));
    return buffer_text(out, "</p>\n");
}

Status page_fold(Buffer *out, const char *title)
{
    TRY(buffer_text(out, "<details>\n<summary>"));
    TRY(page_text(out, title));
    return buffer_text(out, "</summary>\n");
}

Status page_fold_end(Buffer *out) { return buffer_text(out, "</details>\n"); }

Status page_section_end(Buffer *out) { return buffer_text(out, "</section>\n"); }

/* The i-th cell of a head, and whether it holds numbers. */
static const char *head_cell(const char *head, int i, size_t *size, bool *number)
{
    while (i-- > 0 && head) {
        head = strchr(head, '|');
        if (head) head++;
    }
    *number = head && *head == '>';
    if (*number) head++;
    const char *end = head ? strchr(head, '|') : NULL;
    *size = !head ? 0 : end ? (size_t)(end - head) : strlen(head);
    return head;
}

Status page_table(Buffer *out, const char *head)
{
    TRY(buffer_text(out, "<div class=\"scroll\"><table>\n<tr>"));
    for (int i = 0;; i++) {
        size_t size;
        bool number;
        const char *name = head_cell(head, i, &size, &number);
        if (!name) break;
        TRY(buffer_text(out, number ? "<th class=\"num\">" : "<th>"));
        TRY(page_text_n(out, name, size));
        TRY(buffer_text(out, "</th>"));
    }
    return buffer_text(out, "</tr>\n");
}

Status page_row(Buffer *out, int n, const char *const *cell, const char *head)
{
    TRY(buffer_text(out, "<tr>"));
    for (int i = 0; i < n; i++) {
        size_t size;
        bool number;
        (void)head_cell(head, i, &size, &number);
        TRY(buffer_text(out, number ? "<td class=\"num\">" : "<td dir=\"auto\">"));
        if (cell[i]) TRY(page_text(out, cell[i]));
        TRY(buffer_text(out, "</td>"));
    }
    return buffer_text(out, "</tr>\n");
}

Status page_table_end(Buffer *out) { return buffer_text(out, "</table></div>\n"); }

static void group(char text[32])
{
    const char *start = text + (text[0] == '-');
    const size_t digits = strspn(start, "0123456789");
    if (start[digits] != '\0' || digits < 4 || digits > 18) return;
    char grouped[32];
    size_t to = 0;
    for (size_t i = 0; i < digits; i++) {
        if (i > 0 && (digits - i) % 3 == 0) grouped[to++] = ',';
        grouped[to++] = start[i];
    }
    grouped[to] = '\0';
    memmove(text + (text[0] == '-'), grouped, to + 1);
}

void page_number(char text[32], double v)
{
    if (!isfinite(v)) {
        snprintf(text, 32, "%s", isnan(v) ? "nan" : v > 0 ? "inf" : "-inf");
    } else if (v == floor(v) && fabs(v) < 1e15) {
        snprintf(text, 32, "%.0f", v);
        group(text);
    } else if (fabs(v) >= 1e-3 && fabs(v) < 1e6)
        snprintf(text, 32, "%.4g", v);
    else
        snprintf(text, 32, "%.2e", v);
}

void page_bytes(char text[32], int64_t bytes)
{
    static const char *const unit[] = {"B", "kB", "MB", "GB", "TB"};
    double v = (double)bytes;
    int u = 0;
    while (v >= 999.5 && u < 4) {
        v /= 1000;
        u++;
    }
    snprintf(text, 32, u == 0 || v >= 99.5 ? "%.0f %s" : "%.1f %s", v, unit[u]);
}
