/* guess_parts.h - what the looks at tables, folders and pairs have in common. */
#ifndef IO_IMPORT_GUESS_PARTS_H
#define IO_IMPORT_GUESS_PARTS_H
#include "io/import/guess.h"

NODISCARD Status guess_keep(Arena *arena, const char *text, size_t size, Word *out); /* a copy */
/* The median, and what 95 of 100 do not pass; sorts the list. */
void guess_two_of(int64_t n, int64_t *list, int64_t out[2]);
int64_t guess_distinct(int64_t n, Word *w); /* different words; sorts them */
/* Of the texts in g->cell: sentences, words and vocabulary. Memory from arena. */
NODISCARD Status guess_measure(Guess *g, Arena *arena);

/* A path in quotes, as YAML has them, that names this file alone where patterns may stand; a text in quotes. */
NODISCARD Status guess_put_path(Buffer *out, const char *path);
NODISCARD Status guess_put_quoted(Buffer *out, const char *text);
/* "STEM-END" in quotes. */
NODISCARD Status guess_put_name(Buffer *out, const char *stem, const char *end);

#endif
