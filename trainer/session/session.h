/* session.h - a corpus and a model that belong together: what training, evaluation and prediction stand on. */
#ifndef TRAINER_SESSION_SESSION_H
#define TRAINER_SESSION_SESSION_H
#include "comm/watchdog.h"
#include "io/corpus/loader.h"
#include "trainer/model/model.h"
#include "trainer/session/settings.h"
#include "trainer/task/task.h"

typedef struct Session {
    Comm *comm;
    Arena *run;
    Arena step; /* memory of one training step or one evaluation batch */
    const Config *config;
    Corpus *corpus;
    const char *bucket;  /* field whose length sorts a window, NULL: none */
    const char *words;   /* field whose words are counted where batches are so many words */
    int64_t extra_words; /* that each example counts besides */
    ModelData data;
    Params params;
    Model *model;
    Task *task;
    uint64_t seed;
    Watchdog *watchdog; /* of comm; NULL: none */
} Session;

/* [collective] Open the corpus of the configuration and build the model; its parameters are 0. */
NODISCARD Status session_open(Session *s, Comm *comm, Arena *run, const Config *config, uint64_t seed);
/* [collective] The initial values. Not when they come from a checkpoint: drawing them takes its time. */
NODISCARD Status session_begin(Session *s);
/* [collective] When the model is built: memory for its parameters, gradients where the ranks add them best. */
NODISCARD Status session_allocate(Session *s);
void session_close(Session *s);

/* How this rank reads a split once, in the corpus's order and its caps, sharing each batch with the other ranks. */
LoaderOptions session_reading(const Session *s, const char *split, int64_t batch);

/* Sections that a command cannot do without: ERR_CONFIG names the first that is missing. */
NODISCARD Status session_require(const Config *config, int n, const char *const *sections);

#endif
