/* predict.c - `mneme predict CONFIG [FILE]`: a line of text or JSON in, a line of JSON with probabilities out.
 *
 * Rank 0 reads and writes; the lines of a piece are shared by all ranks and come out in their order. The output is the
 * same bytes on any number of ranks. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/json.h"
#include "trainer/command/trained.h"
#include "trainer/run/ask.h"
#include "trainer/run/evaluate.h"
#include "trainer/run/input.h"
#include "trainer/run/look.h"

enum { PIECE = 256 }; /* lines that are read before they are answered, fewer when no more are there yet */

static const double FOR_EVER = 1e12; /* times log.stall */

typedef struct Predict {
    Session s;
    Ask ask;
    const char *file;
    int64_t top; /* labels that are printed */
} Predict;

static Status write_answer(Predict *p, int64_t number, const real *logit, int64_t classes, Buffer *out)
{
    Likely likely;
    TRY(look_likely(&p->s, logit, classes, p->top, &p->s.step, &likely));
    Json j = json_begin(out);
    json_open_object(&j);
    json_put_int(&j, "line", number);
    json_put_text(&j, "label", likely.label[0]);
    json_put_number(&j, "probability", likely.probability[0]);
    json_key(&j, "probabilities");
    json_open_object(&j);
    for (int64_t i = 0; i < likely.n; i++) json_put_number(&j, likely.label[i], likely.probability[i]);
    json_end(&j);
    json_end(&j);
    TRY(json_finish(&j));
    return buffer_text(out, "\n");
}

/* The answer of one line: its bits do not depend on the lines beside it, so lines go through one by one. */
static Status answer(Predict *p, const InputLine *line, Buffer *out)
{
    arena_release(&p->s.step, (ArenaMark){0});
    const Record r = {.text = line->text, .size = line->size, .file = p->file, .line = line->number};
    const Word *word[BATCH_FIELDS];
    Batch b;
    Tape t;
    ModelOutput result;
    TRY(ask_batch(&p->ask, 1, &r, &p->s.step, &b, word));
    TRY(evaluate_forward(&p->s, &b, false, &t, &result));
    return write_answer(p, line->number, result.logits->value, result.logits->shape.d[1], out);
}

static Status answer_share(Predict *p, const InputLines *lines, Buffer *out)
{
    const int rank = comm_rank(p->s.comm), ranks = comm_size(p->s.comm);
    const int64_t begin = lines->n * rank / ranks, end = lines->n * (rank + 1) / ranks;
    for (int64_t i = begin; i < end; i++) {
        const size_t whole = out->size;
        const Status st = answer(p, &lines->line[i], out);
        if (st != OK) out->size = whole;
        TRY(st);
    }
    return OK;
}

typedef struct Share {
    int64_t bytes, complete;
} Share;

/* [collective] Each rank's answers end to end, up to the first line that failed, printed by rank 0. */
static Status print_answers(Predict *p, const Buffer *mine, bool complete)
{
    Comm *comm = p->s.comm;
    const int ranks = comm_size(comm);
    const ArenaMark mark = arena_mark(p->s.run);
    const Share share = {(int64_t)mine->size, complete};
    Share *shares;
    size_t *bytes, total = 0;
    TRY_NEW(shares, p->s.run, ranks);
    TRY_NEW(bytes, p->s.run, ranks);
    TRY(comm_allgather(comm, &share, sizeof share, shares));
    for (int r = 0; r < ranks && (r == 0 || shares[r - 1].complete); r++) {
        bytes[r] = (size_t)shares[r].bytes;
        total += bytes[r];
    }
    char *all = arena_alloc(p->s.run, total + 1);
    TRY(comm_agree(comm, all ? OK : ERR_HOST));
    TRY(comm_allgatherv(comm, mine->data ? mine->data : "", bytes, all));
    Status st = OK;
    if (comm_rank(comm) == 0 && (fwrite(all, 1, total, stdout) != total || fflush(stdout) != 0))
        st = status_fail(ERR_IO, __FILE__, __LINE__, __func__, "standard output: %s", strerror(errno));
    arena_release(p->s.run, mark);
    return comm_agree(comm, st);
}

static Status walk(Predict *p, Input *reader)
{
    watchdog_long(p->s.watchdog, "answer", 0, FOR_EVER); /* whoever writes the lines may take any time */
    for (;;) {
        InputLines lines;
        Buffer out = {0};
        TRY(input_read(reader, p->s.comm, PIECE, &lines));
        if (lines.n == 0) return OK;
        const Status local = answer_share(p, &lines, &out);
        const Status printed = print_answers(p, &out, local == OK);
        buffer_close(&out);
        TRY(printed);
        TRY(comm_agree(p->s.comm, local));
    }
}

static Status predict(Command *c, Predict *p)
{
    TRY(command_number(c, "--top", 0, INT32_MAX, 5, &p->top));
    TRY(comm_agree(c->comm, ask_open(&p->ask, &p->s)));
    p->file = c->argc > 1 ? c->argv[1] : "-";
    Input reader;
    Status st = input_open(&reader, c->comm, p->file);
    if (st == OK) st = walk(p, &reader);
    input_close(&reader);
    return st;
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
            .options = options,
            .n_options = COUNT(options)},
    .min_words = 1,
    .max_words = 2,
    .sets = true,
    .run = run,
};
