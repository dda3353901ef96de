/* config_match.c - which row does each given key belong to? What is for a group or a part is handed down to it. Then
 * unknown, misplaced, moved and foreign keys end here. */
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

/* "name, hidden, dropout"; a long list ends early. */
static const char *names_text(Arena *arena, const Names *names)
{
    const char *list = names->n ? names->item[0] : "no keys";
    for (int i = 1; names->n > 1 && i < names->n && list; i++) {
        list = arena_format(arena, "%s, %s", list, i < 20 ? names->item[i] : "...");
        if (i == 20) break;
    }
    return list ? list : "(out of memory)";
}

/* --- The choice --- */

/* "model.name" or "model.attention.score" */
static const char *choice_path(const Config *c, const Part *p)
{
    const char *path = p->parent ? p->path : arena_format(c->arena, "%s.name", p->path);
    return path ? path : "(out of memory)";
}

static bool is_there(const Part *p) { return !p->section->optional || config_part_root(p)->given; }

static void no_such_choice(const Config *c, const Part *p, const Names *names, ConfigFaults *faults)
{
    const char *list = names_text(c->arena, names), *path = choice_path(c, p);
    if (!p->name) {
        const bool shown = !faults->unread && !p->unread && !config_part_root(p)->unread;
        if (shown) config_fault_of(faults, p, p->parent ? NULL : "name", "missing; expected one of %s", list);
        return;
    }
    const YamlNode *value = p->name->value;
    const char *near = value->kind == YAML_TEXT ? config_nearest(value->text, names->item, names->n) : NULL;
    const Place place = config_place(&p->name->place, value);
    config_fault_at(faults, &place, "%s: expected one of %s; found %s%s%s%s", path, list, config_found(c->arena, value),
                    near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

/* The highest layer that gave `name` wins, and the last one of it. */
static void choose(const Config *c, Part *p, ConfigFaults *faults)
{
    if (!p->family || !is_there(p)) return;
    for (const Given *g = p->first; g; g = g->next)
        if (strcmp(g->key, "name") == 0 && !g->rest) p->name = g;
    const char *name = p->name ? p->name->value->text : p->preset;
    Names names = {.n = 0};
    for (int i = 0; p->family(i); i++) {
        add(&names, p->family(i)->name);
        if (name && strcmp(name, p->family(i)->name) == 0) p->chosen = p->family(i);
    }
    p->bad_name = !p->chosen;
    if (p->bad_name) no_such_choice(c, p, &names, faults);
}

/* --- Rows --- */

const Given *config_entry(const Part *p, const char *key)
{
    if (!p || !p->entry) return NULL;
    if (p->family && strcmp(key, "name") == 0) return p->name;
    const Field *f = schema_row(p->fields, p->n_fields, key);
    if (f) return p->entry[f - p->fields];
    f = p->chosen ? schema_row(p->chosen->fields, p->chosen->n_fields, key) : NULL;
    return f ? p->own[f - p->chosen->fields] : NULL;
}

static bool is_nested(const Field *f) { return f->kind == FIELD_GROUP || f->kind == FIELD_PART; }

/* The row that the key begins with, and in *rest what follows: in the environment, where _ may stand for a point, the
 * longest such row counts. */
static const Field *find_row(const Field *fields, int n, const Given *g, const char **rest)
{
    const Field *best = schema_row(fields, n, g->key);
    size_t longest = 0;
    *rest = g->rest;
    if (best && (!g->rest || is_nested(best))) return best;
    best = NULL;
    for (int i = 0; g->env && i < n; i++) {
        const size_t size = strlen(fields[i].key);
        const bool begins = strncmp(g->key, fields[i].key, size) == 0 && g->key[size] == '_' && g->key[size + 1];
        if (!is_nested(&fields[i]) || !begins || size <= longest) continue;
        best = &fields[i];
        longest = size;
        *rest = g->key + size + 1;
    }
    return best;
}

/* A map's keys, the choice of a part alone, or a key further down the path. */
static void hand_down(Config *c, Part *child, const Given *g, const char *rest, ConfigFaults *faults)
{
    if (g->place.line) child->place = g->place;
    if (rest) {
        const char *point = g->env ? NULL : strchr(rest, '.');
        const char *key = point ? arena_format(c->arena, "%.*s", (int)(point - rest), rest) : rest;
        if (!key) faults->status = ERR_HOST;
        const Given down = {
            .key = key, .rest = point ? point + 1 : NULL, .env = g->env, .value = g->value, .place = g->place};
        if (key) config_give(c, child, down, faults);
        return;
    }
    const bool braces = g->value->kind == YAML_TEXT && !g->place.line && *g->value->text == '{';
    const YamlNode *value = braces ? config_read_text(c, &g->place, g->value->text, faults) : g->value;
    if (!value) return;
    const Place place = config_place(&g->place, value);
    if (yaml_is_null(value) && g->place.line) return;
    if (value->kind == YAML_MAP) {
        config_give_map(c, child, value, &g->place, faults);
    } else if (value->kind == YAML_TEXT && child->family) {
        config_give(c, child, (Given){.key = "name", .value = value, .place = g->place}, faults);
    } else {
        child->unread = true;
        config_fault_at(faults, &place, "%s: expected keys and values, found %s", child->path,
                        config_found(c->arena, value));
    }
}

/* A preset other than the rows' own: a map, as it would stand in YAML. */
static void give_map(Config *c, Part *child, const char *text, ConfigFaults *faults)
{
    YamlNode *map;
    const Place place = {.where = "preset", .base = c->folder, .layer = LAYER_PRESET};
    const Status st = yaml_read(&map, c->arena, "preset", text, strlen(text));
    if (st == ERR_CONFIG)
        config_fault_at(faults, &place, "%s: %s", child->path, status_message());
    else if (st != OK)
        faults->status = st;
    else
        config_give_map(c, child, map, &place, faults);
}

static void give_preset(Config *c, Part *child, ConfigFaults *faults)
{
    const char *text = child->row->preset;
    if (!text || *text != '{')
        child->preset = text;
    else
        give_map(c, child, text, faults);
}

/* What a component presets other sections to. */
static void give_sections(Config *c, const Part *p, ConfigFaults *faults)
{
    const Component *k = p->chosen;
    if (!k || !k->presets) return;
    for (const Given *g = p->first; g && k->presets_unless; g = g->next)
        if (strcmp(g->key, k->presets_unless) == 0) return;
    for (const SectionPreset *s = k->presets; s->section; s++)
        if (config_part(c, s->section)->first) return;
    for (const SectionPreset *s = k->presets; s->section && faults->status == OK; s++)
        give_map(c, config_part(c, s->section), s->rows, faults);
}

static Part *make_child(Config *c, Part *p, const Field *f, ConfigFaults *faults)
{
    if (p->depth == CONFIG_DEPTH) {
        config_fault_of(faults, p, f->key, "groups and parts inside each other more than %d deep", CONFIG_DEPTH);
        return NULL;
    }
    Part *child = arena_zeros(c->arena, 1, sizeof *child);
    const char *path = arena_format(c->arena, "%s.%s", p->path, f->key);
    if (!child || !path) {
        faults->status = ERR_HOST;
        return NULL;
    }
    *child = (Part){.section = p->section,
                    .parent = p,
                    .row = f,
                    .path = path,
                    .depth = p->depth + 1,
                    .family = f->kind == FIELD_PART ? f->family : NULL};
    if (f->kind == FIELD_GROUP) {
        child->fields = f->rows->fields;
        child->n_fields = f->rows->n_fields;
    }
    *c->tail = child;
    c->tail = &child->next;
    give_preset(c, child, faults);
    return child;
}

static void make_children(Config *c, Part *p, const Field *fields, int n, Part **child, ConfigFaults *faults)
{
    for (int i = 0; i < n && faults->status == OK; i++)
        if (is_nested(&fields[i])) child[i] = make_child(c, p, &fields[i], faults);
}

static bool match_row(Config *c, const Field *fields, int n, const Given **entry, Part **child, Given *g,
                      ConfigFaults *faults)
{
    const char *rest;
    const Field *f = find_row(fields, n, g, &rest);
    if (!f) return false;
    g->known = true;
    entry[f - fields] = g;
    if (child[f - fields]) hand_down(c, child[f - fields], g, rest, faults);
    return true;
}

static bool new_rows(Config *c, int n, const Given ***entry, Part ***child)
{
    *entry = arena_zeros(c->arena, n, sizeof **entry);
    *child = arena_zeros(c->arena, n, sizeof **child);
    return *entry && *child;
}

static void match_children(Config *c, int n, Part **child, ConfigFaults *faults)
{
    for (int i = 0; i < n && faults->status == OK; i++) {
        if (!child[i]) continue;
        choose(c, child[i], faults);
        config_match_part(c, child[i], faults);
    }
}

void config_match_part(Config *c, Part *p, ConfigFaults *faults)
{
    const Field *own = p->chosen ? p->chosen->fields : NULL;
    const int n = p->n_fields, n_own = p->chosen ? p->chosen->n_fields : 0;
    if (!new_rows(c, n, &p->entry, &p->child) || !new_rows(c, n_own, &p->own, &p->own_child)) {
        faults->status = ERR_HOST;
        return;
    }
    make_children(c, p, p->fields, n, p->child, faults);
    make_children(c, p, own, n_own, p->own_child, faults);
    for (Given *g = p->first; g && faults->status == OK; g = g->next) {
        g->known = p->family && strcmp(g->key, "name") == 0 && !g->rest;
        if (g->known || match_row(c, p->fields, n, p->entry, p->child, g, faults)) continue;
        match_row(c, own, n_own, p->own, p->own_child, g, faults);
    }
    match_children(c, n, p->child, faults);
    match_children(c, n_own, p->own_child, faults);
}

/* --- Keys that have no row --- */

/* In its own rows or in those of any component. */
static bool has_row(const Part *p, const char *key)
{
    bool has = schema_row(p->fields, p->n_fields, key) != NULL;
    for (int i = 0; p->family && p->family(i) && !has; i++)
        has = schema_row(p->family(i)->fields, p->family(i)->n_fields, key) != NULL;
    return has;
}

/* The components of a part's family that have this key: "adam or adamw"; NULL when none has. */
static const char *owners(Arena *arena, const Part *p, const Given *g)
{
    const char *list = NULL, *rest;
    for (int i = 0; p->family && p->family(i); i++) {
        const Component *k = p->family(i);
        if (!find_row(k->fields, k->n_fields, g, &rest)) continue;
        list = list ? arena_format(arena, "%s or %s", list, k->name) : k->name;
        if (!list) return "(out of memory)";
    }
    return list;
}

static const char *either(Arena *arena, const char *list, const char *one)
{
    const char *text = list ? arena_format(arena, "%s or %s", list, one) : one;
    return text ? text : "(out of memory)";
}

/* Where else there is a row of this name: "section optim or second", or the groups and parts "model.attention". */
static const char *homes(const Config *c, const Part *not_here, const char *key)
{
    const char *list = NULL;
    for (int i = 0; i < c->n_parts; i++)
        if (&c->part[i] != not_here && has_row(&c->part[i], key))
            list = either(c->arena, list, c->part[i].section->name);
    if (list) {
        list = arena_format(c->arena, "section %s", list);
        return list ? list : "(out of memory)";
    }
    for (const Part *p = c->first_part; p; p = p->next) {
        if (p != not_here && p->parent && has_row(p, key)) list = either(c->arena, list, p->path);
    }
    return list;
}

static void names_of(const Part *p, Names *names)
{
    if (p->family) add(names, "name");
    for (int i = 0; i < p->n_fields; i++) add(names, p->fields[i].key);
    for (int i = 0; p->chosen && i < p->chosen->n_fields; i++) add(names, p->chosen->fields[i].key);
}

static const char *near_elsewhere(const Config *c, const Part *not_here, const char *key)
{
    Names all = {.n = 0};
    for (const Part *p = c->first_part; p; p = p->next)
        if (p != not_here) names_of(p, &all);
    const char *near = config_nearest(key, all.item, all.n);
    const char *home = near ? homes(c, not_here, near) : NULL;
    return home ? arena_format(c->arena, "%s in %s", near, home) : NULL;
}

static void unknown_key(const Config *c, const Part *p, const Given *g, ConfigFaults *faults)
{
    if (config_faults_full(faults)) {
        faults->n++;
        return;
    }
    Names here = {.n = 0};
    names_of(p, &here);
    const char *shown = config_shown(c->arena, g->key), *kind = p->parent ? "" : "section ";
    const char *near = config_nearest(g->key, here.item, here.n), *home = homes(c, p, g->key);
    if (!near && !home) near = near_elsewhere(c, p, g->key);
    if (home)
        config_fault_at(faults, &g->place, "%s.%s: unknown key; %s belongs in %s", p->path, shown, shown, home);
    else if (near)
        config_fault_at(faults, &g->place, "%s.%s: unknown key; did you mean %s?", p->path, shown, near);
    else
        config_fault_at(faults, &g->place, "%s.%s: unknown key; %s%s has %s", p->path, shown, kind, p->path,
                        names_text(c->arena, &here));
}

/* A key with more of a path behind it, whose row is a plain value: "train.batch.size". */
static void no_group(const Part *p, const Given *g, ConfigFaults *faults)
{
    config_fault_at(faults, &g->place, "%s.%s.%s: %s.%s is a value and has no keys", p->path, g->key, g->rest, p->path,
                    g->key);
}

/* A key of a component that was not chosen: a fault where both were said, but not when the choice was overridden from
 * above (--set optim.name=sgd): then what the file said for adam rests. */
static void foreign_key(const Config *c, const Part *p, const Given *g, const char *owner, ConfigFaults *faults)
{
    const bool overridden = p->name && g->place.layer < p->name->place.layer;
    if (p->bad_name || overridden) return;
    config_fault_at(faults, &g->place, "%s.%s: key %s belongs to %s, but %s is %s", p->path, g->key, g->key, owner,
                    choice_path(c, p), p->chosen ? p->chosen->name : "not given");
}

static const Moved *find_moved(const Moved *moved, const char *key)
{
    for (const Moved *m = moved; m && m->from; m++)
        if (strcmp(m->from, key) == 0) return m;
    return NULL;
}

static bool has_key(const Part *p, const char *key)
{
    const Component *k = p->chosen;
    return (p->family && strcmp(key, "name") == 0) || schema_row(p->fields, p->n_fields, key) ||
           (k && schema_row(k->fields, k->n_fields, key));
}

/* "model.word.hidden and model.sentence.hidden" */
static const char *new_places(const Config *c, const Part *p, const char *to)
{
    const char *list = NULL;
    for (; to; to = strchr(to, ' ') ? strchr(to, ' ') + 1 : NULL)
        list = arena_format(c->arena, "%s%s%s.%.*s", list ? list : "", list ? " and " : "", p->path,
                            (int)strcspn(to, " "), to);
    return list ? list : "(out of memory)";
}

static void unmatched(const Config *c, const Part *p, const Given *g, ConfigFaults *faults)
{
    const Component *k = p->chosen;
    const Moved *moved = k ? find_moved(k->moved, g->key) : NULL;
    if (!moved && !p->parent) moved = find_moved(p->section->moved, g->key);
    const char *owner = owners(c->arena, p, g);
    if (moved)
        config_fault_at(faults, &g->place, "%s.%s: this setting is now %s", p->path, g->key,
                        new_places(c, p, moved->to));
    else if (g->rest && has_key(p, g->key))
        no_group(p, g, faults);
    else if (owner)
        foreign_key(c, p, g, owner, faults);
    else
        unknown_key(c, p, g, faults);
}

void config_match_faults(const Config *c, const Part *p, ConfigFaults *faults)
{
    for (const Given *g = p->first; g; g = g->next)
        if (!g->known) unmatched(c, p, g, faults);
    for (int i = 0; p->child && i < p->n_fields; i++)
        if (p->child[i]) config_match_faults(c, p->child[i], faults);
    for (int i = 0; p->own_child && p->chosen && i < p->chosen->n_fields; i++)
        if (p->own_child[i]) config_match_faults(c, p->own_child[i], faults);
}

void config_match(Config *c, ConfigFaults *faults)
{
    for (int i = 0; i < c->n_parts; i++) choose(c, &c->part[i], faults);
    for (int i = 0; i < c->n_parts && faults->status == OK; i++) give_sections(c, &c->part[i], faults);
    for (int i = 0; i < c->n_parts && faults->status == OK; i++) config_match_part(c, &c->part[i], faults);
    for (int i = 0; i < c->n_parts && faults->status == OK; i++) config_match_faults(c, &c->part[i], faults);
}
