/* import.c - the table of importers, and the calls that every user of one makes. */
#include "io/import/import.h"

#include <string.h>
#include <xxhash.h>

#include "io/import/families.h"

#define ROW(name) &import_##name,
static const ImporterDef *const importers[] = {IMPORTERS(ROW) NULL};

struct Importer {
    const ImporterDef *def;
    void *state;
};

const Component *import_choice(int i) { return importers[i] ? &importers[i]->component : NULL; }

const Section import_section = {
    .name = "source",
    .help = "Where the examples come from; `name` is the importer or generator.",
    .choice = import_choice,
    .optional = true,
};

const ImporterDef *import_find(const char *name)
{
    for (int i = 0; importers[i]; i++)
        if (strcmp(importers[i]->component.name, name) == 0) return importers[i];
    return NULL;
}

int import_fields(const ImporterDef *def, const void *settings, DataField fields[BATCH_FIELDS])
{
    if (def->fields_of) return def->fields_of(settings, fields);
    memcpy(fields, def->fields, (size_t)def->n_fields * sizeof *fields);
    return def->n_fields;
}

Status import_open(Importer **out, Arena *run, const char *name, const void *settings, const TextSettings *text,
                   const char *split)
{
    Importer *im;
    TRY_NEW(im, run, 1);
    im->def = import_find(name);
    REQUIRE(im->def, ERR_INTERNAL, "there is no importer %s", name);
    TRY(im->def->open(&im->state, run, settings, text, split));
    *out = im;
    return OK;
}

const ImporterDef *import_def(const Importer *im) { return im->def; }

Status import_next(Importer *im, Record *out, bool *end) { return im->def->next(im->state, out, end); }

Status import_parse(Importer *im, const Record *r, Arena *scratch, Example *out)
{
    return im->def->parse(im->state, r, scratch, out);
}

const char *import_group(const char *name, int64_t number)
{
    const ImporterDef *def = import_find(name);
    return def && def->group ? def->group(number) : NULL;
}

int64_t import_skipped(const Importer *im) { return im->def->skipped ? im->def->skipped(im->state) : 0; }

void import_close(Importer *im)
{
    if (!im || !im->state) return;
    im->def->close(im->state);
    im->state = NULL;
}

bool import_chosen(int64_t seed, int64_t a, int64_t b, double share)
{
    const int64_t key[3] = {seed, a, b};
    return (double)(XXH3_64bits(key, sizeof key) >> 11) * 0x1p-53 < share;
}
