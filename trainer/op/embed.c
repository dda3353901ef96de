/* embed.c - rows of a table: each different word once, however often it comes. */
#include <string.h>

#include "trainer/core/kernel.h"
#include "trainer/op/shape.h"
#include "trainer/op/unique.h"

/* The gradient as rows: the node's own memory is handed over, nothing is copied. */
static void keep_rows(Tape *t, Param *p, const Node *y)
{
    const int32_t *id = y->data;
    const int64_t skip = p->zero_row && y->shape.d[0] > 0 && id[0] == 0 ? 1 : 0, width = y->shape.d[1];
    if (y->shape.d[0] == skip) return;
    ParamRows *rows = tape_alloc(t, sizeof *rows);
    if (!rows) return;
    *rows = (ParamRows){y->shape.d[0] - skip, id + skip, y->grad + skip * width, NULL};
    ParamRows **end = &p->rows;
    while (*end) end = &(*end)->next;
    *end = rows;
}

/* dtable_id += dy */
static void backward(Tape *t, Node *y)
{
    Param *p = y->in[0]->param;
    if (p && p->as_rows && !p->frozen) {
        keep_rows(t, p, y);
        return;
    }
    real *dtable = node_grad(t, y->in[0]);
    const int32_t *id = y->data;
    const int64_t width = y->shape.d[1], skip = p && p->zero_row && y->shape.d[0] > 0 && id[0] == 0 ? 1 : 0;
    if (dtable)
        kernels()->scatter_add(y->shape.d[0] - skip, width, y->grad + skip * width, width, id + skip, dtable, width);
}

static const OpDef def = {"embed", backward};

Lookup op_embed_unique(Tape *t, Param *table, int64_t n, const int32_t *id)
{
    Lookup l = {.n = n};
    Node *leaf = tape_param(t, table);
    const int64_t V = table->shape.d[0], D = table->shape.d[1];
    int64_t at, u = 0;
    if (t->status == OK && !op_ids_within(n, id, V, &at)) {
        l.rows = op_refuse_as(t, ERR_DATA, "word %d at place %lld is not in %s, which has %lld rows", (int)id[at],
                              (long long)at, table->name, (long long)V);
        return l;
    }
    int32_t *unique = NULL, *index = NULL;
    bool ok = unique_ids(t, V, n, id, &u, &unique, &index);
    l.index = index;
    l.rows = tape_node(t, &def, SHAPE2(u, D), 1, &leaf, &ok);
    if (!ok) return l;
    l.rows->data = unique;
    param_refresh(table, u, unique);
    kernels()->gather(u, D, table->value, D, unique, l.rows->value, D);
    return l;
}

/* Without a gradient: nothing is learnt in the identity. */
Lookup op_embed_one_hot(Tape *t, int64_t width, int64_t n, const int32_t *id)
{
    Lookup l = {.n = n};
    int64_t at, u = 0;
    if (t->status == OK && !op_ids_within(n, id, width, &at)) {
        l.rows = op_refuse_as(t, ERR_DATA, "word %d at place %lld is not below %lld", (int)id[at], (long long)at,
                              (long long)width);
        return l;
    }
    int32_t *unique = NULL, *index = NULL;
    (void)unique_ids(t, width, n, id, &u, &unique, &index);
    real *value = tape_alloc(t, (size_t)(u * width) * sizeof *value);
    if (value) memset(value, 0, (size_t)(u * width) * sizeof *value);
    for (int64_t i = 0; value && i < u; i++) value[i * width + unique[i]] = 1;
    l.index = index;
    l.rows = tape_leaf(t, SHAPE2(value ? u : 0, width), value, NULL);
    return l;
}
