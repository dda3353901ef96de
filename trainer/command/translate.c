/* translate.c - `mneme translate CONFIG [FILE]`: lines of text in, lines of text out. */
#include "trainer/command/translate.h"

#include <string.h>

#include "comm/clock.h"
#include "comm/log.h"
#include "trainer/command/answer.h"
#include "trainer/command/trained.h"

enum { PIECE = 1024 }; /* lines that are read before they are answered: sorted by length, they fill whole batches */

static Status share(void *context, int64_t n, const InputLine *line, Buffer *out)
{
    return translate_lines(context, n, line, out);
}

/* [collective] */
static Status tell(const Translate *t, Comm *comm, double seconds)
{
    int64_t count[] = {t->counts.lines, t->counts.outputs, t->counts.cut, t->counts.replaced};
    TRY(comm_allreduce(comm, count, COUNT(count), COMM_I64, COMM_SUM));
    if (count[2] > 0)
        log_warn("%lld of %lld outputs were cut at their most words: decode.max_factor %g, decode.max_words %lld",
                 (long long)count[2], (long long)count[1], t->option.decode.max_factor,
                 (long long)t->option.decode.max_words);
    if (count[3] > 0) log_info("%lld unknown words were replaced", (long long)count[3]);
    log_info("%lld lines in %.2f s, %.1f lines/s", (long long)count[0], seconds, (double)count[0] / seconds);
    return OK;
}

static Status read_options(const Command *c, TranslateOptions *o)
{
    TRY(command_number(c, "--beam", 1, 100000, o->decode.beam, &o->decode.beam));
    TRY(command_number(c, "--nbest", 1, 100000, o->decode.nbest, &o->decode.nbest));
    REQUIRE(o->decode.search == DECODE_SAMPLE || o->decode.nbest <= o->decode.beam, ERR_USAGE,
            "--nbest %lld: a beam of %lld has no more than %lld outputs", (long long)o->decode.nbest,
            (long long)o->decode.beam, (long long)o->decode.beam);
    o->begin = command_value(c, "--begin");
    o->score = command_value(c, "--score");
    REQUIRE(!o->begin || !o->score, ERR_USAGE, "--begin and --score do not go together");
    REQUIRE(!command_flag(c, "--json") || !command_flag(c, "--links"), ERR_USAGE,
            "--json and --links do not go together");
    if (command_flag(c, "--json")) o->form = TRANSLATE_JSON;
    if (command_flag(c, "--links")) o->form = TRANSLATE_LINKS;
    if (o->score && o->form == TRANSLATE_TEXT) o->form = TRANSLATE_SCORE;
    return OK;
}

static Status answer(Session *s, Translate *t, const TranslateOptions *o)
{
    TRY(comm_agree(s->comm, translate_open(t, s, o)));
    const Answer all = {.file = o->file, .piece = PIECE, .blanks = true, .share = share, .context = t};
    const double start = clock_seconds();
    int64_t lines = 0;
    TRY(answer_lines(s, &all, &lines));
    TRY(comm_agree(s->comm, translate_finish(t, lines)));
    return tell(t, s->comm, clock_seconds() - start);
}

Status translate_answer(Command *c, Session *s, const char *file, TranslateForm form)
{
    const DecodeSettings *set = config_section(s->config, "decode");
    TranslateOptions o = {.form = form, .decode = *set, .file = file};
    TRY(read_options(c, &o));
    Translate t = {0};
    const Status st = answer(s, &t, &o);
    translate_close(&t);
    return st;
}

static Status run(Command *c)
{
    Session s;
    const char *checkpoint = NULL;
    Status st = trained_open(c, &s, NULL, &checkpoint);
    if (st == OK) st = translate_answer(c, &s, c->argc > 1 ? c->argv[1] : "-", TRANSLATE_TEXT);
    session_close(&s);
    return st;
}

static const CommandOption options[] = {
    TRAINED_OPTION,
    {"--beam", "N", NULL, "Instead of decode.beam: hypotheses that are followed side by side; 1: greedy."},
    {"--nbest", "N", NULL, "Instead of decode.nbest: outputs of each line, as lines NUMBER ||| TEXT ||| SCORE from 0."},
    {"--json", NULL, NULL, "A line of JSON for each: text, score, words with their log p, links, n-best."},
    {"--links", NULL, NULL, "Instead of text the links i-j of source word i and target word j, from 0."},
    {"--begin", "FILE", NULL, "What the output of each line begins with, line by line."},
    {"--score", "FILE", NULL, "Print log p of these outputs, line by line, instead of searching for others."},
};

static const char *const example[] = {
    "mneme translate configs/multi30k-de-en.yaml test.de > test.en",
    "mpirun -np 2 mneme translate configs/multi30k-de-en.yaml test.de --beam 10 --set decode.alpha=1",
    NULL,
};

const CommandDef command_translate = {
    .doc = {.name = "translate",
            .arguments = "CONFIG [FILE]",
            .help = "Translate each line of FILE (standard input), or whatever a model of sequences makes of it.",
            .details = "The search is that of section decode. A blank line gives a blank line. A line that begins with "
                       "{\" is a JSON object with source and, if the output is to begin with it, target. The output "
                       "is the same bytes on any number of ranks and for any decode.batch.",
            .example = example,
            .options = options,
            .n_options = COUNT(options)},
    .min_words = 1,
    .max_words = 2,
    .sets = true,
    .run = run,
};
