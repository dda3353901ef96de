/* config_match.c - which row does each given key belong to? Unknown, misplaced and foreign keys end here. */
#include <stdio.h>
#include <string.h>

#include "io/config/config_parts.h"

enum { NAMES = 512 };

typedef struct Names {
    const char *item[NAMES];
    int n;
} Names;

static void add(Names *names, const char *name)
{
    if (names->n < NAMES) names->item[names->n++] = name;
}

const Field *config_find_field(const Field *fields, int n, const char *key)
{
    for (int i = 0; i < n; i++)
        if (strcmp(fields[i].key, key) == 0) return &fields[i];
    return NULL;
}

static bool has_row(const Section *s, const char *key)
{
    bool has = config_find_field(s->fields, s->n_fields, key) != NULL;
    for (int i = 0; s->choice && s->choice(i) && !has; i++)
        has = config_find_field(s->choice(i)->fields, s->choice(i)->n_fields, key) != NULL;
    return has;
}

/* The components of a section's family that have this key: "adam or adamw"; NULL when none has. */
static const char *owners(Arena *arena, const Section *s, const char *key)
{
    const char *list = NULL;
    for (int i = 0; s->choice && s->choice(i); i++) {
        const Component *k = s->choice(i);
        if (!config_find_field(k->fields, k->n_fields, key)) continue;
        list = list ? arena_format(arena, "%s or %s", list, k->name) : k->name;
        if (!list) return "(out of memory)";
    }
    return list;
}

static const char *homes(const Config *c, const Part *not_here, const char *key)
{
    const char *list = NULL;
    for (int i = 0; i < c->n_parts; i++) {
        const Section *s = c->part[i].section;
        if (&c->part[i] == not_here || !has_row(s, key)) continue;
        list = list ? arena_format(c->arena, "%s or %s", list, s->name) : s->name;
        if (!list) return "(out of memory)";
    }
    return list;
}

static void names_of(const Part *p, Names *names)
{
    const Section *s = p->section;
    if (s->choice) add(names, "name");
    for (int i = 0; i < s->n_fields; i++) add(names, s->fields[i].key);
    for (int i = 0; p->chosen && i < p->chosen->n_fields; i++) add(names, p->chosen->fields[i].key);
}

/* "name, hidden, dropout"; a long list ends early. */
static const char *names_text(Arena *arena, const Names *names)
{
    const char *list = names->n ? names->item[0] : "no keys";
    for (int i = 1; i < names->n && list; i++) {
        list = arena_format(arena, "%s, %s", list, i < 20 ? names->item[i] : "...");
        if (i == 20) break;
    }
    return list ? list : "(out of memory)";
}

static const char *near_elsewhere(const Config *c, const Part *not_here, const char *key)
{
    Names all = {.n = 0};
    for (int i = 0; i < c->n_parts; i++)
        if (&c->part[i] != not_here) names_of(&c->part[i], &all);
    const char *near = config_nearest(key, all.item, all.n);
    const char *section = near ? homes(c, not_here, near) : NULL;
    return section ? arena_format(c->arena, "%s in section %s", near, section) : NULL;
}

static void unknown_key(const Config *c, const Part *p, const Given *g, ConfigFaults *faults)
{
    if (config_faults_full(faults)) {
        faults->n++;
        return;
    }
    Names here = {.n = 0};
    names_of(p, &here);
    const char *section = p->section->name, *shown = config_shown(c->arena, g->key);
    const char *near = config_nearest(g->key, here.item, here.n), *home = homes(c, p, g->key);
    if (!near && !home) near = near_elsewhere(c, p, g->key);
    if (home)
        config_fault_at(faults, &g->place, "%s.%s: unknown key; %s belongs in section %s", section, shown, shown, home);
    else if (near)
        config_fault_at(faults, &g->place, "%s.%s: unknown key; did you mean %s?", section, shown, near);
    else
        config_fault_at(faults, &g->place, "%s.%s: unknown key; section %s has %s", section, shown, section,
                        names_text(c->arena, &here));
}

static void no_such_choice(const Config *c, const Part *p, const Names *names, ConfigFaults *faults)
{
    const char *list = names_text(c->arena, names), *section = p->section->name;
    if (!p->name) {
        if (!faults->unread && !p->unread) config_fault(faults, section, "name", "missing; expected one of %s", list);
        return;
    }
    const YamlNode *value = p->name->value;
    const char *near = value->kind == YAML_TEXT ? config_nearest(value->text, names->item, names->n) : NULL;
    const Place place = config_place(&p->name->place, value);
    config_fault_at(faults, &place, "%s.name: expected one of %s; found %s%s%s%s", section, list,
                    config_found(c->arena, value), near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

/* The last one that gave `name` wins. */
static void choose(const Config *c, Part *p, ConfigFaults *faults)
{
    const Section *s = p->section;
    if (!s->choice || (s->optional && !p->given)) return;
    for (const Given *g = p->first; g; g = g->next)
        if (strcmp(g->key, "name") == 0) p->name = g;
    const char *name = p->name ? p->name->value->text : s->preset;
    Names names = {.n = 0};
    for (int i = 0; s->choice(i); i++) {
        add(&names, s->choice(i)->name);
        if (name && strcmp(name, s->choice(i)->name) == 0) p->chosen = s->choice(i);
    }
    p->bad_name = !p->chosen;
    if (p->bad_name) no_such_choice(c, p, &names, faults);
}

const Given *config_entry(const Part *p, const char *key)
{
    if (!p || !p->entry) return NULL;
    const Section *s = p->section;
    if (s->choice && strcmp(key, "name") == 0) return p->name;
    const Field *f = config_find_field(s->fields, s->n_fields, key);
    if (f) return p->entry[f - s->fields];
    f = p->chosen ? config_find_field(p->chosen->fields, p->chosen->n_fields, key) : NULL;
    return f ? p->own[f - p->chosen->fields] : NULL;
}

static bool match_row(const Field *fields, int n, const Given **entry, const Given *g)
{
    const Field *f = config_find_field(fields, n, g->key);
    if (f) entry[f - fields] = g;
    return f != NULL;
}

/* A key of a component that was not chosen: a fault where both were said, but not when the choice was overridden from
 * above (--set optim.name=sgd): then what the file said for adam rests. */
static void foreign_key(const Part *p, const Given *g, const char *owner, ConfigFaults *faults)
{
    const bool overridden = p->name && g->place.layer < p->name->place.layer;
    if (p->bad_name || overridden) return;
    config_fault_at(faults, &g->place, "%s.%s: key %s belongs to %s, but %s.name is %s", p->section->name, g->key,
                    g->key, owner, p->section->name, p->chosen ? p->chosen->name : "not given");
}

void config_match_part(Config *c, Part *p, ConfigFaults *faults)
{
    const Section *s = p->section;
    const Component *k = p->chosen;
    p->entry = arena_zeros(c->arena, s->n_fields, sizeof *p->entry);
    p->own = arena_zeros(c->arena, k ? k->n_fields : 0, sizeof *p->own);
    if (!p->entry || !p->own) {
        faults->status = ERR_HOST;
        return;
    }
    for (const Given *g = p->first; g; g = g->next) {
        if (s->choice && strcmp(g->key, "name") == 0) continue;
        if (match_row(s->fields, s->n_fields, p->entry, g)) continue;
        if (k && match_row(k->fields, k->n_fields, p->own, g)) continue;
        const char *owner = owners(c->arena, s, g->key);
        if (owner)
            foreign_key(p, g, owner, faults);
        else
            unknown_key(c, p, g, faults);
    }
}

void config_match(Config *c, ConfigFaults *faults)
{
    for (int i = 0; i < c->n_parts; i++) choose(c, &c->part[i], faults);
    for (int i = 0; i < c->n_parts && faults->status == OK; i++) config_match_part(c, &c->part[i], faults);
}
