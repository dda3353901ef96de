/* fields.h - the fields that batches of tests are made of, by name. */
#ifndef TESTS_FIELDS_H
#define TESTS_FIELDS_H
#include "check.h"
#include "io/batch/field.h"

static const DataField test_fields[] = {
    {.name = "text", .role = ROLE_INPUT, .vocab = "words", .levels = 2, .special = true},
    {.name = "story", .role = ROLE_INPUT, .vocab = "words", .levels = 2, .special = true},
    {.name = "source", .role = ROLE_INPUT, .vocab = "source", .levels = 1, .special = true},
    {.name = "question", .role = ROLE_QUERY, .vocab = "words", .levels = 1, .special = true},
    {.name = "label", .role = ROLE_TARGET, .vocab = "labels", .levels = 0, .closed = true},
    {.name = "answer", .role = ROLE_TARGET, .vocab = "answers", .levels = 0, .special = true},
    {.name = "target", .role = ROLE_TARGET, .vocab = "target", .levels = 1, .special = true},
    {.name = "source_chars", .role = ROLE_SPELLING, .of = "source", .vocab = "characters", .levels = 2},
    {.name = "target_chars", .role = ROLE_SPELLING, .of = "target", .vocab = "characters", .levels = 2},
    {.name = "task", .role = ROLE_GROUP, .levels = 0},
    {.name = "features", .role = ROLE_FEATURES, .levels = 1, .type = FIELD_FLOATS, .width = 1},
};

static inline const DataField *test_field_of(const char *name)
{
    const int f = field_named((int)(sizeof test_fields / sizeof *test_fields), test_fields, name);
    CHECK(f >= 0, "no field %s", name);
    return &test_fields[f];
}

#endif
