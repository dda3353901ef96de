/* score.c - the table of scores, and what they share: records, products, and the gradients that wait for the end. */
#include "trainer/attention/score/score.h"

#include <math.h>
#include <string.h>

#include "trainer/core/blas.h"

/* One line per score. Its definition is in <name>.c. */
#define SCORES(X)                                                                                                      \
    X(additive)                                                                                                        \
    X(dot)                                                                                                             \
    X(scaled_dot)                                                                                                      \
    X(general)                                                                                                         \
    X(concat)                                                                                                          \
    X(mlp)                                                                                                             \
    X(cosine)                                                                                                          \
    X(location)                                                                                                        \
    X(multi_dim)

#define DECLARE(name) extern const ScoreDef score_##name;
#define ROW(name)     &score_##name.component,
SCORES(DECLARE)
static const Component *const scores[] = {SCORES(ROW) NULL};

const Component *score_choice(int i) { return scores[i]; }
const char *score_name(int i) { return scores[i] ? scores[i]->name : NULL; }
const ScoreDef *score_find(const char *name) { return (const ScoreDef *)schema_find(score_choice, name); }

const ManySettings *score_many(const Chosen *score)
{
    return ((const ScoreDef *)score->def)->many ? score->settings : NULL;
}

const HiddenSettings *score_hidden(const Chosen *score)
{
    return ((const ScoreDef *)score->def)->hidden ? score->settings : NULL;
}

Status score_build(Score *s, Params *ps, const Chosen *score, ScoreSizes size, const char *path)
{
    const HiddenSettings *hidden = score_hidden(score);
    const ManySettings *many = score_many(score);
    *s = (Score){.def = (const ScoreDef *)score->def,
                 .settings = score->settings,
                 .size = size,
                 .hidden = hidden ? (hidden->width ? hidden->width : size.width) : 0,
                 .columns = many ? many->rows : 1,
                 .arena = ps->arena,
                 .path = path};
    return s->def->build(s, ps);
}

Status score_param(Score *s, Params *ps, int i, const char *name, const char *meaning, Shape shape, ParamInit init,
                   double scale)
{
    const char *full = arena_format(s->arena, "%s/%s", s->path, name);
    if (!full) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    TRY(param_add(&s->p[i], ps, full, shape, init, scale));
    s->p[i]->meaning = meaning;
    return OK;
}

Status score_same_widths(const Score *s)
{
    REQUIRE(
        s->size.query == s->size.width, ERR_CONFIG,
        "score %s needs a query as wide as the keys, but the query has %lld units and a key has %lld; score general "
        "takes any widths",
        s->def->component.name, (long long)s->size.query, (long long)s->size.width);
    return OK;
}

Status score_bilinear_param(Score *s, Params *ps, bool scaled, const char *more)
{
    s->scaled = scaled && !s->size.learnt;
    const char *meaning = arena_format(s->arena, "query to keys%s: rows are the query's%s",
                                       s->scaled ? ", times the root of the keys' width" : "", more);
    if (!meaning) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    const Shape shape = SHAPE2(s->size.query, s->columns * s->size.width);
    return score_param(s, ps, 0, s->scaled ? "scaled_W" : "W", meaning, shape, INIT_XAVIER, 1);
}

real score_bilinear(const Score *s) { return s->scaled ? (real)(1 / sqrt((double)s->size.width)) : 1; }

static int64_t longest_of(Segments keys)
{
    int64_t most = 0;
    for (int64_t i = 0; i < keys.n; i++) {
        const int64_t n = keys.offset[i + 1] - keys.offset[i];
        most = n > most ? n : most;
    }
    return most;
}

Status score_open(ScoreRun *r, const Score *s)
{
    r->score = s;
    r->longest = longest_of(r->keys);
    const int64_t record = score_record(r, r->slots);
    TRY_NEW(r->sentence, r->arena, r->slots);
    for (int64_t i = 0; i < r->slots; i++) r->sentence[i] = -1;
    TRY_NEW(r->e, r->arena, record);
    if (r->backward) {
        TRY_NEW(r->de, r->arena, record);
        r->query = arena_alloc(r->arena, (size_t)(r->slots * s->size.query) * sizeof(real));
        if (!r->query) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    }
    return s->def->open ? s->def->open(r) : OK;
}

void score_forward(ScoreRun *r, const ScoreBlock *b)
{
    const int64_t width = r->score->size.query;
    for (int64_t i = 0; i < b->rows; i++) r->sentence[b->slot + i] = b->sentence[i];
    for (int64_t i = 0; r->backward && width > 0 && i < b->rows; i++)
        memcpy(r->query + (b->slot + i) * width, b->query + i * b->ld_query, (size_t)width * sizeof(real));
    r->score->def->forward(r, b);
}

void score_backward(ScoreRun *r, const ScoreBlock *b) { r->score->def->backward(r, b); }

Status score_finish(ScoreRun *r, real *d_key)
{
    score_clear_unused(r, r->query, r->score->size.query);
    return r->score->def->finish(r, d_key);
}

void score_ask(const ScoreBlock *b, const Panel *p, const real *bias, real *out)
{
    const int64_t rows = b->ld_query == 0 && b->rows > 1 ? 1 : b->rows;
    panel_gemm_bias(rows, b->query, b->ld_query, p, bias, out, p->n);
    for (int64_t i = rows; i < b->rows; i++) memcpy(out + i * p->n, out, (size_t)p->n * sizeof *out);
}

void score_ask_backward(const ScoreBlock *b, const Panel *p, real *dx, int64_t ld_dx)
{
    const int64_t rows = b->ld_query == 0 && b->rows > 1 ? 1 : b->rows;
    for (int64_t i = rows; i < b->rows; i++) {
        kernels()->add(p->k, dx + i * ld_dx, dx);
        memset(dx + i * ld_dx, 0, (size_t)p->k * sizeof *dx);
    }
    panel_gemm(rows, dx, ld_dx, p, 1, b->d_query, b->ld_query);
}

void score_clear_unused(const ScoreRun *r, real *x, int64_t width)
{
    for (int64_t i = 0; i < r->slots; i++)
        if (r->sentence[i] < 0) memset(x + i * width, 0, (size_t)width * sizeof *x);
}

void score_products(const ScoreRun *r, const ScoreBlock *b, real scale, const real *key, int64_t width, const real *q,
                    int64_t ld_q)
{
    const int64_t K = r->score->columns;
    for (int64_t i = 0; i < b->rows; i++) {
        const int64_t at = r->keys.offset[b->sentence[i]], keys = r->keys.offset[b->sentence[i] + 1] - at;
        for (int64_t k = 0; k < K; k++) {
            real *e = r->e + score_record(r, b->slot + i) + k * keys + b->first[i];
            kernels()->rows_dot(b->n[i], width, key + (at + b->first[i]) * width, width, q + i * ld_q + k * width, e);
            if (scale != 1) kernels()->scale(b->n[i], scale, e);
        }
    }
}

void score_products_backward(const ScoreRun *r, const ScoreBlock *b, real scale, const real *key, int64_t width,
                             real *dq, int64_t ld_dq)
{
    const int64_t K = r->score->columns;
    for (int64_t i = 0; i < b->rows; i++) {
        const int64_t at = r->keys.offset[b->sentence[i]], keys = r->keys.offset[b->sentence[i] + 1] - at;
        for (int64_t k = 0; k < K; k++) {
            const real *de = r->de + score_record(r, b->slot + i) + k * keys + b->first[i];
            kernels()->weighted_sum_add(b->n[i], width, de, key + (at + b->first[i]) * width, width, scale,
                                        dq + i * ld_dq + k * width);
        }
    }
}

/* Slots of each example, one after the other: those of example b are list[start[b]] .. list[start[b + 1] - 1]. */
static Status slots_of_examples(const ScoreRun *r, Arena *scratch, int64_t **start, int64_t **list)
{
    TRY_NEW(*start, scratch, r->keys.n + 2);
    TRY_NEW(*list, scratch, r->slots);
    int64_t *next = *start + 1; /* while counting one further, so that filling leaves the starts */
    for (int64_t i = 0; i < r->slots; i++)
        if (r->sentence[i] >= 0) next[r->sentence[i] + 1]++;
    for (int64_t b = 0; b < r->keys.n; b++) next[b + 1] += next[b];
    for (int64_t i = 0; i < r->slots; i++)
        if (r->sentence[i] >= 0) (*list)[next[r->sentence[i]]++] = i;
    return OK;
}

static Status gather_here(const ScoreRun *r, real scale, const real *record, const real *x, int64_t width, real *out)
{
    const int64_t K = r->score->columns;
    int64_t *start, *list, most = 0;
    TRY(slots_of_examples(r, r->arena, &start, &list));
    for (int64_t b = 0; b < r->keys.n; b++) most = start[b + 1] - start[b] > most ? start[b + 1] - start[b] : most;
    real *weight, *row;
    TRY_NEW(weight, r->arena, most * K * r->longest);
    TRY_NEW(row, r->arena, most * K * width);
    for (int64_t b = 0; b < r->keys.n; b++) {
        const int64_t at = r->keys.offset[b], keys = r->keys.offset[b + 1] - at, n = start[b + 1] - start[b];
        if (keys == 0 || n == 0) continue;
        for (int64_t i = 0; i < n; i++) {
            const int64_t slot = list[start[b] + i];
            memcpy(weight + i * K * keys, record + score_record(r, slot), (size_t)(K * keys) * sizeof(real));
            memcpy(row + i * K * width, x + slot * K * width, (size_t)(K * width) * sizeof(real));
        }
        blas_gemm(true, false, keys, width, n * K, scale, weight, keys, row, width, 1, out + at * width, width);
    }
    return OK;
}

Status score_gather(const ScoreRun *r, real scale, const real *record, const real *x, int64_t width, real *out)
{
    const ArenaMark mark = arena_mark(r->arena);
    const Status st = gather_here(r, scale, record, x, width, out);
    arena_release(r->arena, mark);
    return st;
}
