/* recurrent.c - recurrent layers in one direction or both: a state for each word, and the last states of each layer. */
#include "trainer/generate/encoder/recurrent.h"

#define ROW(member, ...) FIELD(RecurrentEncoderSettings, member, __VA_ARGS__)
#define SHARE            .min = 0, .max = 0.95

static const Field fields[] = {
    FIELD_PART(RecurrentEncoderSettings, cell, cell_choice, .preset = "lstm", .help = "Recurrent cell."),
    ROW(hidden, .preset = "512", .min = 1, .max = 8192, .unit = "units",
        .help = "Width of the recurrent state, of each direction."),
    ROW(layers, .preset = "1", .min = 1, .max = 16, .help = "Recurrent layers."),
    ROW(bidirectional, .preset = "false", .help = "It reads in both directions."),
    ROW(reverse, .preset = "false",
        .help = "It reads from the last word to the first (Sutskever 2014); the order of its states stays."),
    ROW(dropout, .preset = "0", SHARE, .help = "Share of the states dropped between layers."),
    ROW(dropout_state, .preset = "0", SHARE,
        .help = "Share of the recurrent state dropped, the same units all along a sequence."),
};

static Status build(Encoder *e, Params *ps, const char *path)
{
    const RecurrentEncoderSettings *s = e->settings;
    const Cell cell = cell_of(&s->cell);
    const RnnSettings rnn = {.cell = cell,
                             .hidden = s->hidden,
                             .layers = s->layers,
                             .bidirectional = s->bidirectional,
                             .reversed = s->reverse,
                             .every_last = true,
                             .dropout = s->dropout,
                             .recurrent_dropout = s->dropout_state};
    REQUIRE(!s->reverse || !s->bidirectional, ERR_CONFIG,
            "encoder.reverse is for one direction, and encoder.bidirectional reads in both");
    Rnn *own;
    TRY_NEW(own, ps->arena, 1);
    e->own = own;
    e->memory.hidden = s->hidden;
    e->memory.layers = s->layers;
    e->memory.directions = s->bidirectional ? 2 : 1;
    e->memory.width = e->memory.directions * s->hidden;
    e->memory.reversed = s->reverse;
    e->memory.cell = cell;
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
    .component = {.name = "recurrent",
                  .help = "Recurrent layers that read in one direction or both.",
                  ROWS(fields, RecurrentEncoderSettings)},
    .reads = ENCODER_WORDS,
    .build = build,
    .forward = forward,
};
