/* markup.c - text of ours inside Markdown and roff. */
#include "io/format/markup.h"

#include <string.h>

Status markup_markdown(Buffer *out, const char *text)
{
    for (const char *c = text; *c; c++) {
        if (strchr("|<>*_`\\[]", *c))
            TRY(buffer_format(out, "\\%c", *c));
        else
            TRY(buffer_append(out, *c == '\n' ? " " : c, 1));
    }
    return OK;
}

/* A point or an apostrophe begins a request only at the beginning of a line, and is harmless as \&. elsewhere. */
Status markup_roff(Buffer *out, const char *text)
{
    for (const char *c = text; *c; c++) {
        const bool begins = c == text || c[-1] == '\n';
        if (*c == '\\')
            TRY(buffer_text(out, "\\e"));
        else if (*c == '-')
            TRY(buffer_text(out, "\\-"));
        else if (begins && (*c == '.' || *c == '\''))
            TRY(buffer_format(out, "\\&%c", *c));
        else
            TRY(buffer_append(out, c, 1));
    }
    return OK;
}
