/* command.h - what `mneme NAME` does. One file a command and one line in the table of command.c; help, completion and
 * the man page come from the rows here. */
#ifndef TRAINER_COMMAND_COMMAND_H
#define TRAINER_COMMAND_COMMAND_H
#include "comm/arena.h"
#include "comm/comm.h"
#include "io/config/manual.h"
#include "trainer/session/settings.h"

enum { COMMAND_VALUES = 64 };

/* The words of the command line, sorted out. */
typedef struct Command {
    Comm *comm;
    Arena *run;
    int argc; /* words that are no options */
    const char *const *argv;
    int n_sets; /* values of --set */
    const char *sets[COMMAND_VALUES];
    const char *const
        *values; /* of the options, by their place in the row; "" for a flag that is there, NULL: not there */
    const struct CommandDef *def;
    int n_typed; /* all words of the command line, the program first */
    const char *const *typed;
} Command;

typedef struct CommandDef {
    CommandDoc doc;
    int min_words, max_words;
    bool sets;                 /* takes --set */
    bool saves;                /* SIGTERM and the like ask it for a good end with status 75 */
    Status (*run)(Command *c); /* [collective] the same status on every rank */
} CommandDef;

const CommandDef *command_at(int i); /* NULL after the last */
const CommandDef *command_find(const char *name);
NODISCARD Status command_named(const char *name, const CommandDef **out); /* ERR_USAGE with the nearest name */
/* Was help or the version asked for? Then it was written, before anything else is started, and *out is the status. */
bool command_help(int argc, char **argv, Status *out);

/* The value of an option ("--split"), NULL when it was not given. */
const char *command_value(const Command *c, const char *option);
bool command_flag(const Command *c, const char *option);
/* An option that is a whole number in [min, max]; preset when not given. */
NODISCARD Status command_number(const Command *c, const char *option, int64_t min, int64_t max, int64_t preset,
                                int64_t *out);
/* [collective] What --quiet, -v and --log-file ask for. */
NODISCARD Status command_log(const Command *c);
/* How long ranks may wait for each other before the configuration is read: log.stall where it is a word of the command
 * line or a variable, otherwise its preset. Seconds. */
double command_limit(int argc, char **argv);
/* [collective] argv[0] as a configuration, with --set. */
NODISCARD Status command_read(const Command *c, Config **out);

/* Sort out the words; ERR_USAGE says what is wrong and how the command is used. */
NODISCARD Status command_parse(Command *out, Arena *run, int argc, char **argv);
/* All that help, man page, reference and completion are made from; memory from run. */
NODISCARD Status command_manual(Manual *out, Arena *run);

#endif
