/* texts.c - measures of generated text as trainer/metric/quality counts them, of words without further tokenisation.
 * Another one is a row more: it has the name of its measure there. */
#include "trainer/metric/metric.h"
#include "trainer/metric/quality/quality.h"

static Status open(Metric *m, Arena *run)
{
    Quality *q;
    QualityOptions option = quality_preset;
    option.tokenize = "none";
    TRY_NEW(q, run, 1);
    m->state = q;
    return quality_open(q, run, m->def->name, &option, 1);
}

static int64_t counters(const Metric *m) { return ((const Quality *)m->state)->counters; }

static Status add(const Metric *m, int64_t *count, const MetricExample *e, Arena *scratch)
{
    const QualityPair pair = {.hypothesis = e->guess.text, .reference = &e->truth.text};
    return quality_add(m->state, count, &pair, scratch);
}

static Status report(const Metric *m, const int64_t *count, Measures *out)
{
    QualityReport r;
    TRY(quality_report(m->state, count, &r));
    return measures_add(out, m->def->name, r.item[0].value, r.item[0].higher);
}

const MetricDef metric_bleu = {
    .name = "bleu",
    .help = "BLEU of words, without subwords and without any further tokenisation.",
    .texts = true,
    .open = open,
    .counters = counters,
    .add = add,
    .report = report,
};
