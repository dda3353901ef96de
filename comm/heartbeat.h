/* heartbeat.h - short UDP messages between the watchdogs of the ranks: what each rank is doing.
 *
 * No MPI call after heartbeat_open: it works while MPI hangs. Messages may be lost; a later one makes up for it. Anybody
 * on the network may send to the socket: messages are signed with a key that the ranks of this watch share through MPI. */
#ifndef COMM_HEARTBEAT_H
#define COMM_HEARTBEAT_H
#include "comm/arena.h"
#include "comm/comm.h"

typedef enum BeatFlags {
    BEAT_ASK = 1,     /* the sender wants an answer at once */
    BEAT_OVERDUE = 2, /* the sender waits longer than its limit */
    BEAT_MISSING = 8, /* the sender misses a rank that it heard before */
    BEAT_VERDICT = 4  /* the sender has told the user who is late, and ends: so shall we */
} BeatFlags;

typedef struct Beat {
    uint8_t signature[16]; /* BLAKE2b of all that follows, by the key of this run */
    uint64_t counter;      /* of the sender: an older or equal one is not heard again */
    int32_t rank, to;
    uint32_t flags, unused;
    int64_t step;
    double age; /* seconds since the sender's main thread entered the phase */
    char phase[32];
} Beat;

typedef struct Heartbeat Heartbeat;

/* [collective] Open a socket and exchange addresses: loopback when all ranks are on one host, else every IPv4 address
 * of the host's interfaces that are up. Memory from arena. */
NODISCARD Status heartbeat_open(Heartbeat **out, Comm *c, Arena *arena);
void heartbeat_close(Heartbeat *h);
int heartbeat_socket(const Heartbeat *h); /* for poll() */
const char *heartbeat_host(const Heartbeat *h, int rank);
void heartbeat_send(Heartbeat *h, int rank, const Beat *beat);    /* all but what it says is filled in */
bool heartbeat_receive(Heartbeat *h, Beat *out);                  /* false: nothing more has come */
int64_t heartbeat_forged(const Heartbeat *h, const char **first); /* messages without the key; who sent the first */

#endif
