/* evaluate.c - every rank measures its share, the counts are added. */
#include "trainer/run/evaluate.h"

#include "comm/signals.h"

enum { SIGNAL_EVERY = 16 }; /* batches between two looks at the signals of all ranks */

Status evaluate_forward(Session *s, const Batch *b, bool watch, Tape *t, ModelOutput *out)
{
    *t = tape_begin(&s->step);
    t->watch = watch;
    t->seed = s->seed;
    *out = (ModelOutput){0};
    model_forward(s->model, t, b, out);
    return tape_status(t);
}

static Status measure_batch(Session *s, Loader *l, Counts *counts)
{
    const Batch *b = NULL;
    LoaderPosition at;
    TRY(loader_next(l, &b, &at, NULL));
    if (!b || b->B == 0) return OK;
    const ArenaMark mark = arena_mark(&s->step);
    Tape t;
    ModelOutput out;
    Status st = evaluate_forward(s, b, false, &t, &out);
    if (st == OK) st = task_measure(s->task, &t, &out, b, counts);
    arena_release(&s->step, mark);
    return st;
}

static Status walk(Session *s, Loader *l, Counts *counts, bool *stopped)
{
    const int64_t batches = loader_batches(l); /* global batches: the same number on every rank */
    Status local = OK;
    for (int64_t i = 0; i < batches; i++) {
        watchdog_phase(s->watchdog, "evaluate", i);
        if (local == OK) local = measure_batch(s, l, counts);
        if ((i + 1) % SIGNAL_EVERY != 0) continue;
        TRY(comm_agree(s->comm, local));
        TRY(signals_agree(s->comm, stopped));
        if (*stopped) return OK;
    }
    return comm_agree(s->comm, local);
}

Status evaluate_split(Session *s, const char *split, int64_t batch, Measures *out, bool *stopped)
{
    const LoaderOptions options = session_reading(s, split, batch);
    *stopped = false;
    Loader *l = NULL;
    const ArenaMark mark = arena_mark(s->run);
    Counts *counts = NULL;
    Status st = task_counts(s->task, s->run, &counts);
    if (st == OK) st = loader_open(&l, s->corpus, &options, (LoaderPosition){0, 0});
    st = comm_agree(s->comm, st);
    if (st == OK) st = walk(s, l, counts, stopped);
    loader_close(l);
    if (st == OK && !*stopped) st = counts_reduce(counts, s->comm);
    if (st == OK && !*stopped) st = task_report(s->task, counts, out);
    arena_release(s->run, mark);
    return st;
}
