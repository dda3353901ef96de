/* nest.h - a small nested model and a batch with unknown words, and where its words look: for tests. */
#ifndef TESTS_NEST_H
#define TESTS_NEST_H
#include "gradient.h"
#include "pairs.h"

enum { CHARACTERS = 10, NEST_MOST = 8 };

typedef struct Nest {
    Pairs pairs;
    Packed source_chars, target_chars;
    _Alignas(16) char settings[PAIRS_BYTES];
} Nest;

/* Words 1 are unknown. One source and one target have no word. */
static const char nest_source[] = "4 1 6 1|8 9|10 1||5";
static const char nest_target[] = "1 5|6 1 1 4||1 5|8";
static const char nest_source_letters[] = "4 5/6 7 8/5/9 9/|4/5 5/|6/7 8 4/||5 4/";
static const char nest_target_letters[] = "6 7/4/|5 5 5/8/9 4 7/6/||5 5/4/|8/";

static inline void nest_batch(Nest *n, const char *source, const char *target, const char *source_letters,
                              const char *target_letters)
{
    Pairs *p = &n->pairs;
    pairs_batch(p, source, target);
    p->batch.field[2] = packed_field(&n->source_chars, "source_chars", 2, source_letters);
    p->batch.field[3] = packed_field(&n->target_chars, "target_chars", 2, target_letters);
    p->batch.n_fields = 4;
}

static inline Status nest_build(Nest *n, int64_t characters, const char *const *set)
{
    static const char *const small[] = {
        "dim", "3", "encoder.hidden", "4", "characters.dim", "2", "characters.hidden", "3", "embedding_spread",
        "0.8", NULL};
    *n = (Nest){0};
    Pairs *p = &n->pairs;
    p->params.arena = &p->run;
    const Component *c = component_find(model_choice, "nested");
    CHECK(c->size <= sizeof n->settings, "settings of %zu bytes", c->size);
    component_settings(c, n->settings, small);
    const char *const *said = set;
    bool shared = false; /* one vocabulary where the attention is guided */
    for (; set && set[0]; set += 2) {
        component_put(c, n->settings, set[0], set[1]);
        shared = shared || strcmp(set[0], "guide") == 0;
    }
    component_small(c, n->settings, said);
    const ModelData data = {MODEL_DATA_SPELLED(PAIRS_SOURCE, shared ? PAIRS_SOURCE : PAIRS_TARGET, characters, 6, 6),
                            .shared = shared};
    return model_build(&p->model, &p->run, &p->params, c, n->settings, &data);
}

static inline void nest_open(Nest *n, const char *const *set)
{
    CHECK_OK(nest_build(n, CHARACTERS, set));
    Pairs *p = &n->pairs;
    CHECK_OK(params_allocate(&p->params, 3));
    CHECK_OK(model_init(p->model));
    for (int i = 0; i < p->params.n; i++) {
        Param *q = p->params.item[i];
        for (int64_t j = q->zero_row ? q->shape.d[1] : 0; j < q->count; j++)
            q->value[j] += (real)(0.3 * sin(1.3 * (double)j + i));
    }
    nest_batch(n, nest_source, nest_target, nest_source_letters, nest_target_letters);
}

/* weight (n + 1, NEST_MOST): where the model looks, word by word, while it makes these words and their end. */
static inline void nest_weights(Nest *n, int32_t example, int64_t words, const int32_t *word, double *weight)
{
    const ModelGenerate *g = n->pairs.model->def->generate;
    const int32_t first = 0;
    const Ragged *source = &n->pairs.batch.field[0];
    Arena a = {0};
    Tape t = tape_begin(&a);
    Generation made;
    CHECK_OK(g->open(n->pairs.model, &t, &n->pairs.batch, 1, &made));
    for (int64_t k = 0; k <= words; k++) {
        const int32_t before = k ? word[k - 1] : VOCAB_BOS;
        GenerateOut out;
        CHECK_OK(g->step(
            made.state,
            &(GenerateStep){.rows = 1, .step = k, .sentence = &example, .parent = k ? &first : NULL, .word = &before},
            &out));
        for (int64_t j = 0; j < source->offset[0][example + 1] - source->offset[0][example]; j++)
            weight[k * NEST_MOST + j] = (double)out.weight[0][j];
    }
    arena_close(&a);
}

#endif
