/* schema.c - looking up components and rows; and are our own rows right? */
#include "io/config/schema.h"

#include <string.h>

#include "io/config/config_parts.h"

const Component *schema_find(const Component *(*family)(int i), const char *name)
{
    for (int i = 0; family(i); i++)
        if (strcmp(family(i)->name, name) == 0) return family(i);
    return NULL;
}

const Field *schema_row(const Field *fields, int n, const char *key)
{
    for (int i = 0; i < n; i++)
        if (strcmp(fields[i].key, key) == 0) return &fields[i];
    return NULL;
}

bool config_is_open(const OpenFamily *open, const Component *(*family)(int i))
{
    for (; open; open = open->outer)
        if (open->family == family) return true;
    return false;
}

/* --- The check of a table. A place is called "model(han).word.score(dot)". --- */

typedef struct Checker {
    Config *c;
    ConfigFaults *faults;
    const Section *section;
} Checker;

static void row_fault(const Checker *k, const char *where, const char *key, const char *what)
{
    const Place place = {.where = "table"};
    config_fault_at(k->faults, &place, "%s.%s: %s", where, key, what);
}

static const char *join(const Checker *k, const char *format, const char *a, const char *b)
{
    const char *text = arena_format(k->c->arena, format, a, b);
    if (!text) k->faults->status = ERR_HOST;
    return text ? text : "";
}

static bool good_word(const char *word)
{
    return word && *word && word[strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

static bool is_sentence(const char *help)
{
    const size_t n = help ? strlen(help) : 0;
    return n > 1 && help[n - 1] == '.';
}

/* Is there a row at this path, which ends at a space? */
static bool has_path(const Field *fields, int n, const char *path)
{
    const size_t size = strcspn(path, ". ");
    const char *rest = path[size] == '.' ? path + size + 1 : NULL;
    for (int i = 0; i < n; i++) {
        const Field *f = &fields[i];
        if (strncmp(f->key, path, size) != 0 || f->key[size]) continue;
        if (!rest) return true;
        if (f->kind == FIELD_GROUP) return has_path(f->rows->fields, f->rows->n_fields, rest);
        for (int m = 0; f->kind == FIELD_PART && f->family(m); m++)
            if (has_path(f->family(m)->fields, f->family(m)->n_fields, rest)) return true;
    }
    return false;
}

static void check_moved(const Checker *k, const char *where, const Moved *moved, const Field *shared, int n_shared,
                        const Field *fields, int n)
{
    for (const Moved *m = moved; m && m->from; m++) {
        if (schema_row(shared, n_shared, m->from) || schema_row(fields, n, m->from))
            row_fault(k, where, m->from, "a key that moved is still a row");
        for (const char *to = m->to; to; to = strchr(to, ' ') ? strchr(to, ' ') + 1 : NULL)
            if (!has_path(shared, n_shared, to) && !has_path(fields, n, to))
                row_fault(k, where, m->from, "there is no row where it moved");
    }
}

/* The presets, as if nothing was given and this component chosen. */
static void check_presets(const Checker *k, Part *p, const Component *chosen)
{
    p->chosen = chosen;
    p->given = true;
    config_match_part(k->c, p, k->faults);
    if (k->faults->status == OK) config_match_faults(k->c, p, k->faults);
    if (k->faults->status == OK) config_fill_part(k->c, p, NULL, k->faults);
}

static void check_rows(const Checker *k, const char *where, const OpenFamily *open, const Field *fields, int n);

static void check_component(const Checker *k, const char *where, const OpenFamily *open, const Component *m)
{
    if (!is_sentence(m->help)) row_fault(k, where, "", "help is a sentence that ends with a point");
    check_rows(k, where, open, m->fields, m->n_fields);
}

static void check_family(const Checker *k, const char *where, const OpenFamily *open, const Field *f)
{
    const OpenFamily inside_it = {f->family, open};
    bool found = !f->preset || *f->preset == '{';
    for (int i = 0; f->family(i) && k->faults->status == OK; i++) {
        const Component *m = f->family(i);
        const char *inside = join(k, "%s(%s)", where, m->name);
        found |= f->preset && strcmp(f->preset, m->name) == 0;
        if (schema_row(m->fields, m->n_fields, "name")) row_fault(k, inside, "name", "a part has that key already");
        check_component(k, inside, &inside_it, m);
        check_moved(k, inside, m->moved, NULL, 0, m->fields, m->n_fields);
        Part *p = arena_zeros(k->c->arena, 1, sizeof *p);
        if (!p) {
            k->faults->status = ERR_HOST;
            return;
        }
        *p = (Part){.section = k->section, .row = f, .path = where, .family = f->family};
        check_presets(k, p, m);
    }
    if (!found) row_fault(k, where, "name", "the preset is none of the choices");
}

static void check_nested(const Checker *k, const char *where, const OpenFamily *open, const Field *f)
{
    const char *inside = join(k, "%s.%s", where, f->key);
    if (f->kind == FIELD_PART) {
        if (f->family && !config_is_open(open, f->family))
            check_family(k, inside, open, f);
        else if (!f->family)
            row_fault(k, where, f->key, "a part has a family");
        return;
    }
    if (!f->rows || f->rows->n_fields == 0)
        row_fault(k, where, f->key, "a group has rows");
    else if (f->rows->size != f->size)
        row_fault(k, where, f->key, "the rows of a group fill a struct of another size");
    else
        check_rows(k, inside, open, f->rows->fields, f->rows->n_fields);
}

static void check_row(const Checker *k, const char *where, const OpenFamily *open, const Field *f)
{
    const bool text = f->kind == FIELD_TEXT || f->kind == FIELD_LIST || f->kind == FIELD_CHOICE;
    const bool nested = f->kind == FIELD_GROUP || f->kind == FIELD_PART;
    if (!is_sentence(f->help)) row_fault(k, where, f->key, "help is a sentence that ends with a point");
    if (f->choice && !text) row_fault(k, where, f->key, "only texts and lists have choices");
    if (!f->choice && f->kind == FIELD_CHOICE) row_fault(k, where, f->key, "an enum has choices");
    if (f->none && f->kind != FIELD_TEXT) row_fault(k, where, f->key, "only a text has a word for nothing");
    if (f->is_file && f->kind != FIELD_TEXT && f->kind != FIELD_LIST)
        row_fault(k, where, f->key, "only texts and lists are files");
    if (nested) check_nested(k, where, open, f);
}

static void check_rows(const Checker *k, const char *where, const OpenFamily *open, const Field *fields, int n)
{
    for (int i = 0; i < n && k->faults->status == OK; i++) {
        const Field *f = &fields[i];
        if (!good_word(f->key)) {
            row_fault(k, where, f->key, "a key is a lower-case word");
            continue;
        }
        if (schema_row(fields, i, f->key)) row_fault(k, where, f->key, "a key that the section has already");
        check_row(k, where, open, f);
    }
}

static void check_against(const Checker *k, const char *where, const Field *fields, int n)
{
    const Section *s = k->section;
    for (int i = 0; i < n; i++) {
        const char *key = fields[i].key;
        if (!key) continue;
        if ((fields != s->fields && schema_row(s->fields, s->n_fields, key)) || (s->choice && strcmp(key, "name") == 0))
            row_fault(k, where, key, "a key that the section has already");
    }
}

static void check_section(const Checker *k, Part *p)
{
    const Section *s = k->section;
    bool found = !s->preset;
    if (!good_word(s->name)) row_fault(k, s->name, "", "a section is a lower-case word");
    if (!is_sentence(s->help)) row_fault(k, s->name, "", "help is a sentence that ends with a point");
    check_rows(k, s->name, NULL, s->fields, s->n_fields);
    check_against(k, s->name, s->fields, s->n_fields);
    check_moved(k, s->name, s->moved, NULL, 0, s->fields, s->n_fields);
    if (!s->choice) check_presets(k, p, NULL);
    for (int i = 0; s->choice && s->choice(i) && k->faults->status == OK; i++) {
        const Component *m = s->choice(i);
        const char *where = join(k, "%s(%s)", s->name, m->name);
        found |= s->preset && strcmp(s->preset, m->name) == 0;
        check_component(k, where, NULL, m);
        check_against(k, where, m->fields, m->n_fields);
        check_moved(k, where, m->moved, s->fields, s->n_fields, m->fields, m->n_fields);
        check_presets(k, p, m);
    }
    if (!found) row_fault(k, s->name, "name", "the preset is none of the choices");
}

static Status check_all(const ConfigTable *table, Arena *arena)
{
    Config *c;
    TRY_NEW(c, arena, 1);
    *c = (Config){.table = table, .name = "table", .folder = "/", .arena = arena};
    TRY(config_make_parts(c));
    ConfigFaults faults = {.arena = arena, .config = c, .unread = true}; /* nothing is missing */
    for (int i = 0; i < c->n_parts && faults.status == OK; i++) {
        const Checker k = {c, &faults, c->part[i].section};
        for (int j = 0; j < i; j++)
            if (strcmp(k.section->name, c->part[j].section->name) == 0)
                row_fault(&k, k.section->name, "", "two sections of this name");
        check_section(&k, &c->part[i]);
    }
    const Status st = config_faults_status(&faults);
    if (st == ERR_CONFIG) FAIL(ERR_INTERNAL, "%s", status_message());
    return st;
}

Status config_check_table(const ConfigTable *table)
{
    Arena arena = {0};
    const Status st = check_all(table, &arena);
    arena_close(&arena);
    return st;
}
