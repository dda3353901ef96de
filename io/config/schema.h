/* schema.h - settings as rows. A component declares its settings once, beside its code; parsing, validation, --set,
 * `mneme config`, completion, man pages and the reference all come from these rows.
 *
 * A section of the YAML file is a struct filled from rows. A section may choose a component by its key `name`
 * (model, task, optimiser, schedule, importer ...): then the rows of the chosen component, with a struct of their
 * own, stand in the same section. Rows nest: a row may be a group, a struct with rows of its own, or a part, the
 * choice of a family with the chosen component's struct. A component that is a part may have groups and parts again.
 *
 *     typedef enum Cut { CUT_HEAD, CUT_TAIL } Cut;
 *     static const char *cut_name(int i) { return (const char *const[]){"head", "tail", NULL}[i]; }
 *
 *     typedef struct Reading { int64_t words; Cut cut; } Reading;         an enum, filled with the number of the choice
 *     typedef struct Tagger { double dropout; Reading reading; Chosen score; } Tagger;
 *
 *     static const Field reading_rows[] = {
 *         FIELD(Reading, words, .preset = "100", .min = 1, .max = 1e6, .help = "Words that are read."),
 *         FIELD(Reading, cut, .preset = "head", .choice = cut_name, .help = "Which end stays."),
 *     };
 *     static const Field tagger_rows[] = {
 *         FIELD(Tagger, dropout, .preset = "0", .max = 0.9, .help = "Share of units dropped."),
 *         FIELD_GROUP(Tagger, reading, reading_rows, .help = "What is read of a sentence."),
 *         FIELD_PART(Tagger, score, score_choice, .preset = "dot", .help = "Attention score."),
 *     };
 *
 *     model: {name: tagger, reading: {cut: tail}, score: {name: multi_dim, rows: 4}}      or short  score: dot
 *     --set model.reading.words=50 --set model.score=dot          MNEME_MODEL_SCORE_ROWS=8
 *
 * The tagger then reads set->reading.cut, set->score.def (its name, or the ScoreDef that begins with it) and
 * set->score.settings, the struct that the rows of multi_dim fill. A group or part may have a preset other than its
 * rows', as it would stand in YAML: .preset = "{name: multi_dim, rows: 2}". A group that several files use is a
 * FieldRows object: FIELD_ROWS(Tagger, reading, &reading_group, ...). Keys that moved are listed in the component:
 * .moved = (const Moved[]){{"score_rows", "score.rows"}, {0}}. */
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
    FIELD_CHOICE,  /* an enum, int or unsigned: the number of the name in `choice` */
    FIELD_GROUP,   /* a struct with rows of its own */
    FIELD_PART,    /* Chosen: a component of a family */
} FieldKind;

/* What a changed value means for a run that is resumed. */
typedef enum FieldEffect {
    EFFECT_MATH,   /* changes the numbers: a resume refuses unless told otherwise */
    EFFECT_EXTENT, /* how long, how often, where: may change (steps, checkpoints, logging) */
} FieldEffect;

typedef struct Component Component;
typedef struct Field Field;

/* The rows of a struct. */
typedef struct FieldRows {
    const Field *fields;
    int n_fields;
    size_t size; /* of the struct */
} FieldRows;

struct Field {
    const char *key;
    FieldKind kind;
    size_t offset;
    const char *preset;           /* the default, as it would stand in YAML ("", [a, b]); NULL: must be given */
    double min, max;              /* inclusive bounds; both 0: none; max below min, or INFINITY: no upper one */
    const char *(*choice)(int i); /* allowed names, NULL after the last; for choices, texts and lists */
    const char *none;             /* of a text: the word for nothing ("auto", "none"), which fills NULL */
    bool is_file;                 /* a path: relative ones count from the folder of the file that says it */
    FieldEffect effect;
    const char *unit, *help;           /* help: one sentence */
    const FieldRows *rows;             /* of a group */
    size_t size;                       /* of a group's struct, as the struct around it sees it */
    const Component *(*family)(int i); /* of a part: NULL after the last */
};

/* What a part was filled with. */
typedef struct Chosen {
    const Component *def; /* often the first member of more: (const ScoreDef *)(const void *)def */
    const void *settings; /* the struct that its rows fill */
} Chosen;

#define FIELD_KIND(m)                                                                                                  \
    _Generic((m), bool                                                                                                 \
             : FIELD_BOOL, int64_t                                                                                     \
             : FIELD_INT, double                                                                                       \
             : FIELD_REAL, const char *                                                                                \
             : FIELD_TEXT, TextList                                                                                    \
             : FIELD_LIST, int                                                                                         \
             : FIELD_CHOICE, unsigned                                                                                  \
             : FIELD_CHOICE)
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
/* group: a const FieldRows *; the member is the struct itself. */
#define FIELD_ROWS(type, member, group, ...)                                                                           \
    {                                                                                                                  \
        .key = #member, .kind = FIELD_GROUP, .offset = offsetof(type, member), .size = sizeof(((type *)0)->member),    \
        .rows = (group), __VA_ARGS__                                                                                   \
    }
/* array: of the rows, in the same file. */
#define FIELD_GROUP(type, member, array, ...)                                                                          \
    FIELD_ROWS(type, member, (&(const FieldRows){(array), COUNT(array), sizeof(((type *)0)->member)}), __VA_ARGS__)
/* choices: the family's x_choice; the member is a Chosen. */
#define FIELD_PART(type, member, choices, ...)                                                                         \
    {                                                                                                                  \
        .key = #member,                                                                                                \
        .kind = _Generic(((type *)0)->member, Chosen                                                                   \
                         : FIELD_PART),                                                                                \
        .offset = offsetof(type, member), .family = (choices), __VA_ARGS__                                             \
    }

/* A key that stands elsewhere now, from its section, group or part on: {"score", "attention.score"}; in several places:
 * {"hidden", "word.hidden sentence.hidden"}. */
typedef struct Moved {
    const char *from, *to;
} Moved;

/* One choice of a family: the first member of ModelDef, TaskDef, OptimDef, ImporterDef ... */
/* What another section is preset to by a component that is chosen. */
typedef struct SectionPreset {
    const char *section, *rows; /* "text", "{lowercase: false}" as it would stand in YAML */
} SectionPreset;

struct Component {
    const char *name, *help, *source; /* help: one sentence; source: the paper, or NULL */
    const Field *fields;
    int n_fields;
    size_t size;        /* of the struct that the fields fill */
    const Moved *moved; /* {0} after the last; may be NULL */
    /* Of other sections, {0} after the last; NULL: none. They hold where nobody says anything of any of these sections,
     * nor of row presets_unless of this component. */
    const SectionPreset *presets;
    const char *presets_unless;
};

typedef struct Section {
    const char *name, *help;
    const Field *fields; /* rows that are there whatever is chosen */
    int n_fields;
    size_t size;
    const Component *(*choice)(int i); /* the family, NULL after the last; or NULL: no key `name` */
    const char *preset; /* the choice when `name` is not given; NULL: must be given when the section is */
    bool optional;      /* may be absent: then config_choice is NULL and required rows do not count */
    const Moved *moved; /* {0} after the last; may be NULL */
} Section;

/* The component of that name in a family, NULL when there is none. */
const Component *schema_find(const Component *(*family)(int i), const char *name);
/* The row of that key, NULL when there is none. */
const Field *schema_row(const Field *fields, int n, const char *key);

/* Of a component or a section: .fields, .n_fields and .size from the array of its rows and its struct. */
#define ROWS(array, type) .fields = (array), .n_fields = COUNT(array), .size = sizeof(type)

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

#endif
