/* score.c - the table of scores. */
#include "trainer/attention/score/score.h"

#include <string.h>

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
#define ROW(name)     &score_##name,
SCORES(DECLARE)
static const ScoreDef *const scores[] = {SCORES(ROW) NULL};

const char *score_name(int i) { return scores[i] ? scores[i]->name : NULL; }

const ScoreDef *score_find(const char *name)
{
    for (int i = 0; scores[i]; i++)
        if (strcmp(scores[i]->name, name) == 0) return scores[i];
    return NULL;
}

Status score_build(Score *s, Params *ps, const ScoreDef *def, ScoreSizes size, const char *path)
{
    *s = (Score){.def = def, .size = size, .arena = ps->arena, .path = path};
    return def->build(s, ps);
}

Node *score_forward(const Score *s, Tape *t, Node *h, Segments keys) { return s->def->forward(s, t, h, keys); }

int64_t score_columns(const Score *s) { return s->def->many ? s->size.rows : 1; }

Status score_param(Score *s, Params *ps, int i, const char *name, const char *meaning, Shape shape, ParamInit init,
                   double scale)
{
    const char *full = arena_format(s->arena, "%s/%s", s->path, name);
    if (!full) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    TRY(param_add(&s->p[i], ps, full, shape, init, scale));
    s->p[i]->meaning = meaning;
    return OK;
}
