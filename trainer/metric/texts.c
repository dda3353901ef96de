/* texts.c - measures of generated text as trainer/metric/quality counts them, of words without further tokenisation,
 * against one reference. Another one is a row more: it has the name of its measure there. */
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
    const QualityPair pair = {
        .hypothesis = e->guess.text, .reference = &e->truth.text, .source = e->source, .index = e->index};
    return quality_add(m->state, count, &pair, scratch);
}

static Status report(const Metric *m, const int64_t *count, Measures *out)
{
    QualityReport r;
    TRY(quality_report(m->state, count, &r));
    if (r.n == 1) return measures_add(out, m->def->name, r.item[0].value, r.item[0].higher);
    for (int i = 0; i < r.n; i++) TRY(measures_add(out, r.item[i].name, r.item[i].value, r.item[i].higher));
    return OK;
}

#define TEXT(measure, reads_source, words)                                                                             \
    {                                                                                                                  \
        .name = measure, .help = words, .texts = true, .source = reads_source, .open = open, .counters = counters,     \
        .add = add, .report = report                                                                                   \
    }

const MetricDef metric_bleu = TEXT("bleu", false, "BLEU.");
const MetricDef metric_chrf = TEXT("chrf", false, "chrF, F-score of sequences of characters.");
const MetricDef metric_chrf_words = TEXT("chrf++", false, "chrF++, of sequences of characters and words.");
const MetricDef metric_gleu = TEXT("gleu", true, "GLEU, of corrections of a source.");
const MetricDef metric_rouge = TEXT("rouge", false, "ROUGE, of summaries.");

const char *metric_text(int i)
{
    static const MetricDef *const all[] = {&metric_bleu, &metric_chrf, &metric_chrf_words, &metric_gleu, &metric_rouge};
    return i < (int)(sizeof all / sizeof *all) ? all[i]->name : NULL;
}
