/* script.h - how a word wants to be set: with or without spaces around it, upright or turned, from which side.
 *
 * Words are UTF-8; what is not valid counts as U+FFFD. */
#ifndef IO_PAGE_SCRIPT_H
#define IO_PAGE_SCRIPT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The character at text, and its bytes in *size (at least 1 when n > 0). */
uint32_t script_point(const char *text, size_t n, size_t *size);
/* Han, kana, hangul and what goes with them: as wide as high, upright in vertical lines. */
bool script_is_wide(uint32_t c);
/* The first character that has a direction is Hebrew, Arabic, Syriac, Thaana, N'Ko ... */
bool script_is_right_to_left(const char *word, size_t n);
/* All of the word is wide: it can stand in a vertical line. */
bool script_is_vertical(const char *word, size_t n);
/* Is a space set between these words? */
bool script_space_between(const char *before, size_t n_before, const char *word, size_t n);
/* Columns in a font of one width: 2 for wide characters, 0 for marks on others. */
int64_t script_columns(const char *word, size_t n);
/* Bytes of the longest beginning that is at most that many columns and cuts no mark from its character. */
size_t script_cut(const char *word, size_t n, int64_t columns);

#endif
