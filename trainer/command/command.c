/* command.c - the table of commands, and the words of a command line. */
#include "trainer/command/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/log.h"
#include "io/config/value.h"

/* One line per command, in the order in which they are used. */
#define COMMANDS(X)                                                                                                    \
    X(init)                                                                                                            \
    X(pack)                                                                                                            \
    X(train)                                                                                                           \
    X(eval)                                                                                                            \
    X(predict)                                                                                                         \
    X(translate) X(attend) X(average) X(score) X(lengths) X(links) X(inspect) X(config) X(doctor) X(bench) X(doc)

#define DECLARE(name) extern const CommandDef command_##name;
#define ROW(name)     &command_##name,
COMMANDS(DECLARE)
static const CommandDef *const commands[] = {COMMANDS(ROW) NULL};

const CommandDef *command_at(int i) { return commands[i]; }

const CommandDef *command_find(const char *name)
{
    for (int i = 0; commands[i]; i++)
        if (strcmp(commands[i]->doc.name, name) == 0) return commands[i];
    return NULL;
}

static const CommandOption set_option = {
    "--set", "SECTION.KEY=VALUE", NULL,
    "Use this value instead of the configuration's; may be given many times, of one key the last counts."};
static const CommandOption shared[] = {
    {"--help", NULL, NULL, "Say how the command is used; also -h."},
    {"--quiet", NULL, NULL, "Say nothing on the standard error but warnings and failures."},
    {"-v", NULL, NULL,
     "Say more: corpora and checkpoints that are opened, and where in the program a failure came about."},
    {"--log-file", "FILE", NULL, "Append what is said to FILE too, each line with its time (UTC), also with --quiet."},
};

/* The options of a command are its own and then the shared ones. */
static const CommandOption *option_at(const CommandDef *def, int i)
{
    return i < def->doc.n_options ? &def->doc.options[i] : &shared[i - def->doc.n_options];
}

static int option_index(const CommandDef *def, const char *name, size_t size)
{
    for (int i = 0; i < def->doc.n_options + COUNT(shared); i++) {
        const char *known = option_at(def, i)->name;
        if (strlen(known) == size && memcmp(known, name, size) == 0) return i;
    }
    return -1;
}

const char *command_value(const Command *c, const char *option)
{
    const int i = option_index(c->def, option, strlen(option));
    return i < 0 ? NULL : c->values[i];
}

bool command_flag(const Command *c, const char *option) { return command_value(c, option) != NULL; }

Status command_number(const Command *c, const char *option, int64_t min, int64_t max, int64_t preset, int64_t *out)
{
    const char *text = command_value(c, option);
    *out = preset;
    if (!text) return OK;
    char *end = NULL;
    const long long n = strtoll(text, &end, 10);
    REQUIRE(*text && !*end && n >= min && n <= max, ERR_USAGE, "%s %s: a whole number from %lld to %lld is expected",
            option, text, (long long)min, (long long)max);
    *out = n;
    return OK;
}

Status command_log(const Command *c)
{
    const LogLevel level = command_flag(c, "-v") ? LOG_DEBUG : command_flag(c, "--quiet") ? LOG_WARN : LOG_INFO;
    const char *file = command_value(c, "--log-file");
    log_start(comm_rank(c->comm), comm_size(c->comm), level, false);
    return comm_agree(c->comm, file ? log_to_file(file) : OK);
}

double command_limit(int argc, char **argv)
{
    double limit = 300; /* the preset of log.stall */
    const char *variable = getenv("MNEME_LOG_STALL");
    if (variable && value_seconds(variable, &limit) != VALUE_OK) limit = 300;
    for (int i = 2; i < argc; i++) {
        const char *key = strstr(argv[i], "log.stall=");
        double given;
        if (key && value_seconds(key + strlen("log.stall="), &given) == VALUE_OK) limit = given;
    }
    return limit;
}

Status command_read(const Command *c, Config **out)
{
    TRY(config_load(out, c->run, c->comm, &settings_table, c->argv[0], c->n_sets, c->sets));
    const LogSettings *log = config_section(*out, "log");
    return comm_watch(c->comm, log->stall);
}

/* The rows of a command, with --set behind its own when it takes it. */
static Status with_sets(const CommandDef *def, Arena *run, CommandDoc *out)
{
    *out = def->doc;
    if (!def->sets) return OK;
    CommandOption *options;
    TRY_NEW(options, run, def->doc.n_options + 1);
    for (int i = 0; i < def->doc.n_options; i++) options[i] = def->doc.options[i];
    options[out->n_options++] = set_option;
    out->options = options;
    return OK;
}

Status command_manual(Manual *out, Arena *run)
{
    CommandDoc *doc;
    TRY_NEW(doc, run, COUNT(commands));
    *out = (Manual){
        .program = "mneme",
        .version = MNEME_VERSION,
        .help =
            "Train attention models, data-parallel over MPI ranks: sequence to sequence, hierarchical, memory-based.",
        .details = "With several ranks: mpirun -np N mneme COMMAND ... The exit status is 0 when done, 2 when "
                   "a check that was asked for failed or the training left the finite numbers, 64 for a wrong "
                   "command line, 65 for bad data, 66 for a missing input, 69 when the host lacks something, "
                   "70 for an error of our own, 74 when reading or writing failed, 75 when stopped after a "
                   "good save (start again), 76 when a rank stopped answering, 78 for a wrong configuration.",
        .commands = doc,
        .options = shared,
        .n_options = COUNT(shared),
        .config = &settings_table};
    for (; commands[out->n_commands]; out->n_commands++)
        TRY(with_sets(commands[out->n_commands], run, &doc[out->n_commands]));
    return OK;
}

static Status nearest_option(const CommandDef *def, const char *word)
{
    const char *names[COMMAND_VALUES] = {"--set"};
    int n = 1;
    for (int i = 0; i < def->doc.n_options + COUNT(shared) && n < COMMAND_VALUES; i++)
        names[n++] = option_at(def, i)->name;
    const char *near = config_nearest(word, names, n);
    FAIL(ERR_USAGE, "%s: there is no option %s%s%s%s", def->doc.name, word, near ? "; did you mean " : "",
         near ? near : "", near ? "?" : "");
}

/* One --option at argv[*i], with its value behind = or in the next word. */
static Status parse_option(Command *c, const char **values, int argc, char **argv, int *i)
{
    const char *word = argv[*i], *equals = strchr(word, '=');
    const size_t size = equals ? (size_t)(equals - word) : strlen(word);
    const bool set = c->def->sets && size == 5 && memcmp(word, "--set", 5) == 0;
    const int at = set ? -1 : option_index(c->def, word, size);
    if (!set && at < 0) return nearest_option(c->def, word);
    if (!set && !option_at(c->def, at)->argument) {
        REQUIRE(!equals, ERR_USAGE, "%s: %s takes no value", c->def->doc.name, option_at(c->def, at)->name);
        values[at] = "";
        return OK;
    }
    const char *value = equals ? equals + 1 : *i + 1 < argc ? argv[++*i] : NULL;
    REQUIRE(value, ERR_USAGE, "%s: %s needs a value", c->def->doc.name, word);
    if (!set) {
        values[at] = value;
        return OK;
    }
    REQUIRE(c->n_sets < COMMAND_VALUES, ERR_USAGE, "%s: more than %d times --set", c->def->doc.name, COMMAND_VALUES);
    c->sets[c->n_sets++] = value;
    return OK;
}

Status command_named(const char *name, const CommandDef **out)
{
    *out = command_find(name);
    if (*out) return OK;
    const char *names[COUNT(commands)];
    int n = 0;
    for (; commands[n]; n++) names[n] = commands[n]->doc.name;
    const char *near = config_nearest(name, names, n);
    FAIL(ERR_USAGE, "there is no command %s%s%s%s", name, near ? "; did you mean " : "", near ? near : "",
         near ? "?" : "; mneme --help lists them");
}

Status command_parse(Command *out, Arena *run, int argc, char **argv)
{
    *out = (Command){.run = run, .n_typed = argc, .typed = (const char *const *)argv};
    REQUIRE(argc >= 2, ERR_USAGE, "no command; mneme --help lists them");
    TRY(command_named(argv[1], &out->def));
    const char **values, **words;
    TRY_NEW(values, run, out->def->doc.n_options + COUNT(shared));
    TRY_NEW(words, run, argc);
    bool options = true;
    for (int i = 2; i < argc; i++) {
        if (options && strcmp(argv[i], "--") == 0)
            options = false;
        else if (options && argv[i][0] == '-' && argv[i][1]) /* "-" alone is the standard input */
            TRY(parse_option(out, values, argc, argv, &i));
        else
            words[out->argc++] = argv[i];
    }
    out->values = values;
    out->argv = words;
    const CommandDef *d = out->def;
    REQUIRE(out->argc >= d->min_words && out->argc <= d->max_words, ERR_USAGE,
            "usage: mneme %s %s (%d words were given)", d->doc.name, d->doc.arguments, out->argc);
    return OK;
}
