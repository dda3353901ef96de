/* Every model and every task of the tables, on the small experiment that it brings along, from the corpus to the loss:
 * the gradient of each parameter is the central difference. */
#include "gradient.h"
#include "tiny.h"

typedef struct Pass {
    Tiny *tiny;
    const Batch *batch;
} Pass;

static Node *loss(Tape *t, void *context)
{
    const Pass *p = context;
    Prediction out;
    model_forward(p->tiny->s.model, t, p->batch, &out);
    return task_loss(p->tiny->s.task, t, &out, p->batch);
}

/* Biases and queries that are not near 0. */
static void shake(Params *ps)
{
    for (int i = 0; i < ps->n; i++) {
        Param *p = ps->item[i];
        for (int64_t j = p->zero_row ? p->shape.d[1] : 0; j < p->count; j++)
            p->value[j] += gradient_number((uint64_t)(50 * i + j)) / 3;
    }
}

static Comm *comm;

static void check(const char *name, const char *experiment)
{
    Tiny t;
    tiny_open(&t, comm, name, experiment, 3);
    shake(&t.s.params);
    Pass p = {&t, t.batch};
    gradient_check_params(&t.s.params, loss, &p, 1e-6);
    tiny_close(&t);
}

TEST(the_gradient_of_every_model_is_the_central_difference)
{
    for (int i = 0; model_choice(i); i++) {
        const ModelDef *def = (const ModelDef *)model_choice(i);
        check(def->component.name, def->tiny);
    }
}

static bool has_experiment(const char *task)
{
    char text[64];
    snprintf(text, sizeof text, "task: {name: %s", task);
    for (int i = 0; model_choice(i); i++) {
        const char *found = strstr(((const ModelDef *)model_choice(i))->tiny, text);
        if (found && strchr(",}", found[strlen(text)])) return true;
    }
    return false;
}

/* No importer and model of the house make predictions of their kinds yet: unit/test_task_kinds.c makes them by hand. */
static bool by_hand(const char *task)
{
    static const char *const tasks[] = {"choice", "labels", "tagging", "regression"};
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++)
        if (strcmp(tasks[i], task) == 0) return true;
    return false;
}

TEST(the_gradient_of_every_task_is_the_central_difference)
{
    for (int i = 0; task_choice(i); i++) {
        const TaskDef *def = (const TaskDef *)task_choice(i);
        const bool tried = has_experiment(def->component.name);
        CHECK(!by_hand(def->component.name) || (!tried && !def->tiny), "%s is not tried by hand any more",
              def->component.name);
        if (def->tiny || (!tried && !by_hand(def->component.name))) check(def->component.name, def->tiny);
    }
}

int main(int argc, char **argv)
{
    if (comm_init(&comm, &argc, &argv) != OK) return 1;
    const struct CMUnitTest tests[] = {RUN(the_gradient_of_every_model_is_the_central_difference),
                                       RUN(the_gradient_of_every_task_is_the_central_difference)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    comm_finalize(comm);
    return failed;
}
