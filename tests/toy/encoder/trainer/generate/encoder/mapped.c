/* mapped.c - each word by itself: tanh(W x + b). */
#include "trainer/generate/encoder/encoder.h"
#include "trainer/layer/linear.h"

typedef struct Settings {
    int64_t hidden;
} Settings;

static const Field fields[] = {
    FIELD(Settings, hidden, .preset = "50", .min = 1, .max = 8192, .unit = "units", .help = "Width of the states."),
};

static Status build(Encoder *e, Params *ps, const char *path)
{
    const Settings *s = e->settings;
    Linear *own;
    TRY_NEW(own, ps->arena, 1);
    e->own = own;
    e->memory.width = s->hidden;
    return linear_build(own, ps, path, e->input, s->hidden);
}

static Status forward(const Encoder *e, Tape *t, const EncoderInput *in, Memory *out)
{
    const int64_t N = in->seq.n ? in->seq.offset[in->seq.n] : 0;
    Node *x = in->index ? op_gather(t, in->x, N, in->index) : in->x;
    out->states = op_tanh(t, linear_forward(e->own, t, x));
    return tape_status(t);
}

const EncoderDef encoder_mapped = {
    .component = {.name = "mapped", .help = "Each word by itself.", ROWS(fields, Settings)},
    .reads = ENCODER_WORDS,
    .build = build,
    .forward = forward,
};
