/* train.c - `mneme train CONFIG`: one run, or one for each of several seeds. */
#include "trainer/train/train.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "comm/signals.h"
#include "comm/terminal.h"
#include "io/record/run.h"
#include "trainer/command/command.h"
#include "trainer/command/installed.h"
#include "trainer/train/plan.h"
#include "trainer/train/several.h"

/* What rank 0 wrote, on the standard output. */
static Status print(const Command *c, Status st, Buffer *text)
{
    if (st == OK && comm_rank(c->comm) == 0) terminal_print("%s", text->data);
    buffer_close(text);
    return st;
}

extern char **environ;

/* A variable that decides about bits: settings, kernels, threads. */
static bool matters(const char *variable)
{
    static const char *const begin[] = {"MNEME_", "OPENBLAS_", "GOTO_NUM_THREADS=", "OMP_NUM_THREADS="};
    if (strncmp(variable, "MNEME_BLAS_CHOSEN=", 18) == 0) return false; /* our own sign, of this process */
    for (int i = 0; i < COUNT(begin); i++)
        if (strncmp(variable, begin[i], strlen(begin[i])) == 0) return true;
    return false;
}

/* cd FOLDER && env A=B mpirun -np N mneme train ...: what a shell takes to do it again. */
static Status again(const Command *c, Buffer *out)
{
    char folder[PATH_MAX], ranks[16];
    const char **word;
    int n = 0, variables = 0;
    REQUIRE(getcwd(folder, sizeof folder), ERR_IO, "the folder of the process: %s", strerror(errno));
    while (environ[variables]) variables++;
    TRY_NEW(word, c->run, variables + c->n_typed + 8);
    word[n++] = "env";
    for (int i = 0; i < variables; i++)
        if (matters(environ[i])) word[n++] = environ[i];
    if (n == 1) n = 0;
    snprintf(ranks, sizeof ranks, "%d", comm_size(c->comm));
    if (comm_size(c->comm) > 1) {
        word[n++] = "mpirun";
        word[n++] = "-np";
        word[n++] = ranks;
    }
    for (int i = 0; i < c->n_typed; i++) word[n++] = c->typed[i];
    TRY(buffer_text(out, "cd "));
    TRY(run_folder_command(out, 1, (const char *const[]){folder}));
    TRY(buffer_text(out, " && "));
    return run_folder_command(out, n, word);
}

static Status remember(const Command *c, const char **line)
{
    Buffer text = {0};
    Status st = again(c, &text);
    *line = st == OK ? arena_text(c->run, text.data) : "";
    buffer_close(&text);
    TRY(st);
    REQUIRE(*line, ERR_HOST, "%s", status_message());
    return OK;
}

static Status run(Command *c)
{
    const char *line = NULL;
    Buffer text = {0};
    Config *config;
    TRY(command_read(c, &config));
    static const char *const needed[] = {"run", "data", "model", "task"};
    TRY(session_require(config, COUNT(needed), needed));
    if (command_flag(c, "--dry-run")) return print(c, plan_text(c->comm, config, c->run, &text), &text);
    const RunSettings *settings = config_section(config, "run");
    TRY(installed_spare(c, "run.folder", settings->folder));
    signals_no_pipe(); /* a training does not end because nobody reads its log */
    TRY(comm_agree(c->comm, remember(c, &line)));
    const TrainOptions options = {.folder = settings->folder,
                                  .command = line,
                                  .fresh = command_flag(c, "--fresh"),
                                  .accept_changes = command_flag(c, "--accept-changes")};
    if (settings->seeds.n > 0) return print(c, several_run(c->comm, config, &options, c->run, &text), &text);
    TrainResult result;
    return train_run(c->comm, config, (uint64_t)settings->seed, &options, c->run, &result);
}

static const CommandOption options[] = {
    {"--fresh", NULL, NULL, "Start anew; what an older run left is moved into RUN/previous-N."},
    {"--accept-changes", NULL, NULL, "Go on from a checkpoint although the configuration changes the mathematics."},
    {"--dry-run", NULL, NULL, "Print parameters, bytes a rank, steps and the size of a checkpoint, and end."},
};

const CommandDef command_train = {
    .doc = {.name = "train",
            .arguments = "CONFIG",
            .help = "Train, or go on from the newest good checkpoint; a finished run says so.",
            .options = options,
            .n_options = COUNT(options)},
    .min_words = 1,
    .max_words = 1,
    .sets = true,
    .saves = true,
    .run = run,
};
