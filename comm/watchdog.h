/* watchdog.h - a thread that ends the run when ranks wait for each other longer than a limit, and says who is late.
 *
 * The rule: the main thread calls watchdog_phase whenever it goes on to something else, at least once in the limit;
 * whatever may take longer (a save, the first batch, an evaluation on one rank) is announced with watchdog_long, on
 * every rank that works or waits in it.
 *
 * However long a phase may take, a rank that was heard and is silent for the limit has stopped: that ends the run too.
 *
 * The thread makes no MPI call. When this rank is overdue it asks the others. While all answer and one of them goes on
 * with its own work in time, it waits; a rank that does not answer, or that is overdue itself, is named in one line on
 * stderr, by the lowest overdue rank that answers, and all of them end with status 76. */
#ifndef COMM_WATCHDOG_H
#define COMM_WATCHDOG_H
#include "comm/comm.h"

typedef struct Watchdog Watchdog; /* NULL is a watchdog that does nothing */

/* [collective] *out is NULL when there is one rank, or with a limit of 0 seconds: no watch. */
NODISCARD Status watchdog_start(Watchdog **out, Comm *c, double limit_seconds);
/* phase is a string constant: "load", "compute", "reduce", "save", "evaluate". */
void watchdog_phase(Watchdog *w, const char *phase, int64_t step);
void watchdog_long(Watchdog *w, const char *phase, int64_t step, double factor); /* may take factor * limit */
void watchdog_stop(Watchdog *w); /* after the last collective: a rank without a watchdog is silent to the others */

/* Before there are ranks to ask, in MPI's own start and end: after so many seconds this process says what did not come
 * to its end, and ends with 76. what is a string constant; 0 seconds: no limit any more.
 * Not less than 20 seconds: a busy machine starts slowly. */
void watchdog_alarm(double seconds, const char *what);

#endif
