/* page.h - one self-contained HTML page: no outside address, light and dark, any script and direction of writing.
 *
 * All text from outside goes through page_text: it is escaped for content and for quoted attributes, what is not UTF-8
 * becomes U+FFFD, as do non-characters and C1, which XML does not allow; other control characters go. */
#ifndef IO_PAGE_PAGE_H
#define IO_PAGE_PAGE_H
#include "comm/arena.h"

NODISCARD Status page_begin(Buffer *out, const char *title);
NODISCARD Status page_end(Buffer *out);

NODISCARD Status page_text(Buffer *out, const char *text);
NODISCARD Status page_text_n(Buffer *out, const char *text, size_t size);
/* At most so many columns, then an ellipsis. */
NODISCARD Status page_label(Buffer *out, const char *text, size_t size, int64_t columns);
/* A heading of level 2 with an anchor; opens a section that page_section_end closes. */
NODISCARD Status page_section(Buffer *out, const char *title, const char *note); /* note may be NULL */
NODISCARD Status page_section_end(Buffer *out);

/* What is folded until somebody wants to see it. */
NODISCARD Status page_fold(Buffer *out, const char *title);
NODISCARD Status page_fold_end(Buffer *out);

/* A table: head (cells apart by '|', a '>' before the name: numbers, set to the right), rows, end. */
NODISCARD Status page_table(Buffer *out, const char *head);
NODISCARD Status page_row(Buffer *out, int n, const char *const *cell, const char *head);
NODISCARD Status page_table_end(Buffer *out);

/* 1234567 -> 1,234,567; 0.000123 -> 1.23e-04: for people. */
void page_number(char text[32], double v);
void page_bytes(char text[32], int64_t bytes); /* 1.5 MB */

#endif
