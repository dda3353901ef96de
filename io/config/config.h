/* config.h - the YAML file as typed structs.
 *
 * Read by rank 0, parsed by every rank from the same bytes, so all ranks have the same settings and the same faults.
 * All faults are reported at once, each with file:line:column, what was found, what was expected, the nearest name.
 * Order of precedence: --set, then the environment (MNEME_SECTION_KEY), then the file, then the files it includes
 * (`include: base.yaml`, a list too; later ones win over earlier), then the preset, path by path: what two files say
 * of one group or part is merged. When a choice is overridden from above (--set optim.name=sgd), what lower layers said
 * for the component that was not chosen rests; said in one file, it is a fault. Paths (is_file rows) come out absolute:
 * relative ones count from the folder of the file that says them, those of --set, environment and preset from the
 * folder in which rank 0 was started, and a leading ~ is that rank's $HOME. */
#ifndef IO_CONFIG_CONFIG_H
#define IO_CONFIG_CONFIG_H
#include "comm/arena.h"
#include "comm/comm.h"
#include "io/config/schema.h"

typedef struct Config Config;
typedef struct ConfigFaults ConfigFaults;

typedef struct ConfigTable {
    const Section *const *sections;                       /* NULL ends */
    void (*check)(const Config *c, ConfigFaults *faults); /* rules over several fields; may be NULL */
    /* Variables MNEME_... that are no settings, NULL ends: any other is a fault then. NULL: others are left alone. */
    const char *const *variables;
} ConfigTable;

/* [collective] Read, validate and fill. sets: "section.key=value" texts of --set; a key inside groups and parts is a
 * path, "model.attention.score.rows=4". ERR_CONFIG with all faults, one a
 * line; ERR_INPUT when the file is not there. comm may be NULL for a single process. */
NODISCARD Status config_load(Config **out, Arena *run, Comm *comm, const ConfigTable *table, const char *path,
                             int n_sets, const char *const *sets);
/* From text alone (a checkpoint's copy, a test). name stands in messages for the file. */
NODISCARD Status config_parse(Config **out, Arena *run, const ConfigTable *table, const char *name, const char *text,
                              size_t size, int n_sets, const char *const *sets);

/* Our own rows, before any user meets them: every key once in its section, every preset a good value, every row and
 * section with a sentence of help. ERR_INTERNAL with all faults. For a test of each table. */
NODISCARD Status config_check_table(const ConfigTable *table);

const void *config_section(const Config *c, const char *section);   /* the struct; never NULL for a name in the table */
const void *config_component(const Config *c, const char *section); /* the chosen component's struct */
const char *config_choice(const Config *c, const char *section); /* the chosen component's name; NULL: section absent */
Chosen config_chosen(const Config *c, const char *section);      /* the component itself and its struct */
/* Set by anyone but the preset? A key may be a path: "attention.score". */
bool config_given(const Config *c, const char *section, const char *key);

/* For check: one more fault, placed where section.key was given (or at what it lies in, or at the file). A key may be a
 * path. */
void config_fault(ConfigFaults *faults, const char *section, const char *key, const char *format, ...)
    PRINTF_LIKE(4, 5);

/* The effective configuration as YAML that config_parse reads back to the same values; with origins, a comment behind
 * each value says where it comes from. */
NODISCARD Status config_write(const Config *c, bool origins, Buffer *yaml);

/* Differences of new against old, one "section.key: old -> new" a line into text; *math counts those that would
 * change the mathematics, behind the others stands "(may change)". */
NODISCARD Status config_compare(const Config *old, const Config *new, Buffer *text, int *math, int *other);

/* Visit every effective value: for `mneme config` and the report. The key is the path within the section. */
typedef struct ConfigValue {
    const char *section, *key, *value, *origin, *unit, *help;
} ConfigValue;
NODISCARD Status config_each(const Config *c, Status (*visit)(void *context, const ConfigValue *v), void *context);

/* The reference of all keys of a table, as Markdown (README, docs), as roff (man page), as one line a key
 * "section.key", or as one line a key whose values can be listed, "model.name: han memn2n" (completion). */
typedef enum ConfigForm { CONFIG_MARKDOWN, CONFIG_ROFF, CONFIG_KEYS, CONFIG_CHOICES } ConfigForm;
NODISCARD Status config_reference(const ConfigTable *table, ConfigForm form, Buffer *out);

/* What one setting, or each of a section or group, is: its values, preset, help; with a configuration (else NULL) its value
 * here and where that comes from. key: "model.word.hidden". ERR_USAGE with the nearest key when there is none. */
NODISCARD Status config_explain(const ConfigTable *table, const Config *config, Arena *arena, const char *key,
                                Buffer *out);

/* The table as a JSON Schema. */
NODISCARD Status config_schema(const ConfigTable *table, Arena *arena, Buffer *out);

/* The nearest of the names to text by edit distance, or NULL when none is near. */
const char *config_nearest(const char *text, const char *const *names, int n);
bool config_lists(const char *(*list)(int i), const char *name); /* is it one of list(0), list(1) ... NULL? */
/* For messages about a name that is none of list(0), list(1) ... NULL, in out: "; did you mean X?", or where none is
 * near "; there are A, B, C". Returns out. */
enum { CONFIG_HINT = 256 };
const char *config_hint(char out[CONFIG_HINT], const char *text, const char *(*list)(int i));

#endif
