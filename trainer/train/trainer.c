/* trainer.c - a trainer before its first step: settings, optimiser, schedule, and what is derived from them. */
#include "trainer/train/trainer.h"

#include <math.h>
#include <string.h>

#include "comm/log.h"
#include "trainer/evaluate/evaluate.h"

double trainer_epoch(const Trainer *t)
{
    return (double)t->state.next.epoch + (double)t->state.next.batch / (double)t->batches;
}

bool trainer_leads(const Trainer *t) { return comm_rank(t->s.comm) == 0; }

void trainer_settings(Trainer *t, const Config *config, const TrainOptions *options)
{
    t->options = options;
    t->train = config_section(config, "train");
    t->eval = config_section(config, "eval");
    t->saving = config_section(config, "checkpoint");
    t->log = config_section(config, "log");
}

LoaderOptions trainer_reading(const Trainer *t)
{
    LoaderOptions options = session_reading(&t->s, "train", t->train->batch);
    options.seed = t->s.seed;
    options.shuffle = true;
    options.epochs = 0;
    if (t->train->batch_unit == BATCH_WORDS) {
        options.by_words = t->s.words;
        options.extra_words = t->s.extra_words;
    }
    if (t->train->lanes > 0) { /* every rank cuts its lanes out of the whole batch */
        options.part = 0;
        options.parts = 1;
    }
    return options;
}

/* a b, or the largest number when that is larger. a, b >= 0. */
static int64_t times(int64_t a, int64_t b) { return b > 0 && a > INT64_MAX / b ? INT64_MAX : a * b; }

static int64_t rounded_up(int64_t n, int64_t by) { return n / by + (n % by > 0); }

static Status count_updates(Trainer *t)
{
    const int64_t examples = corpus_examples(t->s.corpus, "train"), n = t->train->accumulate;
    REQUIRE(examples > 0, ERR_DATA, "%s: the split train has no examples", corpus_folder(t->s.corpus));
    const LoaderOptions options = trainer_reading(t);
    int64_t mean;
    TRY(loader_plan(t->s.corpus, &options, &mean, &t->batches));
    t->updates = rounded_up(t->batches, n);
    return OK;
}

int64_t trainer_updates(const TrainPlan *plan, LoaderPosition next)
{
    const int64_t updates = rounded_up(plan->batches, plan->accumulate);
    const int64_t whole = times(next.epoch, updates), left = rounded_up(plan->batches - next.batch, plan->accumulate);
    return whole > INT64_MAX - updates ? INT64_MAX : whole + updates - left;
}

/* Updates of the whole training, done and left; 0 when only early stopping ends it. */
static int64_t planned_steps(const Trainer *t)
{
    const int64_t epochs = times(t->train->epochs, t->updates), before = t->state.plan.before, done = t->state.step;
    const bool endless = epochs == 0 || (before > 0 && epochs > INT64_MAX - before);
    int64_t most = endless ? INT64_MAX : epochs + before;
    if (t->train->steps > 0 && t->train->steps < most) most = t->train->steps;
    if (most == INT64_MAX) return 0;
    return most < done ? done : most;
}

Status trainer_plan(Trainer *t)
{
    TrainState *st = &t->state;
    st->plan = (TrainPlan){t->batches, t->train->accumulate, 0};
    st->plan.before = st->step - trainer_updates(&st->plan, st->next);
    t->totals.steps = planned_steps(t);
    return schedule_plan(&t->schedule, t->totals.steps);
}

/* "error/task 3", of a group that the task knows: measured where there are examples of it. */
static bool is_group(const Trainer *t, const char *name)
{
    const MetricShape *shape = &t->s.task->metrics.shape;
    char label[MEASURE_NAME + 1];
    if (!measures_find(&t->names, "mean_error")) return false;
    for (int64_t g = 0; g < shape->groups; g++) {
        metric_label(label, sizeof label, "error", shape->group_name, g);
        if (strcmp(label, name) == 0) return true;
    }
    return false;
}

/* Before the first step: what an evaluation would not find after an epoch. */
static Status check_measure(const Trainer *t, const char *name, const char *setting, bool *higher)
{
    const Measure *m = measures_find(&t->names, name);
    if (!m && is_group(t, name))
        *higher = false;
    else {
        TRY(measures_need(&m, &t->names, name, setting));
        *higher = m->higher;
    }
    return OK;
}

static Status name_measures(Trainer *t)
{
    const EarlySettings *early = config_section(t->s.config, "early");
    const ScheduleDef *def = t->schedule.def;
    bool unused;
    TRY(evaluate_names(&t->s, &t->names));
    TRY(samples_names(&t->s, &t->names));
    t->decides = t->eval->measure ? t->eval->measure : t->s.task->def->measure;
    TRY(check_measure(t, t->decides, "eval.measure", &t->higher));
    if (early->patience > 0) TRY(check_measure(t, early->measure, "early.measure", &unused));
    return def->watches ? check_measure(t, def->watches(t->schedule.settings), "schedule.measure", &unused) : OK;
}

static Status check_split(const Trainer *t, const char *name, const char *setting)
{
    static const char *const usual[] = {"train", "valid", "test"}; /* may be left out of a corpus */
    for (int i = 0; i < COUNT(usual); i++)
        if (strcmp(name, usual[i]) == 0) return OK;
    const char *near = corpus_near_split(t->s.corpus, name);
    REQUIRE(corpus_has_split(t->s.corpus, name), ERR_CONFIG, "%s: %s has no split %s%s%s%s", setting,
            corpus_folder(t->s.corpus), name, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    return OK;
}

/* What waits for evaluations waits for ever when there are none. */
static void warn_unwatched(const Trainer *t)
{
    const EarlySettings *early = config_section(t->s.config, "early");
    const char *who = early->patience > 0 ? "early.patience" : t->schedule.def->observe ? "schedule" : NULL;
    if (!who || !trainer_leads(t)) return;
    if (!t->eval->split || t->eval->every_epochs == 0)
        log_warn("%s has no effect: nothing is evaluated while training", who);
    else if (corpus_examples(t->s.corpus, t->eval->split) == 0)
        log_warn("%s has no effect: %s has no examples in split %s", who, corpus_folder(t->s.corpus), t->eval->split);
}

static Status check_splits(const Trainer *t)
{
    if (t->eval->split) TRY(check_split(t, t->eval->split, "eval.split"));
    for (int i = 0; i < t->eval->final.n; i++) TRY(check_split(t, t->eval->final.item[i], "eval.final"));
    warn_unwatched(t);
    return OK;
}

/* Names that a checkpoint borrows while it is written behind the training's back. */
static Status name_states(Trainer *t)
{
    const char *const *name = NULL;
    real *const *buffer = NULL;
    const int n = optim_states(t->u.optim, &name, &buffer);
    for (int i = 0; i < n; i++) {
        t->state_path[i] = arena_format(t->s.run, "optimizer/%s", name[i]);
        REQUIRE(t->state_path[i], ERR_HOST, "%s", status_message());
    }
    return OK;
}

Status trainer_build(Trainer *t)
{
    const Config *c = t->s.config;
    TRY(count_updates(t));
    const Chosen schedule = config_chosen(c, "schedule");
    TRY(schedule_open(&t->schedule, schedule.def, schedule.settings, config_section(c, "schedule"), SCHEDULE_LATER));
    TRY(name_measures(t));
    TRY(check_splits(t));
    TRY(update_open(&t->u, &t->s));
    TRY(name_states(t));
    early_open(&t->early, config_section(c, "early"));
    t->state = (TrainState){.best = (double)NAN};
    t->measured = t->loss = (double)NAN;
    return OK;
}
