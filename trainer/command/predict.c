/* predict.c - `mneme predict CONFIG [FILE]`: a line of text or JSON in, a line of JSON with probabilities out.
 *
 * The output is the same bytes on any number of ranks. A model that makes sequences answers as `translate --json`. */
#include "trainer/answer/ask.h"
#include "trainer/command/answer.h"
#include "trainer/command/trained.h"
#include "trainer/command/translate.h"
#include "trainer/evaluate/evaluate.h"

enum { PIECE = 256 }; /* lines that are read before they are answered, fewer when no more are there yet */

typedef struct Predict {
    Session s;
    Ask ask;
    const char *file;
    int64_t top; /* labels that are printed */
} Predict;

/* The answer of one line: its bits do not depend on the lines beside it, so lines go through one by one. */
static Status answer(Predict *p, const InputLine *line, Buffer *out)
{
    arena_release(&p->s.step, (ArenaMark){0});
    const Record r = {.text = line->text, .size = line->size, .file = input_name(p->file), .line = line->number};
    const Word *word[BATCH_FIELDS];
    Batch b;
    Tape t;
    Prediction result;
    TRY(ask_batch(&p->ask, 1, &r, &p->s.step, &b, word));
    TRY(evaluate_forward(&p->s, &b, false, &t, &result));
    Json j = json_begin(out);
    json_open_object(&j);
    json_put_int(&j, "line", line->number);
    TRY(task_write(p->s.task, &t, &result, &b, 0, p->top, &j));
    json_end(&j);
    TRY(json_finish(&j));
    return buffer_text(out, "\n");
}

static Status share(void *context, int64_t n, const InputLine *line, Buffer *out)
{
    for (int64_t i = 0; i < n; i++) {
        const size_t whole = out->size;
        const Status st = answer(context, &line[i], out);
        if (st != OK) out->size = whole;
        TRY(st);
    }
    return OK;
}

static Status predict(Command *c, Predict *p)
{
    TRY(command_number(c, "--top", 0, INT32_MAX, 5, &p->top));
    p->file = c->argc > 1 ? c->argv[1] : "-";
    if (!p->s.task->def->write) return translate_answer(c, &p->s, p->file, TRANSLATE_JSON);
    TRY(comm_agree(c->comm, ask_open(&p->ask, &p->s)));
    const Answer all = {.file = p->file, .piece = PIECE, .share = share, .context = p};
    return answer_lines(&p->s, &all, NULL);
}

static Status run(Command *c)
{
    Predict p = {0};
    const char *checkpoint = NULL;
    Status st = trained_open(c, &p.s, NULL, &checkpoint);
    if (st == OK) st = predict(c, &p);
    ask_close(&p.ask);
    session_close(&p.s);
    return st;
}

static const CommandOption options[] = {
    TRAINED_OPTION,
    {"--top", "N", NULL, "Probabilities of the N most likely labels; 0: of all (5)."},
};

const CommandDef command_predict = {
    .doc = {.name = "predict",
            .arguments = "CONFIG [FILE]",
            .help = "Answer each line of FILE (standard input): text or JSON in, JSON with probabilities out.",
            .details = "A model of documents takes text or {\"text\": ...}, one of stories {\"story\": [...], "
                       "\"question\": ...}; one of sequences answers like translate --json, whose searches section "
                       "decode describes.",
            .options = options,
            .n_options = COUNT(options)},
    .min_words = 1,
    .max_words = 2,
    .sets = true,
    .run = run,
};
