/* json_fields.h - a JSON object as the fields of an example: what lines of JSON files and questions share. */
#ifndef IO_IMPORT_JSON_FIELDS_H
#define IO_IMPORT_JSON_FIELDS_H
#include "io/import/import.h"
#include "io/import/json_text.h"

/* The text of a JSON value may be a string (split into sentences), a list of strings (sentences), or a list of lists
 * of strings (words). A single sentence is a string or a list of words. Each needs its own way of splitting. */
typedef struct JsonTools {
    TextTool *free_text, *sentences, *words, *sentence;
    Buffer joined, label;
} JsonTools;

/* A member of the object, and the field that it fills: by levels and type
 *   text of 2 levels, of 1 level (see above), a name (a string or a whole number)
 *   plain numbers: a whole number, or a list of them
 *   floats of 1 level: a list of lists of width numbers */
typedef struct JsonKey {
    const char *key;
    const DataField *field;
    int at;        /* place in the example */
    bool optional; /* left out, a text has no words, and of anything else nothing is known */
} JsonKey;

NODISCARD Status json_open(JsonTools *t, Arena *run, const TextSettings *settings);
void json_close(JsonTools *t);
/* fits (may be NULL): set when the object has not what it must have; then nothing is read, and nothing is a fault. */
NODISCARD Status json_parse(JsonTools *t, const Record *r, int n, const JsonKey *key, Arena *scratch, Example *out,
                            bool *fits);

/* The member key as a label, valid until the next call; of 0 bytes where json_parse would find a fault. */
NODISCARD Status json_label(JsonTools *t, const Record *r, const char *key, Word *label);

/* The member text_key as words, and the member label_key as a label, which is valid until the next call. label_key
 * NULL: no label is wanted. */
NODISCARD Status json_text_parse(JsonTools *t, const Record *r, const char *text_key, const char *label_key,
                                 Arena *scratch, TextWords *text, Word *label);

#endif
