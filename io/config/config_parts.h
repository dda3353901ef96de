/* config_parts.h - what the files of config share. Internal: others include io/config/config.h.
 *
 * The way of a value: an input (files, environment, --set) becomes a list of givens; the givens of each section are
 * matched with the rows of the section and of its chosen component; the matched entries fill the structs. */
#ifndef IO_CONFIG_CONFIG_PARTS_H
#define IO_CONFIG_CONFIG_PARTS_H
#include "io/config/config.h"
#include "io/config/yaml.h"

enum { CONFIG_FILES = 64, CONFIG_INCLUDE_DEPTH = 16, CONFIG_KEYS_OF_MAP = 1000, CONFIG_FAULTS = 50 };

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
    const YamlNode *value;
    Place place; /* of the key */
    Given *next;
};

typedef struct Part {
    const Section *section;
    bool given;  /* by anyone */
    bool unread; /* what stands there is no map */
    Place place; /* of the section's first mention in the highest file */
    Given *first, *last;
    const Component *chosen;
    const Given *name; /* that chose it; NULL: the preset */
    bool bad_name;     /* what was given is no choice */
    void *data, *component;
    const Given **entry, **own; /* per row of the section and of the component; NULL: the preset */
} Part;

struct Config {
    const ConfigTable *table;
    const char *name, *folder; /* the file asked for; where the program was started */
    Arena *arena;
    int n_parts;
    Part *part;
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
void config_fault_at(ConfigFaults *faults, const Place *place, const char *format, ...) PRINTF_LIKE(3, 4);
bool config_faults_full(const ConfigFaults *faults); /* more are only counted: spare the search for names */
NODISCARD Status config_faults_status(const ConfigFaults *faults);
Place config_place(const Place *source, const YamlNode *node); /* the node within the file of source */
/* The value as a message shows it: short, on one line, in quotes where it was or has to be. */
const char *config_found(Arena *arena, const YamlNode *node);
const char *config_shown(Arena *arena, const char *text); /* the same for a plain text */

/* config_layers.c: files, environment and --set become the givens of the parts. */
void config_collect(Config *c, const ConfigInput *input, ConfigFaults *faults);
Part *config_part(const Config *c, const char *section);
/* The name of an included file as messages say it: relative to the file that includes it. */
const char *config_include_name(Arena *arena, const char *including, const char *included);

/* config_match.c: givens become entries. */
void config_match(Config *c, ConfigFaults *faults);
void config_match_part(Config *c, Part *p, ConfigFaults *faults); /* its component is chosen already */
/* The value that counts for this key; NULL: the preset, or no such key. */
const Given *config_entry(const Part *p, const char *key);
const Field *config_find_field(const Field *fields, int n, const char *key);

/* config_fill.c: entries become structs. */
void config_fill(Config *c, ConfigFaults *faults);
void config_fill_part(Config *c, Part *p, ConfigFaults *faults);
const char *config_choices(Arena *arena, const char *(*choice)(int i));
const char *config_bounds(Arena *arena, const Field *f); /* "1 to 64 units"; NULL: none */
bool config_bounded(const Field *f);

/* config_paths.c */
const char *config_path(Arena *arena, const char *base, const char *path);
const char *config_folder(Arena *arena, const char *path); /* the text before the last slash, or "." */

/* config.c */
NODISCARD Status config_make_parts(Config *c);
NODISCARD Status config_build(Config **out, Arena *run, const ConfigTable *table, const ConfigInput *input);

/* config_write.c: the value in the struct as YAML. */
NODISCARD Status config_write_value(Buffer *out, const Field *f, const void *data, bool quoted);
NODISCARD Status config_write_text(Buffer *out, const char *text);
NODISCARD Status config_origin(Buffer *out, const Given *given);

/* Visit every effective value with its row: sections in their order, `name` first (field NULL), then the rows. */
typedef struct ConfigRow {
    const Part *part;
    const Field *field; /* NULL: the key `name` */
    const void *data;   /* the struct that the field lies in */
    const Given *given; /* NULL: the preset */
} ConfigRow;
NODISCARD Status config_rows(const Config *c, Status (*visit)(void *context, const ConfigRow *row), void *context);

#endif
