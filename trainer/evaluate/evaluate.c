/* evaluate.c - every rank measures its share, the counts are added. */
#include "trainer/evaluate/evaluate.h"

#include <string.h>

#include "comm/progress.h"
#include "comm/signals.h"
#include "trainer/evaluate/outputs.h"

enum { SIGNAL_EVERY = 16 }; /* batches between two looks at the signals of all ranks */

Status evaluate_forward(Session *s, const Batch *b, bool watch, Tape *t, Prediction *out)
{
    *t = tape_begin(&s->step);
    t->watch = watch;
    t->seed = s->seed;
    *out = (Prediction){0};
    model_forward(s->model, t, b, out);
    return tape_status(t);
}

/* What is counted over a split. */
typedef struct Tally {
    Counts *counts;
    Outputs *outputs; /* NULL: nothing is decoded */
} Tally;

static Status measure_batch(Session *s, Loader *l, const Tally *tally)
{
    const Batch *b = NULL;
    LoaderPosition at;
    TRY(loader_next(l, &b, &at, NULL));
    if (!b || b->B == 0) return OK;
    const ArenaMark mark = arena_mark(&s->step);
    Tape t;
    Prediction out;
    Status st = evaluate_forward(s, b, false, &t, &out);
    if (st == OK) st = task_measure(s->task, &t, &out, b, tally->counts);
    if (st == OK && tally->outputs) st = outputs_measure(tally->outputs, b);
    arena_release(&s->step, mark);
    return st;
}

static Status walk(Session *s, Loader *l, const Tally *tally, bool *stopped)
{
    const int64_t batches = loader_batches(l); /* global batches: the same number on every rank */
    Status local = OK;
    Progress progress;
    progress_work(&progress, "evaluating", "batches");
    for (int64_t i = 0; i < batches; i++) {
        watchdog_phase(s->watchdog, "evaluate", i);
        progress_at(&progress, i, batches, -1);
        if (local == OK) local = measure_batch(s, l, tally);
        if ((i + 1) % SIGNAL_EVERY != 0) continue;
        TRY(comm_agree(s->comm, local));
        TRY(signals_agree(s->comm, stopped));
        if (*stopped) return OK;
    }
    progress_clear(&progress);
    return comm_agree(s->comm, local);
}

static Status open_tally(Session *s, const char *split, Tally *tally)
{
    *tally = (Tally){0};
    if (strcmp(split, "train") != 0) TRY(outputs_open(&tally->outputs, s));
    return task_counts(s->task, s->run, &tally->counts);
}

static Status name_and_value(const Session *s, const Tally *tally, Measures *out)
{
    TRY(task_report(s->task, tally->counts, out));
    return tally->outputs ? outputs_report(tally->outputs, out) : OK;
}

Status evaluate_names(Session *s, Measures *out)
{
    const ArenaMark mark = arena_mark(s->run);
    Tally tally;
    TRY(open_tally(s, "valid", &tally));
    TRY(name_and_value(s, &tally, out));
    arena_release(s->run, mark);
    return OK;
}

/* [collective] */
static Status report(Session *s, const Tally *tally, Measures *out)
{
    TRY(counts_reduce(tally->counts, s->comm));
    if (tally->outputs) TRY(counts_reduce(tally->outputs->counts, s->comm));
    return name_and_value(s, tally, out);
}

Status evaluate_split(Session *s, const char *split, int64_t batch, Measures *out, EvaluateDetails *details,
                      bool *stopped)
{
    const LoaderOptions options = session_reading(s, split, batch);
    *stopped = false;
    Loader *l = NULL;
    const ArenaMark mark = arena_mark(s->run);
    Tally tally;
    Status st = open_tally(s, split, &tally);
    Predictions *p = details ? details->predictions : NULL;
    if (p) s->task->listener = &p->guessed;
    if (p && tally.outputs) tally.outputs->listener = &p->decoded;
    if (st == OK) st = loader_open(&l, s->corpus, &options, (LoaderPosition){0, 0});
    st = comm_agree(s->comm, st);
    if (st == OK) st = walk(s, l, &tally, stopped);
    loader_close(l);
    s->task->listener = NULL;
    if (st == OK && !*stopped) st = report(s, &tally, out);
    if (st == OK && !*stopped && details) {
        st = comm_agree(s->comm, task_classes(s->task, tally.counts, details->keep, &details->classes));
        details->classes.split = split;
    }
    arena_release(s->run, mark);
    return st;
}
