/* links.c - `mneme links FILE [REVERSE]`: word links of two directions made one, converted, or set against gold links.
 *
 * Rank 0 works alone. Without --reference the links are printed, with it their error rate. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "comm/log.h"
#include "comm/terminal.h"
#include "io/attention/alignment.h"
#include "io/format/json.h"
#include "io/text/linefile.h"
#include "trainer/command/command.h"
#include "trainer/metric/combine.h"

enum { DIGITS = 4 };

/* The links of one file, for each pair. */
typedef struct Side {
    const char *path;
    bool naacl, swapped;
    int64_t base, n; /* n: pairs; of the NAACL format those up to the last that has links */
    Links *pair;     /* (n) */
} Side;

typedef struct Compare {
    Command *c;
    Side forward, reverse, gold;
    LineFile source, target; /* n = 0: not given */
    int64_t n;               /* pairs */
    Links *result;           /* (n) */
    bool json;
    Buffer out;
} Compare;

static Status known(const char *option, const char *name, const char *(*list)(int i))
{
    char hint[CONFIG_HINT];
    if (config_lists(list, name)) return OK;
    FAIL(ERR_USAGE, "%s %s: there is no such format or method%s", option, name, config_hint(hint, name, list));
}

/* Options of one file: its format, the number of the first word (0, in NAACL 1), which word comes first. */
static Status describe(const Command *c, Side *s, const char *path, const char *format, const char *base,
                       const char *swapped)
{
    const char *name = command_value(c, format);
    s->path = path;
    s->swapped = command_flag(c, swapped);
    if (name) TRY(known(format, name, links_format));
    s->naacl = name && strcmp(name, "naacl") == 0;
    return command_number(c, base, 0, 1, s->naacl ? 1 : 0, &s->base);
}

/* The links of pair number `pair`, from 1, checked against the sentences when they are known. */
static Status keep(Compare *p, Side *s, const LinkFile *f, Word text, int64_t pair, Buffer *all)
{
    const int64_t line = f->line;
    LinkRule rule = {.file = s->path,
                     .line = line,
                     .line_of = links_lines(f),
                     .S = LINKS_WORDS,
                     .T = LINKS_WORDS,
                     .base = s->base,
                     .swapped = s->swapped};
    Links links;
    if (p->source.n > 0) {
        REQUIRE(pair <= p->source.n, ERR_DATA, "%s:%" PRId64 ": pair %" PRId64 ", but %s has %" PRId64 " lines",
                s->path, line, pair, p->source.name, p->source.n);
        rule.S = linefile_words(p->source.line[pair - 1]);
        rule.T = linefile_words(p->target.line[pair - 1]);
    }
    TRY(links_parse(text, &rule, p->c->run, &links));
    return buffer_append(all, &links, sizeof links);
}

static Status read_pairs(Compare *p, Side *s, LinkFile *f, Buffer *all)
{
    TRY(links_open(f, s->path, s->naacl, s->base));
    s->path = f->lines.path; /* "-" has a name now */
    for (int64_t pair = 1; !s->naacl || f->sentence < INT64_MAX; pair++) {
        Word text;
        bool end;
        TRY(links_next(f, pair, &text, &end));
        if (end) break;
        TRY(keep(p, s, f, text, pair, all));
    }
    if (f->nulls > 0) log_info("%s: %" PRId64 " links to NULL (word 0) are passed over", s->path, f->nulls);
    return OK;
}

static Status read_side(Compare *p, Side *s)
{
    LinkFile f = {0};
    Buffer all = {0};
    Status st = read_pairs(p, s, &f, &all);
    s->n = (int64_t)(all.size / sizeof *s->pair);
    s->pair = st == OK ? arena_zeros(p->c->run, s->n, sizeof *s->pair) : NULL;
    if (st == OK && !s->pair) st = ERR_HOST;
    if (st == OK && s->n > 0) memcpy(s->pair, all.data, all.size);
    links_free(&f);
    buffer_close(&all);
    return st;
}

/* In the NAACL format a pair without links has no line: the last ones may be missing. */
static Status same_length(Compare *p, Side *s, const char *name)
{
    REQUIRE(s->naacl ? s->n <= p->n : s->n == p->n, ERR_DATA, "%s has %" PRId64 " pairs, but %s has %" PRId64, s->path,
            s->n, name, p->n);
    if (s->n == p->n) return OK;
    Links *pair;
    TRY_NEW(pair, p->c->run, p->n);
    memcpy(pair, s->pair, (size_t)s->n * sizeof *pair);
    s->pair = pair;
    return OK;
}

/* How many pairs there are, and the name of the file that says it. */
static const char *count_pairs(Compare *p, Side *const *side, int sides)
{
    const Side *last = NULL;
    p->n = p->source.n;
    if (p->source.n > 0) return p->source.name;
    for (int k = 0; k < sides; k++) {
        if (!side[k]->path) continue;
        if (!last || (last->naacl && (!side[k]->naacl || side[k]->n > last->n))) last = side[k];
    }
    p->n = last->n;
    return last->path;
}

static Status read_all(Compare *p)
{
    const Command *c = p->c;
    const char *source = command_value(c, "--source"), *target = command_value(c, "--target");
    REQUIRE(!source == !target, ERR_USAGE, "--source and --target belong together");
    if (source) {
        TRY(linefile_read(&p->source, source, c->run));
        TRY(linefile_read(&p->target, target, c->run));
        TRY(linefile_same(&p->source, &p->target));
    }
    Side *const side[] = {&p->forward, &p->reverse, &p->gold};
    for (int k = 0; k < COUNT(side); k++)
        if (side[k]->path) TRY(read_side(p, side[k]));
    const char *longest = count_pairs(p, side, COUNT(side));
    for (int k = 0; k < COUNT(side); k++)
        if (side[k]->path) TRY(same_length(p, side[k], longest));
    return OK;
}

static Status combine(Compare *p)
{
    const char *method = command_value(p->c, "--combine");
    REQUIRE(!method || p->reverse.path, ERR_USAGE, "--combine needs two files of links");
    if (!method) method = "grow-diag-final-and";
    TRY(known("--combine", method, combine_name));
    p->result = p->forward.pair;
    const char *order = command_value(p->c, "--combine-as");
    if (!order) order = combine_order(0);
    TRY(known("--combine-as", order, combine_order));
    if (!p->reverse.path) return OK;
    TRY_NEW(p->result, p->c->run, p->n);
    for (int64_t i = 0; i < p->n; i++)
        TRY(combine_links(method, order, &p->forward.pair[i], &p->reverse.pair[i], p->c->run, &p->result[i]));
    return OK;
}

/* Both lists of a pair are in the same order, and the possible links hold the sure ones. */
static Status print_pair(Compare *p, const Side *as, int64_t pair)
{
    const Links *l = &p->result[pair - 1];
    int64_t sure = 0;
    for (int64_t k = 0; k < l->n_possible; k++) {
        const int64_t i = l->possible[2 * k] + as->base, j = l->possible[2 * k + 1] + as->base;
        const bool is_sure =
            sure < l->n_sure && memcmp(l->sure + 2 * sure, l->possible + 2 * k, 2 * sizeof *l->sure) == 0;
        sure += is_sure;
        if (as->naacl)
            TRY(buffer_format(&p->out, "%" PRId64 " %" PRId64 " %" PRId64 " %c\n", pair, i, j, is_sure ? 'S' : 'P'));
        else
            TRY(buffer_format(&p->out, "%s%" PRId64 "%c%" PRId64, k ? " " : "", i, is_sure ? '-' : '?', j));
    }
    return as->naacl ? OK : buffer_text(&p->out, "\n");
}

static Status print_links(Compare *p, const Side *as)
{
    for (int64_t pair = 1; pair <= p->n; pair++) TRY(print_pair(p, as, pair));
    return OK;
}

static double share(int64_t part, int64_t whole) { return whole > 0 ? (double)part / (double)whole : 0; }

/* line: of one pair, from 1; 0: of all. F = 2 P R / (P + R). */
static Status print_error(Compare *p, const AlignmentCounts *c, int64_t line)
{
    const double precision = share(c->hits_possible, c->links), recall = share(c->hits_sure, c->sure);
    const double f = precision + recall > 0 ? 2 * precision * recall / (precision + recall) : 0;
    if (!p->json)
        return buffer_format(
            &p->out, "AER = %.*f (precision = %.*f recall = %.*f F1 = %.*f links = %" PRId64 " sure = %" PRId64 ")\n",
            DIGITS, alignment_rate(c), DIGITS, precision, DIGITS, recall, DIGITS, f, c->links, c->sure);
    Json j = json_begin(&p->out);
    json_open_object(&j);
    if (line > 0) json_put_int(&j, "line", line);
    json_put_number(&j, "aer", alignment_rate(c));
    json_put_number(&j, "precision", precision);
    json_put_number(&j, "recall", recall);
    json_put_number(&j, "f1", f);
    json_put_int(&j, "links", c->links);
    json_put_int(&j, "sure", c->sure);
    json_end(&j);
    TRY(json_finish(&j));
    return buffer_text(&p->out, "\n");
}

static Status compare(Compare *p)
{
    AlignmentCounts all = {0};
    const bool each = command_flag(p->c, "--sentence-level");
    for (int64_t k = 0; k < p->n; k++) {
        AlignmentCounts one = {0};
        alignment_compare(&p->result[k], &p->gold.pair[k], each ? &one : &all);
        if (each) TRY(print_error(p, &one, k + 1));
    }
    return each ? OK : print_error(p, &all, 0);
}

static Status links(Compare *p)
{
    const Command *c = p->c;
    if (comm_rank(c->comm) != 0) return OK;
    const char *format = command_value(c, "--format");
    p->json = format && strcmp(format, "json") == 0;
    REQUIRE(!format || p->json || strcmp(format, "text") == 0, ERR_USAGE, "--format %s: text or json is expected",
            format);
    TRY(describe(c, &p->forward, c->argv[0], "--links", "--base", "--swapped"));
    TRY(describe(c, &p->reverse, c->argc > 1 ? c->argv[1] : NULL, "--links", "--base", "--reverse-swapped"));
    TRY(describe(c, &p->gold, command_value(c, "--reference"), "--reference-links", "--reference-base",
                 "--reference-swapped"));
    Side as = {0};
    TRY(describe(c, &as, NULL, "--output-links", "--output-base", "--swapped"));
    TRY(read_all(p));
    TRY(combine(p));
    TRY(p->gold.path ? compare(p) : print_links(p, &as));
    return terminal_data(p->out.data, p->out.size);
}

static Status run(Command *c)
{
    Compare p = {.c = c};
    const Status st = links(&p);
    buffer_close(&p.out);
    return comm_agree(c->comm, st);
}

static const char *format_name(int i) { return (const char *[]){"text", "json", NULL}[i]; }

static const CommandOption options[] = {
    {"--combine", "NAME", combine_name, "How the two directions become one (grow-diag-final-and)."},
    {"--combine-as", "NAME", combine_order, "In whose order links are added where some exclude others (symal)."},
    {"--reference", "FILE", NULL, "Gold links, sure and possible: print the alignment error rate."},
    {"--source", "FILE", NULL, "The source's sentences, words between spaces: no link may be outside."},
    {"--target", "FILE", NULL, "The target's sentences."},
    {"--links", "NAME", links_format, "Format of the links: i-j, or sentence i j (pharaoh)."},
    {"--base", "N", NULL, "Number of the first word in the links (0; naacl 1)."},
    {"--swapped", NULL, NULL, "The links name the target's word first."},
    {"--reverse-swapped", NULL, NULL, "Those of REVERSE do."},
    {"--reference-links", "NAME", links_format, "Format of the gold links (pharaoh)."},
    {"--reference-base", "N", NULL, "Number of the first word in the gold links (0; naacl 1)."},
    {"--reference-swapped", NULL, NULL, "The gold links name the target's word first."},
    {"--output-links", "NAME", links_format, "Format of what is printed (pharaoh): i-j sure and i?j possible links."},
    {"--output-base", "N", NULL, "Number of the first word in what is printed (0; naacl 1)."},
    {"--sentence-level", NULL, NULL, "An error rate for each pair instead of one for all."},
    {"--format", "NAME", format_name, "Of error rates (text)."},
};

static const char *const examples[] = {
    "mneme links forward.txt reverse.txt --combine grow-diag > both.txt",
    "mneme links both.txt --reference gold.naacl --reference-links naacl --source test.de --target test.en",
    NULL,
};

const CommandDef command_links = {
    .doc = {.name = "links",
            .arguments = "FILE [REVERSE]",
            .help = "Combine word links of two directions, convert them, or measure their error against gold links.",
            .example = examples,
            .options = options,
            .n_options = COUNT(options)},
    .min_words = 1,
    .max_words = 2,
    .run = run,
};
