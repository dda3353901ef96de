/* kernel.c - which level of kernels this processor can run. */
#include "trainer/core/kernel.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

extern const Kernels kernels_base;
#if defined(__x86_64__)
extern const Kernels kernels_v3, kernels_v4;
#endif

static const Kernels *chosen;
static pthread_once_t once = PTHREAD_ONCE_INIT;

const Kernels *kernels_at(CpuLevel level)
{
    if (level > cpu_level()) return NULL;
    switch (level) {
    case CPU_BASE: return &kernels_base;
#if defined(__x86_64__)
    case CPU_V3: return &kernels_v3;
    case CPU_V4: return &kernels_v4;
#endif
    default: return NULL;
    }
}

static void choose(void)
{
    CpuLevel level = cpu_level();
    const char *wish = getenv("MNEME_KERNELS");
    for (CpuLevel lower = CPU_BASE; wish && lower < level; lower++)
        if (strcmp(wish, cpu_level_name(lower)) == 0) level = lower;
    chosen = kernels_at(level);
}

const Kernels *kernels(void)
{
    pthread_once(&once, choose);
    return chosen;
}
