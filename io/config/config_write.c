/* config_write.c - the effective configuration as YAML, and what differs between two. */
#include <inttypes.h>
#include <string.h>

#include "io/config/config_parts.h"
#include "io/config/value.h"
#include "io/format/number.h"
#include "io/format/utf8.h"

/* Plain YAML is for words that no reader takes for a number, a truth value, nothing, or structure. */
static bool is_plain(const char *text)
{
    static const char *const words[] = {"true", "false", "yes", "no", "on", "off", "null", "y", "n"};
    bool b;
    if (value_bool(text, &b) == VALUE_OK) return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(text, words[i]) == 0) return false;
    const char c = *text;
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '/' || c == '_';
    const size_t safe = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+");
    return letter && text[safe] == '\0' && strcmp(text, "Null") != 0 && strcmp(text, "NULL") != 0;
}

static uint32_t code_point(const char *text, size_t n)
{
    const unsigned char *s = (const unsigned char *)text;
    uint32_t c = n == 1 ? s[0] : s[0] & (0xffU >> (n + 1));
    for (size_t i = 1; i < n; i++) c = c << 6 | (s[i] & 0x3f);
    return c;
}

/* Controls, line ends of Unicode, and what YAML does not count as printable stand as \uXXXX. */
static bool must_escape(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c <= 0xa0) || c == 0x2028 || c == 0x2029 || c == 0xfeff || c == 0xfffe ||
           c == 0xffff;
}

Status config_write_text(Buffer *out, const char *text)
{
    if (is_plain(text)) return buffer_text(out, text);
    TRY(buffer_text(out, "\""));
    const size_t size = strlen(text);
    for (size_t i = 0; i < size;) {
        const size_t n = utf8_length(text + i, size - i);
        REQUIRE(n > 0, ERR_CONFIG, "a text that is not UTF-8 cannot be written as YAML");
        const uint32_t c = code_point(text + i, n);
        if (c == '"' || c == '\\')
            TRY(buffer_format(out, "\\%c", (int)c));
        else if (must_escape(c))
            TRY(buffer_format(out, "\\u%04" PRIx32, c));
        else
            TRY(buffer_append(out, text + i, n));
        i += n;
    }
    return buffer_text(out, "\"");
}

static Status put_text(Buffer *out, const char *text, bool quoted)
{
    return quoted ? config_write_text(out, text) : buffer_text(out, text);
}

static Status put_list(Buffer *out, const TextList *list, bool quoted)
{
    TRY(buffer_text(out, "["));
    for (int i = 0; i < list->n; i++) {
        if (i) TRY(buffer_text(out, ", "));
        TRY(put_text(out, list->item[i], quoted));
    }
    return buffer_text(out, "]");
}

Status config_write_value(Buffer *out, const Field *f, const void *data, bool quoted)
{
    const void *at = (const char *)data + f->offset;
    char number[NUMBER_SIZE], value[VALUE_SIZE];
    switch (f->kind) {
    case FIELD_BOOL: return buffer_text(out, *(const bool *)at ? "true" : "false");
    case FIELD_INT: return buffer_format(out, "%" PRId64, *(const int64_t *)at);
    case FIELD_REAL: return buffer_text(out, number_double(number, *(const double *)at));
    case FIELD_TEXT: return put_text(out, *(const char *const *)at, quoted);
    case FIELD_LIST: return put_list(out, at, quoted);
    case FIELD_BYTES: return buffer_text(out, value_write_bytes(value, *(const int64_t *)at));
    case FIELD_SECONDS: return buffer_text(out, value_write_seconds(value, *(const double *)at));
    }
    FAIL(ERR_INTERNAL, "field %s has no kind", f->key);
}

/* On one line and in UTF-8, whatever the file is called. */
Status config_origin(Buffer *out, const Given *given)
{
    if (!given) return buffer_text(out, "preset");
    const char *where = given->place.where;
    const size_t size = strlen(where);
    for (size_t i = 0; i < size;) {
        const size_t n = utf8_length(where + i, size - i);
        const bool odd = n == 0 || must_escape(code_point(where + i, n));
        TRY(odd ? buffer_text(out, "?") : buffer_append(out, where + i, n));
        i += n ? n : 1;
    }
    return given->place.line ? buffer_format(out, ":%d:%d", given->place.line, given->place.column) : OK;
}

static Status visit_rows(const Part *p, const Field *fields, int n, const Given *const *entry, const void *data,
                         Status (*visit)(void *context, const ConfigRow *row), void *context)
{
    for (int i = 0; i < n; i++) TRY(visit(context, &(ConfigRow){p, &fields[i], data, entry[i]}));
    return OK;
}

Status config_rows(const Config *c, Status (*visit)(void *context, const ConfigRow *row), void *context)
{
    for (int i = 0; i < c->n_parts; i++) {
        const Part *p = &c->part[i];
        const Section *s = p->section;
        if (s->optional && !p->given) continue;
        if (p->chosen) TRY(visit(context, &(ConfigRow){p, NULL, NULL, p->name}));
        TRY(visit_rows(p, s->fields, s->n_fields, (const Given *const *)p->entry, p->data, visit, context));
        if (!p->chosen) continue;
        TRY(visit_rows(p, p->chosen->fields, p->chosen->n_fields, (const Given *const *)p->own, p->component, visit,
                       context));
    }
    return OK;
}

typedef struct Writer {
    Buffer *yaml;
    bool origins;
    const Part *open; /* the section whose keys are being written */
} Writer;

static Status open_part(Writer *w, const Part *p)
{
    if (w->open == p) return OK;
    w->open = p;
    return buffer_format(w->yaml, "%s:\n", p->section->name);
}

static Status write_row(void *context, const ConfigRow *row)
{
    Writer *w = context;
    TRY(open_part(w, row->part));
    TRY(buffer_format(w->yaml, "  %s: ", row->field ? row->field->key : "name"));
    if (row->field)
        TRY(config_write_value(w->yaml, row->field, row->data, true));
    else
        TRY(config_write_text(w->yaml, row->part->chosen->name));
    if (w->origins) {
        TRY(buffer_text(w->yaml, "  # "));
        TRY(config_origin(w->yaml, row->given));
    }
    return buffer_text(w->yaml, "\n");
}

/* A section that is there but has no keys still has to be said. */
static Status write_empty_parts(const Config *c, Buffer *yaml)
{
    for (int i = 0; i < c->n_parts; i++) {
        const Part *p = &c->part[i];
        const bool absent = p->section->optional && !p->given;
        if (!absent && !p->chosen && p->section->n_fields == 0) TRY(buffer_format(yaml, "%s: {}\n", p->section->name));
    }
    return OK;
}

Status config_write(const Config *c, bool origins, Buffer *yaml)
{
    Writer w = {yaml, origins, NULL};
    const size_t before = yaml->size;
    TRY(config_rows(c, write_row, &w));
    TRY(write_empty_parts(c, yaml));
    return yaml->size == before ? buffer_text(yaml, "{}\n") : OK;
}

typedef struct Visitor {
    Status (*visit)(void *context, const ConfigValue *v);
    void *context;
    Buffer *text; /* value, a 0 byte, origin */
} Visitor;

static Status visit_value(void *context, const ConfigRow *row)
{
    const Visitor *v = context;
    const Field *f = row->field;
    v->text->size = 0;
    TRY(f ? config_write_value(v->text, f, row->data, false) : buffer_text(v->text, row->part->chosen->name));
    TRY(buffer_append(v->text, "", 1));
    const size_t origin = v->text->size;
    TRY(config_origin(v->text, row->given));
    const ConfigValue value = {row->part->section->name, f ? f->key : "name", v->text->data,
                               v->text->data + origin,   f ? f->unit : NULL,  f ? f->help : row->part->chosen->help};
    return v->visit(v->context, &value);
}

Status config_each(const Config *c, Status (*visit)(void *context, const ConfigValue *v), void *context)
{
    Buffer text = {0};
    Visitor v = {visit, context, &text};
    const Status st = config_rows(c, visit_value, &v);
    buffer_close(&text);
    return st;
}
