/* The watchdog starts on all ranks or on none, stops without a trace, and watches nothing when there is nobody to wait
 * for. What it does to a late rank is in tests/fault. */
#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

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

static const struct CMUnitTest tests[] = {
    RUN(it_starts_and_stops_again_and_again),
    RUN(a_limit_of_zero_is_no_watch),
    RUN(a_rank_that_cannot_start_it_keeps_it_from_all),
};
RANKS_MAIN(tests)
