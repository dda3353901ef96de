/* bridge.c - the kinds of bridges. */
#include "trainer/generate/decoder/bridge.h"

#include <string.h>

static const char *const kinds[] = {[BRIDGE_COPY] = "copy", [BRIDGE_LINEAR] = "linear", [BRIDGE_BACKWARD] = "backward",
                                    [BRIDGE_MEAN] = "mean", [BRIDGE_ZERO] = "zero",     NULL};

const char *bridge_name(int i) { return kinds[i]; }

static Status check(BridgeKind kind, const MemoryShape *from, const BridgeSizes *to)
{
    if (kind == BRIDGE_ZERO) return OK;
    REQUIRE(kind != BRIDGE_MEAN || from->width > 0, ERR_CONFIG, "bridge mean: there is no memory to take the mean of");
    if (kind == BRIDGE_MEAN) return OK;
    REQUIRE(from->layers > 0, ERR_CONFIG,
            "bridge %s: the encoder is not recurrent and leaves no last state; use bridge mean or zero", kinds[kind]);
    REQUIRE(from->layers == to->layers, ERR_CONFIG,
            "bridge %s: the encoder has %lld layers and the decoder %lld; they are joined layer by layer", kinds[kind],
            (long long)from->layers, (long long)to->layers);
    REQUIRE(from->cell.def->second >= 0 || !to->second, ERR_CONFIG,
            "bridge %s: the decoder's cells have a second state and the encoder's have none; use bridge mean or zero",
            kinds[kind]);
    REQUIRE(kind != BRIDGE_COPY || from->hidden == to->hidden, ERR_CONFIG,
            "bridge copy: the encoder has %lld units and the decoder %lld; sizes that differ need bridge linear",
            (long long)from->hidden, (long long)to->hidden);
    REQUIRE(kind != BRIDGE_BACKWARD || from->directions == 2 || from->reversed, ERR_CONFIG,
            "bridge backward: the encoder does not read backward; set encoder.bidirectional or encoder.reverse");
    return OK;
}

static Status build_one(Linear *l, Params *ps, const char *path, int64_t layer, const char *what, int64_t in,
                        int64_t out)
{
    const char *name = arena_format(ps->arena, "%s/layer%lld/%s", path, (long long)layer + 1, what);
    if (!name) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    return linear_build(l, ps, name, in, out);
}

Status bridge_build(Bridge *b, Params *ps, const char *path, BridgeKind kind, const MemoryShape *from,
                    const BridgeSizes *to)
{
    *b = (Bridge){.kind = kind, .from = *from, .to = *to};
    TRY(check(kind, from, to));
    if (kind == BRIDGE_COPY || kind == BRIDGE_ZERO) return OK;
    const int64_t in = kind == BRIDGE_MEAN     ? from->width
                       : kind == BRIDGE_LINEAR ? from->directions * from->hidden
                                               : from->hidden;
    TRY_NEW(b->state, ps->arena, to->layers);
    if (to->second) TRY_NEW(b->second, ps->arena, to->layers);
    for (int64_t l = 0; l < to->layers; l++) {
        TRY(build_one(&b->state[l], ps, path, l, "state", in, to->hidden));
        if (to->second) TRY(build_one(&b->second[l], ps, path, l, "cell", in, to->hidden));
    }
    return OK;
}

static Node *zeros(Tape *t, int64_t n, int64_t h)
{
    real *value = tape_alloc(t, (size_t)(n * h) * sizeof *value);
    if (value) memset(value, 0, (size_t)(n * h) * sizeof *value);
    return tape_leaf(t, SHAPE2(value ? n : 0, h), value, NULL);
}

/* (n, width): the mean of each example's states, 0 where there are none. */
static Node *mean_of(Tape *t, const Memory *m)
{
    const int64_t N = m->n ? m->seq.offset[m->n] : 0;
    real *share = tape_alloc(t, (size_t)N * sizeof *share);
    for (int64_t i = 0; share && i < m->n; i++)
        for (int64_t r = m->seq.offset[i]; r < m->seq.offset[i + 1]; r++)
            share[r] = (real)1 / (real)(m->seq.offset[i + 1] - m->seq.offset[i]);
    return op_segment_weighted_sum(t, tape_leaf(t, SHAPE2(share ? N : 0, 1), share, NULL), m->states, m->seq);
}

/* What is handed over of x (n, directions * H), before the linear map if there is one. */
static Node *part(const Bridge *b, Tape *t, Node *x)
{
    const int64_t h = b->from.hidden;
    if (b->from.directions == 1 || b->kind == BRIDGE_LINEAR) return x;
    Node *back = op_columns(t, x, h, h);
    return b->kind == BRIDGE_BACKWARD ? back : op_add(t, op_columns(t, x, 0, h), back);
}

static Node *cross(const Bridge *b, Tape *t, const Linear *l, Node *x)
{
    if (b->kind != BRIDGE_MEAN) x = part(b, t, x);
    return l ? linear_forward(l, t, x) : x;
}

const RnnLast *bridge_forward(const Bridge *b, Tape *t, const Memory *m)
{
    RnnLast *to = tape_alloc(t, (size_t)b->to.layers * sizeof *to);
    Node *mean = to && b->kind == BRIDGE_MEAN ? mean_of(t, m) : NULL;
    for (int64_t l = 0; to && l < b->to.layers; l++) {
        if (b->kind == BRIDGE_ZERO) {
            to[l].state = zeros(t, m->n, b->to.hidden);
            to[l].second = b->to.second ? zeros(t, m->n, b->to.hidden) : NULL;
            continue;
        }
        Node *state = cross(b, t, b->state ? &b->state[l] : NULL, mean ? mean : m->last[l].state);
        to[l] = (RnnLast){b->state ? op_tanh(t, state) : state, NULL};
        if (b->to.second) to[l].second = cross(b, t, b->second ? &b->second[l] : NULL, mean ? mean : m->last[l].second);
    }
    return to;
}
