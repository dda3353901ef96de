/* attend.c - `mneme attend CONFIG [FILE]`: what the model looks at in given inputs, as HDF5 and as a page.
 *
 * Rank 0 works alone: a page that a person reads has few inputs. */
#include <stdio.h>
#include <string.h>

#include "comm/log.h"
#include "io/file.h"
#include "trainer/command/trained.h"
#include "trainer/run/evaluate.h"
#include "trainer/run/input.h"
#include "trainer/run/look.h"

enum { INPUTS_MOST = 10000 };

typedef struct Attend {
    Session s;
    const char *output; /* path without its ending */
    int64_t most;
    int n;
    AttentionExample *example;
    Hits hits;
} Attend;

/* One example through the model; the tape's memory is kept until the files are written. */
static Status look(Attend *a, const Batch *b, const Word *const *word, const char *id, const char *truth)
{
    Tape t;
    ModelOutput out;
    TRY(evaluate_forward(&a->s, b, true, &t, &out));
    TRY(look_example(&a->s, b, word, &t, &out, id, truth, &a->s.step, &a->example[a->n]));
    hits_add(&a->hits, b, &a->example[a->n]);
    a->n++;
    return OK;
}

static Status look_at_lines(Attend *a, Command *c, const char *path)
{
    Ask ask;
    Input input;
    InputLines lines = {0};
    TRY(ask_open(&ask, &a->s));
    watchdog_long(a->s.watchdog, "read", 0, 1e12); /* whoever writes the lines may take any time */
    Status st = input_open(&input, c->comm, path);
    while (st == OK && a->n < a->most) {
        st = input_read(&input, c->comm, a->most - a->n, &lines);
        if (st != OK || lines.n == 0) break;
        for (int64_t i = 0; i < lines.n && st == OK; i++) {
            const Record r = {lines.line[i].text, lines.line[i].size, path, lines.line[i].number};
            const Word *word[BATCH_FIELDS] = {NULL};
            Batch b;
            st = ask_batch(&ask, 1, &r, &a->s.step, &b, word);
            const char *id = st == OK ? arena_format(&a->s.step, "line %lld", (long long)r.line) : NULL;
            if (st == OK) st = look(a, &b, word, id, NULL);
        }
    }
    input_close(&input);
    ask_close(&ask);
    return st;
}

static Status look_at_split(Attend *a, const char *split)
{
    return look_split(&a->s, split, a->most, a->example, &a->n, &a->hits);
}

static Status write_files(Attend *a)
{
    const char *file = arena_format(a->s.run, "%s.h5", a->output), *page = arena_format(a->s.run, "%s.html", a->output);
    REQUIRE(file && page, ERR_HOST, "%s", status_message());
    const char *model = a->s.model->def->component.name;
    TRY(attention_save(file, "mneme " MNEME_VERSION, model, a->n, a->example));
    const AttentionFile one = {.n = a->n, .example = a->example};
    TRY(attention_page(page, &(AttentionPage){.title = "Attention", .n_files = 1, .file = &one}));
    log_info("%d inputs: %s and %s", a->n, file, page);
    return OK;
}

/* Where the corpus knows what decides: how often the highest weight lies there. */
static void print_hits(const Hits *h)
{
    for (int i = 0; i < h->n; i++)
        if (h->view[i].inputs > 0)
            printf("%s hop %d head %d: the highest weight is on what decides in %lld of %lld inputs (%.1f %%)\n",
                   h->view[i].name, h->view[i].hop + 1, h->view[i].head + 1, (long long)h->view[i].hits,
                   (long long)h->view[i].inputs, 100.0 * (double)h->view[i].hits / (double)h->view[i].inputs);
}

/* split: NULL when the inputs are lines */
static Status attend(Command *c, Attend *a, const char *split)
{
    TRY(command_number(c, "--inputs", 1, INPUTS_MOST, 20, &a->most));
    a->output = command_value(c, "--output") ? command_value(c, "--output") : "attention";
    a->hits.no_words = ((const DataSettings *)config_section(a->s.config, "data"))->max_words > 0;
    TRY_NEW(a->example, c->run, a->most);
    TRY(split ? look_at_split(a, split) : look_at_lines(a, c, c->argv[1]));
    if (comm_rank(c->comm) == 0) print_hits(&a->hits);
    return comm_agree(c->comm, comm_rank(c->comm) == 0 ? write_files(a) : OK);
}

static Status run(Command *c)
{
    Attend a = {0};
    const char *named = command_value(c, "--split"), *checkpoint = NULL;
    const char *split = c->argc > 1 ? NULL : named ? named : "test";
    Status st = trained_open(c, &a.s, split, &checkpoint);
    if (st == OK) st = attend(c, &a, split);
    session_close(&a.s);
    return st;
}

static const CommandOption options[] = {
    {"--split", "NAME", NULL, "Without a FILE: the first inputs of this split (test)."},
    {"--inputs", "N", NULL, "How many inputs at most (20)."},
    {"--output", "PATH", NULL, "PATH.h5 and PATH.html are written (attention)."},
    TRAINED_OPTION,
};

const CommandDef command_attend = {
    .doc = {.name = "attend",
            .arguments = "CONFIG [FILE]",
            .help = "Show what the model looks at in each line of FILE (- for standard input), or in a split.",
            .options = options,
            .n_options = COUNT(options)},
    .min_words = 1,
    .max_words = 2,
    .sets = true,
    .run = run,
};
