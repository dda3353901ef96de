/* decoder.c - the table of decoders, and what holds for each of them. */
#include "trainer/generate/decoder/decoder.h"

/* One line per decoder. Its definition is in <name>.c. */
#define DECODERS(X) X(recurrent)

#define DECLARE(name) extern const DecoderDef decoder_##name;
#define ROW(name)     &decoder_##name.component,
DECODERS(DECLARE)
static const Component *const decoders[] = {DECODERS(ROW) NULL};

const Component *decoder_choice(int i) { return decoders[i]; }

Status decoder_join(Decoder *d, Params *ps, Chosen c, const DecoderLook *look, const MemoryShape *memory,
                    const DecoderPaths *path)
{
    const DecoderDef *def = (const DecoderDef *)(const void *)c.def; /* first member */
    *d = (Decoder){.def = def, .settings = c.settings, .look = *look, .memory = *memory};
    return d->def->join(d, ps, path);
}

Status decoder_build(Decoder *d, Params *ps, const DecoderPaths *path, int64_t input, int64_t words)
{
    d->input = input;
    return d->def->build(d, ps, path, words);
}

static Status check_input(const Decoder *d, const DecoderInput *in, int64_t positions)
{
    const Node *x = in->x;
    REQUIRE(x->shape.n == 2 && x->shape.d[1] == d->input && (in->index || x->shape.d[0] == positions), ERR_INTERNAL,
            "a decoder of %lld inputs got %lld rows of %lld for %lld positions", (long long)d->input,
            (long long)x->shape.d[0], (long long)x->shape.d[x->shape.n - 1], (long long)positions);
    return OK;
}

Decoded decoder_forward(const Decoder *d, Tape *t, const DecoderInput *in, const Memory *m)
{
    const int64_t positions = in->seq.n ? in->seq.offset[in->seq.n] : 0;
    Decoded out = {.decoder = d, .seq = in->seq, .keys = m->seq};
    if (t->status == OK) tape_fail(t, check_input(d, in, positions));
    if (t->status == OK) tape_fail(t, d->def->forward(d, t, in, m, &out));
    if (!out.y) out.y = tape_leaf(t, SHAPE2(0, d->width), NULL, NULL);
    return out;
}

void decoder_reward(const Decoded *made, const real *loss)
{
    if (made->decoder->def->reward) made->decoder->def->reward(made->run, loss);
}

int64_t decoder_looked(const Decoded *made, int64_t sequence, int64_t position)
{
    const int64_t K = made->decoder->heads;
    if (K == 0) return -1;
    const real *weight = made->decoder->def->weights(made->run, position);
    const int64_t keys = made->keys.offset[sequence + 1] - made->keys.offset[sequence];
    int64_t best = -1;
    double most = 0;
    for (int64_t j = 0; j < keys; j++) {
        double sum = 0;
        for (int64_t k = 0; k < K; k++) sum += (double)weight[k * keys + j];
        if (sum <= most) continue;
        most = sum;
        best = j;
    }
    return best;
}

void decoder_view(const Decoded *made, Tape *t, const TapeView *as)
{
    const int64_t K = made->decoder->heads, n = made->seq.n, positions = n ? made->seq.offset[n] : 0;
    if (!t->watch || t->status != OK || K == 0) return;
    int64_t *offset = tape_alloc(t, (size_t)(positions + 1) * sizeof *offset);
    if (!offset) return;
    offset[0] = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t p = made->seq.offset[i]; p < made->seq.offset[i + 1]; p++)
            offset[p + 1] = offset[p] + made->keys.offset[i + 1] - made->keys.offset[i];
    real *weight = tape_alloc(t, (size_t)(offset[positions] * K) * sizeof *weight);
    if (!weight) return;
    for (int64_t p = 0; p < positions; p++) {
        const real *row = made->decoder->def->weights(made->run, p);
        const int64_t keys = offset[p + 1] - offset[p];
        for (int64_t j = 0; j < keys; j++)
            for (int64_t k = 0; k < K; k++) weight[(offset[p] + j) * K + k] = row[k * keys + j];
    }
    TapeView v = *as;
    v.weight = tape_leaf(t, SHAPE2(offset[positions], K), weight, NULL);
    v.keys = (Segments){positions, offset};
    tape_view(t, &v);
}

Status decoder_open(DecoderSteps *out, const Decoder *d, Tape *t, int64_t rows, const Memory *m)
{
    *out = (DecoderSteps){.decoder = d};
    return d->def->open(d, t, rows, m, &out->run);
}

void decoder_project(const DecoderSteps *s, int64_t n, const real *x, real *y)
{
    s->decoder->def->project(s->run, n, x, y);
}

void decoder_step(const DecoderSteps *s, const DecoderStep *step, real *y) { s->decoder->def->step(s->run, step, y); }

const real *decoder_weights(const DecoderSteps *s, int64_t row)
{
    return s->decoder->heads ? s->decoder->def->row_weights(s->run, row) : NULL;
}
