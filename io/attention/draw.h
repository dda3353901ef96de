/* draw.h - pictures of views, for pages and images: one renderer for each pair of axes, in the table of draw.c.
 *
 * A view is text in which it shades words and sentences, or a picture: an <svg> that a page frames as a figure, and
 * that can stand alone. Another pair of axes is one function and one line of the table; without one it is a heat map.
 */
#ifndef IO_ATTENTION_DRAW_H
#define IO_ATTENTION_DRAW_H
#include "io/attention/attention.h"

/* One example while it is drawn. */
typedef struct Drawing {
    const AttentionExample *e;
    AttentionReadout links;
    Arena *arena;
    bool *drawn; /* (n_views) also as a part of another view's text */
    bool *shown; /* (n_fields) their text stands there */
} Drawing;

typedef struct DrawSize {
    double width, height; /* pixels */
} DrawSize;

typedef Status DrawText(Drawing *d, int view, Buffer *out);
typedef Status DrawPicture(const Drawing *d, const AttentionView *v, Buffer *out, DrawSize *size);

NODISCARD Status draw_begin(Drawing *d, const AttentionExample *e, AttentionReadout links, Arena *arena);
/* What was predicted, of what. */
NODISCARD Status draw_verdict(Buffer *out, const AttentionExample *e);
/* All that was looked at: texts, then pictures. */
NODISCARD Status draw_body(Buffer *out, const AttentionExample *e, AttentionReadout links);
/* The texts of fields that no view has shown. */
NODISCARD Status draw_fields(Drawing *d, Buffer *out);
/* Its pictures as figures; label: the name of the model over each, where several stand side by side; or NULL. */
NODISCARD Status draw_pictures(Buffer *out, const AttentionExample *e, AttentionReadout links, const char *label);
/* One view as an <svg>; *is: false when it is no picture. */
NODISCARD Status draw_picture(const Drawing *d, const AttentionView *v, Buffer *out, DrawSize *size, bool *is);
/* Are all views pictures? */
bool draw_pictures_alone(const AttentionExample *e);
/* Sentences that say how the views of these examples are to be read. */
NODISCARD Status draw_notes(Buffer *out, int n, const AttentionExample *e);

/* Name of a view, or of what its gradient tells. */
const char *draw_title(const AttentionView *v);
double draw_greatest(const AttentionView *v); /* |value| */
/* What stands at the places of an axis: words, the beginning of sentences, "slot 3". */
NODISCARD Status draw_labels(const AttentionExample *e, const AttentionAxis *a, Arena *arena, AttentionWords *out);
/* (rows) |value| that has the full shade in each row: weights have one for all, gradients that of each row. */
NODISCARD Status draw_scales(const AttentionView *v, Arena *arena, double **scale);

/* --- words.c: words as text --- */
/* Word i; *n bytes. */
const char *words_at(const AttentionWords *w, int64_t i, size_t *n);
/* How words are shaded: by |weight| * scale, in another colour where it is negative; gold ones are underlined. */
typedef struct WordsShade {
    const double *weight; /* (words) */
    double scale;
    const bool *gold; /* (words), or NULL */
} WordsShade;
/* Words first .. end as running text, with spaces where the script has them. shade: NULL: none. */
NODISCARD Status words_text(Buffer *out, const AttentionWords *w, int64_t first, int64_t end, const WordsShade *shade);

/* --- The renderers --- */
DrawText draw_shaded;    /* none x words: the words shaded, beside their sentences' weights */
DrawText draw_memory;    /* none x sentences or slots, and slots x steps: a table, a column a hop; bars for one */
DrawPicture draw_heat;   /* any axes: a heat map */
DrawPicture draw_turned; /* the same with rows and columns exchanged: time runs to the right */
DrawPicture draw_self;   /* words x words of one field: arcs, or a heat map where these are a tangle */
DrawPicture draw_grids;  /* any x cells: the grid once a row, with what was looked at over it */

#endif
