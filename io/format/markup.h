/* markup.h - text of ours inside Markdown and roff, so that no character of it is taken for markup. */
#ifndef IO_FORMAT_MARKUP_H
#define IO_FORMAT_MARKUP_H
#include "comm/arena.h"

NODISCARD Status markup_markdown(Buffer *out, const char *text); /* inside a table or a paragraph, one line */
NODISCARD Status markup_roff(Buffer *out, const char *text);     /* begins a line or stands within one */

#endif
