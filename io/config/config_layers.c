/* config_layers.c - files, environment and --set become the givens of each section. */
#include <ctype.h>
#include <string.h>

#include "comm/utf8.h"
#include "io/config/config_parts.h"

enum { LAYER_ENV = 1000, LAYER_SET = 1001 };

typedef struct Collector {
    Config *c;
    const ConfigInput *input;
    ConfigFaults *faults;
    int chain[CONFIG_INCLUDE_DEPTH]; /* files that are open, the outermost first */
    int depth;
    int layers; /* files read so far, a file that is included twice counts twice */
} Collector;

Part *config_part(const Config *c, const char *path)
{
    for (Part *p = c->first_part; p; p = p->next)
        if (strcmp(p->path, path) == 0) return p;
    return NULL;
}

const Part *config_part_root(const Part *p)
{
    while (p->parent) p = p->parent;
    return p;
}

static void no_memory(ConfigFaults *faults) { faults->status = ERR_HOST; }

void config_give(Config *c, Part *part, Given given, ConfigFaults *faults)
{
    Given *g = arena_zeros(c->arena, 1, sizeof *g);
    if (!g) {
        no_memory(faults);
        return;
    }
    *g = given;
    if (part->last)
        part->last->next = g;
    else
        part->first = g;
    part->last = g;
    part->given = true;
}

/* Which sections have a row of this name, in their own rows or in a component's? */
static const char *sections_with(const Config *c, const char *key)
{
    const char *list = NULL;
    for (int i = 0; i < c->n_parts; i++) {
        const Section *s = c->part[i].section;
        bool has = schema_row(s->fields, s->n_fields, key) != NULL;
        for (int k = 0; s->choice && s->choice(k) && !has; k++)
            has = schema_row(s->choice(k)->fields, s->choice(k)->n_fields, key) != NULL;
        if (has) list = list ? arena_format(c->arena, "%s or %s", list, s->name) : s->name;
    }
    return list;
}

static const char *section_names(const Config *c)
{
    const char *list = "";
    for (int i = 0; i < c->n_parts && list; i++)
        list = arena_format(c->arena, "%s%s%s", list, i ? ", " : "", c->part[i].section->name);
    return list ? list : "(out of memory)";
}

static void unknown_section(Collector *k, const char *section, const Place *place, bool whole)
{
    if (config_faults_full(k->faults)) {
        k->faults->n++;
        return;
    }
    const char *names[256], *near = NULL;
    int n = 0;
    for (int i = 0; i < k->c->n_parts && n < 255; i++) names[n++] = k->c->part[i].section->name;
    if (whole) names[n++] = "include";
    const char *shown = config_shown(k->c->arena, section), *home = whole ? sections_with(k->c, section) : NULL;
    near = config_nearest(section, names, n);
    if (home)
        config_fault_at(k->faults, place, "%s: unknown section; the key %s belongs in section %s", shown, shown, home);
    else if (near)
        config_fault_at(k->faults, place, "%s: unknown section; did you mean %s?", shown, near);
    else
        config_fault_at(k->faults, place, "%s: unknown section; there are %s", shown, section_names(k->c));
}

/* Every key of a map but the first of its name is a fault. */
static bool is_duplicate(const Config *c, const YamlNode *map, const YamlNode *key, const char *path, const Place *file,
                         ConfigFaults *faults)
{
    for (const YamlNode *other = map->first; other != key; other = other->next) {
        if (strcmp(other->text, key->text) != 0) continue;
        const Place place = config_place(file, key);
        config_fault_at(faults, &place, "%s%s%s: given twice; the first is at line %d, column %d", path,
                        *path ? "." : "", config_shown(c->arena, key->text), other->line, other->column);
        return true;
    }
    return false;
}

static bool too_many_keys(const YamlNode *map, const Place *file, ConfigFaults *faults)
{
    int n = 0;
    for (const YamlNode *key = map->first; key; key = key->next) n++;
    if (n <= CONFIG_KEYS_OF_MAP) return false;
    const Place place = config_place(file, map);
    config_fault_at(faults, &place, "%d keys in one map; at most %d", n, CONFIG_KEYS_OF_MAP);
    return true;
}

void config_give_map(Config *c, Part *part, const YamlNode *map, const Place *file, ConfigFaults *faults)
{
    if (too_many_keys(map, file, faults)) return;
    for (const YamlNode *row = map->first; row; row = row->next)
        if (!is_duplicate(c, map, row, part->path, file, faults))
            config_give(c, part, (Given){.key = row->text, .value = row->value, .place = config_place(file, row)},
                        faults);
}

static void read_section(Collector *k, const YamlNode *key, const Place *file)
{
    Part *part = config_part(k->c, key->text);
    const Place place = config_place(file, key), value_place = config_place(file, key->value);
    if (!part) {
        unknown_section(k, key->text, &place, true);
        return;
    }
    part->given = true;
    part->place = place;
    const YamlNode *map = key->value;
    if (yaml_is_null(map)) return;
    if (map->kind != YAML_MAP) {
        part->unread = true;
        const char *found = config_found(k->c->arena, map);
        if (map->kind == YAML_TEXT && part->section->choice)
            config_fault_at(k->faults, &value_place, "%s: expected keys and values, found %s; write %s: {name: %s}",
                            key->text, found, key->text, found);
        else
            config_fault_at(k->faults, &value_place, "%s: expected keys and values, found %s", key->text, found);
        return;
    }
    config_give_map(k->c, part, map, file, k->faults);
}

static int find_file(const ConfigInput *input, const char *name)
{
    for (int i = 0; i < input->n_files; i++)
        if (strcmp(input->file[i].name, name) == 0) return i;
    return -1;
}

static void read_file(Collector *k, int index);

/* a.yaml -> b.yaml -> a.yaml */
static const char *chain_text(const Collector *k, const char *last)
{
    const char *text = "";
    for (int i = 0; i < k->depth && text; i++)
        text = arena_format(k->c->arena, "%s%s -> ", text, k->input->file[k->chain[i]].name);
    if (text) text = arena_format(k->c->arena, "%s%s", text, last);
    return text ? text : "(out of memory)";
}

static void include_one(Collector *k, const YamlNode *node, const Place *file)
{
    const Place place = config_place(file, node);
    if (node->kind != YAML_TEXT || yaml_is_null(node) || !*node->text) {
        config_fault_at(k->faults, &place, "include: expected a file or a list of files, found %s",
                        config_found(k->c->arena, node));
        return;
    }
    const char *fault, *path = config_home(k->c->arena, k->input->home, node->text, &fault);
    if (fault) {
        config_fault_at(k->faults, &place, "include: %s: %s", config_found(k->c->arena, node), fault);
        return;
    }
    const char *name = path ? config_include_name(k->c->arena, file->where, path) : NULL;
    if (!name) {
        no_memory(k->faults);
        return;
    }
    const int index = find_file(k->input, name);
    const ConfigFile *f = index >= 0 ? &k->input->file[index] : NULL;
    bool open = false;
    for (int i = 0; i < k->depth && f; i++)
        open |= f->id && k->input->file[k->chain[i]].id && strcmp(k->input->file[k->chain[i]].id, f->id) == 0;
    k->faults->unread |= !f || !f->text;
    if (open)
        config_fault_at(k->faults, &place, "include: a circle: %s", chain_text(k, name));
    else if (k->depth == CONFIG_INCLUDE_DEPTH)
        config_fault_at(k->faults, &place, "include: more than %d files deep", CONFIG_INCLUDE_DEPTH);
    else if (!f)
        config_fault_at(k->faults, &place, "include: %s: not available here", config_found(k->c->arena, node));
    else if (!f->text)
        config_fault_at(k->faults, &place, "include: %s: %s", name, f->error);
    else if (k->layers >= CONFIG_FILES)
        config_fault_at(k->faults, &place, "include: more than %d files", CONFIG_FILES);
    else
        read_file(k, index);
}

static void include_all(Collector *k, const YamlNode *node, const Place *file)
{
    if (node->kind != YAML_LIST) {
        include_one(k, node, file);
        return;
    }
    int n = 0;
    for (const YamlNode *item = node->first; item && n < CONFIG_FILES; item = item->next, n++)
        include_one(k, item, file);
}

/* What is included comes first, so that the file's own values win. */
static void read_map(Collector *k, const YamlNode *map, Place *file)
{
    if (too_many_keys(map, file, k->faults)) return;
    for (const YamlNode *key = map->first; key; key = key->next)
        if (strcmp(key->text, "include") == 0 && !is_duplicate(k->c, map, key, "", file, k->faults))
            include_all(k, key->value, file);
    file->layer = k->layers++;
    for (const YamlNode *key = map->first; key; key = key->next)
        if (strcmp(key->text, "include") != 0 && !is_duplicate(k->c, map, key, "", file, k->faults))
            read_section(k, key, file);
}

/* The report of yaml_read already begins with file:line:column. */
static void adopt_fault(Config *c, const char *name, int layer, ConfigFaults *faults)
{
    const char *text = status_message();
    const size_t size = strlen(name);
    if (strncmp(text, name, size) == 0 && strncmp(text + size, ": ", 2) == 0) text += size + 2;
    const bool placed = text == status_message();
    faults->unread = true;
    Place place = {.where = name, .layer = layer};
    if (placed) {
        const char *colon = strchr(text + size, ' ');
        const char *where = colon ? arena_format(c->arena, "%.*s", (int)(colon - 1 - text), text) : NULL;
        if (where) place.where = where;
        text = colon ? colon + 1 : text;
    }
    config_fault_at(faults, &place, "%s", text);
}

static void read_file(Collector *k, int index)
{
    const ConfigFile *f = &k->input->file[index];
    YamlNode *root = NULL;
    const Status st = yaml_read(&root, k->c->arena, f->name, f->text, f->size);
    Place file = {.where = f->name, .base = f->base, .layer = k->layers, .line = 1, .column = 1};
    if (st == ERR_CONFIG) {
        adopt_fault(k->c, f->name, k->layers++, k->faults);
        return;
    }
    if (st != OK) {
        k->faults->status = st;
        return;
    }
    if (root->kind != YAML_MAP) {
        const Place place = config_place(&file, root);
        k->faults->unread = true;
        config_fault_at(k->faults, &place, "expected sections with keys and values at the top, found %s",
                        config_found(k->c->arena, root));
        k->layers++;
        return;
    }
    k->chain[k->depth++] = index;
    read_map(k, root, &file);
    k->depth--;
}

const YamlNode *config_read_text(Config *c, const Place *place, const char *text, ConfigFaults *faults)
{
    YamlNode *node = NULL;
    const Status st = yaml_read(&node, c->arena, place->where, text, strlen(text));
    if (st == ERR_CONFIG)
        adopt_fault(c, place->where, place->layer, faults);
    else if (st != OK)
        faults->status = st;
    return node;
}

/* A text from the command line or the environment is a plain value; [a, b] is read as YAML, for lists. */
static const YamlNode *text_value(Collector *k, const Place *place, const char *text)
{
    if (*text == '[') return config_read_text(k->c, place, text, k->faults);
    YamlNode *node = arena_zeros(k->c->arena, 1, sizeof *node);
    if (!node) {
        no_memory(k->faults);
        return NULL;
    }
    *node = (YamlNode){.kind = YAML_TEXT, .text = text, .plain = *text != '\0'};
    return node;
}

/* What follows the first point, which ends the text before it. NULL: no point. */
static char *cut(char *path)
{
    char *point = strchr(path, '.');
    if (point) *point++ = '\0';
    return point;
}

/* Words with one point between them. */
static bool is_path(const char *text)
{
    const size_t size = strlen(text);
    return size > 0 && *text != '.' && text[size - 1] != '.' && !strstr(text, "..");
}

static void read_set(Collector *k, int i)
{
    const char *text = arena_text(k->c->arena, k->input->set[i]);
    const char *where = arena_format(k->c->arena, "--set %d", i + 1);
    const Place place = {.where = where, .base = k->input->folder, .layer = LAYER_SET, .column = i};
    if (!where || !text) {
        no_memory(k->faults);
        return;
    }
    const char *equal = strchr(text, '=');
    if (utf8_check(text, strlen(text)) < strlen(text)) {
        config_fault_at(k->faults, &place, "%s: not UTF-8", config_shown(k->c->arena, text));
        return;
    }
    char *section = arena_format(k->c->arena, "%.*s", equal ? (int)(equal - text) : 0, text);
    if (!section) {
        no_memory(k->faults);
        return;
    }
    char *key = cut(section), *rest = key ? cut(key) : NULL;
    if (!is_path(section) || !key || !is_path(key) || (rest && !is_path(rest))) {
        config_fault_at(k->faults, &place, "expected section.key=value, found %s", config_shown(k->c->arena, text));
        return;
    }
    Part *part = config_part(k->c, section);
    const YamlNode *value = part ? text_value(k, &place, equal + 1) : NULL;
    if (value)
        config_give(k->c, part, (Given){.key = key, .rest = rest, .value = value, .place = place}, k->faults);
    else if (!part)
        unknown_section(k, section, &place, false);
}

/* --- The environment: MNEME_SECTION_KEY --- */

static const char prefix[] = "MNEME_";

/* The longest section name that fits counts. */
static Part *env_part(const Config *c, const char *name, size_t *used)
{
    Part *best = NULL;
    for (int i = 0; i < c->n_parts; i++) {
        const char *section = c->part[i].section->name;
        size_t n = 0;
        while (section[n] && toupper((unsigned char)section[n]) == (unsigned char)name[n]) n++;
        if (section[n] || name[n] != '_' || (best && n < *used)) continue;
        best = &c->part[i];
        *used = n;
    }
    return best;
}

/* In upper case, with the section that is nearest to some beginning of it; NULL: none is near. */
static const char *env_near(const Config *c, const char *variable)
{
    const char *names[256];
    char *upper = arena_text(c->arena, variable);
    int n = 0;
    for (; n < c->n_parts && n < COUNT(names); n++) names[n] = c->part[n].section->name;
    for (char *at = upper; at && *at; at++) *at = (char)toupper((unsigned char)*at);
    for (const char *end = upper; end && (end = strchr(end, '_')) != NULL; end++) {
        const char *near = config_nearest(arena_format(c->arena, "%.*s", (int)(end - upper), upper), names, n);
        char *section = near ? arena_format(c->arena, "%s%s%s", prefix, near, end) : NULL;
        for (char *at = section; at && *at; at++) *at = (char)toupper((unsigned char)*at);
        if (section) return section;
    }
    return NULL;
}

/* No setting: one of the program's own variables, or a fault where the table knows these. */
static void unknown_variable(Collector *k, const char *name, const Place *place)
{
    const char *const *own = k->c->table->variables;
    const char *rest[64];
    int n = 0;
    for (; own && own[n] && n < COUNT(rest); n++) {
        if (strcmp(own[n], name) == 0) return;
        rest[n] = own[n] + sizeof prefix - 1;
    }
    if (!own) return;
    const char *setting = env_near(k->c, name + sizeof prefix - 1);
    const char *near = setting ? setting : config_nearest(name + sizeof prefix - 1, rest, n);
    config_fault_at(k->faults, place, "no setting (%sSECTION_KEY) and no variable of ours%s%s%s%s", prefix,
                    near ? "; did you mean " : "", near && !setting ? prefix : "", near ? near : "", near ? "?" : "");
}

static void read_env(Collector *k, int i)
{
    const char *text = k->input->env[i];
    const char *equal = strchr(text, '=');
    size_t used = 0;
    if (!equal || strncmp(text, prefix, sizeof prefix - 1) != 0) return;
    const char *name = arena_format(k->c->arena, "%.*s", (int)(equal - text), text);
    const char *where = arena_format(k->c->arena, "environment %.*s", (int)(equal - text), text);
    if (!where || !name) {
        no_memory(k->faults);
        return;
    }
    const Place place = {.where = where, .base = k->input->folder, .layer = LAYER_ENV, .column = i};
    Part *part = env_part(k->c, name + sizeof prefix - 1, &used);
    const size_t begin = sizeof prefix + used;
    char *key = part && begin < strlen(name) ? arena_text(k->c->arena, name + begin) : NULL;
    if (!part || begin >= strlen(name)) {
        unknown_variable(k, name, &place);
        return;
    }
    if (!key) {
        no_memory(k->faults);
        return;
    }
    for (char *c = key; *c; c++) *c = (char)tolower((unsigned char)*c);
    if (utf8_check(text, strlen(text)) < strlen(text)) {
        config_fault_at(k->faults, &place, "%s: not UTF-8", config_shown(k->c->arena, equal + 1));
        return;
    }
    const YamlNode *value = text_value(k, &place, equal + 1);
    if (value) config_give(k->c, part, (Given){.key = key, .env = true, .value = value, .place = place}, k->faults);
}

void config_collect(Config *c, const ConfigInput *input, ConfigFaults *faults)
{
    Collector k = {.c = c, .input = input, .faults = faults};
    read_file(&k, 0);
    for (int i = 0; i < input->n_env; i++) read_env(&k, i);
    for (int i = 0; i < input->n_sets; i++) read_set(&k, i);
}
