/* table_model.h - a model of sequences that is a table: the logits after a history are drawn from a hash of example and
 * history, and so is where it looks. What a search should find can then be enumerated. */
#ifndef TESTS_TABLE_MODEL_H
#define TESTS_TABLE_MODEL_H
#include <stdio.h>

#include "model_data.h"
#include "trainer/decode/decode.h"

enum { TABLE_SOURCES = 64, TABLE_WORDS = 4096, TABLE_MOST = 4 };

typedef struct TableModel {
    Model model;
    ModelDef def;
    uint64_t seed;
    double end; /* added to the logit of the end */
    bool attention, equal, broken;
    int64_t refuse_after; /* rows that are more than announced fail */
    int64_t rows, steps;  /* asked for so far: what the work was */
    /* of the open batch */
    Arena *arena;
    const Batch *batch;
    int64_t most;
    uint64_t *hash, *next;
    real *logits;
    const real **weight;
} TableModel;

static uint64_t table_mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0x9E3779B97F4A7C15u;
    h ^= h >> 29;
    h *= 0xBF58476D1CE4E5B9u;
    return h ^ (h >> 32);
}

static double table_number(uint64_t h) { return (double)(h >> 11) / 9007199254740992.0; }

static double table_logit(const TableModel *m, uint64_t history, int64_t word)
{
    if (m->broken) return NAN;
    const double x = m->equal ? 0 : (double)(float)(4 * table_number(table_mix(history, 1000 + (uint64_t)word)) - 2);
    return word == VOCAB_EOS ? x + m->end : x;
}

static uint64_t table_start(const TableModel *m, int64_t example)
{
    return table_mix(table_mix(m->seed, (uint64_t)example), VOCAB_BOS);
}

static void table_look(uint64_t history, int64_t n, real *w)
{
    double sum = 0;
    for (int64_t j = 0; j < n; j++) sum += table_number(table_mix(history, 5000 + (uint64_t)j));
    for (int64_t j = 0; j < n; j++) w[j] = (real)(table_number(table_mix(history, 5000 + (uint64_t)j)) / sum);
}

static Status table_open(Model *model, Tape *t, const Batch *b, int64_t rows, Generation *out)
{
    TableModel *m = model->state;
    m->arena = t->arena;
    m->batch = b;
    m->most = rows;
    TRY_NEW(m->hash, t->arena, rows);
    TRY_NEW(m->next, t->arena, rows);
    TRY_NEW(m->logits, t->arena, rows * model_words(&model->data, ROLE_TARGET));
    TRY_NEW(m->weight, t->arena, rows);
    *out = (Generation){.state = m, .memory = {b->B, b->field[0].offset[0]}};
    return OK;
}

static Status table_step(void *state, const GenerateStep *s, GenerateOut *out)
{
    TableModel *m = state;
    const int64_t V = model_words(&m->model.data, ROLE_TARGET);
    REQUIRE(s->rows <= m->most, ERR_INTERNAL, "%lld rows of %lld", (long long)s->rows, (long long)m->most);
    m->rows += s->rows;
    m->steps++;
    for (int64_t r = 0; r < s->rows; r++) {
        const int64_t b = s->sentence[r], *offset = m->batch->field[0].offset[0];
        m->next[r] = s->step == 0 ? table_start(m, m->batch->example[b])
                                  : table_mix(m->hash[s->parent[r]], (uint64_t)s->word[r]);
        for (int64_t v = 0; v < V; v++) m->logits[r * V + v] = (real)table_logit(m, m->next[r], v);
        real *w;
        TRY_NEW(w, m->arena, offset[b + 1] - offset[b]);
        table_look(m->next[r], offset[b + 1] - offset[b], w);
        m->weight[r] = w;
    }
    uint64_t *swap = m->hash;
    m->hash = m->next;
    m->next = swap;
    *out = (GenerateOut){.logits = m->logits, .weight = m->attention ? m->weight : NULL};
    return OK;
}

static const ModelGenerate table_generate = {.open = table_open, .step = table_step};

static void table_model(TableModel *m, int64_t words, uint64_t seed)
{
    *m = (TableModel){.seed = seed, .attention = true};
    m->def.component.name = "table";
    m->def.generate = &table_generate;
    m->model.def = &m->def;
    m->model.state = m;
    m->model.data = (ModelData){MODEL_DATA(2, words, 0, 0)};
}

/* Examples numbered from first, of lengths that repeat from 1 to 4 words. */
typedef struct TableBatch {
    Batch batch;
    int64_t number[TABLE_SOURCES], offset[TABLE_SOURCES + 1];
    int32_t id[TABLE_WORDS];
} TableBatch;

static int64_t table_source(int64_t example) { return 1 + example % 4; }

static void table_batch(TableBatch *t, int64_t first, int64_t n)
{
    static const DataField source = {.name = "source", .role = ROLE_INPUT, .levels = 1};
    memset(t, 0, sizeof *t);
    for (int64_t b = 0; b < n; b++) {
        t->number[b] = first + b;
        t->offset[b + 1] = t->offset[b] + table_source(first + b);
    }
    t->batch = (Batch){.B = n, .all = n, .example = t->number, .n_fields = 1};
    t->batch.field[0] = (Ragged){.field = &source, .count = {n, t->offset[n]}, .offset = {t->offset}, .id = t->id};
}

static DecodeSettings table_settings(void)
{
    return (DecodeSettings){.search = DECODE_BEAM,
                            .beam = 5,
                            .nbest = 1,
                            .batch = 64,
                            .length_penalty = DECODE_GNMT,
                            .alpha = 0.6,
                            .stop = DECODE_STOP_BEAM,
                            .unknown = DECODE_KEEP,
                            .dictionary = "",
                            .max_words = TABLE_MOST,
                            .temperature = 1};
}

#endif
