/* attention.h - what a model looked at: a file (HDF5) and a page (HTML) of the attention of given inputs.
 *
 * All arrays are borrowed for the call. Weights are those of the model; nothing is scaled but the shade on the page.
 *
 * Layout of the file (format "mneme-attention", version 2), chunked and with fletcher32:
 *   /                        attributes: format, version, program, model, n (examples)
 *   /example-00000           attributes: id, kind ("document", "story", "pair"), prediction, truth
 *     tokens/text (bytes)    all words of the input one after the other, UTF-8
 *     tokens/word (n + 1)    where each word begins in text; the last is the end
 *     tokens/sentence (s+1)  at which word each sentence begins
 *     question/text, question/word     the same for the question, when there is one
 *     target/text, target/word         the same for the target of a pair
 *     tokens/part_of (n), target/part_of (m)   where words are cut into pieces: the word that each is a piece of, from
 *                            0; -1: of none, as the mark at the end
 *     loss (m)               -log p of each target word, when it is known
 *     gold/sure (k,2), gold/possible (k,2)     links that people drew: source word, target word; not of pieces
 *     facts (f)              numbers of the sentences that the answer rests on, when they are known
 *     probability (c), class/text, class/word    the probabilities, and the names of the classes
 *     view-00/weights        (n) one for each word, (s) for each sentence, (q) for each word of the question, or (m,n)
 *                            target words x source words; attributes: name, layer, head, hop,
 *                            over ("words", "sentences", "question", "pairs"): each sentence sums to 1, or all
 *                            sentences together, or each target word's row;
 *                            measure ("weight", "jacobian", "input_x_gradient"): only weights sum to 1;
 *                            entropy (nats), entropy_share (of the logarithm of the places): the mean of
 *     view-00/entropy        the entropy of each sentence's, or each target word's weights
 *
 * Read it with h5py:
 *     import h5py
 *     f = h5py.File("attention.h5", "r")
 *     e = f["example-00000"]
 *     def words(group):
 *         at, text = group["word"][...], group["text"][...].tobytes()
 *         return [text[a:b].decode() for a, b in zip(at[:-1], at[1:])]
 *     print(words(e["tokens"]), words(e["target"]) if "target" in e else "")
 *     for name in e:
 *         if name.startswith("view-"):
 *             print(e[name].attrs["name"], e[name].attrs["hop"], e[name]["weights"][...]) */
#ifndef IO_ATTENTION_ATTENTION_H
#define IO_ATTENTION_ATTENTION_H
#include <stdbool.h>

#include "comm/arena.h"

/* Words: word[i] is text[start[i]] .. text[start[i + 1]]. */
typedef struct AttentionWords {
    int64_t n;
    const char *text;
    const int64_t *start;   /* (n + 1) */
    const int64_t *part_of; /* (n) the word that each is a piece of, -1: of none; NULL: they are words themselves */
} AttentionWords;

/* What the weights lie over: the words within each sentence (behind one another like the words), the sentences, the
 * words of the question, or for each target word the words of the source. */
typedef enum AttentionOver { ATTENTION_WORDS, ATTENTION_SENTENCES, ATTENTION_QUESTION, ATTENTION_PAIRS } AttentionOver;

/* Weights, or what the gradient tells: |d out / d x_i| and x_i . d out / d x_i (which has a sign). */
typedef enum AttentionMeasure { ATTENTION_WEIGHT, ATTENTION_JACOBIAN, ATTENTION_INPUT_X_GRADIENT } AttentionMeasure;

typedef struct AttentionView {
    const char *name; /* "word", "sentence", "memory", "decoder" */
    int layer, head, hop;
    AttentionOver over;
    int64_t n; /* weights: of words, of sentences, of the question's words, or target words x source words */
    const double *weight;
    AttentionMeasure measure;
} AttentionView;

typedef enum AttentionKind { ATTENTION_DOCUMENT, ATTENTION_STORY, ATTENTION_PAIR } AttentionKind;

typedef struct AttentionLinks {
    int64_t n;
    const int64_t *at; /* (n,2) source word, target word */
} AttentionLinks;

typedef struct AttentionExample {
    const char *id;
    AttentionKind kind;
    AttentionWords words; /* of a pair: the source */
    int64_t n_sentences;
    const int64_t *sentence;        /* (n_sentences + 1) first word of each */
    AttentionWords question;        /* n = 0: none */
    AttentionWords target;          /* of a pair */
    const double *loss;             /* (target.n) -log p of each target word; NULL: not known */
    AttentionLinks sure, possible;  /* of words, not of their pieces; possible need not hold the sure ones */
    const char *prediction, *truth; /* truth NULL: not known */
    int n_classes;                  /* the probabilities that are shown, highest first; 0: none */
    const char *const *class_name;
    const double *probability;
    int64_t n_facts;
    const int64_t *fact; /* sentences that the answer rests on */
    int n_views;
    const AttentionView *view;
} AttentionExample;

/* ERR_INTERNAL when offsets or counts do not fit together. The functions below call it. */
NODISCARD Status attention_check(const AttentionExample *e);
/* The same with another code, for what was read from a file; where begins the message. */
NODISCARD Status attention_check_as(const AttentionExample *e, Status code, const char *where);

const char *attention_over_name(int i);    /* "words", ...; NULL after the last */
const char *attention_measure_name(int i); /* "weight", ... */
const char *attention_kind_name(int i);    /* "document", ... */

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

/* How links are read out of the weights of a target word: all places with at least that weight; else the place with the
 * most, the first of equal ones. */
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
/* The pictures of a pair as an image of its own. */
NODISCARD Status attention_svg(const char *path, const AttentionExample *e, AttentionReadout links);
/* The part of a page that shows one example: also for the report. */
NODISCARD Status attention_html(Buffer *out, const AttentionExample *e);

#endif
