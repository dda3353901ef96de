/* optim_fixture.h - for the tests of the optimisers: settings from their presets, parameters, numbers to feed. */
#ifndef TESTS_OPTIM_FIXTURE_H
#define TESTS_OPTIM_FIXTURE_H
#include <stdlib.h>

#include "component.h"
#include "trainer/core/clip.h"
#include "trainer/optim/optim.h"

static inline const Component *fixture_component(const char *name)
{
    const Component *c = schema_find(optim_choice, name);
    assert_non_null(c);
    return c;
}

/* A setting that the component does not have is passed over. */
static inline void fixture_set(const Component *c, void *settings, const char *key, double value)
{
    const Field *f = schema_row(c->fields, c->n_fields, key);
    if (!f) return;
    char *at = (char *)settings + f->offset;
    if (f->kind == FIELD_BOOL)
        *(bool *)at = value != 0;
    else if (f->kind == FIELD_INT)
        *(int64_t *)at = (int64_t)value;
    else
        *(double *)at = value;
}

/* The struct of a component with every row at its preset. */
static inline void *fixture_settings(const Component *c, Arena *a)
{
    void *settings = arena_zeros(a, 1, c->size);
    assert_non_null(settings);
    component_settings(c, settings, NULL);
    return settings;
}

/* Any numbers, always the same. */
static inline double fixture_number(int64_t i) { return sin(12.9898 * (double)i + 1) * 0.75; }

#endif
