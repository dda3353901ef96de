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

enum { MODEL_NEEDS = BATCH_FIELDS };

/* A field that the model reads from each batch, as in field.h. */
typedef struct ModelNeed {
    Role role, of; /* of: the role of the field that it belongs to; ROLE_NONE: it stands alone */
    int levels;
    FieldType type;
    bool optional; /* the corpus may lack it */
    const char *meaning;
} ModelNeed;

/* What the corpus says of a field that the model reads, over all splits. */
typedef struct ModelField {
    Role role, of;
    int levels;
    int64_t words;                  /* size of its vocabulary, special ids included; 0: it has none */
    int64_t longest[RAGGED_LEVELS]; /* most units of level l + 1 in one of level l, as the caps of section data leave */
    int64_t width;                  /* of floats */
} ModelField;

/* Numbers and names that a model takes from the corpus. All pointers are borrowed for the life of the model. */
typedef struct ModelData {
    int n_fields;
    ModelField field[MODEL_NEEDS]; /* those of its needs that the corpus has */
    bool shared;                   /* input and target have one vocabulary */
    const int32_t *answer_word;    /* (words of the target) id of the input's word that equals it, or -1; NULL: none */
    const float *vectors;     /* (words of the input, vector_width) pretrained, needed by model_init alone, or NULL */
    const bool *vector_known; /* (words) false: the row keeps its drawn value; NULL: all are known */
    int64_t vector_width;
    PredictionKind kind; /* what is asked of the model; 0: the first kind that it predicts */
} ModelData;

/* What is known of the field of that role (belonging to the one of role `of`); all 0 when it is not there. */
const ModelField *model_field(const ModelData *d, Role role, Role of);
int64_t model_words(const ModelData *d, Role role); /* words of its vocabulary; 0: none */
/* Most values of a unit of the level before the last, of any field: words of a sentence, characters of a word. */
int64_t model_longest(const ModelData *d);

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
    const ModelNeed *needs; /* the main one first: what is read, whose length costs most */
    int n_needs;
    int (*needs_of)(const void *settings, const ModelNeed **needs); /* when they depend on settings; else NULL */
    int predicts; /* kinds of predictions that its numbers may be read as */
    int n_memory; /* numbers that a checkpoint keeps besides the parameters */
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
    const void *settings;  /* the component's struct */
    PredictionKind kind;   /* of its predictions */
    const ModelNeed *need; /* (n_needs) */
    int n_needs;
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

/* Returns the number of needs of a model with these settings. */
int model_needs(const ModelDef *def, const void *settings, const ModelNeed **needs);
/* The field that a need asks for, or NULL: of a batch, of a corpus. */
const Ragged *model_read(const ModelNeed *need, const Batch *b);
const DataField *model_find(const ModelNeed *need, int n, const DataField *fields);
/* Does the corpus hold what the model reads? The message names the corpus's fields. where: the corpus's name. */
NODISCARD Status model_check_fields(const ModelDef *def, const void *settings, int n, const DataField *fields,
                                    const char *where);

#endif
