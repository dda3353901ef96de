#!/bin/bash
# A run that is killed, or stopped by a signal, behind any update and goes on ends with the same bits as one that never
# stopped: parameters, optimiser, random numbers, order, schedule, early stopping, records. The control, which leaves
# one thing out, must differ.
set -u
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
bad=0
fail() { echo "$*"; bad=1; }
cat >"$dir/run.yaml" <<YAML
source: {name: stories, tasks: [one_fact], train: 40, valid: 10, test: 10}
data: {corpus: corpus, window: 2}
model: {name: memn2n, hops: 2, dim: 8, noise: 0.1, linear_start: true}
task: {name: answer}
train: {batch: 8, epochs: 4, accumulate: 2, clip_norm: 5, ema: 0.9}
optim: {name: adam, lr: 0.01}
schedule: {name: plateau, patience: 1}
early: {patience: 50}
checkpoint: {every_steps: 1, keep_last: 1000, background: false}
log: {every_steps: 2, tensorboard: false, stall: 60s}
YAML
"$MNEME" pack "$dir/run.yaml" 2>/dev/null || fail "pack failed"

# train NAME RANKS STEP SIGNAL [SET...]: one start of the run
train() {
    local name=$1 ranks=$2 step=$3 signal=$4
    shift 4
    timeout 100 mpirun --oversubscribe -np "$ranks" "$HELPERS/helper_train" "$dir/run.yaml" "$step" "$signal" \
        $((ranks - 1)) run.folder="$dir/$name" "$@" >"$dir/log" 2>&1
}
digest() { "$MNEME" inspect "$1" | sed -n 's/^digest *//p'; }
last() { find "$dir/$1/checkpoints" -name 'step-*.h5' | sort | tail -n 1; }
rows() { sed 's/"time": *[0-9.e+]*,* *//' "$dir/$1/metrics.jsonl"; }

train whole 1 0 9 || fail "the run that is not stopped ended with $?: $(cat "$dir/log")"
want=$(digest "$(last whole)")
steps=$(basename "$(last whole)" .h5 | sed 's/step-0*//')
[ -n "$want" ] && [ "$steps" -ge 10 ] || fail "no digest, or only $steps steps"

same() { # same NAME: ended like the whole run
    [ "$(digest "$(last "$1")")" = "$want" ] || fail "$1: the last checkpoint differs"
    diff <(rows whole) <(rows "$1") >/dev/null || fail "$1: the metrics differ: $(diff <(rows whole) <(rows "$1"))"
}
for step in $(seq "$steps"); do
    train "kill$step" 1 "$step" 9 # KILL
    train "kill$step" 1 0 9 || fail "kill$step did not go on: $(cat "$dir/log")"
    same "kill$step"
    train "usr$step" 1 "$step" 10 # USR1
    code=$?
    [ $code = 75 ] || fail "usr$step: exit $code instead of 75: $(cat "$dir/log")"
    train "usr$step" 1 0 9 || fail "usr$step did not go on: $(cat "$dir/log")"
    same "usr$step"
done
# without checkpoints at each step the run goes back and repeats
for step in 4 7; do
    train "sparse$step" 1 "$step" 9 checkpoint.every_steps=3
    train "sparse$step" 1 0 9 checkpoint.every_steps=3 || fail "sparse$step did not go on"
    same "sparse$step"
done
# two ranks: the same bits as two ranks that never stopped; the signal comes to the last rank alone
train whole2 2 0 9 || fail "two ranks ended with $?: $(cat "$dir/log")"
want=$(digest "$(last whole2)")
for step in 1 5 "$steps"; do
    train "two$step" 2 "$step" 15 # TERM
    code=$?
    [ $code = 75 ] || fail "two$step: exit $code instead of 75: $(cat "$dir/log")"
    train "two$step" 2 0 9 || fail "two$step did not go on"
    [ "$(digest "$(last "two$step")")" = "$want" ] || fail "two$step: the last checkpoint differs"
done
# the control: another seed behind the interruption must be seen
train control 1 5 9
train control 1 0 9 run.seed=2 && fail "a changed seed was accepted"
grep -q 'run.seed: 1 -> 2' "$dir/log" || fail "the difference was not shown: $(cat "$dir/log")"
exit $bad
