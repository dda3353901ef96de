/* pairs.h - a small sequence-to-sequence model and a batch of pairs for tests. */
#ifndef TESTS_PAIRS_H
#define TESTS_PAIRS_H
#include "component.h"
#include "io/text/vocab.h"
#include "model_data.h"
#include "packed.h"
#include "trainer/model/model.h"
#include "trainer/op/op.h"

enum { PAIRS_SOURCE = 11, PAIRS_TARGET = 9, PAIRS_BYTES = 1024, PAIRS_MOST = 8 };

typedef struct Pairs {
    Arena run;
    Params params;
    Model *model;
    Batch batch;
    Packed source, target;
    int64_t example[PAIRS_MOST];
    _Alignas(16) char settings[PAIRS_BYTES];
} Pairs;

/* Lengths differ; one source and one target have no word. */
#define PAIRS_SOURCE_TEXT "4 5 6 7|8 9|10 4 4 5 9|5||6 10"
#define PAIRS_TARGET_TEXT "4 5|6 7 8 4||5 5 6|8|7 4"

static inline void pairs_batch(Pairs *p, const char *source, const char *target)
{
    p->batch = (Batch){.example = p->example, .n_fields = target ? 2 : 1};
    p->batch.field[0] = packed_field(&p->source, "source", 1, source);
    if (target) p->batch.field[1] = packed_field(&p->target, "target", 1, target);
    p->batch.B = p->batch.all = p->batch.field[0].count[0];
    for (int i = 0; i < PAIRS_MOST; i++) p->example[i] = 20 + 3 * i;
}

/* set: key, value, ..., NULL. Sizes are small unless set says otherwise. */
static inline Status pairs_build(Pairs *p, bool shared, const char *const *set)
{
    *p = (Pairs){0};
    p->params.arena = &p->run;
    const Component *c = component_find(model_choice, "seq2seq");
    CHECK(c->size <= sizeof p->settings, "settings of %zu bytes", c->size);
    component_settings(c, p->settings,
                       (const char *const[]){"dim", "3", "encoder.hidden", "4", "embedding_spread", "0.8", NULL});
    const char *const *said = set;
    for (; set && set[0]; set += 2) component_put(c, p->settings, set[0], set[1]);
    component_small(c, p->settings, said);
    const ModelData data = {MODEL_DATA(PAIRS_SOURCE, shared ? PAIRS_SOURCE : PAIRS_TARGET, 6, 6), .shared = shared};
    return model_build(&p->model, &p->run, &p->params, c, p->settings, &data);
}

static inline void pairs_open(Pairs *p, bool shared, const char *const *set)
{
    CHECK_OK(pairs_build(p, shared, set));
    CHECK_OK(params_allocate(&p->params, 3));
    CHECK_OK(model_init(p->model));
    for (int i = 0; i < p->params.n; i++) { /* biases that are not 0 */
        Param *q = p->params.item[i];
        for (int64_t j = q->zero_row ? q->shape.d[1] : 0; j < q->count; j++)
            q->value[j] += (real)(0.3 * sin(1.3 * (double)j + i));
    }
    pairs_batch(p, PAIRS_SOURCE_TEXT, PAIRS_TARGET_TEXT);
}

/* As a task makes it: the sum of -log p of all words, which a reward is told of. */
static inline Node *pairs_loss(Tape *t, const Prediction *p)
{
    const PredictionWords *k = &p->words;
    real *each = tape_alloc(t, (size_t)k->x->shape.d[0] * sizeof *each);
    Node *loss = op_output_loss(t, k->x, k->w, k->bias, k->target, 0, each);
    prediction_reward(p, t, each);
    return loss;
}

#endif
