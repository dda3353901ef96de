/* plan.c - the figures of a run before it starts. */
#include "trainer/run/plan.h"

#include <stdio.h>

#include "trainer/run/register.h"

static Status print(Trainer *t)
{
    TRY(trainer_build(t));
    LossSum sums[2] = {{0}};
    Checkpoint c = {0};
    TRY(register_trainer(&c, t, sums));
    const DataSettings *data = config_section(t->s.config, "data");
    const int64_t examples = corpus_examples(t->s.corpus, "train");
    printf("model       %s\n", t->s.model->def->component.name);
    printf("parameters  %lld\n", (long long)t->s.params.count);
    printf("examples    %lld\n", (long long)examples);
    printf("updates     %lld an epoch\n", (long long)t->updates);
    printf("steps       %lld\n", (long long)t->totals.steps);
    printf("memory      %lld bytes a rank for parameters, gradients and optimiser; at most %lld for data\n",
           (long long)t->s.run->bytes, (long long)data->memory);
    printf("checkpoint  %lld bytes\n", (long long)checkpoint_bytes(&c));
    return OK;
}

Status plan_print(Comm *comm, const Config *config, Arena *run)
{
    const RunSettings *settings = config_section(config, "run");
    const TrainOptions options = {.folder = settings->folder};
    Trainer *t;
    TRY_NEW(t, run, 1);
    trainer_settings(t, config, &options);
    Status st = session_open(&t->s, comm, run, config, (uint64_t)settings->seed);
    if (st == OK) st = comm_agree(comm, comm_rank(comm) == 0 ? print(t) : OK);
    session_close(&t->s);
    return st;
}
