/* heartbeat.c - one UDP socket a rank. */
#include "comm/heartbeat.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sodium.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ADDRESSES = 4, HOST = 64, SIGNED = offsetof(Beat, counter) };

typedef struct Peer {
    uint32_t address[ADDRESSES]; /* IPv4, network order; every one is tried: which of them is reachable is not known */
    uint16_t port;               /* network order */
    uint16_t n;
    char host[HOST];
} Peer;

struct Heartbeat {
    int fd, rank, size;
    unsigned char key[crypto_generichash_KEYBYTES]; /* made by rank 0 */
    uint64_t counter;                               /* of the last message sent */
    uint64_t *seen;                                 /* (size) the last counter of each rank */
    int64_t forged;
    char forger[INET_ADDRSTRLEN + 8]; /* address:port of the first */
    Peer *peer;                       /* (size) */
};

static void find_addresses(Peer *p)
{
    struct ifaddrs *list;
    if (getifaddrs(&list) != 0) return;
    for (const struct ifaddrs *i = list; i && p->n < ADDRESSES; i = i->ifa_next) {
        if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET) continue;
        if (!(i->ifa_flags & IFF_UP) || (i->ifa_flags & IFF_LOOPBACK)) continue;
        struct sockaddr_in address;
        memcpy(&address, i->ifa_addr, sizeof address);
        p->address[p->n++] = address.sin_addr.s_addr;
    }
    freeifaddrs(list);
}

static Status open_socket(Heartbeat *h, const Comm *c, Peer *mine)
{
    const bool one_host = comm_local_size(c) == comm_size(c);
    snprintf(mine->host, sizeof mine->host, "%.63s", comm_host(c));
    if (!one_host) find_addresses(mine);
    if (mine->n == 0) mine->address[mine->n++] = htonl(INADDR_LOOPBACK);

    h->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    REQUIRE(h->fd >= 0, ERR_HOST, "the watchdog's socket: %s", strerror(errno));
    struct sockaddr_in address = {.sin_family = AF_INET};
    address.sin_addr.s_addr = htonl(one_host ? INADDR_LOOPBACK : INADDR_ANY);
    REQUIRE(bind(h->fd, (struct sockaddr *)&address, sizeof address) == 0, ERR_HOST, "the watchdog's socket: %s",
            strerror(errno));
    socklen_t size = sizeof address;
    REQUIRE(getsockname(h->fd, (struct sockaddr *)&address, &size) == 0, ERR_HOST, "the watchdog's socket: %s",
            strerror(errno));
    mine->port = address.sin_port;
    return OK;
}

static Status prepare(Heartbeat *h, const Comm *c, Arena *arena, Peer *mine)
{
    TRY_NEW(h->peer, arena, h->size);
    TRY_NEW(h->seen, arena, h->size);
    REQUIRE(sodium_init() >= 0, ERR_HOST, "libsodium does not start: no random numbers for the watchdog's key");
    if (h->rank == 0) crypto_generichash_keygen(h->key);
    return open_socket(h, c, mine);
}

Status heartbeat_open(Heartbeat **out, Comm *c, Arena *arena)
{
    Peer mine = {0};
    Heartbeat *h = arena_zeros(arena, 1, sizeof *h);
    *out = h;
    if (h) *h = (Heartbeat){.fd = -1, .rank = comm_rank(c), .size = comm_size(c)};
    const Status local = h ? prepare(h, c, arena, &mine) : ERR_HOST;
    const Status all = comm_agree(c, local);
    if (all != OK || !h) {
        heartbeat_close(h);
        *out = NULL;
        return status_trace(all, __FILE__, __LINE__, __func__);
    }
    TRY(comm_broadcast(c, h->key, sizeof h->key, 0));
    TRY(comm_allgather(c, &mine, sizeof mine, h->peer));
    return OK;
}

void heartbeat_close(Heartbeat *h)
{
    if (h && h->fd >= 0) close(h->fd);
    if (h) h->fd = -1;
}

int heartbeat_socket(const Heartbeat *h) { return h->fd; }

const char *heartbeat_host(const Heartbeat *h, int rank) { return h->peer[rank].host; }

static void sign(const Heartbeat *h, const Beat *b, uint8_t signature[sizeof b->signature])
{
    const unsigned char *text = (const unsigned char *)b + SIGNED;
    crypto_generichash(signature, sizeof b->signature, text, sizeof *b - SIGNED, h->key, sizeof h->key);
}

void heartbeat_send(Heartbeat *h, int rank, const Beat *beat)
{
    const Peer *p = &h->peer[rank];
    Beat copy = *beat;
    copy.counter = ++h->counter;
    copy.rank = h->rank;
    copy.to = rank;
    copy.unused = 0;
    sign(h, &copy, copy.signature);
    for (int i = 0; i < p->n; i++) {
        struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = p->port};
        to.sin_addr.s_addr = p->address[i];
        /* A message that cannot be sent is one that is lost: the others will find this rank silent. */
        (void)!sendto(h->fd, &copy, sizeof copy, 0, (struct sockaddr *)&to, sizeof to);
    }
}

static void count_forged(Heartbeat *h, const struct sockaddr_in *from)
{
    char address[INET_ADDRSTRLEN] = "?";
    if (h->forged++ > 0) return;
    (void)inet_ntop(AF_INET, &from->sin_addr, address, sizeof address);
    snprintf(h->forger, sizeof h->forger, "%s:%d", address, (int)ntohs(from->sin_port));
}

bool heartbeat_receive(Heartbeat *h, Beat *out)
{
    for (;;) {
        uint8_t signature[sizeof out->signature];
        struct sockaddr_in from = {0};
        socklen_t size = sizeof from;
        const ssize_t n = recvfrom(h->fd, out, sizeof *out, MSG_TRUNC, (struct sockaddr *)&from, &size);
        if (n < 0 && errno != ECONNREFUSED && errno != EINTR) return false;
        if (n < 0) continue;
        if (n == sizeof *out) sign(h, out, signature);
        if (n != sizeof *out || sodium_memcmp(signature, out->signature, sizeof signature) != 0) {
            count_forged(h, &from);
            continue;
        }
        if (out->rank < 0 || out->rank >= h->size || out->rank == h->rank || out->to != h->rank) continue;
        if (out->counter <= h->seen[out->rank]) continue; /* by another address, late, or sent again by a stranger */
        h->seen[out->rank] = out->counter;
        out->phase[sizeof out->phase - 1] = '\0';
        return true;
    }
}

int64_t heartbeat_forged(const Heartbeat *h, const char **first)
{
    *first = h->forger;
    return h->forged;
}
