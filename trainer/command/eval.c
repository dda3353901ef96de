/* eval.c - `mneme eval CONFIG`: the measures of a split with the parameters of a checkpoint. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/signals.h"
#include "comm/terminal.h"
#include "io/format/json.h"
#include "trainer/command/trained.h"
#include "trainer/evaluate/evaluate.h"

static void print_text(const char *split, int64_t examples, const char *checkpoint, const Measures *m)
{
    terminal_print("%s: %lld examples, %s\n", split, (long long)examples, checkpoint);
    for (int i = 0; i < m->n; i++) terminal_print("  %-24s %.6g\n", m->item[i].name, m->item[i].value);
}

static Status print_json(const char *split, int64_t examples, const char *checkpoint, const Measures *m)
{
    Buffer text = {0};
    Json j = json_begin(&text);
    json_open_object(&j);
    json_put_text(&j, "split", split);
    json_put_int(&j, "examples", examples);
    json_put_text(&j, "checkpoint", checkpoint);
    for (int i = 0; i < m->n; i++) json_put_number(&j, m->item[i].name, m->item[i].value);
    json_end(&j);
    Status st = json_finish(&j);
    if (st == OK) st = buffer_text(&text, "\n");
    if (st == OK) st = terminal_data(text.data, text.size);
    buffer_close(&text);
    return st;
}

/* "accuracy=95": the measure is at least that good. */
static Status require_measure(const char *text, const Measures *m)
{
    const char *equals = strchr(text, '=');
    char name[64], *end = NULL;
    REQUIRE(equals && (size_t)(equals - text) < sizeof name, ERR_USAGE, "--require %s: MEASURE=VALUE is expected",
            text);
    snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
    const double bound = strtod(equals + 1, &end);
    REQUIRE(equals[1] && !*end, ERR_USAGE, "--require %s: %s is no number", text, equals + 1);
    const Measure *got = NULL;
    TRY(measures_need(&got, m, name, "--require"));
    const bool good = got->higher ? got->value >= bound : got->value <= bound;
    REQUIRE(good, ERR_CHECK, "%s is %.6g; at %s %.6g is required", name, got->value, got->higher ? "least" : "most",
            bound);
    return OK;
}

static Status show(const Command *c, const Session *s, const char *split, const char *checkpoint, const Measures *m)
{
    if (comm_rank(c->comm) == 0) {
        const int64_t examples = corpus_examples(s->corpus, split);
        if (command_flag(c, "--json"))
            TRY(print_json(split, examples, checkpoint, m));
        else
            print_text(split, examples, checkpoint, m);
        fflush(stdout);
    }
    const char *bound = command_value(c, "--require");
    return bound ? require_measure(bound, m) : OK;
}

static Status evaluate(Command *c, Session *s, const char *split, const char *checkpoint)
{
    const EvalSettings *eval = config_section(s->config, "eval");
    Measures m = {0};
    bool stopped = false;
    TRY(evaluate_split(s, split, eval->batch, &m, &stopped));
    if (stopped) FAIL(STOPPED, "stopped by a signal during the evaluation; nothing was printed");
    return comm_agree(c->comm, show(c, s, split, checkpoint, &m));
}

static Status run(Command *c)
{
    const char *split = command_value(c, "--split") ? command_value(c, "--split") : "test", *checkpoint = NULL;
    Session s = {0};
    TRY(comm_agree(c->comm, signals_install()));
    Status st = trained_open(c, &s, split, &checkpoint);
    if (st == OK) st = evaluate(c, &s, split, checkpoint);
    session_close(&s);
    return st;
}

static const CommandOption options[] = {
    {"--split", "NAME", NULL, "train, valid or test (test)."},
    TRAINED_OPTION,
    {"--require", "MEASURE=N", NULL, "End with status 2 unless the measure is at least that good."},
    {"--json", NULL, NULL, "One line of JSON."},
};

const CommandDef command_eval = {
    .doc = {.name = "eval",
            .arguments = "CONFIG",
            .help = "Measure a split with the parameters of a checkpoint; the same figures on any number of ranks.",
            .options = options,
            .n_options = COUNT(options)},
    .min_words = 1,
    .max_words = 1,
    .sets = true,
    .run = run,
};
