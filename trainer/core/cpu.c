/* cpu.c - CPUID. */
#include "trainer/core/cpu.h"

#include <stdio.h>
#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

CpuLevel cpu_level(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("bmi2"))
        return CPU_BASE;
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512cd") || !__builtin_cpu_supports("avx512dq") ||
        !__builtin_cpu_supports("avx512vl"))
        return CPU_V3;
    return CPU_V4;
#else
    return CPU_BASE;
#endif
}

const char *cpu_level_name(CpuLevel level) { return level == CPU_V4 ? "v4" : level == CPU_V3 ? "v3" : "base"; }

void cpu_name(char *text, int size)
{
    char name[64] = "unknown";
#if defined(__x86_64__)
    unsigned part[12] = {0};
    if ((unsigned)__get_cpuid_max(0x80000000u, NULL) >= 0x80000004u) {
        for (unsigned i = 0; i < 3; i++)
            __get_cpuid(0x80000002u + i, &part[4 * i], &part[4 * i + 1], &part[4 * i + 2], &part[4 * i + 3]);
        memcpy(name, part, sizeof part);
        name[sizeof part] = '\0';
    }
#endif
    snprintf(text, (size_t)size, "%s", name + strspn(name, " "));
}

bool cpu_flush_subnormals(void)
{
#if defined(__x86_64__)
    _mm_setcsr(_mm_getcsr() | _MM_FLUSH_ZERO_ON | 0x0040u); /* results, and operands (DAZ) */
    return true;
#else
    return false;
#endif
}
