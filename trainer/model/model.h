/* model.h - a model as the training loop sees it: parameters, and a prediction from a batch.
 *
 * A model is one file and one line in the table of model.c. Order of calls: model_build declares the parameters,
 * params_allocate lays them out, model_init fills what is not drawn (pretrained vectors), then model_forward for each
 * batch. What a model knows of the corpus are the numbers in ModelData, so it can be built without one. */
#ifndef TRAINER_MODEL_MODEL_H
#define TRAINER_MODEL_MODEL_H
#include "io/config/schema.h"
#include "io/corpus/corpus.h"
#include "trainer/core/tape.h"
#include "trainer/generate/generate.h"
#include "trainer/model/prediction.h"

typedef struct Model Model;
typedef struct ModelDef ModelDef;

/* Numbers and names that a model takes from the corpus. All pointers are borrowed for the life of the model. */
typedef struct ModelData {
    int64_t words;              /* size of the vocabulary of words, special ones included */
    int64_t labels;             /* size of the vocabulary of labels or answers, or of the target's words */
    bool shared;                /* words and labels are one vocabulary */
    int64_t characters;         /* size of the vocabulary `characters`; 0: there is none */
    int64_t longest_units;      /* most sentences of a document or story, over all splits */
    int64_t longest_words;      /* most words of a sentence, over all splits */
    const int32_t *answer_word; /* (labels) id of the word that equals the label, or -1; NULL: no label is a word */
    const float *vectors;       /* (words, vector_width) pretrained, needed by model_init alone; NULL: none */
    const bool *vector_known;   /* (words) false: the row keeps its drawn value; NULL: all are known */
    int64_t vector_width;
    PredictionKind kind; /* what is asked of the model; 0: the first kind that it predicts */
} ModelData;

/* A field that the model reads from each batch. */
typedef struct ModelNeed {
    const char *field;
    int levels; /* as in batch.h */
    const char *meaning;
} ModelNeed;

/* How a model makes sequences, for search and sampling. */
typedef struct ModelGenerate {
    /* Reads the batch (no target is there). All memory, for all steps, comes from t->arena. */
    Status (*open)(Model *m, Tape *t, const Batch *b, int64_t rows, Generation *out);
    Status (*step)(void *state, const GenerateStep *s, GenerateOut *out);
    /* The unknown words in finished outputs (B) of the same batch, as far as it can say; NULL: it spells none. */
    Status (*spell)(Model *m, Tape *t, const Batch *b, const GenerateWords *words, GenerateSpelled *out);
} ModelGenerate;

struct ModelDef {
    Component component;    /* first: the family's table is one of components */
    const ModelNeed *needs; /* the main one first: its vocabulary is the model's words, its length costs most */
    int n_needs;
    const char *target; /* the field with the label of each example, levels 0 */
    int predicts;       /* kinds of predictions that its numbers may be read as */
    int n_memory;       /* numbers that a checkpoint keeps besides the parameters */
    Status (*build)(Model *m);
    Status (*init)(Model *m); /* may be NULL */
    void (*forward)(Model *m, Tape *t, const Batch *b, Prediction *out);
    /* After a validation; loss is the mean validation loss. True when the model changed what it computes, so that
     * the best loss so far does not count any more. May be NULL. */
    bool (*on_validation)(Model *m, int64_t epoch, double loss);
    const ModelGenerate *generate; /* how it makes sequences; NULL: it makes none */
    /* A small experiment, by which the tests of the family try it: sections source, model and task of a configuration;
     * the files that it names are those of the importer's sample. */
    const char *tiny;
};

struct Model {
    const ModelDef *def;
    const void *settings; /* the component's struct */
    PredictionKind kind;  /* of its predictions */
    ModelData data;
    Params *params;
    Arena *run;
    void *state;                    /* the model's own */
    double *memory;                 /* (def->n_memory) part of a checkpoint; starts as build leaves it */
    int64_t most_units, most_words; /* of an input, where each place has parameters (score location), as build leaves
                                       them: sentences of a document, words of a sentence; 0: any number */
    int64_t pretrained; /* width of the vectors that model_init wants in data, as build leaves it; 0: none */
};

const Component *model_choice(int i); /* the family: NULL after the last */

/* Declares the parameters in ps. ERR_CONFIG or ERR_DATA when settings and data do not go together. */
NODISCARD Status model_build(Model **out, Arena *run, Params *ps, const Component *c, const void *settings,
                             const ModelData *data);
/* After params_allocate, and not when values come from a checkpoint: what is not drawn at random. */
NODISCARD Status model_init(Model *m);
void model_forward(Model *m, Tape *t, const Batch *b, Prediction *out);
bool model_validated(Model *m, int64_t epoch, double loss); /* calls on_validation where there is one */

/* Does the corpus hold what the model reads? The message names the corpus's fields. where: the corpus's name. */
NODISCARD Status model_check_fields(const ModelDef *def, int n, const DataField *fields, const char *where);

#endif
