/* component.h - the settings of a component for tests: its presets, and what the test says otherwise, by paths such as
 * "attention.score.rows". A part is chosen before its rows are said. */
#ifndef TESTS_COMPONENT_H
#define TESTS_COMPONENT_H
#include <stdlib.h>

#include "check.h"
#include "io/config/schema.h"
#include "io/config/value.h"
#include "io/config/yaml.h"

/* The structs of parts live as long as the test. */
static inline Arena *component_arena(void)
{
    static Arena arena;
    return &arena;
}

static inline const Component *component_find(const Component *(*choice)(int i), const char *name)
{
    const Component *c = schema_find(choice, name);
    if (!c) fail_msg("no component %s", name);
    return c;
}

static inline void component_presets(const Field *fields, int n, void *settings);

static inline void component_choose(const Field *f, Chosen *out, const char *name)
{
    const Component *c = component_find(f->family, name);
    void *settings = arena_zeros(component_arena(), 1, c->size + 1);
    assert_non_null(settings);
    component_presets(c->fields, c->n_fields, settings);
    *out = (Chosen){c, settings};
}

/* "[a, b]" or "a b" */
static inline TextList component_list(const char *text)
{
    char *copy = arena_text(component_arena(), text), *save = NULL;
    const char **item = arena_zeros(component_arena(), 64, sizeof *item);
    int n = 0;
    for (char *p = strtok_r(copy, " ,[]", &save); p && n < 64; p = strtok_r(NULL, " ,[]", &save)) item[n++] = p;
    return (TextList){n, item};
}

static inline void component_put_value(const Field *f, char *at, const char *text)
{
    int choice = 0;
    switch (f->kind) {
    case FIELD_BOOL: *(bool *)at = strcmp(text, "true") == 0; break;
    case FIELD_INT: *(int64_t *)at = strtoll(text, NULL, 10); break;
    case FIELD_REAL: *(double *)at = strtod(text, NULL); break;
    case FIELD_BYTES: assert_int_equal(value_bytes(text, (int64_t *)at), VALUE_OK); break;
    case FIELD_SECONDS: assert_int_equal(value_seconds(text, (double *)at), VALUE_OK); break;
    case FIELD_TEXT:
        *(const char **)at = f->none && strcmp(text, f->none) == 0 ? NULL
                             : strcmp(text, "\"\"") == 0           ? ""
                                                                   : arena_text(component_arena(), text);
        break;
    case FIELD_LIST: *(TextList *)at = component_list(text); break;
    case FIELD_CHOICE:
        while (f->choice(choice) && strcmp(f->choice(choice), text) != 0) choice++;
        CHECK(f->choice(choice), "%s: no choice %s", f->key, text);
        *(int *)at = choice;
        break;
    case FIELD_PART: component_choose(f, (Chosen *)(void *)at, text); break;
    case FIELD_GROUP: fail_msg("%s is a group", f->key);
    }
}

static inline void component_put_path(const Field *fields, int n, void *settings, const char *path, const char *text)
{
    const size_t size = strcspn(path, ".");
    const char *rest = path[size] ? path + size + 1 : NULL;
    const Field *f = fields;
    while (f < fields + n && (strncmp(f->key, path, size) != 0 || f->key[size])) f++;
    CHECK(f < fields + n, "no setting %s", path);
    char *at = (char *)settings + f->offset;
    if (!rest || (f->kind == FIELD_PART && strcmp(rest, "name") == 0)) {
        component_put_value(f, at, text);
    } else if (f->kind == FIELD_GROUP) {
        component_put_path(f->rows->fields, f->rows->n_fields, at, rest, text);
    } else {
        CHECK(f->kind == FIELD_PART, "%s has no keys", path);
        const Chosen *part = (const Chosen *)(const void *)at;
        component_put_path(part->def->fields, part->def->n_fields, (void *)(uintptr_t)part->settings, rest, text);
    }
}

/* Of a map in YAML: the name of a part, which chooses it, comes first. */
static inline void component_put_map(const Field *fields, int n, void *settings, const char *path, const YamlNode *map)
{
    for (int name = 1; name >= 0; name--)
        for (const YamlNode *key = map->first; key; key = key->next) {
            if (name != (strcmp(key->text, "name") == 0)) continue;
            const char *inside = arena_format(component_arena(), "%s.%s", path, key->text);
            if (key->value->kind == YAML_MAP)
                component_put_map(fields, n, settings, inside, key->value);
            else
                component_put_path(fields, n, settings, inside, key->value->text);
        }
}

static inline void component_presets(const Field *fields, int n, void *settings)
{
    for (int i = 0; i < n; i++) {
        const Field *f = &fields[i];
        YamlNode *map;
        if (f->kind == FIELD_GROUP) component_presets(f->rows->fields, f->rows->n_fields, (char *)settings + f->offset);
        if (f->preset && *f->preset == '{') {
            CHECK_OK(yaml_read(&map, component_arena(), f->key, f->preset, strlen(f->preset)));
            component_put_map(fields, n, settings, f->key, map);
        } else if (f->preset) {
            component_put_path(fields, n, settings, f->key, f->preset);
        }
    }
}

/* "*.hidden" stands for that key of every group. */
static inline void component_put(const Component *c, void *settings, const char *key, const char *text)
{
    const bool every = strncmp(key, "*.", 2) == 0;
    for (int i = 0; every && i < c->n_fields; i++) {
        const Field *f = &c->fields[i];
        if (f->kind == FIELD_GROUP)
            component_put_path(f->rows->fields, f->rows->n_fields, (char *)settings + f->offset, key + 2, text);
    }
    if (!every) component_put_path(c->fields, c->n_fields, settings, key, text);
}

/* Does that path lead to a setting, as the parts are chosen now? */
static inline bool component_has(const Field *fields, int n, const void *settings, const char *path)
{
    const size_t size = strcspn(path, ".");
    const Field *f = fields;
    while (f < fields + n && (strncmp(f->key, path, size) != 0 || f->key[size])) f++;
    if (f == fields + n || !path[size]) return f < fields + n;
    const char *at = (const char *)settings + f->offset, *rest = path + size + 1;
    if (f->kind == FIELD_GROUP) return component_has(f->rows->fields, f->rows->n_fields, at, rest);
    const Chosen *part = (const Chosen *)(const void *)at;
    return f->kind == FIELD_PART && component_has(part->def->fields, part->def->n_fields, part->settings, rest);
}

/* Small numbers for parts that have them, unless set says their paths. */
static inline void component_small(const Component *c, void *settings, const char *const *set)
{
    static const char *const small[][2] = {{"attention.score.width", "3"},
                                           {"attention.score.rows", "2"},
                                           {"attention.range.window", "1"},
                                           {"characters.score.width", "3"},
                                           {"readout.width", "3"}};
    for (int i = 0; i < COUNT(small); i++) {
        bool said = false;
        for (const char *const *s = set; s && s[0]; s += 2) said = said || strcmp(s[0], small[i][0]) == 0;
        if (!said && component_has(c->fields, c->n_fields, settings, small[i][0]))
            component_put(c, settings, small[i][0], small[i][1]);
    }
}

/* set: key, value, key, value, ..., NULL */
static inline void component_settings(const Component *c, void *settings, const char *const *set)
{
    memset(settings, 0, c->size);
    component_presets(c->fields, c->n_fields, settings);
    for (; set && set[0]; set += 2) component_put(c, settings, set[0], set[1]);
}

#endif
