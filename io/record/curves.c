/* curves.c - reading metrics.jsonl, line by line and in bounded pieces. */
#include "io/record/curves.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "io/file/file.h"

enum { LONGEST_LINE = 1 << 20 };

typedef struct Reading {
    Curves *c;
    Arena *arena;
    Buffer *line;
    bool too_long;
} Reading;

static int find(const Curves *c, const char *name, const char *kind)
{
    for (int i = 0; i < c->n; i++)
        if (strcmp(c->curve[i].name, name) == 0 && strcmp(c->curve[i].kind, kind) == 0) return i;
    return -1;
}

const Curve *curves_find(const Curves *c, const char *name, const char *kind)
{
    const int i = find(c, name, kind);
    return i < 0 ? NULL : &c->curve[i];
}

static Status curve_for(Reading *r, const char *name, const char *kind, Curve **out)
{
    Curves *c = r->c;
    const int i = find(c, name, kind);
    *out = i < 0 ? NULL : &c->curve[i];
    if (*out || c->n == CURVES_MAX) return OK;
    Curve *curve = &c->curve[c->n];
    *curve = (Curve){.name = arena_text(r->arena, name), .kind = arena_text(r->arena, kind)};
    if (!curve->name || !curve->kind) return ERR_HOST;
    c->n++;
    *out = curve;
    return OK;
}

static Status add_point(Reading *r, Curve *curve, double step, double value)
{
    if (curve->n == curve->room) {
        const int64_t room = curve->room ? 2 * curve->room : 256;
        double *steps, *values;
        TRY_NEW(steps, r->arena, room);
        TRY_NEW(values, r->arena, room);
        if (curve->n) memcpy(steps, curve->step, (size_t)curve->n * sizeof *steps);
        if (curve->n) memcpy(values, curve->value, (size_t)curve->n * sizeof *values);
        curve->step = steps;
        curve->value = values;
        curve->room = room;
    }
    curve->step[curve->n] = step;
    curve->value[curve->n++] = value;
    return OK;
}

static bool is_place(const char *key)
{
    return strcmp(key, "step") == 0 || strcmp(key, "epoch") == 0 || strcmp(key, "kind") == 0 ||
           strcmp(key, "time") == 0;
}

static const char *text_of(Reading *r, json_t *record, const char *key)
{
    const char *text = json_string_value(json_object_get(record, key));
    return arena_text(r->arena, text ? text : "");
}

/* A later step takes the place of an earlier one. */
static Status take_sample(Reading *r, json_t *record, int64_t step)
{
    Curves *c = r->c;
    if (c->sample_step != step) c->n_samples = 0;
    c->sample_step = step;
    if (c->n_samples == CURVES_SAMPLES) return OK;
    MetricsSample *s = &c->sample[c->n_samples++];
    *s = (MetricsSample){.example = (int64_t)json_number_value(json_object_get(record, "example")),
                         .source = text_of(r, record, "source"),
                         .target = text_of(r, record, "target"),
                         .output = text_of(r, record, "output")};
    return s->source && s->target && s->output ? OK : ERR_HOST;
}

static Status take_record(Reading *r, json_t *record)
{
    const char *key, *kind = json_string_value(json_object_get(record, "kind"));
    json_t *step = json_object_get(record, "step"), *value;
    if (!json_is_integer(step) || !kind) {
        r->c->skipped++;
        return OK;
    }
    const double time = json_number_value(json_object_get(record, "time"));
    if (r->c->first_time == 0) r->c->first_time = time;
    r->c->last_time = time;
    r->c->last_step = (int64_t)json_integer_value(step);
    r->c->last_epoch = json_number_value(json_object_get(record, "epoch"));
    if (strcmp(kind, METRICS_SAMPLE) == 0) return take_sample(r, record, r->c->last_step);
    json_object_foreach(record, key, value)
    {
        Curve *curve;
        if (is_place(key) || !(json_is_number(value) || json_is_null(value))) continue;
        TRY(curve_for(r, key, kind, &curve));
        if (!curve) continue;
        TRY(add_point(r, curve, json_number_value(step), json_is_null(value) ? (double)NAN : json_number_value(value)));
    }
    return OK;
}

static Status take_line(Reading *r)
{
    json_error_t error;
    r->c->lines++;
    json_t *record = r->too_long ? NULL : json_loadb(r->line->data, r->line->size, 0, &error);
    if (!record) {
        r->c->skipped++;
        return OK;
    }
    const Status st = take_record(r, record);
    json_decref(record);
    return st;
}

static Status piece(void *context, const void *data, size_t size)
{
    Reading *r = context;
    const char *p = data, *end = p + size;
    while (p < end) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        const size_t n = (size_t)((stop ? stop : end) - p);
        r->too_long = r->too_long || r->line->size + n > LONGEST_LINE;
        if (!r->too_long) TRY(buffer_append(r->line, p, n));
        p += n + 1;
        if (!stop) break;
        TRY(take_line(r));
        r->line->size = 0;
        r->too_long = false;
    }
    return OK;
}

Status curves_read(Curves *c, Arena *arena, const char *path)
{
    Buffer line = {0};
    Reading r = {.c = c, .arena = arena, .line = &line};
    *c = (Curves){.last_step = -1};
    if (!file_exists(path)) return OK;
    const Status st = file_each(path, piece, &r);
    buffer_close(&line);
    TRY(st);
    return OK;
}
