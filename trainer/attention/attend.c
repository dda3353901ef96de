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

static const Field fields[] = {
    FIELD_PART(AttendSettings, score, score_choice, .preset = "general", .help = "How much a key is wanted."),
    FIELD_PART(AttendSettings, select, select_choice, .preset = "soft", .help = "How scores become weights."),
    FIELD_PART(AttendSettings, range, range_choice, .preset = "global", .help = "Where a query may look."),
    FIELD(AttendSettings, coverage_loss, .preset = "0", .min = 0, .max = 1000,
          .help = "Weight of the penalty on looking where was looked before (See 2017)."),
};

const FieldRows attend_rows = {fields, COUNT(fields), sizeof(AttendSettings)};

static bool covered(const AttendSettings *s)
{
    const HiddenSettings *hidden = score_hidden(&s->score);
    return s->coverage_loss > 0 || (hidden && hidden->coverage);
}

static Status check(const AttendSettings *s, const AttendUse *use)
{
    const char *score = s->score.def->name, *select = s->select.def->name, *range = s->range.def->name;
    const char *reason = attend_refuses(score, select, range, use->apply);
    REQUIRE(!reason, ERR_CONFIG, "score %s with selection %s and range %s: %s", score, select, range, reason);
    const Place *place = place_find(use->apply);
    REQUIRE(!covered(s) || !place || place->steps, ERR_CONFIG,
            "coverage is of queries that come one after the other, not all at once (%s)", use->apply);
    const bool many = score_many(&s->score);
    REQUIRE(s->coverage_loss == 0 || !many, ERR_CONFIG,
            "coverage_loss is for one row of weights, and score %s has several", score);
    REQUIRE(use->guide == 0 || (!many && strcmp(select, "soft") == 0), ERR_CONFIG,
            "guide is for one row of weights that none can leave at 0, not for score %s with selection %s", score,
            select);
    REQUIRE(s->coverage_loss == 0 || !((const SelectDef *)s->select.def)->rewards, ERR_CONFIG,
            "coverage_loss needs weights with a gradient, and %s learns from its reward alone", select);
    return OK;
}

Status attend_build(Attend **out, Params *ps, const AttendSettings *s, AttendUse use, const char *path)
{
    const RangeDef *range = (const RangeDef *)s->range.def;
    const Place *place = place_find(use.apply);
    TRY(check(s, &use));
    Attend *a;
    TRY_NEW(a, ps->arena, 1);
    *a = (Attend){.settings = *s,
                  .use = use,
                  .range = {.def = range, .settings = s->range.settings, .query = use.query},
                  .select = (const SelectDef *)s->select.def,
                  .values = use.values ? use.values : use.keys,
                  .many = score_many(&s->score)};
    const ScoreSizes size = {
        .width = use.keys, .query = use.query, .longest = use.longest, .learnt = place && place->learnt};
    TRY(score_build(&a->score, ps, &s->score, size, path));
    if (range->build) TRY(range->build(&a->range, ps, path));
    *out = a;
    return OK;
}

int64_t attend_heads(const Attend *a) { return a->score.columns; }
int64_t attend_width(const Attend *a) { return a->score.columns * a->values; }
bool attend_covers(const Attend *a) { return covered(&a->settings); }

bool attend_penalised(const Attend *a)
{
    return (a->many && a->many->orthogonality > 0) || a->settings.coverage_loss > 0 || a->use.guide > 0 ||
           a->select->penalty;
}
