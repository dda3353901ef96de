/* attend.c - an attention is built: its parts are found, and checked to go together. */
#include <stddef.h>
#include <string.h>

#include "trainer/attention/attend.h"

typedef struct Place {
    const char *name, *help;
    bool steps;  /* queries come one after the other, and what they lead to is known */
    bool learnt; /* the query is a parameter */
    bool within; /* queries and keys are of one sequence */
} Place;

static const Place places[] = {
    {.name = "between",
     .help = "the state before the step asks, the context enters the step (Bahdanau 2015)",
     .steps = true},
    {.name = "after",
     .help = "the state after the step asks, tanh(W [context ; state]) makes the prediction (Luong 2015)",
     .steps = true},
    {.name = "pool", .help = "a learnt query asks every sequence, which becomes one row (Yang 2016)", .learnt = true},
    {.name = "cross", .help = "all positions of one sequence ask another"},
    {.name = "self", .help = "all positions of a sequence ask it (Vaswani 2017)", .within = true},
};

const char *attend_apply_name(int i) { return i < COUNT(places) ? places[i].name : NULL; }
const char *attend_apply_help(int i) { return places[i].help; }

static const Place *place_find(const char *name)
{
    for (int i = 0; name && i < COUNT(places); i++)
        if (strcmp(places[i].name, name) == 0) return &places[i];
    return NULL;
}

/* A draw from the softmax of scores that lie in an interval of length d gives no position more than e^d times the
 * probability of another, however long it learns: with e^1 (mlp) the best of 20 positions is taken at most every eighth
 * time, with e^2 (multi_dim) every fourth. */
static const char *drawn(const ScoreDef *score)
{
    return score->most_apart <= 1
               ? "a draw stays near chance: scores between 0 and 1 make no position more than e times as "
                 "likely as another"
               : "a draw stays near chance: scores between -1 and 1 make no position more than e^2 "
                 "times as likely as another";
}

/* Every score is a function of query and key, every range a window, every selection a function of the scores in the
 * window: they go together, but for what stands here. */
const char *attend_refuses(const char *score, const char *select, const char *range, const char *apply)
{
    const ScoreDef *s = score ? score_find(score) : NULL;
    const SelectDef *how = select ? select_find(select) : NULL;
    const RangeDef *where = range ? range_find(range) : NULL;
    const Place *place = place_find(apply);
    if (s && how && s->most_apart > 0 && how->draws) return drawn(s);
    if (how && place && how->rewards && !place->steps)
        return "it learns from what each choice earned, which only a decoder's steps are told";
    if (where && place && where->positions && place->learnt) return "a learnt query stands at no position";
    if (where && place && where->backward && place->learnt)
        return "a learnt query would put the window at the same share of every sequence";
    if (where && place && where->within && !place->within)
        return "the keys are not of the query's sequence: none of them lies in its future";
    return NULL;
}

const char *attend_refuses_coverage(const char *score)
{
    const ScoreDef *s = score_find(score);
    return !s || s->hidden ? NULL : "it enters the hidden layer of a score, and this one has none";
}

static Status check(const AttendSettings *s, const ScoreDef *score, const SelectDef *select, const RangeDef *range)
{
    REQUIRE(score, ERR_CONFIG, "there is no score %s", s->score);
    REQUIRE(select, ERR_CONFIG, "there is no selection %s", s->select);
    REQUIRE(range, ERR_CONFIG, "there is no range %s", s->range);
    const char *reason = attend_refuses(s->score, s->select, s->range, s->apply);
    REQUIRE(!reason, ERR_CONFIG, "score %s with selection %s and range %s: %s", s->score, s->select, s->range, reason);
    REQUIRE(!range->window || s->window >= 1, ERR_CONFIG, "range %s needs a window of at least 1, not %lld", s->range,
            (long long)s->window);
    const char *uncovered = s->coverage ? attend_refuses_coverage(s->score) : NULL;
    REQUIRE(!uncovered, ERR_CONFIG, "coverage with score %s: %s", s->score, uncovered);
    const Place *place = place_find(s->apply);
    REQUIRE((!s->coverage && s->coverage_loss == 0) || !place || place->steps, ERR_CONFIG,
            "coverage is of queries that come one after the other, not all at once (%s)", s->apply);
    REQUIRE(s->coverage_loss == 0 || !score->many, ERR_CONFIG,
            "coverage_loss is for one row of weights, and score %s has several", s->score);
    REQUIRE(s->orthogonality == 0 || score->many, ERR_CONFIG,
            "the penalty on rows that look at the same place is for multi_dim; score %s has one row of weights",
            s->score);
    REQUIRE(s->guide == 0 || (!score->many && strcmp(s->select, "soft") == 0), ERR_CONFIG,
            "guide is for one row of weights that none can leave at 0, not for score %s with selection %s", s->score,
            s->select);
    REQUIRE(s->coverage_loss == 0 || !select->rewards, ERR_CONFIG,
            "coverage_loss needs weights with a gradient, and %s learns from its reward alone", s->select);
    return OK;
}

Status attend_build(Attend **out, Params *ps, const AttendSettings *s, AttendSizes size, const char *path)
{
    const ScoreDef *score = score_find(s->score);
    const RangeDef *range = range_find(s->range);
    const SelectDef *select = select_find(s->select);
    const Place *place = place_find(s->apply);
    TRY(check(s, score, select, range));
    Attend *a;
    TRY_NEW(a, ps->arena, 1);
    *a = (Attend){.settings = *s,
                  .range = {.def = range, .window = s->window, .query = size.query},
                  .select = select,
                  .values = size.values ? size.values : size.keys};
    const ScoreSizes of_score = {.width = size.keys,
                                 .query = size.query,
                                 .attend = s->attend,
                                 .rows = s->rows,
                                 .longest = size.longest,
                                 .coverage = s->coverage,
                                 .learnt = place && place->learnt};
    TRY(score_build(&a->score, ps, score, of_score, path));
    if (range->build) TRY(range->build(&a->range, ps, path));
    *out = a;
    return OK;
}

int64_t attend_heads(const Attend *a) { return score_columns(&a->score); }
int64_t attend_width(const Attend *a) { return score_columns(&a->score) * a->values; }

bool attend_penalised(const Attend *a)
{
    const AttendSettings *s = &a->settings;
    return s->orthogonality > 0 || s->coverage_loss > 0 || s->guide > 0 || a->select->penalty;
}
