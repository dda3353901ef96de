/* recurrent.c - recurrent layers in one direction or both: a state for each word, and the last states of each layer. */
#include "trainer/generate/encoder/recurrent.h"

static Status build(Encoder *e, Params *ps, const char *path)
{
    const RecurrentEncoderSettings *s = e->settings;
    const RnnSettings rnn = {.cell = s->cell,
                             .hidden = s->hidden,
                             .layers = s->layers,
                             .bidirectional = s->bidirectional,
                             .reversed = s->reverse,
                             .every_last = true,
                             .dropout = s->dropout,
                             .recurrent_dropout = s->dropout_state};
    Rnn *own;
    TRY_NEW(own, ps->arena, 1);
    e->own = own;
    e->memory.hidden = s->hidden;
    e->memory.layers = s->layers;
    e->memory.directions = s->bidirectional ? 2 : 1;
    e->memory.width = e->memory.directions * s->hidden;
    e->memory.reversed = s->reverse;
    e->memory.second = s->cell.def->second >= 0;
    return rnn_declare(own, ps, path, rnn, e->input);
}

static Status forward(const Encoder *e, Tape *t, const EncoderInput *in, Memory *out)
{
    const RnnOut read = rnn_forward(e->own, t, in->x, in->index, in->seq, in->key);
    out->states = read.states;
    out->last = read.layer;
    return tape_status(t);
}

const EncoderDef encoder_recurrent = {
    .component = {.name = "recurrent", .help = "Recurrent layers that read in one direction or both."},
    .reads = ENCODER_WORDS,
    .build = build,
    .forward = forward,
};
