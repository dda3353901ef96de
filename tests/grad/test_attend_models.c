/* Every score with every selection, range and place of application, as a model: it is refused with its reason, or its
 * gradient over all parameters is right along a direction that moves each of them. */
#include <stdio.h>

#include "gradient.h"
#include "pairs.h"
#include "trainer/attention/attend.h"

static const char *const *settings(const char *score, const char *select, const char *range, const char *apply)
{
    static const char *set[16];
    int n = 0;
    const char *const all[] = {
        "attention.score", score, "attention.select", select, "attention.range", range, "decoder.apply", apply, NULL};
    for (; all[n]; n++) set[n] = all[n];
    if (score_find(score)->many) {
        set[n++] = "attention.score.orthogonality";
        set[n++] = "0.3";
    } else if (!attend_refuses_coverage(score)) {
        set[n++] = "attention.score.coverage";
        set[n++] = "true";
    }
    set[n] = NULL;
    return set;
}

static Node *loss(Tape *t, Pairs *p)
{
    Prediction out;
    model_forward(p->model, t, &p->batch, &out);
    Node *sum = pairs_loss(t, &out);
    return out.penalty ? op_add(t, sum, out.penalty) : sum;
}

static double loss_at(Pairs *p, Arena *a)
{
    const ArenaMark mark = arena_mark(a);
    Tape t = gradient_tape(a);
    const Node *sum = loss(&t, p);
    CHECK_OK(tape_status(&t));
    const double value = (double)sum->value[0];
    arena_release(a, mark);
    return value;
}

static void move(Params *ps, double by)
{
    for (int64_t i = 0; i < ps->count; i++) ps->value[i] += (real)by * gradient_number((uint64_t)i + 77);
}

/* Gradient times direction; rows of tables count where they belong. */
static double along(const Params *ps)
{
    double sum = 0;
    for (int i = 0; i < ps->n; i++) {
        const Param *p = ps->item[i];
        const int64_t width = p->shape.d[1];
        for (int64_t j = 0; p->grad && j < p->count; j++)
            sum += (double)p->grad[j] * (double)gradient_number((uint64_t)(p->offset + j) + 77);
        for (const ParamRows *r = p->rows; r; r = r->next)
            for (int64_t k = 0; k < r->n * width; k++)
                sum += (double)r->grad[k] *
                       (double)gradient_number((uint64_t)(p->offset + r->row[k / width] * width + k % width) + 77);
    }
    return sum;
}

static void check(const char *const *set, const char *what)
{
    const double h = 1e-6;
    Arena a = {0};
    Pairs p;
    pairs_open(&p, false, set);
    params_zero_grad(&p.params);
    Tape t = gradient_tape(&a);
    CHECK_OK(tape_backward(&t, loss(&t, &p), 1));
    const double got = along(&p.params);
    CHECK(isfinite(got), "%s: gradient %g", what, got);
    const SelectDef *select = select_find(set[3]);
    if (!select->chooses || strcmp(select->component.name, "gumbel") == 0) {
        move(&p.params, h);
        const double up = loss_at(&p, &a);
        move(&p.params, -2 * h);
        const double want = (up - loss_at(&p, &a)) / (2 * h);
        CHECK(fabs(got - want) <= 1e-7 * fmax(1, fabs(want)), "%s: gradient %.12g, difference %.12g", what, got, want);
    }
    arena_close(&a);
    arena_close(&p.run);
}

TEST(every_combination_trains_or_is_refused_with_its_reason)
{
    int trained = 0, refused = 0;
    for (int i = 0; score_name(i); i++)
        for (int j = 0; select_name(j); j++)
            for (int k = 0; range_name(k); k++)
                for (int l = 0; l < 2; l++) { /* before and after a decoder's step */
                    const char *score = score_name(i), *select = select_name(j), *range = range_name(k);
                    const char *apply = attend_apply_name(l), *reason = attend_refuses(score, select, range, apply);
                    const char *const *set = settings(score, select, range, apply);
                    char what[400];
                    snprintf(what, sizeof what, "score %s, select %s, range %s, apply %s: %s", score, select, range,
                             apply, reason ? reason : "");
                    if (!reason) {
                        check(set, what);
                        trained++;
                        continue;
                    }
                    Pairs p;
                    CHECK_SAYS(pairs_build(&p, false, set), ERR_CONFIG, what);
                    arena_close(&p.run);
                    refused++;
                }
    assert_int_equal(trained, (9 * 6 - 2 * 2) * 3 * 2);
    assert_int_equal(refused, (2 * 2 * 3 + 9 * 6) * 2); /* causal asks for one sequence */
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(every_combination_trains_or_is_refused_with_its_reason)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
