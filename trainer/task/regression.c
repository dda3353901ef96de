/* regression.c - numbers for an example: the square of the error. */
#include "trainer/op/op.h"
#include "trainer/task/task.h"

static Status check(const Task *t, const Prediction *p, const Batch *b)
{
    const Shape *s = &p->scores->shape;
    (void)t;
    REQUIRE(s->n == 2 && s->d[0] == b->B, ERR_INTERNAL, "numbers of %lld examples wanted", (long long)b->B);
    return OK;
}

static Status true_values(const float **out, const Task *t, const Prediction *p, const Batch *b)
{
    const Ragged *r = batch_role(b, ROLE_TARGET);
    const int64_t D = p->scores->shape.d[1];
    REQUIRE(r && r->value && r->field->levels == 0 && r->count[0] == b->B, ERR_DATA,
            "%s: the batch has no target with numbers of each example", t->where);
    REQUIRE(r->field->width == D, ERR_CONFIG, "%s: field \"%s\" has %lld numbers an example, but the model makes %lld",
            t->where, r->field->name, (long long)r->field->width, (long long)D);
    *out = r->value;
    return OK;
}

/* sum of (x - y)^2 */
static Node *loss(Task *t, Tape *tape, const Prediction *p, const Batch *b)
{
    const float *y;
    const Status st = true_values(&y, t, p, b);
    if (st != OK) return task_refuse(tape, st);
    const int64_t n = shape_count(&p->scores->shape);
    real *minus = tape_alloc(tape, (size_t)n * sizeof *minus);
    for (int64_t i = 0; minus && i < n; i++) minus[i] = -(real)y[i];
    return op_sum_squares(tape, op_add(tape, p->scores, tape_leaf(tape, p->scores->shape, minus, NULL)));
}

static int64_t weight(const Prediction *p, const Batch *b)
{
    (void)b;
    return shape_count(&p->scores->shape);
}

static Status measures(const Task *t, Tape *tape, const Prediction *p, const Batch *b, Counts *counts)
{
    const int64_t D = p->scores->shape.d[1];
    const float *y;
    double *row = tape_alloc(tape, (size_t)(3 * D) * sizeof *row), *truth = row + D, *cost = row + 2 * D;
    TRY(true_values(&y, t, p, b));
    TRY(tape_status(tape));
    for (int64_t i = 0; i < b->B; i++) {
        for (int64_t c = 0; c < D; c++) {
            row[c] = (double)p->scores->value[i * D + c];
            truth[c] = (double)y[i * D + c];
            cost[c] = (row[c] - truth[c]) * (row[c] - truth[c]);
        }
        MetricExample e = {.truth = {.n = D, .value = truth}, .guess = {.n = D, .value = row}};
        e.n_losses = D;
        e.loss = cost;
        TRY(task_add(t, tape, b, i, &e, counts));
    }
    return OK;
}

static Status write(const Task *t, Tape *tape, const Prediction *p, const Batch *b, int64_t example, int64_t top,
                    Json *j)
{
    const int64_t D = p->scores->shape.d[1];
    (void)t, (void)tape, (void)b, (void)top;
    json_key(j, "values");
    json_open_array(j);
    for (int64_t c = 0; c < D; c++) json_number(j, (double)p->scores->value[example * D + c]);
    json_end(j);
    return OK;
}

/* The numbers with spaces between. */
static Status look(Task *t, Tape *tape, const Prediction *p, const Batch *b, Arena *keep, TaskLook *out)
{
    (void)t, (void)tape, (void)b;
    const char *text = "";
    for (int64_t c = 0; text && c < p->scores->shape.d[1]; c++)
        text = arena_format(keep, "%s%s%.6g", text, c ? " " : "", (double)p->scores->value[c]);
    REQUIRE(text, ERR_HOST, "%s", status_message());
    out->said = text;
    return OK;
}

static Node *scalar(const Task *t, Tape *tape, const Prediction *p)
{
    (void)t;
    return op_sum(tape, p->scores);
}

static const char *const metrics[] = {"loss", "errors", NULL};

const TaskDef task_def_regression = {
    .component = {.name = "regression",
                  .help = "Numbers for each example: the mean of the squared errors is the loss."},
    .kind = PREDICTION_VALUES,
    .target = "numbers of an example",
    .type = FIELD_FLOATS,
    .metrics = metrics,
    .measure = "mean_squared_error",
    .check = check,
    .loss = loss,
    .weight = weight,
    .measures = measures,
    .write = write,
    .look = look,
    .scalar = scalar,
};
