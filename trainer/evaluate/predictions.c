/* predictions.c - records of each rank, brought together by the numbers of their examples. */
#include "trainer/evaluate/predictions.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/format/json.h"
#include "io/format/number.h"
#include "io/record/csv.h"

/* Followed by the texts of the truth and then of the guess, each with its 0 byte. */
typedef struct Record {
    int64_t example;
    bool decoded, right; /* decoded: a second record, whose guess counts instead */
    double loss, probability;
    int32_t truths, guesses;
    int64_t bytes; /* of the texts */
} Record;

static PredictionKind kind_of(const Predictions *p) { return p->s->task->def->kind; }

static bool is_list(PredictionKind kind) { return kind != PREDICTION_CLASSES && kind != PREDICTION_CANDIDATES; }

/* --- What is heard --- */

static Status put_number(Buffer *out, double v)
{
    char text[NUMBER_SIZE];
    (void)number_double(text, v);
    return buffer_append(out, text, strlen(text) + 1);
}

/* A candidate by its word, or by its place among the example's. */
static Status put_candidate(const Predictions *p, const Batch *b, int64_t example, int32_t place, Buffer *out)
{
    const Ragged *c = batch_role(b, ROLE_CANDIDATES);
    if (!p->s->task->vocab) return put_number(out, place);
    const char *word = vocab_word(p->s->task->vocab, c->id[c->offset[0][example] + place]);
    return buffer_append(out, word, strlen(word) + 1);
}

/* Ids by their names in the vocabulary of the target; the end of a sequence is not said. */
static Status put_names(const Predictions *p, const MetricSide *side, Buffer *out, int32_t *n)
{
    const DataField *f = corpus_role(p->s->corpus, ROLE_TARGET);
    const Vocab *v = f ? corpus_vocab(p->s->corpus, f->vocab) : NULL;
    for (int64_t i = 0; i < side->n; i++) {
        char number[NUMBER_SIZE];
        if (kind_of(p) == PREDICTION_WORDS && side->id[i] == VOCAB_EOS) continue;
        const char *name = v ? vocab_word(v, side->id[i]) : number_double(number, side->id[i]);
        TRY(buffer_append(out, name, strlen(name) + 1));
        (*n)++;
    }
    return OK;
}

static Status put_side(const Predictions *p, const Batch *b, int64_t i, const MetricSide *side, Buffer *out, int32_t *n)
{
    if (kind_of(p) != PREDICTION_CANDIDATES && kind_of(p) != PREDICTION_VALUES) return put_names(p, side, out, n);
    for (int64_t k = 0; k < side->n; k++, (*n)++)
        TRY(side->value ? put_number(out, side->value[k]) : put_candidate(p, b, i, side->id[k], out));
    return OK;
}

static Status keep(Predictions *p, const Batch *b, int64_t i, const MetricExample *e, bool decoded)
{
    Record r = {.example = b->example[i], .decoded = decoded, .probability = e->probability};
    const size_t at = p->mine.size;
    for (int64_t k = 0; k < e->n_losses; k++) r.loss += e->loss[k] / (double)e->n_losses;
    r.right = e->truth.id && metric_same(&p->s->task->metrics.shape, e);
    TRY(buffer_append(&p->mine, &r, sizeof r));
    TRY(put_side(p, b, i, &e->truth, &p->mine, &r.truths));
    TRY(put_side(p, b, i, &e->guess, &p->mine, &r.guesses));
    r.bytes = (int64_t)(p->mine.size - at - sizeof r);
    memcpy(p->mine.data + at, &r, sizeof r);
    return OK;
}

static Status keep_guess(void *context, const Batch *b, int64_t i, const MetricExample *e)
{
    return keep(context, b, i, e, false);
}

static Status keep_decoded(void *context, const Batch *b, int64_t i, const MetricExample *e)
{
    return keep(context, b, i, e, true);
}

void predictions_open(Predictions *p, Session *s)
{
    *p = (Predictions){.s = s, .guessed = {keep_guess, p}, .decoded = {keep_decoded, p}};
}

void predictions_close(Predictions *p) { buffer_close(&p->mine); }

/* --- All of them on rank 0 --- */

/* [collective] Each rank's in turn. */
static Status gather(const Predictions *p, Buffer *all)
{
    Comm *comm = p->s->comm;
    for (int r = 0; r < comm_size(comm); r++) {
        Buffer here = {0};
        const bool own = comm_rank(comm) == r;
        int64_t size = own ? (int64_t)p->mine.size : 0;
        TRY(comm_broadcast(comm, &size, sizeof size, r));
        if (size == 0) continue;
        Status st = comm_agree(comm, own ? OK : buffer_reserve(&here, (size_t)size + 1));
        if (st == OK) st = comm_broadcast(comm, own ? p->mine.data : here.data, (size_t)size, r);
        if (st == OK && comm_rank(comm) == 0) st = buffer_append(all, own ? p->mine.data : here.data, (size_t)size);
        buffer_close(&here);
        TRY(comm_agree(comm, st));
    }
    return OK;
}

/* One example: its record and texts, which may come from two. */
typedef struct Row {
    Record r;
    const char *truth, *guess;
} Row;

static const char *behind(const char *text, int32_t n)
{
    for (int32_t i = 0; i < n; i++) text += strlen(text) + 1;
    return text;
}

static int by_example(const void *a, const void *b)
{
    const Record *x = &((const Row *)a)->r, *y = &((const Row *)b)->r;
    return x->example != y->example ? (x->example > y->example) - (x->example < y->example) : x->decoded - y->decoded;
}

static int by_loss(const void *a, const void *b)
{
    const double x = ((const Row *)a)->r.loss, y = ((const Row *)b)->r.loss;
    if (isnan(x) != isnan(y)) return isnan(x) ? -1 : 1; /* nothing is worse */
    return x > y ? -1 : x < y ? 1 : by_example(a, b);
}

/* row: with room for all records; *n: examples. */
static void read_rows(const Buffer *all, Row *row, int64_t *n)
{
    int64_t records = 0;
    for (size_t at = 0; at < all->size; records++) {
        Row *x = &row[records];
        memcpy(&x->r, all->data + at, sizeof x->r);
        x->truth = all->data + at + sizeof x->r;
        x->guess = behind(x->truth, x->r.truths);
        at += sizeof x->r + (size_t)x->r.bytes;
    }
    if (records > 0) qsort(row, (size_t)records, sizeof *row, by_example);
    *n = 0;
    for (int64_t i = 0; i < records; i++) {
        if (!row[i].r.decoded) {
            row[(*n)++] = row[i];
            continue;
        }
        Row *of = &row[*n - 1];
        of->guess = row[i].guess;
        of->r.guesses = row[i].r.guesses;
        of->r.right = row[i].r.right;
    }
}

static int64_t count_records(const Buffer *all)
{
    int64_t n = 0;
    Record r;
    for (size_t at = 0; at < all->size; n++) {
        memcpy(&r, all->data + at, sizeof r);
        at += sizeof r + (size_t)r.bytes;
    }
    return n;
}

/* --- Written --- */

static void json_side(Json *j, const char *key, PredictionKind kind, const char *text, int32_t n)
{
    json_key(j, key);
    if (!is_list(kind)) {
        json_text(j, n > 0 ? text : NULL);
        return;
    }
    json_open_array(j);
    for (int32_t i = 0; i < n; i++, text += strlen(text) + 1) {
        if (kind == PREDICTION_VALUES)
            json_number(j, strtod(text, NULL));
        else
            json_text(j, text);
    }
    json_end(j);
}

static Status json_row(const Row *x, PredictionKind kind, Buffer *out)
{
    Json j = json_begin(out);
    json_open_object(&j);
    json_put_int(&j, "example", x->r.example);
    json_side(&j, "truth", kind, x->truth, x->r.truths);
    json_side(&j, "guess", kind, x->guess, x->r.guesses);
    if (x->r.probability > 0) json_put_number(&j, "probability", x->r.probability);
    if (kind != PREDICTION_VALUES) json_put_bool(&j, "right", x->r.right);
    json_put_number(&j, "loss", x->r.loss);
    json_end(&j);
    TRY(json_finish(&j));
    return buffer_text(out, "\n");
}

/* Labels may hold spaces; tags, words and numbers do not. */
static Status csv_side(PredictionKind kind, const char *text, int32_t n, Buffer *scratch, Buffer *out)
{
    scratch->size = 0;
    TRY(buffer_text(scratch, ""));
    for (int32_t i = 0; i < n; i++, text += strlen(text) + 1)
        TRY(buffer_format(scratch, "%s%s", i == 0 ? "" : kind == PREDICTION_LABELS ? "; " : " ", text));
    TRY(csv_cell(out, scratch->data));
    return buffer_text(out, ",");
}

static Status csv_row(const Row *x, PredictionKind kind, Buffer *scratch, Buffer *out)
{
    char probability[NUMBER_SIZE] = "", loss[NUMBER_SIZE];
    if (x->r.probability > 0) (void)number_double(probability, x->r.probability);
    TRY(buffer_format(out, "%" PRId64 ",", x->r.example));
    TRY(csv_side(kind, x->truth, x->r.truths, scratch, out));
    TRY(csv_side(kind, x->guess, x->r.guesses, scratch, out));
    const char *right = kind == PREDICTION_VALUES ? "" : x->r.right ? "true" : "false";
    return buffer_format(out, "%s,%s,%s\n", probability, right, number_double(loss, x->r.loss));
}

static Status write_rows(const Predictions *p, int64_t n, const Row *row, PredictionsForm form, Buffer *out)
{
    Buffer scratch = {0};
    Status st = form == PREDICTIONS_CSV ? buffer_text(out, "example,truth,guess,probability,right,loss\n") : OK;
    for (int64_t i = 0; i < n && st == OK; i++)
        st = form == PREDICTIONS_CSV ? csv_row(&row[i], kind_of(p), &scratch, out) : json_row(&row[i], kind_of(p), out);
    buffer_close(&scratch);
    return st;
}

static Status write_all(const Predictions *p, const Buffer *all, PredictionsForm form, bool worst, Buffer *out)
{
    Row *row;
    int64_t n = 0;
    TRY_NEW(row, p->s->run, count_records(all) + 1);
    read_rows(all, row, &n);
    if (worst && n > 0) qsort(row, (size_t)n, sizeof *row, by_loss);
    return write_rows(p, n, row, form, out);
}

Status predictions_write(const Predictions *p, PredictionsForm form, bool worst, Buffer *out)
{
    Buffer all = {0};
    const ArenaMark mark = arena_mark(p->s->run);
    Status st = gather(p, &all);
    if (st == OK) st = comm_agree(p->s->comm, comm_rank(p->s->comm) == 0 ? write_all(p, &all, form, worst, out) : OK);
    arena_release(p->s->run, mark);
    buffer_close(&all);
    return st;
}
