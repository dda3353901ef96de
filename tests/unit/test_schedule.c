/* Schedules against their formulas, at points that were worked out by hand. */
#include <stdlib.h>

#include "check.h"
#include "trainer/schedule/early.h"
#include "trainer/schedule/schedule.h"

static const Component *component(const char *name)
{
    const Component *c = schema_find(schedule_choice, name);
    assert_non_null(c);
    return c;
}

static void set(const Component *c, void *settings, const char *key, double value)
{
    for (int i = 0; i < c->n_fields; i++) {
        const Field *f = &c->fields[i];
        if (strcmp(f->key, key) != 0) continue;
        if (f->kind == FIELD_INT)
            *(int64_t *)((char *)settings + f->offset) = (int64_t)value;
        else
            *(double *)((char *)settings + f->offset) = value;
        return;
    }
    fail_msg("%s has no setting %s", c->name, key);
}

typedef struct Key {
    const char *name;
    double value;
} Key;

/* A schedule with these settings, others at their presets; warmup and the length of the training as given. */
static Schedule make(Arena *a, const char *name, int64_t warmup, int64_t steps, int n, const Key *keys)
{
    const Component *c = component(name);
    void *settings = arena_zeros(a, 1, c->size ? c->size : 1);
    for (int i = 0; i < c->n_fields; i++) {
        if (c->fields[i].kind == FIELD_TEXT)
            *(const char **)((char *)settings + c->fields[i].offset) = c->fields[i].preset;
        else
            set(c, settings, c->fields[i].key, strtod(c->fields[i].preset, NULL));
    }
    for (int i = 0; i < n; i++) set(c, settings, keys[i].name, keys[i].value);
    Schedule s;
    CHECK_OK(schedule_open(&s, c, settings, &(ScheduleSettings){warmup}, steps));
    return s;
}

TEST(rates_at_known_points)
{
    Arena a = {0};
    Schedule s = make(&a, "constant", 0, 0, 0, NULL);
    CHECK_NEAR(schedule_rate(&s, 0.3, 12345, 7.5), 0.3, 0);
    s = make(&a, "step", 0, 0, 2, (Key[]){{"every", 3}, {"ratio", 0.5}});
    CHECK_NEAR(schedule_rate(&s, 8, 0, 2.99), 8, 1e-15);
    CHECK_NEAR(schedule_rate(&s, 8, 0, 3), 4, 1e-15);
    CHECK_NEAR(schedule_rate(&s, 8, 0, 9.1), 1, 1e-15);
    s = make(&a, "exponential", 0, 0, 1, (Key[]){{"ratio", 0.25}});
    CHECK_NEAR(schedule_rate(&s, 1, 0, 0.5), 0.5, 1e-15);
    CHECK_NEAR(schedule_rate(&s, 1, 0, 2), 0.0625, 1e-15);
    s = make(&a, "cosine", 0, 100, 1, (Key[]){{"last", 0.2}});
    CHECK_NEAR(schedule_rate(&s, 1, 0, 0), 1, 1e-15);
    CHECK_NEAR(schedule_rate(&s, 1, 50, 0), 0.6, 1e-15);
    CHECK_NEAR(schedule_rate(&s, 1, 25, 0), 0.2 + 0.8 * (1 + sqrt(0.5)) / 2, 1e-15);
    CHECK_NEAR(schedule_rate(&s, 1, 100, 0), 0.2, 1e-15);
    CHECK_NEAR(schedule_rate(&s, 1, 1000, 0), 0.2, 1e-15);
    s = make(&a, "linear", 0, 100, 1, (Key[]){{"steps", 50}});
    CHECK_NEAR(schedule_rate(&s, 2, 10, 0), 1.6, 1e-15);
    CHECK_NEAR(schedule_rate(&s, 2, 50, 0), 0, 0);
    s = make(&a, "noam", 0, 0, 1, (Key[]){{"width", 64}});
    CHECK_NEAR(schedule_rate(&s, 1, 3999, 0), 0.125 / sqrt(4000), 1e-15);
    CHECK_NEAR(schedule_rate(&s, 1, 1999, 0), 0.125 / sqrt(4000) / 2, 1e-15);
    CHECK_NEAR(schedule_rate(&s, 1, 15999, 0), 0.125 / sqrt(16000), 1e-15);
    s = make(&a, "noam", 100, 0, 1, (Key[]){{"width", 64}});
    CHECK_NEAR(schedule_rate(&s, 1, 99, 0), 0.0125, 1e-15);
    arena_close(&a);
}

/* Sukhbaatar 2015: 0.01, halved every 25 epochs until 100 epochs were reached. */
TEST(halving_follows_the_paper)
{
    Arena a = {0};
    Schedule s = make(&a, "halve_every", 0, 0, 0, NULL);
    const double epochs[] = {0, 24.9, 25, 50, 75, 99, 100, 400}, rates[] = {1, 1, 2, 4, 8, 8, 16, 16};
    for (int i = 0; i < COUNT(epochs); i++) CHECK_NEAR(schedule_rate(&s, 0.01, 0, epochs[i]), 0.01 / rates[i], 1e-17);
    arena_close(&a);
}

TEST(the_warm_up_rises_evenly_and_comes_before_the_schedule)
{
    Arena a = {0};
    for (int i = 0; schedule_choice(i); i++) {
        if (strcmp(schedule_choice(i)->name, "noam") == 0) continue;
        Schedule s = make(&a, schedule_choice(i)->name, 10, 110, 0, NULL);
        for (int64_t t = 0; t < 10; t++) CHECK_NEAR(schedule_rate(&s, 4, t, 0), 0.4 * (double)(t + 1), 1e-14);
        CHECK_NEAR(schedule_rate(&s, 4, 10, 0), 4, 1e-14);
    }
    Schedule s = make(&a, "linear", 10, 110, 0, NULL);
    CHECK_NEAR(schedule_rate(&s, 4, 60, 0), 2, 1e-15);
    arena_close(&a);
}

static Measures one(const char *name, double value, bool higher)
{
    Measures m = {0};
    CHECK_OK(measures_add(&m, name, value, higher));
    return m;
}

TEST(a_plateau_lowers_the_rate_and_its_state_is_numbers)
{
    Arena a = {0};
    Schedule s = make(&a, "plateau", 0, 0, 5,
                      (Key[]){{"patience", 2}, {"ratio", 0.1}, {"min_delta", 0.05}, {"cooldown", 2}, {"least", 0.005}});
    /* best 1, three without progress (0.96 is none), so 0.1; two to cool; three more, so 0.01; then the least */
    const double loss[] = {1, 0.96, 1.2, NAN, 3, 3, 3, 3, 3, 0.5, 3, 3, 3, 3, 3, 3};
    const double rate[] = {1, 1, 1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.01, 0.01, 0.01, 0.01, 0.01, 0.005, 0.005, 0.005};
    for (int i = 0; i < COUNT(loss); i++) {
        Schedule resumed = s;
        Measures m = one("loss", loss[i], false);
        CHECK_OK(schedule_observe(&s, &m));
        CHECK_OK(schedule_observe(&resumed, &m));
        CHECK(fabs(schedule_rate(&s, 1, 0, 0) - rate[i]) < 1e-12, "%g after %d", schedule_rate(&s, 1, 0, 0), i);
        CHECK(memcmp(s.state, resumed.state, sizeof s.state) == 0, "a state is missing");
    }
    schedule_forget(&s);
    Measures m = one("loss", 100, false);
    CHECK_OK(schedule_observe(&s, &m));
    CHECK_NEAR(s.state[0], 100, 0);
    CHECK_NEAR(schedule_rate(&s, 1, 0, 0), 0.005, 1e-12);
    arena_close(&a);
}

TEST(patience_ends_the_training)
{
    Arena a = {0};
    Early e;
    early_open(&e, &(EarlySettings){.patience = 2, .min_delta = 0.01, .measure = "accuracy"});
    const double accuracy[] = {0.5, 0.6, 0.605, 0.7, 0.7, 0.69};
    bool stop = true;
    for (int i = 0; i < COUNT(accuracy); i++) {
        Measures m = one("accuracy", accuracy[i], true);
        CHECK_OK(early_observe(&e, &m, &stop));
        CHECK(stop == (i == 5), "stop is %d after %d", stop, i);
        if (i == 4) {
            Early other = e; /* the model changed: 0.1 is progress now */
            early_forget(&other);
            Measures worse = one("accuracy", 0.1, true);
            CHECK_OK(early_observe(&other, &worse, &stop));
            CHECK(!stop && other.state[EARLY_BEST] == 0.1, "not forgotten");
        }
    }
    early_open(&e, &(EarlySettings){.patience = 0, .measure = "nothing"});
    Measures none = {0};
    CHECK_OK(early_observe(&e, &none, &stop));
    CHECK(!stop, "no patience means never");
    arena_close(&a);
}

TEST(what_cannot_be_is_said)
{
    Arena a = {0};
    Schedule s = make(&a, "cosine", 0, 100, 0, NULL);
    CHECK_SAYS(
        schedule_open(&s, component("cosine"), s.settings, &(ScheduleSettings){0}, 0), ERR_CONFIG,
        "schedule.name cosine must know how long the training is: give schedule.steps, or an end of the training");
    CHECK_SAYS(schedule_open(&s, component("linear"), s.settings, &(ScheduleSettings){50}, 20), ERR_CONFIG,
               "schedule.warmup is 50 steps, but the schedule ends after 20");
    CHECK_SAYS(schedule_open(&s, &(Component){.name = "zigzag"}, NULL, &(ScheduleSettings){0}, 0), ERR_INTERNAL,
               "zigzag is not a schedule");
    Measures m = one("loss", 1, false);
    CHECK_OK(measures_add(&m, "accuracy", 1, true));
    Early e;
    bool stop;
    early_open(&e, &(EarlySettings){.patience = 1, .measure = "acuracy"});
    CHECK_SAYS(early_observe(&e, &m, &stop), ERR_CONFIG,
               "early.measure: the task has no measure \"acuracy\"; it has loss, accuracy");
    s = make(&a, "plateau", 0, 0, 0, NULL);
    Measures none = one("accuracy", 1, true);
    CHECK_SAYS(schedule_observe(&s, &none), ERR_CONFIG,
               "schedule.measure: the task has no measure \"loss\"; it has accuracy");
    arena_close(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(rates_at_known_points),
        RUN(halving_follows_the_paper),
        RUN(the_warm_up_rises_evenly_and_comes_before_the_schedule),
        RUN(a_plateau_lowers_the_rate_and_its_state_is_numbers),
        RUN(patience_ends_the_training),
        RUN(what_cannot_be_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
