/* report.c - the page of a run. */
#include "io/record/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "comm/progress.h"
#include "io/checkpoint/checkpoint_index.h"
#include "io/file/file.h"
#include "io/page/page.h"
#include "io/record/curves.h"
#include "io/record/perclass.h"
#include "io/record/report_parts.h"

/* --- The top --- */

static Status put_tile(Buffer *out, const char *value, const char *what)
{
    TRY(buffer_text(out, "<div class=\"tile\"><b>"));
    TRY(page_text(out, value));
    TRY(buffer_text(out, "</b><span>"));
    TRY(page_text(out, what));
    return buffer_text(out, "</span></div>\n");
}

static Status put_last(Buffer *out, const Curves *c, const char *name, const char *kind, const char *what)
{
    char text[32];
    const Curve *curve = curves_find(c, name, kind);
    if (!curve || curve->n == 0) return OK;
    page_number(text, curve->value[curve->n - 1]);
    return put_tile(out, text, what);
}

static Status put_best(Buffer *out, const Report *r, const Curves *c)
{
    char text[32], what[128];
    const Curve *curve = r->main_measure ? curves_find(c, r->main_measure, "valid") : NULL;
    int64_t best = -1;
    for (int64_t i = 0; curve && i < curve->n; i++) {
        if (!isfinite(curve->value[i])) continue;
        if (best < 0 || (r->higher ? curve->value[i] > curve->value[best] : curve->value[i] < curve->value[best]))
            best = i;
    }
    if (best < 0) return OK;
    page_number(text, curve->value[best]);
    snprintf(what, sizeof what, "best validation %.60s, step %.0f", r->main_measure, curve->step[best]);
    return put_tile(out, text, what);
}

/* The final figure of a measure, of the split test or the last one. */
static Status put_final(Buffer *out, const Report *r, const char *measure)
{
    char what[128];
    int column = r->n_columns - 1;
    for (int k = 0; k < r->n_columns; k++)
        if (strcmp(r->column[k], "test") == 0) column = k;
    for (int i = 0; i < r->n_rows && measure; i++) {
        if (strcmp(r->row[i].name, measure) != 0 || !r->row[i].cell[column]) continue;
        snprintf(what, sizeof what, "%.40s %.60s, best checkpoint", r->column[column], measure);
        return put_tile(out, r->row[i].cell[column], what);
    }
    return OK;
}

static Status put_tiles(Buffer *out, const Report *r, const Curves *c)
{
    char text[32];
    if (c->last_step < 0) return OK;
    TRY(buffer_text(out, "<div class=\"tiles\">\n"));
    TRY(put_final(out, r, r->main_measure));
    if (!r->main_measure || strcmp(r->main_measure, "loss") != 0) TRY(put_final(out, r, "loss"));
    TRY(put_best(out, r, c));
    TRY(put_last(out, c, "loss", "train", "training loss, last"));
    TRY(put_last(out, c, "loss", "valid", "validation loss, last"));
    page_number(text, (double)c->last_step);
    TRY(put_tile(out, text, "steps"));
    snprintf(text, sizeof text, "%.2f", c->last_epoch);
    TRY(put_tile(out, text, "epochs"));
    progress_duration(text, c->last_time - c->first_time);
    TRY(put_tile(out, text, "duration"));
    return buffer_text(out, "</div>\n");
}

static const char *name_of(const char *folder)
{
    const char *slash = strrchr(folder, '/');
    return slash && slash[1] ? slash + 1 : folder;
}

static Status put_header(Buffer *out, const Report *r, const Curves *c, Arena *arena)
{
    int64_t end = r->finished;
    if (end == 0) TRY(run_folder_finished(r->folder, arena, &end, NULL));
    TRY(buffer_text(out, "<header>\n<h1 dir=\"auto\">"));
    TRY(page_text(out, r->title ? r->title : name_of(r->folder)));
    TRY(buffer_text(out, "</h1>\n<p class=\"sub\">"));
    if (r->subtitle) {
        TRY(page_text(out, r->subtitle));
        TRY(buffer_text(out, ". "));
    }
    if (end >= 0)
        TRY(buffer_format(out, "Finished at step %lld. ", (long long)end));
    else
        TRY(buffer_text(out, "Not finished. "));
    if (r->end) TRY(page_text(out, r->end));
    TRY(buffer_text(out, "</p>\n"));
    TRY(put_tiles(out, r, c));
    return buffer_text(out, "</header>\n");
}

/* --- Sections --- */

static Status put_row(Buffer *out, const Report *r, const ReportRow *row, const char *head)
{
    const char *cell[1 + REPORT_COLUMNS] = {row->name};
    for (int k = 0; k < r->n_columns; k++) cell[1 + k] = row->cell[k];
    return page_row(out, 1 + r->n_columns, cell, head);
}

/* Those of classes and groups, "f1/sports", or the others. */
static Status put_rows(Buffer *out, const Report *r, const char *head, bool parts)
{
    TRY(page_table(out, head));
    for (int i = 0; i < r->n_rows; i++)
        if ((strchr(r->row[i].name, '/') != NULL) == parts) TRY(put_row(out, r, &r->row[i], head));
    return page_table_end(out);
}

static Status put_results(Buffer *out, const Report *r, Arena *arena)
{
    const char *head = "Measure";
    bool parts = false;
    if (r->n_rows == 0) return OK;
    REQUIRE(r->n_columns <= REPORT_COLUMNS, ERR_INTERNAL, "%d columns of results", r->n_columns);
    for (int k = 0; k < r->n_columns && head; k++) head = arena_format(arena, "%s|>%s", head, r->column[k]);
    if (!head) return ERR_HOST;
    TRY(page_section(out, "Results", r->of));
    TRY(put_rows(out, r, head, false));
    for (int i = 0; i < r->n_rows; i++) parts = parts || strchr(r->row[i].name, '/');
    if (parts) {
        TRY(page_fold(out, "Measures of parts: classes, groups, outputs"));
        TRY(put_rows(out, r, head, true));
        TRY(page_fold_end(out));
    }
    return page_section_end(out);
}

/* Of the split test, or the last one. */
static Status put_classes(Buffer *out, const Report *r, Arena *arena)
{
    Classes *c = NULL;
    int n = 0;
    TRY(perclass_read(r->folder, arena, &n, &c));
    if (n == 0) return OK;
    const Classes *shown = &c[n - 1];
    for (int i = 0; i < n; i++)
        if (strcmp(c[i].split, "test") == 0) shown = &c[i];
    const char *note = arena_format(arena, "Of the split %s, at the end.", shown->split);
    if (!note) return ERR_HOST;
    TRY(page_section(out, "Classes", note));
    TRY(perclass_page(shown, out));
    return page_section_end(out);
}

static Status put_examples(Buffer *out, const Report *r)
{
    if (r->n_examples == 0) return OK;
    TRY(page_section(out, "Attention",
                     "Inputs that the model had not seen, shaded by the weight it gave to each part."));
    for (int i = 0; i < r->n_examples; i++) {
        TRY(attention_check(&r->example[i]));
        TRY(attention_html(out, &r->example[i]));
    }
    return page_section_end(out);
}

static Status put_samples(Buffer *out, const Curves *c, Arena *arena)
{
    static const char head[] = "Source|Target|Output";
    if (c->n_samples == 0) return OK;
    const char *note =
        arena_format(arena, "What the model made greedily of examples that it had not seen, at step %lld.",
                     (long long)c->sample_step);
    if (!note) return ERR_HOST;
    TRY(page_section(out, "Outputs", note));
    TRY(page_table(out, head));
    for (int i = 0; i < c->n_samples; i++) {
        const MetricsSample *s = &c->sample[i];
        TRY(page_row(out, 3, (const char *[]){s->source, s->target, s->output}, head));
    }
    TRY(page_table_end(out));
    return page_section_end(out);
}

static Status put_command(Buffer *out, const Report *r, Arena *arena)
{
    const char *path = arena_format(arena, "%s/command.txt", r->folder);
    if (!path) return ERR_HOST;
    return report_file(out, path, "The command", "It does the same again; in a folder with checkpoints it goes on.");
}

static Status put_all(const Report *r, const Curves *c, Buffer *out, Arena *arena)
{
    const char *title = r->title ? r->title : name_of(r->folder);
    TRY(page_begin(out, title));
    TRY(put_header(out, r, c, arena));
    TRY(put_results(out, r, arena));
    TRY(put_classes(out, r, arena));
    TRY(report_curves(out, r, c, arena));
    TRY(put_samples(out, c, arena));
    TRY(put_examples(out, r));
    TRY(report_checkpoints(out, r, arena));
    TRY(put_command(out, r, arena));
    TRY(report_config(out, r, arena));
    TRY(report_environment(out, r, arena));
    TRY(buffer_text(out, "<footer>Written by Mneme " MNEME_VERSION ".</footer>\n"));
    return page_end(out);
}

static Status read_and_put(const Report *r, Buffer *out, Arena *arena)
{
    Curves *c;
    TRY_NEW(c, arena, 1);
    const char *path = arena_format(arena, "%s/metrics.jsonl", r->folder);
    if (!path) return ERR_HOST;
    TRY(curves_read(c, arena, path));
    return put_all(r, c, out, arena);
}

Status report_page(const Report *r, Buffer *out)
{
    Arena arena = {0};
    const Status st = read_and_put(r, out, &arena);
    arena_close(&arena);
    TRY(st);
    return OK;
}

static Status write_here(const Report *r, Buffer *page, Buffer *path)
{
    TRY(report_page(r, page));
    TRY(buffer_format(path, "%s/report.html", r->folder));
    return file_write(path->data, page->data, page->size);
}

Status report_write(const Report *r)
{
    Buffer page = {0}, path = {0};
    const Status st = write_here(r, &page, &path);
    buffer_close(&page);
    buffer_close(&path);
    return st;
}
