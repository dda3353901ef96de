/* lanes_parts.h - what lanes.c (the tree, this rank's part of it) and lanes_finish.c (the ranks) share. */
#ifndef TRAINER_PARALLEL_LANES_PARTS_H
#define TRAINER_PARALLEL_LANES_PARTS_H
#include "trainer/parallel/lanes.h"

enum { LANES_LEVELS = 32, LANES_STACK = 2 * LANES_LEVELS };

/* The sum of the lanes begin ... begin + 2^level - 1, as far as there are so many. */
typedef struct LaneNode {
    int64_t begin;
    int level;
    real *dense;
    ParamRows *rows; /* (tables) */
} LaneNode;

/* left and right are neighbours: left becomes their sum. */
typedef Status (*LanesAdd)(Lanes *l, LaneNode *left, const LaneNode *right);

struct Lanes {
    Comm *comm;
    Params *params;
    int64_t lanes, from, to, next; /* next lane to be added */
    Arena buffers;                 /* dense partial sums and messages, for the whole run */
    Arena memory;                  /* rows, of one step */
    int n_tables, n_stack, n_buffers;
    Param **table;     /* (n_tables) gradients kept as rows */
    ParamRows *result; /* (n_tables) what lanes_finish leaves in the params */
    LaneNode stack[LANES_STACK];
    real *buffer[LANES_STACK];      /* (n_buffers) of params->dense elements */
    int n_nodes;                    /* of all ranks */
    int *nodes_of;                  /* (ranks) how many each has at the end */
    LaneNode *node;                 /* (n_nodes) of all ranks, ascending: begin and level are filled in at the start */
    LaneNode *work;                 /* (n_nodes) */
    real *sent, *got;               /* dense messages of one segment */
    int64_t count;                  /* elements that lanes_add_dense adds */
    size_t *bytes_sent, *bytes_got; /* (ranks) */
};

enum { LANES_SEGMENT = 1 << 18 }; /* elements of the dense gradient that travel at once */

int64_t lanes_first(int64_t lanes, int rank, int ranks); /* of that rank's lanes */
/* Node n of the list stack has just come behind the others: add it to its neighbours as far as they are there. Returns
 * how many nodes are left; add may be NULL. */
NODISCARD Status lanes_settle(Lanes *l, LaneNode *stack, int *n, LanesAdd add);
NODISCARD Status lanes_add_dense(Lanes *l, LaneNode *left, const LaneNode *right); /* l->count elements */
/* Rows of both, left first; memory from l->memory. */
NODISCARD Status lanes_add_rows(Lanes *l, LaneNode *left, const LaneNode *right);

#endif
