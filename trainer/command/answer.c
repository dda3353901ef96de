/* answer.c - pieces of lines, shares of ranks, and the standard output. */
#include "trainer/command/answer.h"

#include <string.h>
#include <unistd.h>

#include "comm/progress.h"
#include "comm/signals.h"
#include "comm/terminal.h"

static const double FOR_EVER = 1e12; /* times log.stall */

typedef struct Share {
    int64_t bytes, complete;
} Share;

/* [collective] Each rank's answers end to end, up to the first line that failed, printed by rank 0. */
static Status print_all(Session *s, const Buffer *mine, bool complete)
{
    Comm *comm = s->comm;
    const int ranks = comm_size(comm);
    const ArenaMark mark = arena_mark(s->run);
    const Share share = {(int64_t)mine->size, complete};
    Share *shares;
    size_t *bytes, total = 0;
    TRY_NEW(shares, s->run, ranks);
    TRY_NEW(bytes, s->run, ranks);
    TRY(comm_allgather(comm, &share, sizeof share, shares));
    for (int r = 0; r < ranks && (r == 0 || shares[r - 1].complete); r++) {
        bytes[r] = (size_t)shares[r].bytes;
        total += bytes[r];
    }
    char *all = arena_alloc(s->run, total + 1);
    TRY(comm_agree(comm, all ? OK : ERR_HOST));
    TRY(comm_allgatherv(comm, mine->data ? mine->data : "", bytes, all));
    const Status st = comm_rank(comm) == 0 ? terminal_data(all, total) : OK;
    arena_release(s->run, mark);
    return comm_agree(comm, st);
}

static Status share(Session *s, const Answer *a, const InputLines *lines, Buffer *out)
{
    const int rank = comm_rank(s->comm), ranks = comm_size(s->comm);
    const int64_t begin = lines->n * rank / ranks, end = lines->n * (rank + 1) / ranks;
    return end > begin ? a->share(a->context, end - begin, lines->line + begin, out) : OK;
}

static Status walk(Session *s, const Answer *a, Input *reader, int64_t *count)
{
    Progress progress = {0};
    if (!isatty(STDOUT_FILENO)) progress_work(&progress, "answering", "lines"); /* else the answers show it */
    watchdog_long(s->watchdog, "answer", 0, FOR_EVER); /* whoever writes the lines may take any time */
    for (;;) {
        InputLines lines;
        Buffer out = {0};
        TRY(input_read(reader, s->comm, a->piece, &lines));
        if (count) *count = reader->number;
        if (lines.n == 0) break;
        const Status local = share(s, a, &lines, &out);
        const Status printed = print_all(s, &out, local == OK);
        progress_at(&progress, reader->number, 0, input_share(reader));
        buffer_close(&out);
        TRY(printed);
        TRY(comm_agree(s->comm, local));
    }
    progress_clear(&progress);
    return OK;
}

Status answer_lines(Session *s, const Answer *a, int64_t *lines)
{
    signals_no_pipe();
    Input reader;
    Status st = input_open(&reader, s->comm, a->file);
    reader.blanks = a->blanks;
    if (st == OK) st = walk(s, a, &reader, lines);
    input_close(&reader);
    return st;
}
