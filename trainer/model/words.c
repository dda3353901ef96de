/* words.c - between a model and the generator it is made of. */
#include "trainer/model/words.h"

Status words_build(Model *m, Generator *g, const GeneratorSettings *s)
{
    const ModelData *data = &m->data;
    const bool words = encoder_reads(s->encoder.def) == ENCODER_WORDS;
    const ModelField *features = model_field(data, ROLE_FEATURES, ROLE_NONE);
    const GeneratorSizes size = {.source = model_words(data, ROLE_INPUT),
                                 .target = model_words(data, ROLE_TARGET),
                                 .features = features->width,
                                 .longest = words ? model_longest(data) : features->longest[0],
                                 .shared = data->shared};
    TRY(generator_build(g, m->params, s, &size));
    m->pretrained = generator_pretrained(g);
    m->most_words = g->writer.decoder.most;
    return OK;
}

Status words_init(const Model *m, Generator *g)
{
    return generator_init(g, m->data.vectors, m->data.vector_known, m->data.vector_width);
}

static void reward(Tape *t, void *context, const real *loss)
{
    (void)t;
    decoder_reward(context, loss);
}

static Status hand_out(Tape *t, const Generated *made, Prediction *out)
{
    const Written *w = &made->written;
    out->words = (PredictionWords){.x = w->x, .w = w->w, .bias = w->bias, .target = made->positions.output};
    out->seq = made->positions.seq;
    out->penalty = w->made.penalty;
    if (!t->train || !w->made.decoder->rewards) return OK;
    Decoded *decoded;
    TRY_NEW(decoded, t->arena, 1);
    *decoded = w->made;
    out->context = decoded;
    out->reward = reward;
    return OK;
}

void words_forward(const Generator *g, Tape *t, const Batch *b, Prediction *out, Generated *made)
{
    Memory *m = tape_alloc(t, sizeof *m);
    if (!m) return;
    generator_encode(g, t, b, m);
    generator_forward(g, t, b, m, made);
    if (t->status == OK) tape_fail(t, hand_out(t, made, out));
}
