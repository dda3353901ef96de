/* Attention that chooses one position: gradients against what defines them, the gradient of the probabilities of the
 * choice (straight-through), and of the expected loss, by enumeration of all choices (REINFORCE). */
#include "attend_case.h"

enum { D = CASE_WIDTH, K = CASE_ROWS };

/* One pass with the same parameters and another selection. */
static void pass_with(AttendCase *c, const char *select, bool straight_through, AttendPass *p)
{
    Arena a = {0};
    Attend keep = *c->attend;
    c->attend->select = select_find(select);
    c->attend->settings.select = attend_settings("dot", select, "global", 1, 1, 1).select;
    if (straight_through) attend_put(&c->attend->settings.select, "straight_through", "true");
    case_pass(c, &a, p, false);
    *c->attend = keep;
    arena_close(&a);
}

/* Probabilities of the choices: softmax of what is chosen from, times the Gaussian of local_p where there is one. */
static void probabilities(AttendCase *c, AttendPass *p)
{
    const bool relaxed = strcmp(c->attend->select->component.name, "gumbel") == 0; /* its noise is in them */
    pass_with(c, relaxed ? "gumbel" : "soft", false, p);
    for (int64_t slot = 0; slot < CASE_SLOTS; slot++)
        for (int64_t k = 0; k < K; k++) {
            double sum = 0;
            for (int64_t j = 0; j < CASE_LONGEST; j++) sum += (double)p->weight[slot][k][j];
            for (int64_t j = 0; j < CASE_LONGEST && sum > 0; j++) p->weight[slot][k][j] /= (real)sum;
        }
}

/* What a straight-through gradient is the gradient of: the chosen state stays chosen, and the probabilities stand for
 * the choice, with what each position would add to the loss (worth) held fixed. */
static double surrogate(AttendCase *c, const AttendPass *chosen, double (*worth)[K][CASE_LONGEST])
{
    AttendPass p;
    double sum = 0;
    probabilities(c, &p);
    for (int64_t slot = 0; slot < CASE_SLOTS; slot++)
        for (int64_t k = 0; k < attend_heads(c->attend); k++) {
            const int64_t at = case_offset[p.sentence[slot]];
            for (int64_t j = 0; j < case_offset[p.sentence[slot] + 1] - at; j++) {
                sum += (double)p.weight[slot][k][j] * worth[slot][k][j];
                for (int64_t d = 0; d < D && chosen->weight[slot][k][j] != 0; d++)
                    sum +=
                        (double)(c->key->value[(at + j) * D + d] * gradient_number((uint64_t)(slot * 99 + k * D + d)));
            }
        }
    return sum;
}

static void compare_with_differences(AttendCase *c, const char *what, double (*loss)(AttendCase *, const void *),
                                     const void *context, const double *const *grad)
{
    for (int i = 0; i < c->params.n; i++) {
        const Param *q = c->params.item[i];
        for (int64_t j = 0; j < q->count; j++) {
            const real keep = q->value[j];
            q->value[j] = keep + (real)GRADIENT_STEP;
            const double up = loss(c, context);
            q->value[j] = keep - (real)GRADIENT_STEP;
            const double want = (up - loss(c, context)) / (2 * GRADIENT_STEP);
            q->value[j] = keep;
            const double got = grad ? grad[i][j] : (double)q->grad[j];
            CHECK(fabs(got - want) <= 1e-8 * fmax(1, fabs(want)), "%s: %s[%d]: gradient %.12g, difference %.12g", what,
                  q->name, (int)j, got, want);
        }
    }
}

typedef struct Straight {
    AttendPass chosen;
    double worth[CASE_SLOTS][K][CASE_LONGEST];
} Straight;

static double straight_loss(AttendCase *c, const void *context)
{
    Straight s = *(const Straight *)context;
    return surrogate(c, &s.chosen, s.worth);
}

static void check_straight_through(AttendCase *c, const char *what)
{
    const char *name = c->attend->select->component.name;
    if (strcmp(name, "hard_max") != 0 && strcmp(name, "gumbel") != 0) return;
    Arena a = {0};
    Straight s = {.worth = {{{0}}}};
    if (strcmp(name, "gumbel") == 0) attend_put(&c->attend->settings.select, "straight_through", "true");
    params_zero_grad(&c->params);
    case_pass(c, &a, &s.chosen, true);
    for (int64_t slot = 0; slot < CASE_SLOTS; slot++) {
        const int64_t at = case_offset[s.chosen.sentence[slot]];
        for (int64_t k = 0; k < attend_heads(c->attend); k++)
            for (int64_t j = 0; j < case_offset[s.chosen.sentence[slot] + 1] - at; j++) {
                assert_true(s.chosen.weight[slot][k][j] == 0 || s.chosen.weight[slot][k][j] == 1);
                for (int64_t d = 0; d < D; d++)
                    s.worth[slot][k][j] +=
                        (double)(c->key->value[(at + j) * D + d] * gradient_number((uint64_t)(slot * 99 + k * D + d)));
            }
    }
    compare_with_differences(c, what, straight_loss, &s, NULL);
    arena_close(&a);
}

TEST(straight_through_is_the_gradient_of_the_probabilities) { case_each(check_straight_through); }

/* What the choice of position j earns at a slot. */
static double earned(int64_t slot, int64_t j) { return (double)gradient_number((uint64_t)(7 * slot + j)); }

/* Loss in expectation: -sum_j p_j reward_j of every slot, + entropy's part -lambda H(p). */
static double expected_loss(AttendCase *c, const void *context)
{
    const double entropy = ((const RewardSettings *)c->attend->settings.select.settings)->entropy;
    AttendPass p;
    double sum = 0;
    (void)context;
    probabilities(c, &p);
    for (int64_t slot = 0; slot < CASE_SLOTS; slot++)
        for (int64_t j = 0; j < CASE_LONGEST; j++) {
            const double w = (double)p.weight[slot][0][j];
            if (w > 0) sum += -w * earned(slot, j) + entropy * w * log(w);
        }
    return sum;
}

static int64_t choice(const AttendPass *p, int64_t slot)
{
    int64_t j = 0;
    while (j < CASE_LONGEST && p->weight[slot][0][j] == 0) j++;
    return j;
}

/* The gradients of pass number `noise`, in which slot alone earned something, times its choice's probability. */
static void add_choice(AttendCase *c, uint64_t noise, int64_t slot, double probability, double **sum)
{
    Arena a = {0};
    AttendPass p;
    real reward[CASE_SLOTS] = {0};
    c->noise = noise;
    case_pass(c, &a, &p, false);
    reward[slot] = (real)earned(slot, choice(&p, slot));
    c->reward = reward;
    params_zero_grad(&c->params);
    case_pass(c, &a, &p, true);
    c->reward = NULL;
    for (int i = 0; i < c->params.n; i++)
        for (int64_t j = 0; j < c->params.item[i]->count; j++)
            sum[i][j] += probability * (double)c->params.item[i]->grad[j];
    arena_close(&a);
}

/* Every choice that slot can make is met by trying noises; what is never drawn must be improbable. */
static void enumerate(AttendCase *c, const AttendPass *probability, int64_t slot, double **sum)
{
    bool seen[CASE_LONGEST] = {false};
    double met = 0;
    const bool sees = choice(probability, slot) < CASE_LONGEST; /* a key */
    for (uint64_t noise = 1; sees && met < 1 - 1e-12; noise++) {
        Arena a = {0};
        AttendPass p;
        CHECK(noise < 20000, "slot %d: choices of probability %g were never drawn", (int)slot, 1 - met);
        c->noise = noise;
        case_pass(c, &a, &p, false);
        arena_close(&a);
        const int64_t j = choice(&p, slot);
        if (seen[j]) continue;
        seen[j] = true;
        met += (double)probability->weight[slot][0][j];
        add_choice(c, noise, slot, (double)probability->weight[slot][0][j], sum);
    }
}

/* Sum over all choices of their probability times REINFORCE's gradient = the gradient of the expected loss. Nothing
 * comes from the contexts here: gradients of a case's contexts are those of the state chosen, and are left out. */
static void check_reinforce(AttendCase *c, const char *what)
{
    if (strcmp(c->attend->select->component.name, "hard_sample") != 0) return;
    Arena a = {0};
    double *sum[16];
    AttendPass p;
    attend_put(&c->attend->settings.select, "entropy", "0");
    c->quiet = true;
    for (int i = 0; i < c->params.n; i++) sum[i] = arena_zeros(&a, c->params.item[i]->count, sizeof **sum);
    probabilities(c, &p);
    for (int64_t slot = 0; slot < CASE_SLOTS; slot++) enumerate(c, &p, slot, sum);
    compare_with_differences(c, what, expected_loss, NULL, (const double *const *)sum);
    arena_close(&a);
}

TEST(reinforce_is_the_gradient_of_the_expectation) { case_each(check_reinforce); }

static double entropy_loss(AttendCase *c, const void *context)
{
    Arena a = {0};
    AttendPass p;
    (void)context;
    case_pass(c, &a, &p, false);
    arena_close(&a);
    return p.loss;
}

/* Without reward only the entropy has a gradient, and the contexts of the chosen states. */
TEST(the_entropy_of_draws_has_its_gradient_in_every_range)
{
    for (int k = 0; range_name(k); k++) {
        Arena a = {0};
        AttendCase c;
        AttendPass p;
        const AttendSettings s = case_settings("additive", "hard_sample", range_name(k));
        attend_put(&s.select, "entropy", "0.8");
        case_open(&c, &s);
        params_zero_grad(&c.params);
        case_pass(&c, &a, &p, true);
        CHECK(p.loss != 0, "no loss");
        compare_with_differences(&c, range_name(k), entropy_loss, NULL, NULL);
        arena_close(&a);
        arena_close(&c.run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(straight_through_is_the_gradient_of_the_probabilities),
                                       RUN(reinforce_is_the_gradient_of_the_expectation),
                                       RUN(the_entropy_of_draws_has_its_gradient_in_every_range)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
