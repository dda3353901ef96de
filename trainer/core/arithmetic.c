/* arithmetic.c - the names of kernels and BLAS, and their comparison. */
#include "trainer/core/arithmetic.h"

#include <stdio.h>
#include <string.h>

#include "trainer/core/blas.h"
#include "trainer/core/kernel.h"

const char *arithmetic_name(void)
{
    static _Thread_local char name[ARITHMETIC_NAME];
    snprintf(name, sizeof name, "%s, %s", kernels()->level, blas_name());
    return name;
}

Status arithmetic_same(Comm *comm, Arena *run)
{
    char mine[ARITHMETIC_NAME] = "", *all;
    snprintf(mine, sizeof mine, "%s", arithmetic_name());
    all = arena_zeros(run, comm_size(comm), sizeof mine);
    TRY(comm_agree(comm, all ? OK : ERR_HOST));
    TRY(comm_allgather(comm, mine, sizeof mine, all));
    int other = 1;
    while (other < comm_size(comm) && strcmp(all, all + (size_t)other * sizeof mine) == 0) other++;
    Status st = OK;
    if (other < comm_size(comm))
        st = status_fail(
            ERR_HOST, __FILE__, __LINE__, __func__,
            "rank 0 computes by %s, but rank %d by %s: the bits would depend on the rank; give all the same "
            "kernels, for example by mpirun -x MNEME_KERNELS=v3 -x OPENBLAS_CORETYPE=Haswell",
            all, other, all + (size_t)other * sizeof mine);
    return comm_agree(comm, st);
}
