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

Status encoder_build(Encoder *e, Params *ps, const char *path, const Component *c, const void *settings, int64_t input,
                     int64_t longest)
{
    *e = (Encoder){.def = (const EncoderDef *)c, .settings = settings, .input = input}; /* first member */
    e->memory.longest = longest;
    return e->def->build(e, ps, path);
}

void encoder_forward(const Encoder *e, Tape *t, const EncoderInput *in, Memory *out)
{
    *out = (Memory){.n = in->seq.n, .seq = in->seq, .key = in->key};
    if (t->status == OK) tape_fail(t, e->def->forward(e, t, in, out));
}
