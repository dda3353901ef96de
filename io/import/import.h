/* import.h - where examples come from: files of several formats, or a generator.
 *
 * An importer hands out records of a split in a fixed order, cheaply (import_next), and turns one record into an
 * example of words (import_parse), which is the costly part: with several ranks each rank walks over all records and
 * parses its own share. Texts are UTF-8; a fault names file and line. */
#ifndef IO_IMPORT_IMPORT_H
#define IO_IMPORT_IMPORT_H
#include "comm/arena.h"
#include "io/batch/example.h"
#include "io/config/schema.h"

typedef struct Record {
    const char *text; /* valid until the next import_next */
    size_t size;
    const char *file; /* for messages */
    int64_t line;
} Record;

/* A little of what an importer reads, by which the tests of the family try it. */
enum { IMPORT_SAMPLES = 2 };
typedef struct ImportSample {
    const char *rows; /* of section `source`, without the name: "train: [sample.tsv], test: [sample.tsv]" */
    struct {
        const char *name, *text;
    } file[IMPORT_SAMPLES];
    const char *question; /* a line that may be asked of what was trained on it */
} ImportSample;

typedef struct Importer Importer;

/* Questions in a format of the importer's own, as examples of its fields: see ask.h. It says itself what a word is. */
typedef struct ImportAskDef {
    Status (*open)(void **state, Arena *run);
    Status (*parse)(void *state, const Record *r, Arena *scratch, Example *out);
    void (*close)(void *state);
} ImportAskDef;

typedef struct ImporterDef {
    Component component; /* name and settings: the rows of section `source` */
    const DataField *fields;
    int n_fields;
    int (*fields_of)(const void *settings,
                     DataField fields[BATCH_FIELDS]); /* when they depend on settings; else NULL */
    const char *const *reasons; /* why an example may be left out, NULL after the last; NULL: none ever is */
    /* state: the importer's own, from run; settings: the component's struct */
    Status (*open)(void **state, Arena *run, const void *settings, const TextSettings *text, const char *split);
    /* *end is set when there is no more; at once when the importer has no such split */
    Status (*next)(void *state, Record *out, bool *end);
    Status (*parse)(void *state, const Record *r, Arena *scratch, Example *out);
    void (*close)(void *state);
    const ImportAskDef *ask; /* how questions are read; NULL: as text, or as JSON by the names of the fields */
    const char *(*group)(int64_t number);  /* name of a number in its field of groups; NULL: it has none */
    int64_t (*skipped)(const void *state); /* records left out so far because they hold nothing; NULL: never */
    ImportSample sample;
} ImporterDef;

const Component *import_choice(int i);            /* the family, for the section `source` */
extern const Section import_section;              /* section `source` */
const ImporterDef *import_find(const char *name); /* NULL when there is none */
/* The fields that an importer with these settings gives, and their number. */
int import_fields(const ImporterDef *def, const void *settings, DataField fields[BATCH_FIELDS]);

NODISCARD Status import_open(Importer **out, Arena *run, const char *name, const void *settings,
                             const TextSettings *text, const char *split);
const ImporterDef *import_def(const Importer *im);
NODISCARD Status import_next(Importer *im, Record *out, bool *end);
NODISCARD Status import_parse(Importer *im, const Record *r, Arena *scratch, Example *out);
/* The name of a group of examples; NULL: the importer has none for the number, or there is no such importer. */
const char *import_group(const char *name, int64_t number);
int64_t import_skipped(const Importer *im);
void import_close(Importer *im);
/* Whether record (a, b) is one of the share that is chosen at random: to validate on. */
bool import_chosen(int64_t seed, int64_t a, int64_t b, double share);

#endif
