/* Attention on the tape: gradients of queries, keys, values and parameters, of one sequence that asks another and of
 * one that asks itself. */
#include <stdio.h>

#include "attend_settings.h"
#include "gradient.h"

enum { M = 5, N = 7, D = 4, V = 3 };
static const int64_t of_queries[] = {0, 2, 3, 5}, of_keys[] = {0, 4, 4, 7};
static const Segments queries = {3, of_queries}, keys = {3, of_keys};
static const uint64_t row_key[] = {11, 12, 13};

typedef struct Asking {
    Arena run;
    Params params;
    Param *query, *key, *value; /* query and value NULL: the keys' */
    Attend *attend;
} Asking;

static void open(Asking *c, const AttendSettings *s, bool self, int64_t m, bool valued)
{
    *c = (Asking){.attend = NULL};
    c->params.arena = &c->run;
    if (!self) CHECK_OK(param_add(&c->query, &c->params, "query", SHAPE2(M, m), INIT_NORMAL, 1));
    CHECK_OK(param_add(&c->key, &c->params, "key", SHAPE2(N, D), INIT_NORMAL, 1));
    if (valued) CHECK_OK(param_add(&c->value, &c->params, "value", SHAPE2(N, V), INIT_NORMAL, 1));
    const AttendUse use = {
        .apply = self ? "self" : "cross", .keys = D, .query = self ? D : m, .values = valued ? V : 0, .longest = 4};
    CHECK_OK(attend_build(&c->attend, &c->params, s, use, "attend"));
    CHECK_OK(params_allocate(&c->params, 9));
    for (int i = 0; i < c->params.n; i++)
        for (int64_t j = 0; j < c->params.item[i]->count; j++)
            c->params.item[i]->value[j] += gradient_number((uint64_t)(50 * i + j)) / 2;
}

static Node *loss(Tape *t, void *context)
{
    Asking *c = context;
    Node *key = tape_param(t, c->key);
    Node *y = attend_node(c->attend, t,
                          &(AttendAsk){.query = c->query ? tape_param(t, c->query) : key,
                                       .queries = c->query ? queries : keys,
                                       .key = key,
                                       .value = c->value ? tape_param(t, c->value) : NULL,
                                       .keys = keys,
                                       .row_key = row_key});
    Node *sum = gradient_loss(t, y), *penalty = attend_node_penalty(y, t);
    return penalty ? op_add(t, sum, penalty) : sum;
}

static bool differentiable(const char *select)
{
    return !select_find(select)->chooses || strcmp(select, "gumbel") == 0;
}

TEST(gradient_of_every_combination)
{
    int checked = 0;
    for (int i = 0; score_name(i); i++)
        for (int j = 0; select_name(j); j++)
            for (int k = 0; range_name(k); k++)
                for (int self = 0; self < 2; self++) {
                    const char *score = score_name(i), *select = select_name(j), *range = range_name(k);
                    if (!differentiable(select) || attend_refuses(score, select, range, self ? "self" : "cross"))
                        continue;
                    const AttendSettings s = attend_settings(score, select, range, 3, 2, 1);
                    if (score_many(&s.score)) attend_put(&s.score, "orthogonality", "0.3");
                    const bool same = strstr(score, "dot") || strcmp(score, "cosine") == 0;
                    Asking c;
                    open(&c, &s, self, same ? D : D + 1, (i + j + k) % 2 == 0);
                    gradient_check_params(&c.params, loss, &c, 1e-7);
                    arena_close(&c.run);
                    checked++;
                }
    assert_int_equal(checked, (9 * 4 - 2) * (4 + 3)); /* all but gumbel with mlp and multi_dim */
}

TEST(every_allocation_may_fail)
{
    const AttendSettings s = attend_settings("multi_dim", "soft", "local_p", 3, 2, 1);
    attend_put(&s.score, "orthogonality", "0.3");
    for (long n = 1;; n++) {
        Asking c;
        Arena step = {.fail_in = n};
        open(&c, &s, false, D + 1, true);
        Tape t = gradient_tape(&step);
        t.watch = true;
        Node *sum = loss(&t, &c);
        const Status st = tape_status(&t) == OK ? tape_backward(&t, sum, 1) : tape_status(&t);
        const bool reached = step.fail_in == 0;
        arena_close(&step);
        arena_close(&c.run);
        CHECK(st == (reached ? ERR_HOST : OK), "allocation %ld: status %d", n, (int)st);
        if (!reached) break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(gradient_of_every_combination), RUN(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
