/* input.h - lines of a file or of the standard input, read by rank 0 and known to all. */
#ifndef TRAINER_ANSWER_INPUT_H
#define TRAINER_ANSWER_INPUT_H
#include "comm/arena.h"
#include "comm/buffer.h"
#include "comm/comm.h"

typedef struct InputLine {
    const char *text; /* without its end */
    size_t size;
    int64_t number; /* from 1 */
} InputLine;

typedef struct InputLines {
    int64_t n; /* 0: the end */
    InputLine *line;
} InputLines;

typedef struct Input {
    int fd; /* -1 on all ranks but the first */
    const char *path;
    bool ended;
    bool blanks;    /* set after input_open: blank lines are handed out too */
    int64_t number; /* lines handed out */
    Buffer input;   /* rank 0: what was read and not handed out */
    Buffer piece;   /* the text of the last piece, on all ranks */
    Arena arena;
} Input;

const char *input_name(const char *path);                            /* in messages: "standard input" for "-" */
NODISCARD Status input_open(Input *r, Comm *comm, const char *path); /* [collective] "-": standard input */
void input_close(Input *r);
/* Which part of a file was handed out, on the rank that reads it; -1: what is read has no known size. */
double input_share(const Input *r);
/* [collective] At least one line unless the end is there, at most `most`, and no waiting for a second one: what is
 * typed is answered at once. Blank lines are left out but counted, unless the caller wants them. Valid until the next
 * call. */
NODISCARD Status input_read(Input *r, Comm *comm, int64_t most, InputLines *out);

#endif
