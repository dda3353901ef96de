/* quality.c - the table of measures of text. */
#include "trainer/metric/quality/quality.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/config.h"
#include "trainer/metric/quality/bleu.h"
#include "trainer/metric/quality/tokenize.h"

/* One line per measure; chrf++ is the second row of chrf.c. */
#define QUALITIES(X) X(bleu)

#define DECLARE(name) extern const QualityDef quality_##name;
#define ROW(name)     &quality_##name,
QUALITIES(DECLARE)
static const QualityDef *const table[] = {QUALITIES(ROW) NULL};

const char quality_version[] = "version:mneme-" MNEME_VERSION;

const QualityOptions quality_preset = {.tokenize = "13a", .smooth = "exp", .smooth_value = NAN};

const QualityDef *quality_at(int i) { return table[i]; }

const char *quality_name(int i) { return table[i] ? table[i]->name : NULL; }

/* ERR_USAGE, with the nearest name, unless the name is in the list. */
static Status known(const char *what, const char *name, const char *(*list)(int i))
{
    const char *names[32];
    int n = 0;
    for (; list(n) && n < COUNT(names); n++) {
        if (strcmp(list(n), name) == 0) return OK;
        names[n] = list(n);
    }
    const char *near = config_nearest(name, names, n);
    FAIL(ERR_USAGE, "there is no %s %s%s%s%s", what, name, near ? "; did you mean " : "", near ? near : "",
         near ? "?" : "");
}

Status quality_open(Quality *out, const char *name, const QualityOptions *option, int references)
{
    TRY(known("measure", name, quality_name));
    TRY(known("tokenisation", option->tokenize, tokenize_name));
    TRY(known("smoothing", option->smooth, bleu_smooth_name));
    REQUIRE(references >= 1 && references <= QUALITY_REFERENCES, ERR_USAGE, "%d references; 1 to %d are possible",
            references, QUALITY_REFERENCES);
    *out = (Quality){.option = *option, .references = references};
    for (int i = 0; table[i]; i++)
        if (strcmp(table[i]->name, name) == 0) out->def = table[i];
    out->counters = out->def->counters(out);
    return OK;
}

Status quality_add(const Quality *q, int64_t *count, const QualityPair *p, Arena *scratch)
{
    const ArenaMark mark = arena_mark(scratch);
    const Status st = q->def->add(q, count, p, scratch);
    arena_release(scratch, mark);
    return st;
}

Status quality_report(const Quality *q, const int64_t *count, QualityReport *out)
{
    *out = (QualityReport){0};
    return q->def->report(q, count, out);
}

Status quality_item(QualityReport *r, QualityItem **out, const char *name, double value, int digits)
{
    REQUIRE(r->n < QUALITY_ITEMS, ERR_INTERNAL, "more than %d figures in one report", QUALITY_ITEMS);
    QualityItem *item = &r->item[r->n++];
    *item = (QualityItem){.value = value, .digits = digits, .higher = true};
    snprintf(item->name, sizeof item->name, "%s", name);
    if (out) *out = item;
    return OK;
}
