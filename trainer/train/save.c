/* save.c - a training's state into checkpoints, and back out of the newest good one. Rank 0 has the files. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "comm/clock.h"
#include "comm/log.h"
#include "io/file/file.h"
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
    c.loss = t->loss;
    c.best_from = t->state.best_from;
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

/* --- What a training stands on besides its configuration --- */

Status save_source(Trainer *t)
{
    const DataSettings *data = config_section(t->s.config, "data");
    TrainSource *s = &t->source;
    *s = (TrainSource){.examples = corpus_examples(t->s.corpus, "train")};
    memcpy(s->corpus, corpus_content(t->s.corpus), HASH_HEX);
    snprintf(s->arithmetic, sizeof s->arithmetic, "%s", arithmetic_name());
    if (!t->s.model->pretrained || !data->vectors[0] || !file_exists(data->vectors)) return OK;
    return hash_file(data->vectors, s->vectors, NULL);
}

static bool other_arithmetic(const TrainSource *old, const TrainSource *now)
{
    return old->arithmetic[0] && strcmp(old->arithmetic, now->arithmetic) != 0;
}

/* What is not known of one of them is not compared. */
static Status compare_source(const TrainSource *old, const TrainSource *now, Buffer *text, int *math)
{
    if (old->corpus[0] && strcmp(old->corpus, now->corpus) != 0) {
        ++*math;
        TRY(buffer_format(text, "data.corpus: %lld examples to learn from, digest %s -> %lld, digest %s\n",
                          (long long)old->examples, old->corpus, (long long)now->examples, now->corpus));
    }
    if (old->vectors[0] && now->vectors[0] && strcmp(old->vectors, now->vectors) != 0) {
        ++*math;
        TRY(buffer_format(text, "data.vectors: a file with digest %s -> %s\n", old->vectors, now->vectors));
    }
    if (other_arithmetic(old, now)) {
        ++*math;
        TRY(buffer_format(text, "kernels: %s -> %s\n", old->arithmetic, now->arithmetic));
    }
    return OK;
}

static const char *what_changes(int settings, const TrainSource *old, const TrainSource *now)
{
    if (settings) return "the configuration changes";
    return other_arithmetic(old, now) ? "another processor or library changes the order of sums, and so"
                                      : "another corpus or file changes";
}

Status save_compare(const Trainer *t, const char *path, const char *yaml, const TrainSource *source, bool finished)
{
    Config *old = NULL;
    const Status st = config_parse(&old, t->s.run, &settings_table, path, yaml, strlen(yaml), 0, NULL);
    if (st != OK) return status_trace(st, __FILE__, __LINE__, __func__);
    Buffer text = {0};
    int math = 0, other = 0;
    Status compared = config_compare(old, t->s.config, &text, &math, &other);
    const int settings = math;
    if (compared == OK) compared = compare_source(source, &t->source, &text, &math);
    const bool refused = math > 0 && !t->options->accept_changes;
    if (text.size > 0) text.data[--text.size] = '\0'; /* the last line break */
    if (compared == OK && math + other > 0 && !refused && !finished)
        log_info("%s was made with another configuration:\n%s", path, text.data);
    if (compared == OK && refused)
        compared =
            status_fail(ERR_CONFIG, __FILE__, __LINE__, __func__, "%s: %s the mathematics of the run%s:\n%s\n%s", path,
                        what_changes(settings, source, &t->source), finished ? ", which has finished" : "", text.data,
                        finished ? "start anew with --fresh, change it back, or name another run.folder"
                                 : "go on with --accept-changes, start anew with --fresh, or change it back");
    buffer_close(&text);
    return compared;
}

/* --- Going on --- */

static TrainSource source_of(const CheckpointHead *head)
{
    const CheckpointSource *s = &head->source;
    TrainSource out = {.examples = s->examples};
    snprintf(out.arithmetic, sizeof out.arithmetic, "%s", head->environment ? head->environment : "");
    snprintf(out.corpus, sizeof out.corpus, "%s", s->corpus ? s->corpus : "");
    snprintf(out.vectors, sizeof out.vectors, "%s", s->vectors ? s->vectors : "");
    return out;
}

static bool sum_possible(const LossSum *s)
{
    const int64_t most = INT64_C(1) << 60;
    return s->examples >= 0 && s->tokens >= 0 && s->weight >= 0 && s->examples < most && s->tokens < most &&
           s->weight < most && s->loss > -most;
}

/* Numbers that are whole and yet cannot be those of any training: a file that was put together, not written by one. */
static Status check_state(const Trainer *t, const char *path, int64_t step, const LossSum sums[SUMS], bool has_plan)
{
    const TrainState *st = &t->state;
    const TrainPlan *plan = &st->plan;
    REQUIRE(st->step == step, ERR_DATA, "%s: state/step: found %lld in a checkpoint of step %lld", path,
            (long long)st->step, (long long)step);
    REQUIRE(st->next.epoch <= step && st->evaluated <= st->next.epoch && st->best_step <= step &&
                t->u.optim->step <= step && (!t->u.ema || t->u.ema->updates <= step),
            ERR_DATA,
            "%s: epoch %lld, %lld epochs evaluated, the best at step %lld, %lld updates: not after %lld steps", path,
            (long long)st->next.epoch, (long long)st->evaluated, (long long)st->best_step, (long long)t->u.optim->step,
            (long long)step);
    REQUIRE(sum_possible(&sums[SUM_ROW]) && sum_possible(&sums[SUM_EPOCH]), ERR_DATA,
            "%s: state/sums: counts that are negative or impossible", path);
    const double rate = schedule_rate(&t->schedule, optim_rate(t->u.optim), step, trainer_epoch(t));
    REQUIRE(isfinite(rate) && rate >= 0 && isfinite(st->rate) && isfinite(st->norm) && t->early.state[EARLY_BAD] >= 0,
            ERR_DATA, "%s: state/schedule, state/early or state/last: numbers that no training comes to", path);
    if (!has_plan) return OK;
    REQUIRE(plan->batches >= 1 && plan->accumulate >= 1 && st->next.batch < plan->batches &&
                trainer_updates(plan, st->next) == step - plan->before,
            ERR_DATA, "%s: step %lld is not that of batch %lld of epoch %lld", path, (long long)step,
            (long long)st->next.batch, (long long)st->next.epoch);
    return OK;
}

/* The same share of the epoch, when an epoch is cut into other batches now. */
static void move_position(Trainer *t)
{
    TrainState *st = &t->state;
    if (st->plan.batches == t->batches || st->next.batch == 0) return;
    const double share = (double)st->next.batch / (double)st->plan.batches;
    const int64_t batch = (int64_t)(share * (double)t->batches);
    log_info("an epoch has %lld batches now, %lld before: going on with batch %lld of epoch %lld",
             (long long)t->batches, (long long)st->plan.batches, (long long)batch, (long long)st->next.epoch);
    st->next.batch = batch < t->batches ? batch : t->batches - 1;
}

static Status load(Trainer *t, const char *path, LossSum sums[SUMS])
{
    CheckpointHead head = {0};
    Checkpoint c = {0};
    TRY(checkpoint_head(path, t->s.run, &head));
    const char *words = corpus_digest(t->s.corpus);
    TrainSource source = source_of(&head);
    if (head.vocabulary && strcmp(head.vocabulary, words) != 0) source.corpus[0] = '\0'; /* refused by its words */
    TRY(save_compare(t, path, head.config, &source, false));
    TRY(register_trainer(&c, t, sums));
    TRY(checkpoint_load(path, &c, CHECKPOINT_RESUME));
    const CheckpointState *plan = NULL;
    for (int i = 0; i < c.n_states; i++)
        if (c.state[i].data == &t->state.plan) plan = &c.state[i];
    const bool has_plan = plan && plan->found;
    TRY(check_state(t, path, c.step, sums, has_plan));
    if (has_plan) move_position(t);
    t->state.over = early_over(&t->early);                                          /* patience may have been changed */
    if (!t->source.vectors[0]) memcpy(t->source.vectors, source.vectors, HASH_HEX); /* the file is gone since */
    if (!head.source.corpus) log_info("%s does not say which corpus it learnt from", path);
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
        return trainer_plan(t);
    }
    TRY(share_numbers(t));
    TRY(share_buffers(t));
    t->state.row = t->state.epoch = (LossSum){0};
    if (trainer_leads(t)) {
        t->state.row = sums[SUM_ROW];
        t->state.epoch = sums[SUM_EPOCH];
    }
    t->saved_step = t->state.step;
    return trainer_plan(t);
}
