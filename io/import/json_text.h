/* json_text.h - one JSON object as a text with a label: what lines of JSON files and queries share. */
#ifndef IO_IMPORT_JSON_TEXT_H
#define IO_IMPORT_JSON_TEXT_H
#include "io/import/import.h"

/* The text of a JSON value may be a string (split into sentences), a list of strings (sentences), or a list of lists
 * of strings (words). Each needs its own way of splitting. */
typedef struct JsonTextTools {
    TextTool *free_text, *sentences, *words;
    Buffer joined, label;
} JsonTextTools;

NODISCARD Status json_text_open(JsonTextTools *t, Arena *run, const TextSettings *settings);
void json_text_close(JsonTextTools *t);

/* The line's member text_key as words, and its member label_key (a string or a whole number) as a label, which is valid
 * until the next call. label_key NULL: no label is wanted. */
NODISCARD Status json_text_parse(JsonTextTools *t, const Record *r, const char *text_key, const char *label_key,
                                 Arena *scratch, TextWords *text, Word *label);

#endif
