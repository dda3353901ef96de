/* eval.c - `mneme eval CONFIG`: the measures of a split with the parameters of a checkpoint. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "comm/log.h"
#include "comm/terminal.h"
#include "io/file/file.h"
#include "trainer/command/trained.h"
#include "trainer/evaluate/evaluate.h"

/* "accuracy=95": the measure is at least that good. */
typedef struct Bound {
    char name[64];
    double value;
} Bound;

typedef struct Eval {
    Command *c;
    Session s;
    const char *split, *checkpoint;
    Measures measures;
    EvaluateDetails details;
    Predictions predictions;
    PredictionsForm form;
    const char *file; /* of the predictions; NULL: none, "-": the standard output */
    Bound bound;      /* that is required; name "": none */
} Eval;

static Status say_text(const Eval *e, Buffer *out)
{
    TRY(buffer_say(out, "%s: %lld examples, %s\n", e->split, (long long)corpus_examples(e->s.corpus, e->split),
                   e->checkpoint));
    for (int i = 0; i < e->measures.n; i++)
        TRY(buffer_say(out, "  %-24s %.6g\n", e->measures.item[i].name, e->measures.item[i].value));
    return e->details.classes.n > 0 ? perclass_text(&e->details.classes, out) : OK;
}

static Status say_json(const Eval *e, Buffer *out)
{
    Json j = json_begin(out);
    json_open_object(&j);
    json_put_text(&j, "split", e->split);
    json_put_int(&j, "examples", corpus_examples(e->s.corpus, e->split));
    json_put_text(&j, "checkpoint", e->checkpoint);
    for (int i = 0; i < e->measures.n; i++)
        if (strcmp(e->measures.item[i].name, "examples") != 0) /* said above, for all tasks */
            json_put_number(&j, e->measures.item[i].name, e->measures.item[i].value);
    if (e->details.classes.n > 0) perclass_json(&e->details.classes, &j);
    json_end(&j);
    TRY(json_finish(&j));
    return buffer_text(out, "\n");
}

static Status read_bound(const char *text, Bound *out)
{
    const char *equals = strchr(text, '=');
    char *end = NULL;
    REQUIRE(equals && (size_t)(equals - text) < sizeof out->name, ERR_USAGE, "--require %s: MEASURE=VALUE is expected",
            text);
    snprintf(out->name, sizeof out->name, "%.*s", (int)(equals - text), text);
    out->value = strtod(equals + 1, &end);
    REQUIRE(equals[1] && !*end, ERR_USAGE, "--require %s: %s is no number", text, equals + 1);
    return OK;
}

static Status require_measure(const Bound *bound, const Measures *m)
{
    const Measure *got = NULL;
    TRY(measures_need(&got, m, bound->name, "--require"));
    const bool good = got->higher ? got->value >= bound->value : got->value <= bound->value;
    REQUIRE(good, ERR_CHECK, "%s is %.6g; at %s %.6g is required", bound->name, got->value,
            got->higher ? "least" : "most", bound->value);
    return OK;
}

/* Where the standard output holds predictions, the figures are said beside it. */
static Status show(const Eval *e)
{
    Buffer text = {0};
    const bool json = command_flag(e->c, "--json"), beside = e->file && strcmp(e->file, "-") == 0;
    Status st = json ? say_json(e, &text) : say_text(e, &text);
    if (st == OK && beside) log_info("%s", text.data);
    if (st == OK && !beside && json) st = terminal_data(text.data, text.size);
    if (st == OK && !beside && !json) terminal_print("%s", text.data);
    buffer_close(&text);
    TRY(st);
    return e->bound.name[0] ? require_measure(&e->bound, &e->measures) : OK;
}

/* [collective] */
static Status write_predictions(const Eval *e)
{
    if (!e->file) return OK;
    Buffer text = {0};
    Status st = predictions_write(&e->predictions, e->form, command_flag(e->c, "--worst"), &text);
    if (st == OK && comm_rank(e->s.comm) == 0)
        st =
            strcmp(e->file, "-") == 0 ? terminal_data(text.data, text.size) : file_write(e->file, text.data, text.size);
    buffer_close(&text);
    return comm_agree(e->s.comm, st);
}

static bool ends_with(const char *text, const char *end)
{
    return strlen(text) >= strlen(end) && strcmp(text + strlen(text) - strlen(end), end) == 0;
}

/* Before the evaluation, which takes its time: is there a folder to write the file into? */
static Status check_folder(const Eval *e)
{
    if (!e->file || strcmp(e->file, "-") == 0) return OK;
    const char *slash = strrchr(e->file, '/');
    const char *folder = slash ? arena_format(e->c->run, "%.*s/", (int)(slash - e->file), e->file) : ".";
    REQUIRE(folder, ERR_HOST, "%s", status_message());
    REQUIRE(access(folder, W_OK) == 0, ERR_IO, "%s: %s", e->file, strerror(errno));
    return OK;
}

static Status read_options(Eval *e)
{
    e->split = command_value(e->c, "--split") ? command_value(e->c, "--split") : "test";
    e->file = command_value(e->c, "--predictions");
    e->form = PREDICTIONS_JSON;
    if (command_value(e->c, "--require")) TRY(read_bound(command_value(e->c, "--require"), &e->bound));
    REQUIRE(e->file || !command_flag(e->c, "--worst"), ERR_USAGE, "eval: --worst: only with --predictions FILE");
    if (!e->file) return OK;
    const bool csv = ends_with(e->file, ".csv"), stream = strcmp(e->file, "-") == 0;
    REQUIRE(csv || stream || ends_with(e->file, ".jsonl"), ERR_USAGE,
            "eval: --predictions %s: a name that ends in .csv or .jsonl is expected, or - for the standard output",
            e->file);
    REQUIRE(!stream || !command_flag(e->c, "--json"), ERR_USAGE,
            "eval: --predictions - and --json would both write to the standard output");
    if (csv) e->form = PREDICTIONS_CSV;
    return OK;
}

static Status evaluate(Eval *e)
{
    const EvalSettings *eval = config_section(e->s.config, "eval");
    bool stopped = false;
    Measures names = {0};
    TRY(evaluate_names(&e->s, &names));
    const Measure *unused;
    /* A measure of a group has its name from the examples. */
    if (!strchr(e->bound.name, '/') && e->bound.name[0])
        TRY(measures_need(&unused, &names, e->bound.name, "--require"));
    predictions_open(&e->predictions, &e->s);
    if (e->file) e->details.predictions = &e->predictions;
    TRY(evaluate_split(&e->s, e->split, eval->batch, &e->measures, &e->details, &stopped));
    if (stopped) FAIL(STOPPED, "stopped by a signal during the evaluation; nothing was printed");
    const Status written = write_predictions(e); /* the figures are told although these cannot be written */
    if (written != OK && written != ERR_IO) return status_trace(written, __FILE__, __LINE__, __func__);
    const char *report = written == OK ? "" : arena_text(e->details.keep, status_text());
    TRY(comm_agree(e->s.comm, comm_rank(e->s.comm) == 0 ? show(e) : OK));
    return written == OK ? OK : status_adopt(written, report ? report : "");
}

static Status run(Command *c)
{
    Arena keep = {0};
    Eval e = {.c = c, .details = {.keep = &keep}};
    TRY(read_options(&e));
    TRY(comm_agree(c->comm, comm_rank(c->comm) == 0 ? check_folder(&e) : OK));
    Status st = trained_open(c, &e.s, e.split, &e.checkpoint);
    if (st == OK) st = evaluate(&e);
    predictions_close(&e.predictions);
    session_close(&e.s);
    arena_close(&keep);
    return st;
}

static const CommandOption options[] = {
    {"--split", "NAME", trained_split, "What is measured (test)."},
    TRAINED_OPTION,
    {"--require", "MEASURE=N", NULL, "End with status 2 unless the measure is at least that good."},
    {"--json", NULL, NULL, "One line of JSON, with figures by class and the confusion matrix."},
    {"--predictions", "FILE", NULL,
     "Write each example with truth, guess, probability and loss: FILE.csv, FILE.jsonl, or - for lines of JSON."},
    {"--worst", NULL, NULL, "Predictions by their loss, the largest first; otherwise in the order of the corpus."},
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
    .saves = true,
    .run = run,
};
