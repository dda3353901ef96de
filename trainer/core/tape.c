/* tape.c - nodes in the order of making, walked back from the loss. */
#include "trainer/core/tape.h"

#include <math.h>
#include <string.h>

Tape tape_begin(Arena *arena) { return (Tape){.arena = arena, .status = OK}; }

Status tape_status(const Tape *t) { return t->status; }

void tape_fail(Tape *t, Status st)
{
    if (t->status == OK) t->status = st;
}

void *tape_alloc(Tape *t, size_t bytes)
{
    if (t->status != OK) return NULL;
    void *p = arena_alloc(t->arena, bytes);
    if (!p) tape_fail(t, ERR_HOST);
    return p;
}

/* What ops return once the tape has failed: it has no elements, and nothing is done with it. */
static Node *nothing(void)
{
    static _Thread_local Node node;
    node = (Node){.shape = {.n = 1}};
    return &node;
}

static Node *push(Tape *t, Node node)
{
    Node *n = tape_alloc(t, sizeof *n);
    if (!n) return nothing();
    *n = node;
    n->before = t->last;
    t->last = n;
    return n;
}

Node *tape_leaf(Tape *t, Shape shape, real *value, real *grad)
{
    return push(t, (Node){.shape = shape, .value = value, .grad = grad, .needs_grad = grad != NULL});
}

Node *tape_param(Tape *t, Param *p)
{
    const bool learnt = !p->frozen && p->average == 0 && t->n_wanted == 0;
    return push(t, (Node){.shape = p->shape,
                          .value = p->value,
                          .grad = learnt && !p->as_rows ? p->grad : NULL,
                          .needs_grad = learnt,
                          .param = p,
                          .label = p->name});
}

Node *tape_node(Tape *t, const OpDef *op, Shape shape, int n_in, Node *const *in, bool *ok)
{
    *ok = false;
    if (t->status != OK) return nothing();
    Node node = {.op = op, .shape = shape, .n_in = n_in};
    for (int i = 0; i < n_in; i++) {
        node.in[i] = in[i];
        if (in[i] && in[i]->needs_grad) node.needs_grad = true;
    }
    node.value = tape_alloc(t, (size_t)shape_count(&shape) * sizeof(real));
    Node *n = push(t, node);
    *ok = t->status == OK;
    return n;
}

RandomKey tape_random(Tape *t, RandomUse use)
{
    /* the place in the pass is the number, the step is mixed into the seed: both are the same on all ranks */
    const RandomKey step = random_key(t->seed, use, t->step);
    return random_key((uint64_t)step.word[1] << 32 | step.word[0], use, t->uses++);
}

Status tape_backward(Tape *t, Node *loss, real scale)
{
    if (t->status != OK) return t->status;
    REQUIRE(shape_count(&loss->shape) == 1, ERR_INTERNAL, "the loss has %lld elements instead of 1",
            (long long)shape_count(&loss->shape));
    real *d = node_grad(t, loss);
    if (d) *d += scale;
    for (Node *n = t->last; n && t->status == OK; n = n->before)
        if (n->op && n->op->backward && (n->grad || n->owes)) n->op->backward(t, n);
    return t->status;
}

static bool finite_all(const real *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(x[i])) return false;
    return true;
}

const Node *tape_first_nonfinite(const Tape *t)
{
    const Node *first = NULL;
    for (const Node *n = t->last; n; n = n->before) {
        const int64_t count = shape_count(&n->shape);
        if ((n->value && !finite_all(n->value, count)) || (n->op && n->grad && !finite_all(n->grad, count))) first = n;
    }
    return first;
}

void tape_view(Tape *t, const TapeView *v)
{
    if (!t->watch) return;
    TapeView *copy = tape_alloc(t, sizeof *copy);
    if (!copy) return;
    *copy = *v;
    copy->next = NULL;
    TapeView **end = &t->views; /* in the order in which the model made them */
    while (*end) end = &(*end)->next;
    *end = copy;
}

bool tape_wants(const Tape *t, const int32_t *id)
{
    for (int i = 0; i < t->n_wanted; i++)
        if (t->wanted[i] == id) return true;
    return false;
}
