/* attend.c - an attention is built: its parts are found, and checked to go together. */
#include <string.h>

#include "trainer/attention/attend.h"

static Status check(const AttendSettings *s, const ScoreDef *score, const SelectDef *select, const RangeDef *range)
{
    REQUIRE(score, ERR_CONFIG, "there is no score %s", s->score);
    REQUIRE(select, ERR_CONFIG, "there is no selection %s", s->select);
    REQUIRE(range, ERR_CONFIG, "there is no range %s", s->range);
    for (int i = 0; attend_apply_name(i); i++) {
        const char *reason = attend_refuses(s->score, s->select, s->range, attend_apply_name(i));
        REQUIRE(!reason, ERR_CONFIG, "score %s with selection %s and range %s: %s", s->score, s->select, s->range,
                reason);
    }
    REQUIRE(!range->window || s->window >= 1, ERR_CONFIG, "range %s needs a window of at least 1, not %lld", s->range,
            (long long)s->window);
    const char *uncovered = s->coverage ? attend_refuses_coverage(s->score) : NULL;
    REQUIRE(!uncovered, ERR_CONFIG, "coverage with score %s: %s", s->score, uncovered);
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

Status attend_build(Attend **out, Params *ps, const AttendSettings *s, int64_t keys, int64_t query, int64_t longest,
                    const char *path)
{
    const ScoreDef *score = score_find(s->score);
    const RangeDef *range = range_find(s->range);
    const SelectDef *select = select_find(s->select);
    TRY(check(s, score, select, range));
    Attend *a;
    TRY_NEW(a, ps->arena, 1);
    *a = (Attend){.settings = *s, .range = {.def = range, .window = s->window, .query = query}, .select = select};
    const ScoreSizes size = {.width = keys,
                             .query = query,
                             .attend = s->attend,
                             .rows = s->rows,
                             .longest = longest,
                             .coverage = s->coverage};
    TRY(score_build_steps(&a->score, ps, score, size, path));
    TRY(range->build(&a->range, ps, path));
    *out = a;
    return OK;
}

int64_t attend_heads(const Attend *a) { return score_columns(&a->score); }
int64_t attend_width(const Attend *a) { return score_columns(&a->score) * a->score.size.width; }
