/* params.h - what is learnt. All values lie in one flat buffer, all gradients in another, each optimiser state in
 * another, in the order in which backward finishes them (the reverse order of declaration).
 *
 * A model declares its parameters with param_add, in the order of use; params_allocate lays them out and draws the
 * initial values. The gradient of a table of embeddings may be kept as rows (as_rows): then the rows lie in the step's
 * arena. Such tables, then frozen parameters, lie behind all others and have no part of the flat gradient buffer: their
 * grad is NULL, so that reducing is one run over [0, dense), clipping and updating are one over [0, learnt), and one
 * walk over the rows. Between learnt and dense lie moving averages: no gradient, but a sum that travels like one. */
#ifndef TRAINER_CORE_PARAMS_H
#define TRAINER_CORE_PARAMS_H
#include "comm/arena.h"
#include "trainer/core/real.h"

typedef struct Shape {
    int n;
    int64_t d[4];
} Shape;

#define SHAPE1(a)       ((Shape){1, {(a)}})
#define SHAPE2(a, b)    ((Shape){2, {(a), (b)}})
#define SHAPE3(a, b, c) ((Shape){3, {(a), (b), (c)}})
int64_t shape_count(const Shape *s);

typedef enum ParamInit {
    INIT_ZERO,
    INIT_CONSTANT,   /* scale everywhere */
    INIT_UNIFORM,    /* [-scale, scale) */
    INIT_NORMAL,     /* mean 0, standard deviation scale */
    INIT_XAVIER,     /* Glorot 2010: uniform, sqrt(6 / (rows + columns)) * scale, of the last two dimensions */
    INIT_ORTHOGONAL, /* Saxe 2014: rows or columns orthonormal, of square blocks of the last two dimensions, * scale */
} ParamInit;

typedef struct ParamRows { /* the gradient of some rows of a table */
    int64_t n;
    const int32_t *row;     /* (n) ascending, each once */
    real *grad;             /* (n, D) */
    struct ParamRows *next; /* another use of the table in the same step */
} ParamRows;

typedef struct Param {
    const char *name;    /* path, e.g. "word/gru/forward/W": groups of a checkpoint */
    const char *meaning; /* e.g. "input to gates: rows are inputs, columns are gates r z n" */
    Shape shape;
    ParamInit init;
    double scale;
    bool as_rows;          /* gradient kept as rows */
    bool frozen;           /* no gradient, no update */
    double average;        /* above 0: a moving average that follows its grad at this rate (param_average) */
    bool zero_row;         /* row 0 (padding) stays zero and gets no gradient */
    int64_t offset, count; /* in the flat buffers */
    real *value, *grad;
    ParamRows *rows; /* of this step; NULL when none */
    /* An optimiser may put off the update of rows that get no gradient, until they are read. It does so only for tables
     * of which the model says that every reader calls param_refresh first. */
    bool looked_up;
    void (*refresh)(void *optimiser, struct Param *p, int64_t n, const int32_t *row); /* NULL: nothing is put off */
    void *refresh_context;
} Param;

typedef struct Params {
    Arena *arena;
    Param **item; /* in order of declaration */
    int n, capacity;
    int64_t count;      /* of all values */
    int64_t learnt;     /* of those that are learnt from a dense gradient: they come first */
    int64_t dense;      /* of these and the averages: what the gradient buffer holds */
    real *value, *grad; /* value (count); grad (dense + PARAMS_EXTRA), the extra ones for sync_gradients */
} Params;

enum { PARAMS_EXTRA = 8 };

NODISCARD Status param_add(Param **out, Params *ps, const char *name, Shape shape, ParamInit init, double scale);
/* A number that follows a mean of the training, as a baseline does: in each training pass the model adds to p->grad a
 * sum over its examples (or over the words of its targets, whichever the task's loss is a sum over); the trainer
 * divides by how many there are on all ranks, and then p += rate (mean - p). No part of norm, optimiser and weight
 * decay. */
NODISCARD Status param_average(Param **out, Params *ps, const char *name, Shape shape, double initial, double rate);
/* Find each one's place; grad may then be set to memory of the caller's: dense + PARAMS_EXTRA zeros. */
void params_place(Params *ps);
NODISCARD Status params_lay_out(Params *ps); /* and memory: all values 0 */
/* Initial values: a function of (seed, name of the parameter) alone. */
NODISCARD Status params_draw(Params *ps, uint64_t seed);
NODISCARD Status params_allocate(Params *ps, uint64_t seed); /* both */
Param *params_find(const Params *ps, const char *name);
/* Call before reading these rows of a table with looked_up (row NULL: all of them). */
void param_refresh(Param *p, int64_t n, const int32_t *row);
/* The averages move towards the means in grad. ERR_CHECK when one of these is not finite; then nothing moves. */
NODISCARD Status params_move_averages(Params *ps);
void params_zero_grad(Params *ps); /* dense gradients to 0, rows forgotten */
/* The rows of all uses in one step joined into one list, sorted, each row once, summed in the order of the uses;
 * memory from arena. Afterwards p->rows has no next. */
NODISCARD Status param_merge_rows(Param *p, Arena *arena);

#endif
