/* config_fixture.h - a small table of sections with every kind of row, for the tests of the config. */
#ifndef TESTS_CONFIG_FIXTURE_H
#define TESTS_CONFIG_FIXTURE_H
#include "io/config/config.h"

typedef struct Train {
    int64_t batch, steps;
    double clip;
    bool shuffle;
    double every; /* s */
} Train;

typedef struct Data {
    const char *path;
    TextList files;
    int64_t memory;
    const char *kind;
} Data;

typedef struct Model {
    int64_t hidden;
    double dropout;
} Model;

typedef struct Han {
    int64_t heads;
    TextList scores;
} Han;

typedef struct Memn2n {
    int64_t hops;
    bool linear_start;
} Memn2n;

typedef struct Optim {
    double learning_rate;
} Optim;

typedef struct Sgd {
    double momentum;
} Sgd;

typedef struct Adam {
    double beta1, epsilon;
} Adam;

static const char *fixture_kind(int i)
{
    static const char *const names[] = {"stories", "documents", "tables", NULL};
    return names[i];
}

static const char *fixture_score(int i)
{
    static const char *const names[] = {"dot", "scaled_dot", "additive", NULL};
    return names[i];
}

static const Field fixture_train[] = {
    FIELD(Train, batch, .preset = "64", .min = 1, .max = 65536, .unit = "examples", .help = "Examples per step."),
    FIELD(Train, steps, .preset = "1e3", .min = 1, .max = INFINITY, .effect = EFFECT_EXTENT, .help = "Steps."),
    FIELD(Train, clip, .preset = "5", .min = 0, .max = 1e6, .help = "Largest norm of the gradient."),
    FIELD(Train, shuffle, .preset = "true", .help = "Shuffle at every epoch."),
    FIELD_SECONDS(Train, every, .preset = "15min", .min = 1, .max = 86400, .effect = EFFECT_EXTENT,
                  .help = "Time between checkpoints."),
};
static const Field fixture_data[] = {
    FIELD(Data, path, .is_file = true, .help = "Folder of the corpus."),
    FIELD(Data, files, .preset = "[]", .is_file = true, .help = "Files to import."),
    FIELD_BYTES(Data, memory, .preset = "512MiB", .min = 65536, .max = 0x1p50, .help = "Memory for reading."),
    FIELD(Data, kind, .preset = "stories", .choice = fixture_kind, .help = "What the files hold."),
};
static const Field fixture_model[] = {
    FIELD(Model, hidden, .preset = "50", .min = 1, .max = 16384, .unit = "units", .help = "Hidden size."),
    FIELD(Model, dropout, .preset = "0.5", .min = 0, .max = 0.9, .help = "Share of units dropped."),
};
static const Field fixture_han[] = {
    FIELD(Han, heads, .preset = "1", .min = 1, .max = 64, .unit = "heads", .help = "Heads."),
    FIELD(Han, scores, .preset = "[dot, additive]", .choice = fixture_score, .help = "Score of each level."),
};
static const Field fixture_memn2n[] = {
    FIELD(Memn2n, hops, .preset = "3", .min = 1, .max = 64, .unit = "hops", .help = "Hops."),
    FIELD(Memn2n, linear_start, .preset = "false", .help = "Begin without softmax."),
};
static const Field fixture_optim[] = {
    FIELD(Optim, learning_rate, .preset = "1e-3", .min = 1e-9, .max = 10, .help = "Step size."),
};
static const Field fixture_sgd[] = {
    FIELD(Sgd, momentum, .preset = "0", .min = 0, .max = 0.9999, .help = "Share of the last update."),
};
static const Field fixture_adam[] = {
    FIELD(Adam, beta1, .preset = "0.9", .min = 0, .max = 0.9999, .help = "Decay of the mean gradient."),
    FIELD(Adam, epsilon, .preset = "1e-8", .min = 1e-12, .max = 1, .help = "Keeps the division finite."),
};

static const Component fixture_components[] = {
    {.name = "han", .help = "Hierarchical attention.", .source = "Yang et al. 2016", ROWS(fixture_han, Han)},
    {.name = "memn2n", .help = "End-to-end memory.", .source = "Sukhbaatar et al. 2015", ROWS(fixture_memn2n, Memn2n)},
    {.name = "sgd", .help = "Stochastic gradient descent.", ROWS(fixture_sgd, Sgd)},
    {.name = "adam", .help = "Adam.", .source = "Kingma and Ba 2015", ROWS(fixture_adam, Adam)},
    {.name = "none", .help = "Nothing at all."},
};

static const Component *fixture_models(int i) { return i < 2 ? &fixture_components[i] : NULL; }

static const Component *fixture_optims(int i) { return i < 3 ? &fixture_components[2 + i] : NULL; }

static const Section fixture_sections[] = {
    {.name = "data",
     .help = "The corpus.",
     .fields = fixture_data,
     .n_fields = COUNT(fixture_data),
     .size = sizeof(Data)},
    {.name = "model",
     .help = "The model.",
     .fields = fixture_model,
     .n_fields = COUNT(fixture_model),
     .size = sizeof(Model),
     .choice = fixture_models},
    {.name = "optim",
     .help = "The optimiser.",
     .fields = fixture_optim,
     .n_fields = COUNT(fixture_optim),
     .size = sizeof(Optim),
     .choice = fixture_optims,
     .preset = "adam"},
    {.name = "train",
     .help = "The training.",
     .fields = fixture_train,
     .n_fields = COUNT(fixture_train),
     .size = sizeof(Train)},
    {.name = "second", .help = "A second optimiser.", .choice = fixture_optims, .optional = true},
};
static const Section *const fixture_list[] = {&fixture_sections[0], &fixture_sections[1], &fixture_sections[2],
                                              &fixture_sections[3], &fixture_sections[4], NULL};

/* One rule over two sections. */
static void fixture_check(const Config *c, ConfigFaults *faults)
{
    const Train *train = config_section(c, "train");
    const Model *model = config_section(c, "model");
    if (train->batch == 13)
        config_fault(faults, "train", "batch", "13 does not go with model.hidden %d", (int)model->hidden);
    if (train->batch == 14) config_fault(faults, "data", NULL, "not with 14");
}

static const ConfigTable fixture_table = {fixture_list, fixture_check, NULL};

#endif
