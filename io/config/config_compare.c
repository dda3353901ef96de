/* config_compare.c - what a resume under a changed config means. */
#include <string.h>

#include "io/config/config_parts.h"

typedef struct Comparer {
    const Config *old;
    Buffer *text, *value; /* value: the old one, a 0 byte, the new one */
    int *math, *other;
} Comparer;

static Status say(Comparer *k, const char *section, const char *key, const char *was, const char *is,
                  FieldEffect effect)
{
    const bool math = effect == EFFECT_MATH;
    ++*(math ? k->math : k->other);
    return buffer_format(k->text, "%s%s%s: %s -> %s%s\n", section, *key ? "." : "", key, was, is,
                         math ? "" : " (may change)");
}

static const char *name_of(const Part *p)
{
    if (p->section->optional && !p->given) return "(absent)";
    return p->chosen ? p->chosen->name : "(present)";
}

static Status compare_row(Comparer *k, const Part *old, const ConfigRow *new)
{
    const Section *s = new->part->section;
    const Field *f = new->field;
    const bool own = f < s->fields || f >= s->fields + s->n_fields;
    k->value->size = 0;
    TRY(config_write_value(k->value, f, own ? old->component : old->data, true));
    TRY(buffer_append(k->value, "", 1));
    const size_t begin = k->value->size;
    TRY(config_write_value(k->value, f, new->data, true));
    const char *was = k->value->data, *is = was + begin;
    return strcmp(was, is) == 0 ? OK : say(k, s->name, f->key, was, is, f->effect);
}

/* Rows count only where both sides made the same choice; otherwise the choice itself is the difference. */
static Status compare_visit(void *context, const ConfigRow *new)
{
    Comparer *k = context;
    const Part *old = config_part(k->old, new->part->section->name);
    if (!new->field || strcmp(name_of(old), name_of(new->part)) != 0) return OK;
    return compare_row(k, old, new);
}

static Status compare_all(Comparer *k, const Config *new)
{
    for (int i = 0; i < new->n_parts; i++) {
        const Part *is = &new->part[i], *was = config_part(k->old, is->section->name);
        if (strcmp(name_of(was), name_of(is)) != 0)
            TRY(say(k, is->section->name, is->section->choice ? "name" : "", name_of(was), name_of(is), EFFECT_MATH));
    }
    return config_rows(new, compare_visit, k);
}

Status config_compare(const Config *old, const Config *new, Buffer *text, int *math, int *other)
{
    *math = *other = 0;
    REQUIRE(old->table == new->table, ERR_INTERNAL, "two configs of different tables cannot be compared");
    Buffer value = {0};
    Comparer k = {old, text, &value, math, other};
    const Status st = compare_all(&k, new);
    buffer_close(&value);
    return st;
}
