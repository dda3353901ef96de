/* readout.c - the kinds of readouts, on a tape and row by row. */
#include "trainer/generate/readout.h"

#include <string.h>

enum { STATE, TANH, MAXOUT };
static const char *const kinds[] = {[STATE] = "state", [TANH] = "tanh", [MAXOUT] = "maxout", NULL};

const char *readout_name(int i) { return kinds[i]; }

bool readout_reads_embedding(const Readout *r) { return r->kind != STATE; }

Status readout_build(Readout *r, Params *ps, const char *path, const char *kind, int64_t result, int64_t embedding,
                     int64_t width)
{
    *r = (Readout){.result = result, .embedding = embedding, .width = width};
    while (kinds[r->kind] && strcmp(kinds[r->kind], kind) != 0) r->kind++;
    REQUIRE(kinds[r->kind], ERR_INTERNAL, "there is no readout %s", kind);
    if (r->kind == STATE) r->width = result;
    if (r->kind == STATE) return OK;
    return linear_build(&r->linear, ps, path, result + embedding, r->kind == MAXOUT ? 2 * width : width);
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
