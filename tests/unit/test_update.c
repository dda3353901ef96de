/* The running mean of a training follows the values that the model has, also of rows whose update was put off. */
#include "tiny.h"
#include "trainer/train/gradient.h"
#include "trainer/train/update.h"

static Comm *comm;

/* One step on the next batch. */
static void step(Tiny *t, Loader *l, Update *u, int64_t number)
{
    const Batch *b;
    LossSum sum = {0};
    UpdateResult result;
    params_zero_grad(&t->s.params);
    CHECK_OK(loader_next(l, &b, NULL, NULL));
    CHECK(b, "no batch");
    CHECK_OK(gradient_add(&t->s, b, (uint64_t)number, &sum));
    CHECK_OK(update_apply(u, sum.weight, OK, number, 0.05, &result));
    arena_release(&t->s.step, (ArenaMark){0});
}

TEST(the_mean_is_of_values_that_are_up_to_date)
{
    Tiny t;
    char experiment[2048];
    const ModelDef *def = (const ModelDef *)(const void *)schema_find(model_choice, "han");
    snprintf(experiment, sizeof experiment, "%soptim: {name: momentum}\ntrain: {ema: 0.9}\n", def->tiny);
    tiny_open(&t, comm, "han", experiment, 2);
    LoaderOptions o = session_reading(&t.s, "train", 2);
    Loader *l;
    Update u;
    o.epochs = 0;
    CHECK_OK(loader_open(&l, t.s.corpus, &o, (LoaderPosition){0, 0}));
    CHECK_OK(update_open(&u, &t.s));
    bool lazy = false;
    for (int i = 0; i < u.optim->n_tables; i++) lazy = lazy || u.optim->table[i].done;
    CHECK(lazy, "no row is put off: this test sees nothing");
    const int64_t n = t.s.params.count;
    double *mean = arena_zeros(&t.run, n, sizeof *mean);
    for (int64_t i = 0; i < n; i++) mean[i] = (double)t.s.params.value[i];
    for (int64_t k = 1; k <= 12; k++) {
        const double d = fmin(0.9, (1.0 + (double)k) / (10.0 + (double)k));
        step(&t, l, &u, k);
        optim_flush(u.optim); /* changes nothing in what follows */
        for (int64_t i = 0; i < n; i++) {
            mean[i] = d * mean[i] + (1 - d) * (double)t.s.params.value[i];
            CHECK_NEAR((double)u.ema->average[i], mean[i], 1e-6 * (1 + fabs(mean[i])));
        }
    }
    update_close(&u);
    loader_close(l);
    tiny_close(&t);
}

int main(int argc, char **argv)
{
    if (comm_init(&comm, &argc, &argv) != OK) return 1;
    const struct CMUnitTest tests[] = {RUN(the_mean_is_of_values_that_are_up_to_date)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    comm_finalize(comm);
    return failed;
}
