/* node.c - the gradient of a node, made when it is first needed. */
#include <string.h>

#include "trainer/core/tape.h"

real *node_grad(Tape *t, Node *n)
{
    if (!n->needs_grad || n->grad) return n->grad;
    const size_t bytes = (size_t)shape_count(&n->shape) * sizeof(real);
    n->grad = tape_alloc(t, bytes);
    if (n->grad) memset(n->grad, 0, bytes);
    return n->grad;
}
