/* shape.c - refusals and checks that the ops share. */
#include "trainer/op/shape.h"

#include <stdarg.h>
#include <stdio.h>

static const OpDef refused = {"refused", NULL};

/* The node of a tape that failed. */
static Node *no_node(Tape *t)
{
    bool ok;
    return tape_node(t, &refused, SHAPE1(0), 0, NULL, &ok);
}

static Node *refuse(Tape *t, Status code, const char *format, va_list args)
{
    if (t->status == OK) {
        char text[512];
        vsnprintf(text, sizeof text, format, args);
        tape_fail(t, status_fail(code, __FILE__, __LINE__, __func__, "%s", text));
    }
    return no_node(t);
}

Node *op_refuse(Tape *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    Node *n = refuse(t, ERR_INTERNAL, format, args);
    va_end(args);
    return n;
}

Node *op_refuse_as(Tape *t, Status code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    Node *n = refuse(t, code, format, args);
    va_end(args);
    return n;
}

const char *op_shape_text(const Node *n)
{
    static _Thread_local char text[4][96];
    static _Thread_local unsigned next;
    char *out = text[next++ % 4];
    int at = snprintf(out, sizeof text[0], "(");
    for (int i = 0; i < n->shape.n; i++)
        at += snprintf(out + at, sizeof text[0] - (size_t)at, "%s%lld", i ? "," : "", (long long)n->shape.d[i]);
    snprintf(out + at, sizeof text[0] - (size_t)at, ")");
    return out;
}

bool op_same_shape(const Node *a, const Node *b)
{
    if (a->shape.n != b->shape.n) return false;
    for (int i = 0; i < a->shape.n; i++)
        if (a->shape.d[i] != b->shape.d[i]) return false;
    return true;
}

bool op_is(const Node *x, int axes) { return x->shape.n == axes; }

Node *op_like(Tape *t, const OpDef *def, Node *x, bool *ok) { return tape_node(t, def, x->shape, 1, &x, ok); }

bool op_ids_within(int64_t n, const int32_t *id, int64_t limit, int64_t *at)
{
    if (n == 0 || (int64_t)kernels()->largest_id(n, id) < limit) return true;
    for (*at = 0; (int64_t)(uint32_t)id[*at] < limit;) ++*at;
    return false;
}

bool op_segments_cover(Segments s, int64_t rows)
{
    if (s.n < 0 || s.offset[0] != 0 || s.offset[s.n] != rows) return false;
    for (int64_t i = 0; i < s.n; i++)
        if (s.offset[i] > s.offset[i + 1]) return false;
    return true;
}
