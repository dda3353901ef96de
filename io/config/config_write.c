/* config_write.c - the effective configuration as YAML, value by value, and what differs between two. */
#include <inttypes.h>
#include <string.h>

#include "comm/utf8.h"
#include "io/config/config_parts.h"
#include "io/config/value.h"
#include "io/format/number.h"

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

/* What YAML does not count as printable, and what acts on a terminal. A space that does not break looks like one. */
static bool must_escape(uint32_t c) { return utf8_acts(c) || c == 0xa0; }

Status config_write_text(Buffer *out, const char *text)
{
    if (is_plain(text)) return buffer_text(out, text);
    TRY(buffer_text(out, "\""));
    const size_t size = strlen(text);
    for (size_t i = 0; i < size;) {
        const size_t n = utf8_length(text + i, size - i);
        REQUIRE(n > 0, ERR_CONFIG, "a text that is not UTF-8 cannot be written as YAML");
        const uint32_t c = utf8_point(text + i, n);
        if (c == '"' || c == '\\')
            TRY(buffer_format(out, "\\%c", (int)c));
        else if (must_escape(c))
            TRY(buffer_format(out, c > 0xffff ? "\\U%08" PRIx32 : "\\u%04" PRIx32, c));
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
    case FIELD_TEXT: return put_text(out, *(const char *const *)at ? *(const char *const *)at : f->none, quoted);
    case FIELD_LIST: return put_list(out, at, quoted);
    case FIELD_BYTES: return buffer_text(out, value_write_bytes(value, *(const int64_t *)at));
    case FIELD_SECONDS: return buffer_text(out, value_write_seconds(value, *(const double *)at));
    case FIELD_CHOICE: return buffer_text(out, f->choice(*(const int *)at));
    case FIELD_GROUP:
    case FIELD_PART: break;
    }
    FAIL(ERR_INTERNAL, "field %s has no value of its own", f->key);
}

/* On one line, whatever the file is called. */
Status config_origin(Buffer *out, const Given *given)
{
    if (!given) return buffer_text(out, "preset");
    const Place *at = &given->place;
    if (at->line) return buffer_say(out, "%s:%d:%d", at->where, at->line, at->column);
    return buffer_say(out, "%1s", at->where); /* with a width: as one line */
}

/* --- YAML --- */

typedef struct Writer {
    Buffer *yaml;
    bool origins;
} Writer;

static Status write_key(const Writer *w, int depth, const char *key)
{
    return buffer_format(w->yaml, "%*s%s:", 2 * depth, "", key);
}

static Status end_value(const Writer *w, const Given *given)
{
    if (w->origins) {
        TRY(buffer_text(w->yaml, "  # "));
        TRY(config_origin(w->yaml, given));
    }
    return buffer_text(w->yaml, "\n");
}

static Status write_name(const Writer *w, int depth, const char *key, const Part *p)
{
    TRY(write_key(w, depth, key));
    TRY(buffer_text(w->yaml, " "));
    TRY(config_write_text(w->yaml, p->chosen->name));
    return end_value(w, p->name);
}

static Status write_part(const Writer *w, const Part *p, const char *key);

static Status write_rows(const Writer *w, const Part *p, const Field *fields, int n, const Given *const *entry,
                         Part *const *child, const void *data)
{
    for (int i = 0; i < n; i++) {
        if (child[i]) {
            TRY(write_part(w, child[i], fields[i].key));
            continue;
        }
        TRY(write_key(w, p->depth + 1, fields[i].key));
        TRY(buffer_text(w->yaml, " "));
        TRY(config_write_value(w->yaml, &fields[i], data, true));
        TRY(end_value(w, entry[i]));
    }
    return OK;
}

/* A part without rows is said by its name alone; a section that is there but has no keys still has to be said. */
static Status write_part(const Writer *w, const Part *p, const char *key)
{
    const Component *k = p->chosen;
    if (p->parent && k && k->n_fields == 0) return write_name(w, p->depth, key, p);
    TRY(write_key(w, p->depth, key));
    if (!k && p->n_fields == 0) return buffer_text(w->yaml, " {}\n");
    TRY(buffer_text(w->yaml, "\n"));
    if (k) TRY(write_name(w, p->depth + 1, "name", p));
    TRY(write_rows(w, p, p->fields, p->n_fields, (const Given *const *)p->entry, p->child, p->data));
    if (!k) return OK;
    return write_rows(w, p, k->fields, k->n_fields, (const Given *const *)p->own, p->own_child, p->component);
}

static bool is_absent(const Part *p) { return p->section->optional && !p->given; }

Status config_write(const Config *c, bool origins, Buffer *yaml)
{
    const Writer w = {yaml, origins};
    const size_t before = yaml->size;
    for (int i = 0; i < c->n_parts; i++)
        if (!is_absent(&c->part[i])) TRY(write_part(&w, &c->part[i], c->part[i].path));
    return yaml->size == before ? buffer_text(yaml, "{}\n") : OK;
}

/* --- One value after the other --- */

typedef struct Visitor {
    Status (*visit)(void *context, const ConfigValue *v);
    void *context;
    Buffer *text; /* value, a 0 byte, origin, a 0 byte, key */
} Visitor;

/* The key from the section on: "attention.score"; field NULL: the choice. */
static Status visit_value(const Visitor *v, const Part *p, const Field *f, const void *data, const Given *given)
{
    Buffer *text = v->text;
    const char *section = p->section->name, *within = p->parent ? p->path + strlen(section) + 1 : "";
    text->size = 0;
    TRY(f ? config_write_value(text, f, data, false) : buffer_text(text, p->chosen->name));
    TRY(buffer_append(text, "", 1));
    const size_t origin = text->size;
    TRY(config_origin(text, given));
    TRY(buffer_append(text, "", 1));
    const size_t key = text->size;
    const char *last = f ? f->key : p->parent ? "" : "name";
    TRY(buffer_format(text, "%s%s%s", within, *within && *last ? "." : "", last));
    const ConfigValue value = {
        section, text->data + key, text->data, text->data + origin, f ? f->unit : NULL, f ? f->help : p->chosen->help};
    return v->visit(v->context, &value);
}

static Status visit_part(const Visitor *v, const Part *p);

static Status visit_rows(const Visitor *v, const Part *p, const Field *fields, int n, const Given *const *entry,
                         Part *const *child, const void *data)
{
    for (int i = 0; i < n; i++) TRY(child[i] ? visit_part(v, child[i]) : visit_value(v, p, &fields[i], data, entry[i]));
    return OK;
}

static Status visit_part(const Visitor *v, const Part *p)
{
    const Component *k = p->chosen;
    if (k) TRY(visit_value(v, p, NULL, NULL, p->name));
    TRY(visit_rows(v, p, p->fields, p->n_fields, (const Given *const *)p->entry, p->child, p->data));
    if (!k) return OK;
    return visit_rows(v, p, k->fields, k->n_fields, (const Given *const *)p->own, p->own_child, p->component);
}

Status config_each(const Config *c, Status (*visit)(void *context, const ConfigValue *v), void *context)
{
    Buffer text = {0};
    const Visitor v = {visit, context, &text};
    Status st = OK;
    for (int i = 0; i < c->n_parts && st == OK; i++)
        if (!is_absent(&c->part[i])) st = visit_part(&v, &c->part[i]);
    buffer_close(&text);
    return st;
}

/* --- What a resume under a changed config means --- */

typedef struct Comparer {
    Buffer *text, *value; /* value: the old one, a 0 byte, the new one */
    int *math, *other;
} Comparer;

static Status say(const Comparer *k, const Part *p, const char *key, const char *was, const char *is,
                  FieldEffect effect)
{
    const bool math = effect == EFFECT_MATH;
    ++*(math ? k->math : k->other);
    return buffer_format(k->text, "%s%s%s: %s -> %s%s\n", p->path, *key ? "." : "", key, was, is,
                         math ? "" : " (may change)");
}

static const char *name_of(const Part *p)
{
    if (!p->parent && is_absent(p)) return "(absent)";
    return p->chosen ? p->chosen->name : "(present)";
}

static Status compare_value(const Comparer *k, const Part *p, const Field *f, const void *old, const void *new)
{
    k->value->size = 0;
    TRY(config_write_value(k->value, f, old, true));
    TRY(buffer_append(k->value, "", 1));
    const size_t begin = k->value->size;
    TRY(config_write_value(k->value, f, new, true));
    const char *was = k->value->data, *is = was + begin;
    return strcmp(was, is) == 0 ? OK : say(k, p, f->key, was, is, f->effect);
}

static Status compare_part(const Comparer *k, const Part *old, const Part *new);

static Status compare_rows(const Comparer *k, const Part *p, const Field *fields, int n, Part *const *was,
                           Part *const *is, const void *old, const void *new)
{
    for (int i = 0; i < n; i++) TRY(is[i] ? compare_part(k, was[i], is[i]) : compare_value(k, p, &fields[i], old, new));
    return OK;
}

/* Rows count only where both sides made the same choice; otherwise the choice itself is the difference. */
static Status compare_part(const Comparer *k, const Part *old, const Part *new)
{
    const Component *m = new->chosen;
    if (strcmp(name_of(old), name_of(new)) != 0)
        return new->parent ? say(k, new, "", name_of(old), name_of(new), new->row->effect) : OK;
    if (!new->parent && is_absent(new)) return OK;
    TRY(compare_rows(k, new, new->fields, new->n_fields, old->child, new->child, old->data, new->data));
    if (!m) return OK;
    return compare_rows(k, new, m->fields, m->n_fields, old->own_child, new->own_child, old->component, new->component);
}

static Status compare_all(const Comparer *k, const Config *old, const Config *new)
{
    for (int i = 0; i < new->n_parts; i++) {
        const Part *was = &old->part[i], *is = &new->part[i];
        if (strcmp(name_of(was), name_of(is)) != 0)
            TRY(say(k, is, is->family ? "name" : "", name_of(was), name_of(is), EFFECT_MATH));
    }
    for (int i = 0; i < new->n_parts; i++) TRY(compare_part(k, &old->part[i], &new->part[i]));
    return OK;
}

Status config_compare(const Config *old, const Config *new, Buffer *text, int *math, int *other)
{
    *math = *other = 0;
    REQUIRE(old->table == new->table, ERR_INTERNAL, "two configs of different tables cannot be compared");
    Buffer value = {0};
    const Comparer k = {text, &value, math, other};
    const Status st = compare_all(&k, old, new);
    buffer_close(&value);
    return st;
}
