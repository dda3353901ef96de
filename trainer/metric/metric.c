/* metric.c - the table of metrics, and counters side by side. */
#include "trainer/metric/metric.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* One line per metric; loss.c, accuracy.c, texts.c and length.c hold several. */
#define METRICS(X)                                                                                                     \
    X(loss)                                                                                                            \
    X(perplexity)                                                                                                      \
    X(accuracy)                                                                                                        \
    X(sequences)                                                                                                       \
    X(exact)                                                                                                           \
    X(tokens)                                                                                                          \
    X(f1)                                                                                                              \
    X(confusion)                                                                                                       \
    X(groups)                                                                                                          \
    X(spans)                                                                                                           \
    X(errors)                                                                                                          \
    X(bleu)                                                                                                            \
    X(chrf)                                                                                                            \
    X(chrf_words)                                                                                                      \
    X(gleu)                                                                                                            \
    X(rouge)                                                                                                           \
    X(length)                                                                                                          \
    X(cut)                                                                                                             \
    X(aer)

#define DECLARE(name) extern const MetricDef metric_##name;
#define ROW(name)     &metric_##name,
METRICS(DECLARE)
static const MetricDef *const table[] = {METRICS(ROW) NULL};

const MetricDef *metric_choice(int i) { return table[i]; }

const MetricDef *metric_find(const char *name)
{
    for (int i = 0; table[i]; i++)
        if (strcmp(table[i]->name, name) == 0) return table[i];
    return NULL;
}

Status metric_open(MetricSet *set, Arena *run, const MetricShape *shape, const char *const *names, const char *prefix)
{
    *set = (MetricSet){.shape = *shape, .prefix = prefix};
    for (int i = 0; names[i]; i++) {
        const MetricDef *def = metric_find(names[i]);
        REQUIRE(def, ERR_INTERNAL, "%s is not a metric", names[i]);
        REQUIRE(set->n < METRIC_SET, ERR_INTERNAL, "more than %d metrics", METRIC_SET);
        Metric *m = &set->item[set->n++];
        *m = (Metric){.def = def, .shape = &set->shape, .offset = set->counters};
        if (def->open) TRY(def->open(m, run));
        set->counters += def->counters(m);
        set->texts = set->texts || def->texts;
        set->source = set->source || def->source;
    }
    return OK;
}

Status metric_add(const MetricSet *set, Counts *c, const MetricExample *e, Arena *scratch)
{
    for (int i = 0; i < set->n; i++) {
        const Metric *m = &set->item[i];
        TRY(m->def->add(m, c->value + m->offset, e, scratch));
    }
    return OK;
}

Status metric_report(const MetricSet *set, const Counts *c, Measures *out)
{
    const int first = out->n;
    for (int i = 0; i < set->n; i++) {
        const Metric *m = &set->item[i];
        TRY(m->def->report(m, c->value + m->offset, out));
    }
    if (set->prefix) measures_prefix(out, first, set->prefix);
    return OK;
}

const int64_t *metric_counters(const MetricSet *set, const Counts *c, const char *name)
{
    for (int i = 0; i < set->n; i++)
        if (strcmp(set->item[i].def->name, name) == 0 && set->item[i].def->counters(&set->item[i]) > 0)
            return c->value + set->item[i].offset;
    return NULL;
}

bool metric_right(const MetricShape *s, const MetricExample *e, int64_t i)
{
    return e->guess.id[i] == e->truth.id[i] && e->truth.id[i] != s->unknown;
}

bool metric_same(const MetricShape *s, const MetricExample *e)
{
    if (e->guess.n != e->truth.n) return false;
    for (int64_t i = 0; i < e->truth.n; i++)
        if (!metric_right(s, e, i)) return false;
    return true;
}

double metric_share(int64_t part, int64_t whole) { return whole ? (double)part / (double)whole : (double)NAN; }

void metric_label(char *text, size_t size, const char *prefix, const char *const *names, int64_t i)
{
    if (names && names[i])
        snprintf(text, size, "%s/%s", prefix, names[i]);
    else
        snprintf(text, size, "%s/%lld", prefix, (long long)i);
}
