/* checkpoint_background.c - copy, thread, and the way of a failure back to the caller. */
#include "io/checkpoint/checkpoint_background.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static Status copy_bytes(Arena *arena, void **data, size_t size)
{
    void *copy = arena_alloc(arena, size);
    if (!copy) return ERR_HOST;
    memcpy(copy, *data, size);
    *data = copy;
    return OK;
}

static Status copy_text(Arena *arena, const char **text)
{
    if (!*text) return OK;
    *text = arena_text(arena, *text);
    return *text ? OK : ERR_HOST;
}

static Status copy_state(Arena *arena, CheckpointState *s)
{
    if (s->kind != CHECKPOINT_TEXT) return copy_bytes(arena, &s->data, (size_t)s->n * 8);
    TRY(copy_bytes(arena, &s->data, sizeof(const char *)));
    return copy_text(arena, s->data);
}

static Status copy_lists(Checkpoint *to)
{
    void *param = to->param, *buffer = to->buffer, *state = to->state;
    TRY(copy_bytes(to->arena, &param, (size_t)to->n_params * sizeof *to->param));
    TRY(copy_bytes(to->arena, &buffer, (size_t)to->n_buffers * sizeof *to->buffer));
    TRY(copy_bytes(to->arena, &state, (size_t)to->n_states * sizeof *to->state));
    to->param = param;
    to->buffer = buffer;
    to->state = state;
    return OK;
}

static Status copy_all(Checkpoint *to)
{
    int64_t count = 0;
    TRY(copy_lists(to));
    for (int p = 0; p < to->n_params; p++) {
        const int64_t end = to->param[p].offset + to->param[p].count;
        count = end > count ? end : count;
    }
    for (int b = 0; b < to->n_buffers; b++)
        TRY(copy_bytes(to->arena, &to->buffer[b].data, (size_t)count * (size_t)to->width));
    for (int s = 0; s < to->n_states; s++) TRY(copy_state(to->arena, &to->state[s]));
    TRY(copy_text(to->arena, &to->model));
    TRY(copy_text(to->arena, &to->program));
    TRY(copy_text(to->arena, &to->vocabulary));
    TRY(copy_text(to->arena, &to->environment));
    TRY(copy_text(to->arena, &to->source.corpus));
    TRY(copy_text(to->arena, &to->source.vectors));
    return copy_text(to->arena, &to->config);
}

static void *work(void *context)
{
    CheckpointBackground *b = context;
    b->status = b->save(b->context, &b->copy, b->metric);
    if (b->status != OK) snprintf(b->report, sizeof b->report, "%s", status_text());
    atomic_store(&b->done, true);
    return NULL;
}

/* Signals are for the main thread, which looks at them between steps. */
static int start_thread(CheckpointBackground *b)
{
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    const int rc = pthread_create(&b->thread, NULL, work, b);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc;
}

Status checkpoint_background_start(CheckpointBackground *b, const Checkpoint *c, double metric, CheckpointSave save,
                                   void *context)
{
    REQUIRE(!b->under_way, ERR_INTERNAL, "a save is under way");
    arena_release(&b->arena, (ArenaMark){0});
    b->copy = *c;
    b->copy.arena = &b->arena;
    TRY(copy_all(&b->copy));
    b->metric = metric;
    b->save = save;
    b->context = context;
    atomic_store(&b->done, false);
    const int rc = start_thread(b);
    REQUIRE(rc == 0, ERR_HOST, "the thread that saves step %lld cannot be started: %s", (long long)c->step,
            strerror(rc));
    b->under_way = true;
    return OK;
}

Status checkpoint_background_wait(CheckpointBackground *b, int64_t *step)
{
    *step = -1;
    if (!b->under_way) return OK;
    b->under_way = false;
    const int rc = pthread_join(b->thread, NULL);
    REQUIRE(rc == 0, ERR_INTERNAL, "the thread that saves step %lld: %s", (long long)b->copy.step, strerror(rc));
    if (b->status != OK) return status_adopt(b->status, b->report);
    *step = b->copy.step;
    return OK;
}

Status checkpoint_background_poll(CheckpointBackground *b, int64_t *step)
{
    *step = -1;
    if (!b->under_way || !atomic_load(&b->done)) return OK;
    return checkpoint_background_wait(b, step);
}

void checkpoint_background_close(CheckpointBackground *b)
{
    int64_t step;
    (void)!checkpoint_background_wait(b, &step); /* nobody is left to tell: the next start finds the older one */
    arena_close(&b->arena);
}
