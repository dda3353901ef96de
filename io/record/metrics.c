/* metrics.c - the three files that receive each row. */
#include "io/record/metrics.h"

#include <string.h>

#include "io/file/file.h"
#include "io/format/json.h"
#include "io/record/append.h"
#include "io/record/csv.h"
#include "io/record/events.h"

struct Metrics {
    int files;
    AppendFile lines, events;
    CsvFile csv;
    Buffer text;
};

/* The name must hold "tfevents", and stays the same when the run resumes. */
static const char EVENTS_FOLDER[] = "events", EVENTS_FILE[] = "events.out.tfevents.0000000000.mneme";

static Status open_events(Metrics *m, Arena *run, const char *folder, int64_t last)
{
    const char *inside = arena_format(run, "%s/%s", folder, EVENTS_FOLDER);
    const char *path = arena_format(run, "%s/%s/%s", folder, EVENTS_FOLDER, EVENTS_FILE);
    if (!inside || !path) return ERR_HOST;
    TRY(file_make_folder(inside));
    return append_open(&m->events, path, events_scan, &last);
}

static Status open_all(Metrics *m, Arena *run, const char *folder, int n, const char *const *column, int64_t last)
{
    const char *lines = arena_format(run, "%s/metrics.jsonl", folder);
    const char *table = arena_format(run, "%s/metrics.csv", folder);
    if (!lines || !table) return ERR_HOST;
    LineRule rule = {.prefix = "{\"step\":", .last = last, .drop = "\"kind\": \"final_"};
    TRY(append_open(&m->lines, lines, append_scan_lines, &rule));
    if (m->files & METRICS_CSV) TRY(csv_open(&m->csv, run, table, n, column, last));
    return m->files & METRICS_EVENTS ? open_events(m, run, folder, last) : OK;
}

Status metrics_open(Metrics **out, Arena *run, const char *folder, int files, int n_columns, const char *const *column,
                    int64_t last)
{
    Metrics *m;
    TRY_NEW(m, run, 1);
    m->files = files;
    m->lines.fd = m->events.fd = m->csv.file.fd = -1;
    const Status st = open_all(m, run, folder, n_columns, column, last);
    if (st != OK) {
        char report[2048];
        strncpy(report, status_text(), sizeof report - 1); /* closing may report faults of its own */
        report[sizeof report - 1] = '\0';
        (void)!metrics_close(m);
        return status_adopt(st, report);
    }
    *out = m;
    return OK;
}

static Status write_line(Metrics *m, const MetricsRow *row)
{
    m->text.size = 0;
    Json j = json_begin(&m->text);
    json_open_object(&j);
    json_put_int(&j, "step", row->step);
    json_put_number(&j, "epoch", row->epoch);
    json_put_text(&j, "kind", row->kind);
    json_put_number(&j, "time", row->time);
    for (int i = 0; i < row->n; i++) json_put_number(&j, row->name[i], row->value[i]);
    json_end(&j);
    TRY(json_finish(&j));
    TRY(buffer_text(&m->text, "\n"));
    return append_write(&m->lines, m->text.data, m->text.size);
}

static Status write_event(Metrics *m, const MetricsRow *row)
{
    m->text.size = 0;
    if (m->events.size == 0) TRY(events_header(&m->text, row->time));
    TRY(events_scalars(&m->text, row->time, row->step, row->kind, row->n, row->name, row->value));
    return append_write(&m->events, m->text.data, m->text.size);
}

Status metrics_columns(Metrics *m, int n, const char *const *column)
{
    return m->files & METRICS_CSV ? csv_add(&m->csv, n, column) : OK;
}

Status metrics_write(Metrics *m, const MetricsRow *row)
{
    TRY(write_line(m, row));
    if (m->files & METRICS_CSV)
        TRY(csv_write(&m->csv, row->step, row->epoch, row->kind, row->time, row->n, row->name, row->value));
    return m->files & METRICS_EVENTS ? write_event(m, row) : OK;
}

static Status sample_line(Metrics *m, const MetricsRow *at, const MetricsSample *s)
{
    m->text.size = 0;
    Json j = json_begin(&m->text);
    json_open_object(&j);
    json_put_int(&j, "step", at->step);
    json_put_number(&j, "epoch", at->epoch);
    json_put_text(&j, "kind", METRICS_SAMPLE);
    json_put_number(&j, "time", at->time);
    json_put_text(&j, "split", at->kind);
    json_put_int(&j, "example", s->example);
    json_put_text(&j, "source", s->source);
    json_put_text(&j, "target", s->target);
    json_put_text(&j, "output", s->output);
    json_end(&j);
    TRY(json_finish(&j));
    TRY(buffer_text(&m->text, "\n"));
    return append_write(&m->lines, m->text.data, m->text.size);
}

/* Markdown, in which TensorBoard shows texts: a block of code each, since any text may stand there. */
static Status sample_event(Metrics *m, const MetricsRow *at, int64_t n, const MetricsSample *s)
{
    Buffer text = {0};
    m->text.size = 0;
    Status st = m->events.size == 0 ? events_header(&m->text, at->time) : OK;
    for (int64_t i = 0; st == OK && i < n; i++)
        st = buffer_format(&text, "    source  %s\n    target  %s\n    output  %s\n\n", s[i].source, s[i].target,
                           s[i].output);
    if (st == OK) st = events_text(&m->text, at->time, at->step, at->kind, "samples", text.data, text.size);
    if (st == OK) st = append_write(&m->events, m->text.data, m->text.size);
    buffer_close(&text);
    return st;
}

Status metrics_samples(Metrics *m, const MetricsRow *at, int64_t n, const MetricsSample *sample)
{
    for (int64_t i = 0; i < n; i++) TRY(sample_line(m, at, &sample[i]));
    return n > 0 && (m->files & METRICS_EVENTS) ? sample_event(m, at, n, sample) : OK;
}

Status metrics_settings(Metrics *m, double time, int n, const EventsSetting *setting, int n_measures,
                        const char *const *measure)
{
    if (!(m->files & METRICS_EVENTS) || m->events.size > 0) return OK;
    m->text.size = 0;
    TRY(events_header(&m->text, time));
    TRY(events_settings(&m->text, time, n, setting, n_measures, measure));
    return append_write(&m->events, m->text.data, m->text.size);
}

Status metrics_histograms(Metrics *m, double time, int64_t step, const char *group, int n, const EventsHistogram *h)
{
    if (!(m->files & METRICS_EVENTS)) return OK;
    m->text.size = 0;
    if (m->events.size == 0) TRY(events_header(&m->text, time));
    TRY(events_histograms(&m->text, time, step, group, n, h));
    return append_write(&m->events, m->text.data, m->text.size);
}

Status metrics_sync(Metrics *m)
{
    TRY(append_sync(&m->lines));
    if (m->files & METRICS_CSV) TRY(append_sync(&m->csv.file));
    return m->files & METRICS_EVENTS ? append_sync(&m->events) : OK;
}

Status metrics_close(Metrics *m)
{
    buffer_close(&m->text);
    const Status lines = append_close(&m->lines), table = csv_close(&m->csv), events = append_close(&m->events);
    return lines != OK ? lines : table != OK ? table : events;
}
