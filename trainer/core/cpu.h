/* cpu.h - what the processor can do, by CPUID.
 *
 * The levels are those of the x86-64 psABI; a processor has a level only when it has all of its vector extensions. */
#ifndef TRAINER_CORE_CPU_H
#define TRAINER_CORE_CPU_H
#include <stdbool.h>

typedef enum CpuLevel {
    CPU_BASE, /* any */
    CPU_V3,   /* AVX2, FMA, BMI2 */
    CPU_V4    /* AVX-512 F, BW, CD, DQ, VL */
} CpuLevel;

CpuLevel cpu_level(void);
const char *cpu_level_name(CpuLevel level); /* "base", "v3", "v4" */
/* The processor's own name for itself into text[size]; "unknown" when it does not say. */
void cpu_name(char *text, int size);

/* From here on this thread, and those it starts, take numbers nearer to 0 than 1.2e-38 (double: 2.2e-308) for 0 and
 * make none: false where the processor has no such mode. A weight of attention that has fallen to e^-90 makes products
 * that a processor multiplies ten times more slowly, and that no sum of floats would notice. */
bool cpu_flush_subnormals(void);

#endif
