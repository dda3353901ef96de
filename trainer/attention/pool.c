/* pool.c - an attention with a learnt query; in one operation where there is one that does the same. */
#include "trainer/attention/pool.h"

#include <string.h>

static const Field fields[] = {
    FIELD_PART(PoolSettings, score, score_choice, .preset = "additive", .help = "How much a row is wanted."),
    FIELD_PART(PoolSettings, select, select_choice, .preset = "soft", .help = "How scores become weights."),
    FIELD_PART(PoolSettings, range, range_choice, .preset = "global", .help = "Where the query may look."),
    FIELD(PoolSettings, query, .preset = "0", .min = 0, .max = 8192, .unit = "units",
          .help = "Width of the learnt query; 0: that of what is looked at."),
};

const FieldRows pool_rows = {fields, COUNT(fields), sizeof(PoolSettings)};

struct PoolFused {
    const char *score, *select, *range;
    Node *(*forward)(const Pool *p, Tape *t, Node *h, Segments s, Node **weight);
};

/* v . tanh(W h + b): what a learnt query gives the hidden layer is one vector for all keys, as b is. */
static Node *additive(const Pool *p, Tape *t, Node *h, Segments s, Node **weight)
{
    Param *const *param = p->attend->score.p;
    Node *w = tape_param(t, param[HIDDEN_U]);
    Node *b = p->query ? op_linear(t, tape_param(t, p->query), tape_param(t, param[HIDDEN_W]), NULL)
                       : tape_param(t, param[HIDDEN_B]);
    return op_pool_additive(t, h, w, b, tape_param(t, param[HIDDEN_V]), s, weight);
}

static const PoolFused table[] = {
    {"additive", "soft", "global", additive},
    {"concat", "soft", "global", additive},
};

static const PoolFused *fused(const PoolSettings *s)
{
    for (int i = 0; i < COUNT(table); i++)
        if (strcmp(table[i].score, s->score.def->name) == 0 && strcmp(table[i].select, s->select.def->name) == 0 &&
            strcmp(table[i].range, s->range.def->name) == 0)
            return &table[i];
    return NULL;
}

static Status declare_query(Pool *p, Params *ps, const ScoreLearnt *q, int64_t width, const char *path)
{
    const char *name = arena_format(ps->arena, "%s/%s", path, q->name);
    if (!name) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    TRY(param_add(&p->query, ps, name, SHAPE2(1, width), INIT_NORMAL, q->scale));
    p->query->meaning = "the query";
    return OK;
}

Status pool_build(Pool *p, Params *ps, const PoolSettings *s, int64_t width, int64_t longest, const char *path)
{
    const ScoreLearnt *q = &((const ScoreDef *)s->score.def)->learnt;
    const AttendSettings of_pool = {.score = s->score, .select = s->select, .range = s->range};
    AttendUse use = {.apply = "pool", .keys = width, .longest = longest};
    REQUIRE(q->name || s->query == 0, ERR_CONFIG, "score %s learns no query, so it has no width of %lld units",
            s->score.def->name, (long long)s->query);
    if (q->name) {
        use.query = s->query ? s->query : width;
        TRY(declare_query(p, ps, q, use.query, path));
    }
    TRY(attend_build(&p->attend, ps, &of_pool, use, path));
    p->fused = fused(s);
    return OK;
}

int64_t pool_width(const Pool *p) { return attend_width(p->attend); }

Node *pool_forward(const Pool *p, Tape *t, Node *h, Segments s, const uint64_t *row_key, Node **penalty)
{
    if (p->fused) {
        Node *weight, *y = p->fused->forward(p, t, h, s, &weight);
        TapeView v = p->view;
        v.weight = weight;
        v.keys = s;
        tape_view(t, &v);
        return y; /* cppcheck-suppress returnDanglingLifetime ; a node of the tape: weight is only filled */
    }
    Node *y = attend_node(
        p->attend, t,
        &(AttendAsk){.query = p->query ? tape_param(t, p->query) : NULL, .key = h, .keys = s, .row_key = row_key});
    attend_node_view(y, t, &p->view);
    Node *more = attend_node_penalty(y, t);
    if (more) *penalty = *penalty ? op_add(t, *penalty, more) : more;
    return y;
}
