/* attention_svg.c - the pictures of an example as an SVG image of its own, for papers and slides.
 *
 * Colours stand in plain rules, without variables: not all programs that read SVG know these. */
#include <math.h>

#include "io/attention/attention.h"
#include "io/attention/draw.h"
#include "io/attention/entropy.h"
#include "io/file/file.h"
#include "io/page/page.h"

enum { MARGIN = 16, HEAD = 22 };

static const char style[] =
    "text{font-family:'Noto Sans','Noto Sans CJK SC','DejaVu Sans',sans-serif;fill:#1d2126}\n"
    ".paper{fill:#fff}.head{font-size:13px;font-weight:600}.soft,.bars text{fill:#5d6670}.soft{font-size:12px}\n"
    ".vertical{writing-mode:vertical-rl;text-orientation:mixed}\n"
    ".field{fill:#f4f5f6}.cells,.over "
    ".minus{fill:#2463a8}.minus,.second,.over{fill:#c4652d}.lines{stroke:#fff;fill:none}\n"
    ".arc{fill:none;stroke:#2463a8}.arc.minus{fill:none;stroke:#c4652d}.known{stroke:#1d2126;stroke-dasharray:4 3}\n"
    ".marks{stroke:#1d2126;stroke-width:1.3;fill:none}.marks .sure{fill:#1d2126;stroke:none}"
    ".marks .halo{stroke:#fff;stroke-width:3.4}.bars rect{fill:#8b939c}.second rect{fill:#c4652d}\n"
    "@media(prefers-color-scheme:dark){text{fill:#e4e7ea}.paper{fill:#14171a}.soft,.bars text{fill:#a2abb4}"
    ".field{fill:#20252a}.cells,.over .minus{fill:#62a0e2}.minus,.second,.second rect,.over{fill:#e08d54}"
    ".lines{stroke:#14171a}.arc{stroke:#62a0e2}.arc.minus{fill:none;stroke:#e08d54}.known{stroke:#e4e7ea}"
    ".marks{stroke:#e4e7ea}.marks .sure{fill:#e4e7ea}.marks .halo{stroke:#14171a}}\n";

static Status put_head(Buffer *out, const AttentionExample *e, const AttentionView *v)
{
    TRY(buffer_format(out, "<text y=\"14\"><tspan class=\"head\">"));
    TRY(page_text(out, draw_title(v)));
    TRY(buffer_text(out, "</tspan><tspan class=\"soft\">"));
    if (v->layer > 0) TRY(buffer_format(out, "  layer %d", v->layer + 1));
    if (v->head > 0) TRY(buffer_format(out, "  head %d", v->head + 1));
    if (v->measure == ATTENTION_WEIGHT) {
        const Entropy h = entropy_of_view(e, v);
        TRY(buffer_format(out, "  entropy %.3f nats", entropy_mean(&h)));
    }
    return buffer_text(out, "</tspan></text>\n");
}

/* One view at x; then x is where the next one begins. */
static Status put_view(Buffer *out, const Drawing *d, const AttentionView *v, Buffer *picture, double *x, double *below)
{
    DrawSize size;
    bool is;
    picture->size = 0;
    TRY(draw_picture(d, v, picture, &size, &is));
    if (!is) return OK;
    TRY(buffer_format(out, "<g transform=\"translate(%.0f %d)\">\n", *x, MARGIN));
    TRY(put_head(out, d->e, v));
    TRY(buffer_format(out, "<g transform=\"translate(0 %d)\">\n", HEAD));
    TRY(buffer_append(out, picture->data, picture->size));
    *x += fmax(size.width, 240) + MARGIN;
    *below = fmax(*below, size.height + HEAD + 2 * MARGIN);
    return buffer_text(out, "</g>\n</g>\n");
}

static Status put_views(Buffer *out, const AttentionExample *e, AttentionReadout links, double *x, double *below)
{
    Arena arena = {0};
    Buffer picture = {0};
    Drawing d;
    Status st = draw_begin(&d, e, links, &arena);
    for (int i = 0; i < e->n_views && st == OK; i++) st = put_view(out, &d, &e->view[i], &picture, x, below);
    buffer_close(&picture);
    arena_close(&arena);
    return st;
}

static Status build(Buffer *out, const AttentionExample *e, AttentionReadout links, Buffer *views)
{
    double x = MARGIN, below = 0;
    TRY(put_views(views, e, links, &x, &below));
    TRY(buffer_format(out,
                      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
                      "height=\"%.0f\">\n<style>\n%s</style>\n",
                      x, below, x, below, style));
    TRY(buffer_text(out, "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n"));
    TRY(buffer_append(out, views->data ? views->data : "", views->size));
    return buffer_text(out, "</svg>\n");
}

Status attention_svg(const char *path, const AttentionExample *e, AttentionReadout links)
{
    Buffer out = {0}, views = {0};
    TRY(attention_check(e));
    Status st = build(&out, e, links, &views);
    if (st == OK) st = file_write(path, out.data, out.size);
    buffer_close(&out);
    buffer_close(&views);
    TRY(st);
    return OK;
}
