/* schedule.c - the table of schedules, and the warm-up before them. */
#include "trainer/schedule/schedule.h"

/* One line per schedule. Its definition is in <name>.c. */
#define SCHEDULES(X)                                                                                                   \
    X(constant)                                                                                                        \
    X(step)                                                                                                            \
    X(exponential)                                                                                                     \
    X(cosine)                                                                                                          \
    X(linear)                                                                                                          \
    X(noam)                                                                                                            \
    X(halve_every)                                                                                                     \
    X(plateau)

#define DECLARE(name) extern const ScheduleDef schedule_##name;
#define ROW(name)     &schedule_##name.component,
SCHEDULES(DECLARE)
static const Component *const schedules[] = {SCHEDULES(ROW) NULL};

const Component *schedule_choice(int i) { return schedules[i]; }

static const Field shared[] = {
    FIELD(ScheduleSettings, warmup, .preset = "0", .min = 0, .max = 1e9, .unit = "steps",
          .help = "Steps in which the rate rises evenly to its full size, before the schedule begins."),
};

const Section schedule_section = {.name = "schedule",
                                  .help = "How the step size changes while training goes on.",
                                  ROWS(shared, ScheduleSettings),
                                  .choice = schedule_choice,
                                  .preset = "constant"};

Status schedule_open(Schedule *s, const Component *c, const void *settings, const ScheduleSettings *shared_settings,
                     int64_t steps)
{
    REQUIRE(schema_find(schedule_choice, c->name) == c, ERR_INTERNAL, "%s is not a schedule", c->name);
    *s = (Schedule){.def = (const ScheduleDef *)(const void *)c, /* its first member */
                    .settings = settings,
                    .warmup = shared_settings->warmup};
    if (s->def->start) s->def->start(s->state);
    return steps == SCHEDULE_LATER ? OK : schedule_plan(s, steps);
}

Status schedule_plan(Schedule *s, int64_t steps)
{
    s->steps = steps;
    if (!s->def->steps) return OK;
    if (s->def->steps(s->settings)) s->steps = s->def->steps(s->settings);
    REQUIRE(s->steps > 0, ERR_CONFIG,
            "schedule.name %s must know how long the training is: give schedule.steps, or an end of the training",
            s->def->component.name);
    REQUIRE(s->steps > s->warmup, ERR_CONFIG, "schedule.warmup is %lld steps, but the schedule ends after %lld",
            (long long)s->warmup, (long long)s->steps);
    return OK;
}

double schedule_rate(const Schedule *s, double base, int64_t step, double epoch)
{
    ScheduleClock clock = {.step = step, .steps = s->steps, .warmup = s->warmup, .epoch = epoch};
    if (s->def->own_warmup) return base * s->def->factor(s->settings, &clock, s->state);
    if (step < s->warmup) return base * (double)(step + 1) / (double)s->warmup;
    clock.step -= s->warmup;
    clock.steps -= s->warmup;
    return base * s->def->factor(s->settings, &clock, s->state);
}

Status schedule_observe(Schedule *s, const Measures *m)
{
    return s->def->observe ? s->def->observe(s->settings, s->state, m) : OK;
}

void schedule_forget(Schedule *s)
{
    if (s->def->forget) s->def->forget(s->state);
}
