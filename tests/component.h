/* component.h - the settings of a component for tests: its presets, and what the test says otherwise. */
#ifndef TESTS_COMPONENT_H
#define TESTS_COMPONENT_H
#include <stdlib.h>

#include "check.h"
#include "io/config/schema.h"

static inline void component_put(const Component *c, void *settings, const char *key, const char *text)
{
    for (int i = 0; i < c->n_fields; i++) {
        const Field *f = &c->fields[i];
        if (strcmp(f->key, key) != 0) continue;
        char *at = (char *)settings + f->offset;
        if (f->kind == FIELD_BOOL)
            *(bool *)at = strcmp(text, "true") == 0;
        else if (f->kind == FIELD_INT)
            *(int64_t *)at = strtoll(text, NULL, 10);
        else if (f->kind == FIELD_REAL)
            *(double *)at = strtod(text, NULL);
        else if (f->kind == FIELD_TEXT)
            *(const char **)at = text;
        else
            fail_msg("%s: kind %d", key, (int)f->kind);
        return;
    }
    fail_msg("%s has no setting %s", c->name, key);
}

/* set: key, value, key, value, ..., NULL */
static inline void component_settings(const Component *c, void *settings, const char *const *set)
{
    memset(settings, 0, c->size);
    for (int i = 0; i < c->n_fields; i++)
        if (c->fields[i].preset) component_put(c, settings, c->fields[i].key, c->fields[i].preset);
    for (; set && set[0]; set += 2) component_put(c, settings, set[0], set[1]);
}

static inline const Component *component_find(const Component *(*choice)(int i), const char *name)
{
    for (int i = 0; choice(i); i++)
        if (strcmp(choice(i)->name, name) == 0) return choice(i);
    fail_msg("no component %s", name);
    return NULL;
}

#endif
