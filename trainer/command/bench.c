/* bench.c - the time of one training step on fixed workloads: the same code that trains, on random ids.
 *
 * The workloads are those of the PyTorch peer of scripts/bench-peer: same sizes, same optimiser, same clipping. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/clock.h"
#include "comm/random.h"
#include "comm/terminal.h"
#include "io/batch/build.h"
#include "io/format/json.h"
#include "trainer/command/command.h"
#include "trainer/train/gradient.h"
#include "trainer/train/update.h"

typedef struct Workload {
    const char *name, *config;
    int64_t batch, units, words, vocab, labels; /* examples a rank, sentences an example, words a sentence */
    const DataField *text, *query, *target;     /* query NULL: none */
    int64_t target_words;                       /* of a pair, whose text is a sentence; 0: the target is a label */
} Workload;

static const DataField text = {.name = "text", .role = ROLE_INPUT, .levels = 2};
static const DataField label = {.name = "label", .role = ROLE_TARGET, .levels = 0};
static const DataField story = {.name = "story", .role = ROLE_INPUT, .levels = 2};
static const DataField question = {.name = "question", .role = ROLE_QUERY, .levels = 1};
static const DataField answer = {.name = "answer", .role = ROLE_TARGET, .levels = 0};
static const DataField source = {.name = "source", .role = ROLE_INPUT, .levels = 1};
static const DataField target = {.name = "target", .role = ROLE_TARGET, .levels = 1};

#define WORKLOADS "han, memn2n, luong and bahdanau"

static const Workload workloads[] = {
    {"han",
     "model: {name: han, dim: 200}\n"
     "task: {name: classification}\noptim: {name: momentum, lr: 0.01}\ntrain: {clip_norm: 5}\n",
     64, 12, 20, 30000, 5, &text, NULL, &label, 0},
    {"memn2n",
     "model: {name: memn2n, dim: 50, hops: 3, memory: 50, noise: 0, answer: tied}\n"
     "task: {name: answer, group: none}\noptim: {name: sgd, lr: 0.01}\ntrain: {clip_norm: 40}\n",
     32, 50, 7, 200, 200, &story, &question, &answer, 0},
    /* 19 words and the end: 20 positions */
    {"luong",
     "model: {name: seq2seq, dim: 256, encoder: {cell: lstm, hidden: 512}, decoder: {apply: after}}\n"
     "task: {name: translation}\noptim: {name: adam, lr: 1e-3}\ntrain: {clip_norm: 5}\n",
     64, 1, 20, 8000, 8000, &source, NULL, &target, 19},
    {"bahdanau",
     "model: {name: seq2seq, dim: 256, encoder: {cell: gru, hidden: 512, bidirectional: true},\n"
     "        decoder: {bridge: backward, apply: between},\n"
     "        attention: {score: {name: additive, width: 512}}, readout: maxout}\n"
     "task: {name: translation}\noptim: {name: adam, lr: 1e-3}\ntrain: {clip_norm: 5}\n",
     64, 1, 20, 8000, 8000, &source, NULL, &target, 19},
};

typedef struct Bench {
    const Workload *w;
    Session s;
    Update u;
    Batch batch;
} Bench;

static Status fill_field(Bench *b, Arena *run, const DataField *field, const int64_t *per, int64_t below)
{
    Ragged *r = &b->batch.field[b->batch.n_fields++];
    const RandomKey key = random_key((uint64_t)(7 + comm_rank(b->s.comm)), RANDOM_TEST, (uint64_t)b->batch.n_fields);
    return build_random(r, run, field, b->batch.B, per, below, key);
}

static Status fill_batch(Bench *b, Arena *run)
{
    const Workload *w = b->w;
    int64_t *example;
    TRY_NEW(example, run, w->batch);
    for (int64_t i = 0; i < w->batch; i++) example[i] = i;
    b->batch = (Batch){.B = w->batch, .all = w->batch * comm_size(b->s.comm), .example = example};
    if (w->target_words) {
        TRY(fill_field(b, run, w->text, &w->words, w->vocab));
        return fill_field(b, run, w->target, &w->target_words, w->labels);
    }
    TRY(fill_field(b, run, w->text, (int64_t[]){w->units, w->words}, w->vocab));
    if (w->query) TRY(fill_field(b, run, w->query, (int64_t[]){w->words}, w->vocab));
    return fill_field(b, run, w->target, NULL, w->labels);
}

static Status open_bench(Bench *b, Comm *comm, Arena *run)
{
    const Workload *w = b->w;
    Config *config;
    TRY(config_parse(&config, run, &settings_table, w->name, w->config, strlen(w->config), 0, NULL));
    b->s = (Session){.comm = comm, .run = run, .config = config, .seed = 1, .params = {.arena = run}};
    int32_t *word;
    TRY_NEW(word, run, w->labels);
    for (int64_t i = 0; i < w->labels; i++) word[i] = (int32_t)i;
    const int levels = w->text->levels;
    b->s.data = (ModelData){
        .n_fields = 2,
        .field = {{.role = ROLE_INPUT, .levels = levels, .words = w->vocab, .longest = {w->units, w->words}},
                  {.role = ROLE_TARGET, .levels = w->target->levels, .words = w->labels}},
        .answer_word = w->query ? word : NULL};
    const ModelDef *def = (const ModelDef *)schema_find(model_choice, config_choice(config, "model"));
    TRY(model_build(&b->s.model, run, &b->s.params, &def->component, config_component(config, "model"), &b->s.data));
    return task_open(&b->s.task, run, config_choice(config, "task"), config_component(config, "task"), &b->s.data,
                     NULL);
}

static Status start_bench(Bench *b, Arena *run)
{
    TRY(params_draw(&b->s.params, b->s.seed));
    TRY(model_init(b->s.model));
    TRY(update_open(&b->u, &b->s));
    return fill_batch(b, run);
}

static Status one_step(Bench *b, int64_t step, double *loss)
{
    Session *s = &b->s;
    arena_release(&s->step, (ArenaMark){0});
    params_zero_grad(&s->params);
    LossSum sum = {0};
    UpdateResult result;
    const Status local = gradient_add(s, &b->batch, (uint64_t)step, &sum);
    TRY(update_apply(&b->u, sum.weight, local, step, optim_rate(b->u.optim), &result));
    *loss = gradient_mean_loss(&sum);
    return OK;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static Status print_line(const Bench *b, double median, double loss)
{
    const Workload *w = b->w;
    const int ranks = comm_size(b->s.comm);
    if (comm_rank(b->s.comm) != 0) return OK;
    const int64_t read = w->batch * w->units * w->words, asked = w->query ? w->batch * w->words : 0;
    const double tokens = (double)(read + asked + (w->target_words ? w->batch * (w->target_words + 1) : 0));
    terminal_print(
        "{\"workload\": \"%s\", \"trainer\": \"mneme " MNEME_VERSION "\", \"ranks\": %d, \"threads\": 1, "
        "\"parameters\": %lld, \"step_ms\": %.3f, \"examples_per_s\": %.1f, \"tokens_per_s\": %.1f, \"loss\": %.4f}\n",
        w->name, ranks, (long long)b->s.params.count, 1e3 * median, ranks * (double)w->batch / median,
        ranks * tokens / median, loss);
    return OK;
}

static Status measure(Bench *b, Arena *run, int64_t steps, int64_t warmup)
{
    double *seconds, loss = 0;
    TRY_NEW(seconds, run, steps);
    for (int64_t i = 0; i < warmup + steps; i++) {
        const double start = clock_seconds();
        TRY(one_step(b, i, &loss));
        if (i >= warmup) seconds[i - warmup] = clock_seconds() - start;
    }
    qsort(seconds, (size_t)steps, sizeof *seconds, by_size);
    return print_line(b, seconds[steps / 2], loss);
}

static Status run(Command *c)
{
    Bench b = {0};
    for (int i = 0; i < COUNT(workloads); i++)
        if (strcmp(workloads[i].name, c->argv[0]) == 0) b.w = &workloads[i];
    REQUIRE(b.w, ERR_USAGE, "bench: there is no workload %s; there are " WORKLOADS, c->argv[0]);
    int64_t steps = 0, warmup = 0;
    TRY(command_number(c, "--steps", 1, 1000000, 20, &steps));
    TRY(command_number(c, "--warmup", 0, 1000000, 3, &warmup));
    Status st = comm_agree(c->comm, open_bench(&b, c->comm, c->run));
    if (st == OK) st = session_allocate(&b.s);
    if (st == OK) st = comm_agree(c->comm, start_bench(&b, c->run));
    if (st == OK) st = measure(&b, c->run, steps, warmup);
    arena_close(&b.s.step);
    return st;
}

static const CommandOption options[] = {
    {"--steps", "N", NULL, "Steps that are timed; the median is printed (20)."},
    {"--warmup", "N", NULL, "Steps before them (3)."},
};

const CommandDef command_bench = {
    .doc = {.name = "bench",
            .arguments = "WORKLOAD",
            .help = "Time one training step of a fixed workload (" WORKLOADS ") and print a line of JSON.",
            .options = options,
            .n_options = COUNT(options)},
    .min_words = 1,
    .max_words = 1,
    .run = run,
};
