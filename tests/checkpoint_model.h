/* checkpoint_model.h - a small model with all that a run keeps, for the tests of checkpoints. */
#ifndef TESTS_CHECKPOINT_MODEL_H
#define TESTS_CHECKPOINT_MODEL_H
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "io/checkpoint/checkpoint.h"
#include "io/file/file.h"

enum { MODEL_COUNT = 12 + 5 + 70000 };

typedef struct Model {
    float value[MODEL_COUNT], moment[MODEL_COUNT];
    int64_t cursor[2], epoch;
    double best, rates[3];
    const char *schedule;
} Model;

static inline void model_fill(Model *m, int seed)
{
    for (int i = 0; i < MODEL_COUNT; i++) {
        m->value[i] = (float)sin(0.37 * i + seed);
        m->moment[i] = (float)cos(0.11 * i + seed) * 1e-30f;
    }
    m->value[3] = -0.0f;
    m->cursor[0] = (int64_t)seed << 40;
    m->cursor[1] = -seed;
    m->epoch = seed;
    m->best = -INFINITY; /* no measure yet */
    for (int i = 0; i < 3; i++) m->rates[i] = 0.1 * (i + seed);
    m->schedule = "plateau \"½\"";
}

static const char *const model_names[] = {"word/gru/forward/W", "word/gru/forward/b", "sentence/W"};

static inline void model_register(Checkpoint *c, Arena *arena, Model *m)
{
    checkpoint_begin(c, arena, "han", 4);
    c->program = "mneme 0.1.0";
    c->vocabulary = "0123456789abcdef";
    c->environment = "{\"ranks\": 2}";
    c->config = "model:\n  name: han\n";
    const CheckpointParam param[] = {{model_names[0], "input to gates", 2, {3, 4}, 0, 12},
                                     {model_names[1], NULL, 1, {5}, 12, 5},
                                     {model_names[2], "rows are sentences", 2, {700, 100}, 17, 70000}};
    for (int i = 0; i < 3; i++) CHECK_OK(checkpoint_param(c, &param[i]));
    CHECK_OK(checkpoint_buffer(c, "parameters", m->value, false));
    CHECK_OK(checkpoint_buffer(c, "optimizer/adam_m", m->moment, false));
    CHECK_OK(checkpoint_int(c, "cursor", m->cursor, 2, false));
    CHECK_OK(checkpoint_int(c, "epoch", &m->epoch, 1, false));
    CHECK_OK(checkpoint_real(c, "stop/best", &m->best, 1, false));
    CHECK_OK(checkpoint_real(c, "rates", m->rates, 3, false));
    CHECK_OK(checkpoint_text(c, "schedule/name", &m->schedule, false));
}

static inline void model_same(const Model *a, const Model *b)
{
    CHECK(memcmp(a->value, b->value, sizeof a->value) == 0, "parameters differ");
    CHECK(memcmp(a->moment, b->moment, sizeof a->moment) == 0, "optimiser state differs");
    CHECK(memcmp(a->cursor, b->cursor, sizeof a->cursor) == 0 && a->epoch == b->epoch, "integers differ");
    CHECK(memcmp(&a->best, &b->best, 8) == 0 && memcmp(a->rates, b->rates, sizeof a->rates) == 0, "reals differ");
    assert_string_equal(a->schedule, b->schedule);
}

#endif
