/* heads.c - rows are projected, split into heads, attended to, joined and projected again. */
#include "trainer/attention/heads.h"

#include <math.h>
#include <string.h>

enum { QUERY, KEY, VALUE };
static const char *const part_name[HEADS_ROWS] = {"query", "key", "value"};

/* The rows by whose product a part is made: with self the keys' rows ask too, and without rows for values they give. */
static int rows_of(const Heads *h, int part)
{
    if (part == QUERY && !h->self) return QUERY;
    return part == VALUE && h->size.value > 0 ? VALUE : KEY;
}

static int64_t width_of(const Heads *h, int rows)
{
    return rows == QUERY ? h->size.query : rows == KEY ? h->size.key : h->size.value;
}

static Status param(Param **out, Params *ps, const char *path, const char *of, const char *name, Shape shape,
                    ParamInit init, double scale, const char *meaning)
{
    const char *full = arena_format(ps->arena, "%s/%s/%s", path, of, name);
    if (!full) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    TRY(param_add(out, ps, full, shape, init, scale));
    (*out)->meaning = meaning;
    return OK;
}

/* The parts that these rows are projected to lie side by side, each drawn as it would be alone. */
static Status declare_projection(Heads *h, Params *ps, int rows, const char *path)
{
    const int64_t D = width_of(h, rows), E = h->size.width;
    int parts = 0;
    for (int p = 0; p < HEADS_ROWS; p++) parts += rows_of(h, p) == rows;
    if (parts == 0) return OK;
    const double scale = sqrt((double)(D + parts * E) / (double)(D + E));
    TRY(param(&h->w[rows], ps, path, part_name[rows], "W", SHAPE2(D, parts * E), INIT_XAVIER, scale,
              "rows are inputs, columns queries, keys, values of all heads, as far as they come from here"));
    return param(&h->b[rows], ps, path, part_name[rows], "b", SHAPE1(parts * E), INIT_ZERO, 0, "bias");
}

static Status check(const HeadsSizes *s)
{
    REQUIRE(s->heads >= 1 && s->width >= 1 && s->width % s->heads == 0, ERR_CONFIG,
            "%lld heads do not divide a width of %lld units: each needs the same number", (long long)s->heads,
            (long long)s->width);
    return OK;
}

Status heads_build(Heads *h, Params *ps, const AttendSettings *s, HeadsSizes size, const char *path)
{
    TRY(check(&size));
    *h = (Heads){.size = size, .self = strcmp(size.apply, "self") == 0};
    for (int rows = 0; rows < HEADS_ROWS; rows++) TRY(declare_projection(h, ps, rows, path));
    TRY_NEW(h->attend, ps->arena, size.heads);
    const int64_t share = size.width / size.heads;
    for (int64_t i = 0; i < size.heads; i++) {
        const char *of_head = arena_format(ps->arena, "%s/head %lld", path, (long long)i);
        if (!of_head) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
        TRY(attend_build(&h->attend[i], ps, s,
                         (AttendUse){.apply = size.apply, .keys = share, .query = share, .longest = size.longest},
                         of_head));
    }
    const int64_t joined = size.heads * attend_width(h->attend[0]);
    TRY(param(&h->out_w, ps, path, "output", "W", SHAPE2(joined, size.output), INIT_XAVIER, 1,
              "rows are contexts of all heads"));
    return param(&h->out_b, ps, path, "output", "b", SHAPE1(size.output), INIT_ZERO, 0, "bias");
}

/* Where a part's columns begin in the product of its rows. */
static int64_t first_column(const Heads *h, int part)
{
    int64_t before = 0;
    for (int p = 0; p < part; p++) before += rows_of(h, p) == rows_of(h, part);
    return before * h->size.width;
}

/* More columns than an operation has inputs are joined by and by. */
static Node *join(Tape *t, int64_t n, Node **x)
{
    while (n > 1) {
        int64_t joined = 0;
        for (int64_t i = 0; i < n; i += NODE_INPUTS)
            x[joined++] = op_concat(t, (int)(n - i < NODE_INPUTS ? n - i : NODE_INPUTS), x + i);
        n = joined;
    }
    return x[0];
}

static void view(Node *context, Tape *t, const TapeView *as, int64_t head)
{
    TapeView v = *as;
    v.head = (int)head;
    attend_node_view(context, t, &v);
}

Node *heads_forward(const Heads *h, Tape *t, const HeadsAsk *ask, Node **penalty)
{
    Node *const rows[HEADS_ROWS] = {ask->query, ask->key, ask->value};
    Node *product[HEADS_ROWS] = {NULL}, **context = tape_alloc(t, (size_t)h->size.heads * sizeof(Node *));
    for (int i = 0; i < HEADS_ROWS; i++)
        if (h->w[i]) product[i] = op_linear(t, rows[i], tape_param(t, h->w[i]), tape_param(t, h->b[i]));
    if (t->status != OK) return product[KEY];
    const int64_t share = h->size.width / h->size.heads;
    for (int64_t i = 0; i < h->size.heads; i++) {
        Node *part[HEADS_ROWS];
        for (int p = 0; p < HEADS_ROWS; p++)
            part[p] = op_columns(t, product[rows_of(h, p)], first_column(h, p) + i * share, share);
        context[i] = attend_node(h->attend[i], t,
                                 &(AttendAsk){.query = part[QUERY],
                                              .queries = h->self ? ask->keys : ask->queries,
                                              .key = part[KEY],
                                              .value = part[VALUE],
                                              .keys = ask->keys,
                                              .row_key = ask->row_key});
        if (ask->view) view(context[i], t, ask->view, i);
        Node *more = attend_node_penalty(context[i], t);
        if (more) *penalty = *penalty ? op_add(t, *penalty, more) : more;
    }
    return op_linear(t, join(t, h->size.heads, context), tape_param(t, h->out_w), tape_param(t, h->out_b));
}
