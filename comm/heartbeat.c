/* heartbeat.c - one UDP socket a rank. */
#include "comm/heartbeat.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ADDRESSES = 4, HOST = 64 };

typedef struct Peer {
    uint32_t address[ADDRESSES]; /* IPv4, network order; every one is tried: which of them is reachable is not known */
    uint16_t port;               /* network order */
    uint16_t n;
    char host[HOST];
} Peer;

struct Heartbeat {
    int fd, rank, size;
    uint64_t token;
    Peer *peer; /* (size) */
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
    if (h->rank == 0)
        REQUIRE(getrandom(&h->token, sizeof h->token, 0) == sizeof h->token, ERR_HOST, "getrandom: %s",
                strerror(errno));
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
    TRY(comm_broadcast(c, &h->token, sizeof h->token, 0));
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

void heartbeat_send(const Heartbeat *h, int rank, const Beat *beat)
{
    const Peer *p = &h->peer[rank];
    Beat copy = *beat;
    copy.token = h->token;
    copy.rank = h->rank;
    for (int i = 0; i < p->n; i++) {
        struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = p->port};
        to.sin_addr.s_addr = p->address[i];
        /* A message that cannot be sent is one that is lost: the others will find this rank silent. */
        (void)!sendto(h->fd, &copy, sizeof copy, 0, (struct sockaddr *)&to, sizeof to);
    }
}

bool heartbeat_receive(const Heartbeat *h, Beat *out)
{
    for (;;) {
        const ssize_t n = recv(h->fd, out, sizeof *out, 0);
        if (n < 0 && errno != ECONNREFUSED && errno != EINTR) return false;
        if (n != sizeof *out || out->token != h->token) continue; /* a stranger */
        if (out->rank < 0 || out->rank >= h->size || out->rank == h->rank) continue;
        out->phase[sizeof out->phase - 1] = '\0';
        return true;
    }
}
