/* update.c - reduce, clip, step. */
#include "trainer/train/update.h"

#include <math.h>

#include "comm/clock.h"
#include "trainer/core/clip.h"
#include "trainer/parallel/sync_rows.h"

Status update_open(Update *u, Session *s)
{
    const TrainSettings *train = config_section(s->config, "train");
    *u = (Update){.s = s,
                  .sync = {reduce_at(train->reduce), (size_t)train->bucket},
                  .clip_norm = train->clip_norm,
                  .clip_value = train->clip_value};
    const Chosen optim = config_chosen(s->config, "optim");
    TRY(optim_open(&u->optim, s->run, optim.def, optim.settings, &s->params));
    if (train->ema > 0) TRY(ema_open(&u->ema, s->run, &s->params, train->ema));
    if (train->lanes > 0) TRY(lanes_open(&u->lanes, s->run, s->comm, &s->params, train->lanes));
    return OK;
}

void update_close(Update *u)
{
    lanes_close(u->lanes);
    u->lanes = NULL;
}

static Status merge_rows(Session *s)
{
    for (int i = 0; i < s->params.n; i++)
        if (s->params.item[i]->as_rows) TRY(param_merge_rows(s->params.item[i], &s->step));
    return OK;
}

static Status reduce(Update *u, int64_t weight, Status local, SyncResult *sync)
{
    Session *s = u->s;
    if (u->lanes) return lanes_finish(u->lanes, weight, local, sync);
    if (local == OK) local = merge_rows(s);
    TRY(sync_gradients(s->comm, &u->sync, s->params.grad, (size_t)s->params.dense, COMM_REAL, weight, local, sync));
    return sync_rows(s->comm, &s->params, sync->weight, &s->step);
}

Status update_apply(Update *u, int64_t weight, Status local, int64_t step, double rate, UpdateResult *out)
{
    Params *ps = &u->s->params;
    SyncResult sync = {0};
    const double start = clock_seconds();
    TRY(reduce(u, weight, local, &sync));
    u->reduce_seconds += clock_seconds() - start;
    *out = (UpdateResult){.weight = sync.weight, .stop = sync.stop};
    if (u->clip_value > 0) clip_value(ps, u->clip_value);
    out->norm = u->clip_norm > 0 ? clip_norm(ps, u->clip_norm) : clip_norm_of(ps);
    REQUIRE(isfinite(out->norm), ERR_CHECK,
            "step %lld: the gradient over all ranks is not finite although each rank's was: the sum overflowed",
            (long long)step);
    if (sync.weight > 0) TRY(params_move_averages(ps));
    TRY(optim_step(u->optim, rate));
    if (u->ema) {
        optim_flush(u->optim);
        ema_update(u->ema);
    }
    return OK;
}
