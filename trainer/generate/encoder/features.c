/* features.c - rows of numbers that are there already, as a network for pictures leaves them (Xu 2015): each becomes
 * f(W x + b + p_i), p_i a learnt vector of its place in the example and f tanh, where they are wanted. */
#include "trainer/generate/encoder/features.h"

#include "trainer/layer/linear.h"

static const Field fields[] = {
    FIELD(FeaturesSettings, hidden, .preset = "512", .min = 1, .max = 8192, .unit = "units",
          .help = "Width of the states."),
    FIELD(FeaturesSettings, places, .preset = "false", .help = "A learnt vector of each row's place is added."),
    FIELD(FeaturesSettings, squash, .preset = "false", .help = "States go through tanh."),
    FIELD(FeaturesSettings, dropout, .preset = "0", .min = 0, .max = 0.95, .help = "Share of the states dropped."),
};

typedef struct Features {
    Linear linear;
    Param *place; /* (longest, hidden) or NULL */
} Features;

static Status build(Encoder *e, Params *ps, const char *path)
{
    const FeaturesSettings *s = e->settings;
    Features *own;
    TRY_NEW(own, ps->arena, 1);
    e->own = own;
    e->memory.width = s->hidden;
    TRY(linear_build(&own->linear, ps, path, e->input, s->hidden));
    if (!s->places) return OK;
    const char *name = arena_format(ps->arena, "%s/place", path);
    if (!name) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    TRY(param_add(&own->place, ps, name, SHAPE2(e->memory.longest, s->hidden), INIT_NORMAL, 0.1));
    own->place->meaning = "rows are places in an example";
    return OK;
}

static Node *add_places(const Features *own, Tape *t, Node *h, Segments seq)
{
    const int64_t N = h->shape.d[0];
    int32_t *place = tape_alloc(t, (size_t)N * sizeof *place);
    if (!place) return h;
    for (int64_t i = 0; i < seq.n; i++)
        for (int64_t p = seq.offset[i]; p < seq.offset[i + 1]; p++) place[p] = (int32_t)(p - seq.offset[i]);
    return op_add(t, h, op_gather(t, tape_param(t, own->place), N, place));
}

/* Keys of the rows: of each example, and the place in it. */
static Status row_keys(Tape *t, const EncoderInput *in, uint64_t **key)
{
    TRY_NEW(*key, t->arena, in->seq.n ? in->seq.offset[in->seq.n] : 0);
    for (int64_t i = 0; i < in->seq.n; i++)
        for (int64_t p = in->seq.offset[i]; p < in->seq.offset[i + 1]; p++)
            (*key)[p] = op_row_key((int64_t)in->key[i], p - in->seq.offset[i]);
    return OK;
}

static Status forward(const Encoder *e, Tape *t, const EncoderInput *in, Memory *out)
{
    const FeaturesSettings *s = e->settings;
    const Features *own = e->own;
    for (int64_t i = 0; own->place && i < in->seq.n; i++)
        REQUIRE(in->seq.offset[i + 1] - in->seq.offset[i] <= e->memory.longest, ERR_DATA,
                "an example has %lld rows of features, but the model has places for %lld (encoder features: places)",
                (long long)(in->seq.offset[i + 1] - in->seq.offset[i]), (long long)e->memory.longest);
    Node *h = linear_forward(&own->linear, t, in->x);
    if (own->place) h = add_places(own, t, h, in->seq);
    if (s->squash) h = op_tanh(t, h);
    if (t->train && s->dropout > 0) {
        uint64_t *key;
        TRY(row_keys(t, in, &key));
        h = op_dropout(t, h, s->dropout, key);
    }
    out->states = h;
    return tape_status(t);
}

const EncoderDef encoder_features = {
    .component = {.name = "features",
                  .help = "Rows of numbers, each mapped by itself.",
                  .source = "Xu et al. 2015",
                  ROWS(fields, FeaturesSettings)},
    .reads = ENCODER_FEATURES,
    .build = build,
    .forward = forward,
};
