/* probe.c - a short watch in which nothing is at stake. */
#include "comm/probe.h"

#include <string.h>
#include <time.h>

#include "comm/heartbeat.h"
#include "comm/terminal.h"

enum { ROUNDS = 10 };

/* What one rank has seen. */
typedef struct Seen {
    int64_t forged;
    int missing; /* the lowest rank that was not heard; -1: none */
    char forger[64];
} Seen;

static void listen_and_speak(Heartbeat *h, int rank, int size, bool *heard)
{
    const struct timespec moment = {.tv_nsec = 50000000};
    const Beat word = {.phase = "probe"};
    Beat got;
    for (int round = 0; round < ROUNDS; round++) {
        for (int r = 0; r < size; r++)
            if (r != rank) heartbeat_send(h, r, &word);
        nanosleep(&moment, NULL);
        while (heartbeat_receive(h, &got)) heard[got.rank] = true;
    }
}

static Seen look(Heartbeat *h, int rank, int size, bool *heard)
{
    Beat got;
    const char *from;
    Seen seen = {.missing = -1};
    while (heartbeat_receive(h, &got)) heard[got.rank] = true;
    seen.forged = heartbeat_forged(h, &from);
    terminal_format(seen.forger, sizeof seen.forger, "%s", from);
    for (int r = size - 1; r >= 0; r--)
        if (r != rank && !heard[r]) seen.missing = r;
    return seen;
}

Status probe_heartbeats(Probe *out, Comm *c, Arena *arena)
{
    const int rank = comm_rank(c), size = comm_size(c);
    *out = (Probe){.from = -1, .to = -1};
    bool *heard = arena_zeros(arena, size, sizeof *heard);
    Seen *all = arena_zeros(arena, size, sizeof *all);
    TRY(comm_agree(c, heard && all ? OK : ERR_HOST));
    Heartbeat *h;
    TRY(heartbeat_open(&h, c, arena));
    listen_and_speak(h, rank, size, heard);
    Status st = comm_barrier(c); /* all have spoken */
    const Seen mine = look(h, rank, size, heard);
    heartbeat_close(h);
    if (st == OK) st = comm_allgather(c, &mine, sizeof mine, all);
    for (int r = size - 1; st == OK && r >= 0; r--)
        if (all[r].missing >= 0) *out = (Probe){.from = all[r].missing, .to = r};
    for (int r = 0; st == OK && r < size; r++) {
        if (out->forged == 0) memcpy(out->forger, all[r].forger, sizeof out->forger);
        out->forged += all[r].forged;
    }
    return st;
}
