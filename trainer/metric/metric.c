/* metric.c - the table of metrics, and counters side by side. */
#include "trainer/metric/metric.h"

#include <stdio.h>
#include <string.h>

extern const MetricDef metric_loss, metric_perplexity, metric_accuracy, metric_f1, metric_confusion, metric_groups,
    metric_tokens, metric_sequences;

static const MetricDef *const table[] = {&metric_loss,      &metric_perplexity, &metric_accuracy, &metric_f1,
                                         &metric_confusion, &metric_groups,     &metric_tokens,   &metric_sequences};

const MetricDef *metric_find(const char *name)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i]->name, name) == 0) return table[i];
    return NULL;
}

Status metric_open(MetricSet *set, const MetricShape *shape, const char *const *names)
{
    *set = (MetricSet){.shape = *shape};
    for (int i = 0; names[i]; i++) {
        const MetricDef *def = metric_find(names[i]);
        REQUIRE(def, ERR_INTERNAL, "%s is not a metric", names[i]);
        REQUIRE(set->n < METRIC_SET, ERR_INTERNAL, "more than %d metrics", METRIC_SET);
        set->offset[set->n] = set->counters;
        set->def[set->n++] = def;
        set->counters += def->counters(shape);
    }
    return OK;
}

void metric_add(const MetricSet *set, Counts *c, const MetricExample *e)
{
    for (int i = 0; i < set->n; i++) set->def[i]->add(&set->shape, c->value + set->offset[i], e);
}

Status metric_report(const MetricSet *set, const Counts *c, Measures *out)
{
    for (int i = 0; i < set->n; i++) TRY(set->def[i]->report(&set->shape, c->value + set->offset[i], out));
    return OK;
}

const int64_t *metric_counters(const MetricSet *set, const Counts *c, const char *name)
{
    for (int i = 0; i < set->n; i++)
        if (strcmp(set->def[i]->name, name) == 0) return c->value + set->offset[i];
    return NULL;
}

bool metric_right(const MetricShape *s, const MetricExample *e)
{
    return e->guess == e->truth && e->truth != s->unknown;
}

void metric_label(char *text, size_t size, const char *prefix, const char *const *names, int64_t i)
{
    if (names)
        snprintf(text, size, "%s/%s", prefix, names[i]);
    else
        snprintf(text, size, "%s/%lld", prefix, (long long)i);
}
