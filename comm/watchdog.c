/* watchdog.c - heartbeats, the judgement, and the last words. */
#include "comm/watchdog.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "comm/heartbeat.h"
#include "comm/log.h"

typedef struct Now { /* what the main thread does */
    const char *phase;
    int64_t step;
    double since, factor;
} Now;

typedef struct Known { /* what was heard of another rank */
    double heard;      /* when; the start when never */
    bool ever;
    Beat beat;
} Known;

struct Watchdog {
    Arena arena;
    Heartbeat *net;
    int rank, size;
    double limit;  /* seconds */
    double tick;   /* between two looks at the clock */
    double period; /* between two unasked heartbeats */
    double grace;  /* within which an asked rank answers */
    pthread_t thread;
    int wake[2]; /* pipe: its end stops the thread */
    pthread_mutex_t mutex;
    Now now;      /* under the mutex */
    Known *known; /* (size) the thread's own from here on */
    double last_look, last_beat, asking_since, decided_since;
    bool warned;  /* of messages that are not of this run */
    bool missing; /* a rank that was heard is silent: judged, whatever the main thread may take */
};

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double between(double low, double x, double high) { return x < low ? low : x > high ? high : x; }

static Now look(Watchdog *w)
{
    pthread_mutex_lock(&w->mutex);
    const Now now = w->now;
    pthread_mutex_unlock(&w->mutex);
    return now;
}

static bool overdue(const Watchdog *w, const Now *now, double t) { return t - now->since > w->limit * now->factor; }

static Beat beat_of(const Watchdog *w, const Now *now, double t, uint32_t flags)
{
    Beat b = {.flags = flags | (overdue(w, now, t) ? BEAT_OVERDUE : 0) | (w->missing ? BEAT_MISSING : 0),
              .step = now->step,
              .age = t - now->since};
    snprintf(b.phase, sizeof b.phase, "%s", now->phase);
    return b;
}

static void send_all(Watchdog *w, const Now *now, double t, uint32_t flags)
{
    const Beat b = beat_of(w, now, t, flags);
    for (int r = 0; r < w->size; r++)
        if (r != w->rank) heartbeat_send(w->net, r, &b);
}

static _Noreturn void leave(void) { _exit(ERR_COMM); }

static void receive_all(Watchdog *w, double t)
{
    Beat b;
    while (heartbeat_receive(w->net, &b)) {
        if (b.flags & BEAT_VERDICT) {
            const struct timespec wait = {.tv_nsec = 300000000}; /* let the speaker's line out first */
            nanosleep(&wait, NULL);
            leave();
        }
        w->known[b.rank] = (Known){t, true, b};
        if (b.flags & BEAT_ASK) {
            const Now now = look(w);
            const Beat answer = beat_of(w, &now, t, 0);
            heartbeat_send(w->net, b.rank, &answer);
        }
    }
}

/* One line, however many there are: who sends them shall not fill the log. */
static void warn_forged(Watchdog *w)
{
    const char *from;
    if (w->warned || heartbeat_forged(w->net, &from) == 0) return;
    w->warned = true;
    log_last_words("warning: the watchdog of rank %d had a message from %s that this run has not signed; such messages "
                   "are passed over and counted",
                   w->rank, from);
}

static bool silent(const Watchdog *w, int rank, double t)
{
    return rank != w->rank && t - w->known[rank].heard > w->grace;
}

/* Among ranks that answer and are all overdue: the one that is behind, or -1 when all wait in the same place. A smaller
 * step is behind; in one step, the one that entered its phase first, because the others have come to a later one. */
static int find_late(const Watchdog *w)
{
    int late = 0;
    bool same = true;
    const Beat *first = &w->known[0].beat;
    for (int r = 1; r < w->size; r++) {
        const Beat *b = &w->known[r].beat, *worst = &w->known[late].beat;
        if (b->step != first->step || strcmp(b->phase, first->phase) != 0) same = false;
        const double entered = w->known[r].heard - b->age, earliest = w->known[late].heard - worst->age;
        if (b->step < worst->step || (b->step == worst->step && entered < earliest)) late = r;
    }
    return same ? -1 : late;
}

/* "; so are ranks 3, 5" */
static void name_more(const Watchdog *w, int first, double t, char *text, size_t size)
{
    size_t used = 0;
    const char *before = "; so are ranks ";
    text[0] = '\0';
    for (int r = first + 1; r < w->size && used + 32 < size; r++)
        if (silent(w, r, t)) {
            used += (size_t)snprintf(text + used, size - used, "%s%d", before, r);
            before = ", ";
        }
}

static void last_words(Watchdog *w, const Now *now, double t)
{
    char text[1024], more[256] = "";
    int who = 0;
    while (who < w->size && !silent(w, who, t)) who++;
    if (who < w->size) {
        const Known *k = &w->known[who];
        name_more(w, who, t, more, sizeof more);
        snprintf(text, sizeof text, "rank %d on %s is silent since %.0f s; its last phase was %s at step %lld%s", who,
                 heartbeat_host(w->net, who), t - k->heard, k->beat.phase, (long long)k->beat.step, more);
    } else if ((who = find_late(w)) >= 0) {
        const Beat *b = &w->known[who].beat;
        snprintf(text, sizeof text, "rank %d on %s is late: in %s at step %lld since %.0f s", who,
                 heartbeat_host(w->net, who), b->phase, (long long)b->step, b->age);
    } else {
        snprintf(text, sizeof text,
                 "all ranks answer, but wait in %s at step %lld since %.0f s: MPI or its network is "
                 "stuck",
                 now->phase, (long long)now->step, t - now->since);
    }
    log_last_words("%s (limit: %g s)", text, overdue(w, now, t) ? w->limit * now->factor : w->limit);
}

/* This rank is overdue and has asked long enough: may it end the run, and is it the one to say so? */
static void judge(Watchdog *w, const Now *now, double t)
{
    int n_silent = 0, n_in_time = 0, speaker = w->rank;
    w->known[w->rank] = (Known){t, true, beat_of(w, now, t, 0)};
    for (int r = 0; r < w->size; r++) {
        const uint32_t flags = w->known[r].beat.flags;
        if (silent(w, r, t)) {
            n_silent++;
            continue;
        }
        if (!(flags & BEAT_OVERDUE)) n_in_time++;
        if ((flags & (BEAT_OVERDUE | BEAT_MISSING)) && r < speaker) speaker = r;
    }
    if (n_silent == 0 && n_in_time > 0) { /* somebody still works, and within its time */
        w->decided_since = 0;
        return;
    }
    if (w->decided_since == 0) w->decided_since = t;
    if (speaker != w->rank && t - w->decided_since < w->grace + 1) return; /* its verdict will come */
    last_words(w, now, t);
    for (int again = 0; again < 3; again++) send_all(w, now, t, BEAT_VERDICT);
    leave();
}

/* The whole run was stopped and continued (a suspended machine or job): nobody was late meanwhile. */
static void forgive(Watchdog *w, double t)
{
    for (int r = 0; r < w->size; r++) w->known[r].heard = t;
    pthread_mutex_lock(&w->mutex);
    w->now.since = t;
    pthread_mutex_unlock(&w->mutex);
    w->asking_since = w->decided_since = 0;
}

/* Where no message of a rank ever came, the network may not let them through: it is not missed. */
static bool misses(const Watchdog *w, double t)
{
    for (int r = 0; r < w->size; r++)
        if (r != w->rank && w->known[r].ever && t - w->known[r].heard > w->limit) return true;
    return false;
}

static void watch_once(Watchdog *w)
{
    const double t = seconds();
    if (t - w->last_look > w->tick + between(1, w->limit / 2, 10)) forgive(w, t);
    w->last_look = t;
    receive_all(w, t);
    warn_forged(w);
    const Now now = look(w);
    w->missing = misses(w, t);
    if (!w->missing && !overdue(w, &now, t)) {
        w->asking_since = w->decided_since = 0;
        if (t - w->last_beat >= w->period) {
            send_all(w, &now, t, 0);
            w->last_beat = t;
        }
        return;
    }
    if (w->asking_since == 0) w->asking_since = t;
    if (t - w->last_beat >= w->tick) { /* not at each answer: two who ask would never rest */
        send_all(w, &now, t, BEAT_ASK);
        w->last_beat = t;
    }
    if (t - w->asking_since >= w->grace) judge(w, &now, t);
}

static void *watch(void *arg)
{
    Watchdog *w = arg;
    struct pollfd fds[2] = {{.fd = w->wake[0], .events = POLLIN}, {.fd = heartbeat_socket(w->net), .events = POLLIN}};
    while (poll(fds, 2, (int)(1000 * w->tick)) >= 0 || errno == EINTR) {
        if (fds[0].revents) break;
        watch_once(w);
    }
    return NULL;
}

/* Signals are for the main thread. */
static Status start_thread(Watchdog *w)
{
    REQUIRE(pipe(w->wake) == 0, ERR_HOST, "the watchdog's pipe: %s", strerror(errno));
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int rc = pthread_create(&w->thread, NULL, watch, w);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rc == 0) return OK;
    close(w->wake[0]);
    close(w->wake[1]);
    w->wake[0] = w->wake[1] = -1;
    FAIL(ERR_HOST, "the watchdog's thread: %s", strerror(rc));
}

static Status fill(Watchdog *w, const Comm *c, double limit)
{
    const double t = seconds();
    w->rank = comm_rank(c);
    w->size = comm_size(c);
    w->limit = limit;
    w->tick = between(0.02, limit / 15, 0.5);
    w->period = between(0.05, limit / 4, 10);
    w->grace = between(0.3, limit / 3, 2);
    w->now = (Now){"start", 0, t, 1};
    w->last_look = t;
    w->wake[0] = w->wake[1] = -1;
    TRY_NEW(w->known, &w->arena, w->size);
    for (int r = 0; r < w->size; r++) w->known[r] = (Known){t, false, {.phase = "start"}};
    return OK;
}

Status watchdog_start(Watchdog **out, Comm *c, double limit_seconds)
{
    *out = NULL;
    if (comm_size(c) == 1 || limit_seconds <= 0) return OK;
    Arena arena = {0};
    Watchdog *w = arena_zeros(&arena, 1, sizeof *w);
    Status st = w ? OK : ERR_HOST;
    if (w) {
        w->arena = arena;
        pthread_mutex_init(&w->mutex, NULL);
        st = fill(w, c, limit_seconds);
    }
    st = comm_agree(c, st);
    if (st == OK && w) st = heartbeat_open(&w->net, c, &w->arena);
    if (st == OK && w) { /* each has spoken before anyone goes on: who stops from here on was heard */
        const double t = seconds();
        const Now now = look(w);
        send_all(w, &now, t, 0);
        st = comm_agree(c, start_thread(w));
    }
    if (st == OK) {
        *out = w;
        return OK;
    }
    watchdog_stop(w);
    return status_trace(st, __FILE__, __LINE__, __func__);
}

void watchdog_long(Watchdog *w, const char *phase, int64_t step, double factor)
{
    if (!w) return;
    const double t = seconds();
    pthread_mutex_lock(&w->mutex);
    w->now = (Now){phase, step, t, factor};
    pthread_mutex_unlock(&w->mutex);
}

void watchdog_phase(Watchdog *w, const char *phase, int64_t step) { watchdog_long(w, phase, step, 1); }

void watchdog_stop(Watchdog *w)
{
    if (!w) return;
    if (w->wake[1] >= 0) {
        close(w->wake[1]);
        pthread_join(w->thread, NULL);
        close(w->wake[0]);
    }
    const char *from;
    const int64_t forged = w->net ? heartbeat_forged(w->net, &from) : 0;
    if (forged > 0)
        log_last_words("warning: the watchdog of rank %d passed over %lld messages that this run has not signed",
                       w->rank, (long long)forged);
    heartbeat_close(w->net);
    pthread_mutex_destroy(&w->mutex);
    Arena arena = w->arena; /* w lies in it */
    arena_close(&arena);
}

/* A handler can reach nothing but a global: the exception to the rule that no global changes. */
static char alarm_text[512];

static void ring(int number)
{
    (void)number;
    (void)!write(STDERR_FILENO, alarm_text, strlen(alarm_text));
    leave();
}

static const char *rank_of_launcher(void)
{
    static const char *const name[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if (getenv(name[i])) return getenv(name[i]);
    return "?";
}

void watchdog_alarm(double limit, const char *what)
{
    if (limit > 0 && limit < 20) limit = 20;
    struct sigaction action = {.sa_flags = SA_RESTART};
    struct itimerval timer = {{0, 0}, {(time_t)limit, (suseconds_t)(1e6 * (limit - floor(limit)))}};
    char host[64] = "this host";
    (void)!gethostname(host, sizeof host - 1);
    if (limit <= 0) {
        setitimer(ITIMER_REAL, &timer, NULL);
        signal(SIGALRM, SIG_DFL);
        return;
    }
    snprintf(alarm_text, sizeof alarm_text,
             "mneme: rank %s on %s is in %s since %g s: another rank has stopped or did not start, or the network lets "
             "nothing through\n",
             rank_of_launcher(), host, what, limit);
    action.sa_handler = ring;
    sigemptyset(&action.sa_mask);
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
}
