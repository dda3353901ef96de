/* config_reference.c - the reference of all keys, from the rows alone. */
#include <string.h>

#include "io/config/config_parts.h"
#include "io/format/markup.h"

enum { FAMILIES = 64 };

static const char *const kinds[] = {
    [FIELD_BOOL] = "true or false",
    [FIELD_INT] = "whole number",
    [FIELD_REAL] = "number",
    [FIELD_TEXT] = "text",
    [FIELD_LIST] = "list",
    [FIELD_BYTES] = "size (B KB MB GB TB KiB MiB GiB TiB)",
    [FIELD_SECONDS] = "duration (ms s min h d)",
    [FIELD_CHOICE] = "one of",
    [FIELD_GROUP] = "group",
    [FIELD_PART] = "part",
};

/* Each family of parts is described once, however many rows choose from it; its name is the key of the first. */
typedef struct Families {
    int n;
    const Field *row[FAMILIES];
} Families;

typedef struct Writer {
    Buffer *out;
    ConfigForm form;
    Arena *arena;
    Families *families;
} Writer;

static const Field *find_family(const Families *families, const Field *f)
{
    for (int i = 0; i < families->n; i++)
        if (families->row[i]->family == f->family) return families->row[i];
    return NULL; /* not met so far */
}

/* In the order in which a reader meets them. */
static void collect(Families *families, const Field *fields, int n)
{
    for (int i = 0; i < n; i++) {
        const Field *f = &fields[i];
        if (f->kind == FIELD_GROUP) collect(families, f->rows->fields, f->rows->n_fields);
        if (f->kind != FIELD_PART || families->n == FAMILIES || find_family(families, f)) continue;
        families->row[families->n++] = f;
        for (int m = 0; f->family(m); m++) collect(families, f->family(m)->fields, f->family(m)->n_fields);
    }
}

static Status put_safe(const Writer *w, const char *text)
{
    return w->form == CONFIG_MARKDOWN ? markup_markdown(w->out, text) : markup_roff(w->out, text);
}

static Status put_members(const Writer *w, const Component *(*family)(int i))
{
    for (int i = 0; family(i); i++) {
        TRY(buffer_text(w->out, i ? ", " : ""));
        TRY(put_safe(w, family(i)->name));
    }
    return OK;
}

/* "number, 0 to 0.9" or "one of: dot, additive" */
static Status put_kind(const Writer *w, const Field *f)
{
    TRY(put_safe(w, f->is_file && f->kind == FIELD_TEXT ? "path" : kinds[f->kind]));
    if (f->kind == FIELD_PART) {
        TRY(buffer_text(w->out, " "));
        const Field *first = find_family(w->families, f);
        TRY(put_safe(w, first ? first->key : f->key));
        TRY(buffer_text(w->out, ": "));
        return put_members(w, f->family);
    }
    if (f->choice) {
        TRY(buffer_text(w->out, ": "));
        return put_safe(w, config_choices(w->arena, f->choice));
    }
    const char *bounds = config_bounds(w->arena, f);
    if (bounds) {
        TRY(buffer_text(w->out, ", "));
        return put_safe(w, bounds);
    }
    const bool unit = f->unit && f->kind != FIELD_BYTES && f->kind != FIELD_SECONDS;
    return unit ? buffer_format(w->out, ", %s", f->unit) : OK;
}

/* A value as it would stand in YAML, on one line. */
static const char *flow(const Writer *w, const YamlNode *node)
{
    if (node->kind == YAML_TEXT) return node->text;
    const char *text = node->kind == YAML_MAP ? "{" : "[";
    for (const YamlNode *i = node->first; i && text; i = i->next)
        text = arena_format(w->arena, "%s%s%s%s%s", text, i == node->first ? "" : ", ", i->value ? i->text : "",
                            i->value ? ": " : "", flow(w, i->value ? i->value : i));
    if (text) text = arena_format(w->arena, "%s%s", text, node->kind == YAML_MAP ? "}" : "]");
    return text ? text : "(out of memory)";
}

/* What the preset of a group, a map, says of one of its rows; NULL: nothing. */
static const YamlNode *preset_of(const YamlNode *map, const char *key)
{
    for (const YamlNode *i = map && map->kind == YAML_MAP ? map->first : NULL; i; i = i->next)
        if (strcmp(i->text, key) == 0) return i->value;
    return NULL;
}

/* The presets of a group stand at its rows. NULL: required. */
static const char *preset_text(const Writer *w, const Field *f, const YamlNode *preset)
{
    if (f->kind == FIELD_GROUP) return "";
    const char *text = preset ? flow(w, preset) : f->preset;
    return !text || *text ? text : "\"\"";
}

static const char *join(const Writer *w, const char *before, const char *key)
{
    const char *text = arena_format(w->arena, "%s%s%s", before, *before ? "." : "", key);
    return text ? text : "(out of memory)";
}

static Status markdown_row(const Writer *w, const char *key, const Field *f, const char *preset)
{
    Buffer *out = w->out;
    TRY(buffer_format(out, "| `%s` | ", key));
    TRY(put_kind(w, f));
    if (preset && *preset)
        TRY(buffer_format(out, " | `%s` | ", preset));
    else
        TRY(buffer_text(out, preset ? " | | " : " | required | "));
    TRY(put_safe(w, f->help ? f->help : ""));
    return buffer_text(out, f->effect == EFFECT_EXTENT ? " May change when a run goes on. |\n" : " |\n");
}

static Status roff_row(const Writer *w, const char *key, const Field *f, const char *preset)
{
    Buffer *out = w->out;
    TRY(buffer_format(out, ".TP\n\\fB%s\\fR", key));
    if (!preset || *preset) {
        TRY(buffer_text(out, " = \\fI"));
        TRY(put_safe(w, preset ? preset : "(required)"));
        TRY(buffer_text(out, "\\fR"));
    }
    TRY(buffer_text(out, "\n"));
    TRY(put_safe(w, f->help ? f->help : ""));
    TRY(buffer_text(out, " ("));
    TRY(put_kind(w, f));
    return buffer_text(out, f->effect == EFFECT_EXTENT ? "; may change when a run goes on)\n" : ")\n");
}

/* A group's rows stand behind it, with their path. presets: a map, what stands for the rows' own; or NULL. */
static Status put_rows(const Writer *w, const char *before, const Field *fields, int n, const YamlNode *presets)
{
    for (int i = 0; i < n; i++) {
        const Field *f = &fields[i];
        const YamlNode *given = preset_of(presets, f->key);
        const char *key = join(w, before, f->key), *preset = preset_text(w, f, given);
        TRY(w->form == CONFIG_MARKDOWN ? markdown_row(w, key, f, preset) : roff_row(w, key, f, preset));
        if (f->kind != FIELD_GROUP) continue;
        YamlNode *own = NULL;
        if (!given && f->preset) TRY(yaml_read(&own, w->arena, f->key, f->preset, strlen(f->preset)));
        TRY(put_rows(w, key, f->rows->fields, f->rows->n_fields, given ? given : own));
    }
    return OK;
}

static Status put_table(const Writer *w, const Field *fields, int n)
{
    const bool markdown = w->form == CONFIG_MARKDOWN && n > 0;
    TRY(buffer_text(w->out, markdown ? "| key | value | preset | meaning |\n|---|---|---|---|\n" : ""));
    TRY(put_rows(w, "", fields, n, NULL));
    return buffer_text(w->out, markdown ? "\n" : "");
}

static Status put_section(const Writer *w, const Section *s)
{
    Buffer *out = w->out;
    const bool markdown = w->form == CONFIG_MARKDOWN;
    TRY(buffer_format(out, markdown ? "### Section `%s`\n\n" : ".SS Section %s\n", s->name));
    TRY(put_safe(w, s->help ? s->help : ""));
    if (s->optional) TRY(buffer_text(out, " The section may be absent."));
    if (s->choice) {
        TRY(buffer_text(out, markdown ? " `name` chooses one of" : " The key name chooses one of"));
        for (int i = 0; s->choice(i); i++) TRY(buffer_format(out, "%s %s", i ? "," : "", s->choice(i)->name));
        TRY(s->preset ? buffer_format(out, " (preset: %s).", s->preset) : buffer_text(out, " (required)."));
    }
    TRY(buffer_text(out, markdown ? "\n\n" : "\n"));
    return put_table(w, s->fields, s->n_fields);
}

/* Those of other sections: "Where nobody says anything of section text ..." */
static Status put_presets(const Writer *w, const Component *k)
{
    const char *quote = w->form == CONFIG_MARKDOWN ? "`" : "";
    if (!k->presets) return OK;
    TRY(buffer_text(w->out, " Where nothing is said of"));
    for (const SectionPreset *s = k->presets; s->section; s++)
        TRY(buffer_format(w->out, "%s section %s%s%s", s == k->presets ? "" : " or", quote, s->section, quote));
    if (k->presets_unless) TRY(buffer_format(w->out, " nor of %s%s%s", quote, k->presets_unless, quote));
    TRY(buffer_text(w->out, ", the presets are"));
    for (const SectionPreset *s = k->presets; s->section; s++)
        TRY(buffer_format(w->out, "%s %s%s: %s%s", s == k->presets ? "" : " and", quote, s->section, s->rows, quote));
    return buffer_text(w->out, ".");
}

static Status put_component(const Writer *w, const Component *k)
{
    Buffer *out = w->out;
    TRY(put_safe(w, k->help ? k->help : ""));
    if (k->source) {
        TRY(buffer_text(out, " ("));
        TRY(put_safe(w, k->source));
        TRY(buffer_text(out, ")"));
    }
    TRY(put_presets(w, k));
    TRY(buffer_text(out, w->form == CONFIG_MARKDOWN ? "\n\n" : "\n"));
    return put_table(w, k->fields, k->n_fields);
}

static Status put_choices(const Writer *w, const Section *s)
{
    const bool markdown = w->form == CONFIG_MARKDOWN;
    for (int i = 0; s->choice && s->choice(i); i++) {
        TRY(buffer_format(w->out, markdown ? "#### `%s`: `name: %s`\n\n" : ".SS Section %s with name: %s\n", s->name,
                          s->choice(i)->name));
        TRY(put_component(w, s->choice(i)));
    }
    return OK;
}

static Status put_family(const Writer *w, const Field *f)
{
    const bool markdown = w->form == CONFIG_MARKDOWN;
    TRY(buffer_format(w->out, markdown ? "### Part `%s`\n\nOne of " : ".SS Part %s\nOne of ", f->key));
    TRY(put_members(w, f->family));
    TRY(buffer_format(w->out,
                      markdown ? ": `%s: {name: %s, ...}`, or short `%s: %s`.\n\n"
                               : ": %s: {name: %s, ...}, or short %s: %s.\n",
                      f->key, f->family(0)->name, f->key, f->family(0)->name));
    for (int i = 0; f->family(i); i++) {
        TRY(buffer_format(w->out, markdown ? "#### `%s: %s`\n\n" : ".SS Part %s: %s\n", f->key, f->family(i)->name));
        TRY(put_component(w, f->family(i)));
    }
    return OK;
}

/* --- Lists of keys: "section.key", or for CONFIG_CHOICES "section.key: a b c" where the values can be listed. Each
 * key stands once, also when several components have it. --- */

static bool is_known(const Writer *w, const char *key)
{
    const size_t size = strlen(key);
    const char *line = w->out->size ? w->out->data : NULL;
    while (line && *line) {
        if (strncmp(line, key, size) == 0 && (line[size] == '\n' || line[size] == ':')) return true;
        line = strchr(line, '\n');
        if (line) line++;
    }
    return false;
}

static Status list_members(const Writer *w, const char *key, const Component *(*family)(int i))
{
    if (is_known(w, key)) return OK;
    TRY(buffer_format(w->out, w->form == CONFIG_KEYS ? "%s" : "%s:", key));
    for (int i = 0; family(i) && w->form == CONFIG_CHOICES; i++) TRY(buffer_format(w->out, " %s", family(i)->name));
    return buffer_text(w->out, "\n");
}

static Status list_value(const Writer *w, const char *key, const Field *f)
{
    if (is_known(w, key)) return OK;
    if (w->form == CONFIG_KEYS) return buffer_format(w->out, "%s\n", key);
    if (!f->choice && f->kind != FIELD_BOOL) return OK;
    TRY(buffer_format(w->out, "%s:", key));
    if (!f->choice) return buffer_text(w->out, " true false\n");
    for (int i = 0; f->choice(i); i++) TRY(buffer_format(w->out, " %s", f->choice(i)));
    return buffer_text(w->out, "\n");
}

static Status list_rows(const Writer *w, const char *before, const OpenFamily *open, const Field *fields, int n)
{
    for (int i = 0; i < n; i++) {
        const Field *f = &fields[i];
        const char *key = join(w, before, f->key);
        const OpenFamily inside = {f->family, open};
        if (f->kind == FIELD_GROUP) {
            TRY(list_rows(w, key, open, f->rows->fields, f->rows->n_fields));
        } else if (f->kind == FIELD_PART) {
            TRY(list_members(w, key, f->family));
            for (int m = 0; f->family(m) && !config_is_open(open, f->family); m++)
                TRY(list_rows(w, key, &inside, f->family(m)->fields, f->family(m)->n_fields));
        } else {
            TRY(list_value(w, key, f));
        }
    }
    return OK;
}

static Status list_section(const Writer *w, const Section *s)
{
    if (s->choice) TRY(list_members(w, join(w, s->name, "name"), s->choice));
    TRY(list_rows(w, s->name, NULL, s->fields, s->n_fields));
    for (int i = 0; s->choice && s->choice(i); i++)
        TRY(list_rows(w, s->name, NULL, s->choice(i)->fields, s->choice(i)->n_fields));
    return OK;
}

static Status put_all(const Writer *w, const ConfigTable *table)
{
    const bool list = w->form == CONFIG_KEYS || w->form == CONFIG_CHOICES;
    for (int i = 0; table->sections[i]; i++) {
        const Section *s = table->sections[i];
        collect(w->families, s->fields, s->n_fields);
        for (int m = 0; s->choice && s->choice(m); m++)
            collect(w->families, s->choice(m)->fields, s->choice(m)->n_fields);
        TRY(list ? list_section(w, s) : put_section(w, s));
        if (!list) TRY(put_choices(w, s));
    }
    for (int i = 0; i < w->families->n && !list; i++) TRY(put_family(w, w->families->row[i]));
    return OK;
}

Status config_reference(const ConfigTable *table, ConfigForm form, Buffer *out)
{
    Arena arena = {0};
    Families families = {.n = 0};
    const Writer w = {out, form, &arena, &families};
    const Status st = put_all(&w, table);
    arena_close(&arena);
    return st;
}
