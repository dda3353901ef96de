/* register.c - the list of all that decides about later steps. */
#include "trainer/train/register.h"

static Status register_params(Checkpoint *c, const Params *ps)
{
    for (int i = 0; i < ps->n; i++) {
        const Param *p = ps->item[i];
        CheckpointParam out = {
            .name = p->name, .meaning = p->meaning, .rank = p->shape.n, .offset = p->offset, .count = p->count};
        for (int d = 0; d < p->shape.n; d++) out.shape[d] = p->shape.d[d];
        TRY(checkpoint_param(c, &out));
    }
    return OK;
}

Status register_model(Checkpoint *c, Session *s, real *average)
{
    checkpoint_begin(c, s->run, s->model->def->component.name, (int)sizeof(real));
    c->program = "mneme " MNEME_VERSION;
    c->vocabulary = corpus_digest(s->corpus);
    TRY(register_params(c, &s->params));
    TRY(checkpoint_buffer(c, "parameters", s->params.value, false));
    if (average) TRY(checkpoint_buffer(c, "average", average, true));
    if (s->model->def->n_memory) TRY(checkpoint_real(c, "model", s->model->memory, s->model->def->n_memory, false));
    return OK;
}

/* Steps that any training may reach; a file that says more, or less than 0, is none of ours. */
static const int64_t STEPS_MOST = INT64_C(1) << 50;

static Status register_count(Checkpoint *c, const char *name, int64_t *value, int64_t most)
{
    TRY(checkpoint_int(c, name, value, 1, false));
    checkpoint_range(c, 0, most);
    return OK;
}

static Status register_optim(Checkpoint *c, Trainer *t)
{
    const char *const *name = NULL;
    real *const *buffer = NULL;
    const int n = optim_states(t->u.optim, &name, &buffer);
    for (int i = 0; i < n; i++) TRY(checkpoint_buffer(c, t->state_path[i], buffer[i], false));
    TRY(register_count(c, "optimizer/updates", &t->u.optim->step, STEPS_MOST));
    if (t->u.ema) TRY(register_count(c, "average/updates", &t->u.ema->updates, STEPS_MOST));
    TRY(checkpoint_real(c, "schedule", t->schedule.state, COUNT(t->schedule.state), false));
    return checkpoint_real(c, "early", t->early.state, COUNT(t->early.state), false);
}

/* examples, tokens, weight, loss: four integers */
static Status register_sum(Checkpoint *c, const char *name, LossSum *sum)
{
    return checkpoint_int(c, name, &sum->examples, sizeof *sum / sizeof sum->examples, false);
}

Status register_trainer(Checkpoint *c, Trainer *t, LossSum sums[2])
{
    TrainState *st = &t->state;
    TRY(register_model(c, &t->s, t->u.ema ? t->u.ema->average : NULL));
    c->environment = t->source.arithmetic;
    c->source = (CheckpointSource){.corpus = t->source.corpus,
                                   .vectors = t->source.vectors[0] ? t->source.vectors : NULL,
                                   .examples = t->source.examples};
    TRY(register_optim(c, t));
    TRY(register_count(c, "step", &st->step, STEPS_MOST));
    TRY(register_count(c, "next/epoch", &st->next.epoch, STEPS_MOST));
    TRY(register_count(c, "next/batch", &st->next.batch, STEPS_MOST));
    TRY(register_count(c, "evaluated", &st->evaluated, STEPS_MOST));
    TRY(register_count(c, "over", &st->over, 1));
    TRY(checkpoint_int(c, "plan", &st->plan.batches, sizeof st->plan / sizeof st->plan.batches, true));
    checkpoint_range(c, -STEPS_MOST, STEPS_MOST);
    TRY(checkpoint_real(c, "last/rate", &st->rate, 1, false));
    TRY(checkpoint_real(c, "last/gradient_norm", &st->norm, 1, false));
    TRY(checkpoint_real(c, "best/value", &st->best, 1, false));
    TRY(register_count(c, "best/step", &st->best_step, STEPS_MOST));
    TRY(checkpoint_int(c, "best/from", &st->best_from, 1, true));
    checkpoint_range(c, 0, STEPS_MOST);
    TRY(register_sum(c, "sums/row", &sums[0]));
    return register_sum(c, "sums/epoch", &sums[1]);
}
