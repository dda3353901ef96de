/* bench.c - the time of one training step on fixed workloads: the same code that trains, on random ids.
 *
 * The workloads are those of the PyTorch peer of scripts/bench-peer: same sizes, same optimiser, same clipping. A model
 * without one is timed on the small experiment that it brings along, packed in a folder that goes again. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/clock.h"
#include "comm/log.h"
#include "comm/random.h"
#include "comm/terminal.h"
#include "io/batch/build.h"
#include "io/corpus/pack.h"
#include "io/file/file.h"
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

#define WORKLOADS "han, memn2n, luong, bahdanau"

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
    const Workload *w; /* NULL: the model's own */
    const char *name;
    Session s;
    Update u;
    Loader *loader; /* of the model's own */
    Batch batch;
    char folder[256]; /* its corpus; "": none */
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

/* --- What a model brings along --- */

static Status make_folder(Bench *b)
{
    const char *where = getenv("TMPDIR");
    snprintf(b->folder, sizeof b->folder, "%.200s/mneme-bench-XXXXXX", where && *where ? where : "/tmp");
    if (mkdtemp(b->folder)) return OK;
    const Status st = status_fail(ERR_IO, __FILE__, __LINE__, __func__, "%s: %s", b->folder, strerror(errno));
    b->folder[0] = '\0';
    return st;
}

/* The files that the experiment names. */
static Status write_sample(const Bench *b, const ImportSample *sample)
{
    for (int i = 0; i < IMPORT_SAMPLES && sample->file[i].name; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", b->folder, sample->file[i].name);
        char *slash = strrchr(path, '/');
        *slash = '\0';
        TRY(file_make_folder(path));
        *slash = '/';
        TRY(file_write(path, sample->file[i].text, strlen(sample->file[i].text)));
    }
    return OK;
}

/* [collective] All ranks parse; rank 0 writes what is read. */
static Status pack_own(Bench *b, Comm *comm, Arena *run, const char *tiny, Config **config)
{
    char yaml[4096], name[512];
    TRY(comm_agree(comm, comm_rank(comm) == 0 ? make_folder(b) : OK));
    TRY(comm_broadcast(comm, b->folder, sizeof b->folder, 0));
    snprintf(name, sizeof name, "%s/%s", b->folder, b->name);
    const int n = snprintf(yaml, sizeof yaml, "%sdata: {corpus: corpus}\n", tiny);
    TRY(comm_agree(comm, config_parse(config, run, &settings_table, name, yaml, (size_t)n, 0, NULL)));
    const Config *c = *config;
    const char *importer = config_choice(c, "source");
    const DataSettings *data = config_section(c, "data");
    TRY(comm_agree(comm, comm_rank(comm) == 0 ? write_sample(b, &import_find(importer)->sample) : OK));
    const PackSource from = {importer, config_component(c, "source"), config_section(c, "text"),
                             config_section(c, "subwords")};
    return corpus_pack(comm, &from, config_section(c, "pack"), data->corpus, false, NULL);
}

static Status take_batch(Bench *b)
{
    const TrainSettings *train = config_section(b->s.config, "train");
    const LoaderOptions options = session_reading(&b->s, "train", train->batch);
    const Batch *batch = NULL;
    LoaderPosition at;
    TRY(loader_open(&b->loader, b->s.corpus, &options, (LoaderPosition){0, 0}));
    TRY(loader_next(b->loader, &batch, &at, NULL)); /* it stays until the call after next */
    REQUIRE(batch, ERR_INTERNAL, "model %s brings no example along", b->name);
    b->batch = *batch;
    return update_open(&b->u, &b->s);
}

static Status open_own(Bench *b, Comm *comm, Arena *run, const char *tiny)
{
    Config *config;
    TRY(pack_own(b, comm, run, tiny, &config));
    TRY(session_open(&b->s, comm, run, config, 1));
    TRY(session_allocate(&b->s));
    TRY(session_begin(&b->s));
    return comm_agree(comm, take_batch(b));
}

/* A folder of files: of those that were made the deepest first. */
static Status remove_own(const Bench *b)
{
    char path[512];
    const ImportSample *sample = b->s.config ? &import_find(config_choice(b->s.config, "source"))->sample : NULL;
    for (int i = 0; sample && i < IMPORT_SAMPLES && sample->file[i].name; i++)
        if (strchr(sample->file[i].name, '/')) {
            snprintf(path, sizeof path, "%s/%s", b->folder, sample->file[i].name);
            *strrchr(path, '/') = '\0';
            TRY(file_make_folder(path)); /* it may not have come so far */
            TRY(file_remove_folder(path));
        }
    snprintf(path, sizeof path, "%s/corpus", b->folder);
    TRY(file_make_folder(path));
    TRY(file_remove_folder(path));
    return file_remove_folder(b->folder);
}

static void close_own(Bench *b, Comm *comm)
{
    loader_close(b->loader);
    session_close(&b->s);
    if (comm_rank(comm) == 0 && b->folder[0] && remove_own(b) != OK) log_warn("%s", status_message());
}

/* --- Timing --- */

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

/* Words, and others where there are none, that all ranks read and write in a step. */
static double tokens_of(const Bench *b)
{
    const Workload *w = b->w;
    double own = 0;
    if (w)
        return (double)(w->batch * w->units * w->words + (w->query ? w->batch * w->words : 0) +
                        (w->target_words ? w->batch * (w->target_words + 1) : 0)) *
               comm_size(b->s.comm);
    for (int f = 0; f < b->batch.n_fields; f++)
        if (b->batch.field[f].field->levels > 0)
            own += (double)b->batch.field[f].count[b->batch.field[f].field->levels];
    return own * comm_size(b->s.comm);
}

static Status print_line(const Bench *b, double median, double loss)
{
    const int ranks = comm_size(b->s.comm);
    if (comm_rank(b->s.comm) != 0) return OK;
    terminal_print(
        "{\"workload\": \"%s\", \"trainer\": \"mneme " MNEME_VERSION "\", \"ranks\": %d, \"threads\": 1, "
        "\"parameters\": %lld, \"step_ms\": %.3f, \"examples_per_s\": %.1f, \"tokens_per_s\": %.1f, \"loss\": %.4f}\n",
        b->name, ranks, (long long)b->s.params.count, 1e3 * median, (double)b->batch.all / median,
        tokens_of(b) / median, loss);
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

static Status open_named(Bench *b, Command *c)
{
    TRY(comm_agree(c->comm, open_bench(b, c->comm, c->run)));
    TRY(session_allocate(&b->s));
    return comm_agree(c->comm, start_bench(b, c->run));
}

/* Names for the completion: workloads, then models. */
static const char *workload_name(int i)
{
    if (i < COUNT(workloads)) return workloads[i].name;
    const Component *model = model_choice(i - COUNT(workloads));
    return model ? model->name : NULL;
}

/* One workload, or what the model of that name brings along. */
static Status bench(Command *c, const char *name, int64_t steps, int64_t warmup)
{
    Bench b = {.name = name};
    for (int i = 0; i < COUNT(workloads); i++)
        if (strcmp(workloads[i].name, name) == 0) b.w = &workloads[i];
    const ModelDef *model = (const ModelDef *)(const void *)schema_find(model_choice, name);
    REQUIRE(b.w || model, ERR_USAGE, "bench: there is no workload %s; there are " WORKLOADS ", and all models", name);
    const ArenaMark mark = arena_mark(c->run);
    Status st = b.w ? open_named(&b, c) : open_own(&b, c->comm, c->run, model->tiny);
    if (st == OK) st = measure(&b, c->run, steps, warmup);
    if (b.w)
        arena_close(&b.s.step);
    else
        close_own(&b, c->comm);
    arena_release(c->run, mark);
    return st;
}

static Status run(Command *c)
{
    int64_t steps = 0, warmup = 0;
    TRY(command_number(c, "--steps", 1, 1000000, 20, &steps));
    TRY(command_number(c, "--warmup", 0, 1000000, 3, &warmup));
    if (c->argc > 0) return bench(c, c->argv[0], steps, warmup);
    for (int i = 0; model_choice(i); i++) TRY(bench(c, model_choice(i)->name, steps, warmup));
    return OK;
}

static const CommandOption options[] = {
    {"--steps", "N", NULL, "Steps that are timed; the median is printed (20)."},
    {"--warmup", "N", NULL, "Steps before them (3)."},
};

const CommandDef command_bench = {
    .doc = {.name = "bench",
            .arguments = "[WORKLOAD]",
            .first = workload_name,
            .help = "Time one training step of a fixed workload (" WORKLOADS ") and print a line of JSON.",
            .details = "A model that is no workload is timed on a small experiment of its own, packed under TMPDIR; "
                       "without WORKLOAD every model is, one after the other.",
            .options = options,
            .n_options = COUNT(options)},
    .min_words = 0,
    .max_words = 1,
    .run = run,
};
