/* encoder.h - encoders: from what an example gives to read to a memory of states.
 *
 * An encoder is one file and one line in the table of encoder.c. It gets rows of vectors, those of words or rows of
 * numbers as they are in the corpus. The states of an example are a function of that example alone, bit for bit. */
#ifndef TRAINER_GENERATE_ENCODER_ENCODER_H
#define TRAINER_GENERATE_ENCODER_ENCODER_H
#include "io/config/schema.h"
#include "trainer/generate/memory.h"

typedef enum EncoderReads { ENCODER_WORDS, ENCODER_FEATURES } EncoderReads;

typedef struct EncoderDef EncoderDef;

typedef struct Encoder {
    const EncoderDef *def;
    const void *settings; /* the component's struct */
    int64_t input;        /* width of what it reads */
    MemoryShape memory;   /* as build leaves it; `longest` is given */
    void *own;
} Encoder;

typedef struct EncoderInput {
    Node *x;              /* (U,input) row p of the N = seq.offset[seq.n] that are read is x[index[p]]; */
    const int32_t *index; /* NULL: x[p], U = N. Borrowed until the tape ends, as seq and key are */
    Segments seq;
    const uint64_t *key; /* (seq.n) of the examples' random numbers; NULL when the tape does not train */
} EncoderInput;

struct EncoderDef {
    Component component; /* first: the family's table is one of components */
    EncoderReads reads;
    Status (*build)(Encoder *e, Params *ps, const char *path);
    Status (*forward)(const Encoder *e, Tape *t, const EncoderInput *in, Memory *out); /* states and last */
};

const Component *encoder_choice(int i); /* the family: NULL after the last */

/* Parameters path/...; longest: most rows of an example. */
NODISCARD Status encoder_build(Encoder *e, Params *ps, const char *path, Chosen chosen, int64_t input, int64_t longest);
EncoderReads encoder_reads(const Component *c);
/* A failure marks the tape. */
void encoder_forward(const Encoder *e, Tape *t, const EncoderInput *in, Memory *out);

#endif
