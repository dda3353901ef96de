/* Gradients of the element-wise operations and of those that move elements about. */
#include "gradient.h"

static Node *pair(Tape *t, Node *const *x, const void *f)
{
    return (*(Node * (*const *)(Tape *, Node *, Node *)) f)(t, x[0], x[1]);
}

static Node *single(Tape *t, Node *const *x, const void *f)
{
    return (*(Node * (*const *)(Tape *, Node *)) f)(t, x[0]);
}

static void check(const GradientCase *c)
{
    gradient_check(c, 1e-8);
    gradient_without_memory(c);
}

TEST(functions_of_one_node)
{
    Node *(*const f[])(Tape *, Node *) = {op_tanh, op_sigmoid, op_relu, op_relu_half, op_sum, op_sum_squares};
    for (size_t i = 0; i < sizeof f / sizeof *f; i++)
        check(&(GradientCase){.n = 1, .shape = {SHAPE2(3, 5)}, .build = single, .context = &f[i], .spread = 2});
}

TEST(functions_of_two_nodes)
{
    Node *(*const same[])(Tape *, Node *, Node *) = {op_add, op_mul};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        check(&(GradientCase){.n = 2, .shape = {SHAPE2(3, 4), SHAPE2(3, 4)}, .build = pair, .context = &same[i]});
    Node *(*const row)(Tape *, Node *, Node *) = op_add_row;
    check(&(GradientCase){.n = 2, .shape = {SHAPE2(3, 4), SHAPE1(4)}, .build = pair, .context = &row});
    Node *(*const stack)(Tape *, Node *, Node *) = op_stack;
    check(&(GradientCase){.n = 2, .shape = {SHAPE2(3, 4), SHAPE2(2, 4)}, .build = pair, .context = &stack});
}

static Node *square(Tape *t, Node *const *x, const void *context)
{
    (void)context;
    return op_mul(t, x[0], x[0]);
}

TEST(a_node_may_be_used_twice) { check(&(GradientCase){.n = 1, .shape = {SHAPE1(6)}, .build = square}); }

static Node *scaled(Tape *t, Node *const *x, const void *context)
{
    (void)context;
    return op_reshape(t, op_scale(t, x[0], (real)-1.5), SHAPE2(4, 3));
}

TEST(scale_and_reshape) { check(&(GradientCase){.n = 1, .shape = {SHAPE2(2, 6)}, .build = scaled}); }

static Node *concat(Tape *t, Node *const *x, const void *context)
{
    (void)context;
    return op_concat(t, 3, (Node *[]){x[0], x[1], x[0]});
}

TEST(concat_of_different_widths)
{
    check(&(GradientCase){.n = 2, .shape = {SHAPE2(3, 2), SHAPE2(3, 4)}, .build = concat});
}

static Node *gather(Tape *t, Node *const *x, const void *context)
{
    static const int32_t index[] = {3, 0, 3, 1, 3};
    (void)context;
    return op_gather(t, x[0], 5, index);
}

TEST(gather_with_a_row_taken_often) { check(&(GradientCase){.n = 1, .shape = {SHAPE2(4, 3)}, .build = gather}); }

static Node *columns_squared(Tape *t, Node *const *x, const void *context)
{
    (void)context;
    Node *part = op_columns(t, x[0], 1, 3);
    return op_mul(t, part, op_columns(t, x[0], 0, 3));
}

TEST(columns_may_overlap)
{
    const GradientCase c = {.n = 1, .shape = {SHAPE2(3, 4)}, .build = columns_squared};
    gradient_check(&c, 1e-9);
    gradient_without_memory(&c);
}

static Node *maxout(Tape *t, Node *const *x, const void *context)
{
    (void)context;
    return op_maxout(t, x[0]);
}

TEST(maxout_of_pairs)
{
    const GradientCase c = {.n = 1, .shape = {SHAPE2(3, 6)}, .build = maxout};
    gradient_check(&c, 1e-9);
    gradient_without_memory(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(functions_of_one_node),      RUN(functions_of_two_nodes),
                                       RUN(a_node_may_be_used_twice),   RUN(scale_and_reshape),
                                       RUN(concat_of_different_widths), RUN(gather_with_a_row_taken_often),
                                       RUN(columns_may_overlap),        RUN(maxout_of_pairs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
