/* inspect.c - `mneme inspect FILE`: what any of our files holds, verified. */
#include "io/inspect.h"
#include "comm/terminal.h"
#include "trainer/command/command.h"

static Status print(Command *c)
{
    if (comm_rank(c->comm) != 0) return OK;
    Buffer text = {0};
    const Status st = inspect_path(c->argv[0], c->run, &text);
    if (st == OK) terminal_print("%s", text.data);
    buffer_close(&text);
    return st;
}

static Status run(Command *c) { return comm_agree(c->comm, print(c)); }

const CommandDef command_inspect = {
    .doc = {.name = "inspect",
            .arguments = "FILE",
            .help = "Say what a corpus, a shard, a vocabulary, a checkpoint, a run or an attention file holds, and "
                    "verify it."},
    .min_words = 1,
    .max_words = 1,
    .run = run,
};
