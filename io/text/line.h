/* line.h - what a line is, in everything that people write.
 *
 * LF, CR LF, CR CR LF (a file that was converted twice) and CR alone end a line. Within one, U+FEFF (the byte order mark,
 * also of files that were put together) is dropped; form feed and vertical tab are spaces. U+0085, U+2028 and U+2029 stay, as
 * white space of their words: programs that count words between spaces know them so. */
#ifndef IO_TEXT_LINE_H
#define IO_TEXT_LINE_H
#include <stdbool.h>
#include <stddef.h>

/* The first line of n bytes: `size` bytes, and the next one begins at `next`. False where its end is not among them: then
 * the first `size` bytes belong to it, and the others cannot be judged before more is there. last: nothing comes after
 * the n bytes, whose last line may lack its end (false, with size n). */
bool line_find(const char *bytes, size_t n, bool last, size_t *size, size_t *next);
/* Mends the bytes of a line, whole characters, in place; how many are left. */
size_t line_mend(char *bytes, size_t n);

#endif
