/* helper_train.c - `mneme train CONFIG` that sends itself a signal behind a step:
 *   helper_train CONFIG STEP SIGNAL RANK [SECTION.KEY=VALUE]...     STEP 0: never */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "comm/signals.h"
#include "trainer/run/train.h"

static int64_t at;
static int which, victim, own;

static void stop_there(int64_t step)
{
    if (step == at && own == victim) raise(which);
}

static Status train(Comm *comm, Arena *run, int argc, char **argv)
{
    Config *config;
    TRY(config_load(&config, run, comm, &settings_table, argv[1], argc - 5, (const char *const *)argv + 5));
    TRY(signals_install());
    const RunSettings *settings = config_section(config, "run");
    const TrainOptions options = {.folder = settings->folder, .command = "helper_train", .after_update = stop_there};
    TrainResult result;
    return train_run(comm, config, (uint64_t)settings->seed, &options, run, &result);
}

int main(int argc, char **argv)
{
    if (argc < 5) return ERR_USAGE;
    at = atoll(argv[2]);
    which = atoi(argv[3]);
    victim = atoi(argv[4]);
    Comm *comm = NULL;
    Arena run = {0};
    Status st = comm_init(&comm, &argc, &argv);
    if (st == OK) own = comm_rank(comm);
    if (st == OK) st = train(comm, &run, argc, argv);
    if (st != OK && own == 0) fprintf(stderr, "mneme: %s\n", status_message());
    if (comm) comm_finalize(comm);
    arena_close(&run);
    return (int)st;
}
