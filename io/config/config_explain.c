/* config_explain.c - one setting in full, from its row and from where its value came. */
#include <ctype.h>
#include <string.h>

#include "io/config/config_parts.h"

/* Groups and parts in each other; keys that a typo is held against; rows of one key. */
enum { DEPTH = 8, NEAR = 4096, ROWS_MOST = 64 };

typedef struct Explain {
    const Config *config;
    const char *key;
    Arena *arena;
    Buffer *out;
    int found;
    const char *known[NEAR];
    int n_known;
    const Field *row[ROWS_MOST]; /* explained */
    int n_rows;
} Explain;

static const char *const kinds[] = {
    [FIELD_BOOL] = "true or false",
    [FIELD_INT] = "a whole number",
    [FIELD_REAL] = "a number",
    [FIELD_TEXT] = "a text",
    [FIELD_LIST] = "a list",
    [FIELD_BYTES] = "a size (512MiB, 4GB)",
    [FIELD_SECONDS] = "a duration (90s, 15min, 2h)",
    [FIELD_CHOICE] = "one of",
    [FIELD_GROUP] = "a group of settings",
    [FIELD_PART] = "a part, one of",
};

static Status put_kind(const Explain *e, const Field *f)
{
    TRY(buffer_say(e->out, "  value    %s", f->is_file && f->kind == FIELD_TEXT ? "a path" : kinds[f->kind]));
    for (int i = 0; f->kind == FIELD_PART && f->family(i); i++)
        TRY(buffer_say(e->out, "%s %s", i ? "," : "", f->family(i)->name));
    const char *bounds = f->choice || f->kind == FIELD_PART ? NULL : config_bounds(e->arena, f);
    if (f->choice)
        TRY(buffer_say(e->out, "%s %s", f->kind == FIELD_CHOICE ? "" : ":", config_choices(e->arena, f->choice)));
    if (bounds) TRY(buffer_say(e->out, ", %s", bounds));
    if (!bounds && f->unit && f->kind != FIELD_BYTES && f->kind != FIELD_SECONDS)
        TRY(buffer_say(e->out, ", %s", f->unit));
    return buffer_text(e->out, "\n");
}

typedef struct Here {
    const Explain *e;
    const char *section, *key;
} Here;

static Status put_here(void *context, const ConfigValue *v)
{
    const Here *h = context;
    if (strcmp(v->section, h->section) != 0 || strcmp(v->key, h->key) != 0) return OK;
    return buffer_say(h->e->out, "  here     %s, %s\n", *v->value ? v->value : "\"\"", v->origin);
}

static Status put_ways(const Explain *e, const char *key)
{
    char name[256];
    size_t n = 0;
    for (; n < sizeof name - 1 && key[n]; n++) name[n] = key[n] == '.' ? '_' : (char)toupper((unsigned char)key[n]);
    name[n] = '\0';
    return buffer_say(e->out, "  set by   --set %s=..., MNEME_%s=..., or the file\n", key, name);
}

/* of: the component whose row it is, NULL: the section's own. */
static Status put_setting(Explain *e, const Section *s, const char *key, const Field *f, const Component *of)
{
    if (e->found++) TRY(buffer_text(e->out, "\n"));
    TRY(buffer_say(e->out, "%s%s%s%s\n", key, of ? "  (" : "", of ? of->name : "", of ? ")" : ""));
    TRY(buffer_say(e->out, "  %s\n", f->help ? f->help : ""));
    TRY(put_kind(e, f));
    if (f->kind != FIELD_GROUP) {
        const char *preset = f->preset ? *f->preset ? f->preset : "\"\"" : "none: it must be given";
        TRY(buffer_say(e->out, "  preset   %s\n", preset));
    }
    Here here = {e, s->name, key + strlen(s->name) + 1};
    if (e->config) TRY(config_each(e->config, put_here, &here));
    TRY(buffer_text(e->out, f->effect == EFFECT_EXTENT ? "  changed  may change when a run goes on\n"
                                                       : "  changed  changes the mathematics of a run that goes on\n"));
    return put_ways(e, key);
}

static Status walk(Explain *e, const Section *s, const char *before, const Field *fields, int n, const Component *of,
                   int depth);

/* Of a key that several components have the row may be the same one. */
static bool was_explained(Explain *e, const Field *f)
{
    for (int i = 0; i < e->n_rows; i++)
        if (e->row[i] == f) return true;
    if (e->n_rows < ROWS_MOST) e->row[e->n_rows++] = f;
    return false;
}

/* All keys that were met; true: this one before. */
static bool was_listed(Explain *e, const char *key)
{
    for (int i = 0; i < e->n_known; i++)
        if (strcmp(e->known[i], key) == 0) return true;
    return false;
}

static Status walk_one(Explain *e, const Section *s, const char *key, const Field *f, const Component *of, int depth)
{
    const size_t asked = strlen(e->key);
    const bool inside = strncmp(key, e->key, asked) == 0 && key[asked] == '.' && !strchr(key + asked + 1, '.');
    if (strcmp(key, e->key) == 0 && !was_explained(e, f)) TRY(put_setting(e, s, key, f, of));
    if (inside && !was_listed(e, key)) {
        e->found++;
        TRY(buffer_say(e->out, "  %s  %s\n", key, f->help ? f->help : ""));
    }
    if (e->n_known < NEAR && !was_listed(e, key)) e->known[e->n_known++] = key;
    if (f->kind == FIELD_GROUP) return walk(e, s, key, f->rows->fields, f->rows->n_fields, of, depth + 1);
    for (int i = 0; f->kind == FIELD_PART && f->family(i); i++) {
        const Component *c = f->family(i);
        TRY(walk(e, s, key, c->fields, c->n_fields, c, depth + 1));
    }
    return OK;
}

static Status walk(Explain *e, const Section *s, const char *before, const Field *fields, int n, const Component *of,
                   int depth)
{
    for (int i = 0; i < n && depth < DEPTH; i++) {
        const char *key = arena_format(e->arena, "%s.%s", before, fields[i].key);
        if (!key) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
        TRY(walk_one(e, s, key, &fields[i], of, depth));
    }
    return OK;
}

static Status put_section(Explain *e, const Section *s)
{
    e->found++;
    TRY(buffer_say(e->out, "%s\n  %s\n", s->name, s->help ? s->help : ""));
    if (!s->choice) return OK;
    TRY(buffer_say(e->out, "  %s.name  one of", s->name));
    for (int i = 0; s->choice(i); i++) TRY(buffer_say(e->out, "%s %s", i ? "," : "", s->choice(i)->name));
    return buffer_text(e->out, "\n");
}

/* With a configuration the chosen component alone; where it has no such key, or without one, all. */
static Status walk_section(Explain *e, const Section *s, const char *chosen)
{
    TRY(walk(e, s, s->name, s->fields, s->n_fields, NULL, 0));
    for (int i = 0; s->choice && s->choice(i); i++) {
        const Component *c = s->choice(i);
        if (chosen && strcmp(c->name, chosen) != 0) continue;
        TRY(walk(e, s, s->name, c->fields, c->n_fields, c, 0));
    }
    return OK;
}

static Status explain_choice(Explain *e, const Section *s)
{
    const size_t n = strlen(s->name);
    if (!s->choice || strncmp(e->key, s->name, n) != 0 || strcmp(e->key + n, ".name") != 0) return OK;
    e->found++;
    const char *chosen = e->config ? config_choice(e->config, s->name) : NULL;
    TRY(buffer_say(e->out, "%s\n", e->key));
    for (int i = 0; s->choice(i); i++)
        TRY(buffer_say(e->out, "  %-12s %s\n", s->choice(i)->name, s->choice(i)->help ? s->choice(i)->help : ""));
    TRY(buffer_say(e->out, "  preset   %s\n", s->preset ? s->preset : "none: it must be given"));
    return chosen ? buffer_say(e->out, "  here     %s\n", chosen) : OK;
}

Status config_explain(const ConfigTable *table, const Config *config, Arena *arena, const char *key, Buffer *out)
{
    Explain *e;
    TRY_NEW(e, arena, 1);
    *e = (Explain){.config = config, .key = key, .arena = arena, .out = out};
    for (int i = 0; table->sections[i]; i++) {
        const Section *s = table->sections[i];
        const char *chosen = config && s->choice ? config_choice(config, s->name) : NULL;
        if (e->n_known < NEAR) e->known[e->n_known++] = s->name;
        if (strcmp(key, s->name) == 0) TRY(put_section(e, s));
        TRY(explain_choice(e, s));
        const int before = e->found;
        TRY(walk_section(e, s, chosen));
        if (chosen && e->found == before && e->found == 0) TRY(walk_section(e, s, NULL));
    }
    if (e->found > 0) return OK;
    const char *near = config_nearest(key, e->known, e->n_known);
    FAIL(ERR_USAGE, "there is no setting %s%s%s%s", key, near ? "; did you mean " : "", near ? near : "",
         near ? "?" : "");
}
