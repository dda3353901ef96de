/* attend_markdown.c - the attentions there are and which of their parts go together, for readers. */
#include <string.h>

#include "io/format/markup.h"
#include "trainer/attention/attend.h"

enum { REASONS = 16 };

/* Reasons met so far, for the notes below the table. */
typedef struct Notes {
    int n;
    const char *reason[REASONS];
} Notes;

static Status note(Notes *notes, const char *reason, int *number)
{
    int i = 0;
    while (i < notes->n && strcmp(notes->reason[i], reason) != 0) i++;
    REQUIRE(i < REASONS, ERR_INTERNAL, "more than %d reasons why attentions are refused", REASONS);
    if (i == notes->n) notes->reason[notes->n++] = reason;
    *number = i + 1;
    return OK;
}

static Status row(Buffer *out, const char *name, const char *help, const char *source)
{
    TRY(buffer_format(out, "| %s | ", name));
    TRY(markup_markdown(out, help));
    return source ? buffer_format(out, " | %s |\n", source) : buffer_format(out, " |\n");
}

static Status families(Buffer *out)
{
    TRY(buffer_text(out, "## Scores\n\n| score | formula | source |\n|---|---|---|\n"));
    for (int i = 0; score_name(i); i++) {
        const ScoreDef *d = score_find(score_name(i));
        TRY(row(out, d->name, d->help, d->source));
    }
    TRY(buffer_text(out, "\n## Selections\n\n| selection | weights | source |\n|---|---|---|\n"));
    for (int i = 0; select_name(i); i++) {
        const SelectDef *d = select_find(select_name(i));
        TRY(row(out, d->name, d->help, d->source));
    }
    TRY(buffer_text(out, "\n## Ranges\n\n| range | a query looks at | source |\n|---|---|---|\n"));
    for (int i = 0; range_name(i); i++) {
        const RangeDef *d = range_find(range_name(i));
        TRY(row(out, d->name, d->help, d->source));
    }
    TRY(buffer_text(out, "\n## Places of application\n\n| apply | |\n|---|---|\n"));
    for (int i = 0; attend_apply_name(i); i++) TRY(row(out, attend_apply_name(i), attend_apply_help(i), NULL));
    return OK;
}

/* "yes" where the score goes with the selection in every range and place, "no [reason]" where in none. */
static Status cell(Buffer *out, Notes *notes, const char *score, const char *select)
{
    int all = 0, refused = 0, number = 0;
    Buffer some = {0};
    Status st = OK;
    for (int i = 0; range_name(i); i++)
        for (int j = 0; attend_apply_name(j) && st == OK; j++, all++) {
            const char *reason = attend_refuses(score, select, range_name(i), attend_apply_name(j));
            if (!reason) continue;
            st = note(notes, reason, &number);
            if (st == OK)
                st = buffer_format(&some, "%s%s %s no [%d]", refused++ ? ", " : "", range_name(i), attend_apply_name(j),
                                   number);
        }
    if (st == OK && refused == 0) st = buffer_text(out, " yes |");
    if (st == OK && refused == all) st = buffer_format(out, " no [%d] |", number);
    if (st == OK && refused > 0 && refused < all) st = buffer_format(out, " %s |", some.data);
    buffer_close(&some);
    return st;
}

static Status combinations(Buffer *out, Notes *notes)
{
    TRY(buffer_text(out, "\n## What goes together\n\nIn all ranges and both places of application, unless a cell says "
                         "otherwise.\n\n| score |"));
    for (int i = 0; select_name(i); i++) TRY(buffer_format(out, " %s |", select_name(i)));
    TRY(buffer_text(out, " coverage |\n|---|"));
    for (int i = 0; select_name(i); i++) TRY(buffer_text(out, "---|"));
    TRY(buffer_text(out, "---|\n"));
    for (int i = 0; score_name(i); i++) {
        TRY(buffer_format(out, "| %s |", score_name(i)));
        for (int j = 0; select_name(j); j++) TRY(cell(out, notes, score_name(i), select_name(j)));
        TRY(buffer_format(out, " %s |\n", attend_refuses_coverage(score_name(i)) ? "no" : "yes"));
    }
    TRY(buffer_text(out, "\n"));
    for (int i = 0; i < notes->n; i++) TRY(buffer_format(out, "[%d] %s\n\n", i + 1, notes->reason[i]));
    return buffer_format(out, "Coverage: %s.\n", attend_refuses_coverage("dot"));
}

Status attend_markdown(Buffer *out)
{
    Notes notes = {0};
    TRY(buffer_text(out, "# Attention of outer queries\n\nMade by `mneme doc attention`. A query s (a decoder's state) "
                         "looks at the states h of its source.\n\n"));
    TRY(families(out));
    return combinations(out, &notes);
}
