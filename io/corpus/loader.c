/* loader.c - a thread reads windows and packs batches into a ring, ahead of the one who uses them. */
#include "io/corpus/loader.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "io/corpus/loader_parts.h"

enum { RING = 6, HELD = 2, REPORT = 4096 };

typedef struct Entry {
    Arena arena;
    Batch batch;
    LoaderPosition at;
    bool end; /* no batch: the end, or a failure */
} Entry;

struct Loader {
    Arena arena; /* holds this struct too */
    LoaderOptions options;
    LoaderPosition start;
    LoaderSource source;
    LoaderWindow window[2];
    Entry ring[RING];

    pthread_t thread;
    bool started;
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t changed;
    int64_t made, taken;
    bool stop;
    Status status;
    int64_t system_calls;
    char report[REPORT];
};

static int64_t released(const Loader *l) { return l->taken > HELD ? l->taken - HELD : 0; }

/* The entry for the next batch, when there is room; NULL when the loader is to stop. */
static Entry *entry_wait(Loader *l)
{
    (void)pthread_mutex_lock(&l->lock);
    while (!l->stop && l->made - released(l) >= RING) (void)pthread_cond_wait(&l->changed, &l->lock);
    Entry *e = l->stop ? NULL : &l->ring[l->made % RING];
    (void)pthread_mutex_unlock(&l->lock);
    return e;
}

static int64_t count_system_calls(const Loader *l)
{
    int64_t n = l->source.arena.system_calls;
    for (int i = 0; i < 2; i++) n += l->window[i].arena.system_calls;
    for (int i = 0; i < RING; i++) n += l->ring[i].arena.system_calls;
    return n;
}

static void publish(Loader *l, Status st)
{
    (void)pthread_mutex_lock(&l->lock);
    l->status = st;
    if (st != OK) snprintf(l->report, sizeof l->report, "%s", status_text());
    l->system_calls = count_system_calls(l);
    l->made++;
    (void)pthread_cond_broadcast(&l->changed);
    (void)pthread_mutex_unlock(&l->lock);
}

/* --- The thread --- */

static bool next_window(const Loader *l, const LoaderWindow *w, int64_t *epoch, int64_t *number)
{
    *epoch = w->epoch;
    *number = w->number + 1;
    if (*number == order_windows(&l->source.order)) {
        ++*epoch;
        *number = 0;
    }
    return l->options.epochs == 0 || *epoch < l->options.epochs;
}

/* All batches of w from b on; meanwhile the next window comes in, a share of it after each batch. */
static Status make_batches(Loader *l, const LoaderWindow *w, int64_t b, LoaderWindow *next, bool *stop)
{
    const int64_t first = b;
    for (; b < w->batches; b++) {
        Entry *e = entry_wait(l);
        *stop = !e;
        if (*stop) return OK;
        arena_release(&e->arena, (ArenaMark){0});
        e->at = (LoaderPosition){w->epoch, w->number * l->source.order.window + b};
        e->end = false;
        TRY(loader_pack(&e->batch, &e->arena, &l->source, w, b, &l->options));
        publish(l, OK);
        if (next) TRY(loader_window_fill(next, &l->source, next->n * (b + 1 - first) / (w->batches - first)));
    }
    return OK;
}

static Status make_all(Loader *l)
{
    const int64_t per_window = l->source.order.window;
    int64_t epoch = l->start.epoch, number = l->start.batch / per_window, b = l->start.batch % per_window;
    LoaderWindow *w = &l->window[0], *next = &l->window[1];
    if (order_batches(&l->source.order) == 0 || (l->options.epochs > 0 && epoch >= l->options.epochs)) return OK;
    loader_window_begin(w, &l->source, epoch, number);
    TRY(loader_window_fill(w, &l->source, w->n));
    for (bool more = true, stop = false; more; b = 0) {
        loader_window_arrange(w, &l->source);
        more = next_window(l, w, &epoch, &number);
        if (more) loader_window_begin(next, &l->source, epoch, number);
        TRY(make_batches(l, w, b, more ? next : NULL, &stop));
        if (stop) return OK;
        LoaderWindow *used = w;
        w = next;
        next = used;
    }
    return OK;
}

static void *run(void *context)
{
    Loader *l = context;
    const Status st = make_all(l);
    Entry *e = entry_wait(l);
    if (!e) return NULL;
    e->end = true;
    publish(l, st);
    return NULL;
}

/* Signals are for the main thread. */
static Status start_thread(Loader *l)
{
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    const int rc = pthread_create(&l->thread, NULL, run, l);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    REQUIRE(rc == 0, ERR_HOST, "the thread that reads ahead cannot be started: %s", strerror(rc));
    l->started = true;
    return OK;
}

/* --- Its user --- */

/* Room for a batch of usual size and some more. */
static Status reserve_entries(Loader *l)
{
    const Index *x = l->source.index;
    const IndexSplit *s = l->source.split;
    double bytes = 16;
    for (int f = 0; f < x->n_fields; f++) {
        const int levels = x->field[f].levels;
        const double last = levels ? (double)s->units[f][levels - 1] / ((double)s->examples + 1) : 0;
        bytes += 16 + (double)(field_bytes(&x->field[f]) - sizeof(int32_t)) * last;
        for (int i = 0; i < levels; i++) bytes += 8.0 * (double)s->units[f][i] / ((double)s->examples + 1);
    }
    bytes = 2 * bytes * (double)(l->source.order.batch / l->options.parts + 1);
    for (int i = 0; i < RING; i++) {
        if (!arena_alloc(&l->ring[i].arena, (size_t)bytes)) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
        arena_release(&l->ring[i].arena, (ArenaMark){0});
    }
    return OK;
}

static Status open_parts(Loader *l, const Corpus *c)
{
    TRY(loader_source_open(&l->source, c, &l->options));
    const int64_t batches = order_batches(&l->source.order);
    REQUIRE(l->start.epoch >= 0 && l->start.batch >= 0 && l->start.batch <= batches, ERR_DATA,
            "%s: split %s: there is no batch %lld of epoch %lld: an epoch has %lld batches", corpus_folder(c),
            l->options.split, (long long)l->start.batch, (long long)l->start.epoch, (long long)batches);
    if (l->start.batch == batches) l->start = (LoaderPosition){l->start.epoch + 1, 0};
    for (int i = 0; i < 2; i++) TRY(loader_window_open(&l->window[i], &l->source));
    TRY(reserve_entries(l));
    TRY(start_thread(l));
    return OK;
}

Status loader_open(Loader **out, const Corpus *c, const LoaderOptions *o, LoaderPosition start)
{
    Arena arena = {0};
    Loader *l;
    REQUIRE(o->batch >= 1 && o->window >= 1 && o->parts >= 1 && o->part >= 0 && o->part < o->parts, ERR_INTERNAL,
            "a loader of batch %lld, window %lld, part %lld of %lld", (long long)o->batch, (long long)o->window,
            (long long)o->part, (long long)o->parts);
    TRY_NEW(l, &arena, 1);
    l->arena = arena;
    l->options = *o;
    l->start = start;
    (void)pthread_mutex_init(&l->lock, NULL);
    (void)pthread_cond_init(&l->changed, NULL);
    const Status st = open_parts(l, c);
    if (st != OK) loader_close(l);
    TRY(st);
    *out = l;
    return OK;
}

void loader_close(Loader *l)
{
    if (!l) return;
    if (l->started) {
        (void)pthread_mutex_lock(&l->lock);
        l->stop = true;
        (void)pthread_cond_broadcast(&l->changed);
        (void)pthread_mutex_unlock(&l->lock);
        (void)pthread_join(l->thread, NULL);
    }
    (void)pthread_cond_destroy(&l->changed);
    (void)pthread_mutex_destroy(&l->lock);
    for (int i = 0; i < RING; i++) arena_close(&l->ring[i].arena);
    for (int i = 0; i < 2; i++) loader_window_close(&l->window[i]);
    loader_source_close(&l->source);
    Arena arena = l->arena;
    arena_close(&arena);
}

int64_t loader_batches(const Loader *l) { return order_batches(&l->source.order); }

int64_t loader_system_calls(Loader *l)
{
    (void)pthread_mutex_lock(&l->lock);
    const int64_t n = l->system_calls;
    (void)pthread_mutex_unlock(&l->lock);
    return n;
}

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

Status loader_next(Loader *l, const Batch **out, LoaderPosition *at, double *waited)
{
    (void)pthread_mutex_lock(&l->lock);
    l->taken++;
    (void)pthread_cond_broadcast(&l->changed); /* what this call released may be filled again */
    if (l->made < l->taken) {
        const double before = now();
        while (l->made < l->taken) (void)pthread_cond_wait(&l->changed, &l->lock);
        if (waited) *waited += now() - before;
    }
    const Entry *e = &l->ring[(l->taken - 1) % RING];
    if (e->end) l->taken--; /* asked again, the answer is the same */
    const Status st = e->end ? l->status : OK;
    (void)pthread_mutex_unlock(&l->lock);
    *out = e->end ? NULL : &e->batch;
    if (st != OK) return status_adopt(st, l->report);
    if (!e->end && at) *at = e->at;
    return OK;
}
