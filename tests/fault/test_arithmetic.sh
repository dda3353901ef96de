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

# No process for the check, where there is one to make: a fork that fails.
if ! [ "$(env -u OPENBLAS_CORETYPE "$MNEME" doctor | sed -n 's/^BLAS .*, //p')" = "$(OPENBLAS_CORETYPE=Prescott "$MNEME" doctor | sed -n 's/^BLAS .*, //p')" ]; then
    printf '#include <errno.h>\n#include <unistd.h>\npid_t fork(void) { errno = EAGAIN; return -1; }\n' >fork.c
    cc -shared -fPIC -o fork.so fork.c
    env -u OPENBLAS_CORETYPE LD_PRELOAD="$dir/fork.so" "$MNEME" config csv.yaml >out 2>err
    [ $? = 69 ] || fail "a check that cannot be made did not end with 69: $(cat err)"
    grep -q "^mneme: the check of OpenBLAS's kernels could not start: Resource temporarily unavailable; OPENBLAS_CORETYPE=" err ||
        fail "a check that cannot be made: $(cat err)"
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
exit $bad
