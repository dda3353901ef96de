/* implicit.c - one pass back gives the gradients of one output; a sequence has as many outputs as words, and is put
 * into the batch that many times, so that one pass back is enough. */
#include "trainer/look/implicit.h"

#include "io/batch/build.h"

#include <math.h>
#include <string.h>

/* --- The example as often as it has outputs --- */

static Status repeat(const Batch *b, int64_t times, Arena *arena, Batch *out)
{
    int64_t *row;
    TRY_NEW(row, arena, times); /* all 0: the only example */
    return build_rows(out, arena, b, times, row);
}

static Status forward_and_back(const Task *task, Model *m, Tape *t, const Batch *b)
{
    Prediction out;
    model_forward(m, t, b, &out);
    Node *y = task_scalar(task, t, &out); /* a sum of outputs whose gradients do not mix */
    TRY(tape_status(t));
    return tape_backward(t, y, 1);
}

/* --- From gradients to numbers --- */

static void add_input(const TapeInput *in, AttentionMeasure measure, double *value)
{
    const int64_t width = in->x->shape.d[1];
    for (int64_t i = 0; i < in->x->shape.d[0]; i++)
        for (int64_t c = i * width; c < (i + 1) * width; c++) {
            const double d = (double)in->x->grad[c];
            value[i] += d * (measure == ATTENTION_JACOBIAN ? d : (double)in->x->value[c]);
        }
}

static Status measure_field(const Task *task, Model *m, Tape *t, const Batch *b, const Ragged *r,
                            AttentionMeasure measure, Arena *scratch, double **value)
{
    const int64_t n = r->count[r->field->levels];
    const int32_t *wanted[1] = {r->id};
    t->wanted = wanted;
    t->n_wanted = 1;
    TRY(forward_and_back(task, m, t, b));
    TRY_NEW(*value, scratch, n + 1);
    for (const TapeInput *in = t->inputs; in; in = in->next) add_input(in, measure, *value);
    for (int64_t i = 0; measure == ATTENTION_JACOBIAN && i < n; i++) (*value)[i] = sqrt((*value)[i]);
    return OK;
}

Status implicit_field(const Task *task, Model *m, uint64_t seed, const Batch *b, Role role, AttentionMeasure measure,
                      Arena *scratch, int64_t *outputs, const double **value)
{
    Batch copies;
    double *v;
    Tape t = tape_begin(scratch);
    t.seed = seed;
    *outputs = task_outcomes(task, b);
    TRY(repeat(b, *outputs, scratch, &copies));
    const Ragged *r = batch_role(&copies, role);
    REQUIRE(r && r->id && r->field->levels > 0, ERR_INTERNAL, "the batch has no words in a field of role %s",
            field_role_name(role));
    TRY(measure_field(task, m, &t, &copies, r, measure, scratch, &v));
    *value = v;
    return OK;
}

/* --- As views --- */

/* For each place of field f: of the one output, or of each word of the target. */
static Status add_view(Session *s, const Batch *b, AttentionMeasure measure, Arena *arena, AttentionExample *e, int f)
{
    AttentionView *view = (AttentionView *)(uintptr_t)&e->view[e->n_views]; /* made by look.c, with room */
    int64_t outputs;
    const double *found;
    double *value;
    TRY(implicit_field(s->task, s->model, s->seed, b, e->field[f].role, measure, &s->step, &outputs, &found));
    const int target = attention_role(e, ROLE_TARGET);
    const AttentionAxis rows = attention_axis(e, target < 0 ? AXIS_NONE : AXIS_WORDS, target, 1);
    const AttentionAxis columns = attention_axis(e, AXIS_WORDS, f, 0);
    REQUIRE(rows.size == outputs, ERR_INTERNAL, "%lld outputs for %lld places", (long long)outputs,
            (long long)rows.size);
    TRY_NEW(value, arena, outputs * columns.size + 1);
    memcpy(value, found, (size_t)(outputs * columns.size) * sizeof *value);
    *view = (AttentionView){
        .name = e->field[f].name, .rows = rows, .columns = columns, .measure = measure, .weight = value};
    e->n_views++;
    return OK;
}

/* What a model reads has places of words; the characters of words have none. */
static bool reads(const Model *m, const AttentionField *f)
{
    for (int i = 0; i < m->n_needs; i++)
        if (m->need[i].role == f->role && !m->need[i].of) return f->role != ROLE_TARGET && f->height == 0;
    return false;
}

Status implicit_views(Session *s, const Batch *b, AttentionMeasure measure, Arena *arena, AttentionExample *e)
{
    int n = 0;
    for (int f = 0; f < e->n_fields && n < IMPLICIT_VIEWS; f++) {
        if (!reads(s->model, &e->field[f])) continue;
        TRY(add_view(s, b, measure, arena, e, f));
        n++;
    }
    return OK;
}
