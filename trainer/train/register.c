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

static Status register_optim(Checkpoint *c, Trainer *t)
{
    const char *const *name = NULL;
    real *const *buffer = NULL;
    const int n = optim_states(t->u.optim, &name, &buffer);
    for (int i = 0; i < n; i++) TRY(checkpoint_buffer(c, t->state_path[i], buffer[i], false));
    TRY(checkpoint_int(c, "optimizer/updates", &t->u.optim->step, 1, false));
    if (t->u.ema) TRY(checkpoint_int(c, "average/updates", &t->u.ema->updates, 1, false));
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
    TRY(register_optim(c, t));
    TRY(checkpoint_int(c, "step", &st->step, 1, false));
    TRY(checkpoint_int(c, "next/epoch", &st->next.epoch, 1, false));
    TRY(checkpoint_int(c, "next/batch", &st->next.batch, 1, false));
    TRY(checkpoint_int(c, "evaluated", &st->evaluated, 1, false));
    TRY(checkpoint_int(c, "over", &st->over, 1, false));
    TRY(checkpoint_real(c, "last/rate", &st->rate, 1, false));
    TRY(checkpoint_real(c, "last/gradient_norm", &st->norm, 1, false));
    TRY(checkpoint_real(c, "best/value", &st->best, 1, false));
    TRY(checkpoint_int(c, "best/step", &st->best_step, 1, false));
    TRY(register_sum(c, "sums/row", &sums[0]));
    return register_sum(c, "sums/epoch", &sums[1]);
}
