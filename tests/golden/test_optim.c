/* Ten updates on given gradients end where PyTorch ends. The numbers are those that torch 1.13.0a0 (Debian's
 * python3-torch) gives in float64 for torch.optim.SGD, Adagrad, Adadelta, RMSprop, Adam and AdamW with the settings
 * below, on a parameter that starts at VALUE, with p.grad = GRADIENT[t % 4] and lr halved from step 5 on. */
#include "optim_fixture.h"

static const double VALUE[4] = {0.5, -1.25, 2.0, 0.03125};
static const double GRADIENT[4][4] = {
    {0.75, -0.5, 0.125, 1.0}, {-0.25, 0.5, 2.0, -0.0625}, {0, 0, 0, 0}, {1.5, -1.0, 0.5, 0.25}};

typedef struct Golden {
    const char *name;
    double nesterov, initial, rho, epsilon, decay, lr;
    double end[4];
} Golden;

static const Golden golden[] = {
    {"sgd", 0, 0, 0, 0, 0.125, 0.0625, {0.2503401792615691, -1.071852839737916, 1.57717728152038, -0.137683362792}},
    {"momentum",
     0,
     0,
     0,
     0,
     0.125,
     0.0625,
     {-0.2954488057553125, -0.6808611090409111, 0.5930225382171351, -0.5219139161494643}},
    {"momentum",
     1,
     0,
     0,
     0,
     0,
     0.0625,
     {-0.3669026601346559, -0.8395311573840445, 0.742267382414866, -0.6480607418779982}},
    {"adagrad",
     0,
     0.25,
     0,
     1e-10,
     0.125,
     0.0625,
     {0.3540785703468648, -1.121983188897523, 1.818211151601893, -0.09407630673552085}},
    {"adadelta",
     0,
     0,
     0.875,
     1.0 / 1024,
     0.125,
     1,
     {0.1816031544593675, -0.9406278381783072, 1.524768035141557, -0.2217389218067685}},
    {"rmsprop",
     0,
     0,
     0.875,
     1.0 / 1048576,
     0.125,
     0.0625,
     {0.04700794690597868, -0.8382315742451437, 1.375633390358411, -0.3731315878038993}},
    {"adam",
     0,
     0,
     0,
     1.0 / 1048576,
     0.125,
     0.0625,
     {0.1996950057489827, -0.9865693695774161, 1.634300306248464, -0.2588104977845466}},
    {"adamw",
     0,
     0,
     0,
     1.0 / 1048576,
     0.125,
     0.0625,
     {0.199167800766871, -1.00695235941585, 1.570859434038533, -0.2580315515791677}},
};

static void run(const Golden *g, Arena *a)
{
    const Component *c = fixture_component(g->name);
    void *settings = fixture_settings(c, a);
    fixture_set(c, settings, "weight_decay", g->decay);
    fixture_set(c, settings, "momentum", 0.875);
    fixture_set(c, settings, "nesterov", g->nesterov);
    fixture_set(c, settings, "initial", g->initial);
    fixture_set(c, settings, "rho", g->rho);
    fixture_set(c, settings, "beta1", 0.875);
    fixture_set(c, settings, "beta2", 0.96875);
    fixture_set(c, settings, "epsilon", g->epsilon);
    Params ps = {.arena = a};
    Param *p;
    CHECK_OK(param_add(&p, &ps, "p", SHAPE1(4), INIT_ZERO, 0));
    CHECK_OK(params_allocate(&ps, 1));
    for (int i = 0; i < 4; i++) p->value[i] = (real)VALUE[i];
    Optim *o;
    CHECK_OK(optim_open(&o, a, c, settings, &ps));
    for (int t = 0; t < 10; t++) {
        for (int i = 0; i < 4; i++) p->grad[i] = (real)GRADIENT[t % 4][i];
        CHECK_OK(optim_step(o, t < 5 ? g->lr : g->lr / 2));
    }
    for (int i = 0; i < 4; i++) CHECK_NEAR(p->value[i], g->end[i], 1e-6); /* ten updates, each 2^-24 */
}

TEST(every_optimiser_ends_where_torch_ends)
{
    Arena a = {0};
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        print_message("%s\n", golden[i].name);
        run(&golden[i], &a);
    }
    arena_close(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(every_optimiser_ends_where_torch_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
