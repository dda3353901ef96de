/* quality.c - the table of measures of text. */
#include "trainer/metric/quality/quality.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/config/config.h"
#include "trainer/metric/quality/bleu.h"
#include "trainer/metric/quality/gleu.h"
#include "trainer/metric/quality/tokenize.h"

/* One line per measure. */
#define QUALITIES(X) X(bleu) X(chrf) X(chrf_words) X(gleu) X(rouge) X(accuracy) X(distinct)

#define DECLARE(name) extern const QualityDef quality_##name;
#define ROW(name)     &quality_##name,
QUALITIES(DECLARE)
static const QualityDef *const table[] = {QUALITIES(ROW) NULL};

const char quality_version[] = "version:mneme-" MNEME_VERSION;

const QualityOptions quality_preset = {.tokenize = "13a",
                                       .smooth = "exp",
                                       .smooth_value = NAN,
                                       .char_order = 6,
                                       .word_order = -1,
                                       .beta = 2,
                                       .draw = "python2",
                                       .sentence_mark = ""};

const QualityDef *quality_at(int i) { return table[i]; }

const char *quality_name(int i) { return table[i] ? table[i]->name : NULL; }

/* ERR_USAGE, with the nearest name or all of them, unless the name is in the list. */
static Status known(const char *what, const char *name, const char *(*list)(int i))
{
    char hint[CONFIG_HINT];
    if (config_lists(list, name)) return OK;
    FAIL(ERR_USAGE, "there is no %s %s%s", what, name, config_hint(hint, name, list));
}

Status quality_open(Quality *out, Arena *arena, const char *name, const QualityOptions *option, int references)
{
    TRY(known("measure", name, quality_name));
    TRY(known("tokenisation", option->tokenize, tokenize_name));
    TRY(known("smoothing", option->smooth, bleu_smooth_name));
    TRY(known("draw", option->draw, gleu_draw_name));
    REQUIRE(references >= 1 && references <= QUALITY_REFERENCES, ERR_USAGE, "%d references; 1 to %d are possible",
            references, QUALITY_REFERENCES);
    *out = (Quality){.option = *option, .references = references};
    for (int i = 0; table[i]; i++)
        if (strcmp(table[i]->name, name) == 0) out->def = table[i];
    if (out->def->counters) out->counters = out->def->counters(out);
    return out->def->open ? out->def->open(out, arena) : OK;
}

Status quality_add(const Quality *q, int64_t *count, const QualityPair *p, Arena *scratch)
{
    REQUIRE(q->def->add, ERR_USAGE, "%s needs all lines at once: it is no sum over lines", q->def->name);
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

static Status add_up(const Quality *q, int64_t n, const QualityPair *pair, Arena *scratch, QualityReport *out)
{
    int64_t *count;
    TRY_NEW(count, scratch, q->counters);
    for (int64_t i = 0; i < n; i++) TRY(quality_add(q, count, &pair[i], scratch));
    return quality_report(q, count, out);
}

Status quality_whole(const Quality *q, int64_t n, const QualityPair *pair, Arena *scratch, QualityReport *out)
{
    const ArenaMark mark = arena_mark(scratch);
    *out = (QualityReport){0};
    const Status st = q->def->whole ? q->def->whole(q, n, pair, scratch, out) : add_up(q, n, pair, scratch, out);
    arena_release(scratch, mark);
    return st;
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
