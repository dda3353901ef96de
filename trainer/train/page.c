/* page.c - the results as rows, some examples with their attention, and io/record/report.h does the rest. */
#include "trainer/train/page.h"

#include <stdio.h>
#include <string.h>

#include "io/page/page.h"
#include "io/record/report.h"
#include "trainer/look/look.h"

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

/* A corpus is often called so, and means nothing without the folder that it lies in. */
static const char *last_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *before = slash;
    if (!slash || strcmp(slash, "/corpus") != 0) return slash && slash[1] ? slash + 1 : path;
    while (before > path && before[-1] != '/') before--;
    return before;
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
                .finished = result ? result->steps : 0,
                .n_curves = COUNT(curve),
                .curve = curve,
                .example = example};
    const char *model = t->s.model->def->component.name, *corpus = corpus_folder(t->s.corpus);
    char number[32];
    page_number(number, (double)t->s.params.count);
    r.title = arena_format(t->s.run, "%s on %s", model, last_of(corpus));
    r.subtitle = arena_format(t->s.run, "Model %s with %s parameters, task %s, corpus %s of importer %s, seed %llu",
                              model, number, t->s.task->def->component.name, corpus, corpus_source(t->s.corpus),
                              (unsigned long long)t->s.seed);
    REQUIRE(r.title && r.subtitle, ERR_HOST, "%s", status_message());
    if (result && result->n > 0)
        r.of = arena_format(t->s.run, "Of %s, the best checkpoint, which eval, predict and attend take.",
                            result->checkpoint);
    arena_release(&t->s.step, (ArenaMark){0});
    TRY(fill_results(t, result, &r));
    const char *split = corpus_examples(t->s.corpus, "test") > 0 ? "test" : t->eval->split;
    Arena keep = {0};
    Look look = {.s = &t->s, .keep = &keep};
    Status st = OK;
    if (split && corpus_examples(t->s.corpus, split) > 0)
        st = look_split(&look, split, EXAMPLES, example, &r.n_examples);
    if (st == OK) st = report_write(&r);
    arena_close(&keep);
    return st;
}
