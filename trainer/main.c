/* main.c - the only place that prints a report and the only place that ends the program. */
#include <stdio.h>

#include "comm/arena.h"
#include "comm/comm.h"
#include "comm/log.h"
#include "trainer/command/command.h"
#include "trainer/core/blas.h"
#include "trainer/core/cpu.h"

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
    Status st;
    if (command_help(argc, argv, &st)) {
        if (st != OK) log_failure(st);
        return (int)st;
    }
    Comm *comm = NULL;
    Arena run = {0};
    cpu_flush_subnormals();
    st = blas_prepare(argc, argv);
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
