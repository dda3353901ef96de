/* location.c - e_j = (W s)_j: one score for each position, whatever stands there (Luong 2015). */
#include "trainer/op/shape.h"
#include "trainer/score/score.h"

enum { S, W };

static Status build(Score *s, Params *ps)
{
    const int64_t L = s->size.longest, A = s->size.attend;
    REQUIRE(L >= 1, ERR_CONFIG, "score location needs the greatest length, which is not known here");
    TRY(score_param(s, ps, S, "context", "the query", SHAPE2(1, A), INIT_NORMAL, 0.1));
    return score_param(s, ps, W, "W", "query to scores: rows are positions", SHAPE2(L, A), INIT_XAVIER, 1);
}

static Node *forward(const Score *s, Tape *t, Node *h, Segments keys)
{
    const int64_t N = h->shape.d[0], L = s->size.longest;
    int32_t *position = tape_alloc(t, (size_t)N * sizeof *position);
    for (int64_t i = 0; position && i < keys.n; i++) {
        const int64_t first = keys.offset[i], n = keys.offset[i + 1] - first;
        if (n > L)
            return op_refuse_as(t, ERR_DATA, "score location: %lld keys, but it has positions for %lld", (long long)n,
                                (long long)L);
        for (int64_t j = 0; j < n; j++) position[first + j] = (int32_t)j;
    }
    return op_gather(t, op_linear_nt(t, score_node(s, t, W), score_node(s, t, S)), N, position);
}

const ScoreDef score_location = {"location", "(W s)_j, one score for each position", "Luong 2015", build, forward, NULL,
                                 false};
