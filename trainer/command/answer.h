/* answer.h - lines in, answers out in the order of the lines: what predict and translate have in common.
 *
 * Rank 0 reads and writes; the lines of a piece are shared by all ranks. The output is the same bytes on any number of
 * ranks, and lines before the first that fails are answered. */
#ifndef TRAINER_COMMAND_ANSWER_H
#define TRAINER_COMMAND_ANSWER_H
#include "trainer/answer/input.h"
#include "trainer/session/session.h"

/* Appends the answers to n lines, a share of a piece, to out. When one fails: those of the lines before it. */
typedef Status AnswerShare(void *context, int64_t n, const InputLine *line, Buffer *out);

typedef struct Answer {
    const char *file; /* "-": standard input */
    int64_t piece;    /* lines that are read before they are answered, fewer when no more are there yet */
    bool blanks;      /* blank lines are answered too */
    AnswerShare *share;
    void *context;
} Answer;

/* [collective] All lines; *lines: how many there were, NULL: nobody asks. */
NODISCARD Status answer_lines(Session *s, const Answer *a, int64_t *lines);

#endif
