/* field.c - roles, and whether fields go together. */
#include "io/batch/field.h"

#include <string.h>

static const char *const roles[ROLES] = {"",         "input", "second",     "query",  "features", "keys", "values",
                                         "spelling", "marks", "candidates", "target", "gold",     "group"};

const char *field_role_name(Role role) { return roles[role]; }

Role field_role_find(const char *name)
{
    for (int i = ROLE_NONE + 1; i < ROLES; i++)
        if (strcmp(roles[i], name) == 0) return (Role)i;
    return ROLE_NONE;
}

bool field_has_of(Role role) { return role == ROLE_SPELLING || role == ROLE_MARKS || role == ROLE_GOLD; }

size_t field_bytes(const DataField *f) { return sizeof(float) * (size_t)(f->type == FIELD_FLOATS ? f->width : 1); }

int field_named(int n, const DataField *fields, const char *name)
{
    for (int i = 0; i < n; i++)
        if (strcmp(fields[i].name, name) == 0) return i;
    return -1;
}

int field_role(int n, const DataField *fields, Role role)
{
    for (int i = 0; i < n; i++)
        if (fields[i].role == role) return i;
    return -1;
}

int field_role_of(int n, const DataField *fields, Role role, Role of)
{
    const int whole = field_role(n, fields, of);
    for (int i = 0; whole >= 0 && i < n; i++)
        if (fields[i].role == role && strcmp(fields[i].of, fields[whole].name) == 0) return i;
    return -1;
}

/* What is wrong with a field that belongs to `of`. */
static const char *part_fault(const DataField *f, const DataField *of, bool target)
{
    if (field_has_of(of->role)) return "`of` names a field that belongs to another one itself";
    if (f->role == ROLE_SPELLING && (f->levels != of->levels + 1 || f->type != FIELD_IDS))
        return "a spelling has ids of one level more than the field whose words it spells";
    if (f->role == ROLE_MARKS && f->levels != of->levels) return "marks have the levels of the field that they mark";
    if (f->role != ROLE_GOLD) return NULL;
    if (f->unit < 1 || f->unit > of->levels) return "`unit` of gold is no level of the field `of`";
    if (f->levels != 1 || f->type != FIELD_IDS || f->vocab[0]) return "gold is a list of plain numbers, of level 1";
    return f->links && !target ? "gold links need a field of role target" : NULL;
}

static const char *fault_of(int n, const DataField *fields, const DataField *f)
{
    if (f->role == ROLE_NONE) return "it has no role";
    if (f->type == FIELD_FLOATS && f->vocab[0]) return "floats have no vocabulary";
    if (f->type == FIELD_FLOATS ? f->width < 1 : f->width != 0)
        return "floats have a width of at least 1, ids have none";
    if (f->role != ROLE_GOLD && (f->unit || f->links || f->possible))
        return "only gold has `unit`, `links` and `possible`";
    if (!field_has_of(f->role))
        return f->of[0]                                       ? "this role belongs to no other field"
               : &fields[field_role(n, fields, f->role)] != f ? "another field has this role already"
                                                              : NULL;
    const int of = field_named(n, fields, f->of);
    if (of < 0) return "`of` names no field";
    return part_fault(f, &fields[of], field_role(n, fields, ROLE_TARGET) >= 0);
}

const char *field_fault(int n, const DataField *fields, int *which)
{
    for (*which = 0; *which < n; ++*which) {
        const char *fault = fault_of(n, fields, &fields[*which]);
        if (fault) return fault;
    }
    return NULL;
}

void field_caps(int n, const DataField *fields, const DataField *f, int64_t sentences, int64_t words,
                int64_t cap[RAGGED_LEVELS])
{
    const int of = f->role == ROLE_SPELLING || f->role == ROLE_MARKS ? field_named(n, fields, f->of) : -1;
    if (of >= 0) {
        field_caps(n, fields, &fields[of], sentences, words, cap);
        return;
    }
    for (int l = 0; l < RAGGED_LEVELS; l++) cap[l] = 0;
    if (!f->vocab[0] && f->levels < 2) return;
    cap[0] = f->levels == 1 ? words : sentences;
    cap[1] = f->levels == 1 ? 0 : words;
}
