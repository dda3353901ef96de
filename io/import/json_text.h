/* json_text.h - lines of JSON that people's programs write (RFC 8259), read by Jansson. */
#ifndef IO_IMPORT_JSON_TEXT_H
#define IO_IMPORT_JSON_TEXT_H
#include <jansson.h>

#include "io/import/import.h"

/* A JSON object begins here: {, a key in quotes, a colon, with blanks between them or none. Any other line is text. */
bool json_text_begins(const char *text, size_t size);

/* Any value; strictly: no duplicate keys, no 0 bytes, no bytes that are not UTF-8. A number beyond 63 bits or the range of
 * a double is null: nobody may have asked for it. The fault names file, line and column. *out is the caller's. */
NODISCARD Status json_text_load(const Record *r, json_t **out);
/* The same; NULL where there is a fault, told in *error unless that is NULL. */
json_t *json_text_try(const Record *r, json_error_t *error);
bool json_text_large(void); /* did what this thread loaded last hold such a number? */

#endif
