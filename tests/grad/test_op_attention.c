/* Gradients of normalisations, dropout and of what works on segments. */
#include "gradient.h"

static void check(const GradientCase *c)
{
    gradient_check(c, 1e-8);
    gradient_without_memory(c);
}

static Node *single(Tape *t, Node *const *x, const void *f)
{
    return (*(Node * (*const *)(Tape *, Node *)) f)(t, x[0]);
}

TEST(softmax_of_rows)
{
    Node *(*const f[])(Tape *, Node *) = {op_softmax};
    for (size_t i = 0; i < sizeof f / sizeof *f; i++)
        check(&(GradientCase){.n = 1, .shape = {SHAPE2(3, 11)}, .build = single, .context = &f[i], .spread = 2});
}

static Node *layer_norm(Tape *t, Node *const *x, const void *context)
{
    (void)context;
    return op_layer_norm(t, x[0], x[1], x[2]);
}

TEST(layer_norm_of_rows)
{
    check(&(GradientCase){.n = 3, .shape = {SHAPE2(3, 7), SHAPE1(7), SHAPE1(7)}, .build = layer_norm, .spread = 2});
}

static Node *dropout(Tape *t, Node *const *x, const void *context)
{
    static const uint64_t key[] = {3, 4, 5, 1 << 20};
    (void)context;
    return op_dropout(t, x[0], 0.4, key);
}

TEST(dropout_of_rows) { check(&(GradientCase){.n = 1, .shape = {SHAPE2(4, 11)}, .build = dropout}); }

/* Segments of 3, 0, 1 and 2 rows. */
static const int64_t offset[] = {0, 3, 3, 4, 6};
static const Segments segments = {4, offset};

static Node *weighted(Tape *t, Node *const *x, const void *context)
{
    (void)context;
    return op_segment_weighted_sum(t, x[0], x[1], segments);
}

TEST(weighted_sums_over_segments)
{
    check(&(GradientCase){.n = 2, .shape = {SHAPE2(6, 2), SHAPE2(6, 5)}, .build = weighted});
}

static Node *pool(Tape *t, Node *const *x, const void *context)
{
    Node *weight;
    (void)context;
    return op_pool_additive(t, x[0], x[1], x[2], x[3], segments, &weight);
}

TEST(additive_pooling)
{
    check(&(GradientCase){.n = 4, .shape = {SHAPE2(6, 5), SHAPE2(5, 3), SHAPE1(3), SHAPE1(3)}, .build = pool});
    check(&(GradientCase){.n = 4, .shape = {SHAPE2(6, 19), SHAPE2(19, 17), SHAPE1(17), SHAPE1(17)}, .build = pool});
}

typedef struct Table {
    Params params;
    Param *words;
} Table;

static const int32_t ids[] = {4, 0, 2, 4, 66, 2, 4};

static Node *embed_loss(Tape *t, void *context)
{
    Table *table = context;
    Lookup a = op_embed_unique(t, table->words, 7, ids), b = op_embed_unique(t, table->words, 3, ids + 2);
    Node *x = op_gather(t, a.rows, a.n, a.index), *y = op_gather(t, b.rows, b.n, b.index);
    return op_add(t, gradient_loss(t, x), op_sum_squares(t, y));
}

TEST(embedding_as_rows_and_dense)
{
    for (int as_rows = 0; as_rows < 2; as_rows++) {
        Arena run = {0};
        Table table = {.params = {.arena = &run}};
        CHECK_OK(param_add(&table.words, &table.params, "words", SHAPE2(70, 3), INIT_NORMAL, 1));
        table.words->as_rows = as_rows;
        table.words->zero_row = true;
        CHECK_OK(params_allocate(&table.params, 1));
        gradient_check_params(&table.params, embed_loss, &table, 1e-8);
        arena_close(&run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(softmax_of_rows),
                                       RUN(layer_norm_of_rows),
                                       RUN(dropout_of_rows),

                                       RUN(weighted_sums_over_segments),

                                       RUN(additive_pooling),
                                       RUN(embedding_as_rows_and_dense)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
