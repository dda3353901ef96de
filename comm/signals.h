/* signals.h - SIGTERM, SIGINT, SIGUSR1 and SIGUSR2 ask for a save and an end with status 75.
 *
 * The handler only sets a flag. One rank that has it set is enough: all ranks learn of it in sync_gradients at the next
 * step, or in signals_agree, so that all stop at the same place. A second SIGINT ends this process at once. */
#ifndef COMM_SIGNALS_H
#define COMM_SIGNALS_H
#include "comm/comm.h"

void signals_hold(void); /* first thing in a program: what comes now waits, also through exec, for install or release */
NODISCARD Status signals_install(void); /* and let come what was held */
void signals_release(void);             /* let come what was held: a program without handlers ends by it */
void signals_errors(
    void); /* a file beyond the limit of the system (ulimit -f) is an error of the write, not a signal */
int signals_pending(void); /* the first signal that this rank received, 0: none */
const char *signals_name(int signal);
void signals_no_pipe(void); /* writing to a reader that has gone is an error, not the end of this process */
void signals_forget(void);  /* nothing is pending any more */

/* [collective] *stop = a signal is pending on any rank: for loops without sync_gradients, such as an evaluation. */
NODISCARD Status signals_agree(Comm *c, bool *stop);

#endif
