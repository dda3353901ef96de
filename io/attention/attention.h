/* attention.h - what a model looked at: a file (HDF5) and a page (HTML) of the attention of given inputs.
 *
 * An example has fields: the words of a text, sentence by sentence or in one piece, or the cells of a grid. A view is a
 * table of numbers with two axes, each the words, sentences or cells of a field, the slots of a memory, heads, steps or
 * nothing (axis.h). What people know of where to look is gold: places of a field, or links between two.
 *
 * All arrays are borrowed for the call. Weights are those of the model; nothing is scaled but the shade on the page.
 *
 * Layout of the file (format "mneme-attention", version 3), chunked and with fletcher32:
 *   /                        attributes: format, version, program, model, n (examples)
 *   /example-00000           attributes: id, prediction, truth, where they are known
 *     field-00/              attributes: name, role ("input", "query", "target" ...), levels (1; 2: with sentences);
 *                            of a grid: height, width
 *       text (bytes)         all words one after the other, UTF-8
 *       word (n + 1)         where each word begins in text; the last is the end
 *       sentence (s + 1)     at which word each sentence begins, with levels 2
 *       part_of (n)          where words are cut into pieces: the word that each is a piece of, from 0; -1: of none, as
 *                            the mark at the end of a target
 *       loss (n)             -log p of each word, when it is known
 *       grey (height,width)  the picture's own values, 0 (black) to 1, when they are known
 *     gold-00/at             (k) numbers of the places that decide, or (k,2) links, where people know them; of words,
 *                            not of pieces; attributes: of (name of a field), unit ("words", "sentences", "cells"), to
 *                            (name of the field of the second number of a link), possible (1: may hold, else surely)
 *     probability (c), class/text, class/word    the probabilities, and the names of the classes
 *     view-000/weights       (columns), or (rows,columns) where there are rows; attributes: name, layer, head, hop,
 *                            rows, columns (what they are: "none", "words", ...), rows_of, columns_of (names of
 *                            fields), by_sentence (1: the words of each sentence sum to 1 by themselves; else those of
 *                            a row), measure ("weight", "jacobian", "input_x_gradient"): only weights sum to 1;
 *                            entropy (nats), entropy_share (of the logarithm of the places): the mean of
 *     view-000/entropy       the entropy of what sums to 1, row by row
 * Files of versions 1 and 2 are read too.
 *
 * Read it with h5py:
 *     import h5py
 *     f = h5py.File("attention.h5", "r")
 *     e = f["example-00000"]
 *     def words(group):
 *         at, text = group["word"][...], group["text"][...].tobytes()
 *         return [text[a:b].decode() for a, b in zip(at[:-1], at[1:])]
 *     field = {e[k].attrs["name"]: words(e[k]) for k in e if k.startswith("field-") and "word" in e[k]}
 *     for k in e:
 *         if k.startswith("view-"):
 *             v = e[k].attrs
 *             print(v["name"], v["rows"], v["columns"], field.get(v.get("columns_of")), e[k]["weights"][...]) */
#ifndef IO_ATTENTION_ATTENTION_H
#define IO_ATTENTION_ATTENTION_H
#include <stdbool.h>

#include "comm/arena.h"
#include "io/attention/axis.h"
#include "io/batch/field.h"

/* Words: word[i] is text[start[i]] .. text[start[i + 1]]. */
typedef struct AttentionWords {
    int64_t n;
    const char *text;
    const int64_t *start;   /* (n + 1) */
    const int64_t *part_of; /* (n) the word that each is a piece of, -1: of none; NULL: they are words themselves */
} AttentionWords;

typedef struct AttentionField {
    const char *name; /* "story", "source": no two fields have the same */
    Role role;
    int levels;           /* 1: words in one piece, or cells; 2: words of sentences */
    AttentionWords words; /* n = 0 of a grid */
    int64_t n_sentences;
    const int64_t *sentence; /* (n_sentences + 1) first word of each, with levels 2 */
    const double *loss;      /* (words.n) -log p of each word; NULL: not known */
    int64_t height, width;   /* of a grid; 0: it is none */
    const double *grey;      /* (height,width) 0 to 1; NULL: not known */
} AttentionField;

/* What people know: the places of field `of` that decide, or links from its words to those of field `to`. */
typedef struct AttentionGold {
    int of, to;    /* numbers of fields; to -1: places, no links */
    AxisUnit unit; /* of what the numbers are: words (not their pieces), sentences or cells */
    bool possible; /* these may hold; the sure ones need not be among them */
    int64_t n;
    const int64_t *at; /* (n), or (n,2) */
} AttentionGold;

typedef struct AttentionAxis {
    AxisUnit unit;
    int field;        /* number of the field; -1: of none */
    int64_t size;     /* as attention_size has it for a field */
    bool by_sentence; /* words as columns: those of each sentence sum to 1 by themselves */
} AttentionAxis;

/* Weights, or what the gradient tells: |d out / d x_i| and x_i . d out / d x_i (which has a sign). */
typedef enum AttentionMeasure { ATTENTION_WEIGHT, ATTENTION_JACOBIAN, ATTENTION_INPUT_X_GRADIENT } AttentionMeasure;

typedef struct AttentionView {
    const char *name; /* "word", "sentence", "memory", "decoder" */
    int layer, head, hop;
    AttentionAxis rows, columns;
    AttentionMeasure measure;
    const double *weight; /* (rows,columns) */
} AttentionView;

typedef struct AttentionExample {
    const char *id;
    const char *prediction, *truth; /* NULL: not known */
    int n_classes;                  /* the probabilities that are shown, highest first; 0: none */
    const char *const *class_name;
    const double *probability;
    int n_fields;
    const AttentionField *field;
    int n_gold;
    const AttentionGold *gold;
    int n_views;
    const AttentionView *view;
} AttentionExample;

/* ERR_INTERNAL when offsets, counts or axes do not fit together. The functions below call it. */
NODISCARD Status attention_check(const AttentionExample *e);
/* The same with another code, for what was read from a file; where begins the message. */
NODISCARD Status attention_check_as(const AttentionExample *e, Status code, const char *where);

const char *attention_unit_name(int i);    /* of axes: "none", "words", ...; NULL after the last */
const char *attention_measure_name(int i); /* "weight", ... */

/* How many such places a field has. */
int64_t attention_size(const AttentionField *f, AxisUnit unit);
/* The axis over all places of a field; field -1: of the size given. */
AttentionAxis attention_axis(const AttentionExample *e, AxisUnit unit, int field, int64_t size);
/* The field of that role, its number; -1: there is none. */
int attention_role(const AttentionExample *e, Role role);
/* Words, not pieces. */
int64_t attention_whole_words(const AttentionWords *w);
/* What people know of these places, or links; NULL: nothing. */
const AttentionGold *attention_gold(const AttentionExample *e, AxisUnit unit, int of, int to, bool possible);
/* Are gold links known of these weights, from the words of one field to those of another? */
bool attention_has_links(const AttentionExample *e, const AttentionView *v);
/* Mean -log p of a word of the field whose losses are known; -1: not known. */
double attention_loss(const AttentionExample *e);

/* All or nothing; program and model may be NULL. */
NODISCARD Status attention_save(const char *path, const char *program, const char *model, int n,
                                const AttentionExample *example);

/* What a saved file holds: every byte is checked. All lies in arena. */
typedef struct AttentionFile {
    const char *label;           /* over its pictures, where there are several; NULL: none */
    const char *program, *model; /* "-" when the file does not say */
    int version;
    int n;
    const AttentionExample *example;
} AttentionFile;
NODISCARD Status attention_read(AttentionFile *out, const char *path, Arena *arena);
/* The same as text, for `mneme inspect`. */
NODISCARD Status attention_inspect(const char *path, Buffer *text);

/* How links are read out of the weights of a row: all places with at least that weight; else the place with the most,
 * the first of equal ones. */
typedef struct AttentionReadout {
    bool threshold;
    double least;
} AttentionReadout;

/* A line for each attention of the examples, by name, layer, hop and head; the error where there are gold links:
 *     decoder hop 1 head 1: entropy 0.512 nats (0.285 of the most) over 40 rows; alignment error 12.5 % over 9 pairs */
NODISCARD Status attention_table(int n, const AttentionExample *example, AttentionReadout how, Buffer *text);

/* The same inputs by one model, or by several: then their pictures stand side by side. */
typedef struct AttentionPage {
    const char *title;
    int n_files;
    const AttentionFile *file;
    AttentionReadout links;
} AttentionPage;
/* One self-contained page. ERR_DATA when the inputs of the files are not the same. */
NODISCARD Status attention_page(const char *path, const AttentionPage *p);
/* The part of a page that shows one example: also for the report. */
NODISCARD Status attention_html(Buffer *out, const AttentionExample *e);
/* Is a view of it a picture, not shaded text? */
bool attention_has_picture(const AttentionExample *e);
/* Its pictures as an image of its own. */
NODISCARD Status attention_svg(const char *path, const AttentionExample *e, AttentionReadout links);

#endif
