/* helper_train.c - `mneme train CONFIG` to which something happens at a place (trainer/train/train.h) and step:
 *   helper_train CONFIG PLACE STEP RANK WHAT [SECTION.KEY=VALUE]...
 * WHAT: a signal that the rank sends itself, or a part of the state that all ranks lose: update, step, average,
 * schedule, early, model, cursor; or a number of the state and what it becomes, next.batch=-1, and then the process is
 * killed when that is saved. STEP -1: at the first such place. PLACE never: nothing happens. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/signals.h"
#include "trainer/train/trainer.h"

static const char *where, *what;
static int64_t at;
static int victim;

static void lose(Trainer *t)
{
    const size_t bytes = (size_t)t->s.params.count * sizeof(real);
    if (strcmp(what, "update") == 0) memset(t->u.optim->state[0], 0, bytes);
    if (strcmp(what, "step") == 0) t->u.optim->step = 0;
    if (strcmp(what, "average") == 0) memcpy(t->u.ema->average, t->s.params.value, bytes);
    if (strcmp(what, "schedule") == 0) t->schedule.def->start(t->schedule.state);
    if (strcmp(what, "early") == 0) early_forget(&t->early);
    if (strcmp(what, "model") == 0) memset(t->s.model->memory, 0, (size_t)t->s.model->def->n_memory * sizeof(double));
    if (strcmp(what, "cursor") == 0) t->state.next.batch = 0;
    if (strcmp(what, "sums") == 0) t->state.row = t->state.epoch = (LossSum){0};
}

/* FIELD=VALUE: in the state, and so with right digests in the next checkpoint. */
static void forge(Trainer *t)
{
    TrainState *st = &t->state;
    const struct {
        const char *name;
        int64_t *value;
    } all[] = {{"next.epoch", &st->next.epoch}, {"next.batch", &st->next.batch},
               {"evaluated", &st->evaluated},   {"over", &st->over},
               {"best_step", &st->best_step},   {"updates", &t->u.optim->step},
               {"average", &t->u.ema->updates}, {"examples", &st->epoch.examples},
               {"tokens", &st->epoch.tokens},   {"weight", &st->epoch.weight},
               {"loss", &st->epoch.loss},       {"step", &st->step}};
    const size_t size = strcspn(what, "=");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strlen(all[i].name) == size && memcmp(all[i].name, what, size) == 0)
            *all[i].value = strtoll(what + size + 1, NULL, 10);
    what = "9";
    where = "saved";
    at = -1;
}

static void happen(Trainer *t, const char *place)
{
    if (strcmp(place, where) != 0 || (at >= 0 && t->state.step != at)) return;
    if (strchr(what, '=')) {
        forge(t);
        return;
    }
    const int number = atoi(what);
    if (number == 0) lose(t);
    if (number > 0 && comm_rank(t->s.comm) == victim) raise(number);
    where = "never";
}

static Status train(Comm *comm, Arena *run, int argc, char **argv)
{
    Config *config;
    TRY(config_load(&config, run, comm, &settings_table, argv[1], argc - 6, (const char *const *)argv + 6));
    TRY(signals_install());
    const RunSettings *settings = config_section(config, "run");
    const TrainOptions options = {.folder = settings->folder, .command = "helper_train", .reached = happen};
    TrainResult result;
    return train_run(comm, config, (uint64_t)settings->seed, &options, run, &result);
}

int main(int argc, char **argv)
{
    if (argc < 6) return ERR_USAGE;
    where = argv[2];
    at = atoll(argv[3]);
    victim = atoi(argv[4]);
    what = argv[5];
    Comm *comm = NULL;
    Arena run = {0};
    Status st = comm_init(&comm, &argc, &argv);
    if (st == OK) st = train(comm, &run, argc, argv);
    if (st != OK && (!comm || comm_rank(comm) == 0)) fprintf(stderr, "mneme: %s\n", status_message());
    if (comm) comm_finalize(comm);
    arena_close(&run);
    return (int)st;
}
