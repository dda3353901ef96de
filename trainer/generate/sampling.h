/* sampling.h - scheduled sampling (Bengio 2015): some of the words before become the model's own. */
#ifndef TRAINER_GENERATE_SAMPLING_H
#define TRAINER_GENERATE_SAMPLING_H
#include "trainer/generate/writer.h"

typedef enum SamplingOwn { SAMPLING_DRAWN, SAMPLING_LIKELIEST } SamplingOwn;

typedef struct SamplingSettings { /* of all decays but none */
    double rate, least;
    int64_t start;
    SamplingOwn choose; /* how the model's own word is chosen */
} SamplingSettings;

const Component *sampling_choice(int i); /* how the chance of the true word falls, none first: NULL after the last */
NODISCARD Status sampling_check(Chosen sampling);
bool sampling_samples(Chosen sampling);
double sampling_teacher_share(Chosen sampling, uint64_t step); /* chance of the teacher's word */
/* Replaces inputs of the positions, in a tape that trains. */
NODISCARD Status sampling_replace(Chosen sampling, const Writer *w, Tape *t, const Memory *m,
                                  WriterPositions *positions);

#endif
