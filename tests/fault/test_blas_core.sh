#!/bin/bash
# The choice of OpenBLAS's kernels: what the user set stays, kernels that compute wrong products, crash or hang are not
# taken, the program is executed once more and not again, also under mpirun.
set -u
program="$(dirname "$MNEME")/tests/unit_blas"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset OPENBLAS_CORETYPE
failed=0

# A cblas_sgemm that goes wrong, in the way WRONG says, where OpenBLAS was told to use the kernels in BROKEN.
cat >"$work/wrong.c" <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
typedef void Gemm(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *, int);
void cblas_sgemm(int order, int ta, int tb, int m, int n, int k, float alpha, const float *a, int lda, const float *b,
                 int ldb, float beta, float *c, int ldc)
{
    const char *core = getenv("OPENBLAS_CORETYPE"), *broken = getenv("BROKEN"), *how = getenv("WRONG");
    Gemm *next = (Gemm *)dlsym(RTLD_NEXT, "cblas_sgemm");
    next(order, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    if (!core || !broken || !how || !strstr(broken, core)) return;
    if (strcmp(how, "crash") == 0) raise(SIGILL);
    if (m > 30) c[(m - 1) * ldc + n - 1] += 0.01f;
}
C
cc -shared -fPIC -o "$work/wrong.so" "$work/wrong.c" -ldl || exit 77

expect() { # what it should be, what it is, what was done
    if [ "${2,,}" != "${1,,}" ]; then
        echo "$3: the kernels are '$2' instead of '$1'"
        failed=1
    fi
}

own=$("$program" --core)
expect Prescott "$(OPENBLAS_CORETYPE=PRESCOTT "$program" --core)" "OPENBLAS_CORETYPE=PRESCOTT set by the user"
before=$(MNEME_BLAS_CHOSEN=none "$program" --core) # what OpenBLAS takes by itself
if [ "${own,,}" = "${before,,}" ]; then
    echo "OpenBLAS knows this processor: nothing to choose"
    exit $failed
fi
if [ "${own,,}" = skylakex ]; then
    for how in number crash; do
        got=$(LD_PRELOAD="$work/wrong.so" WRONG=$how BROKEN=SKYLAKEX "$program" --core 2>&1)
        expect Haswell "$got" "a $how is wrong with SKYLAKEX"
    done
fi
got=$(LD_PRELOAD="$work/wrong.so" WRONG=number BROKEN=SKYLAKEX,HASWELL "$program" --core 2>&1)
expect "$before" "$got" "numbers are wrong with all newer kernels"
got=$(mpirun --oversubscribe -np 3 "$program" --core 2>&1 | sort -u)
expect "$own" "$got" "under mpirun with 3 ranks"
exit $failed
