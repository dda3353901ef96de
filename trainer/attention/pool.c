/* pool.c - score, softmax over the segment, weighted sum; in one operation where the score allows it. */
#include "trainer/attention/pool.h"

Status pool_build(Pool *p, Params *ps, const ScoreDef *score, ScoreSizes size, const char *path)
{
    return score_build(&p->score, ps, score, size, path);
}

int64_t pool_width(const Pool *p) { return score_columns(&p->score) * p->score.size.width; }

static Node *fused(const Pool *p, Tape *t, Node *h, Segments s)
{
    Node *w, *b, *v, *weight;
    p->score.def->additive(&p->score, t, &w, &b, &v);
    Node *y = op_pool_additive(t, h, w, b, v, s, &weight);
    tape_view(t, p->view, p->layer, 0, 0, weight, s);
    return y;
}

Node *pool_forward(const Pool *p, Tape *t, Node *h, Segments s, Node **penalty)
{
    if (p->score.def->additive) return fused(p, t, h, s);
    Node *weight = op_segment_softmax(t, score_forward(&p->score, t, h, s), s);
    tape_view(t, p->view, p->layer, 0, 0, weight, s);
    if (p->penalty > 0 && p->score.def->many) {
        Node *more = op_scale(t, op_segment_orthogonality(t, weight, s), (real)p->penalty);
        *penalty = *penalty ? op_add(t, *penalty, more) : more;
    }
    return op_segment_weighted_sum(t, weight, h, s);
}
