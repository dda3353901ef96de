/* attend_settings.h - attentions of chosen parts, with numbers that tests like. */
#ifndef TESTS_ATTEND_SETTINGS_H
#define TESTS_ATTEND_SETTINGS_H
#include <stdio.h>

#include "component.h"
#include "trainer/attention/attend.h"

static inline Chosen attend_part(const Component *(*choice)(int i), const char *name)
{
    const Component *c = component_find(choice, name);
    void *settings = arena_zeros(component_arena(), 1, c->size + 1);
    assert_non_null(settings);
    component_settings(c, settings, NULL);
    return (Chosen){c, settings};
}

/* attend_put(&s.score, "rows", "3") */
static inline void attend_put(const Chosen *part, const char *key, const char *text)
{
    component_put(part->def, (void *)(uintptr_t)part->settings, key, text);
}

static inline void attend_put_number(const Chosen *part, const char *key, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.17g", value);
    attend_put(part, key, text);
}

/* width: of a hidden layer, where there is one; rows: of multi_dim; window: where the range has one */
static inline AttendSettings attend_settings(const char *score, const char *select, const char *range, int64_t width,
                                             int64_t rows, int64_t window)
{
    const AttendSettings s = {.score = attend_part(score_choice, score),
                              .select = attend_part(select_choice, select),
                              .range = attend_part(range_choice, range)};
    if (score_hidden(&s.score)) attend_put_number(&s.score, "width", (double)width);
    if (score_many(&s.score)) attend_put_number(&s.score, "rows", (double)rows);
    if (((const RangeDef *)s.range.def)->window) attend_put_number(&s.range, "window", (double)window);
    if (strcmp(select, "gumbel") == 0) attend_put(&s.select, "temperature", "0.7");
    if (strcmp(select, "hard_sample") == 0) attend_put(&s.select, "entropy", "0");
    return s;
}

/* Where the score has a hidden layer. */
static inline void attend_cover(const AttendSettings *s)
{
    if (score_hidden(&s->score)) attend_put(&s->score, "coverage", "true");
}

#endif
