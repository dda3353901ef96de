/* config.c - from an input to a config, and what others ask of it. */
#include "io/config/config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/config/config_parts.h"

Status config_make_parts(Config *c)
{
    while (c->table->sections[c->n_parts]) c->n_parts++;
    TRY_NEW(c->part, c->arena, c->n_parts);
    c->tail = &c->first_part;
    for (int i = 0; i < c->n_parts; i++) {
        const Section *s = c->table->sections[i];
        c->part[i] = (Part){.section = s,
                            .path = s->name,
                            .fields = s->fields,
                            .n_fields = s->n_fields,
                            .family = s->choice,
                            .preset = s->preset};
        *c->tail = &c->part[i];
        c->tail = &c->part[i].next;
    }
    return OK;
}

/* Rules over several fields are judged only when each field by itself is good. */
Status config_build(Config **out, Arena *run, const ConfigTable *table, const ConfigInput *input)
{
    Config *c;
    TRY_NEW(c, run, 1);
    *c = (Config){
        .table = table, .name = input->file[0].name, .folder = input->folder, .home = input->home, .arena = run};
    TRY(config_make_parts(c));
    ConfigFaults faults = {.arena = run, .config = c};
    config_collect(c, input, &faults);
    if (faults.status == OK) config_match(c, &faults);
    if (faults.status == OK) config_fill(c, &faults);
    if (faults.status == OK && faults.n == 0 && table->check) table->check(c, &faults);
    TRY(config_faults_status(&faults));
    *out = c;
    return OK;
}

Status config_parse(Config **out, Arena *run, const ConfigTable *table, const char *name, const char *text, size_t size,
                    int n_sets, const char *const *sets)
{
    char here[4096];
    ConfigInput *input;
    TRY_NEW(input, run, 1);
    input->folder = arena_text(run, getcwd(here, sizeof here) ? here : ".");
    input->home = getenv("HOME");
    const char *folder = config_folder(run, name);
    const char *base = folder && input->folder ? config_path(run, input->folder, folder) : NULL;
    char *copy = arena_alloc(run, size + 1);
    const char *own_name = arena_text(run, name);
    if (!base || !copy || !own_name) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    memcpy(copy, text, size);
    copy[size] = '\0';
    input->n_files = 1;
    input->file[0] = (ConfigFile){.name = own_name, .id = own_name, .base = base, .text = copy, .size = size};
    input->n_sets = n_sets;
    input->set = sets;
    return config_build(out, run, table, input);
}

const void *config_section(const Config *c, const char *section)
{
    const Part *p = config_part(c, section);
    return p ? p->data : NULL;
}

const void *config_component(const Config *c, const char *section)
{
    const Part *p = config_part(c, section);
    return p ? p->component : NULL;
}

const char *config_choice(const Config *c, const char *section)
{
    const Part *p = config_part(c, section);
    return p && p->chosen ? p->chosen->name : NULL;
}

Chosen config_chosen(const Config *c, const char *section)
{
    const Part *p = config_part(c, section);
    return p ? (Chosen){p->chosen, p->component} : (Chosen){NULL, NULL};
}

/* Where a key of a section lies: its group or part for "attention.score", and *key becomes "score". */
const Part *config_place_of(const Config *c, const char *section, const char **key)
{
    const Part *p = config_part(c, section);
    for (const char *point; p && *key && (point = strchr(*key, '.')) != NULL; *key = point + 1) {
        const size_t begin = strlen(p->path) + 1, size = (size_t)(point - *key);
        const Part *q = c->first_part;
        while (q && (q->parent != p || strncmp(q->path + begin, *key, size) != 0 || q->path[begin + size])) q = q->next;
        p = q;
    }
    return p;
}

bool config_given(const Config *c, const char *section, const char *key)
{
    const Part *p = config_place_of(c, section, &key);
    const Given *g = config_entry(p, key);
    return g && g->place.layer != LAYER_PRESET;
}
