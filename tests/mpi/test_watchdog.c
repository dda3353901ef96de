/* The watchdog starts on all ranks or on none, stops without a trace, and watches nothing when there is nobody to wait
 * for. What it does to a late rank is in tests/fault. */
#include <dirent.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "comm/heartbeat.h"
#include "comm/watchdog.h"
#include "ranks.h"

static int open_files(void)
{
    int n = 0;
    DIR *d = opendir("/proc/self/fd");
    while (d && readdir(d)) n++;
    if (d) closedir(d);
    return n;
}

/* So many more files may be opened by this process. */
static void allow_files(int more)
{
    struct rlimit r;
    getrlimit(RLIMIT_NOFILE, &r);
    r.rlim_cur = r.rlim_max;
    if (more >= 0) {
        const int next = dup(STDERR_FILENO); /* the lowest free number */
        close(next);
        r.rlim_cur = (rlim_t)(next + more);
    }
    setrlimit(RLIMIT_NOFILE, &r);
}

TEST(it_starts_and_stops_again_and_again)
{
    const int before = open_files();
    for (int i = 0; i < 3; i++) {
        Watchdog *w;
        CHECK_OK(watchdog_start(&w, comm, 60));
        CHECK((w != NULL) == (comm_size(comm) > 1), "one rank needs no watch");
        watchdog_phase(w, "compute", i);
        watchdog_long(w, "save", i, 10);
        CHECK_OK(comm_barrier(comm));
        watchdog_stop(w);
        CHECK(open_files() == before, "%d files are open, before %d", open_files(), before);
    }
}

TEST(a_limit_of_zero_is_no_watch)
{
    Watchdog *w;
    CHECK_OK(watchdog_start(&w, comm, 0));
    CHECK(!w, "no watch was asked for");
    watchdog_phase(w, "compute", 1);
    watchdog_stop(w);
}

/* The socket is the first file it opens, the pipe the second and third. */
TEST(a_rank_that_cannot_start_it_keeps_it_from_all)
{
    if (comm_size(comm) == 1) return;
    const char *const what[] = {"the watchdog's socket: Too many open files",
                                "the watchdog's pipe: Too many open files", "the watchdog's pipe: Too many open files"};
    const int before = open_files();
    for (int bad = 0; bad < comm_size(comm); bad++)
        for (int more = 0; more < 3; more++) {
            Watchdog *w;
            char text[128];
            if (comm_rank(comm) == bad) {
                allow_files(more);
                snprintf(text, sizeof text, "%s", what[more]);
            } else {
                snprintf(text, sizeof text, "on rank %d: %s", bad, what[more]);
            }
            const Status st = watchdog_start(&w, comm, 60);
            allow_files(-1);
            CHECK_SAYS(st, ERR_HOST, text);
            CHECK(!w && open_files() == before, "%d files are open, before %d", open_files(), before);
        }
}

/* The next message for this socket, as it is. */
static ssize_t take(const Heartbeat *h, Beat *raw)
{
    struct pollfd fd = {.fd = heartbeat_socket(h), .events = POLLIN};
    return poll(&fd, 1, 30000) == 1 ? recv(heartbeat_socket(h), raw, sizeof *raw, MSG_PEEK) : -1;
}

/* A stranger who knows the port and has read a message. */
static void forge(const Heartbeat *h, const void *bytes, size_t n)
{
    struct sockaddr_in to;
    socklen_t size = sizeof to;
    const int fd = socket(AF_INET, SOCK_DGRAM, 0);
    CHECK(fd >= 0 && getsockname(heartbeat_socket(h), (struct sockaddr *)&to, &size) == 0, "no socket");
    CHECK(sendto(fd, bytes, n, 0, (struct sockaddr *)&to, sizeof to) == (ssize_t)n, "not sent");
    close(fd);
}

TEST(messages_of_strangers_are_counted_and_not_heard)
{
    if (comm_size(comm) == 1) return;
    Arena arena = {0};
    Heartbeat *h;
    Beat mine = {.flags = BEAT_ASK, .step = 7, .phase = "compute"}, raw, got;
    const char *who;
    const int n = comm_size(comm), next = (comm_rank(comm) + 1) % n, before = (comm_rank(comm) + n - 1) % n;
    CHECK_OK(heartbeat_open(&h, comm, &arena));
    heartbeat_send(h, next, &mine);
    CHECK(take(h, &raw) == sizeof raw, "nothing came");
    CHECK(heartbeat_receive(h, &got) && got.rank == before && got.step == 7, "rank %d was not heard", before);
    forge(h, &raw, sizeof raw);
    CHECK(!heartbeat_receive(h, &got) && heartbeat_forged(h, &who) == 0, "a message was heard twice");
    for (size_t i = 0; i < sizeof raw; i++) { /* one bit of another message of this run is changed */
        Beat bad = raw;
        ((unsigned char *)&bad)[i] ^= 1;
        forge(h, &bad, sizeof bad);
    }
    CHECK(!heartbeat_receive(h, &got), "a changed message was heard");
    Beat verdict = {.counter = UINT64_MAX, .rank = before, .to = comm_rank(comm), .flags = BEAT_VERDICT};
    forge(h, &verdict, sizeof verdict);
    forge(h, &raw, 5);
    unsigned char more[sizeof raw + 1] = {0};
    memcpy(more, &raw, sizeof raw);
    forge(h, more, sizeof more);
    forge(h, more, 0);
    CHECK(!heartbeat_receive(h, &got), "a stranger was heard");
    CHECK(heartbeat_forged(h, &who) == (int64_t)sizeof raw + 4 && strncmp(who, "127.0.0.1:", 10) == 0,
          "%lld were counted, the first from %s", (long long)heartbeat_forged(h, &who), who);
    CHECK_OK(comm_barrier(comm));
    heartbeat_send(h, next, &mine);
    CHECK(take(h, &raw) == sizeof raw && heartbeat_receive(h, &got), "rank %d is not heard any more", before);
    heartbeat_close(h);
    arena_close(&arena);
}

static const struct CMUnitTest tests[] = {
    RUN(messages_of_strangers_are_counted_and_not_heard),
    RUN(it_starts_and_stops_again_and_again),
    RUN(a_limit_of_zero_is_no_watch),
    RUN(a_rank_that_cannot_start_it_keeps_it_from_all),
};
RANKS_MAIN(tests)
