/* memory.h - what an encoder leaves and a decoder looks at: states, one or more for each thing that was read. */
#ifndef TRAINER_GENERATE_MEMORY_H
#define TRAINER_GENERATE_MEMORY_H
#include "trainer/layer/rnn.h"

/* What is known of a memory before there is one. */
typedef struct MemoryShape {
    int64_t width;   /* of a state */
    int64_t longest; /* most states of an example */
    int64_t layers;  /* recurrent layers that leave a last state; 0: the encoder is not recurrent, there is no `last` */
    int64_t hidden;  /* width of a last state, of each direction */
    int directions;
    bool reversed; /* its one direction ends at the first thing that was read */
    Cell cell;     /* of these layers; def NULL: there are none */
} MemoryShape;

typedef struct Memory {
    int64_t n;           /* examples */
    Node *states;        /* (N, width); NULL: nothing was read (a model of language) */
    Segments seq;        /* rows of states of each example */
    const RnnLast *last; /* (layers) each (n, directions * hidden); NULL: there are none */
    const uint64_t *key; /* (n) keys of the examples' random numbers; NULL when none are drawn */
} Memory;

#endif
