/* model.c - the table of models, and what holds for each of them. */
#include "trainer/model/model.h"

#include <string.h>

/* One line per model. Its definition is in <name>.c. */
#define MODELS(X)                                                                                                      \
    X(han)                                                                                                             \
    X(memn2n)                                                                                                          \
    X(seq2seq)                                                                                                         \
    X(nested)

#define DECLARE(name) extern const ModelDef model_##name;
#define ROW(name)     &model_##name.component,
MODELS(DECLARE)
static const Component *const models[] = {MODELS(ROW) NULL};

const Component *model_choice(int i) { return models[i]; }

int model_needs(const ModelDef *def, const void *settings, const ModelNeed **needs)
{
    if (def->needs_of) return def->needs_of(settings, needs);
    *needs = def->needs;
    return def->n_needs;
}

const ModelField *model_field(const ModelData *d, Role role, Role of)
{
    static const ModelField none = {0};
    for (int i = 0; i < d->n_fields; i++)
        if (d->field[i].role == role && d->field[i].of == of) return &d->field[i];
    return &none;
}

int64_t model_words(const ModelData *d, Role role) { return model_field(d, role, ROLE_NONE)->words; }

int64_t model_longest(const ModelData *d)
{
    int64_t most = 0;
    for (int i = 0; i < d->n_fields; i++) {
        const ModelField *f = &d->field[i];
        if (f->levels > 0 && f->longest[f->levels - 1] > most) most = f->longest[f->levels - 1];
    }
    return most;
}

static Status check_data(const Model *m)
{
    const char *name = m->def->component.name;
    const ModelNeed *main = &m->need[0];
    const int64_t labels = model_words(&m->data, ROLE_TARGET);
    const int others = PREDICTION_CANDIDATES | PREDICTION_VALUES; /* no labels among which to choose */
    REQUIRE(main->type == FIELD_FLOATS || model_words(&m->data, main->role) >= 1, ERR_DATA,
            "model %s: the vocabulary of words is empty", name);
    REQUIRE(labels >= 2 || (int)m->kind & others, ERR_DATA,
            "model %s: the corpus has %lld label(s); at least 2 are needed to learn anything", name, (long long)labels);
    return OK;
}

Status model_build(Model **out, Arena *run, Params *ps, const Component *c, const void *settings, const ModelData *data)
{
    Model *m;
    TRY_NEW(m, run, 1);
    *m = (Model){
        .def = (const ModelDef *)c, .settings = settings, .data = *data, .params = ps, .run = run}; /* first member */
    m->kind = data->kind ? data->kind : (PredictionKind)(m->def->predicts & -m->def->predicts);     /* the lowest bit */
    REQUIRE(m->def->predicts & (int)m->kind, ERR_CONFIG, "model %s predicts %s; %s are asked of it", c->name,
            prediction_names(m->def->predicts), prediction_names((int)m->kind));
    m->n_needs = model_needs(m->def, settings, &m->need);
    TRY(check_data(m));
    if (m->def->n_memory) TRY_NEW(m->memory, run, m->def->n_memory);
    TRY(m->def->build(m));
    *out = m;
    return OK;
}

Status model_init(Model *m) { return m->def->init ? m->def->init(m) : OK; }

const Ragged *model_read(const ModelNeed *need, const Batch *b)
{
    return need->of ? batch_role_of(b, need->role, need->of) : batch_role(b, need->role);
}

const DataField *model_find(const ModelNeed *need, int n, const DataField *fields)
{
    const int f = need->of ? field_role_of(n, fields, need->role, need->of) : field_role(n, fields, need->role);
    return f < 0 ? NULL : &fields[f];
}

static bool fits(const ModelNeed *need, const DataField *f)
{
    return f->levels == need->levels && f->type == need->type;
}

/* The caller's mistake when it is not so: the corpus was checked before. The target is not read here. */
static Status check_batch(const Model *m, const Batch *b)
{
    for (int i = 0; i < m->n_needs; i++) {
        const ModelNeed *need = &m->need[i];
        const Ragged *found = model_read(need, b);
        if (need->role == ROLE_TARGET || (need->optional && !found)) continue;
        REQUIRE(found && fits(need, found->field) && (found->id || found->value), ERR_INTERNAL,
                "model %s: the batch has no field of role %s with %d levels", m->def->component.name,
                field_role_name(need->role), need->levels);
    }
    return OK;
}

void model_forward(Model *m, Tape *t, const Batch *b, Prediction *out)
{
    *out = (Prediction){.kind = m->kind};
    const Status st = check_batch(m, b);
    if (st != OK) tape_fail(t, st);
    if (t->status == OK) m->def->forward(m, t, b, out);
    if (t->status == OK) return;
    *out = (Prediction){.kind = m->kind, .scores = tape_leaf(t, SHAPE1(0), NULL, NULL)}; /* nodes of no elements */
    out->words = (PredictionWords){.x = out->scores, .w = out->scores};
}

bool model_validated(Model *m, int64_t epoch, double loss)
{
    return m->def->on_validation && m->def->on_validation(m, epoch, loss);
}

/* "story (input, 2 levels), answer (target, 0)" */
static Status fields_text(int n, const DataField *fields, Buffer *b)
{
    for (int i = 0; i < n; i++)
        TRY(buffer_format(b, "%s%s (%s, %d%s)", i ? ", " : "", fields[i].name, field_role_name(fields[i].role),
                          fields[i].levels, i ? "" : " levels"));
    if (n == 0) TRY(buffer_text(b, "none"));
    return OK;
}

static Status check(const ModelDef *def, const void *settings, int n, const DataField *fields, const char *where,
                    Buffer *b)
{
    const ModelNeed *needs;
    const int n_needs = model_needs(def, settings, &needs);
    for (int i = 0; i < n_needs; i++) {
        const ModelNeed *need = &needs[i];
        const DataField *found = model_find(need, n, fields);
        /* Scores of labels are the same whether an example has one or several: its levels are the task's. */
        const bool scored = need->role == ROLE_TARGET && !(def->predicts & PREDICTION_WORDS);
        if (found ? fits(need, found) || (scored && found->type == need->type) : need->optional) continue;
        TRY(fields_text(n, fields, b));
        FAIL(ERR_CONFIG,
             "%s: model %s reads a field of role %s%s%s with %d levels%s (%s); the corpus has the fields: %s", where,
             def->component.name, field_role_name(need->role), need->of ? " of " : "", field_role_name(need->of),
             need->levels, need->type == FIELD_FLOATS ? " of floats" : "", need->meaning, b->data);
    }
    return OK;
}

Status model_check_fields(const ModelDef *def, const void *settings, int n, const DataField *fields, const char *where)
{
    Buffer text = {0};
    const Status st = check(def, settings, n, fields, where, &text);
    buffer_close(&text);
    return st;
}
