#!/bin/bash
# One kind of bits: ranks that compute by other kernels than rank 0 are refused, and so is a training that would go on by
# others than it began with; a check of the kernels that cannot be made ends the program; and where memory is too small for
# OpenBLAS every command says so instead of waiting for it.
. "$SOURCE/tests/expect.sh"
: "${dir:?}" "${bad:?}" # expect.sh makes them
must 1 init csv .
must 1 pack csv.yaml
sets=(--set train.epochs=1 --set log.report=false --set log.tensorboard=false)

# Two ranks, the second by another level of kernels.
timeout -s KILL 100 mpirun --oversubscribe -np 1 "$MNEME" train csv.yaml "${sets[@]}" : \
    -np 1 -x MNEME_KERNELS=base "$MNEME" train csv.yaml "${sets[@]}" >out 2>err </dev/null
[ $? = 69 ] || fail "ranks of two kinds did not end with 69: $(cat err)"
grep -q "^mneme: rank 0 computes by .*, but rank 1 by base, .*: the bits would depend on the rank" err || fail "ranks of two kinds: $(cat err)"
[ ! -e run/checkpoints ] || [ -z "$(ls run/checkpoints)" ] || fail "ranks of two kinds made a checkpoint"

# Going on by others.
if [ "$("$MNEME" doctor | sed -n 's/^kernels *//p')" != base ]; then
    rm -rf run
    must 1 train csv.yaml "${sets[@]}"
    MNEME_KERNELS=base "$MNEME" train csv.yaml "${sets[@]}" --set train.epochs=2 >out 2>err
    [ $? = 78 ] || fail "going on by other kernels did not end with 78: $(cat err)"
    grep -q "^kernels: v.* -> base, " err || fail "going on by other kernels: $(cat err)"
    MNEME_KERNELS=base "$MNEME" train csv.yaml "${sets[@]}" --set train.epochs=2 --accept-changes >out 2>err ||
        fail "accepted kernels: $(cat err)"
    must 1 eval csv.yaml --split train # evaluation takes any
fi

# A check that cannot be made: each way in which it fails. OpenBLAS says that it took its oldest kernels, so that there are
# newer ones to check.
core() { "$MNEME" doctor | sed -n 's/^BLAS .*, //p'; }
if [ "$("$MNEME" doctor | sed -n 's/^kernels *//p')" != base ]; then
    cat >trouble.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
char *openblas_get_corename(void) { return "Prescott"; }
static int is(const char *what) { return getenv("TROUBLE") && strcmp(getenv("TROUBLE"), what) == 0; }
pid_t fork(void)
{
    if (!is("fork")) return ((pid_t(*)(void))dlsym(RTLD_NEXT, "fork"))();
    errno = EAGAIN;
    return -1;
}
int execv(const char *path, char *const argv[])
{
    const int child = getenv("MNEME_BLAS_CHECK") != NULL;
    if (child && is("status")) _exit(66);
    if (child && is("memory")) _exit(4);
    if (child && (is("wrong") || is("again"))) _exit(is("wrong") ? 3 : 0);
    if (child && is("killed")) raise(SIGKILL);
    if (child && is("crash")) raise(SIGILL);
    if ((child && is("exec")) || (!child && is("again"))) {
        errno = ENOENT;
        return -1;
    }
    return ((int (*)(const char *, char *const *))dlsym(RTLD_NEXT, "execv"))(path, argv);
}
C
    cc -shared -fPIC -o trouble.so trouble.c -ldl
    trouble() { # HOW STATUS MESSAGE: what the program says of it
        env -u OPENBLAS_CORETYPE TROUBLE="$1" LD_PRELOAD="$dir/trouble.so" "$MNEME" config csv.yaml >out 2>err
        [ $? = "$2" ] || fail "trouble $1 did not end with $2: $(cat err)"
        [ -z "$3" ] || grep -q "^mneme: $3" err || fail "trouble $1: $(cat err)"
    }
    leave="OPENBLAS_CORETYPE=[A-Z]* leaves it out$"
    trouble fork 69 "the check of OpenBLAS's kernels could not start: Resource temporarily unavailable; $leave"
    trouble exec 69 "the check of OpenBLAS's kernels could not be made: the program ended with status 127 before it; $leave"
    trouble status 69 "the check of OpenBLAS's kernels could not be made: the program ended with status 66 before it; $leave"
    trouble memory 69 "the check of OpenBLAS's kernels has no memory$"
    trouble killed 69 "the check of OpenBLAS's kernels was ended by signal 9; $leave"
    trouble again 69 "the program could not be executed again, with OpenBLAS as it should be: No such file or directory$"
    trouble wrong 0 ""
    trouble crash 0 ""
fi

# Two ranks whose OpenBLAS has two cores.
if [ "$(OPENBLAS_CORETYPE=Prescott core)" != "$(OPENBLAS_CORETYPE=Nehalem core)" ]; then
    timeout -s KILL 100 mpirun --oversubscribe -np 1 -x OPENBLAS_CORETYPE=Prescott "$MNEME" train csv.yaml --fresh "${sets[@]}" : \
        -np 1 -x OPENBLAS_CORETYPE=Nehalem "$MNEME" train csv.yaml --fresh "${sets[@]}" >out 2>err </dev/null
    [ $? = 69 ] || fail "two cores of OpenBLAS did not end with 69: $(cat err)"
    grep -q "^mneme: rank 0 computes by .*Prescott.*, but rank 1 by .*Nehalem.*: the bits would depend on the rank" err ||
        fail "two cores of OpenBLAS: $(cat err)"
fi

# Too little memory: never a hang, never a crash, never a file that is called damaged.
for limit in 200000 260000 300000; do
    for command in "train csv.yaml --fresh" "eval csv.yaml --split train" doctor; do
        # shellcheck disable=SC2086
        (ulimit -v $limit && exec timeout -s KILL 60 "$MNEME" $command) >out 2>err
        [ $? = 69 ] || fail "$command in $limit kB did not end with 69: $(cat err)"
        grep -q "^mneme: out of memory: [0-9]* bytes were asked for" err || fail "$command in $limit kB: $(cat err)"
    done
done

# Two ranks in little memory: they train, or say why not; none is waited for.
for limit in 300000 360000 440000 520000; do
    (ulimit -v $limit && exec timeout -s KILL 100 mpirun --oversubscribe -np 2 "$MNEME" train csv.yaml --fresh "${sets[@]}") \
        >out 2>err </dev/null
    st=$?
    [ $st = 0 ] || [ $st = 69 ] || fail "two ranks in $limit kB ended with $st: $(cat err)"
    [ $st = 0 ] || grep -q "out of memory" err || fail "two ranks in $limit kB: $(cat err)"
done
exit $bad
