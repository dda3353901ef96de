/* config_fill.c - entries become structs: types, ranges, choices. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "comm/utf8.h"
#include "io/config/config_parts.h"
#include "io/config/value.h"
#include "io/format/number.h"

/* One row that is being filled. */
typedef struct Slot {
    Config *c;
    ConfigFaults *faults;
    const Part *part;
    const Field *field;
    void *data; /* the struct */
    Place place;
} Slot;

static const char *const nouns[] = {
    [FIELD_BOOL] = "true or false",
    [FIELD_INT] = "a whole number",
    [FIELD_REAL] = "a number",
    [FIELD_TEXT] = "a text",
    [FIELD_LIST] = "a list of texts",
    [FIELD_BYTES] = "a size such as 512MiB (units B KB MB GB TB KiB MiB GiB TiB)",
    [FIELD_SECONDS] = "a duration such as 15min (units ms s min h d)",
    [FIELD_CHOICE] = "a name",
};

const char *config_choices(Arena *arena, const char *(*choice)(int i))
{
    const char *list = choice(0);
    for (int i = 1; list && choice(i); i++) list = arena_format(arena, "%s, %s", list, choice(i));
    return list ? list : "...";
}

bool config_bounded(const Field *f) { return f->min != 0 || f->max != 0; }

static bool upper_bound(const Field *f) { return f->max >= f->min && isfinite(f->max); }

static void write_bound(char text[VALUE_SIZE], const Field *f, double v)
{
    char number[NUMBER_SIZE];
    if (f->kind == FIELD_BYTES && fabs(v) < 0x1p63)
        value_write_bytes(text, (int64_t)v);
    else if (f->kind == FIELD_SECONDS)
        value_write_seconds(text, v);
    else
        snprintf(text, VALUE_SIZE, "%s", number_double(number, v));
}

const char *config_bounds(Arena *arena, const Field *f)
{
    char low[VALUE_SIZE], high[VALUE_SIZE];
    if (!config_bounded(f)) return NULL;
    write_bound(low, f, f->min);
    write_bound(high, f, f->max);
    const bool unit = f->unit && f->kind != FIELD_BYTES && f->kind != FIELD_SECONDS;
    const char *space = unit ? " " : "", *word = unit ? f->unit : "";
    const char *text = upper_bound(f) ? arena_format(arena, "%s to %s%s%s", low, high, space, word)
                                      : arena_format(arena, "at least %s%s%s", low, space, word);
    return text ? text : "(out of memory)";
}

static void fault(Slot *s, const YamlNode *node, const char *text)
{
    const Place place = config_place(&s->place, node);
    config_fault_at(s->faults, &place, "%s.%s: %s", s->part->path, s->field->key, text);
}

static void wrong(Slot *s, const YamlNode *node, const char *hint)
{
    char text[512];
    snprintf(text, sizeof text, "expected %s, found %s%s", nouns[s->field->kind], config_found(s->c->arena, node),
             hint);
    fault(s, node, text);
}

static void out_of_range(Slot *s, const YamlNode *node, const char *bounds)
{
    char text[512];
    snprintf(text, sizeof text, "%s is out of range; expected %s", config_found(s->c->arena, node), bounds);
    fault(s, node, text);
}

static void range_of_type(Slot *s, const YamlNode *node)
{
    const char *bounds = config_bounds(s->c->arena, s->field);
    if (!bounds)
        bounds = s->field->kind == FIELD_REAL || s->field->kind == FIELD_SECONDS ? "0, or 2.3e-308 to 1.7e+308 in size"
                                                                                 : "less than 9.2e+18 in size";
    out_of_range(s, node, bounds);
}

/* Why is this no value of its kind? */
static void fault_of(Slot *s, const YamlNode *node, ValueFault why)
{
    double number;
    const char *hint = "";
    switch (why) {
    case VALUE_RANGE: range_of_type(s, node); return;
    case VALUE_HEX: hint = "; hexadecimal is not read"; break;
    case VALUE_UNIT: hint = "; unknown unit"; break;
    case VALUE_WHOLE: hint = s->field->kind == FIELD_BYTES ? "; not a whole number of bytes" : ""; break;
    default:
        if (value_real(node->text, &number) == VALUE_OK && s->field->kind == FIELD_BOOL) hint = "; 0 and 1 are numbers";
        if (*node->text == '"' || *node->text == '\'') hint = "; remove the quotes";
    }
    wrong(s, node, hint);
}

static bool in_bounds(Slot *s, const YamlNode *node, double v)
{
    const Field *f = s->field;
    const bool positive = f->kind != FIELD_BYTES && f->kind != FIELD_SECONDS;
    if (!config_bounded(f) && !positive && v < 0) {
        out_of_range(s, node, "at least 0");
        return false;
    }
    if (!config_bounded(f) || (v >= f->min && (v <= f->max || !upper_bound(f)))) return true;
    out_of_range(s, node, config_bounds(s->c->arena, f));
    return false;
}

static void fill_number(Slot *s, const YamlNode *node)
{
    void *at = (char *)s->data + s->field->offset;
    int64_t i = 0;
    double d = 0;
    bool b = false;
    ValueFault why = VALUE_KIND;
    switch (s->field->kind) {
    case FIELD_BOOL: why = value_bool(node->text, &b); break;
    case FIELD_INT: why = value_int(node->text, &i); break;
    case FIELD_BYTES: why = value_bytes(node->text, &i); break;
    case FIELD_REAL: why = value_real(node->text, &d); break;
    default: why = value_seconds(node->text, &d);
    }
    if (why != VALUE_OK) {
        fault_of(s, node, why);
        return;
    }
    if (!node->plain) {
        wrong(s, node, "; remove the quotes");
        return;
    }
    switch (s->field->kind) {
    case FIELD_BOOL: *(bool *)at = b; break;
    case FIELD_INT:
    case FIELD_BYTES:
        if (in_bounds(s, node, (double)i)) *(int64_t *)at = i;
        break;
    default:
        if (in_bounds(s, node, d)) *(double *)at = d;
    }
}

/* The number of the choice, -1 after a fault. */
static int find_choice(Slot *s, const YamlNode *node)
{
    const Field *f = s->field;
    const char *names[256], *text = node->text;
    int n = 0;
    for (; n < 256 && f->choice(n); n++) {
        if (strcmp(f->choice(n), text) == 0) return n;
        names[n] = f->choice(n);
    }
    char message[700];
    const char *near = config_nearest(text, names, n);
    snprintf(message, sizeof message, "expected one of %s; found %s%s%s%s", config_choices(s->c->arena, f->choice),
             config_found(s->c->arena, node), near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    fault(s, node, message);
    return -1;
}

static bool allowed(Slot *s, const YamlNode *node)
{
    const Field *f = s->field;
    const bool none = f->preset && (!*f->preset || strcmp(f->preset, "\"\"") == 0); /* nothing is the preset */
    return !f->choice || (none && !*node->text) || find_choice(s, node) >= 0;
}

/* The text of one scalar, a path made absolute; NULL after a fault, or with *nothing. */
static const char *text_of(Slot *s, const YamlNode *node, bool *nothing)
{
    if (node->kind != YAML_TEXT || (yaml_is_null(node) && s->place.line)) {
        wrong(s, node, node->kind == YAML_TEXT ? "; write \"\" for an empty text" : "");
        return NULL;
    }
    if (s->field->none && strcmp(node->text, s->field->none) == 0) {
        *nothing = true;
        return NULL;
    }
    if (!allowed(s, node)) return NULL;
    if (!s->field->is_file || !*node->text) return node->text;
    const char *wrong, *path = config_home(s->c->arena, s->c->home, node->text, &wrong);
    if (wrong) {
        fault(s, node, wrong);
        return NULL;
    }
    if (path) path = config_path(s->c->arena, s->place.base, path);
    if (!path) {
        s->faults->status = ERR_HOST;
        return NULL;
    }
    if (utf8_check(path, strlen(path)) < strlen(path)) {
        fault(s, node, "the folder of this path has a name that is not UTF-8");
        return NULL;
    }
    return path;
}

static void fill_list(Slot *s, const YamlNode *node)
{
    TextList *list = (TextList *)((char *)s->data + s->field->offset);
    const bool one = node->kind == YAML_TEXT;
    const bool none = one && !s->place.line && !*node->text; /* --set a.list= */
    if (node->kind == YAML_MAP || (one && s->place.line && yaml_is_null(node))) {
        wrong(s, node, one ? "; write [] for an empty list" : "");
        return;
    }
    int64_t n = 0;
    for (const YamlNode *i = node->first; i; i = i->next) n++;
    const char **items = arena_zeros(s->c->arena, one ? 1 : n, sizeof *items);
    if (!items) {
        s->faults->status = ERR_HOST;
        return;
    }
    int used = 0;
    for (const YamlNode *i = one ? node : node->first; i && !none; i = i->next) {
        bool nothing = false;
        const char *text = text_of(s, i, &nothing);
        if (text) items[used++] = text;
    }
    *list = (TextList){used, items};
}

static void fill_choice(Slot *s, const YamlNode *node)
{
    if (node->kind != YAML_TEXT || yaml_is_null(node)) {
        char text[512];
        snprintf(text, sizeof text, "expected one of %s; found %s", config_choices(s->c->arena, s->field->choice),
                 config_found(s->c->arena, node));
        fault(s, node, text);
        return;
    }
    const int i = find_choice(s, node);
    if (i >= 0) *(int *)((char *)s->data + s->field->offset) = i;
}

static void fill_row(Slot *s, const YamlNode *node)
{
    if (s->field->kind == FIELD_LIST) {
        fill_list(s, node);
    } else if (s->field->kind == FIELD_TEXT) {
        bool nothing = false;
        const char *text = text_of(s, node, &nothing);
        if (text || nothing) *(const char **)((char *)s->data + s->field->offset) = text;
    } else if (s->field->kind == FIELD_CHOICE) {
        fill_choice(s, node);
    } else if (node->kind != YAML_TEXT || yaml_is_null(node)) {
        wrong(s, node, "");
    } else {
        fill_number(s, node);
    }
}

/* As it would stand in YAML: a list and a text in quotes are read as such, all else is one word. */
static void fill_preset(Slot *s)
{
    const char *text = strcmp(s->field->preset, "\"\"") == 0 ? "" : s->field->preset; /* as YAML writes nothing */
    YamlNode plain = {.kind = YAML_TEXT, .text = text, .plain = true}, *node = &plain;
    if (*text && strchr("[\"'", *text)) {
        const Status st = yaml_read(&node, s->c->arena, "preset", text, strlen(text));
        if (st == ERR_CONFIG)
            fault(s, NULL, status_message());
        else if (st != OK)
            s->faults->status = st;
        if (st != OK) return;
    }
    fill_row(s, node);
}

static void missing(Slot *s)
{
    const Field *f = s->field;
    const Part *p = s->part, *root = config_part_root(p);
    if ((p->section->optional && !root->given) || s->faults->unread) return;
    for (; p; p = p->parent)
        if (p->unread) return;
    if (f->kind == FIELD_CHOICE)
        config_fault_of(s->faults, s->part, f->key, "missing; expected one of %s",
                        config_choices(s->c->arena, f->choice));
    else
        config_fault_of(s->faults, s->part, f->key, "missing; expected %s", nouns[f->kind]);
}

/* A group lies in the struct around it; a part has a struct of its own. */
static void fill_child(Slot *s, Part *child)
{
    char *at = (char *)s->data + s->field->offset;
    if (!child) return; /* too deep, which was said */
    config_fill_part(s->c, child, at, s->faults);
    if (s->field->kind == FIELD_PART) *(Chosen *)(void *)at = (Chosen){child->chosen, child->component};
}

static void fill_value(Slot *s, const Given *given)
{
    const Field *f = s->field;
    if (f->kind == FIELD_TEXT) *(const char **)((char *)s->data + f->offset) = "";
    if (given && given->place.layer != LAYER_PRESET) {
        s->place = given->place;
        fill_row(s, given->value);
    } else if (given || f->preset) {
        s->place = (Place){.where = "preset", .base = s->c->folder};
        if (given)
            fill_row(s, given->value);
        else
            fill_preset(s);
    } else {
        missing(s);
    }
}

static void fill_rows(Config *c, const Part *p, const Field *fields, int n, const Given **entry, Part **child,
                      void *data, ConfigFaults *faults)
{
    for (int i = 0; i < n && faults->status == OK; i++) {
        Slot s = {.c = c, .faults = faults, .part = p, .field = &fields[i], .data = data};
        if (fields[i].kind == FIELD_GROUP || fields[i].kind == FIELD_PART)
            fill_child(&s, child[i]);
        else
            fill_value(&s, entry[i]);
    }
}

void config_fill_part(Config *c, Part *p, void *data, ConfigFaults *faults)
{
    const Component *k = p->chosen;
    p->data = data ? data : arena_zeros(c->arena, 1, p->section->size);
    p->component = k ? arena_zeros(c->arena, 1, k->size) : NULL;
    if (!p->data || (k && !p->component)) {
        faults->status = ERR_HOST;
        return;
    }
    fill_rows(c, p, p->fields, p->n_fields, p->entry, p->child, p->data, faults);
    if (k) fill_rows(c, p, k->fields, k->n_fields, p->own, p->own_child, p->component, faults);
}

void config_fill(Config *c, ConfigFaults *faults)
{
    for (int i = 0; i < c->n_parts && faults->status == OK; i++) config_fill_part(c, &c->part[i], NULL, faults);
}
