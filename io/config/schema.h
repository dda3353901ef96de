/* schema.h - settings as rows. A component declares its settings once, beside its code; parsing, validation, --set,
 * `mneme config`, completion, man pages and the reference all come from these rows.
 *
 * A section of the YAML file is a struct filled from rows. A section may choose a component by its key `name`
 * (model, task, optimiser, schedule, importer ...): then the rows of the chosen component, with a struct of their
 * own, stand in the same section. */
#ifndef IO_CONFIG_SCHEMA_H
#define IO_CONFIG_SCHEMA_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct TextList {
    int n;
    const char *const *item;
} TextList;

typedef enum FieldKind {
    FIELD_BOOL,
    FIELD_INT,     /* int64_t */
    FIELD_REAL,    /* double */
    FIELD_TEXT,    /* const char * */
    FIELD_LIST,    /* TextList: a YAML sequence of scalars, or one scalar */
    FIELD_BYTES,   /* int64_t; written 512MiB, 4GB, 100000 */
    FIELD_SECONDS, /* double; written 90s, 15min, 2h, 1d, 30 */
} FieldKind;

/* What a changed value means for a run that is resumed. */
typedef enum FieldEffect {
    EFFECT_MATH,   /* changes the numbers: a resume refuses unless told otherwise */
    EFFECT_EXTENT, /* how long, how often, where: may change (steps, checkpoints, logging) */
} FieldEffect;

typedef struct Field {
    const char *key;
    FieldKind kind;
    size_t offset;
    const char *preset;           /* the default, as it would stand in YAML ("", [a, b]); NULL: must be given */
    double min, max;              /* inclusive bounds; both 0: none; max below min, or INFINITY: no upper one */
    const char *(*choice)(int i); /* allowed names, NULL after the last; for FIELD_TEXT and FIELD_LIST */
    bool is_file;                 /* a path: relative ones count from the folder of the file that says it */
    FieldEffect effect;
    const char *unit, *help; /* help: one sentence */
} Field;

#define FIELD_KIND(m)                                                                                                  \
    _Generic((m), bool: FIELD_BOOL, int64_t: FIELD_INT, double: FIELD_REAL, const char *: FIELD_TEXT, TextList: FIELD_LIST)
/* FIELD(Struct, member, .preset = "1e-3", .min = 0, .max = 1, .help = "..."): the key is the member's name. */
#define FIELD(type, member, ...)                                                                                       \
    {                                                                                                                  \
        .key = #member, .kind = FIELD_KIND(((type *)0)->member), .offset = offsetof(type, member), __VA_ARGS__         \
    }
#define FIELD_BYTES(type, member, ...)                                                                                 \
    {                                                                                                                  \
        .key = #member, .kind = FIELD_BYTES, .offset = offsetof(type, member), __VA_ARGS__                             \
    }
#define FIELD_SECONDS(type, member, ...)                                                                               \
    {                                                                                                                  \
        .key = #member, .kind = FIELD_SECONDS, .offset = offsetof(type, member), __VA_ARGS__                           \
    }

/* One choice of a family: the first member of ModelDef, TaskDef, OptimDef, ImporterDef ... */
typedef struct Component {
    const char *name, *help, *source; /* help: one sentence; source: the paper, or NULL */
    const Field *fields;
    int n_fields;
    size_t size; /* of the struct that the fields fill */
} Component;

typedef struct Section {
    const char *name, *help;
    const Field *fields; /* rows that are there whatever is chosen */
    int n_fields;
    size_t size;
    const Component *(*choice)(int i); /* the family, NULL after the last; or NULL: no key `name` */
    const char *preset; /* the choice when `name` is not given; NULL: must be given when the section is */
    bool optional;      /* may be absent: then config_choice is NULL and required rows do not count */
} Section;

/* The component of that name in a family, NULL when there is none. */
const Component *schema_find(const Component *(*family)(int i), const char *name);

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

#endif
