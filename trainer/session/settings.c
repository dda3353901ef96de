/* settings.c - the rows of the training, and the table of all sections. */
#include "trainer/session/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/reduce.h"
#include "io/corpus/pack.h"
#include "io/import/import.h"
#include "io/text/segment.h"
#include "io/text/vectors.h"
#include "trainer/decode/decode.h"
#include "trainer/model/model.h"
#include "trainer/optim/optim.h"
#include "trainer/schedule/early.h"
#include "trainer/schedule/schedule.h"
#include "trainer/task/task.h"

static const Field run_fields[] = {
    FIELD(RunSettings, folder, .is_file = true, .effect = EFFECT_EXTENT,
          .help = "Folder of this run: configuration, metrics, checkpoints, report."),
    FIELD(RunSettings, seed, .preset = "1", .max = 9e15, .help = "Seed of every random number of the run."),
    FIELD(RunSettings, seeds, .preset = "[]", .effect = EFFECT_EXTENT,
          .help = "Several seeds: one run each, in folder/seed-N, with mean and deviation at the end."),
};

static const Field data_fields[] = {
    FIELD(DataSettings, corpus, .is_file = true, .effect = EFFECT_EXTENT, .help = "Folder of the packed corpus."),
    FIELD(DataSettings, bucket, .preset = "auto", .none = "auto",
          .help = "Field whose length sorts the examples of a window into batches; auto: the model's longest; none."),
    FIELD_BYTES(DataSettings, memory, .preset = "1GiB", .min = 1 << 20, .max = 1e15, .effect = EFFECT_EXTENT,
                .unit = "bytes", .help = "Memory that packed data may take on a rank; a larger split is streamed."),
    FIELD(DataSettings, window, .preset = "64", .min = 1, .max = 1e6, .unit = "batches",
          .help = "Global batches that are shuffled and sorted by length together."),
    FIELD(DataSettings, max_sentences, .preset = "0", .max = 1e9, .unit = "sentences",
          .help = "Sentences that are read of an example, the first ones; 0: all."),
    FIELD(DataSettings, max_words, .preset = "0", .max = 1e9, .unit = "words",
          .help = "Words that are read of a sentence, the first ones; 0: all. Not for sequences that are predicted."),
    FIELD(DataSettings, vectors, .preset = "\"\"", .is_file = true, .effect = EFFECT_EXTENT, /* its digest counts */
          .help =
              "File of pretrained vectors of words, plain, gzip or xz, spelled as in the vocabulary; for models that "
              "start from them."),
    FIELD(DataSettings, vectors_format, .preset = "glove", .choice = vectors_format,
          .help = "What the file of vectors looks like: glove and word2vec are text."),
    FIELD(DataSettings, verify, .preset = "true", .effect = EFFECT_EXTENT,
          .help = "Compare every file of the corpus with its digest before training."),
};

static const char *unit_name(int i) { return (const char *const[]){"examples", "words", NULL}[i]; }

static const Field train_fields[] = {
    FIELD(TrainSettings, batch, .preset = "32", .min = 1, .max = 1e7,
          .help = "Examples of a step, or words (batch_unit), all ranks together."),
    FIELD(TrainSettings, batch_unit, .preset = "examples", .choice = unit_name,
          .help = "examples: a batch has that many. words: as many examples as together have about that many words, of "
                  "the sequences that are predicted with their ends, or else of the text."),
    FIELD(TrainSettings, epochs, .preset = "10", .max = 1e9, .effect = EFFECT_EXTENT, .unit = "epochs",
          .help = "Epochs to train; 0: until steps are done or patience ends."),
    FIELD(TrainSettings, steps, .preset = "0", .max = 1e15, .effect = EFFECT_EXTENT, .unit = "steps",
          .help = "Steps to train; 0: no limit."),
    FIELD(TrainSettings, accumulate, .preset = "1", .min = 1, .max = 1e5, .unit = "batches",
          .help = "Batches whose gradients are added for one step."),
    FIELD(TrainSettings, lanes, .preset = "0", .max = 4096,
          .help =
              "Fixed pieces of the batch whose gradients are added in a fixed tree: the same bits on 1 to that many "
              "ranks; 0: fastest."),
    FIELD(TrainSettings, clip_norm, .preset = "0", .max = 1e9,
          .help = "Largest norm of the whole gradient; 0: not clipped."),
    FIELD(TrainSettings, clip_value, .preset = "0", .max = 1e9,
          .help = "Largest absolute value of an element of the gradient; 0: not clipped."),
    FIELD(TrainSettings, ema, .preset = "0", .max = 0.999999,
          .help = "Decay of a moving average of the parameters that evaluation uses; 0: none."),
    FIELD(TrainSettings, reduce, .preset = "shared", .choice = reduce_name,
          .help = "How gradients are added over ranks."),
    FIELD_BYTES(TrainSettings, bucket, .preset = "4MiB", .min = 4096, .max = 1 << 30, .effect = EFFECT_EXTENT,
                .unit = "bytes", .help = "Piece in which gradients are reduced."),
};

/* How outputs are made for the measures of eval.decode. */
static const char *decode_name(int i) { return (const char *const[]){"none", "greedy", "beam", NULL}[i]; }

static const Field eval_fields[] = {
    FIELD(EvalSettings, split, .preset = "valid", .none = "none",
          .help = "Split that is evaluated while training; none: no evaluation."),
    FIELD(
        EvalSettings, measure, .preset = "auto", .none = "auto",
        .help =
            "Measure that decides which checkpoint is best, of equal ones that with the lower loss, then the earlier; "
            "auto: the task's own."),
    FIELD(EvalSettings, decode, .preset = "none", .choice = decode_name, .effect = EFFECT_EXTENT,
          .help = "What a model of sequences makes by itself is measured too, of all splits but train: exact outputs, "
                  "BLEU, links; with the settings of decode."),
    FIELD(EvalSettings, batch, .preset = "128", .min = 1, .max = 1e6, .effect = EFFECT_EXTENT, .unit = "examples",
          .help = "Examples of an evaluation batch, all ranks together; changes no result."),
    FIELD(EvalSettings, every_epochs, .preset = "1", .max = 1e9, .unit = "epochs",
          .help = "Evaluate after so many epochs; 0: only at the end."),
    FIELD(EvalSettings, greedy, .preset = "100", .max = 1e6, .effect = EFFECT_EXTENT, .unit = "examples",
          .help =
              "First examples of the split whose outputs a model of sequences makes greedily at each evaluation while "
              "training, measured as plain text: greedy/bleu (13a), greedy/chrf; 0: none."),
    FIELD(EvalSettings, shown, .preset = "5", .max = 100, .effect = EFFECT_EXTENT, .unit = "examples",
          .help = "How many of these outputs are shown, in the log, metrics.jsonl, TensorBoard and the report."),
    FIELD(EvalSettings, final, .preset = "[train, valid, test]", .effect = EFFECT_EXTENT,
          .help = "Splits that are evaluated when training ends, those that the corpus has."),
};

static const Field checkpoint_fields[] = {
    FIELD(CheckpointSettings, every_steps, .preset = "0", .max = 1e15, .effect = EFFECT_EXTENT, .unit = "steps",
          .help = "Save after so many steps; 0: not by steps."),
    FIELD(CheckpointSettings, every_epochs, .preset = "1", .max = 1e9, .effect = EFFECT_EXTENT, .unit = "epochs",
          .help = "Save after so many epochs; 0: not by epochs."),
    FIELD_SECONDS(CheckpointSettings, every, .preset = "15min", .max = 1e9, .effect = EFFECT_EXTENT, .unit = "time",
                  .help = "Save when so much time has passed since the last save; 0: not by time."),
    FIELD(CheckpointSettings, keep_last, .preset = "2", .min = 1, .max = 1e6, .effect = EFFECT_EXTENT,
          .help = "Newest checkpoints that are kept."),
    FIELD(CheckpointSettings, keep_best, .preset = "1", .max = 1e6, .effect = EFFECT_EXTENT,
          .help = "Best checkpoints that are kept besides."),
    FIELD(CheckpointSettings, background, .preset = "true", .effect = EFFECT_EXTENT,
          .help = "Write while training goes on."),
};

static const Field log_fields[] = {
    FIELD(LogSettings, every_steps, .preset = "100", .min = 1, .max = 1e12, .effect = EFFECT_EXTENT, .unit = "steps",
          .help = "A line in the metrics after so many steps, and at each epoch."),
    FIELD_SECONDS(LogSettings, every, .preset = "10s", .min = 0.1, .max = 1e6, .effect = EFFECT_EXTENT, .unit = "time",
                  .help = "A progress line after so much time where standard error is no terminal."),
    FIELD_SECONDS(LogSettings, stall, .preset = "5min", .min = 0, .max = 1e6, .effect = EFFECT_EXTENT, .unit = "time",
                  .help = "A rank that is late by so much ends the run with status 76; 0: wait for ever."),
    FIELD(LogSettings, csv, .preset = "true", .effect = EFFECT_EXTENT, .help = "Write metrics.csv."),
    FIELD(LogSettings, tensorboard, .preset = "true", .effect = EFFECT_EXTENT, .help = "Write TensorBoard events."),
    FIELD(LogSettings, histograms, .preset = "false", .effect = EFFECT_EXTENT,
          .help =
              "Write histograms of parameters and of the last gradients to the TensorBoard events at each evaluation."),
    FIELD(LogSettings, report, .preset = "true", .effect = EFFECT_EXTENT, .help = "Write report.html at the end."),
};

static const Section run_section = {"run", "Where the run lives, and its seed.", ROWS(run_fields, RunSettings),
                                    .optional = true};
static const Section data_section = {"data", "The corpus, and how its examples become batches.",
                                     ROWS(data_fields, DataSettings), .optional = true};
static const Section train_section = {"train", "Batches, length of training, clipping.",
                                      ROWS(train_fields, TrainSettings)};
static const Section eval_section = {"eval", "Evaluation while training and at its end.",
                                     ROWS(eval_fields, EvalSettings)};
static const Section checkpoint_section = {"checkpoint", "When the state is saved, and what is kept.",
                                           ROWS(checkpoint_fields, CheckpointSettings)};
static const Section log_section = {"log", "What is recorded and shown.", ROWS(log_fields, LogSettings)};
static const Section model_section = {"model", "The model.", .choice = model_choice, .optional = true};
static const Section task_section = {"task", "What is predicted, and its measures.", .choice = task_choice,
                                     .optional = true};
static const Section optim_section = {"optim", "The optimiser.", .choice = optim_choice, .preset = "adam"};

static const Section *const sections[] = {
    &run_section,   &import_section, &text_section,       &pack_subwords_section,
    &pack_section,  &data_section,   &model_section,      &task_section,
    &train_section, &optim_section,  &schedule_section,   &early_section,
    &eval_section,  &decode_section, &checkpoint_section, &log_section,
    NULL,
};

/* context: set when model.embedding is pretrained, whichever model it is. */
static Status look_for_pretrained(void *context, const ConfigValue *v)
{
    if (strcmp(v->section, "model") == 0 && strcmp(v->key, "embedding") == 0 && strcmp(v->value, "pretrained") == 0)
        *(bool *)context = true;
    return OK;
}

static void check_vectors(const Config *c, ConfigFaults *faults)
{
    const DataSettings *data = config_section(c, "data");
    bool pretrained = false;
    const Status st = config_each(c, look_for_pretrained, &pretrained);
    if (st == OK && pretrained && !data->vectors[0])
        config_fault(faults, "model", "embedding",
                     "embedding is pretrained, but data.vectors names no file of vectors");
}

static void check_outputs(const Config *c, ConfigFaults *faults)
{
    const EvalSettings *eval = config_section(c, "eval");
    const char *model = config_choice(c, "model");
    /* A component of this family is the first member of its definition. */
    const ModelDef *def = model ? (const ModelDef *)(const void *)schema_find(model_choice, model) : NULL;
    if (def && !def->generate && eval->decode != EVAL_NO_DECODE)
        config_fault(faults, "eval", "decode", "decode is %s, but model %s makes no sequences",
                     decode_name((int)eval->decode), model);
    const bool decoded = eval->measure && strncmp(eval->measure, "decoded/", 8) == 0;
    if (decoded && eval->split && strcmp(eval->split, "train") == 0)
        config_fault(faults, "eval", "measure", "measure is %s, but split is train, which is not decoded",
                     eval->measure);
}

/* A task takes one kind of predictions. */
static void check_task(const Config *c, ConfigFaults *faults)
{
    const char *model = config_choice(c, "model"), *task = config_choice(c, "task");
    if (!model || !task) return;
    const ModelDef *def = (const ModelDef *)(const void *)schema_find(model_choice, model);
    const TaskDef *what = task_find(task);
    if (def && what && !(def->predicts & (int)what->kind))
        config_fault(faults, "task", "name", "task %s takes %s, but model %s predicts %s", task,
                     prediction_names((int)what->kind), model, prediction_names(def->predicts));
}

/* --- Dropout between layers, of which there is one --- */

enum { STACKS = 16 };

typedef struct Stacks { /* parts of the model that have layers */
    int n;
    char part[STACKS][96];
    int64_t layers[STACKS]; /* 0: as many as the encoder has */
    double dropout[STACKS];
} Stacks;

static Status look_for_stacks(void *context, const ConfigValue *v)
{
    Stacks *s = context;
    const char *point = strrchr(v->key, '.');
    if (strcmp(v->section, "model") != 0 || !point) return OK;
    const bool layers = strcmp(point, ".layers") == 0, dropout = strcmp(point, ".dropout") == 0;
    const int size = (int)(point - v->key);
    if ((!layers && !dropout) || size >= (int)sizeof s->part[0]) return OK;
    int i = 0;
    while (i < s->n && (strncmp(s->part[i], v->key, (size_t)size) != 0 || s->part[i][size])) i++;
    if (i == STACKS) return OK;
    if (i == s->n) snprintf(s->part[s->n++], sizeof s->part[i], "%.*s", size, v->key);
    if (layers) s->layers[i] = strtoll(v->value, NULL, 10);
    if (dropout) s->dropout[i] = strtod(v->value, NULL);
    return OK;
}

static void check_dropout(const Config *c, ConfigFaults *faults)
{
    Stacks s = {0};
    int64_t encoder = 0;
    if (config_each(c, look_for_stacks, &s) != OK) return;
    for (int i = 0; i < s.n; i++)
        if (strcmp(s.part[i], "encoder") == 0) encoder = s.layers[i];
    for (int i = 0; i < s.n; i++) {
        char key[112];
        if (s.dropout[i] <= 0 || (s.layers[i] ? s.layers[i] : encoder) != 1) continue;
        snprintf(key, sizeof key, "%s.dropout", s.part[i]);
        config_fault(faults, "model", key,
                     "%g is dropped between layers, but there is one layer: it would do nothing; set it to 0, or see "
                     "dropout_state and model.dropout_embedding",
                     s.dropout[i]);
    }
}

/* --- Names of measures and splits, as far as they are known without a corpus --- */

/* All measures of a task but those of single classes and groups, which have a slash. */
static Status name_measures(const TaskDef *task, Arena *arena, Measures *out)
{
    MetricSet *set;
    Counts *counts;
    const MetricShape shape = {.classes = 2, .groups = 1, .unknown = -1, .links = true};
    TRY_NEW(set, arena, 1);
    TRY(metric_open(set, arena, &shape, task->metrics, NULL));
    TRY(counts_open(&counts, arena, set->counters));
    return metric_report(set, counts, out);
}

static void check_measure(ConfigFaults *faults, const Measures *all, const char *task, const char *section,
                          const char *name)
{
    if (!name || strchr(name, '/') || measures_find(all, name)) return;
    const char *near = measures_nearest(all, name);
    config_fault(faults, section, "measure", "task %s has no measure %s%s%s%s", task, name,
                 near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

static void check_measures(const Config *c, ConfigFaults *faults)
{
    const EvalSettings *eval = config_section(c, "eval");
    const EarlySettings *early = config_section(c, "early");
    const char *name = config_choice(c, "task");
    const TaskDef *task = name ? task_find(name) : NULL;
    const Chosen schedule = config_chosen(c, "schedule");
    const ScheduleDef *def = (const ScheduleDef *)(const void *)schedule.def;
    Arena arena = {0};
    Measures all = {0};
    if (!task || name_measures(task, &arena, &all) != OK) {
        arena_close(&arena);
        return;
    }
    check_measure(faults, &all, name, "eval", eval->measure);
    check_measure(faults, &all, name, "early", early->measure);
    if (def && def->watches) check_measure(faults, &all, name, "schedule", def->watches(schedule.settings));
    arena_close(&arena);
}

/* A corpus may have splits of other names, "test2": what begins with a usual one is for the corpus to know. */
static void check_split(ConfigFaults *faults, const char *key, const char *name)
{
    static const char *const usual[] = {"train", "valid", "test"};
    for (int i = 0; i < COUNT(usual); i++)
        if (strncmp(name, usual[i], strlen(usual[i])) == 0) return;
    const char *near = config_nearest(name, usual, COUNT(usual));
    if (near) config_fault(faults, "eval", key, "%s is no split; did you mean %s?", name, near);
}

static void check_splits(const Config *c, ConfigFaults *faults)
{
    const EvalSettings *eval = config_section(c, "eval");
    if (eval->split) check_split(faults, "split", eval->split);
    for (int i = 0; i < eval->final.n; i++) check_split(faults, "final", eval->final.item[i]);
}

static void check(const Config *c, ConfigFaults *faults)
{
    const TrainSettings *train = config_section(c, "train");
    if (train->epochs == 0 && train->steps == 0)
        config_fault(faults, "train", "epochs", "epochs and steps are both 0: training would never end");
    const bool by_words = train->batch_unit == BATCH_WORDS;
    if (by_words && !config_given(c, "train", "batch"))
        config_fault(faults, "train", "batch_unit", "batch_unit is words, but batch does not say how many");
    if (train->lanes > 0 && !by_words && train->batch % train->lanes != 0)
        config_fault(faults, "train", "lanes", "lanes is %lld, which does not divide train.batch = %lld",
                     (long long)train->lanes, (long long)train->batch);
    if (train->lanes > 0 && train->accumulate > 1)
        config_fault(faults, "train", "accumulate",
                     "accumulate goes without lanes: a larger batch with more lanes is the same");
    const TextSettings *text = config_section(c, "text");
    if (text->truecase && text->lowercase)
        config_fault(faults, "text", "truecase", "truecase goes without lowercase, which leaves no case to learn from");
    check_vectors(c, faults);
    decode_check(c, faults);
    check_outputs(c, faults);
    check_task(c, faults);
    check_dropout(c, faults);
    check_measures(c, faults);
    check_splits(c, faults);
}

/* Of the program, its tests and its scripts. */
static const char *const variables[] = {"MNEME_DATA",       "MNEME_PEER",        "MNEME_PAGES", "MNEME_KERNELS",
                                        "MNEME_BLAS_CHECK", "MNEME_BLAS_CHOSEN", NULL};

const ConfigTable settings_table = {sections, check, variables};
