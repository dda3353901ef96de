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

Status model_build(Model **out, Arena *run, Params *ps, const Component *c, const void *settings, const ModelData *data)
{
    Model *m;
    TRY_NEW(m, run, 1);
    *m = (Model){
        .def = (const ModelDef *)c, .settings = settings, .data = *data, .params = ps, .run = run}; /* first member */
    m->kind = data->kind ? data->kind : (PredictionKind)(m->def->predicts & -m->def->predicts);     /* the lowest bit */
    REQUIRE(m->def->predicts & (int)m->kind, ERR_CONFIG, "model %s predicts %s; %s are asked of it", c->name,
            prediction_names(m->def->predicts), prediction_names((int)m->kind));
    REQUIRE(data->words >= 1, ERR_DATA, "model %s: the vocabulary of words is empty", c->name);
    const int others = PREDICTION_CANDIDATES | PREDICTION_VALUES; /* no labels among which to choose */
    REQUIRE(data->labels >= 2 || (int)m->kind & others, ERR_DATA,
            "model %s: the corpus has %lld label(s); at least 2 are needed to learn anything", c->name,
            (long long)data->labels);
    if (m->def->n_memory) TRY_NEW(m->memory, run, m->def->n_memory);
    TRY(m->def->build(m));
    *out = m;
    return OK;
}

Status model_init(Model *m) { return m->def->init ? m->def->init(m) : OK; }

/* The caller's mistake when it is not so: the corpus was checked before. The target is not read here. */
static Status check_batch(const ModelDef *def, const Batch *b)
{
    for (int i = 0; i < def->n_needs; i++) {
        const ModelNeed *need = &def->needs[i];
        const Ragged *found = batch_field(b, need->field);
        REQUIRE(strcmp(need->field, def->target) == 0 || (found && found->field->levels == need->levels && found->id),
                ERR_INTERNAL, "model %s: the batch has no field %s of %d levels", def->component.name, need->field,
                need->levels);
    }
    return OK;
}

void model_forward(Model *m, Tape *t, const Batch *b, Prediction *out)
{
    *out = (Prediction){.kind = m->kind};
    const Status st = check_batch(m->def, b);
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

/* "story (2), question (1), answer (0)" */
static Status fields_text(int n, const DataField *fields, Buffer *b)
{
    for (int i = 0; i < n; i++) TRY(buffer_format(b, "%s%s (%d)", i ? ", " : "", fields[i].name, fields[i].levels));
    if (n == 0) TRY(buffer_text(b, "none"));
    return OK;
}

static Status check(const ModelDef *def, int n, const DataField *fields, const char *where, Buffer *b)
{
    for (int i = 0; i < def->n_needs; i++) {
        const ModelNeed *need = &def->needs[i];
        const DataField *found = NULL;
        for (int j = 0; j < n; j++)
            if (strcmp(fields[j].name, need->field) == 0) found = &fields[j];
        /* Scores of labels are the same whether an example has one or several: its levels are the task's. */
        const bool scored = strcmp(need->field, def->target) == 0 && !(def->predicts & PREDICTION_WORDS);
        if (found && (scored || found->levels == need->levels) && found->type == FIELD_IDS) continue;
        TRY(fields_text(n, fields, b));
        FAIL(ERR_CONFIG, "%s: model %s reads the field %s (%s) with %d levels; the corpus has the fields (levels): %s",
             where, def->component.name, need->field, need->meaning, need->levels, b->data);
    }
    return OK;
}

Status model_check_fields(const ModelDef *def, int n, const DataField *fields, const char *where)
{
    Buffer text = {0};
    const Status st = check(def, n, fields, where, &text);
    buffer_close(&text);
    return st;
}
