/* trainer.c - a trainer before its first step: settings, optimiser, schedule, and what is derived from them. */
#include "trainer/train/trainer.h"

#include <math.h>
#include <string.h>

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

/* Updates of the whole training, 0 when only early stopping ends it. */
static int64_t planned_steps(const Trainer *t)
{
    const int64_t epochs = times(t->train->epochs, t->updates), before = t->state.plan.before;
    const int64_t by_epochs = epochs == 0 || (before > 0 && epochs > INT64_MAX - before) ? epochs : epochs + before;
    if (t->train->steps > 0 && (epochs == 0 || t->train->steps < by_epochs)) return t->train->steps;
    return by_epochs;
}

Status trainer_plan(Trainer *t)
{
    TrainState *st = &t->state;
    st->plan = (TrainPlan){t->batches, t->train->accumulate, 0};
    st->plan.before = st->step - trainer_updates(&st->plan, st->next);
    t->totals.steps = planned_steps(t);
    if (t->totals.steps > 0 && t->totals.steps < st->step) t->totals.steps = st->step; /* nothing is left */
    return schedule_plan(&t->schedule, t->totals.steps);
}

static Status name_measures(Trainer *t)
{
    const Measure *decides = NULL;
    TRY(evaluate_names(&t->s, &t->names));
    t->decides = t->eval->measure ? t->eval->measure : t->s.task->def->measure;
    TRY(measures_need(&decides, &t->names, t->decides, "eval.measure"));
    t->higher = decides->higher;
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
    TRY(name_measures(t));
    TRY(update_open(&t->u, &t->s));
    TRY(name_states(t));
    const Chosen schedule = config_chosen(c, "schedule");
    TRY(schedule_open(&t->schedule, schedule.def, schedule.settings, config_section(c, "schedule"), SCHEDULE_LATER));
    early_open(&t->early, config_section(c, "early"));
    t->state = (TrainState){.best = (double)NAN};
    t->measured = (double)NAN;
    return OK;
}
