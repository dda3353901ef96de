/* Gradients of linear maps, the loss, the sums of sentences and the memory hop. */
#include "gradient.h"

static void check(const GradientCase *c)
{
    gradient_check(c, 1e-8);
    gradient_without_memory(c);
}

static Node *linear(Tape *t, Node *const *x, const void *bias) { return op_linear(t, x[0], x[1], bias ? x[2] : NULL); }

TEST(linear_with_and_without_bias)
{
    check(&(GradientCase){.n = 2, .shape = {SHAPE2(5, 3), SHAPE2(3, 4)}, .build = linear});
    check(&(GradientCase){
        .n = 3, .shape = {SHAPE2(5, 3), SHAPE2(3, 4), SHAPE1(4)}, .build = linear, .context = "with a bias"});
}

static Node *linear_nt(Tape *t, Node *const *x, const void *context)
{
    (void)context;
    return op_linear_nt(t, x[0], x[1]);
}

TEST(linear_by_rows) { check(&(GradientCase){.n = 2, .shape = {SHAPE2(5, 3), SHAPE2(4, 3)}, .build = linear_nt}); }

static Node *loss(Tape *t, Node *const *x, const void *weight)
{
    static const int32_t target[] = {2, 0, 2, 1};
    return op_cross_entropy(t, x[0], target, weight, 0);
}

TEST(cross_entropy_with_and_without_weights)
{
    static const real weight[] = {(real)0.5, 2, (real)1.25};
    check(&(GradientCase){.n = 1, .shape = {SHAPE2(4, 3)}, .build = loss, .spread = 3});
    check(&(GradientCase){.n = 1, .shape = {SHAPE2(4, 3)}, .build = loss, .context = weight, .spread = 3});
}

/* Sentences of 3, 0, 1 and 4 words, with words that come twice. */
static const int64_t word_begin[] = {0, 3, 3, 4}, word_end[] = {3, 3, 4, 8};
static const int32_t word_id[] = {1, 4, 1, 0, 2, 4, 4, 3}, word_time[] = {3, 2, 2, 0};

static Node *sentences(Tape *t, Node *const *x, const void *position)
{
    const bool centred = position && strcmp(position, "centred") == 0;
    const SentenceRows rows = {4, word_begin, word_end, word_id, word_time, position != NULL, centred ? 5 : 0};
    return op_sentence_sum(t, x[0], x[1], &rows);
}

TEST(sentence_sums_as_bags_and_by_position)
{
    check(&(GradientCase){.n = 2, .shape = {SHAPE2(5, 3), SHAPE2(4, 3)}, .build = sentences});
    check(&(GradientCase){.n = 2, .shape = {SHAPE2(5, 3), SHAPE2(4, 3)}, .build = sentences, .context = "position"});
    check(&(GradientCase){.n = 2, .shape = {SHAPE2(5, 3), SHAPE2(4, 3)}, .build = sentences, .context = "centred"});
    check(&(GradientCase){.n = 2, .shape = {SHAPE2(5, 50), SHAPE2(4, 50)}, .build = sentences, .context = "position"});
}

static Node *hop(Tape *t, Node *const *x, const void *context)
{
    const MemoryRead *how = context;
    static const int64_t offset[] = {0, 3, 3, 5, 6};
    Node *weight;
    return op_memory_hop(t, x[0], x[1], x[2], (Segments){4, offset}, how ? *how : (MemoryRead){0}, &weight);
}

TEST(memory_hop_with_and_without_softmax)
{
    check(&(GradientCase){.n = 3, .shape = {SHAPE2(4, 3), SHAPE2(6, 3), SHAPE2(6, 3)}, .build = hop});
    check(&(GradientCase){.n = 3,
                          .shape = {SHAPE2(4, 3), SHAPE2(6, 3), SHAPE2(6, 3)},
                          .build = hop,
                          .context = &(MemoryRead){.linear = true}});
    check(&(GradientCase){.n = 3,
                          .shape = {SHAPE2(4, 3), SHAPE2(6, 3), SHAPE2(6, 3)},
                          .build = hop,
                          .context = &(MemoryRead){.slots = 5}});
    check(&(GradientCase){.n = 3, .shape = {SHAPE2(4, 35), SHAPE2(6, 35), SHAPE2(6, 35)}, .build = hop});
}

/* p_i = exp(u . m_i) / (sum_j exp(u . m_j) + slots without a sentence): of 5 slots, of as many as there are sentences, of
 * fewer. */
TEST(slots_without_a_sentence_take_their_part_of_the_weight)
{
    enum { N = 6, D = 3 };
    static const int64_t offset[] = {0, 3, 3, 5, 6};
    real u[4 * D], m[N * D], c[N * D];
    for (int i = 0; i < 4 * D; i++) u[i] = gradient_number((uint64_t)i);
    for (int i = 0; i < N * D; i++) {
        m[i] = gradient_number((uint64_t)(100 + i));
        c[i] = gradient_number((uint64_t)(200 + i));
    }
    for (int64_t slots = 0; slots <= 5; slots++) {
        Arena arena = {0};
        Tape t = gradient_tape(&arena);
        Node *weight;
        Node *x[] = {tape_leaf(&t, SHAPE2(4, D), u, NULL), tape_leaf(&t, SHAPE2(N, D), m, NULL),
                     tape_leaf(&t, SHAPE2(N, D), c, NULL)};
        const Node *y =
            op_memory_hop(&t, x[0], x[1], x[2], (Segments){4, offset}, (MemoryRead){.slots = slots}, &weight);
        CHECK_OK(tape_status(&t));
        for (int64_t b = 0; b < 4; b++) {
            const int64_t at = offset[b], n = offset[b + 1] - at;
            double e[N] = {0}, sum = slots > n ? (double)(slots - n) : 0, o[D] = {0};
            for (int64_t i = 0; i < n; i++) {
                for (int k = 0; k < D; k++) e[i] += (double)(u[b * D + k] * m[(at + i) * D + k]);
                sum += e[i] = exp(e[i]);
            }
            for (int64_t i = 0; i < n; i++) {
                CHECK_NEAR(weight->value[at + i], e[i] / sum, 1e-12);
                for (int k = 0; k < D; k++) o[k] += e[i] / sum * (double)c[(at + i) * D + k];
            }
            for (int k = 0; k < D; k++) CHECK_NEAR(y->value[b * D + k], o[k], 1e-12);
        }
        arena_close(&arena);
    }
}

static Node *own_memory(Tape *t, Node *const *x, const void *context)
{
    static const int64_t offset[] = {0, 2, 4};
    Node *weight;
    (void)context;
    return op_memory_hop(t, x[0], x[1], x[1], (Segments){2, offset}, (MemoryRead){0}, &weight);
}

TEST(memory_hop_with_keys_that_are_the_values)
{
    check(&(GradientCase){.n = 2, .shape = {SHAPE2(2, 3), SHAPE2(4, 3)}, .build = own_memory});
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(linear_with_and_without_bias),
                                       RUN(linear_by_rows),
                                       RUN(cross_entropy_with_and_without_weights),
                                       RUN(sentence_sums_as_bags_and_by_position),
                                       RUN(memory_hop_with_and_without_softmax),
                                       RUN(slots_without_a_sentence_take_their_part_of_the_weight),
                                       RUN(memory_hop_with_keys_that_are_the_values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
