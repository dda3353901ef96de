/* packed.h - small batches for tests, packed from nested lists without a corpus. */
#ifndef TESTS_PACKED_H
#define TESTS_PACKED_H
#include <stdlib.h>

#include "fields.h"
#include "io/batch/batch.h"

enum { PACKED_MOST = 256 };

/* Words of sentences of examples, written as text: '/' ends a sentence, '|' an example. "1 2/3|4" has two examples, the
 * first with two sentences. An example without anything between bars has no sentences; "//" holds an empty one. */
typedef struct Packed {
    int64_t first[PACKED_MOST], second[PACKED_MOST];
    int32_t id[PACKED_MOST];
} Packed;

static inline void packed_end(Ragged *r, int64_t *offset, int level)
{
    offset[++r->count[level]] = r->count[level + 1];
}

/* levels 1: words of examples (no '/'); levels 2: words of sentences. */
static inline Ragged packed_field(Packed *p, const char *name, int levels, const char *text)
{
    Ragged r = {.field = test_field_of(name), .id = p->id, .offset = {p->first, p->second}};
    CHECK(r.field->levels == levels, "field %s has %d levels", name, r.field->levels);
    p->first[0] = p->second[0] = 0;
    for (const char *c = text;; c++) {
        if (*c >= '0' && *c <= '9') {
            char *end;
            p->id[r.count[levels]++] = (int32_t)strtol(c, &end, 10);
            c = end - 1;
        }
        if (*c == '/') packed_end(&r, p->second, 1);
        if (*c != '|' && *c != '\0') continue;
        packed_end(&r, p->first, 0);
        if (*c == '\0') return r;
    }
}

#endif
