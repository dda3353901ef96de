/* draw.h - pictures of views, for pages and images: one renderer for each pair of axes, in the table at the end.
 *
 * A view is text in which it shades words and sentences, or a picture: an <svg> that a page frames as a figure, and
 * that can stand alone. Another pair of axes is one function, in a file of its own, and one line of the table. */
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

/* How they are read: what several say, or is long. */
#define DRAW_SHADED                                                                                                    \
    "Before each sentence stands its weight. Words are shaded by their weight within the sentence, paler in "          \
    "sentences of little weight; the pointer shows the number. Words and sentences that decide are underlined and "    \
    "marked with &#10003;."
#define DRAW_MEMORY                                                                                                    \
    "Each column is one hop over the memories; its weights sum to 1. Supporting facts are marked with &#10003;."
#define DRAW_LINKS                                                                                                     \
    "Above stand the words that are looked at, at the left those that look, whose weights lie in their row; the "      \
    "pointer shows the numbers. Rings are the links that are read out; full squares are links that people are sure "   \
    "of, empty ones possible links."
#define DRAW_ARCS                                                                                                      \
    "A short text that looks at itself is drawn as arcs: above the line to words before, below it to words behind, "   \
    "dashed where people know of a link."
#define DRAW_GRIDS                                                                                                     \
    "Over the grid lies what each row looked at; the pointer shows the numbers. Full squares are cells that decide."
#define DRAW_HEAT "Above stand the columns, at the left the rows; the pointer shows the numbers."

/* Rows, columns, the function draw_NAME, how it is read. Any other pair is a heat map. */
#define DRAW_RENDERERS(TEXT, PICTURE, SELF)                                                                            \
    TEXT(NONE, WORDS, shaded, DRAW_SHADED)     /* shaded, beside their sentences' weights */                           \
    TEXT(NONE, SENTENCES, memory, DRAW_MEMORY) /* a table, a column a hop; bars for one */                             \
    TEXT(NONE, SLOTS, memory, DRAW_MEMORY)                                                                             \
    TEXT(NONE, TURNS, memory, DRAW_MEMORY)                                                                             \
    TEXT(SLOTS, STEPS, memory, DRAW_MEMORY)                                                                            \
    PICTURE(WORDS, WORDS, heat, DRAW_LINKS)                                                                            \
    SELF(self, DRAW_ARCS)                   /* words x words of one field: arcs, a heat map of many */                 \
    PICTURE(NONE, CELLS, grids, DRAW_GRIDS) /* the grid once a row, with what was looked at over it */                 \
    PICTURE(WORDS, CELLS, grids, DRAW_GRIDS)                                                                           \
    PICTURE(STEPS, CELLS, grids, DRAW_GRIDS)                                                                           \
    PICTURE(HEADS, CELLS, grids, DRAW_GRIDS)                                                                           \
    PICTURE(STEPS, SLOTS, turned, "Steps run to the right; each column is what one step looked at.")

#define TEXT(row, column, name, how)    DrawText draw_##name;
#define PICTURE(row, column, name, how) DrawPicture draw_##name;
#define SELF(name, how)                 DrawPicture draw_##name;
DRAW_RENDERERS(TEXT, PICTURE, SELF)
#undef TEXT
#undef PICTURE
#undef SELF

#endif
