/* score.c - `mneme score REFERENCE... --input FILE`: measures of generated text, as the reference tools print them.
 *
 * Rank 0 works alone. The words of the command line are sacreBLEU's where it has one for it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/log.h"
#include "comm/terminal.h"
#include "io/format/json.h"
#include "io/text/linefile.h"
#include "trainer/command/command.h"
#include "trainer/metric/quality/bleu.h"
#include "trainer/metric/quality/gleu.h"
#include "trainer/metric/quality/quality.h"
#include "trainer/metric/quality/tokenize.h"

enum { MEASURES_MOST = 16, WIDTH_OWN = -1, WIDTH_MAX = 12 };

typedef struct Score {
    Command *c;
    int n; /* measures */
    Quality quality[MEASURES_MOST];
    QualityOptions option;
    int64_t width;
    bool json, only;
    LineFile input, source, reference[QUALITY_REFERENCES];
    QualityPair *pair;
    Arena scratch;
    Buffer out;
} Score;

static const char *format_name(int i) { return (const char *[]){"text", "json", NULL}[i]; }

static Status read_options(Score *s)
{
    const Command *c = s->c;
    s->option = quality_preset;
    if (command_value(c, "--tokenize")) s->option.tokenize = command_value(c, "--tokenize");
    if (command_value(c, "--smooth-method")) s->option.smooth = command_value(c, "--smooth-method");
    if (command_value(c, "--gleu-draw")) s->option.draw = command_value(c, "--gleu-draw");
    if (command_value(c, "--rouge-sentence-mark")) s->option.sentence_mark = command_value(c, "--rouge-sentence-mark");
    s->option.stem = command_flag(c, "--rouge-stem");
    s->option.lowercase = command_flag(c, "--lowercase");
    s->option.sentence = command_flag(c, "--sentence-level");
    s->only = command_flag(c, "--score-only");
    s->option.whitespace = command_flag(c, "--chrf-whitespace");
    s->option.eps_smoothing = command_flag(c, "--chrf-eps-smoothing");
    TRY(command_number(c, "--chrf-char-order", 1, QUALITY_ORDER, 6, &s->option.char_order));
    TRY(command_number(c, "--chrf-word-order", 0, QUALITY_ORDER, -1, &s->option.word_order));
    TRY(command_number(c, "--chrf-beta", 1, 100, 2, &s->option.beta));
    TRY(command_number(c, "--width", 0, WIDTH_MAX, WIDTH_OWN, &s->width));
    const char *format = command_value(c, "--format"), *value = command_value(c, "--smooth-value");
    s->json = format && strcmp(format, "json") == 0;
    REQUIRE(!format || s->json || strcmp(format, "text") == 0, ERR_USAGE, "--format %s: text or json is expected",
            format);
    if (!value) return OK;
    char *end;
    s->option.smooth_value = strtod(value, &end);
    REQUIRE(*value && !*end && isfinite(s->option.smooth_value) && s->option.smooth_value >= 0, ERR_USAGE,
            "--smooth-value %s: a number of at least 0 is expected", value);
    return OK;
}

/* The measures that a list "bleu,chrf" names. */
static Status open_measures(Score *s)
{
    const char *list = command_value(s->c, "--metrics");
    char *word = arena_text(s->c->run, list ? list : "bleu");
    REQUIRE(word, ERR_HOST, "%s", status_message());
    while (word) {
        char *comma = strchr(word, ',');
        if (comma) *comma = '\0';
        REQUIRE(s->n < MEASURES_MOST, ERR_USAGE, "--metrics: more than %d measures", MEASURES_MOST);
        TRY(quality_open(&s->quality[s->n++], s->c->run, word, &s->option, s->c->argc));
        word = comma ? comma + 1 : NULL;
    }
    return OK;
}

static Status read_texts(Score *s)
{
    const char *input = command_value(s->c, "--input"), *source = command_value(s->c, "--source");
    for (int r = 0; r < s->c->argc; r++) {
        TRY(linefile_read(&s->reference[r], s->c->argv[r], s->c->run));
        TRY(linefile_same(&s->reference[r], &s->reference[0]));
    }
    TRY(linefile_read(&s->input, input ? input : "-", s->c->run));
    TRY(linefile_same(&s->input, &s->reference[0]));
    for (int i = 0; i < s->n && !source; i++)
        REQUIRE(!s->quality[i].def->source, ERR_USAGE, "%s needs the source text: --source FILE",
                s->quality[i].def->name);
    if (!source) return OK;
    TRY(linefile_read(&s->source, source, s->c->run));
    return linefile_same(&s->source, &s->reference[0]);
}

static Status print_text(Score *s, const QualityItem *item, const char *value)
{
    if (s->only) return buffer_format(&s->out, "%s\n", value);
    const bool sign = item->signature[0], detail = item->detail[0];
    return buffer_format(&s->out, "%s%s%s = %s%s%s\n", item->name, sign ? "|" : "", item->signature, value,
                         detail ? " " : "", item->detail);
}

static Status print_json(Score *s, const QualityItem *item, const char *value, int64_t line)
{
    Json j = json_begin(&s->out);
    json_open_object(&j);
    if (line > 0) json_put_int(&j, "line", line);
    json_put_text(&j, "name", item->name);
    json_put_number(&j, "score", strtod(value, NULL));
    if (item->signature[0]) json_put_text(&j, "signature", item->signature);
    if (item->detail[0]) json_put_text(&j, "verbose_score", item->detail);
    json_end(&j);
    TRY(json_finish(&j));
    return buffer_text(&s->out, "\n");
}

/* line: of a single sentence, from 1; 0: all of them. */
static Status print(Score *s, const QualityReport *report, int64_t line)
{
    for (int i = 0; i < report->n; i++) {
        const QualityItem *item = &report->item[i];
        char value[64];
        snprintf(value, sizeof value, "%.*f", s->width == WIDTH_OWN ? item->digits : (int)s->width, item->value);
        TRY(s->json ? print_json(s, item, value, line) : print_text(s, item, value));
    }
    return OK;
}

static Status make_pairs(Score *s)
{
    const int references = s->c->argc;
    Word *reference;
    TRY_NEW(s->pair, s->c->run, s->input.n);
    TRY_NEW(reference, s->c->run, s->input.n * references);
    for (int64_t i = 0; i < s->input.n; i++, reference += references) {
        for (int r = 0; r < references; r++) reference[r] = s->reference[r].line[i];
        s->pair[i] = (QualityPair){.hypothesis = s->input.line[i], .reference = reference, .index = i};
        if (s->source.n > 0) s->pair[i].source = s->source.line[i];
    }
    return OK;
}

/* BLEU's own tokenisation is meant for plain text; text that comes in tokens gets a score that compares with nothing.
 */
static void warn_of_tokens(const Score *s)
{
    const int64_t many = 100;
    int64_t lines = 0;
    for (int64_t i = 0; i < s->input.n; i++) {
        const Word *w = &s->input.line[i];
        lines += w->size >= 2 && memcmp(w->text + w->size - 2, " .", 2) == 0;
    }
    if (lines >= many && strcmp(s->option.tokenize, "none") != 0)
        log_warn("%s: %lld lines end in a full stop by itself; is the text in tokens? BLEU is meant for plain text",
                 s->input.name, (long long)lines);
}

static Status measure(Score *s, const Quality *q)
{
    const int64_t step = s->option.sentence ? 1 : s->input.n;
    for (int64_t i = 0; i < s->input.n; i += step) {
        QualityReport report;
        TRY(quality_whole(q, step, &s->pair[i], &s->scratch, &report));
        TRY(print(s, &report, s->option.sentence ? i + 1 : 0));
    }
    return OK;
}

static Status score(Score *s)
{
    if (comm_rank(s->c->comm) != 0) return OK;
    TRY(read_options(s));
    TRY(open_measures(s));
    TRY(read_texts(s));
    TRY(make_pairs(s));
    for (int i = 0; i < s->n; i++) {
        if (s->quality[i].def == &quality_bleu) warn_of_tokens(s);
        TRY(measure(s, &s->quality[i]));
    }
    return terminal_data(s->out.data, s->out.size);
}

static Status run(Command *c)
{
    Score s = {.c = c};
    const Status st = score(&s);
    buffer_close(&s.out);
    arena_close(&s.scratch);
    return comm_agree(c->comm, st);
}

static const CommandOption options[] = {
    {"--input", "FILE", NULL, "The generated text, a line for each line of the references (standard input)."},
    {"--source", "FILE", NULL, "What the text was generated from: for measures that compare with it."},
    {"--metrics", "NAME,...", quality_name, "Which measures (bleu)."},
    {"--tokenize", "NAME", tokenize_name, "BLEU: how text becomes tokens (13a); zh for Chinese."},
    {"--lowercase", NULL, NULL, "Compare in lower case."},
    {"--smooth-method", "NAME", bleu_smooth_name, "BLEU: what is done about n-grams that never match (exp)."},
    {"--smooth-value", "NUMBER", NULL, "BLEU: of floor (0.1) and add-k (1)."},
    {"--chrf-char-order", "N", NULL, "chrF: n-grams of characters up to this length (6)."},
    {"--chrf-word-order", "N", NULL, "chrF: n-grams of words up to this length (0; chrf++ has 2)."},
    {"--chrf-beta", "N", NULL, "chrF: how many times as much recall counts as precision (2)."},
    {"--chrf-whitespace", NULL, NULL, "chrF: white space counts as characters."},
    {"--chrf-eps-smoothing", NULL, NULL, "chrF: the smoothing of chrF++.py instead of effective orders."},
    {"--rouge-stem", NULL, NULL, "ROUGE: compare the stems of English words (Porter)."},
    {"--rouge-sentence-mark", "TEXT", NULL, "ROUGE-Lsum: sentences within a line end with this text (none do)."},
    {"--gleu-draw", "NAME", gleu_draw_name, "GLEU: whose random numbers draw the references (python2)."},
    {"--sentence-level", NULL, NULL, "A score for each line instead of one for all."},
    {"--width", "N", NULL, "Digits behind the point (what the reference tool prints)."},
    {"--score-only", NULL, NULL, "Print the figures alone."},
    {"--format", "NAME", format_name, "Of the scores; json: one object a line (text)."},
};

static const char *const examples[] = {
    "mneme score test.en --input translated.en",
    "mneme score test.ref0 test.ref1 --source test.src --input corrected --metrics gleu,chrf++",
    "mneme score test.zh --input translated.zh --tokenize zh --format json",
    NULL,
};

const CommandDef command_score = {
    .doc = {.name = "score",
            .arguments = "REFERENCE...",
            .help = "Measure generated text against references, as the reference tools do it.",
            .example = examples,
            .options = options,
            .n_options = COUNT(options)},
    .min_words = 1,
    .max_words = QUALITY_REFERENCES,
    .run = run,
};
