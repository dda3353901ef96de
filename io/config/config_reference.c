/* config_reference.c - the reference of all keys, from the rows alone. */
#include <string.h>

#include "io/config/config_parts.h"
#include "io/format/markup.h"

static const char *const kinds[] = {
    [FIELD_BOOL] = "true or false",
    [FIELD_INT] = "whole number",
    [FIELD_REAL] = "number",
    [FIELD_TEXT] = "text",
    [FIELD_LIST] = "list",
    [FIELD_BYTES] = "size (B KB MB GB TB KiB MiB GiB TiB)",
    [FIELD_SECONDS] = "duration (ms s min h d)",
};

static Status put_safe(Buffer *out, ConfigForm form, const char *text)
{
    return form == CONFIG_MARKDOWN ? markup_markdown(out, text) : markup_roff(out, text);
}

/* "number, 0 to 0.9" or "one of dot, additive" */
static Status put_kind(Buffer *out, ConfigForm form, Arena *arena, const Field *f)
{
    TRY(put_safe(out, form, f->is_file && f->kind == FIELD_TEXT ? "path" : kinds[f->kind]));
    if (f->choice) {
        TRY(buffer_text(out, ": "));
        return put_safe(out, form, config_choices(arena, f->choice));
    }
    const char *bounds = config_bounds(arena, f);
    if (bounds) {
        TRY(buffer_text(out, ", "));
        return put_safe(out, form, bounds);
    }
    const bool unit = f->unit && f->kind != FIELD_BYTES && f->kind != FIELD_SECONDS;
    return unit ? buffer_format(out, ", %s", f->unit) : OK;
}

static const char *preset_text(const Field *f)
{
    if (!f->preset) return "(required)";
    return *f->preset ? f->preset : "\"\"";
}

static Status markdown_rows(Buffer *out, Arena *arena, const Field *fields, int n)
{
    if (n) TRY(buffer_text(out, "| key | value | preset | meaning |\n|---|---|---|---|\n"));
    for (int i = 0; i < n; i++) {
        const Field *f = &fields[i];
        TRY(buffer_format(out, "| `%s` | ", f->key));
        TRY(put_kind(out, CONFIG_MARKDOWN, arena, f));
        TRY(f->preset ? buffer_format(out, " | `%s` | ", preset_text(f)) : buffer_text(out, " | required | "));
        TRY(put_safe(out, CONFIG_MARKDOWN, f->help ? f->help : ""));
        TRY(buffer_text(out, f->effect == EFFECT_EXTENT ? " May change when a run goes on. |\n" : " |\n"));
    }
    return n ? buffer_text(out, "\n") : OK;
}

static Status roff_rows(Buffer *out, Arena *arena, const Field *fields, int n)
{
    for (int i = 0; i < n; i++) {
        const Field *f = &fields[i];
        TRY(buffer_format(out, ".TP\n\\fB%s\\fR = \\fI", f->key));
        TRY(put_safe(out, CONFIG_ROFF, preset_text(f)));
        TRY(buffer_text(out, "\\fR\n"));
        TRY(put_safe(out, CONFIG_ROFF, f->help ? f->help : ""));
        TRY(buffer_text(out, " ("));
        TRY(put_kind(out, CONFIG_ROFF, arena, f));
        TRY(buffer_text(out, f->effect == EFFECT_EXTENT ? "; may change when a run goes on)\n" : ")\n"));
    }
    return OK;
}

static Status put_rows(Buffer *out, ConfigForm form, Arena *arena, const Field *fields, int n)
{
    return form == CONFIG_MARKDOWN ? markdown_rows(out, arena, fields, n) : roff_rows(out, arena, fields, n);
}

static Status put_section(Buffer *out, ConfigForm form, Arena *arena, const Section *s)
{
    const bool markdown = form == CONFIG_MARKDOWN;
    TRY(buffer_format(out, markdown ? "### Section `%s`\n\n" : ".SS Section %s\n", s->name));
    TRY(put_safe(out, form, s->help ? s->help : ""));
    if (s->optional) TRY(buffer_text(out, " The section may be absent."));
    if (s->choice) {
        TRY(buffer_text(out, markdown ? " `name` chooses one of" : " The key name chooses one of"));
        for (int i = 0; s->choice(i); i++) TRY(buffer_format(out, "%s %s", i ? "," : "", s->choice(i)->name));
        TRY(s->preset ? buffer_format(out, " (preset: %s).", s->preset) : buffer_text(out, " (required)."));
    }
    TRY(buffer_text(out, markdown ? "\n\n" : "\n"));
    return put_rows(out, form, arena, s->fields, s->n_fields);
}

static Status put_component(Buffer *out, ConfigForm form, Arena *arena, const Section *s, const Component *k)
{
    const bool markdown = form == CONFIG_MARKDOWN;
    TRY(buffer_format(out, markdown ? "#### `%s`: `name: %s`\n\n" : ".SS Section %s with name: %s\n", s->name,
                      k->name));
    TRY(put_safe(out, form, k->help ? k->help : ""));
    if (k->source) {
        TRY(buffer_text(out, " ("));
        TRY(put_safe(out, form, k->source));
        TRY(buffer_text(out, ")"));
    }
    TRY(buffer_text(out, markdown ? "\n\n" : "\n"));
    return put_rows(out, form, arena, k->fields, k->n_fields);
}

/* "section.key", or for CONFIG_CHOICES "section.key: a b c" where the values can be listed. */
static Status put_key(Buffer *out, ConfigForm form, const Section *s, const Field *f)
{
    const bool listed = f->choice || f->kind == FIELD_BOOL;
    if (form == CONFIG_KEYS) return buffer_format(out, "%s.%s\n", s->name, f->key);
    if (!listed) return OK;
    TRY(buffer_format(out, "%s.%s:", s->name, f->key));
    if (!f->choice) return buffer_text(out, " true false\n");
    for (int i = 0; f->choice(i); i++) TRY(buffer_format(out, " %s", f->choice(i)));
    return buffer_text(out, "\n");
}

static Status put_name(Buffer *out, ConfigForm form, const Section *s)
{
    TRY(buffer_format(out, form == CONFIG_KEYS ? "%s.name" : "%s.name:", s->name));
    for (int i = 0; s->choice(i) && form == CONFIG_CHOICES; i++) TRY(buffer_format(out, " %s", s->choice(i)->name));
    return buffer_text(out, "\n");
}

/* Each key of a section once, also when several components have it. */
static Status put_keys(Buffer *out, ConfigForm form, const Section *s)
{
    if (s->choice) TRY(put_name(out, form, s));
    for (int i = 0; i < s->n_fields; i++) TRY(put_key(out, form, s, &s->fields[i]));
    for (int k = 0; s->choice && s->choice(k); k++) {
        for (int i = 0; i < s->choice(k)->n_fields; i++) {
            const Field *f = &s->choice(k)->fields[i];
            bool known = config_find_field(s->fields, s->n_fields, f->key) != NULL;
            for (int j = 0; j < k && !known; j++)
                known = config_find_field(s->choice(j)->fields, s->choice(j)->n_fields, f->key) != NULL;
            if (!known) TRY(put_key(out, form, s, f));
        }
    }
    return OK;
}

static Status put_all(const ConfigTable *table, ConfigForm form, Arena *arena, Buffer *out)
{
    for (int i = 0; table->sections[i]; i++) {
        const Section *s = table->sections[i];
        if (form == CONFIG_KEYS || form == CONFIG_CHOICES) {
            TRY(put_keys(out, form, s));
            continue;
        }
        TRY(put_section(out, form, arena, s));
        for (int k = 0; s->choice && s->choice(k); k++) TRY(put_component(out, form, arena, s, s->choice(k)));
    }
    return OK;
}

Status config_reference(const ConfigTable *table, ConfigForm form, Buffer *out)
{
    Arena arena = {0};
    const Status st = put_all(table, form, &arena, out);
    arena_close(&arena);
    return st;
}
