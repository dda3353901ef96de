#!/bin/bash
# Tasks that a launcher started as runs of one rank each end at once, and the message says what to do.
set -u
out=$(SLURM_STEP_NUM_TASKS=4 timeout 60 "$HELPERS/helper_watchdog" steps 1 2>&1)
code=$?
text="srun started 4 tasks, but each sees only itself: start with srun --mpi=pmix (srun --mpi=list shows what this cluster has)"
if [ $code != 76 ] || ! grep -qF "$text" <<<"$out"; then
    echo "exit $code: $out"
    exit 1
fi
# Without a launcher, and not under srun, a program is a run of one rank.
out=$(timeout 60 "$HELPERS/helper_watchdog" long 0.2 2>&1)
code=$?
[ $code = 0 ] && [[ $out == "rank 0 pid "* ]] || { echo "exit $code: $out"; exit 1; }
