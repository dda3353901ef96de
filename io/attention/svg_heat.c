/* svg_heat.c - cells, marks, words on two axes, bars. */
#include "io/attention/svg_heat.h"

#include <math.h>
#include <stdio.h>

#include "io/attention/draw.h"
#include "io/page/page.h"
#include "io/page/script.h"
#include "io/text/joiner.h"

enum { CUT = 18 /* columns of a label */, GAP = 7 /* between labels and cells */, BAR = 40, MARGIN = 2 };

static const double SLANT = 55; /* degrees */
static const double FAINT = 0.0005;

typedef struct Plan {
    const SvgHeat *h;
    double cell, font;
    double left, top, width, height; /* room for labels; of the whole */
    bool vertical;                   /* labels of the columns are vertical lines */
    bool mirrored;                   /* columns run from the right */
} Plan;

static double label_width(const Plan *p, const AttentionWords *w, int64_t i)
{
    size_t n;
    const char *word = words_at(w, i, &n);
    const int64_t columns = script_columns(word, n);
    return 0.58 * p->font * (double)(columns < CUT ? columns : CUT);
}

static double longest(const Plan *p, const AttentionWords *w)
{
    double most = 0;
    for (int64_t i = 0; i < w->n; i++) most = fmax(most, label_width(p, w, i));
    return most;
}

/* Does at least half of the words answer to that? */
static bool mostly(const AttentionWords *w, bool (*is)(const char *word, size_t n))
{
    int64_t count = 0;
    for (int64_t i = 0; i < w->n; i++) {
        size_t n;
        const char *word = words_at(w, i, &n);
        count += is(word, n);
    }
    return w->n > 0 && 2 * count >= w->n;
}

static double column_x(const Plan *p, int64_t i)
{
    return p->left + p->cell * (double)(p->mirrored ? p->h->columns->n - 1 - i : i);
}

static double row_y(const Plan *p, int64_t j) { return p->top + p->cell * (double)j; }

static double bars_x(const Plan *p, int k)
{
    return p->left + p->cell * (double)p->h->columns->n + GAP + (BAR + GAP) * (double)k;
}

static Plan plan(const SvgHeat *h)
{
    Plan p = {.h = h};
    const int64_t most = h->columns->n > h->rows->n ? h->columns->n : h->rows->n;
    p.cell = most <= 24 ? 22 : most <= 40 ? 18 : most <= 70 ? 14 : 10;
    p.font = fmin(12, 0.86 * p.cell);
    p.vertical = mostly(h->columns, script_is_vertical);
    p.mirrored = mostly(h->columns, script_is_right_to_left);
    const double turned = SLANT * acos(-1.0) / 180;
    p.left = longest(&p, h->rows) + GAP + MARGIN;
    p.top = p.vertical ? longest(&p, h->columns) : longest(&p, h->columns) * sin(turned) + p.font;
    p.width = bars_x(&p, h->n_bars) + MARGIN;
    if (h->n_bars > 0) p.top = fmax(p.top, 9 * 0.58 * p.font * sin(turned) + p.font);
    p.top += GAP + MARGIN;
    for (int64_t i = 0; i < h->columns->n && !p.vertical; i++)
        p.width = fmax(p.width, column_x(&p, i) + p.cell + label_width(&p, h->columns, i) * cos(turned));
    if (h->n_bars > 0) p.width = fmax(p.width, bars_x(&p, h->n_bars - 1) + 9 * 0.58 * p.font * cos(turned) + p.font);
    p.height = row_y(&p, h->rows->n) + MARGIN;
    return p;
}

/* The mark of a side without space is left out of the picture; it is in the title. */
static Status put_label(Buffer *out, const char *text, size_t n)
{
    Word bare;
    (void)joiner_take((Word){text, n}, &bare);
    return page_label(out, bare.text, bare.size, CUT);
}

/* <text ...>word</text> with all of the word, and its number, as title. Text that runs from the right begins at its
 * right end: what is an end for others is its start. */
static Status put_word(Buffer *out, const AttentionWords *w, int64_t i, double x, double y, const char *turn, bool end)
{
    size_t n;
    const char *word = words_at(w, i, &n);
    const bool rtl = script_is_right_to_left(word, n);
    TRY(buffer_format(out, "<text x=\"%.1f\" y=\"%.1f\"%s%s%s><title>%lld: ", x, y, turn,
                      end != rtl ? " text-anchor=\"end\"" : "", rtl ? " direction=\"rtl\" unicode-bidi=\"embed\"" : "",
                      (long long)i + 1));
    TRY(page_text_n(out, word, n));
    TRY(buffer_text(out, "</title>"));
    TRY(put_label(out, word, n));
    return buffer_text(out, "</text>\n");
}

static Status put_columns(Buffer *out, const Plan *p)
{
    char turn[96];
    const AttentionWords *w = p->h->columns;
    for (int64_t i = 0; i < w->n; i++) {
        const double x = column_x(p, i) + p->cell / 2, y = p->top - GAP;
        if (p->vertical)
            snprintf(turn, sizeof turn, " class=\"vertical\"");
        else
            snprintf(turn, sizeof turn, " transform=\"rotate(-%.0f %.1f %.1f)\"", SLANT, x + p->font / 3, y);
        TRY(put_word(out, w, i, p->vertical ? x : x + p->font / 3, y, turn, p->vertical));
    }
    return OK;
}

static Status put_rows(Buffer *out, const Plan *p)
{
    for (int64_t j = 0; j < p->h->rows->n; j++)
        TRY(put_word(out, p->h->rows, j, p->left - GAP, row_y(p, j) + p->cell / 2 + 0.35 * p->font, "", true));
    return OK;
}

static Status put_cell(Buffer *out, const Plan *p, int64_t j, int64_t i)
{
    size_t n;
    const double v = p->h->value[j * p->h->columns->n + i];
    if (fabs(v) < FAINT * p->h->scale[j]) return OK;
    TRY(buffer_format(out, "<rect%s x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\" fill-opacity=\"%.3f\"><title>",
                      v < 0 ? " class=\"minus\"" : "", column_x(p, i), row_y(p, j), p->cell, p->cell,
                      fmin(1, fabs(v) / p->h->scale[j])));
    const char *word = words_at(p->h->rows, j, &n);
    TRY(page_text_n(out, word, n));
    TRY(buffer_text(out, " \xc2\xb7 "));
    word = words_at(p->h->columns, i, &n);
    TRY(page_text_n(out, word, n));
    return buffer_format(out, "  %.4g</title></rect>\n", v);
}

static Status put_lines(Buffer *out, const Plan *p)
{
    const double right = p->left + p->cell * (double)p->h->columns->n, below = row_y(p, p->h->rows->n);
    TRY(buffer_text(out, "<path class=\"lines\" d=\""));
    for (int64_t j = 0; j <= p->h->rows->n; j++)
        TRY(buffer_format(out, "M%.0f %.0fH%.0f", p->left, row_y(p, j), right));
    for (int64_t i = 0; i <= p->h->columns->n; i++)
        TRY(buffer_format(out, "M%.0f %.0fV%.0f", p->left + p->cell * (double)i, p->top, below));
    return buffer_text(out, "\"/>\n");
}

static Status put_cells(Buffer *out, const Plan *p)
{
    const int64_t rows = p->h->rows->n, columns = p->h->columns->n;
    TRY(buffer_format(out, "<rect class=\"field\" x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\"/>\n", p->left,
                      p->top, p->cell * (double)columns, p->cell * (double)rows));
    TRY(buffer_text(out, "<g class=\"cells\">\n"));
    for (int64_t j = 0; j < rows; j++)
        for (int64_t i = 0; i < columns; i++) TRY(put_cell(out, p, j, i));
    TRY(buffer_text(out, "</g>\n"));
    return put_lines(out, p);
}

/* Links that people are sure of are full squares, possible ones empty squares; those of the model are rings. Each has
 * a halo, so that it is seen on any shade. */
static Status put_square(Buffer *out, const char *class, double x, double y, double half)
{
    return buffer_format(out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>", class,
                         x - half, y - half, 2 * half, 2 * half);
}

static Status put_ring(Buffer *out, const char *class, double x, double y, double radius)
{
    return buffer_format(out, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>", class, x, y, radius);
}

static Status put_mark(Buffer *out, const Plan *p, int64_t j, int64_t i, unsigned mark)
{
    const double x = column_x(p, i) + p->cell / 2, y = row_y(p, j) + p->cell / 2;
    if (mark & (SVG_SURE | SVG_POSSIBLE)) {
        TRY(put_square(out, "halo", x, y, 0.15 * p->cell));
        TRY(put_square(out, mark & SVG_SURE ? "sure" : "possible", x, y, 0.15 * p->cell));
    }
    if (mark & SVG_LINK) {
        TRY(put_ring(out, "halo", x, y, 0.36 * p->cell));
        TRY(put_ring(out, "link", x, y, 0.36 * p->cell));
    }
    return mark ? buffer_text(out, "\n") : OK;
}

static Status put_marks(Buffer *out, const Plan *p)
{
    const int64_t rows = p->h->rows->n, columns = p->h->columns->n;
    if (!p->h->mark) return OK;
    TRY(buffer_text(out, "<g class=\"marks\">\n"));
    for (int64_t j = 0; j < rows; j++)
        for (int64_t i = 0; i < columns; i++) TRY(put_mark(out, p, j, i, p->h->mark[j * columns + i]));
    return buffer_text(out, "</g>\n");
}

static Status put_bars(Buffer *out, const Plan *p, int k)
{
    const SvgBar *b = &p->h->bar[k];
    const double x = bars_x(p, k), thick = fmax(3, 0.3 * p->cell);
    TRY(buffer_format(
        out, "<g class=\"bars%s\"><text x=\"%.1f\" y=\"%.1f\" transform=\"rotate(-%.0f %.1f %.1f)\">%s</text>",
        b->second ? " second" : "", x + p->font / 2, p->top - GAP, SLANT, x + p->font / 2, p->top - GAP, b->name));
    for (int64_t j = 0; j < p->h->rows->n; j++) {
        if (b->value[j] < 0) continue;
        TRY(buffer_format(out,
                          "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>%s %.3g</title></rect>", x,
                          row_y(p, j) + (p->cell - thick) / 2, fmax(0.5, BAR * fmin(1, b->value[j] / b->most)), thick,
                          b->name, b->value[j]));
    }
    return buffer_text(out, "</g>\n");
}

void svg_heat_size(const SvgHeat *h, double *width, double *height)
{
    const Plan p = plan(h);
    *width = ceil(p.width);
    *height = ceil(p.height);
}

Status svg_heat(Buffer *out, const SvgHeat *h)
{
    Plan p = plan(h);
    p.left = ceil(p.left), p.top = ceil(p.top);
    TRY(buffer_format(out,
                      "<svg class=\"heat\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" "
                      "font-size=\"%.1f\" style=\"--w:%.0fpx;--f:%.1fpx\" role=\"img\" aria-label=\"",
                      ceil(p.width), ceil(p.height), ceil(p.width), ceil(p.height), p.font, ceil(p.width), p.font));
    TRY(page_text(out, h->label));
    TRY(buffer_text(out, "\">\n"));
    TRY(put_columns(out, &p));
    TRY(put_rows(out, &p));
    TRY(put_cells(out, &p));
    TRY(put_marks(out, &p));
    for (int k = 0; k < h->n_bars; k++) TRY(put_bars(out, &p, k));
    return buffer_text(out, "</svg>\n");
}
