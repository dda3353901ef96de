/* main.c - the only place that prints a report and the only place that ends the program. */
#include <stdio.h>
#include <string.h>

#include "comm/arena.h"
#include "comm/comm.h"
#include "comm/log.h"
#include "trainer/command/command.h"
#include "trainer/core/blas.h"
#include "trainer/core/cpu.h"

/* `mneme`, `mneme --help`, `mneme --version`, `mneme COMMAND --help`: true when the words were one of these. */
static bool asked_for_help(int argc, char **argv)
{
    if (argc >= 2 && strcmp(argv[1], "--version") == 0) return puts("mneme " MNEME_VERSION) >= 0;
    const bool program = argc >= 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0);
    const CommandDef *def = argc >= 2 ? command_find(argv[1]) : NULL;
    bool command = false;
    for (int i = 2; i < argc && def && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0) command = true;
    if (!program && !command) return false;
    Buffer text = {0};
    Arena arena = {0};
    Manual manual;
    Status st = command_manual(&manual, &arena);
    if (st == OK) st = manual_help(&manual, program ? NULL : manual_find(&manual, argv[1]), &text);
    if (st == OK) fputs(text.data, stdout);
    buffer_close(&text);
    arena_close(&arena);
    return st == OK;
}

static Status run_command(Comm *comm, Arena *run, int argc, char **argv)
{
    Command command;
    TRY(command_parse(&command, run, argc, argv));
    command.comm = comm;
    TRY(command_log(&command));
    TRY(command.def->run(&command));
    return OK;
}

int main(int argc, char **argv)
{
    if (asked_for_help(argc, argv)) return 0;
    Comm *comm = NULL;
    Arena run = {0};
    cpu_flush_subnormals();
    Status st = blas_prepare(argc, argv);
    if (st == OK) st = comm_init(&comm, &argc, &argv);
    if (st == OK) {
        log_start(comm_rank(comm), comm_size(comm), LOG_INFO, false);
        st = run_command(comm, &run, argc, argv);
    }
    if (st != OK) {
        fflush(stdout);
        log_failure(st); /* written once, by rank 0, which holds the text of whichever rank failed first */
    }
    if (comm) comm_finalize(comm);
    arena_close(&run);
    return (int)st;
}
