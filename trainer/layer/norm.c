/* norm.c - parameters of a layer normalisation. */
#include "trainer/layer/norm.h"

Status norm_build(Norm *n, Params *ps, const char *path, int64_t width)
{
    const char *gain = arena_format(ps->arena, "%s/gain", path), *bias = arena_format(ps->arena, "%s/bias", path);
    if (!gain || !bias) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    TRY(param_add(&n->gain, ps, gain, SHAPE1(width), INIT_CONSTANT, 1));
    n->gain->meaning = "factor after normalisation";
    TRY(param_add(&n->bias, ps, bias, SHAPE1(width), INIT_ZERO, 0));
    n->bias->meaning = "bias after normalisation";
    return OK;
}

Node *norm_forward(const Norm *n, Tape *t, Node *x)
{
    return op_layer_norm(t, x, tape_param(t, n->gain), tape_param(t, n->bias));
}
