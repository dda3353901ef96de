/* average.c - `mneme average CONFIG [FILE...]`: the mean of checkpoints, as one that the other commands take. */
#include "trainer/train/average.h"
#include "trainer/command/command.h"

enum { FILES_MOST = 64, USUAL = 5 };

/* Rank 0 finds the files, all know how many there are. */
static Status find(Command *c, const Session *s, int *n, const char *const **path)
{
    int64_t last = USUAL;
    const bool named = c->argc > 1;
    TRY(command_number(c, "--last", 2, FILES_MOST, USUAL, &last));
    REQUIRE(!named || !command_value(c, "--last"), ERR_USAGE, "average: --last %s: files are named already",
            command_value(c, "--last"));
    REQUIRE(!named || c->argc > 2, ERR_USAGE, "average: a mean is of two files or more");
    *n = c->argc - 1;
    *path = c->argv + 1;
    if (named) return OK;
    TRY(comm_agree(c->comm, comm_rank(c->comm) == 0 ? average_newest(s, (int)last, n, path) : OK));
    return comm_broadcast(c->comm, n, sizeof *n, 0);
}

static Status average(Command *c, Session *s)
{
    int n = 0;
    const char *const *path = NULL;
    const char *output = command_value(c, "--output");
    Config *config;
    TRY(command_read(c, &config));
    const RunSettings *settings = config_section(config, "run");
    TRY(session_open(s, c->comm, c->run, config, (uint64_t)settings->seed));
    TRY(find(c, s, &n, &path));
    return average_checkpoints(s, n, path, output ? output : "average.h5");
}

static Status run(Command *c)
{
    Session s = {0};
    const Status st = average(c, &s);
    session_close(&s);
    return st;
}

static const CommandOption options[] = {
    {"--last", "N", NULL, "Without files: the newest N checkpoints of the run (5)."},
    {"--output", "FILE", NULL, "What is written (average.h5)."},
};

const CommandDef command_average = {
    .doc = {.name = "average",
            .arguments = "CONFIG [FILE...]",
            .help = "Write the mean of checkpoints as a checkpoint that eval, predict, translate and attend take.",
            .details =
                "Parameters are summed in double, oldest first, and rounded once (Vaswani 2017 averages the last 5); "
                "training does not go on from a mean.",
            .options = options,
            .n_options = COUNT(options)},
    .min_words = 1,
    .max_words = 1 + FILES_MOST,
    .sets = true,
    .run = run,
};
