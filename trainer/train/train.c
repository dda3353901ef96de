/* train.c - the loop: batch, gradient, update; at the end of an epoch evaluation; checkpoints; signals. */
#include "trainer/train/train.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/clock.h"
#include "comm/log.h"
#include "comm/signals.h"
#include "io/file/file.h"
#include "trainer/evaluate/evaluate.h"
#include "trainer/train/board.h"
#include "trainer/train/restore.h"
#include "trainer/train/trainer.h"

static void reached(Trainer *t, const char *place)
{
    if (t->options->reached) t->options->reached(t, place);
}

/* --- One update --- */

static Status next_batch(Trainer *t, const Batch **b)
{
    LoaderPosition at;
    watchdog_phase(t->s.watchdog, "load", t->state.step);
    TRY(loader_next(t->loader, b, &at, &t->load_seconds));
    REQUIRE(*b, ERR_INTERNAL, "the loader ended before the training did");
    t->totals.examples += (*b)->all;
    watchdog_phase(t->s.watchdog, "compute", t->state.step);
    return OK;
}

static Status add_batch(Trainer *t, LossSum *sum)
{
    const Batch *b = NULL;
    TRY(next_batch(t, &b));
    return gradient_add(&t->s, b, (uint64_t)t->state.step, sum);
}

/* This rank's lanes of the batch, one after the other; the loader gives the whole batch to every rank. */
static Status add_lanes(Trainer *t, LossSum *sum)
{
    const Batch *all = NULL;
    Lanes *lanes = t->u.lanes;
    TRY(next_batch(t, &all));
    lanes_begin(lanes);
    for (int64_t lane = lanes_from(lanes); lane < lanes_to(lanes); lane++) {
        const ArenaMark mark = arena_mark(&t->s.step);
        Batch piece;
        params_zero_grad(&t->s.params);
        TRY(lanes_batch(all, lane, t->train->lanes, &t->s.step, &piece));
        TRY(gradient_add(&t->s, &piece, (uint64_t)t->state.step, sum));
        TRY(lanes_add(lanes, &t->s.step));
        arena_release(&t->s.step, mark);
    }
    return OK;
}

/* After an update of n batches. The epoch's last batch leads to the first of the next epoch. */
static void advance(Trainer *t, int64_t n, const LossSum *sum, const UpdateResult *result)
{
    TrainState *st = &t->state;
    st->step++;
    t->measured = t->loss = (double)NAN;
    st->next.batch += n;
    if (st->next.batch >= t->batches) st->next = (LoaderPosition){st->next.epoch + 1, 0};
    gradient_sum_loss(&st->row, sum, comm_size(t->s.comm));
    gradient_sum_loss(&st->epoch, sum, comm_size(t->s.comm));
    t->state.norm = result->norm;
    t->totals.tokens += sum->tokens * comm_size(t->s.comm); /* this rank's share stands for all */
}

static Status update(Trainer *t, bool *stop)
{
    Session *s = &t->s;
    arena_release(&s->step, (ArenaMark){0});
    params_zero_grad(&s->params);
    const int64_t left = t->batches - t->state.next.batch;
    const int64_t n = left < t->train->accumulate ? left : t->train->accumulate;
    LossSum sum = {0};
    Status local = trainer_leads(t) ? save_poll(t) : OK;
    for (int64_t i = 0; i < n && local == OK; i++) {
        local = t->u.lanes ? add_lanes(t, &sum) : add_batch(t, &sum);
        reached(t, "batch");
    }
    watchdog_phase(t->s.watchdog, "reduce", t->state.step);
    UpdateResult result;
    t->state.rate = schedule_rate(&t->schedule, optim_rate(t->u.optim), t->state.step, trainer_epoch(t));
    TRY(update_apply(&t->u, sum.weight, local, t->state.step, t->state.rate, &result));
    t->updated = true;
    advance(t, n, &sum, &result);
    *stop = result.stop;
    return OK;
}

/* --- The end of an epoch --- */

static Status take_measures(Trainer *t, const Measures *m)
{
    const Measure *decides = NULL;
    TRY(measures_need(&decides, m, t->decides, "eval.measure"));
    t->measured = decides->value;
    if (measures_better(decides->value, t->state.best, decides->higher, 0)) {
        t->state.best = decides->value;
        t->state.best_step = t->state.step;
    }
    TRY(schedule_observe(&t->schedule, m));
    bool over = false;
    TRY(early_observe(&t->early, m, &over));
    t->state.over = over;
    const Measure *loss = measures_find(m, "loss");
    if (loss) t->loss = loss->value;
    if (!loss || !model_validated(t->s.model, t->state.next.epoch, loss->value)) return OK;
    if (trainer_leads(t))
        log_info("the model changed what it computes after epoch %lld", (long long)t->state.next.epoch);
    t->state.best = t->measured = t->loss = (double)NAN; /* as it was measured it is no more */
    t->state.best_from = t->state.step;
    t->state.over = 0;
    schedule_forget(&t->schedule);
    early_forget(&t->early);
    return OK;
}

/* [collective] With the averages in place of the values when there are any. */
static Status evaluate(Trainer *t, const char *split, Measures *m, bool *stopped)
{
    const double start = clock_seconds();
    optim_flush(t->u.optim);
    reached(t, "evaluate");
    if (t->u.ema) ema_swap(t->u.ema);
    Status st = evaluate_split(&t->s, split, t->eval->batch, m, NULL, stopped);
    arena_release(&t->samples_arena, (ArenaMark){0});
    if (st == OK && !*stopped) st = samples_make(&t->s, split, m, &t->samples_arena, &t->samples);
    if (t->u.ema) ema_swap(t->u.ema);
    t->evaluate_seconds += clock_seconds() - start;
    return st;
}

static bool evaluation_due(const Trainer *t)
{
    const int64_t every = t->eval->every_epochs, done = t->state.next.epoch;
    return every > 0 && done > 0 && done % every == 0 && t->eval->split &&
           corpus_examples(t->s.corpus, t->eval->split) > 0;
}

/* [collective] */
static Status take_histograms(Trainer *t, Board *board)
{
    if (!t->log->histograms || !t->log->tensorboard) return OK;
    optim_flush(t->u.optim);
    return comm_agree(t->s.comm, trainer_leads(t) ? board_take(t, board) : OK);
}

/* [collective] What comes between two epochs; interrupted, it is done again by the run that goes on. */
static Status finish_epoch(Trainer *t, bool *stop)
{
    TRY(record_train_row(t));
    if (evaluation_due(t)) {
        t->last = (Measures){0};
        bool stopped = false;
        Board board = {0};
        TRY(take_histograms(t, &board));
        TRY(evaluate(t, t->eval->split, &t->last, &stopped));
        if (stopped) {
            *stop = true;
            return OK;
        }
        TRY(take_measures(t, &t->last));
        Status local = trainer_leads(t) ? record_measures(t, t->eval->split, &t->last) : OK;
        if (local == OK && board.n > 0) local = board_write(t, &board);
        arena_release(&t->keep, (ArenaMark){0});
        TRY(comm_agree(t->s.comm, local));
        reached(t, "measured");
    }
    t->state.evaluated = t->state.next.epoch;
    t->state.epoch = (LossSum){0};
    return OK;
}

/* --- Checkpoints --- */

/* Time is rank 0's; it is asked only at rows of the metrics, so that a step has no message more. */
static Status time_to_save(Trainer *t, bool *due)
{
    char yes = t->saving->every > 0 && clock_seconds() - t->saved_at >= t->saving->every;
    TRY(comm_broadcast(t->s.comm, &yes, 1, 0));
    *due = *due || yes;
    return OK;
}

static bool every(int64_t n, int64_t done) { return n > 0 && done > 0 && done % n == 0; }

static Status save_if_due(Trainer *t, bool epoch_ended, bool row, bool stop)
{
    bool due = stop || every(t->saving->every_steps, t->state.step) ||
               (epoch_ended && every(t->saving->every_epochs, t->state.next.epoch));
    if (row || epoch_ended) TRY(time_to_save(t, &due));
    if (!due) return OK;
    TRY(save_now(t, stop));
    reached(t, "saved");
    return OK;
}

/* --- The loop --- */

static bool done(const Trainer *t)
{
    if (t->state.over) return true;
    if (t->train->steps > 0 && t->state.step >= t->train->steps) return true;
    return t->train->epochs > 0 && t->state.next.epoch >= t->train->epochs;
}

static Status loop(Trainer *t, bool *stop)
{
    while (!*stop) {
        if (t->state.next.batch == 0 && t->state.evaluated < t->state.next.epoch) {
            TRY(finish_epoch(t, stop));
            TRY(save_if_due(t, !*stop, false, *stop));
            continue;
        }
        if (done(t)) return OK;
        TRY(update(t, stop));
        reached(t, "update");
        const bool row = every(t->log->every_steps, t->state.step) && t->state.next.batch != 0;
        if (row) TRY(record_train_row(t));
        if (trainer_leads(t)) record_progress(t);
        const bool epoch_ended = t->state.next.batch == 0;
        if (!epoch_ended || *stop) TRY(save_if_due(t, false, row, *stop));
    }
    return OK;
}

/* Rank 0: the checkpoint that eval, predict and attend take when nobody names another. */
static Status find_final(Trainer *t, const char **path)
{
    const char *folder = run_folder_checkpoints(t->folder);
    Buffer warnings = {0};
    TRY(save_close(t));
    TRY(checkpoint_best(folder, t->s.run, path));
    Status st = *path ? checkpoint_verify(*path) : OK;
    if (st == ERR_DATA || st == ERR_INPUT) { /* damaged or gone: what was trained is not lost with it */
        log_warn("%s", status_message());
        *path = NULL;
        st = OK;
    }
    if (st == OK && !*path) st = checkpoint_newest(folder, t->s.run, path, &warnings);
    if (st == OK && warnings.size) log_warn("%s", warnings.data);
    buffer_close(&warnings);
    TRY(st);
    REQUIRE(*path, ERR_IO, "%s: the checkpoint that was saved at the end is not there", folder);
    return OK;
}

/* [collective] The figures of the end are those of that checkpoint, which stays in the session. */
static Status take_final(Trainer *t, TrainResult *result)
{
    const char *path = NULL, *restored = NULL;
    TRY(comm_agree(t->s.comm, trainer_leads(t) ? find_final(t, &path) : OK));
    const char *slash = path ? strrchr(path, '/') : NULL;
    if (path) snprintf(result->checkpoint, sizeof result->checkpoint, "%s", slash ? slash + 1 : path);
    TRY(comm_broadcast(t->s.comm, result->checkpoint, sizeof result->checkpoint, 0));
    const long long step = strtoll(result->checkpoint + strcspn(result->checkpoint, "0123456789"), NULL, 10);
    if (step == t->state.step && !t->u.ema && t->s.model->def->n_memory == 0)
        return OK; /* it holds the values of now */
    return restore_model(&t->s, path ? path : "", NULL, &restored);
}

static Status final_measures(Trainer *t, TrainResult *result, bool *stopped)
{
    const double start = clock_seconds();
    TRY(take_final(t, result));
    for (int i = 0; i < t->eval->final.n && result->n < COUNT(result->split) && !*stopped; i++) {
        const char *split = t->eval->final.item[i];
        if (corpus_examples(t->s.corpus, split) == 0) continue;
        Measures *m = &result->measures[result->n];
        *m = (Measures){0};
        EvaluateDetails details = {.keep = &t->keep};
        reached(t, "evaluate");
        TRY(evaluate_split(&t->s, split, t->eval->batch, m, &details, stopped));
        if (*stopped) return OK;
        t->classes[result->n] = details.classes;
        result->split[result->n++] = split;
    }
    t->evaluate_seconds += clock_seconds() - start;
    return OK;
}

static Status run_to_end(Trainer *t, TrainResult *result)
{
    bool stop = false;
    TRY(loop(t, &stop));
    if (!stop) {
        if (t->saved_step != t->state.step) TRY(save_now(t, true));
        TRY(final_measures(t, result, &stop));
    }
    Status local = trainer_leads(t) ? save_close(t) : OK;
    TRY(comm_agree(t->s.comm, local));
    result->steps = t->state.step;
    result->decides = t->decides;
    result->source = t->source;
    result->stopped_early = t->state.over != 0;
    result->epochs = t->state.next.epoch;
    local = trainer_leads(t) ? record_close(t, stop ? NULL : result) : OK;
    TRY(comm_agree(t->s.comm, local));
    if (stop && comm_size(t->s.comm) > 1)
        log_info("a planned stop: what mpirun says of a process with non-zero status is the 75 of the next line");
    if (stop)
        FAIL(STOPPED, "stopped by %s after step %lld; the state is saved: the same command goes on",
             signals_pending() ? signals_name(signals_pending()) : "a signal to another rank",
             (long long)t->state.step);
    return OK;
}

/* --- Opening --- */

static Status open_loader(Trainer *t)
{
    const LoaderOptions options = trainer_reading(t);
    return loader_open(&t->loader, t->s.corpus, &options, t->state.next);
}

static Status open_here(Trainer *t)
{
    TRY(trainer_build(t));
    if (!trainer_leads(t)) return OK;
    /* Where nothing can be resumed the plan is known before a folder is made. */
    const char *older = arena_format(t->s.run, "%s/checkpoints", t->options->folder);
    REQUIRE(older, ERR_HOST, "%s", status_message());
    if (t->options->fresh || !file_is_folder(older)) TRY(trainer_plan(t));
    TRY(run_folder_open(&t->folder, t->s.run, t->options->folder, t->options->fresh));
    return save_open(t);
}

static Status train_opened(Trainer *t, TrainResult *result)
{
    TRY(comm_agree(t->s.comm, open_here(t)));
    TRY(save_resume(t));
    reached(t, "resumed");
    Status local = open_loader(t);
    if (local == OK && trainer_leads(t)) local = run_folder_unfinish(t->folder); /* there is more to do now */
    if (local == OK && trainer_leads(t)) local = record_open(t);
    TRY(comm_agree(t->s.comm, local));
    t->saved_at = t->started = clock_seconds();
    t->saved_step = t->state.step;
    return run_to_end(t, result);
}

/* [collective] A run that came to its end says so, and its measures are read back. */
static Status finished_before(Trainer *t, TrainResult *result, bool *finished)
{
    Status local = OK;
    if (trainer_leads(t) && !t->options->fresh) local = record_finished(t, result);
    TRY(comm_agree(t->s.comm, local));
    TRY(comm_broadcast(t->s.comm, &result->was_finished, sizeof result->was_finished, 0));
    *finished = result->was_finished;
    return OK;
}

Status train_run(Comm *comm, const Config *config, uint64_t seed, const TrainOptions *options, Arena *run,
                 TrainResult *result)
{
    Trainer *t;
    TRY_NEW(t, run, 1);
    *result = (TrainResult){0};
    trainer_settings(t, config, options);
    Status st = session_open(&t->s, comm, run, config, seed);
    if (st == OK) st = comm_agree(comm, trainer_leads(t) ? save_source(t) : OK);
    bool finished = false;
    if (st == OK) st = finished_before(t, result, &finished);
    if (st == OK && !finished) st = train_opened(t, result);
    loader_close(t->loader);
    update_close(&t->u);
    checkpoint_store_close(t->store); /* a save that is under way reads what main is about to give back */
    record_abandon(t);                /* closes what a failure left open */
    arena_close(&t->keep);
    arena_close(&t->samples_arena);
    session_close(&t->s);
    return st;
}
