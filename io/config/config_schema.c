/* config_schema.c - the rows as a JSON Schema (draft 2020-12), for editors and other programs that check YAML.
 *
 * A section, or a part, that chooses a component is one of several objects, each with the rows of one component. Parts are
 * defined once a family, under $defs. What depends on several rows is left to the program. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/config/config_parts.h"
#include "io/format/json.h"

enum { FAMILIES = 64 };

typedef struct Schema {
    Json j;
    int n;
    const Field *family[FAMILIES]; /* the first row of each */
    char name[FAMILIES][64];
} Schema;

static void put_rows(Schema *s, const Field *fields, int n);

static void put_type(Schema *s, const char *type) { json_put_text(&s->j, "type", type); }

static void put_names(Schema *s, const char *(*choice)(int i))
{
    json_key(&s->j, "enum");
    json_open_array(&s->j);
    for (int i = 0; choice(i); i++) json_text(&s->j, choice(i));
    json_end(&s->j);
}

static void put_bounds(Schema *s, const Field *f)
{
    const bool none = f->min == 0 && f->max == 0;
    if (!none) json_put_number(&s->j, "minimum", f->min);
    if (!none && f->max >= f->min && isfinite(f->max)) json_put_number(&s->j, "maximum", f->max);
}

/* Numbers with a unit are texts: 512MiB, 15min. */
static void put_measure(Schema *s)
{
    json_key(&s->j, "type");
    json_open_array(&s->j);
    json_text(&s->j, "number");
    json_text(&s->j, "string");
    json_end(&s->j);
}

/* A list, or one of its items. */
static void put_list(Schema *s, const Field *f)
{
    json_key(&s->j, "anyOf");
    json_open_array(&s->j);
    for (int list = 0; list < 2; list++) {
        json_open_object(&s->j);
        if (list) {
            put_type(s, "array");
            json_key(&s->j, "items");
            json_open_object(&s->j);
        }
        if (f->choice)
            put_names(s, f->choice);
        else
            put_measure(s);
        if (list) json_end(&s->j);
        json_end(&s->j);
    }
    json_end(&s->j);
}

/* A text may be written without quotes, so that YAML takes it for a number or for true. */
static void put_text(Schema *s, const Field *f)
{
    if (f->choice && !f->none) {
        put_names(s, f->choice);
        return;
    }
    json_key(&s->j, "type");
    json_open_array(&s->j);
    static const char *const types[] = {"string", "number", "boolean"};
    for (int i = 0; i < 3; i++) json_text(&s->j, types[i]);
    json_end(&s->j);
}

static const char *family_name(const Schema *s, const Field *f)
{
    for (int i = 0; i < s->n; i++)
        if (s->family[i]->family == f->family) return s->name[i];
    return NULL;
}

static void put_value(Schema *s, const Field *f)
{
    switch (f->kind) {
    case FIELD_BOOL: put_type(s, "boolean"); break;
    case FIELD_INT:
        put_type(s, "integer");
        put_bounds(s, f);
        break;
    case FIELD_REAL: /* older readers of YAML take 1e-6 for a text */
        put_measure(s);
        put_bounds(s, f);
        json_put_text(&s->j, "pattern", "^[-+]?[0-9.]+([eE][-+]?[0-9]+)?$");
        break;
    case FIELD_TEXT: put_text(s, f); break;
    case FIELD_LIST: put_list(s, f); break;
    case FIELD_BYTES:
    case FIELD_SECONDS: put_measure(s); break;
    case FIELD_CHOICE: put_names(s, f->choice); break;
    case FIELD_GROUP:
        put_type(s, "object");
        json_put_bool(&s->j, "additionalProperties", false);
        json_key(&s->j, "properties");
        json_open_object(&s->j);
        put_rows(s, f->rows->fields, f->rows->n_fields);
        json_end(&s->j);
        break;
    case FIELD_PART: {
        char ref[96] = "#/$defs/";
        const char *name = family_name(s, f);
        if (name) json_put_text(&s->j, "$ref", strcat(ref, name));
        break;
    }
    }
}

static void put_rows(Schema *s, const Field *fields, int n)
{
    for (int i = 0; i < n; i++) {
        json_key(&s->j, fields[i].key);
        json_open_object(&s->j);
        if (fields[i].help) json_put_text(&s->j, "description", fields[i].help);
        put_value(s, &fields[i]);
        json_end(&s->j);
    }
}

/* The object of one component; own: rows that stand there whatever is chosen. */
static void put_object(Schema *s, const Component *c, const Field *own, int n_own)
{
    json_open_object(&s->j);
    put_type(s, "object");
    json_put_bool(&s->j, "additionalProperties", false);
    if (c && c->help) json_put_text(&s->j, "description", c->help);
    json_key(&s->j, "properties");
    json_open_object(&s->j);
    if (c) {
        json_key(&s->j, "name");
        json_open_object(&s->j);
        json_put_text(&s->j, "const", c->name);
        json_end(&s->j);
    }
    put_rows(s, own, n_own);
    if (c) put_rows(s, c->fields, c->n_fields);
    json_end(&s->j);
    json_end(&s->j);
}

/* Without a name a section may be of any component: a file that includes it, or is included, may say which. */
static void put_section(Schema *s, const Section *section)
{
    json_key(&s->j, section->name);
    if (!section->choice) {
        put_object(s, NULL, section->fields, section->n_fields);
        return;
    }
    json_open_object(&s->j);
    if (section->help) json_put_text(&s->j, "description", section->help);
    json_key(&s->j, "anyOf");
    json_open_array(&s->j);
    for (int i = 0; section->choice(i); i++) put_object(s, section->choice(i), section->fields, section->n_fields);
    json_end(&s->j);
    json_end(&s->j);
}

static void put_family(Schema *s, int i)
{
    const Field *f = s->family[i];
    json_key(&s->j, s->name[i]);
    json_open_object(&s->j);
    json_key(&s->j, "anyOf");
    json_open_array(&s->j);
    json_open_object(&s->j);
    json_key(&s->j, "enum");
    json_open_array(&s->j);
    for (int k = 0; f->family(k); k++) json_text(&s->j, f->family(k)->name);
    json_end(&s->j);
    json_end(&s->j);
    for (int k = 0; f->family(k); k++) put_object(s, f->family(k), NULL, 0);
    json_end(&s->j);
    json_end(&s->j);
}

static void collect(Schema *s, const Field *fields, int n)
{
    for (int i = 0; i < n; i++) {
        const Field *f = &fields[i];
        if (f->kind == FIELD_GROUP) collect(s, f->rows->fields, f->rows->n_fields);
        if (f->kind != FIELD_PART || s->n == FAMILIES || family_name(s, f)) continue;
        snprintf(s->name[s->n], sizeof s->name[0], "part-%s-%d", f->key, s->n);
        s->family[s->n++] = f;
        for (int k = 0; f->family(k); k++) collect(s, f->family(k)->fields, f->family(k)->n_fields);
    }
}

Status config_schema(const ConfigTable *table, Arena *arena, Buffer *out)
{
    Schema *s;
    TRY_NEW(s, arena, 1);
    s->j = json_begin(out);
    for (int i = 0; table->sections[i]; i++) {
        const Section *section = table->sections[i];
        collect(s, section->fields, section->n_fields);
        for (int k = 0; section->choice && section->choice(k); k++)
            collect(s, section->choice(k)->fields, section->choice(k)->n_fields);
    }
    json_open_object(&s->j);
    json_put_text(&s->j, "$schema", "https://json-schema.org/draft/2020-12/schema");
    json_put_text(&s->j, "title", "Configuration of mneme");
    put_type(s, "object");
    json_put_bool(&s->j, "additionalProperties", false);
    json_key(&s->j, "properties");
    json_open_object(&s->j);
    json_key(&s->j, "include");
    json_open_object(&s->j);
    static const Field include = {.kind = FIELD_LIST};
    put_list(s, &include);
    json_end(&s->j);
    for (int i = 0; table->sections[i]; i++) put_section(s, table->sections[i]);
    json_end(&s->j);
    json_key(&s->j, "$defs");
    json_open_object(&s->j);
    for (int i = 0; i < s->n; i++) put_family(s, i);
    json_end(&s->j);
    json_end(&s->j);
    TRY(json_finish(&s->j));
    return buffer_text(out, "\n");
}
