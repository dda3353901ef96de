/* main.c - the only place that prints a report and the only place that ends the program. */
#include <stdio.h>
#include <unistd.h>

#include "comm/arena.h"
#include "comm/comm.h"
#include "comm/log.h"
#include "comm/signals.h"
#include "comm/terminal.h"
#include "comm/watchdog.h"
#include "trainer/command/command.h"
#include "trainer/core/blas.h"
#include "trainer/core/cpu.h"

static Status run_command(Comm *comm, Arena *run, int argc, char **argv)
{
    Command command;
    TRY(comm_watch(comm, command_limit(argc, argv)));
    TRY(command_parse(&command, run, argc, argv));
    command.comm = comm;
    TRY(command_log(&command));
    TRY(command.def->run(&command));
    return comm_agree(comm, terminal_flush());
}

static Status answer_signals(int argc, char **argv)
{
    const CommandDef *def = argc >= 2 ? command_find(argv[1]) : NULL;
    signals_errors();
    if (def && def->saves) return signals_install();
    signals_release();
    return OK;
}

int main(int argc, char **argv)
{
    Status st;
    terminal_keep();
    signals_hold(); /* before anything else: a stop that is asked for early is remembered */
    if (command_help(argc, argv, &st)) {
        if (st != OK) log_failure(st);
        return (int)st;
    }
    Comm *comm = NULL;
    Arena run = {0};
    cpu_flush_subnormals();
    st = blas_prepare(argc, argv);
    if (st == OK) st = answer_signals(argc, argv);
    watchdog_alarm(command_limit(argc, argv), "MPI_Init");
    if (st == OK) st = comm_init(&comm, &argc, &argv);
    if (st != OK) watchdog_alarm(0, "");
    if (st == OK) {
        log_start(comm_rank(comm), comm_size(comm), LOG_INFO, false);
        st = run_command(comm, &run, argc, argv);
    }
    if (st != OK) {
        fflush(stdout);
        log_failure(st); /* written once, by rank 0, which holds the text of whichever rank failed first */
    }
    if (!comm) _exit((int)st); /* without memory OpenBLAS's own end may not come */
    comm_finalize(comm);
    arena_close(&run);
    return (int)st;
}
