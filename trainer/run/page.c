/* page.c - the results as rows, some examples with their attention, and io/record/report.h does the rest. */
#include "trainer/run/page.h"

#include <stdio.h>

#include "io/record/report.h"
#include "trainer/run/evaluate.h"
#include "trainer/run/look.h"

enum { EXAMPLES = 6 };

static Status fill_row(Trainer *t, const TrainResult *r, const char *name, ReportRow *row)
{
    row->name = name;
    for (int k = 0; k < r->n; k++) {
        const Measure *m = measures_find(&r->measures[k], name);
        row->cell[k] = m ? arena_format(t->s.run, "%.6g", m->value) : NULL;
        REQUIRE(!m || row->cell[k], ERR_HOST, "%s", status_message());
    }
    return OK;
}

static bool found_before(const TrainResult *r, int split, const char *name)
{
    for (int k = 0; k < split; k++)
        if (measures_find(&r->measures[k], name)) return true;
    return false;
}

/* A row a measure, a column a split. A split without examples of a class has no measures of it. */
static Status fill_results(Trainer *t, const TrainResult *result, Report *r)
{
    ReportRow *row;
    if (!result || result->n == 0) return OK;
    TRY_NEW(row, t->s.run, (int64_t)MEASURES_MAX * result->n);
    for (int k = 0; k < result->n; k++)
        for (int i = 0; i < result->measures[k].n; i++) {
            const char *name = result->measures[k].item[i].name;
            if (!found_before(result, k, name)) TRY(fill_row(t, result, name, &row[r->n_rows++]));
        }
    r->row = row;
    r->n_columns = result->n;
    r->column = result->split;
    return OK;
}

static Status look_at(Trainer *t, const Batch *b, const char *split, AttentionExample *e)
{
    Session *s = &t->s;
    const Word *word[BATCH_FIELDS] = {NULL};
    Tape tape;
    ModelOutput out;
    TRY(look_words(s, b, &s->step, word));
    TRY(evaluate_forward(s, b, true, &tape, &out));
    const char *id = arena_format(&s->step, "%s %lld", split, (long long)b->example[0]);
    REQUIRE(id, ERR_HOST, "%s", status_message());
    return look_example(s, b, word, &tape, &out, id, look_truth(s, b), &s->step, e);
}

/* The first examples of the split that is evaluated: everything in them lies in the step's arena until the page is
 * written. */
static Status fill_examples(Trainer *t, const char *split, AttentionExample *e, int *n)
{
    const DataSettings *data = config_section(t->s.config, "data");
    const LoaderOptions options = {.split = split,
                                   .batch = 1,
                                   .parts = 1,
                                   .window = 1,
                                   .memory = data->memory,
                                   .max_units = {data->max_sentences, data->max_words},
                                   .epochs = 1};
    Loader *l = NULL;
    Status st = loader_open(&l, t->s.corpus, &options, (LoaderPosition){0, 0});
    while (st == OK && *n < EXAMPLES) {
        const Batch *b = NULL;
        LoaderPosition at;
        Batch kept;
        st = loader_next(l, &b, &at, NULL);
        if (st != OK || !b) break;
        st = look_keep(&kept, b, &t->s.step);
        if (st == OK) st = look_at(t, &kept, split, &e[*n]);
        if (st == OK) (*n)++;
    }
    loader_close(l);
    return st;
}

Status page_write(Trainer *t, const TrainResult *result)
{
    AttentionExample example[EXAMPLES];
    const char *const curve[] = {"loss", t->decides, "accuracy", "rate", "gradient_norm"};
    Report r = {.folder = run_folder_path(t->folder),
                .config = t->s.config,
                .main_measure = t->decides,
                .higher = t->higher,
                .end = result && result->stopped_early ? "Stopped early." : NULL,
                .n_curves = COUNT(curve),
                .curve = curve,
                .example = example};
    r.subtitle = arena_format(t->s.run, "%s on %s, %lld parameters", t->s.model->def->component.name,
                              corpus_folder(t->s.corpus), (long long)t->s.params.count);
    arena_release(&t->s.step, (ArenaMark){0});
    TRY(fill_results(t, result, &r));
    const char *split = corpus_examples(t->s.corpus, "test") > 0 ? "test" : t->eval->split;
    if (corpus_examples(t->s.corpus, split) > 0) TRY(fill_examples(t, split, example, &r.n_examples));
    return report_write(&r);
}
