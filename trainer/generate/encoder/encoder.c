/* encoder.c - the table of encoders, and what holds for each of them. */
#include "trainer/generate/encoder/encoder.h"

/* One line per encoder. Its definition is in <name>.c. */
#define ENCODERS(X)                                                                                                    \
    X(recurrent)                                                                                                       \
    X(features)

#define DECLARE(name) extern const EncoderDef encoder_##name;
#define ROW(name)     &encoder_##name.component,
ENCODERS(DECLARE)
static const Component *const encoders[] = {ENCODERS(ROW) NULL};

const Component *encoder_choice(int i) { return encoders[i]; }

EncoderReads encoder_reads(const Component *c) { return ((const EncoderDef *)(const void *)c)->reads; }

Status encoder_build(Encoder *e, Params *ps, const char *path, Chosen c, int64_t input, int64_t longest)
{
    const EncoderDef *def = (const EncoderDef *)(const void *)c.def; /* first member */
    *e = (Encoder){.def = def, .settings = c.settings, .input = input};
    e->memory.longest = longest;
    return e->def->build(e, ps, path);
}

void encoder_forward(const Encoder *e, Tape *t, const EncoderInput *in, Memory *out)
{
    *out = (Memory){.n = in->seq.n, .seq = in->seq, .key = in->key};
    if (t->status == OK) tape_fail(t, e->def->forward(e, t, in, out));
}
