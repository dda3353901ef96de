/* readout.c - the kinds of readouts, on a tape and row by row. */
#include "trainer/generate/readout.h"

#include <string.h>

enum { STATE, TANH, MAXOUT };

static const Field fields[] = {
    FIELD(ReadoutSettings, width, .preset = "500", .min = 1, .max = 8192, .unit = "units",
          .help = "Width of what the output layer reads."),
};

static const Component kinds[] = {
    [STATE] = {.name = "state", .help = "The decoder's result as it is."},
    [TANH] = {.name = "tanh",
              .help =
                  "tanh(W [y ; e] + b) of the result and the vector of the word before; weights of the output layer "
                  "are drawn by its width alone.",
              ROWS(fields, ReadoutSettings)},
    [MAXOUT] = {.name = "maxout",
                .help = "The larger of each pair of W [y ; e] + b.",
                .source = "Bahdanau et al. 2015",
                ROWS(fields, ReadoutSettings)},
};

const Component *readout_choice(int i) { return i < COUNT(kinds) ? &kinds[i] : NULL; }

bool readout_reads_embedding(const Readout *r) { return r->kind != STATE; }
bool readout_bounded(const Readout *r) { return r->kind == TANH; }

Status readout_build(Readout *r, Params *ps, const char *path, Chosen c, int64_t result, int64_t embedding)
{
    const ReadoutSettings *set = c.settings;
    *r = (Readout){.kind = (int)(c.def - kinds), .result = result, .embedding = embedding, .width = result};
    if (r->kind == STATE) return OK;
    r->width = set->width;
    return linear_build(&r->linear, ps, path, result + embedding, r->kind == MAXOUT ? 2 * r->width : r->width);
}

Node *readout_forward(const Readout *r, Tape *t, Node *y, Node *e)
{
    if (r->kind == STATE) return y;
    Node *sum = linear_forward(&r->linear, t, op_concat(t, 2, (Node *[]){y, e}));
    return r->kind == MAXOUT ? op_maxout(t, sum) : op_tanh(t, sum);
}

static int64_t sums(const Readout *r) { return r->kind == MAXOUT ? 2 * r->width : r->width; }

Status readout_open(ReadoutRows *r, Arena *arena, const Readout *readout, int64_t rows)
{
    *r = (ReadoutRows){.readout = readout};
    if (readout->kind == STATE) return OK;
    const int64_t in = readout->result + readout->embedding, n = sums(readout);
    TRY(panel_pack(&r->w, arena, readout->linear.w->value, false, in, n));
    r->in = arena_alloc(arena, (size_t)(rows * in) * sizeof(real));
    r->sum = arena_alloc(arena, (size_t)(rows * n) * sizeof(real));
    r->out = arena_alloc(arena, (size_t)(rows * readout->width) * sizeof(real));
    return r->in && r->sum && r->out ? OK : status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
}

const real *readout_rows(const ReadoutRows *r, int64_t n, const real *y, const real *e)
{
    const Readout *o = r->readout;
    if (o->kind == STATE) return y;
    const int64_t in = o->result + o->embedding, width = sums(o);
    for (int64_t i = 0; i < n; i++) {
        memcpy(r->in + i * in, y + i * o->result, (size_t)o->result * sizeof(real));
        memcpy(r->in + i * in + o->result, e + i * o->embedding, (size_t)o->embedding * sizeof(real));
    }
    panel_gemm_bias(n, r->in, in, &r->w, o->linear.b->value, r->sum, width);
    if (o->kind == MAXOUT)
        op_maxout_rows(n * o->width, r->sum, r->out);
    else
        kernels()->tanh(n * width, r->sum, r->out);
    return r->out;
}
