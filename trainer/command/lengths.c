/* lengths.c - `mneme lengths NAME=FILE...`: how good generated texts are by the length of their source, as a table and
 * as curves (Bahdanau 2015, figure 2).
 *
 * Rank 0 works alone. The length of a line is its number of words between spaces. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "comm/terminal.h"
#include "io/file/file.h"
#include "io/page/page.h"
#include "io/page/svg.h"
#include "io/text/linefile.h"
#include "trainer/command/command.h"
#include "trainer/metric/quality/quality.h"

enum { GROUPS_MOST = 1000, CELL = 64 };

typedef struct Lengths {
    Command *c;
    Quality quality;
    LineFile reference, source;
    int64_t each;   /* lengths to a group: group g has the lengths g * each + 1 .. (g + 1) * each */
    int64_t groups; /* the last of them is not empty */
    int32_t *group; /* (lines) -1: an empty source */
    int64_t *lines; /* (groups) */
    double *mean;   /* (groups) length */
    const char *name[SVG_SERIES];
    double *value[SVG_SERIES]; /* (groups) */
    char measure[MEASURE_NAME];
    int digits;
    Arena scratch;
    Buffer table, page;
} Lengths;

static Status read_options(Lengths *l)
{
    const char *reference = command_value(l->c, "--reference"), *source = command_value(l->c, "--source");
    const char *measure = command_value(l->c, "--metric");
    REQUIRE(reference && source, ERR_USAGE, "lengths needs --reference FILE and --source FILE");
    TRY(command_number(l->c, "--group", 1, 1000, 5, &l->each));
    TRY(quality_open(&l->quality, l->c->run, measure ? measure : "bleu", &quality_preset, 1));
    TRY(linefile_read(&l->reference, reference, l->c->run));
    TRY(linefile_read(&l->source, source, l->c->run));
    return linefile_same(&l->source, &l->reference);
}

static Status make_groups(Lengths *l)
{
    TRY_NEW(l->group, l->c->run, l->source.n);
    TRY_NEW(l->lines, l->c->run, GROUPS_MOST);
    TRY_NEW(l->mean, l->c->run, GROUPS_MOST);
    for (int64_t i = 0; i < l->source.n; i++) {
        const int64_t n = linefile_words(l->source.line[i]), g = (n - 1) / l->each;
        l->group[i] = n > 0 ? (int32_t)g : -1;
        if (n == 0) continue;
        REQUIRE(g < GROUPS_MOST, ERR_DATA,
                "%s:%" PRId64 ": %" PRId64 " words; with --group %" PRId64 " at most %" PRId64, l->source.name, i + 1,
                n, l->each, GROUPS_MOST * l->each);
        l->groups = g < l->groups ? l->groups : g + 1;
        l->lines[g]++;
        l->mean[g] += (double)n;
    }
    for (int64_t g = 0; g < l->groups; g++) l->mean[g] /= (double)l->lines[g];
    return OK;
}

static Status count_lines(Lengths *l, const LineFile *text, int64_t *count)
{
    for (int64_t i = 0; i < text->n; i++) {
        const QualityPair pair = {text->line[i], &l->reference.line[i], l->source.line[i], i};
        if (l->group[i] < 0) continue;
        TRY(quality_add(&l->quality, count + l->group[i] * l->quality.counters, &pair, &l->scratch));
    }
    return OK;
}

/* NAME=FILE: the first figure of the measure for each group. */
static Status measure(Lengths *l, int k)
{
    const char *word = l->c->argv[k], *equals = strchr(word, '=');
    LineFile text;
    QualityReport report;
    int64_t *count;
    REQUIRE(equals && equals > word && equals[1], ERR_USAGE, "%s: NAME=FILE is expected", word);
    l->name[k] = arena_format(l->c->run, "%.*s", (int)(equals - word), word);
    REQUIRE(l->name[k], ERR_HOST, "%s", status_message());
    TRY(linefile_read(&text, equals + 1, l->c->run));
    TRY(linefile_same(&text, &l->reference));
    TRY_NEW(count, l->c->run, l->groups * l->quality.counters);
    TRY_NEW(l->value[k], l->c->run, l->groups);
    TRY(count_lines(l, &text, count));
    for (int64_t g = 0; g < l->groups; g++) {
        TRY(quality_report(&l->quality, count + g * l->quality.counters, &report));
        l->value[k][g] = l->lines[g] > 0 ? report.item[0].value : (double)NAN;
        l->digits = report.item[0].digits;
        snprintf(l->measure, sizeof l->measure, "%s", report.item[0].name);
    }
    return OK;
}

static Status row(const Lengths *l, Buffer *out, int64_t g, bool page, const char *head)
{
    char cell[SVG_SERIES + 2][CELL];
    const char *cells[SVG_SERIES + 2];
    const int n = l->c->argc + 2;
    for (int i = 0; i < n; i++) cells[i] = cell[i];
    snprintf(cell[0], CELL, "%" PRId64 "-%" PRId64, g * l->each + 1, (g + 1) * l->each);
    snprintf(cell[1], CELL, "%" PRId64, l->lines[g]);
    for (int k = 0; k < l->c->argc; k++) snprintf(cell[k + 2], CELL, "%.*f", l->digits, l->value[k][g]);
    if (page) return page_row(out, n, cells, head);
    for (int i = 0; i < n; i++) TRY(buffer_format(out, "%s%s", i ? "\t" : "", cells[i]));
    return buffer_text(out, "\n");
}

static Status print_table(Lengths *l)
{
    TRY(buffer_text(&l->table, "words\tlines"));
    for (int k = 0; k < l->c->argc; k++) TRY(buffer_say(&l->table, "\t%s", l->name[k]));
    TRY(buffer_text(&l->table, "\n"));
    for (int64_t g = 0; g < l->groups; g++)
        if (l->lines[g] > 0) TRY(row(l, &l->table, g, false, NULL));
    return terminal_data(l->table.data, l->table.size);
}

static Status put_page(Lengths *l, const char *title)
{
    SvgSeries series[SVG_SERIES];
    for (int k = 0; k < l->c->argc; k++) series[k] = (SvgSeries){l->name[k], l->groups, l->mean, l->value[k]};
    const SvgChart chart = {l->measure, "words of the source", l->c->argc, series};
    Buffer *head = &l->table; /* it has been printed */
    head->size = 0;
    TRY(buffer_text(head, ">words|>lines"));
    for (int k = 0; k < l->c->argc; k++) TRY(buffer_say(head, "|>%s", l->name[k]));
    TRY(buffer_append(head, "", 1));
    TRY(page_begin(&l->page, title));
    TRY(page_section(&l->page, title, NULL));
    TRY(svg_chart(&l->page, &chart));
    TRY(page_table(&l->page, head->data));
    for (int64_t g = 0; g < l->groups; g++)
        if (l->lines[g] > 0) TRY(row(l, &l->page, g, true, head->data));
    TRY(page_table_end(&l->page));
    TRY(page_section_end(&l->page));
    return page_end(&l->page);
}

static Status lengths(Lengths *l)
{
    if (comm_rank(l->c->comm) != 0) return OK;
    TRY(read_options(l));
    TRY(make_groups(l));
    for (int k = 0; k < l->c->argc; k++) TRY(measure(l, k));
    TRY(print_table(l));
    const char *output = command_value(l->c, "--output"), *title = command_value(l->c, "--title");
    if (!output) return OK;
    TRY(put_page(l, title ? title : "By length of the source"));
    return file_write(output, l->page.data, l->page.size);
}

static Status run(Command *c)
{
    Lengths l = {.c = c};
    const Status st = lengths(&l);
    buffer_close(&l.table);
    buffer_close(&l.page);
    arena_close(&l.scratch);
    return comm_agree(c->comm, st);
}

static const CommandOption options[] = {
    {"--reference", "FILE", NULL, "What the texts should be, a line for each of theirs."},
    {"--source", "FILE", NULL, "What they were generated from: its lengths are meant."},
    {"--metric", "NAME", quality_name, "Which measure (bleu)."},
    {"--group", "N", NULL, "Lengths to a group (5): 1-5, 6-10 ..."},
    {"--output", "FILE", NULL, "Write a page with the curves."},
    {"--title", "TEXT", NULL, "Its title."},
};

static const char *const examples[] = {
    "mneme lengths attention=a.en none=b.en --reference test.en --source test.de --output lengths.html",
    NULL,
};

const CommandDef command_lengths = {
    .doc = {.name = "lengths",
            .arguments = "NAME=FILE...",
            .help = "Measure generated texts by the length of what they were generated from.",
            .example = examples,
            .options = options,
            .n_options = COUNT(options)},
    .min_words = 1,
    .max_words = SVG_SERIES,
    .run = run,
};
