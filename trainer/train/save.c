/* save.c - a training's state into checkpoints, and back out of the newest good one. Rank 0 has the files. */
#include <math.h>
#include <string.h>

#include "comm/clock.h"
#include "comm/log.h"
#include "trainer/train/register.h"

/* A checkpoint's copies of the sums, which are those of all ranks. */
enum { SUM_ROW, SUM_EPOCH, SUMS, SUM_VALUES = sizeof(LossSum) / sizeof(int64_t) };

Status save_open(Trainer *t)
{
    const CheckpointKeep keep = {
        .last = (int)t->saving->keep_last, .best = (int)t->saving->keep_best, .higher = t->higher};
    Buffer warnings = {0};
    Status st = checkpoint_store_open(&t->store, t->s.run, run_folder_checkpoints(t->folder), keep, &warnings);
    if (st == OK && warnings.size) log_warn("%s", warnings.data);
    buffer_close(&warnings);
    return st;
}

/* --- Saving --- */

static Status write_config(const Trainer *t, Checkpoint *c, Buffer *yaml)
{
    TRY(config_write(t->s.config, false, yaml));
    c->config = yaml->data;
    return OK;
}

static Status save_here(Trainer *t, LossSum sums[SUMS], bool wait)
{
    const ArenaMark mark = arena_mark(t->s.run);
    Checkpoint c = {0};
    Buffer yaml = {0};
    const double metric = t->state.best_step == t->state.step ? t->state.best : t->measured;
    Status st = register_trainer(&c, t, sums);
    if (st == OK) st = write_config(t, &c, &yaml);
    c.step = t->state.step;
    if (st == OK) st = metrics_sync(t->metrics); /* records first: a checkpoint never knows more than they do */
    if (st == OK && t->saving->background && !wait)
        st = checkpoint_store_begin(t->store, &c, metric);
    else if (st == OK)
        st = checkpoint_store_save(t->store, &c, metric);
    buffer_close(&yaml);
    arena_release(t->s.run, mark);
    return st;
}

Status save_now(Trainer *t, bool wait)
{
    const double start = clock_seconds();
    LossSum sums[SUMS] = {t->state.row, t->state.epoch};
    TRY(comm_allreduce(t->s.comm, sums, SUMS * SUM_VALUES, COMM_I64, COMM_SUM));
    optim_flush(t->u.optim);
    watchdog_long(t->s.watchdog, "save", t->state.step, 10);
    TRY(comm_agree(t->s.comm, trainer_leads(t) ? save_here(t, sums, wait) : OK));
    t->saved_step = t->state.step;
    t->saved_at = clock_seconds();
    t->save_seconds += t->saved_at - start;
    return OK;
}

Status save_poll(Trainer *t)
{
    int64_t step = -1;
    return checkpoint_store_poll(t->store, &step);
}

Status save_close(Trainer *t)
{
    int64_t step = -1;
    return checkpoint_store_wait(t->store, &step);
}

/* --- Going on --- */

Status save_compare(const Trainer *t, const char *path, const char *yaml, bool finished)
{
    Config *old = NULL;
    const Status st = config_parse(&old, t->s.run, &settings_table, path, yaml, strlen(yaml), 0, NULL);
    if (st != OK) return status_trace(st, __FILE__, __LINE__, __func__);
    Buffer text = {0};
    int math = 0, other = 0;
    Status compared = config_compare(old, t->s.config, &text, &math, &other);
    const bool refused = math > 0 && !t->options->accept_changes;
    if (text.size > 0) text.data[--text.size] = '\0'; /* the last line break */
    if (compared == OK && math + other > 0 && !refused && !finished)
        log_info("%s was made with another configuration:\n%s", path, text.data);
    if (compared == OK && refused)
        compared = status_fail(ERR_CONFIG, __FILE__, __LINE__, __func__,
                               "%s: the configuration changes the mathematics of the run%s:\n%s\n%s", path,
                               finished ? ", which has finished" : "", text.data,
                               finished ? "start anew with --fresh, change it back, or name another run.folder"
                                        : "go on with --accept-changes, start anew with --fresh, or change it back");
    buffer_close(&text);
    return compared;
}

static Status load(Trainer *t, const char *path, LossSum sums[SUMS])
{
    CheckpointHead head = {0};
    Checkpoint c = {0};
    TRY(checkpoint_head(path, t->s.run, &head));
    TRY(save_compare(t, path, head.config, false));
    TRY(register_trainer(&c, t, sums));
    TRY(checkpoint_load(path, &c, CHECKPOINT_RESUME));
    log_info("going on from %s", path);
    return OK;
}

static Status find_and_load(Trainer *t, LossSum sums[SUMS], char *found)
{
    const char *path = NULL;
    Buffer warnings = {0};
    Status st = checkpoint_newest(run_folder_checkpoints(t->folder), t->s.run, &path, &warnings);
    if (st == OK && warnings.size) log_warn("%s", warnings.data);
    buffer_close(&warnings);
    TRY(st);
    *found = path != NULL;
    return path ? load(t, path, sums) : OK;
}

/* All but the buffers: small, and the same on every rank. */
static Status share_numbers(Trainer *t)
{
    Comm *comm = t->s.comm;
    TRY(comm_broadcast(comm, &t->state, sizeof t->state, 0));
    TRY(comm_broadcast(comm, &t->u.optim->step, sizeof t->u.optim->step, 0));
    TRY(comm_broadcast(comm, t->schedule.state, sizeof t->schedule.state, 0));
    TRY(comm_broadcast(comm, t->early.state, sizeof t->early.state, 0));
    TRY(comm_broadcast(comm, t->s.model->memory, (size_t)t->s.model->def->n_memory * sizeof(double), 0));
    return t->u.ema ? comm_broadcast(comm, &t->u.ema->updates, sizeof t->u.ema->updates, 0) : OK;
}

static Status share_buffers(Trainer *t)
{
    const size_t bytes = (size_t)t->s.params.count * sizeof(real);
    const char *const *name = NULL;
    real *const *state = NULL;
    TRY(comm_broadcast(t->s.comm, t->s.params.value, bytes, 0));
    const int n = optim_states(t->u.optim, &name, &state);
    for (int i = 0; i < n; i++) TRY(comm_broadcast(t->s.comm, state[i], bytes, 0));
    return t->u.ema ? comm_broadcast(t->s.comm, t->u.ema->average, bytes, 0) : OK;
}

Status save_resume(Trainer *t)
{
    LossSum sums[SUMS] = {{0}};
    char found = 0;
    watchdog_long(t->s.watchdog, "resume", 0, 10);
    TRY(comm_agree(t->s.comm, trainer_leads(t) ? find_and_load(t, sums, &found) : OK));
    TRY(comm_broadcast(t->s.comm, &found, 1, 0));
    if (!found) {
        TRY(session_begin(&t->s));
        if (t->u.ema) ema_begin(t->u.ema);
        return OK;
    }
    TRY(share_numbers(t));
    TRY(share_buffers(t));
    t->state.row = t->state.epoch = (LossSum){0};
    if (trainer_leads(t)) {
        t->state.row = sums[SUM_ROW];
        t->state.epoch = sums[SUM_EPOCH];
    }
    t->saved_step = t->state.step;
    return OK;
}
