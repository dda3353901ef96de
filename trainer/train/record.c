/* record.c - what people see of a training: metrics, the progress line, the folder's description. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/clock.h"
#include "comm/log.h"
#include "io/file/file.h"
#include "trainer/train/board.h"
#include "trainer/train/facts.h"
#include "trainer/train/page.h"
#include "trainer/train/result.h"
#include "trainer/train/trainer.h"

enum { COLUMNS = MEASURES_MAX + 8 };
static const size_t CONFIG_MOST = (size_t)16 << 20; /* bytes */

/* The columns of metrics.csv: those of training, then the task's measures. */
static const char *const train_columns[] = {"loss", "rate", "gradient_norm", "examples", "tokens"};

static Status open_metrics(Trainer *t)
{
    const char *column[COLUMNS];
    int n = 0;
    for (; n < COUNT(train_columns); n++) column[n] = train_columns[n];
    for (int i = 0; i < t->names.n && n < COLUMNS; i++)
        if (strcmp(t->names.item[i].name, "loss") != 0) column[n++] = t->names.item[i].name;
    if (n < COLUMNS) column[n++] = "checkpoint"; /* of the final figures: its step */
    const int files = (t->log->csv ? METRICS_CSV : 0) + (t->log->tensorboard ? METRICS_EVENTS : 0);
    return metrics_open(&t->metrics, t->s.run, run_folder_path(t->folder), files, n, column,
                        t->state.step > 0 ? t->state.step : -1);
}

static Status describe(Trainer *t)
{
    Buffer yaml = {0};
    RunFact fact[FACTS_MOST];
    int n = 0;
    Status st = config_write(t->s.config, true, &yaml);
    if (st == OK) st = facts_collect(t->s.comm, t->s.run, fact, &n);
    if (st == OK) st = run_folder_describe(t->folder, yaml.data, yaml.size, n, fact, t->options->command);
    buffer_close(&yaml);
    return st;
}

Status record_open(Trainer *t)
{
    const char *log = arena_format(t->s.run, "%s/log.txt", run_folder_path(t->folder));
    REQUIRE(log, ERR_HOST, "%s", status_message());
    log_when_lost(log);
    TRY(describe(t));
    TRY(open_metrics(t));
    TRY(board_settings(t));
    progress_start(&t->progress, log_on(LOG_INFO), t->log->every, clock_seconds());
    log_info("%s: %lld parameters, %lld updates an epoch, %s step %lld", run_folder_path(t->folder),
             (long long)t->s.params.count, (long long)t->updates, t->state.step ? "going on from" : "starting at",
             (long long)t->state.step);
    return OK;
}

static Status write_train_row(Trainer *t, const LossSum *sum)
{
    const char *name[] = {train_columns[0], train_columns[1], train_columns[2], train_columns[3], train_columns[4]};
    const double value[] = {gradient_mean_loss(sum), t->state.rate, t->state.norm, (double)sum->examples,
                            (double)sum->tokens};
    const MetricsRow row = {.step = t->state.step,
                            .epoch = trainer_epoch(t),
                            .kind = "train",
                            .time = clock_epoch(),
                            .n = COUNT(name),
                            .name = name,
                            .value = value};
    t->totals.loss = gradient_mean_loss(sum);
    return metrics_write(t->metrics, &row);
}

Status record_train_row(Trainer *t)
{
    LossSum sum = t->state.row; /* integers: exact in any order */
    TRY(comm_allreduce(t->s.comm, &sum, sizeof sum / sizeof sum.examples, COMM_I64, COMM_SUM));
    t->state.row = (LossSum){0};
    if (sum.examples == 0) return OK; /* a resumed run has written this row already */
    return comm_agree(t->s.comm, trainer_leads(t) ? write_train_row(t, &sum) : OK);
}

static Status write_measures(Trainer *t, const char *kind, const Measures *m, int64_t checkpoint)
{
    const char *name[COLUMNS + 1];
    double value[COLUMNS + 1];
    int n = 0;
    for (; n < m->n && n < COLUMNS; n++) {
        name[n] = m->item[n].name;
        value[n] = m->item[n].value;
    }
    if (checkpoint >= 0) {
        name[n] = "checkpoint";
        value[n++] = (double)checkpoint;
    }
    const MetricsRow row = {.step = t->state.step,
                            .epoch = trainer_epoch(t),
                            .kind = kind,
                            .time = clock_epoch(),
                            .n = n,
                            .name = name,
                            .value = value};
    TRY(metrics_columns(t->metrics, n, name)); /* groups are known when examples of them come */
    return metrics_write(t->metrics, &row);
}

static void say_measures(const Trainer *t, const char *when, const char *split, const Measures *m, const char *of)
{
    const Measure *decides = measures_find(m, t->decides);
    const Measure *loss = measures_find(m, "loss"), *perplexity = measures_find(m, "perplexity");
    if (decides == loss && perplexity) decides = perplexity; /* the loss stands there anyway */
    const Measure *bleu = measures_find(m, "greedy/bleu"), *chrf = measures_find(m, "greedy/chrf");
    char greedy[96] = "";
    if (bleu && chrf) snprintf(greedy, sizeof greedy, "  greedy BLEU %.1f  chrF %.1f", bleu->value, chrf->value);
    log_info("%s  %s  loss %.4f  %s %.4g%s%s%s", when, split, loss ? loss->value : (double)NAN,
             decides ? decides->name : "", decides ? decides->value : (double)NAN, greedy, of ? "  of " : "",
             of ? of : "");
}

static Status write_samples(Trainer *t, const char *split)
{
    const Samples *s = &t->samples;
    MetricsSample *sample;
    TRY_NEW(sample, &t->samples_arena, s->n);
    for (int64_t i = 0; i < s->n; i++) {
        const Sample *x = &s->item[i];
        sample[i] = (MetricsSample){x->example, x->source, x->target, x->output};
        if (x->source[0]) log_info("  source  %s", x->source);
        log_info("  target  %s", x->target);
        log_info("  output  %s", x->output);
    }
    const MetricsRow at = {.step = t->state.step, .epoch = trainer_epoch(t), .kind = split, .time = clock_epoch()};
    return metrics_samples(t->metrics, &at, s->n, sample);
}

Status record_measures(Trainer *t, const char *split, const Measures *m)
{
    char when[32];
    TRY(write_measures(t, split, m, -1));
    snprintf(when, sizeof when, "epoch %lld", (long long)t->state.next.epoch);
    say_measures(t, when, split, m, NULL);
    return write_samples(t, split);
}

/* Apart from the curves of the training: "final_train" is no loss of a step. */
static Status record_final(Trainer *t, const char *split, const Measures *m, const char *checkpoint)
{
    char kind[64];
    snprintf(kind, sizeof kind, "final_%s", split);
    TRY(write_measures(t, kind, m, strtoll(checkpoint + strcspn(checkpoint, "0123456789"), NULL, 10)));
    say_measures(t, "end", kind, m, checkpoint);
    return OK;
}

static void total(Trainer *t)
{
    ProgressTotals *p = &t->totals;
    p->step = t->state.step;
    p->epoch = trainer_epoch(t);
    p->rate = t->state.rate;
    if (t->state.row.weight > 0) p->loss = gradient_mean_loss(&t->state.row);
    p->seconds[PROGRESS_LOAD] = t->load_seconds;
    p->seconds[PROGRESS_REDUCE] = t->u.reduce_seconds;
    p->seconds[PROGRESS_SAVE] = t->save_seconds;
    p->seconds[PROGRESS_COMPUTE] =
        clock_seconds() - t->started - t->load_seconds - t->u.reduce_seconds - t->save_seconds;
}

void record_progress(Trainer *t)
{
    total(t);
    progress_update(&t->progress, clock_seconds(), &t->totals);
}

static Status write_classes(const Trainer *t, const TrainResult *result)
{
    Classes split[TRAIN_SPLITS];
    int n = 0;
    for (int i = 0; i < result->n; i++)
        if (t->classes[i].n > 0) split[n++] = t->classes[i];
    return n > 0 ? perclass_write(run_folder_path(t->folder), n, split) : OK;
}

Status record_close(Trainer *t, const TrainResult *result)
{
    total(t);
    progress_finish(&t->progress, clock_seconds(), &t->totals);
    for (int i = 0; result && i < result->n; i++)
        TRY(record_final(t, result->split[i], &result->measures[i], result->checkpoint));
    TRY(metrics_sync(t->metrics));
    TRY(metrics_close(t->metrics));
    t->metrics = NULL;
    if (result) TRY(write_classes(t, result));
    if (t->log->report) TRY(page_write(t, result));
    if (result) { /* last: until this is there the same command makes what is missing */
        TRY(result_write(t->folder, result));
        log_info("%s: finished after %lld steps", run_folder_path(t->folder), (long long)result->steps);
    }
    run_folder_close(t->folder);
    t->folder = NULL;
    return OK;
}

/* A finished run whose configuration asks for more epochs or steps now. Early stopping ended it for good, unless there
 * are changes of which it may be one. */
static bool steps_left(const Trainer *t, const TrainResult *r)
{
    if (r->stopped_early) return t->options->accept_changes;
    const bool by_steps = t->train->steps > 0 && r->steps >= t->train->steps;
    const bool by_epochs = t->train->epochs > 0 && r->epochs >= t->train->epochs;
    return !by_steps && !by_epochs;
}

static bool page_missing(const Trainer *t)
{
    const char *path = arena_format(t->s.run, "%s/report.html", t->options->folder);
    return t->log->report && path && !file_exists(path);
}

/* A finished run of another configuration is not the one that is asked for. */
static Status compare_finished(const Trainer *t, const TrainResult *r)
{
    Buffer yaml = {0};
    const char *path = arena_format(t->s.run, "%s/config.yaml", t->options->folder);
    REQUIRE(path, ERR_HOST, "%s", status_message());
    Status st = file_read(path, CONFIG_MOST, &yaml);
    if (st == OK) st = buffer_append(&yaml, "", 1);
    if (st == OK) st = save_compare(t, path, yaml.data, &r->source, true);
    buffer_close(&yaml);
    return st == OK ? OK : status_trace(st, __FILE__, __LINE__, __func__);
}

Status record_finished(Trainer *t, TrainResult *result)
{
    int64_t step = -1;
    const char *state = NULL;
    const Status st = run_folder_finished(t->options->folder, t->s.run, &step, &state);
    if (st == ERR_DATA) { /* the checkpoints know how far it is */
        log_warn("%s", status_message());
        return OK;
    }
    TRY(st);
    if (step < 0 || !state) return OK;
    TRY(result_parse(t->options->folder, state, t->s.run, result));
    if (steps_left(t, result) || page_missing(t)) { /* it is to go on further than it was told then, or to be told of */
        *result = (TrainResult){0};
        return OK;
    }
    TRY(compare_finished(t, result));
    log_info("%s: finished after %lld steps; --fresh starts anew", t->options->folder, (long long)result->steps);
    return OK;
}

void record_abandon(Trainer *t)
{
    progress_clear(&t->progress);
    if (t->metrics && metrics_close(t->metrics) != OK) log_debug("the metrics were not closed cleanly");
    t->metrics = NULL;
    run_folder_close(t->folder);
    t->folder = NULL;
}
