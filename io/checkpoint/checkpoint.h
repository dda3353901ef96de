/* checkpoint.h - all that a run needs to go on as if it had never stopped, in one HDF5 file.
 *
 * The trainer registers its buffers and its states once, and the same registration serves saving and loading: what is
 * saved cannot be forgotten when it is loaded. The pointers are borrowed for the call.
 *
 * Layout (format 1), each dataset chunked, with fletcher32 and its XXH3 128 as the attribute `xxh3`:
 *   /                       attributes: format "mneme-checkpoint", version, program, model, vocabulary, step, precision
 *                           (4 or 8 bytes a number), environment, digest (of all parameters, buffers and states);
 *                           what it was trained on: corpus (digest), examples of train, vectors (digest of the file);
 *                           metric and loss (text; left out: none), higher (1: a higher metric is better),
 *                           best_from (metrics of earlier steps do not count: the model has changed what it computes)
 *   /config                 bytes of the effective configuration, YAML
 *   /parameters/word/gru/W  one dataset a parameter, in its shape; attribute `meaning`
 *   /optimizer/adam_m/...   the other buffers in the same groups: optimiser states, running means
 *   /state/schedule/best    int64 or float64 lists, or bytes of text (attribute `kind`: int, real, text)
 * The file holds no times and no host of its own: the same training gives the same `digest`, and but for the
 * environment the same bytes.
 *
 * Read it with h5py:
 *     import h5py
 *     f = h5py.File("step-000001234.h5", "r")
 *     print(f.attrs["model"], f.attrs["step"], bytes(f["config"])[:-1].decode())  # texts end in a 0 byte
 *     f["parameters"].visititems(lambda name, d: print(name, getattr(d, "shape", ""), d.attrs.get("meaning", "")))
 *     W = f["parameters/word/gru/W"][...] */
#ifndef IO_CHECKPOINT_CHECKPOINT_H
#define IO_CHECKPOINT_CHECKPOINT_H
#include <stdint.h>

#include "comm/arena.h"
#include "io/file/hash.h"

enum { CHECKPOINT_VERSION = 1, CHECKPOINT_AXES = 4 };

typedef struct CheckpointParam {
    const char *name, *meaning; /* path "word/gru/forward/W"; meaning may be NULL */
    int rank;                   /* 1 to CHECKPOINT_AXES */
    int64_t shape[CHECKPOINT_AXES];
    int64_t offset, count; /* in each flat buffer, in numbers */
} CheckpointParam;

typedef struct CheckpointBuffer {
    const char *name; /* "parameters", "optimizer/adam_m", "mean" */
    void *data;
    bool optional; /* loading: may be missing in the file */
    bool found;    /* loading: was there */
} CheckpointBuffer;

typedef enum CheckpointKind { CHECKPOINT_INT, CHECKPOINT_REAL, CHECKPOINT_TEXT } CheckpointKind;

typedef struct CheckpointState {
    const char *name;
    CheckpointKind kind;
    int64_t n;  /* values of a list */
    void *data; /* int64_t *, double *, or const char ** */
    bool optional, found;
    int64_t least, most; /* of integers that are loaded */
} CheckpointState;

/* What a training stands on besides its configuration; NULL and -1: not said. */
typedef struct CheckpointSource {
    const char *corpus, *vectors; /* digests */
    int64_t examples;             /* that it learns from */
} CheckpointSource;

typedef struct Checkpoint {
    Arena *arena;                                           /* of the lists below, and of texts that are loaded */
    const char *model, *program, *vocabulary, *environment; /* loading: NULL is not compared */
    const char *config;                                     /* YAML text; not read by checkpoint_load */
    CheckpointSource source;                                /* loading: set from the file */
    double metric, loss;                                    /* how good it is; NaN: not measured. Not loaded */
    bool higher;                                            /* a higher metric is better */
    int64_t best_from;                                      /* metrics of earlier steps do not count */
    int64_t step;                                           /* loading: set from the file */
    int width;                                              /* 4: float, 8: double */
    int n_params, n_buffers, n_states;
    CheckpointParam *param;
    CheckpointBuffer *buffer;
    CheckpointState *state;
    int room_params, room_buffers, room_states;
} Checkpoint;

/* --- Registering. Names are borrowed as long as the Checkpoint is used. --- */
void checkpoint_begin(Checkpoint *c, Arena *arena, const char *model, int width);
NODISCARD Status checkpoint_param(Checkpoint *c, const CheckpointParam *p);
/* Flat buffer of all parameters, laid out by offset and count. The first one is named "parameters". */
NODISCARD Status checkpoint_buffer(Checkpoint *c, const char *name, void *data, bool optional);
NODISCARD Status checkpoint_int(Checkpoint *c, const char *name, int64_t *value, int64_t n, bool optional);
/* Of the integers registered last: the smallest and the largest that a file may hold. */
void checkpoint_range(Checkpoint *c, int64_t least, int64_t most);
NODISCARD Status checkpoint_real(Checkpoint *c, const char *name, double *value, int64_t n, bool optional);
NODISCARD Status checkpoint_text(Checkpoint *c, const char *name, const char **value, bool optional);

/* --- Writing --- */
/* ERR_CHECK when a parameter or a buffer holds a number that is not finite: such a state is never saved. States may
 * (a best measure that is not there yet is an infinity). */
NODISCARD Status checkpoint_check_finite(const Checkpoint *c);
/* The whole file as bytes, after that check. name is used in messages. Memory that image has is used again, what was in
 * it is lost. digest: of the content, as in the file's attribute. */
NODISCARD Status checkpoint_image(const Checkpoint *c, const char *name, Buffer *image, char digest[HASH_HEX]);
int64_t checkpoint_bytes(const Checkpoint *c); /* about what the file will take, never less */

/* --- Reading --- */
typedef struct CheckpointHead {
    const char *model, *program, *vocabulary, *environment, *config, *digest;
    CheckpointSource source;
    int64_t step;
    int width;
    double metric, loss;
    bool higher;
    int64_t best_from;
} CheckpointHead;
/* What the file says about itself, before there is a model to load it into. */
NODISCARD Status checkpoint_head(const char *path, Arena *arena, CheckpointHead *head);

typedef enum CheckpointUse {
    CHECKPOINT_RESUME = 0,  /* all that is registered */
    CHECKPOINT_CONVERT = 1, /* allow the other precision: float <-> double */
    CHECKPOINT_MODEL = 2,   /* only the buffers: to evaluate or to predict. States are left alone */
} CheckpointUse;
/* Fill the registered buffers and states. ERR_DATA, naming file and object, for another model, vocabulary, shape,
 * precision, a newer format, damage, or numbers that are not finite; then nothing in c is to be used. */
NODISCARD Status checkpoint_load(const char *path, Checkpoint *c, int use);
/* Read and check every byte, expecting nothing. ERR_DATA: damaged. ERR_CONFIG: whole, but of a newer format. */
NODISCARD Status checkpoint_verify(const char *path);
/* What the file holds, as text for a person: head, parameters, buffers, states. Verifies it on the way. */
NODISCARD Status checkpoint_inspect(const char *path, Buffer *text);

#endif
