/* config_parts.h - what the files of config share. Internal: others include io/config/config.h.
 *
 * The way of a value: an input (files, environment, --set) becomes a list of givens; the givens of each section are
 * matched with the rows of the section and of its chosen component, and what is for a group or a part is handed down
 * to it and matched there; the matched entries fill the structs. */
#ifndef IO_CONFIG_CONFIG_PARTS_H
#define IO_CONFIG_CONFIG_PARTS_H
#include "io/config/config.h"
#include "io/config/yaml.h"

enum {
    CONFIG_FILES = 64,
    CONFIG_INCLUDE_DEPTH = 16,
    CONFIG_KEYS_OF_MAP = 1000,
    CONFIG_FAULTS = 50,
    CONFIG_DEPTH = 8, /* of groups and parts in each other: a family may be its own part */
    LAYER_PRESET = -1
};

typedef struct ConfigFile {
    const char *name; /* as the messages say it */
    const char *id;   /* the same for the same file, however it is called */
    const char *base; /* absolute folder that relative paths count from */
    const char *text; /* NULL: not readable, and error says why */
    size_t size;
    const char *error;
} ConfigFile;

/* All that a config is made from, as rank 0 found it. */
typedef struct ConfigInput {
    const char *folder; /* where the program was started, absolute */
    const char *home;   /* what ~ stands for; NULL: not known */
    int n_files;
    ConfigFile file[CONFIG_FILES]; /* [0] is the one asked for; the others are included */
    int n_env;
    const char *const *env; /* "MNEME_SECTION_KEY=value" */
    int n_sets;
    const char *const *set; /* "section.key=value" */
} ConfigInput;

/* Where something was said. */
typedef struct Place {
    const char *where; /* the file's name, "--set 2", "environment MNEME_X" */
    const char *base;  /* folder that a relative path counts from */
    int layer;         /* higher wins: included files, the file, the environment, --set */
    int line, column;  /* line 0: none; the column then only sorts */
} Place;

/* One value that someone gave. */
typedef struct Given Given;
struct Given {
    const char *key;
    const char *rest; /* of the path behind the key: "score.rows"; NULL: none */
    bool env;         /* a key from the environment: attention_score_rows, where _ may stand for a point */
    bool known;       /* a row was found */
    const YamlNode *value;
    Place place; /* of the key */
    Given *next;
};

/* A section, or a group or part inside one. */
typedef struct Part Part;
struct Part {
    const Section *section; /* the one that it is, or lies in */
    Part *parent;           /* NULL: a section */
    const Field *row;       /* of a group or part; NULL: a section */
    const char *path;       /* "model", "model.attention.score" */
    int depth;              /* of a section: 0 */
    const Field *fields;    /* of the section or group */
    int n_fields;
    const Component *(*family)(int i);
    const char *preset; /* of the choice */
    bool given;         /* a section: by anyone */
    bool unread;        /* what stands there is no map */
    Place place;        /* of the first mention in the highest file */
    Given *first, *last;
    const Component *chosen;
    const Given *name; /* that chose it; NULL: the preset */
    bool bad_name;     /* what was given is no choice */
    void *data, *component;
    const Given **entry, **own; /* per row of the section or group and of the component; NULL: the preset */
    Part **child, **own_child;  /* per row: NULL where it is a value */
    Part *next;                 /* in the list of all */
};

struct Config {
    const ConfigTable *table;
    const char *name, *folder, *home; /* the file asked for; where the program was started; of the user */
    Arena *arena;
    int n_parts;
    Part *part;               /* the sections */
    Part *first_part, **tail; /* sections, groups and parts */
};

typedef struct Fault Fault;
struct ConfigFaults {
    Arena *arena;
    Config *config;
    int n;
    Fault *first;
    bool unread;   /* a file could not be read: what seems to be missing may stand there */
    Status status; /* OK, or ERR_HOST when there was no memory to keep one */
};

/* config_faults.c */
/* A fault of a row, of the whole part with key NULL, placed where it was given or at what it lies in. */
void config_fault_of(ConfigFaults *faults, const Part *p, const char *key, const char *format, ...) PRINTF_LIKE(4, 5);
void config_fault_at(ConfigFaults *faults, const Place *place, const char *format, ...) PRINTF_LIKE(3, 4);
bool config_faults_full(const ConfigFaults *faults); /* more are only counted: spare the search for names */
NODISCARD Status config_faults_status(const ConfigFaults *faults);
Place config_place(const Place *source, const YamlNode *node); /* the node within the file of source */
/* The value as a message shows it: short, on one line, in quotes where it was or has to be. */
const char *config_found(Arena *arena, const YamlNode *node);
const char *config_shown(Arena *arena, const char *text); /* the same for a plain text */

/* config_layers.c: files, environment and --set become the givens of the sections. */
void config_collect(Config *c, const ConfigInput *input, ConfigFaults *faults);
/* The part at a path such as "model" or "model.attention.score"; NULL: there is none. */
Part *config_part(const Config *c, const char *path);
const Part *config_part_root(const Part *p); /* the section that it is in */
/* One more given of a part: copied. */
void config_give(Config *c, Part *part, Given given, ConfigFaults *faults);
/* All keys of a map, each once. file: where the map stands. */
void config_give_map(Config *c, Part *part, const YamlNode *map, const Place *file, ConfigFaults *faults);
/* YAML from the command line or the environment; NULL after a fault. */
const YamlNode *config_read_text(Config *c, const Place *place, const char *text, ConfigFaults *faults);

/* config_match.c: givens become entries. */
void config_match(Config *c, ConfigFaults *faults);
void config_match_part(Config *c, Part *p, ConfigFaults *faults);               /* its component is chosen already */
void config_match_faults(const Config *c, const Part *p, ConfigFaults *faults); /* keys that have no row */
/* The value that counts for this key, that of a choice for `name`; NULL: the preset, or no such key. */
const Given *config_entry(const Part *p, const char *key);

/* config_fill.c: entries become structs. */
void config_fill(Config *c, ConfigFaults *faults);
void config_fill_part(Config *c, Part *p, void *data, ConfigFaults *faults); /* data: NULL: to be allocated */
const char *config_choices(Arena *arena, const char *(*choice)(int i));
const char *config_bounds(Arena *arena, const Field *f); /* "1 to 64 units"; NULL: none */
bool config_bounded(const Field *f);

/* config_load.c */
/* The name of an included file as messages say it: relative to the file that includes it. */
const char *config_include_name(Arena *arena, const char *including, const char *included);
const char *config_path(Arena *arena, const char *base, const char *path);
/* The path with the user's folder for a leading ~; NULL and *fault: what is wrong with it (no fault: no memory). */
const char *config_home(Arena *arena, const char *home, const char *path, const char **fault);
const char *config_folder(Arena *arena, const char *path); /* the text before the last slash, or "." */

/* config.c */
/* Where a key of a section lies: its group or part for "attention.score", and *key becomes "score". */
const Part *config_place_of(const Config *c, const char *section, const char **key);
NODISCARD Status config_make_parts(Config *c);
NODISCARD Status config_build(Config **out, Arena *run, const ConfigTable *table, const ConfigInput *input);

/* Families that are open while rows are walked: one may be its own part, and is not walked again inside itself. */
typedef struct OpenFamily OpenFamily;
struct OpenFamily {
    const Component *(*family)(int i);
    const OpenFamily *outer;
};
bool config_is_open(const OpenFamily *open, const Component *(*family)(int i)); /* schema.c */

/* config_write.c: the value in the struct as YAML. */
NODISCARD Status config_write_value(Buffer *out, const Field *f, const void *data, bool quoted);
NODISCARD Status config_write_text(Buffer *out, const char *text);
NODISCARD Status config_origin(Buffer *out, const Given *given);

#endif
