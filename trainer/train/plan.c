/* plan.c - the figures of a run before it starts. */
#include "trainer/train/plan.h"

#include "trainer/train/register.h"

static Status write_plan(Trainer *t, Buffer *out)
{
    TRY(trainer_build(t));
    TRY(trainer_plan(t));
    LossSum sums[2] = {{0}};
    Checkpoint c = {0};
    TRY(register_trainer(&c, t, sums));
    const DataSettings *data = config_section(t->s.config, "data");
    const int64_t examples = corpus_examples(t->s.corpus, "train");
    TRY(buffer_say(out, "model       %s\n", t->s.model->def->component.name));
    TRY(buffer_say(out, "parameters  %lld\n", (long long)t->s.params.count));
    TRY(buffer_say(out, "examples    %lld\n", (long long)examples));
    TRY(buffer_say(out, "updates     %lld an epoch\n", (long long)t->updates));
    TRY(buffer_say(out, "steps       %lld\n", (long long)t->totals.steps));
    TRY(buffer_say(out,
                   "memory      %lld bytes a rank for parameters, gradients and optimiser; at most %lld for data\n",
                   (long long)t->s.run->bytes, (long long)data->memory));
    return buffer_say(out, "checkpoint  %lld bytes\n", (long long)checkpoint_bytes(&c));
}

Status plan_text(Comm *comm, const Config *config, Arena *run, Buffer *out)
{
    const RunSettings *settings = config_section(config, "run");
    const TrainOptions options = {.folder = settings->folder};
    Trainer *t;
    TRY_NEW(t, run, 1);
    trainer_settings(t, config, &options);
    Status st = session_open(&t->s, comm, run, config, (uint64_t)settings->seed);
    if (st == OK) st = comm_agree(comm, comm_rank(comm) == 0 ? write_plan(t, out) : OK);
    session_close(&t->s);
    return st;
}
