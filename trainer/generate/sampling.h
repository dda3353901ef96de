/* sampling.h - scheduled sampling (Bengio 2015): some of the words before become the model's own. */
#ifndef TRAINER_GENERATE_SAMPLING_H
#define TRAINER_GENERATE_SAMPLING_H
#include "trainer/generate/writer.h"

typedef struct SamplingSettings {
    const char *decay, *choose; /* how the chance of the true word falls; how the model's own is chosen */
    double rate, least;
    int64_t start;
} SamplingSettings;

const char *sampling_name(int i);        /* choices of decay; NULL after the last */
const char *sampling_choose_name(int i); /* choices of choose */
NODISCARD Status sampling_check(const SamplingSettings *s);
double sampling_teacher_share(const SamplingSettings *s, uint64_t step); /* chance of the teacher's word */
/* Replaces inputs of the positions, in a tape that trains. */
NODISCARD Status sampling_replace(const SamplingSettings *s, const Writer *w, Tape *t, const Memory *m,
                                  WriterPositions *positions);

#endif
