/* guess.h - what a user's files seem to hold, and the configuration that fits: labelled documents in a file or in one
 * folder a class, or pairs of sentences in two files.
 *
 * A file of documents is rows of cells (tab, comma, semicolon or bar between them, in quotes or not), or JSON lines. Only
 * the beginning of large files is looked at; where that does not tell which column is the text and which the label,
 * ERR_DATA says what was seen and how to say it. */
#ifndef IO_IMPORT_GUESS_H
#define IO_IMPORT_GUESS_H
#include "comm/arena.h"
#include "io/text/segment.h"

enum { GUESS_COLUMNS = 64, GUESS_RECORDS = 20000, GUESS_BYTES = 32 << 20 };

typedef struct GuessColumn {
    const char *name; /* of the header or the key; NULL: none */
    int64_t filled, distinct, bytes, longest;
} GuessColumn;

typedef struct Guess {
    const char *path;
    const char *train, *valid, *test; /* folders with one folder a class; NULL: a file, or no such folder */
    const char *seen;                 /* how much of it, in words */
    bool json, header, whole;         /* whole: the file was read to its end */
    char delimiter;                   /* of cells */
    bool quotes;                      /* cells stand in quotes */
    int64_t n;                        /* examples that were read */
    int n_columns, text, label;
    GuessColumn column[GUESS_COLUMNS];
    Word *cell;           /* (n, GUESS_COLUMNS), the row of names left out */
    int64_t empty;        /* documents without words */
    int64_t least, most;  /* examples of the rarest and of the commonest label */
    int64_t vocabulary;   /* different words */
    int64_t sentences[2]; /* of a document: the median, and what 95 of 100 do not pass */
    int64_t words[2];     /* of a sentence */
} Guess;

/* text, label: the column by its name, or its number from 1; NULL: to be found. Memory from arena. */
NODISCARD Status guess_documents(Guess *out, Arena *arena, const char *path, const char *text, const char *label);
/* path: a folder with one folder a class, or with such folders train and test (valid, dev). Memory from arena. */
NODISCARD Status guess_folders(Guess *out, Arena *arena, const char *path);
/* The configuration, with the reasons as comments. stem: what its folders are called after. */
NODISCARD Status guess_write(const Guess *g, const char *stem, Buffer *yaml);

/* Line i of one file is the translation of line i of the other. [2]: source, target. */
typedef struct GuessPairs {
    const char *train[2], *valid[2], *test[2]; /* valid, test: files beside those to train on; NULL: none */
    int64_t n, looked;                         /* pairs; those that were measured, from the first on */
    int64_t words[2][2];                       /* of a sentence: the median, and what 95 of 100 do not pass */
    int64_t vocabulary[2];                     /* different words */
    int64_t longest;                           /* words of a side that 99 of 100 pairs do not pass */
    int64_t empty, uneven; /* pairs with a side without words; with one of more than GUESS_RATIO times the other's */
} GuessPairs;
enum { GUESS_RATIO = 4 };

/* ERR_DATA with both numbers when the files have not as many lines. Memory from arena. */
NODISCARD Status guess_pairs(GuessPairs *out, Arena *arena, const char *source, const char *target);
NODISCARD Status guess_pairs_write(const GuessPairs *g, const char *stem, Buffer *yaml);

#endif
