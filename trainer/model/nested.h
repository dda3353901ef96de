/* nested.h - words and, where they are not in the vocabulary, their characters: what the parts of the model share. Only
 * for trainer/model/nested*.c. */
#ifndef TRAINER_MODEL_NESTED_H
#define TRAINER_MODEL_NESTED_H
#include "trainer/model/seq2seq.h"

typedef struct NestedSettings {
    Seq2SeqSettings word; /* first: seq2seq reads its own settings in m->settings */
    int64_t char_dim, char_hidden;
    const char *char_score;
} NestedSettings;

typedef struct Nested {
    Seq2Seq word;    /* first: seq2seq finds its own state in m->state */
    Embedding chars; /* of both languages */
    Rnn reader;      /* of the characters of a word, in both directions */
    Linear compose;  /* its last states to the vector of a word */
    Linear begin;    /* the result of the word's step to the first state of the speller */
    Attend *attend;  /* to the reader's states */
    Decoder speller;
    Param *w, *bias; /* output layer over the characters */
} Nested;

/* Some words as sequences of characters. */
typedef struct NestedWords {
    Segments seq;
    int32_t *id; /* (seq.offset[seq.n]) */
} NestedWords;

/* word (n): their numbers in the field, whose levels are words and characters. */
NODISCARD Status nested_collect(Arena *arena, const Ragged *chars, int64_t n, const int64_t *word, NestedWords *out);
RnnOut nested_read(const Nested *n, Tape *t, const NestedWords *words);

/* The unknown words among the outputs of the word decoder. */
typedef struct NestedUnknown {
    int64_t n;
    int32_t *position;       /* (n) of the target's positions */
    int64_t *aligned;        /* (n) the source word that got most attention there, its number in the field */
    int64_t *target;         /* (n) number of the word among all words of the target */
    int32_t *example, *word; /* (n) example of the batch, and the word's place in its target */
} NestedUnknown;

/* y: the decoder's result. word: what stands at each position, the last of an example is its end. */
NODISCARD Status nested_find(Arena *arena, const Batch *b, const Node *y, Segments seq, const int32_t *word,
                             NestedUnknown *out);
/* What the speller starts from: the aligned words' characters and the word decoder's results. */
NODISCARD Status nested_begin(const Nested *n, Tape *t, const Batch *b, Node *y, const NestedUnknown *unknown,
                              DecoderStart *start);
/* -log p of the unknown words' characters, of the words' positions too; NULL: there are none. */
Node *nested_loss(const Nested *n, Tape *t, const Batch *b, Node *y, Prediction *out);

extern const ModelGenerate nested_generate;

#endif
