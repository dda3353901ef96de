/* embedding.c - where vectors of words come from. */
#include "trainer/layer/embedding.h"

/* A batch of one-hot rows holds (different words) x (vocabulary) numbers: 256 MiB of float at this size. */
enum { ONE_HOT_MOST = 8192 };

const char *embedding_kind(int i)
{
    return (const char *const[]){"learned", "pretrained", "random", "one_hot", NULL}[i];
}

Status embedding_build(Embedding *e, Params *ps, const char *path, const EmbeddingOptions *o)
{
    const bool one_hot = o->kind == EMBEDDING_ONE_HOT;
    *e = (Embedding){.words = o->words, .width = one_hot ? o->words : o->width};
    REQUIRE(!one_hot || o->words <= ONE_HOT_MOST, ERR_CONFIG,
            "embedding one_hot: a vocabulary of %lld words makes vectors of %lld numbers; at most %d are possible",
            (long long)o->words, (long long)o->words, ONE_HOT_MOST);
    if (one_hot) return OK;
    TRY(param_add(&e->table, ps, path, SHAPE2(o->words, o->width), INIT_NORMAL, o->spread));
    e->table->meaning = "rows are words";
    e->table->zero_row = true;
    e->table->frozen = o->frozen || o->kind == EMBEDDING_RANDOM;
    e->table->as_rows = e->table->looked_up = !e->table->frozen; /* embedding_forward is its only reader */
    return OK;
}

void embedding_fill(Embedding *e, const float *vectors, const bool *known)
{
    for (int64_t w = 1; e->table && w < e->words; w++)
        for (int64_t c = 0; (!known || known[w]) && c < e->width; c++)
            e->table->value[w * e->width + c] = (real)vectors[w * e->width + c];
}

void embedding_copy(const Embedding *e, int64_t n, const int32_t *id, real *x)
{
    param_refresh(e->table, n, id);
    kernels()->gather(n, e->width, e->table->value, e->width, id, x, e->width);
}

Lookup embedding_rows(const Embedding *e, Tape *t, int64_t n, const int32_t *id)
{
    return e->table ? op_embed_unique(t, e->table, n, id) : op_embed_one_hot(t, e->words, n, id);
}

Lookup embedding_apart(Tape *t, Lookup l, const int32_t *id)
{
    if (!tape_wants(t, id) || t->status != OK) return l;
    return (Lookup){.rows = op_input(t, l.rows, l.n, l.index, id), .n = l.n};
}

Lookup embedding_forward(const Embedding *e, Tape *t, int64_t n, const int32_t *id)
{
    return embedding_apart(t, embedding_rows(e, t, n, id), id);
}
