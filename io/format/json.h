/* json.h - JSON written into a Buffer, on one line, for metrics, predictions and reports.
 *
 * Errors are sticky: calls return nothing, json_finish tells how it went, and that everything was closed. Numbers are
 * the shortest that read back to the same bits; what is not finite becomes null; bytes that are not UTF-8 become
 * U+FFFD, and what a terminal would obey (C1, marks of direction, U+2028) stands as \uXXXX: the same value. Names that
 * Jansson has too (json_object ...) are avoided: the linker would give it ours.
 *
 *     Json j = json_begin(&buffer);
 *     json_open_object(&j);
 *     json_key(&j, "loss"), json_number(&j, 0.25);
 *     json_end(&j);
 *     TRY(json_finish(&j)); // {"loss": 0.25} */
#ifndef IO_FORMAT_JSON_H
#define IO_FORMAT_JSON_H
#include "comm/arena.h"

enum { JSON_DEPTH = 60 };

typedef struct Json {
    Buffer *out;
    Status status;    /* of the first call that failed */
    int depth;        /* open objects and arrays */
    uint64_t objects; /* bit d: level d is an object */
    uint64_t filled;  /* bit d: level d has a member already */
    bool keyed;       /* a key waits for its value */
} Json;

Json json_begin(Buffer *out); /* appends to what is there */
void json_open_object(Json *j);
void json_open_array(Json *j);
void json_end(Json *j); /* closes the innermost object or array */
void json_key(Json *j, const char *key);

void json_text(Json *j, const char *text); /* NULL writes null */
void json_text_n(Json *j, const char *text, size_t size);
void json_number(Json *j, double v);
void json_float(Json *j, float v);
void json_int(Json *j, int64_t v);
void json_bool(Json *j, bool v);
void json_nil(Json *j);

/* Key and value at once. */
void json_put_text(Json *j, const char *key, const char *text);
void json_put_number(Json *j, const char *key, double v);
void json_put_int(Json *j, const char *key, int64_t v);
void json_put_bool(Json *j, const char *key, bool v);

/* The first failure, if any; ERR_INTERNAL when a value is missing or something is left open. */
NODISCARD Status json_finish(Json *j);

#endif
