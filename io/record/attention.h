/* attention.h - what a model looked at: a file (HDF5) and a page (HTML) of the attention of given inputs.
 *
 * All arrays are borrowed for the call. Weights are those of the model; nothing is scaled but the shade on the page.
 *
 * Layout of the file (format "mneme-attention", version 1), chunked and with fletcher32:
 *   /                        attributes: format, version, program, model, n (examples)
 *   /example-00000           attributes: id, kind, prediction, truth
 *     tokens/text (bytes)    all words of the input one after the other, UTF-8
 *     tokens/word (n + 1)    where each word begins in text; the last is the end
 *     tokens/sentence (s+1)  at which word each sentence begins
 *     question/text, question/word     the same for the question, when there is one
 *     facts (f)              numbers of the sentences that the answer rests on, when they are known
 *     probability (c), class/text, class/word    the probabilities, and the names of the classes
 *     view-00/weights (n)    one for each word, or one for each sentence; attributes: name, layer, head, hop, over
 *                            ("words": each sentence sums to 1, its words are those of tokens/sentence; "sentences")
 *
 * Read it with h5py:
 *     import h5py
 *     f = h5py.File("attention.h5", "r")
 *     e = f["example-00000"]
 *     at, text = e["tokens/word"][...], e["tokens/text"][...].tobytes()
 *     words = [text[a:b].decode() for a, b in zip(at[:-1], at[1:])]
 *     for name in e:
 *         if name.startswith("view-"):
 *             print(e[name].attrs["name"], e[name].attrs["hop"], e[name]["weights"][...]) */
#ifndef IO_RECORD_ATTENTION_H
#define IO_RECORD_ATTENTION_H
#include "comm/arena.h"

/* Words: word[i] is text[start[i]] .. text[start[i + 1]]. */
typedef struct AttentionWords {
    int64_t n;
    const char *text;
    const int64_t *start; /* (n + 1) */
} AttentionWords;

typedef enum AttentionOver { ATTENTION_WORDS, ATTENTION_SENTENCES } AttentionOver;

/* One attention: over the words within each sentence (weights lie behind one another like the words, each sentence
 * sums to 1), or over the sentences (one weight a sentence). */
typedef struct AttentionView {
    const char *name; /* "word", "sentence", "memory" */
    int layer, head, hop;
    AttentionOver over;
    int64_t n; /* weights: of words, or of sentences */
    const double *weight;
} AttentionView;

typedef enum AttentionKind { ATTENTION_DOCUMENT, ATTENTION_STORY } AttentionKind;

typedef struct AttentionExample {
    const char *id;
    AttentionKind kind;
    AttentionWords words;
    int64_t n_sentences;
    const int64_t *sentence;        /* (n_sentences + 1) first word of each */
    AttentionWords question;        /* n = 0: none */
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
/* All or nothing; program and model may be NULL. */
NODISCARD Status attention_save(const char *path, const char *program, const char *model, int n,
                                const AttentionExample *example);
NODISCARD Status attention_page(const char *path, const char *title, int n, const AttentionExample *example);
/* The part of a page that shows one example: also for the report. */
NODISCARD Status attention_html(Buffer *out, const AttentionExample *e);
/* What a saved file holds, for `mneme inspect`: every byte is checked. */
NODISCARD Status attention_inspect(const char *path, Buffer *text);

#endif
