/* linear.c - weights and bias of a linear map. */
#include "trainer/layer/linear.h"

Status linear_build(Linear *l, Params *ps, const char *path, int64_t inputs, int64_t outputs)
{
    const char *w = arena_format(ps->arena, "%s/W", path), *b = arena_format(ps->arena, "%s/b", path);
    if (!w || !b) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    TRY(param_add(&l->w, ps, w, SHAPE2(inputs, outputs), INIT_XAVIER, 1));
    l->w->meaning = "rows are inputs, columns outputs";
    TRY(param_add(&l->b, ps, b, SHAPE1(outputs), INIT_ZERO, 0));
    l->b->meaning = "bias";
    return OK;
}

Node *linear_forward(const Linear *l, Tape *t, Node *x)
{
    return op_linear(t, x, tape_param(t, l->w), tape_param(t, l->b));
}
