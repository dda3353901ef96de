/* config_check.c - are our own rows right? */
#include <string.h>

#include "io/config/config_parts.h"

static void row_fault(ConfigFaults *faults, const char *section, const char *component, const char *key,
                      const char *what)
{
    const Place place = {.where = "table"};
    config_fault_at(faults, &place, "%s%s%s%s.%s: %s", section, component ? "(" : "", component ? component : "",
                    component ? ")" : "", key, what);
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

static void check_rows(ConfigFaults *faults, const Section *s, const Component *k, const Field *fields, int n)
{
    const char *name = k ? k->name : NULL;
    for (int i = 0; i < n; i++) {
        const Field *f = &fields[i];
        if (!good_word(f->key)) {
            row_fault(faults, s->name, name, f->key ? f->key : "(no key)", "a key is a lower-case word");
            continue;
        }
        const bool twice = config_find_field(fields, i, f->key) || (s->choice && strcmp(f->key, "name") == 0) ||
                           (k && config_find_field(s->fields, s->n_fields, f->key));
        if (twice) row_fault(faults, s->name, name, f->key, "a key that the section has already");
        if (!is_sentence(f->help))
            row_fault(faults, s->name, name, f->key, "help is a sentence that ends with a point");
        if (f->choice && f->kind != FIELD_TEXT && f->kind != FIELD_LIST)
            row_fault(faults, s->name, name, f->key, "only texts and lists have choices");
    }
}

/* The presets, as if nothing was given and this component chosen. */
static void check_presets(Config *c, Part *p, const Component *k, ConfigFaults *faults)
{
    p->chosen = k;
    p->given = true;
    config_match_part(c, p, faults);
    if (faults->status == OK) config_fill_part(c, p, faults);
}

static void check_part(Config *c, Part *p, ConfigFaults *faults)
{
    const Section *s = p->section;
    bool found = !s->preset;
    if (!good_word(s->name)) row_fault(faults, s->name, NULL, "", "a section is a lower-case word");
    if (!is_sentence(s->help)) row_fault(faults, s->name, NULL, "", "help is a sentence that ends with a point");
    check_rows(faults, s, NULL, s->fields, s->n_fields);
    if (!s->choice) check_presets(c, p, NULL, faults);
    for (int i = 0; s->choice && s->choice(i) && faults->status == OK; i++) {
        const Component *k = s->choice(i);
        found |= s->preset && strcmp(s->preset, k->name) == 0;
        if (!is_sentence(k->help)) row_fault(faults, s->name, k->name, "", "help is a sentence that ends with a point");
        check_rows(faults, s, k, k->fields, k->n_fields);
        check_presets(c, p, k, faults);
    }
    if (!found) row_fault(faults, s->name, NULL, "name", "the preset is none of the choices");
}

static Status check_all(const ConfigTable *table, Arena *arena)
{
    Config *c;
    TRY_NEW(c, arena, 1);
    *c = (Config){.table = table, .name = "table", .folder = "/", .arena = arena};
    TRY(config_make_parts(c));
    ConfigFaults faults = {.arena = arena, .config = c, .unread = true}; /* nothing is missing */
    for (int i = 0; i < c->n_parts; i++) {
        for (int j = 0; j < i; j++)
            if (strcmp(c->part[i].section->name, c->part[j].section->name) == 0)
                row_fault(&faults, c->part[i].section->name, NULL, "", "two sections of this name");
        check_part(c, &c->part[i], &faults);
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
