/* signals.c - the one flag that a handler sets. */
#include "comm/signals.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

/* A handler can reach nothing but a global: the exception to the rule that no global changes. Atomic, since the signal may
 * come to a thread of MPI's. */
static atomic_int pending;
_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "a handler cannot wait for a lock");

static const int handled[] = {SIGTERM, SIGINT, SIGUSR1, SIGUSR2};

static void handle(int number)
{
    const int kept = errno, before = atomic_load(&pending);
    if (number == SIGINT && before == SIGINT) { /* the person insists: die of the signal, as a shell expects */
        signal(SIGINT, SIG_DFL);
        raise(SIGINT);
    }
    if (!before || number == SIGINT) atomic_store(&pending, number);
    errno = kept;
}

static void mask(int how)
{
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof handled / sizeof handled[0]; i++) sigaddset(&set, handled[i]);
    pthread_sigmask(how, &set, NULL);
}

void signals_hold(void) { mask(SIG_BLOCK); }
void signals_release(void) { mask(SIG_UNBLOCK); }

Status signals_install(void)
{
    struct sigaction action = {.sa_flags = SA_RESTART};
    action.sa_handler = handle;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof handled / sizeof handled[0]; i++)
        REQUIRE(sigaction(handled[i], &action, NULL) == 0, ERR_INTERNAL, "sigaction of signal %d: %s", handled[i],
                strerror(errno));
    signals_release();
    return OK;
}

void signals_errors(void) { signal(SIGXFSZ, SIG_IGN); }

void signals_no_pipe(void) { signal(SIGPIPE, SIG_IGN); }

int signals_pending(void) { return atomic_load(&pending); }

void signals_forget(void) { atomic_store(&pending, 0); }

const char *signals_name(int number)
{
    switch (number) {
    case SIGTERM: return "SIGTERM";
    case SIGINT: return "SIGINT";
    case SIGUSR1: return "SIGUSR1";
    case SIGUSR2: return "SIGUSR2";
    default: return number ? "a signal" : "no signal";
    }
}

Status signals_agree(Comm *c, bool *stop)
{
    int32_t any = pending != 0;
    *stop = false;
    TRY(comm_allreduce(c, &any, 1, COMM_I32, COMM_MAX));
    *stop = any != 0;
    return OK;
}
