/* probe.h - do the messages of the watchdogs arrive between all ranks, and does somebody else send some? For doctor. */
#ifndef COMM_PROBE_H
#define COMM_PROBE_H
#include "comm/arena.h"
#include "comm/comm.h"

typedef struct Probe {
    int from, to;   /* the first pair of which the second did not hear the first; -1 when all heard all */
    int64_t forged; /* messages of this moment that this run has not signed, of all ranks */
    char forger[64];
} Probe;

/* [collective] Each rank says a word to each other one again and again, for half a second. The same answer on all ranks.
 * Memory from arena. */
NODISCARD Status probe_heartbeats(Probe *out, Comm *c, Arena *arena);

#endif
