/* terminal.h - texts of others where people read them: shown, never obeyed.
 *
 * Names of files, labels, words and values may hold anything: an escape sequence that paints over what was said, a line
 * break that fakes a line, marks that turn the direction. Such characters are shown as \n, \x1b, \u202e, and bytes that
 * are no UTF-8 as \xff; harmless text, whatever its language, stays as it is, and so does what was escaped before.
 *
 * The rule: what people read is made by the formats here (log.h, status.h and buffer_say use them), in which our own
 * words stand in the format and texts of others come through %s. What programs read is written raw: terminal_data. */
#ifndef COMM_TERMINAL_H
#define COMM_TERMINAL_H
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "comm/status.h"

/* As vsnprintf for the conversions d i u x o c g f e a p s, but %s and %c are escaped, a cut keeps whole characters, and
 * widths count characters. A plain %s that fills a line of the format takes a text that was made by these functions: its
 * line breaks stay. */
int terminal_vformat(char *out, size_t room, const char *format, va_list args) PRINTF_LIKE(3, 0);
int terminal_format(char *out, size_t room, const char *format, ...) PRINTF_LIKE(3, 4);
/* What was put together elsewhere: escaped but for line breaks. The length that out would need. */
size_t terminal_lines(char *out, size_t room, const char *text, size_t size);

/* To the standard output. */
void terminal_print(const char *format, ...) PRINTF_LIKE(1, 2); /* for people */
/* For programs: as it is, and at once. Only where it is sure that a terminal shows it, what acts is escaped. */
NODISCARD Status terminal_data(const void *bytes, size_t size);
NODISCARD Status terminal_flush(void); /* ERR_IO when anything that was printed is lost */
/* First of all: a standard stream that is closed must not become the next file that is opened. */
void terminal_keep(void);

#endif
