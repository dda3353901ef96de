/* bridge.c - the kinds of bridges. */
#include "trainer/layer/bridge.h"

#include <string.h>

enum { COPY, LINEAR, BACKWARD, ZERO };
static const char *const kinds[] = {
    [COPY] = "copy", [LINEAR] = "linear", [BACKWARD] = "backward", [ZERO] = "zero", NULL};

const char *bridge_name(int i) { return kinds[i]; }

static Status check(int kind, const BridgeSizes *s)
{
    REQUIRE(kind != COPY || s->encoder == s->decoder, ERR_CONFIG,
            "bridge copy: the encoder has %lld units and the decoder %lld; sizes that differ need bridge linear",
            (long long)s->encoder, (long long)s->decoder);
    REQUIRE(kind != BACKWARD || s->directions == 2 || s->reversed, ERR_CONFIG,
            "bridge backward: the encoder does not read backward; set bidirectional or reverse_source");
    return OK;
}

static Status build_one(Linear *l, Params *ps, const char *path, int64_t layer, const char *what, int64_t in,
                        int64_t out)
{
    const char *name = arena_format(ps->arena, "%s/layer%lld/%s", path, (long long)layer + 1, what);
    if (!name) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    return linear_build(l, ps, name, in, out);
}

Status bridge_build(Bridge *b, Params *ps, const char *path, const char *kind, const BridgeSizes *s)
{
    *b = (Bridge){.size = *s};
    while (kinds[b->kind] && strcmp(kinds[b->kind], kind) != 0) b->kind++;
    REQUIRE(kinds[b->kind], ERR_INTERNAL, "there is no bridge %s", kind);
    TRY(check(b->kind, s));
    if (b->kind == COPY || b->kind == ZERO) return OK;
    const int64_t in = b->kind == LINEAR ? s->directions * s->encoder : s->encoder;
    TRY_NEW(b->state, ps->arena, s->layers);
    if (s->cell) TRY_NEW(b->cell, ps->arena, s->layers);
    for (int64_t l = 0; l < s->layers; l++) {
        TRY(build_one(&b->state[l], ps, path, l, "state", in, s->decoder));
        if (s->cell) TRY(build_one(&b->cell[l], ps, path, l, "cell", in, s->decoder));
    }
    return OK;
}

static Node *zeros(Tape *t, int64_t n, int64_t h)
{
    real *value = tape_alloc(t, (size_t)(n * h) * sizeof *value);
    if (value) memset(value, 0, (size_t)(n * h) * sizeof *value);
    return tape_leaf(t, SHAPE2(value ? n : 0, h), value, NULL);
}

/* What is handed over of x (n, directions * H), before the linear map if there is one. */
static Node *part(const Bridge *b, Tape *t, Node *x)
{
    const int64_t h = b->size.encoder;
    if (b->size.directions == 1 || b->kind == LINEAR) return x;
    Node *back = op_columns(t, x, h, h);
    return b->kind == BACKWARD ? back : op_add(t, op_columns(t, x, 0, h), back);
}

static Node *cross(const Bridge *b, Tape *t, const Linear *l, Node *x, int64_t n)
{
    if (b->kind == ZERO) return zeros(t, n, b->size.decoder);
    x = part(b, t, x);
    return l ? linear_forward(l, t, x) : x;
}

const RnnLast *bridge_forward(const Bridge *b, Tape *t, const RnnLast *from, int64_t n)
{
    RnnLast *to = tape_alloc(t, (size_t)b->size.layers * sizeof *to);
    for (int64_t l = 0; to && l < b->size.layers; l++) {
        Node *state = cross(b, t, b->state ? &b->state[l] : NULL, from[l].state, n);
        to[l] = (RnnLast){b->state ? op_tanh(t, state) : state, NULL};
        if (b->size.cell) to[l].cell = cross(b, t, b->cell ? &b->cell[l] : NULL, from[l].cell, n);
    }
    return to;
}
