/* axis.h - what the rows or the columns of a view of attention are. */
#ifndef IO_ATTENTION_AXIS_H
#define IO_ATTENTION_AXIS_H

typedef enum AxisUnit {
    AXIS_NONE,      /* one row: all places belong together */
    AXIS_WORDS,     /* of a field */
    AXIS_SENTENCES, /* of a field */
    AXIS_SLOTS,     /* of a memory; of a field: its sentences or, where it has none, its words or cells */
    AXIS_CELLS,     /* of a field that is a grid: of a picture, row by row */
    AXIS_TURNS,     /* of a talk; of a field: its sentences */
    AXIS_HEADS,     /* that look at the same time */
    AXIS_STEPS      /* of a computation, that look one after the other: hops, glimpses, reads and writes */
} AxisUnit;

#endif
