/* svg_arcs.c - half ellipses over and under a line of words. */
#include "io/attention/svg_arcs.h"

#include <math.h>
#include <stdlib.h>

#include "io/attention/draw.h"
#include "io/attention/svg_heat.h"
#include "io/page/page.h"
#include "io/page/script.h"

enum { FONT = 12, GAP = 10, MARGIN = 4, LINE = 20 /* height of the line of words */, CUT = 24 /* columns of a word */ };
static const double FLAT = 0.32;   /* height of an arc for its width */
static const double HIGHEST = 150; /* pixels */
static const double FAINT = 0.02;  /* share of the scale that is not drawn */

static double width_of(const SvgArcs *a, int64_t i)
{
    size_t n;
    const char *word = words_at(a->words, i, &n);
    const int64_t columns = script_columns(word, n);
    return 0.58 * FONT * (double)(columns < 1 ? 1 : columns < CUT ? columns : CUT) + GAP;
}

/* Text from the right has its first word at the right. */
static bool mirrored(const SvgArcs *a)
{
    int64_t count = 0;
    for (int64_t i = 0; i < a->words->n; i++) {
        size_t n;
        const char *word = words_at(a->words, i, &n);
        count += script_is_right_to_left(word, n);
    }
    return 2 * count > a->words->n;
}

static double whole_width(const SvgArcs *a)
{
    double width = 2 * MARGIN;
    for (int64_t i = 0; i < a->words->n; i++) width += width_of(a, i);
    return width;
}

static double centre_of(const SvgArcs *a, int64_t i)
{
    double x = MARGIN + width_of(a, i) / 2;
    for (int64_t k = 0; k < i; k++) x += width_of(a, k);
    return mirrored(a) ? whole_width(a) - x : x;
}

static bool seen(const SvgArcs *a, int64_t j, int64_t i)
{
    return fabs(a->value[j * a->words->n + i]) >= FAINT * a->scale[j] || a->mark[j * a->words->n + i];
}

static double height_of(double from, double to) { return fmin(HIGHEST, FLAT * fabs(to - from) + 4); }

/* The highest arc above the line (to words before), or below it. */
static double room(const SvgArcs *a, bool above)
{
    double most = 8;
    for (int64_t j = 0; j < a->words->n; j++)
        for (int64_t i = 0; i < a->words->n; i++)
            if (i != j && (i < j) == above && seen(a, j, i))
                most = fmax(most, height_of(centre_of(a, j), centre_of(a, i)));
    return ceil(most) + MARGIN;
}

void svg_arcs_size(const SvgArcs *a, double *width, double *height)
{
    *width = ceil(whole_width(a));
    *height = room(a, true) + LINE + room(a, false);
}

static Status put_title(Buffer *out, const SvgArcs *a, int64_t j, int64_t i)
{
    size_t n;
    const char *word = words_at(a->words, j, &n);
    TRY(buffer_text(out, "<title>"));
    TRY(page_text_n(out, word, n));
    TRY(buffer_text(out, " \xe2\x86\x92 "));
    word = words_at(a->words, i, &n);
    TRY(page_text_n(out, word, n));
    return buffer_format(out, "  %.4g</title>", a->value[j * a->words->n + i]);
}

static Status put_path(Buffer *out, const SvgArcs *a, int64_t j, int64_t i, double line, bool known)
{
    const double from = centre_of(a, j), to = centre_of(a, i), y = i < j ? line : line + LINE;
    const double v = a->value[j * a->words->n + i], share = fmin(1, fabs(v) / a->scale[j]);
    TRY(buffer_format(out, "<path class=\"arc%s\" d=\"M%.1f %.1fA%.1f %.1f 0 0 %d %.1f %.1f\"",
                      known   ? " known"
                      : v < 0 ? " minus"
                              : "",
                      from, y, fabs(to - from) / 2, height_of(from, to), (i < j) == (to > from), to, y));
    TRY(buffer_format(out, " stroke-opacity=\"%.3f\" stroke-width=\"%.2f\">", known ? 1 : fmax(0.06, share),
                      known ? 1.2 : 0.8 + 2.4 * share));
    TRY(put_title(out, a, j, i));
    return buffer_text(out, "</path>\n");
}

static Status put_ring(Buffer *out, const SvgArcs *a, int64_t j, double line)
{
    const double v = a->value[j * a->words->n + j], share = fmin(1, fabs(v) / a->scale[j]);
    TRY(buffer_format(out,
                      "<circle class=\"arc%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\" stroke-opacity=\"%.3f\" "
                      "stroke-width=\"%.2f\">",
                      v < 0 ? " minus" : "", centre_of(a, j), line - 4, fmax(0.06, share), 0.8 + 2.4 * share));
    TRY(put_title(out, a, j, j));
    return buffer_text(out, "</circle>\n");
}

static Status put_arcs(Buffer *out, const SvgArcs *a, double line)
{
    for (int64_t j = 0; j < a->words->n; j++)
        for (int64_t i = 0; i < a->words->n; i++) {
            if (!seen(a, j, i)) continue;
            TRY(i == j ? put_ring(out, a, j, line) : put_path(out, a, j, i, line, false));
            if (i != j && (a->mark[j * a->words->n + i] & (SVG_SURE | SVG_POSSIBLE)))
                TRY(put_path(out, a, j, i, line, true));
        }
    return OK;
}

static Status put_words(Buffer *out, const SvgArcs *a, double line)
{
    for (int64_t i = 0; i < a->words->n; i++) {
        size_t n;
        const char *word = words_at(a->words, i, &n);
        TRY(buffer_format(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\"%s>", centre_of(a, i),
                          line + 0.5 * LINE + 0.35 * FONT,
                          script_is_right_to_left(word, n) ? " direction=\"rtl\" unicode-bidi=\"embed\"" : ""));
        if (script_columns(word, n) > CUT) {
            TRY(buffer_text(out, "<title>"));
            TRY(page_text_n(out, word, n));
            TRY(buffer_text(out, "</title>"));
        }
        TRY(page_label(out, word, n, CUT));
        TRY(buffer_text(out, "</text>\n"));
    }
    return OK;
}

Status svg_arcs(Buffer *out, const SvgArcs *a)
{
    double width, height;
    const double line = room(a, true);
    svg_arcs_size(a, &width, &height);
    TRY(buffer_format(out,
                      "<svg class=\"heat\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" font-size=\"%d\" "
                      "style=\"--w:%.0fpx;--f:%dpx\" role=\"img\" aria-label=\"",
                      width, height, width, height, FONT, width, FONT));
    TRY(page_text(out, a->label));
    TRY(buffer_text(out, "\">\n"));
    TRY(put_words(out, a, line));
    TRY(put_arcs(out, a, line));
    return buffer_text(out, "</svg>\n");
}
