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

static Status family(Buffer *out, const char *title, const char *columns, const Component *(*choice)(int i))
{
    TRY(buffer_format(out, "\n## %s\n\n%s\n", title, columns));
    for (int i = 0; choice(i); i++) TRY(row(out, choice(i)->name, choice(i)->help, choice(i)->source));
    return OK;
}

static Status families(Buffer *out)
{
    TRY(family(out, "Scores", "| score | formula | source |\n|---|---|---|", score_choice));
    TRY(family(out, "Selections", "| selection | weights | source |\n|---|---|---|", select_choice));
    TRY(family(out, "Ranges", "| range | a query looks at | source |\n|---|---|---|", range_choice));
    TRY(buffer_text(out, "\n## Places of application\n\n| apply | |\n|---|---|\n"));
    for (int i = 0; attend_apply_name(i); i++) TRY(row(out, attend_apply_name(i), attend_apply_help(i), NULL));
    return OK;
}

static Status cell(Buffer *out, Notes *notes, const char *reason)
{
    int number = 0;
    if (!reason) return buffer_text(out, " yes |");
    TRY(note(notes, reason, &number));
    return buffer_format(out, " no [%d] |", number);
}

static const char *coverage_name(int i) { return i == 0 ? "coverage" : NULL; }

/* The names of several families as one row of a table. */
static Status header(Buffer *out, const char *first, int n, const char *(*const *name)(int i))
{
    int columns = 1;
    TRY(buffer_format(out, "\n| %s |", first));
    for (int f = 0; f < n; f++)
        for (int i = 0; name[f](i); i++, columns++) TRY(buffer_format(out, " %s |", name[f](i)));
    TRY(buffer_text(out, "\n|"));
    for (int i = 0; i < columns; i++) TRY(buffer_text(out, "---|"));
    return buffer_text(out, "\n");
}

/* What hangs on score and selection, and what hangs on where it is applied. */
static Status combinations(Buffer *out, Notes *notes)
{
    TRY(buffer_text(out, "\n## What goes together\n"));
    TRY(header(out, "score", 2, (const char *(*const[])(int i)){select_name, coverage_name}));
    for (int i = 0; score_name(i); i++) {
        TRY(buffer_format(out, "| %s |", score_name(i)));
        for (int j = 0; select_name(j); j++)
            TRY(cell(out, notes, attend_refuses(score_name(i), select_name(j), NULL, NULL)));
        TRY(cell(out, notes, attend_refuses_coverage(score_name(i))));
        TRY(buffer_text(out, "\n"));
    }
    TRY(header(out, "apply", 2, (const char *(*const[])(int i)){select_name, range_name}));
    for (int i = 0; attend_apply_name(i); i++) {
        const char *apply = attend_apply_name(i);
        TRY(buffer_format(out, "| %s |", apply));
        for (int j = 0; select_name(j); j++) TRY(cell(out, notes, attend_refuses(NULL, select_name(j), NULL, apply)));
        for (int j = 0; range_name(j); j++) TRY(cell(out, notes, attend_refuses(NULL, NULL, range_name(j), apply)));
        TRY(buffer_text(out, "\n"));
    }
    for (int i = 0; i < notes->n; i++) TRY(buffer_format(out, "\n[%d] %s\n", i + 1, notes->reason[i]));
    return OK;
}

Status attend_markdown(Buffer *out)
{
    Notes notes = {0};
    TRY(buffer_text(out, "# Attention\n\nMade by `mneme doc attention`. A query s looks at the keys h of its "
                         "sequence or of another.\n"));
    TRY(families(out));
    return combinations(out, &notes);
}
