/* spans.c - F1 of named spans that tags write (B-PER I-PER O), counted as conlleval counts them (Tjong Kim Sang 2002).
 *
 * A tag is a letter, a hyphen and a type. A span begins at B, at I behind O or at I of another type, so IOB and BIO
 * read alike; E ends one. It is right when truth and guess have it with the same beginning, end and type.
 * precision = right / guessed, recall = right / true, F1 = 2 right / (true + guessed); 0 where there is none. */
#include <stdio.h>
#include <string.h>

#include "trainer/metric/metric.h"

enum { HIT, TRUTH, GUESS, COUNTERS, LISTED = 32 }; /* LISTED: more types are not listed one by one */

typedef struct Tag {
    char letter;
    int type; /* -1: none */
} Tag;

static const Tag OUTSIDE = {'O', -1};

typedef struct Spans {
    int types;
    const char **name; /* (types) */
    Tag *tag;          /* (classes) */
} Spans;

static int type_of(Spans *s, const char *name)
{
    for (int i = 0; i < s->types; i++)
        if (strcmp(s->name[i], name) == 0) return i;
    s->name[s->types] = name;
    return s->types++;
}

static Status open(Metric *m, Arena *run)
{
    Spans *s;
    TRY_NEW(s, run, 1);
    TRY_NEW(s->name, run, m->shape->classes + 1);
    TRY_NEW(s->tag, run, m->shape->classes + 1);
    for (int64_t c = 0; c < m->shape->classes; c++) {
        const char *text = m->shape->class_name ? m->shape->class_name[c] : "O";
        const bool inside = text[0] && text[0] != 'O' && text[1] == '-';
        s->tag[c] = inside ? (Tag){text[0], type_of(s, text + 2)} : OUTSIDE;
    }
    m->state = s;
    return OK;
}

static int64_t counters(const Metric *m) { return COUNTERS * ((const Spans *)m->state)->types; }

/* Is there an end between two tags that follow each other? */
static bool ends(Tag before, Tag now)
{
    if (before.letter == 'O') return false;
    return before.letter == 'E' || now.letter == 'B' || now.letter == 'O' || before.type != now.type;
}

static bool begins(Tag before, Tag now)
{
    if (now.letter == 'O') return false;
    return now.letter == 'B' || before.letter == 'O' || before.letter == 'E' || before.type != now.type;
}

static Tag tag_at(const Spans *s, const MetricSide *side, int64_t i)
{
    return i >= 0 && i < side->n ? s->tag[side->id[i]] : OUTSIDE;
}

static Status add(const Metric *m, int64_t *count, const MetricExample *e, Arena *scratch)
{
    const Spans *s = m->state;
    bool both = false; /* a span of both began at one place with one type, and has ended in neither */
    (void)scratch;
    for (int64_t i = 0; i <= e->truth.n; i++) {
        const Tag t0 = tag_at(s, &e->truth, i - 1), t1 = tag_at(s, &e->truth, i);
        const Tag g0 = tag_at(s, &e->guess, i - 1), g1 = tag_at(s, &e->guess, i);
        const bool t_end = ends(t0, t1), g_end = ends(g0, g1);
        if (both && t_end && g_end) count[COUNTERS * t0.type + HIT]++;
        both = both && !t_end && !g_end;
        const bool t_begin = begins(t0, t1), g_begin = begins(g0, g1);
        both = both || (t_begin && g_begin && t1.type == g1.type);
        if (t_begin) count[COUNTERS * t1.type + TRUTH]++;
        if (g_begin) count[COUNTERS * g1.type + GUESS]++;
    }
    return OK;
}

static double ratio(int64_t part, int64_t whole) { return whole ? (double)part / (double)whole : 0; }

static Status report(const Metric *m, const int64_t *count, Measures *out)
{
    const Spans *s = m->state;
    int64_t all[COUNTERS] = {0};
    for (int i = 0; i < COUNTERS * s->types; i++) all[i % COUNTERS] += count[i];
    TRY(measures_add(out, "span_precision", ratio(all[HIT], all[GUESS]), true));
    TRY(measures_add(out, "span_recall", ratio(all[HIT], all[TRUTH]), true));
    TRY(measures_add(out, "span_f1", ratio(2 * all[HIT], all[TRUTH] + all[GUESS]), true));
    for (int i = 0; s->types <= LISTED && i < s->types; i++) {
        const int64_t *k = count + COUNTERS * i;
        char name[MEASURE_NAME + 1];
        metric_label(name, sizeof name, "span_f1", s->name, i);
        TRY(measures_add(out, name, ratio(2 * k[HIT], k[TRUTH] + k[GUESS]), true));
    }
    return OK;
}

const MetricDef metric_spans = {
    .name = "spans",
    .help = "Precision, recall and F1 of the spans that tags write.",
    .open = open,
    .counters = counters,
    .add = add,
    .report = report,
};
