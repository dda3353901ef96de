/* config_faults.c - all faults of a config, sorted by place, as one message. */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "comm/terminal.h"
#include "io/config/config_parts.h"

enum { MESSAGE = 800, SHOWN = 60, REPORT = 12000, LAYER_NOWHERE = 2000 };

struct Fault {
    Place place;
    const char *text;
    Fault *next;
};

bool config_faults_full(const ConfigFaults *faults) { return faults->n >= CONFIG_FAULTS; }

/* In the order in which a reader meets them: the file before what it includes would be read, --set last. */
static bool before(const Place *a, const Place *b)
{
    if (a->layer != b->layer) return a->layer < b->layer;
    return a->line != b->line ? a->line < b->line : a->column < b->column;
}

static void keep(ConfigFaults *faults, const Place *place, const char *text)
{
    if (faults->status != OK) return;
    if (faults->n >= CONFIG_FAULTS) {
        faults->n++;
        return;
    }
    char said[MESSAGE + PATH_MAX];
    if (place->line)
        terminal_format(said, sizeof said, "%s:%d:%d: %s", place->where, place->line, place->column, text);
    else
        terminal_format(said, sizeof said, "%s: %s", place->where, text);
    Fault *f = arena_zeros(faults->arena, 1, sizeof *f);
    const char *line = f ? arena_text(faults->arena, said) : NULL;
    if (!line) {
        faults->status = ERR_HOST;
        return;
    }
    for (const Fault *other = faults->first; other; other = other->next)
        if (strcmp(other->text, line) == 0) return; /* a file that is included twice */
    faults->n++;
    *f = (Fault){*place, line, NULL};
    Fault **at = &faults->first;
    while (*at && !before(place, &(*at)->place)) at = &(*at)->next;
    f->next = *at;
    *at = f;
}

void config_fault_at(ConfigFaults *faults, const Place *place, const char *format, ...)
{
    char text[MESSAGE];
    va_list args;
    va_start(args, format);
    terminal_vformat(text, sizeof text, format, args);
    va_end(args);
    keep(faults, place, text);
}

/* The place of the value if it was given, else of what it lies in, else the file. */
static Place place_of(const Config *c, const Part *p, const char *key)
{
    const Given *found = key ? config_entry(p, key) : NULL;
    if (found && found->place.layer != LAYER_PRESET) return config_place(&found->place, found->value);
    const Part *section = config_part_root(p);
    for (; p; p = p->parent)
        if (p->place.where) return p->place;
    return (Place){.where = c->name, .layer = LAYER_NOWHERE, .column = (int)(section - c->part)};
}

static void keep_of(ConfigFaults *faults, const Part *p, const char *key, const char *path, const char *last,
                    const char *text)
{
    char full[MESSAGE + 200];
    snprintf(full, sizeof full, "%s%s%s: %s", path, last ? "." : "", last ? last : "", text);
    const Place place =
        p ? place_of(faults->config, p, key) : (Place){.where = faults->config->name, .layer = LAYER_NOWHERE};
    keep(faults, &place, full);
}

void config_fault_of(ConfigFaults *faults, const Part *p, const char *key, const char *format, ...)
{
    char text[MESSAGE];
    va_list args;
    va_start(args, format);
    terminal_vformat(text, sizeof text, format, args);
    va_end(args);
    keep_of(faults, p, key, p->path, key, text);
}

void config_fault(ConfigFaults *faults, const char *section, const char *key, const char *format, ...)
{
    char text[MESSAGE];
    va_list args;
    va_start(args, format);
    terminal_vformat(text, sizeof text, format, args);
    va_end(args);
    const char *last = key;
    const Part *p = config_place_of(faults->config, section, &last);
    keep_of(faults, p, last, section, key, text);
}

Status config_faults_status(const ConfigFaults *faults)
{
    if (faults->status != OK) return status_trace(faults->status, __FILE__, __LINE__, __func__);
    if (faults->n == 0) return OK;
    char text[REPORT + 100];
    size_t used = 0;
    int shown = 0;
    for (const Fault *f = faults->first; f; f = f->next, shown++) {
        const size_t size = strlen(f->text);
        if (used + size + 1 > REPORT) break;
        if (used) text[used++] = '\n';
        memcpy(text + used, f->text, size);
        used += size;
    }
    text[used] = '\0';
    const int more = faults->n - shown;
    if (more > 0) snprintf(text + used, sizeof text - used, "\nand %d more fault%s", more, more == 1 ? "" : "s");
    FAIL(ERR_CONFIG, "%s", text);
}

Place config_place(const Place *source, const YamlNode *node)
{
    Place place = *source;
    if (source->line && node) {
        place.line = node->line;
        place.column = node->column;
    }
    return place;
}

/* At most SHOWN bytes, whole characters, what acts escaped. */
static const char *shorten(Arena *arena, const char *text, bool bare)
{
    char out[6 * SHOWN + 8];
    const char *quote = bare ? "" : "\"";
    terminal_format(out, sizeof out, "%s%.*s%s%s", quote, SHOWN, text, strlen(text) > SHOWN ? "..." : "", quote);
    const char *copy = arena_text(arena, out);
    return copy ? copy : "(out of memory)";
}

const char *config_shown(Arena *arena, const char *text)
{
    return shorten(arena, text, *text && !strpbrk(text, " ,;:\n\t"));
}

const char *config_found(Arena *arena, const YamlNode *node)
{
    if (node->kind == YAML_LIST) return "a list";
    if (node->kind == YAML_MAP) return "a map";
    if (yaml_is_null(node)) return "nothing";
    return node->plain ? config_shown(arena, node->text) : shorten(arena, node->text, false);
}
