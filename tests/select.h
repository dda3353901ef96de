/* select.h - rows of scores for tests of selections, and the weights by bisection, which needs no order of scores. */
#ifndef TESTS_SELECT_H
#define TESTS_SELECT_H
#include <stdio.h>

#include "component.h"
#include "trainer/attention/select/select.h"

enum { SELECT_MOST = 257 };

typedef struct SelectCase {
    real score[SELECT_MOST], weight[SELECT_MOST], kept[SELECT_MOST], d_weight[SELECT_MOST], d_score[SELECT_MOST];
    SelectRow row;
} SelectCase;

/* Numbers for whichever selection has them. */
typedef struct SelectSettings {
    double temperature;
    bool straight_through;
    double reinforce, entropy;
} SelectSettings;

static inline void select_put(const Component *c, void *own, const char *key, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.17g", value);
    if (schema_row(c->fields, c->n_fields, key)) component_put(c, own, key, text);
}

/* What the rows of a selection would fill; the same as in the call before is not made again. */
static inline const void *select_own(const SelectDef *def, const SelectSettings *s)
{
    static const SelectDef *last;
    static SelectSettings of_last;
    static _Alignas(16) char own[256];
    const Component *c = &def->component;
    if (def == last && memcmp(s, &of_last, sizeof *s) == 0) return own;
    assert_true(c->size <= sizeof own);
    component_settings(c, own, NULL);
    select_put(c, own, "temperature", s->temperature);
    if (s->straight_through && schema_row(c->fields, c->n_fields, "straight_through"))
        component_put(c, own, "straight_through", "true");
    select_put(c, own, "reinforce", s->reinforce);
    select_put(c, own, "entropy", s->entropy);
    last = def;
    of_last = *s;
    return own;
}

static inline void select_forward(const SelectDef *def, const SelectSettings *s, SelectRow *r)
{
    def->forward(select_own(def, s), r);
}

static inline void select_backward(const SelectDef *def, const SelectSettings *s, const SelectRow *r,
                                   const real *d_weight, real *d_score)
{
    def->backward(select_own(def, s), r, d_weight, d_score);
}

static inline double select_penalty(const SelectDef *def, const SelectSettings *s, const SelectRow *r)
{
    return def->penalty(select_own(def, s), r);
}

/* n scores in [-spread, spread) that depend on number. */
static inline void select_case(SelectCase *c, int64_t n, double spread, uint64_t number)
{
    memset(c, 0, sizeof *c);
    c->row = (SelectRow){.n = n,
                         .score = c->score,
                         .weight = c->weight,
                         .kept = c->kept,
                         .key = random_key(7, RANDOM_SELECT, 3),
                         .row = number,
                         .column = 5,
                         .scale = 1};
    const RandomKey key = random_key(1, RANDOM_TEST, number);
    for (int64_t i = 0; i < n; i++) {
        c->score[i] = (real)(spread * (2 * random_uniform(key, 0, (uint64_t)i) - 1));
        c->d_weight[i] = (real)(2 * random_uniform(key, 1, (uint64_t)i) - 1);
    }
}

static inline double select_power(double x, int power)
{
    if (x <= 0) return 0;
    return power == 2 ? x * x : x;
}

/* max(0, e_j / power - tau)^power with tau by bisection: power 1 is sparsemax, 2 is 1.5-entmax. */
static inline void select_bisect(const SelectCase *c, int power, double *weight)
{
    double high = (double)c->score[0] / power;
    for (int64_t i = 1; i < c->row.n; i++) high = fmax(high, (double)c->score[i] / power);
    double low = high - 1;
    for (int step = 0; step < 80; step++) {
        const double tau = (low + high) / 2;
        double sum = 0;
        for (int64_t i = 0; i < c->row.n; i++) sum += select_power((double)c->score[i] / power - tau, power);
        *(sum > 1 ? &low : &high) = tau;
    }
    for (int64_t i = 0; i < c->row.n; i++) weight[i] = select_power((double)c->score[i] / power - low, power);
}

#endif
