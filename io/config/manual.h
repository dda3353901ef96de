/* manual.h - the program's --help, man page, Markdown reference and bash completion, all from one table of commands
 * and the rows of the config.
 *
 * Nothing is written by hand twice: a command's options are parsed from the same CommandOption rows. */
#ifndef IO_CONFIG_MANUAL_H
#define IO_CONFIG_MANUAL_H
#include "io/config/config.h"

typedef struct CommandOption {
    const char *name;     /* "--set" */
    const char *argument; /* "SECTION.KEY=VALUE"; NULL: a switch; "KEY": of the configuration */
    const char *(*choice)(
        int i);       /* its values, for the completion and, unless it takes a FILE too, the help; or NULL */
    const char *help; /* one sentence */
} CommandOption;

typedef struct CommandDoc {
    const char *name, *arguments; /* "train", "CONFIG" */
    const char *help, *details;   /* one sentence; a paragraph or NULL */
    const char *const *example;   /* command lines, NULL after the last; may be NULL */
    const CommandOption *options; /* beside those of all commands */
    int n_options;
    const char *(*first)(int i); /* what the first word can be, for the completion; NULL: a file */
} CommandDoc;

typedef struct Manual {
    const char *program, *version, *help; /* "mneme", "0.1.0", one sentence */
    const char *details;                  /* a paragraph or NULL */
    const CommandDoc *commands;
    int n_commands;
    const CommandOption *options; /* of every command */
    int n_options;
    const ConfigTable *config;
} Manual;

const CommandDoc *manual_find(const Manual *m, const char *name); /* NULL: no such command */

/* Plain text for --help, of lines of so many columns: of one command, or with NULL the list of all. */
NODISCARD Status manual_help(const Manual *m, const CommandDoc *command, int width, Buffer *out);
NODISCARD Status manual_roff(const Manual *m, Buffer *out);     /* PROGRAM(1) */
NODISCARD Status manual_markdown(const Manual *m, Buffer *out); /* commands and config */
NODISCARD Status manual_bash(const Manual *m, Buffer *out); /* completion: commands, options, keys and their values */

#endif
