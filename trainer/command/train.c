/* train.c - `mneme train CONFIG`: one run, or one for each of several seeds. */
#include "trainer/train/train.h"

#include "comm/signals.h"
#include "comm/terminal.h"
#include "trainer/command/command.h"
#include "trainer/train/plan.h"
#include "trainer/train/several.h"

/* What rank 0 wrote, on the standard output. */
static Status print(const Command *c, Status st, Buffer *text)
{
    if (st == OK && comm_rank(c->comm) == 0) terminal_print("%s", text->data);
    buffer_close(text);
    return st;
}

static Status run(Command *c)
{
    Buffer text = {0};
    Config *config;
    TRY(command_read(c, &config));
    static const char *const needed[] = {"run", "data", "model", "task"};
    TRY(session_require(config, COUNT(needed), needed));
    if (command_flag(c, "--dry-run")) return print(c, plan_text(c->comm, config, c->run, &text), &text);
    TRY(comm_agree(c->comm, signals_install()));
    const RunSettings *settings = config_section(config, "run");
    const TrainOptions options = {.folder = settings->folder,
                                  .command = c->line,
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
    .run = run,
};
