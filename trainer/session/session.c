/* session.c - from a configuration to a model with values. */
#include "trainer/session/session.h"
#include "trainer/core/arithmetic.h"

#include <string.h>

#include "comm/log.h"
#include "comm/reduce.h"
#include "io/text/vectors.h"

static const double FOR_EVER = 1e12; /* times log.stall */
static const char *const splits[] = {"train", "valid", "test"};

/* A section with a choice is there when one was made, `run` and `data` when they say where. */
static bool present(const Config *config, const char *section)
{
    if (strcmp(section, "run") == 0) return config_given(config, "run", "folder");
    if (strcmp(section, "data") == 0) return config_given(config, "data", "corpus");
    return config_choice(config, section) != NULL;
}

Status session_require(const Config *config, int n, const char *const *sections)
{
    for (int i = 0; i < n; i++)
        REQUIRE(present(config, sections[i]), ERR_CONFIG, "the configuration has no section %s, which this needs",
                sections[i]);
    return OK;
}

/* Of all splits, as the caps leave it. */
static int64_t longest(const Session *s, const DataField *f, int level, int64_t cap)
{
    int64_t most = 0;
    for (int i = 0; i < COUNT(splits); i++) {
        const int64_t n = corpus_longest(s->corpus, splits[i], f, level);
        if (n > most) most = n;
    }
    return cap > 0 && most > cap ? cap : most;
}

/* What the corpus has of the model's needs. */
static void fill_fields(Session *s, int n, const ModelNeed *needs)
{
    const DataSettings *data = config_section(s->config, "data");
    const DataField *fields;
    const int n_fields = corpus_fields(s->corpus, &fields);
    for (int i = 0; i < n; i++) {
        const DataField *f = model_find(&needs[i], n_fields, fields);
        if (!f) continue;
        ModelField *m = &s->data.field[s->data.n_fields++];
        const Vocab *v = corpus_vocab(s->corpus, f->vocab);
        *m = (ModelField){needs[i].role, needs[i].of, f->levels, .words = v ? vocab_size(v) : 0, .width = f->width};
        int64_t cap[RAGGED_LEVELS];
        field_caps(n_fields, fields, f, data->max_sentences, data->max_words, cap);
        for (int l = 0; l < f->levels; l++) m->longest[l] = longest(s, f, l, cap[l]);
    }
}

static Status fill_answer_words(Session *s, const Vocab *labels, const Vocab *words)
{
    int32_t *word;
    TRY_NEW(word, s->run, vocab_size(labels) + 1);
    for (int64_t i = 0; i < vocab_size(labels); i++) {
        const char *text = vocab_word(labels, i);
        const int64_t id = words ? vocab_id(words, text, strlen(text)) : -1;
        word[i] = id >= VOCAB_SPECIALS ? (int32_t)id : -1;
    }
    s->data.answer_word = word;
    return OK;
}

/* What decides how batches are cut and sorted. */
static Status choose_lengths(Session *s, const TaskDef *task, const DataField *main, const DataField *target)
{
    const DataSettings *data = config_section(s->config, "data");
    const bool cut = task->positions && task->ends == 0; /* together with the input, whose positions it has */
    if (!data->bucket)
        s->bucket = main->name;
    else if (strcmp(data->bucket, "none") != 0)
        s->bucket = data->bucket;
    s->words = task->positions ? target->name : main->name; /* what the loss is a sum over, or what is read */
    s->extra_words = task->ends;
    if (s->bucket && !corpus_field(s->corpus, s->bucket)) {
        const char *near = corpus_near_field(s->corpus, s->bucket);
        FAIL(ERR_CONFIG, "data.bucket: the corpus has no field %s%s%s%s", s->bucket, near ? "; did you mean " : "",
             near ? near : "", near ? "?" : "");
    }
    REQUIRE(target->levels == 0 || cut || data->max_words == 0, ERR_CONFIG,
            "data.max_words is %lld, but would cut the sequences of field %s in their midst: caps of pairs belong to "
            "section pack, which leaves out pairs that are too long",
            (long long)data->max_words, target->name);
    return OK;
}

static Status fill_data(Session *s, const TaskDef *task, const ModelDef *def, const void *settings)
{
    const DataSettings *data = config_section(s->config, "data");
    const ModelNeed *needs;
    const DataField *fields, *target = corpus_role(s->corpus, ROLE_TARGET);
    const int n = model_needs(def, settings, &needs), n_fields = corpus_fields(s->corpus, &fields);
    const DataField *main = model_find(&needs[0], n_fields, fields);
    REQUIRE(main && target, ERR_DATA, "%s: the corpus has no field of role target, which model %s predicts",
            data->corpus, def->component.name);
    TRY(choose_lengths(s, task, main, target));
    const Vocab *words = corpus_vocab(s->corpus, main->vocab), *labels = corpus_vocab(s->corpus, target->vocab);
    REQUIRE((words || main->type == FIELD_FLOATS) && (labels || !task->classes), ERR_DATA,
            "%s: field %s or %s has no vocabulary", data->corpus, main->name, target->name);
    s->data = (ModelData){.kind = task->kind, .shared = words && words == labels};
    fill_fields(s, n, needs);
    return labels ? fill_answer_words(s, labels, words) : OK;
}

static Status build(Session *s)
{
    const DataSettings *data = config_section(s->config, "data");
    const char *name = config_choice(s->config, "model");
    const ModelDef *def = (const ModelDef *)schema_find(model_choice, name);
    const void *settings = config_component(s->config, "model");
    const DataField *fields = NULL;
    const int n = corpus_fields(s->corpus, &fields);
    TRY(model_check_fields(def, settings, n, fields, data->corpus));
    TRY(fill_data(s, task_find(config_choice(s->config, "task")), def, settings));
    TRY(model_build(&s->model, s->run, &s->params, &def->component, settings, &s->data));
    return task_open(&s->task, s->run, config_choice(s->config, "task"), config_component(s->config, "task"), &s->data,
                     s->corpus);
}

Status session_allocate(Session *s)
{
    const TrainSettings *train = config_section(s->config, "train");
    void *grad = NULL;
    params_place(&s->params);
    if (train->lanes == 0 && reduce_at(train->reduce)->shares)
        TRY(comm_shared(s->comm, (size_t)(s->params.dense + PARAMS_EXTRA) * sizeof(real), &grad));
    s->params.grad = grad;
    return comm_agree(s->comm, params_lay_out(&s->params));
}

Status session_open(Session *s, Comm *comm, Arena *run, const Config *config, uint64_t seed)
{
    *s = (Session){.comm = comm, .run = run, .config = config, .seed = seed, .params = {.arena = run}};
    static const char *const needed[] = {"data", "model", "task"};
    TRY(session_require(config, COUNT(needed), needed));
    const DataSettings *data = config_section(config, "data");
    s->watchdog = comm_watchdog(comm);
    watchdog_long(s->watchdog, "open", 0, 10);
    TRY(arithmetic_same(comm, run));
    TRY(corpus_open(&s->corpus, run, comm, data->corpus, data->verify));
    TRY(comm_agree(comm, build(s)));
    return session_allocate(s);
}

/* Vectors of the model's words, in memory that is given back when the model has taken them. */
static Status read_vectors(Session *s, Arena *arena)
{
    const DataSettings *data = config_section(s->config, "data");
    const DataField *text = corpus_role(s->corpus, s->model->need[0].role);
    Vectors v;
    REQUIRE(data->vectors[0], ERR_CONFIG, "the model starts from pretrained vectors, but data.vectors names no file");
    TRY(vectors_read(&v, arena, data->vectors, data->vectors_format, corpus_vocab(s->corpus, text->vocab),
                     s->model->pretrained, true));
    REQUIRE(v.known > 0, ERR_DATA, "%s: none of its %lld words is in the vocabulary of %s; is one in lower case only?",
            data->vectors, (long long)v.read, data->corpus);
    log_info("%s: vectors of %lld of the %lld words of the vocabulary; the other words start at random", data->vectors,
             (long long)v.known, (long long)(v.V - VOCAB_SPECIALS));
    s->model->data.vectors = v.row;
    s->model->data.vector_known = v.found;
    s->model->data.vector_width = v.D;
    return OK;
}

static Status begin_here(Session *s)
{
    Arena arena = {0};
    Status st = params_draw(&s->params, s->seed);
    if (st == OK && s->model->pretrained) st = read_vectors(s, &arena);
    if (st == OK) st = model_init(s->model);
    s->model->data.vectors = NULL;
    s->model->data.vector_known = NULL;
    arena_close(&arena);
    return st;
}

Status session_begin(Session *s)
{
    watchdog_long(s->watchdog, "vectors", 0, 10);
    TRY(comm_agree(s->comm, comm_rank(s->comm) == 0 ? begin_here(s) : OK));
    return comm_broadcast(s->comm, s->params.value, (size_t)s->params.count * sizeof(real), 0);
}

void session_close(Session *s)
{
    watchdog_long(s->watchdog, "end", 0, FOR_EVER);
    if (s->corpus) corpus_close(s->corpus);
    arena_close(&s->step);
    *s = (Session){0};
}

LoaderOptions session_reading(const Session *s, const char *split, int64_t batch)
{
    const DataSettings *data = config_section(s->config, "data");
    return (LoaderOptions){.split = split,
                           .batch = batch,
                           .part = comm_rank(s->comm),
                           .parts = comm_size(s->comm),
                           .bucket = s->bucket,
                           .window = data->window,
                           .memory = data->memory,
                           .max_sentences = data->max_sentences,
                           .max_words = data->max_words,
                           .epochs = 1};
}
