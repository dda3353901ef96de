/* guess.h - what a file of labelled documents seems to hold, and the configuration that fits.
 *
 * A file is rows of cells (tab, comma, semicolon or bar between them, in quotes or not), or JSON lines. Only its beginning is looked at; where that does not tell which column
 * is the text and which the label, ERR_DATA says what was seen and how to say it. */
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
    bool json, header, whole; /* whole: the file was read to its end */
    char delimiter;           /* of cells */
    bool quotes;              /* cells stand in quotes */
    int64_t n;                /* examples that were read */
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
/* The configuration, with the reasons as comments. stem: what its folders are called after. */
NODISCARD Status guess_write(const Guess *g, const char *stem, Buffer *yaml);

#endif
