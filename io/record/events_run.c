/* events_run.c - settings and histograms as summaries. */
#include "io/record/events_run.h"

#include <math.h>

#include "io/record/events.h"
#include "io/record/proto.h"

typedef struct Parts {
    Buffer event, summary, value, a, b, c;
} Parts;

static void close_parts(Parts *p)
{
    Buffer *part[] = {&p->event, &p->summary, &p->value, &p->a, &p->b, &p->c};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) buffer_close(part[i]);
}

static Status put_event(Buffer *out, Parts *p, double wall_time, int64_t step)
{
    p->event.size = 0;
    TRY(proto_double(&p->event, 1, wall_time));
    TRY(proto_int(&p->event, 2, (uint64_t)step));
    TRY(proto_part(&p->event, 5, &p->summary));
    return events_record(out, &p->event);
}

/* --- Settings --- */

/* A value of the plugin: content is p->a. */
static Status put_plugin(Buffer *out, Parts *p, double wall_time, const char *tag)
{
    static const char no_numbers[] = {1 << 3, 1, 2 << 3 | 2, 4, 2 << 3 | 2, 2, 1 << 3, 0}; /* floats, of shape (0) */
    p->value.size = p->summary.size = p->b.size = p->c.size = 0;
    TRY(proto_text(&p->b, 1, "hparams"));
    TRY(proto_part(&p->b, 2, &p->a));
    TRY(proto_part(&p->c, 1, &p->b));
    TRY(proto_text(&p->value, 1, tag));
    TRY(proto_bytes(&p->value, 8, no_numbers, sizeof no_numbers));
    TRY(proto_part(&p->value, 9, &p->c));
    TRY(proto_part(&p->summary, 1, &p->value));
    return put_event(out, p, wall_time, 0);
}

static Status put_experiment(Buffer *out, Parts *p, double wall_time, int n, const EventsSetting *s, int n_measures,
                             const char *const *measure)
{
    p->a.size = p->c.size = 0;
    for (int i = 0; i < n; i++) {
        p->b.size = 0;
        TRY(proto_text(&p->b, 1, s[i].name));
        TRY(proto_int(&p->b, 4, s[i].kind));
        TRY(proto_part(&p->c, 4, &p->b));
    }
    for (int i = 0; i < n_measures; i++) {
        p->b.size = p->value.size = 0;
        TRY(proto_text(&p->value, 2, measure[i]));
        TRY(proto_part(&p->b, 1, &p->value));
        TRY(proto_part(&p->c, 5, &p->b));
    }
    TRY(proto_part(&p->a, 2, &p->c));
    return put_plugin(out, p, wall_time, "_hparams_/experiment");
}

static Status put_setting(Parts *p, const EventsSetting *s)
{
    p->b.size = p->value.size = 0;
    if (s->kind == EVENTS_TEXT)
        TRY(proto_text(&p->value, 3, s->text));
    else if (s->kind == EVENTS_BOOL)
        TRY(proto_int(&p->value, 4, s->number != 0));
    else
        TRY(proto_double(&p->value, 2, s->number));
    TRY(proto_text(&p->b, 1, s->name));
    TRY(proto_part(&p->b, 2, &p->value));
    return proto_part(&p->c, 1, &p->b);
}

static Status put_session(Buffer *out, Parts *p, double wall_time, int n, const EventsSetting *s)
{
    p->a.size = p->c.size = 0;
    for (int i = 0; i < n; i++) TRY(put_setting(p, &s[i]));
    TRY(proto_double(&p->c, 5, wall_time));
    TRY(proto_part(&p->a, 3, &p->c));
    return put_plugin(out, p, wall_time, "_hparams_/session_start_info");
}

Status events_settings(Buffer *out, double wall_time, int n, const EventsSetting *setting, int n_measures,
                       const char *const *measure)
{
    Parts p = {0};
    Status st = put_experiment(out, &p, wall_time, n, setting, n_measures, measure);
    if (st == OK) st = put_session(out, &p, wall_time, n, setting);
    close_parts(&p);
    return st;
}

/* --- Histograms --- */

void events_spread(EventsHistogram *h, double value)
{
    if (!isfinite(value)) return;
    h->low = h->n > 0 ? fmin(h->low, value) : value;
    h->high = h->n > 0 ? fmax(h->high, value) : value;
    h->n++;
    h->sum += value;
    h->squares += value * value;
}

void events_fill(EventsHistogram *h, double value)
{
    if (!isfinite(value)) return;
    const double share = h->high > h->low ? (value - h->low) / (h->high - h->low) : 0;
    const int bucket = (int)(share * EVENTS_BUCKETS);
    h->count[bucket < EVENTS_BUCKETS ? bucket : EVENTS_BUCKETS - 1]++;
}

static Status put_histogram(Parts *p, const char *group, const EventsHistogram *h)
{
    double limit[EVENTS_BUCKETS];
    const double all[] = {h->low, h->high, h->n, h->sum, h->squares};
    for (int i = 0; i < EVENTS_BUCKETS; i++)
        limit[i] = i + 1 < EVENTS_BUCKETS ? h->low + (h->high - h->low) * (i + 1) / EVENTS_BUCKETS : h->high;
    p->a.size = p->b.size = p->value.size = 0;
    for (int i = 0; i < 5; i++) TRY(proto_double(&p->a, i + 1, all[i]));
    TRY(proto_doubles(&p->a, 6, EVENTS_BUCKETS, limit));
    TRY(proto_doubles(&p->a, 7, EVENTS_BUCKETS, h->count));
    TRY(buffer_format(&p->b, "%s/%s", group, h->name));
    TRY(proto_part(&p->value, 1, &p->b));
    TRY(proto_part(&p->value, 5, &p->a));
    return proto_part(&p->summary, 1, &p->value);
}

Status events_histograms(Buffer *out, double wall_time, int64_t step, const char *group, int n,
                         const EventsHistogram *h)
{
    Parts p = {0};
    Status st = OK;
    for (int i = 0; i < n && st == OK; i++)
        if (h[i].n > 0) st = put_histogram(&p, group, &h[i]);
    if (st == OK && p.summary.size > 0) st = put_event(out, &p, wall_time, step);
    close_parts(&p);
    return st;
}
