/* report_parts.c - curves, checkpoints, configuration and environment of a report. */
#include "io/record/report_parts.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/checkpoint/checkpoint_index.h"
#include "io/file/file.h"
#include "io/page/page.h"
#include "io/page/svg.h"

enum { CHARTS = 24, LARGEST_TEXT = 4 << 20 };

/* --- Curves: one chart a measure; "accuracy/task 3" is a curve of the chart "accuracy" --- */

static size_t chart_name(const char *name)
{
    const char *slash = strrchr(name, '/');
    return slash ? (size_t)(slash - name) : strlen(name);
}

static bool same_chart(const char *a, const char *b)
{
    const size_t n = chart_name(a), m = chart_name(b);
    return n == m && memcmp(a, b, n) == 0 && (a[n] == '/') == (b[m] == '/');
}

static bool any_finite(const Curve *c)
{
    for (int64_t i = 0; i < c->n; i++)
        if (isfinite(c->value[i])) return true;
    return false;
}

/* Several values, all of them the same: nothing to see. */
static bool constant(int n, const SvgSeries *series)
{
    int64_t points = 0;
    for (int i = 0; i < n; i++) {
        points += series[i].n;
        for (int64_t k = 0; k < series[i].n; k++)
            if (series[i].y[k] != series[0].y[0]) return false;
    }
    return points > 1;
}

static const char *const kinds[] = {"train", "valid", "test"};
enum { KINDS = 3 };

/* A kind has the same place, and so the same colour, in every chart that has all before it. */
static int place_of(const char *kind)
{
    int i = 0;
    while (i < KINDS && strcmp(kinds[i], kind) != 0) i++;
    return i;
}

static Status add_series(const Curves *c, int first, int place, bool *taken, SvgSeries *series, int *n, Arena *arena)
{
    for (int i = first; i < c->n; i++) {
        const Curve *curve = &c->curve[i];
        if (taken[i] || place_of(curve->kind) != place || !same_chart(c->curve[first].name, curve->name)) continue;
        taken[i] = true;
        if (!any_finite(curve)) continue;
        const char *part = curve->name[chart_name(curve->name)] ? curve->name + chart_name(curve->name) + 1 : NULL;
        const char *name = part ? arena_format(arena, "%s %s", curve->kind, part) : curve->kind;
        if (!name) return ERR_HOST;
        series[(*n)++] = (SvgSeries){name, curve->n, curve->step, curve->value};
    }
    return OK;
}

static Status put_chart(Buffer *out, const Curves *c, int first, bool *taken, Arena *arena)
{
    SvgSeries series[CURVES_MAX];
    int n = 0;
    const char *of = c->curve[first].name;
    for (int place = 0; place <= KINDS; place++) TRY(add_series(c, first, place, taken, series, &n, arena));
    if (n == 0 || constant(n, series)) return OK;
    const char *title = arena_format(arena, "%.*s", (int)chart_name(of), of);
    if (!title) return ERR_HOST;
    const SvgChart chart = {title, "step", n, series};
    return svg_chart(out, &chart);
}

/* The charts of that name, all charts when it is NULL. */
static Status put_charts(Buffer *out, const Curves *c, const char *name, bool *taken, int *charts, Arena *arena)
{
    for (int i = 0; i < c->n && *charts < CHARTS; i++) {
        if (taken[i] || (name && strcmp(name, c->curve[i].name) != 0)) continue;
        TRY(put_chart(out, c, i, taken, arena));
        (*charts)++;
    }
    return OK;
}

Status report_curves(Buffer *out, const Report *r, const Curves *c, Arena *arena)
{
    bool taken[CURVES_MAX] = {false};
    int charts = 0;
    if (c->n == 0) return OK;
    for (int i = 0; i < c->n; i++) /* evaluations at the end of a run are results, no points of a curve */
        taken[i] = strncmp(c->curve[i].kind, "final_", 6) == 0;
    TRY(page_section(out, "Curves",
                     "Bands reach from the least to the greatest value of neighbouring steps, lines are their mean."));
    TRY(buffer_text(out, "<div class=\"charts\">\n"));
    for (int i = 0; i < r->n_curves; i++) TRY(put_charts(out, c, r->curve[i], taken, &charts, arena));
    if (r->n_curves == 0) TRY(put_charts(out, c, NULL, taken, &charts, arena));
    TRY(buffer_text(out, "</div>\n"));
    return page_section_end(out);
}

/* --- Checkpoints --- */

static Status put_checkpoint(Buffer *out, const CheckpointEntry *e, bool best, const char *head)
{
    char step[32], bytes[32], metric[32] = "";
    page_number(step, (double)e->step);
    page_bytes(bytes, e->bytes);
    if (isfinite(e->metric)) page_number(metric, e->metric);
    return page_row(out, 5, (const char *const[]){e->file, step, bytes, metric, best ? "best" : ""}, head);
}

static Status put_checkpoints(Buffer *out, const CheckpointIndex *x)
{
    static const char head[] = "File|>Step|>Size|>Measure|";
    const int best = checkpoint_index_best(x);
    TRY(page_section(out, "Checkpoints", "In the folder checkpoints of the run. h5py reads them."));
    TRY(page_table(out, head));
    for (int i = x->n - 1; i >= 0; i--) TRY(put_checkpoint(out, &x->entry[i], i == best, head));
    TRY(page_table_end(out));
    return page_section_end(out);
}

Status report_checkpoints(Buffer *out, const Report *r, Arena *arena)
{
    CheckpointIndex *x;
    TRY_NEW(x, arena, 1);
    const char *folder = arena_format(arena, "%s/checkpoints", r->folder);
    if (!folder) return ERR_HOST;
    const Status st = checkpoint_index_read(x, folder);
    if (st != ERR_DATA) TRY(st); /* a damaged index was made again */
    return x->n ? put_checkpoints(out, x) : OK;
}

/* --- Configuration --- */

static const char config_head[] = "Key|Value|From|Meaning";

typedef struct Rows {
    Buffer *out;
    Arena *arena;
    bool presets; /* those that nobody set, or the others */
    int n;        /* of the others */
} Rows;

static Status put_value(void *context, const ConfigValue *v)
{
    Rows *rows = context;
    const bool preset = strcmp(v->origin, "preset") == 0;
    rows->n += preset != rows->presets;
    if (preset != rows->presets) return OK;
    const char *key = arena_format(rows->arena, "%s.%s", v->section, v->key);
    const char *value = arena_format(rows->arena, "%s%s%s", v->value, v->unit ? " " : "", v->unit ? v->unit : "");
    if (!key || !value) return ERR_HOST;
    return page_row(rows->out, 4, (const char *const[]){key, value, v->origin, v->help}, config_head);
}

Status report_config(Buffer *out, const Report *r, Arena *arena)
{
    Rows rows = {out, arena, false, 0};
    char title[64];
    const char *path = arena_format(arena, "%s/config.yaml", r->folder);
    if (!path) return ERR_HOST;
    if (!r->config) return report_file(out, path, "Configuration", NULL);
    TRY(page_section(out, "Configuration",
                     "What was set for this run, and where; the presets of all else are folded."));
    TRY(page_table(out, config_head));
    TRY(config_each(r->config, put_value, &rows));
    TRY(page_table_end(out));
    snprintf(title, sizeof title, "%d settings as they are preset", rows.n);
    rows.presets = true;
    TRY(page_fold(out, title));
    TRY(page_table(out, config_head));
    TRY(config_each(r->config, put_value, &rows));
    TRY(page_table_end(out));
    TRY(page_fold_end(out));
    return page_section_end(out);
}

Status report_file(Buffer *out, const char *path, const char *title, const char *note)
{
    Buffer text = {0};
    if (!file_exists(path)) return OK;
    Status st = file_read(path, LARGEST_TEXT, &text);
    if (st == OK) st = page_section(out, title, note);
    if (st == OK) st = buffer_text(out, "<pre>");
    if (st == OK) st = page_text_n(out, text.data, text.size);
    buffer_close(&text);
    TRY(st);
    TRY(buffer_text(out, "</pre>\n"));
    return page_section_end(out);
}

/* --- Environment --- */

static Status put_environment(Buffer *out, const json_t *facts)
{
    static const char head[] = "What|Value";
    void *at = json_object_iter((json_t *)facts);
    TRY(page_section(out, "Environment", NULL));
    TRY(page_table(out, head));
    for (; at; at = json_object_iter_next((json_t *)facts, at)) {
        const char *value = json_string_value(json_object_iter_value(at));
        TRY(page_row(out, 2, (const char *const[]){json_object_iter_key(at), value ? value : ""}, head));
    }
    TRY(page_table_end(out));
    return page_section_end(out);
}

Status report_environment(Buffer *out, const Report *r, Arena *arena)
{
    json_error_t error;
    Buffer text = {0};
    const char *path = arena_format(arena, "%s/environment.json", r->folder);
    if (!path) return ERR_HOST;
    if (!file_exists(path)) return OK;
    Status st = file_read(path, LARGEST_TEXT, &text);
    json_t *facts = st == OK ? json_loadb(text.data, text.size, 0, &error) : NULL;
    if (json_is_object(facts)) st = put_environment(out, facts);
    json_decref(facts);
    buffer_close(&text);
    return st;
}
