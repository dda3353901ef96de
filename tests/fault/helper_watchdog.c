/* A run whose ranks do what they are told: helper_watchdog MODE LIMIT.
 *   steps   forever: compute, reduce       sleep   rank 1 stays in compute at step 5
 *   long    rank 0 saves for twice the limit, announced; then the end
 *   stuck   all ranks stay in reduce       busy    rank 0 goes on alone for twice the limit; then the end */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "comm/watchdog.h"

static void rest(double seconds)
{
    const struct timespec t = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    nanosleep(&t, NULL);
}

static Status one_step(Comm *c, Watchdog *w, const char *mode, double limit, int64_t step)
{
    const int rank = comm_rank(c);
    watchdog_phase(w, "compute", step);
    rest(0.02);
    if (step == 5 && strcmp(mode, "sleep") == 0 && rank == 1) rest(60);
    if (step == 5 && strcmp(mode, "busy") == 0 && rank == 0)
        for (int i = 0; i < 20; i++) {
            watchdog_phase(w, "compute", step);
            rest(limit / 10);
        }
    if (step == 5 && strcmp(mode, "long") == 0) {
        watchdog_long(w, "save", step, 4);
        if (rank == 0) rest(2 * limit);
        TRY(comm_barrier(c));
    }
    watchdog_phase(w, "reduce", step);
    if (step == 5 && strcmp(mode, "stuck") == 0) rest(60);
    return comm_barrier(c);
}

static Status run(Comm *c, const char *mode, double limit)
{
    Watchdog *w;
    TRY(watchdog_start(&w, c, limit));
    printf("rank %d pid %d\n", comm_rank(c), (int)getpid());
    fflush(stdout);
    const int64_t steps = strcmp(mode, "steps") == 0 ? 3000 : 10;
    for (int64_t step = 0; step < steps; step++) TRY(one_step(c, w, mode, limit, step));
    watchdog_stop(w);
    return OK;
}

int main(int argc, char **argv)
{
    Comm *c;
    if (comm_init(&c, &argc, &argv) != OK) comm_abort(c, ERR_COMM);
    if (argc != 3) return 64;
    const Status st = run(c, argv[1], atof(argv[2]));
    if (st != OK) comm_abort(c, st);
    comm_finalize(c);
    return 0;
}
