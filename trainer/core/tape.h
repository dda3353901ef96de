/* tape.h - reverse-mode differentiation.
 *
 * An op runs at once and leaves a node on the tape; tape_backward walks the nodes back. Errors stick: a failed op marks
 * the tape, later ops do nothing and return a node of no elements, tape_status tells at the end. So code that builds a
 * model needs no checks. All memory comes from the step's arena. A node's gradient exists once someone asks for it
 * with node_grad; an op's backward runs only when its output got one. */
#ifndef TRAINER_CORE_TAPE_H
#define TRAINER_CORE_TAPE_H
#include "comm/random.h"
#include "io/attention/axis.h"
#include "io/batch/field.h"
#include "trainer/core/params.h"

enum { NODE_INPUTS = 8 };

typedef struct Node Node;
typedef struct Tape Tape;

typedef struct OpDef {
    const char *name;
    void (*backward)(Tape *t, Node *y); /* adds to the gradients of y->in; y->grad is there */
} OpDef;

struct Node {
    const OpDef *op;   /* NULL: a leaf */
    const char *label; /* where in the model, for messages; may be NULL */
    Shape shape;
    real *value;
    real *grad;      /* NULL until node_grad */
    bool owes;       /* there is a gradient that lies in data, beside grad or instead of it: backward runs */
    bool needs_grad; /* a parameter or watched leaf lies below */
    Param *param;    /* a leaf that is a parameter */
    Node *in[NODE_INPUTS];
    int n_in;
    void *data;   /* what forward keeps for backward */
    Node *before; /* the node made just before */
};

/* Rows [offset[i], offset[i+1]) belong to segment i: words of a sentence, sentences of a document. */
typedef struct Segments {
    int64_t n;
    const int64_t *offset; /* (n + 1), ascending from 0 */
} Segments;

/* What the rows or columns of a view are, and of which field of the examples. */
typedef struct TapeAxis {
    AxisUnit unit;
    Role role;        /* of the field; ROLE_NONE: of none */
    bool by_sentence; /* words: a query for each sentence, which sees its words alone */
    int64_t width;    /* cells: of the grid; 0: as near to a square as may be */
} TapeAxis;

/* Weights that an attention gave, for those who want to look. */
typedef struct TapeView {
    const char *name;       /* "word", "sentence", "story" */
    int layer, head, hop;   /* from 0 */
    TapeAxis rows, columns; /* of an example: its queries, its keys */
    const Node *weight;     /* (rows of the keys) or (rows, K): K heads */
    Segments keys;          /* one segment a query */
    struct TapeView *next;
} TapeView;

/* Vectors of words, one row for each place, as a leaf whose gradient is wanted: what the output hangs on. */
typedef struct TapeInput {
    const int32_t *id; /* the words, as in tape->wanted */
    const Node *x;     /* (n,D); its grad is there after backward */
    struct TapeInput *next;
} TapeInput;

struct Tape {
    Arena *arena;
    Status status;
    Node *last;
    bool train;          /* dropout and noise are on */
    bool watch;          /* attention views are kept */
    uint64_t seed, step; /* of the random numbers */
    uint32_t uses;       /* random uses so far in this pass: each gets a key of its own */
    TapeView *views;
    /* Words (the batch's own arrays of ids, n_wanted of them) whose vectors' gradients are wanted: each place has a row
     * of its own then, and parameters get no gradient. */
    int n_wanted;
    const int32_t *const *wanted;
    TapeInput *inputs; /* a word may have several vectors, of several tables */
};

Tape tape_begin(Arena *arena);
NODISCARD Status tape_status(const Tape *t);
void tape_fail(Tape *t, Status st); /* called by ops; the report is already there */

/* A leaf over the caller's memory. grad may be NULL: no gradient wanted. */
Node *tape_leaf(Tape *t, Shape shape, real *value, real *grad);
/* The parameter as a leaf; the same node for each use is not needed. Its grad is the flat gradient buffer's part,
 * unless as_rows or frozen. */
Node *tape_param(Tape *t, Param *p);
/* For ops: a node of that shape with memory for its value (not zeroed) and inputs in[]; never NULL. When *ok* is false
 * (the tape failed, now or before) the op must return it as it is. */
Node *tape_node(Tape *t, const OpDef *op, Shape shape, int n_in, Node *const *in, bool *ok);
void *tape_alloc(Tape *t, size_t bytes); /* step memory for data; NULL marks the tape */
real *node_grad(Tape *t, Node *n);       /* zeroed at the first call; NULL when the node needs none (or no memory) */
RandomKey tape_random(Tape *t, RandomUse use); /* a fresh key of this seed, step and place in the pass */

/* d loss / d loss = scale (1 unless the loss is a part of a larger sum); walks back. loss has one element. */
NODISCARD Status tape_backward(Tape *t, Node *loss, real scale);
/* The first node in the order of making whose value (or, after backward, gradient) is not finite; NULL when all are. */
const Node *tape_first_nonfinite(const Tape *t);
void tape_view(Tape *t, const TapeView *v); /* copied */
bool tape_wants(const Tape *t, const int32_t *id);

#endif
