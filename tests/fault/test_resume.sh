#!/bin/bash
# A run that is killed, or stopped by a signal, at any place and goes on ends with the same bits as one that never
# stopped: parameters, optimiser, random numbers, order, schedule, early stopping, records. The control, which loses
# one thing on its way through the checkpoint, must differ.
set -u
[ -w /dev/shm ] && export TMPDIR=/dev/shm # thousands of writes, each of which waits for the disk elsewhere
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
bad=0
fail() { echo "$*"; bad=1; }
cat >"$dir/run.yaml" <<YAML
source: {name: stories, tasks: [one_fact], train: 30, valid: 18, test: 10}
data: {corpus: corpus, window: 2}
model: {name: memn2n, hops: 2, dim: 8, noise: 0.1, linear_start: true}
task: {name: answer}
train: {batch: 8, epochs: 4, accumulate: 2, clip_norm: 5, ema: 0.9}
optim: {name: adam, lr: 0.03}
schedule: {name: plateau, patience: 1, ratio: 0.5}
early: {patience: 50}
eval: {batch: 1, final: [valid]}
checkpoint: {every_steps: 1, keep_last: 1000, background: false}
log: {every_steps: 3, tensorboard: false, report: false, stall: 60s}
YAML
"$MNEME" pack "$dir/run.yaml" 2>/dev/null || { fail "pack failed"; exit 1; }

# train NAME RANKS PLACE STEP WHAT [SET...]: one start of the run; what happens, happens to the last rank
train() {
    local name=$1 ranks=$2 place=$3 step=$4 what=$5
    shift 5
    local launch=(timeout -s KILL 100)
    [ "$ranks" = 1 ] || launch+=(mpirun --oversubscribe -np "$ranks")
    "${launch[@]}" "$HELPERS/helper_train" "$dir/${config-run}.yaml" "$place" "$step" $((ranks - 1)) "$what" \
        run.folder="$dir/$name" "$@" >"$dir/log" 2>&1
}
last() { find "$dir/$1/checkpoints" -name 'step-*.h5' | sort | tail -n 1; }
digest() { "$MNEME" inspect "$(last "$1")" | awk '$1 == "digest" {print $2}'; }
rows() { sed 's/"time": *[0-9.e+]*,* *//' "$dir/$1/metrics.jsonl"; }
curves() { rows "$1" | grep -v '"kind": "final_'; } # without the figures of the best checkpoint that is kept
same() { # same NAME: ended like the whole run
    local got
    got=$(digest "$1")
    [ "$got" = "$want" ] || fail "$1: the last checkpoint is $got instead of $want"
    diff <(${2-rows} whole) <(${2-rows} "$1") >"$dir/diff" || fail "$1: the metrics differ: $(cat "$dir/diff")"
}
# interrupt CODE NAME PLACE STEP SIGNAL [SET...]: stop it there, go on, compare
interrupt() {
    local wanted=$1 name=$2 place=$3 step=$4 signal=$5
    shift 5
    { train "$name" 1 "$place" "$step" "$signal" "$@"; } 2>/dev/null
    local code=$?
    [ $code = "$wanted" ] || fail "$name: exit $code instead of $wanted: $(cat "$dir/log")"
    train "$name" 1 never 0 0 "$@" || fail "$name did not go on: $(cat "$dir/log")"
    if [ "$name" = sparse-all ]; then same "$name" curves; else same "$name"; fi
}
train whole 1 never 0 0 || { fail "the run that is not stopped ended with $?: $(cat "$dir/log")"; exit 1; }
want=$(digest whole)
steps=$(basename "$(last whole)" .h5 | sed 's/step-0*//')
[ -n "$want" ] && [ "$steps" = 8 ] || fail "no digest, or $steps steps"

KILL=9 USR1=10 TERM=15
for step in $(seq "$steps"); do interrupt 137 "kill-$step" update "$step" $KILL; done
for step in 1 4 7 8; do interrupt 75 "usr1-$step" update "$step" $USR1; done
interrupt 137 kill-first-batch batch 0 $KILL
interrupt 137 kill-within-accumulation batch 3 $KILL
interrupt 75 usr1-within-accumulation batch 3 $USR1
for step in 4 8; do # epoch edges: the end of the linear start, and the end of all
    interrupt 137 "kill-evaluate-$step" evaluate "$step" $KILL
    interrupt 137 "kill-measured-$step" measured "$step" $KILL
    interrupt 75 "usr1-evaluate-$step" evaluate "$step" $USR1
    interrupt 137 "kill-saved-$step" saved "$step" $KILL
done
# without checkpoints at each step the run goes back and repeats
interrupt 137 sparse-3 update 3 $KILL checkpoint.every_steps=3
interrupt 137 sparse-7 update 7 $KILL checkpoint.every_steps=3 checkpoint.background=true
interrupt 137 sparse-all batch 6 $KILL checkpoint.every_steps=0 checkpoint.every_epochs=0

# The control: what a resumed run loses is seen.
{ train control 1 update 8 $KILL; } 2>/dev/null
# (The linear start is over behind epoch 2 and its state with it.)
for part in update step average schedule early cursor sums; do
    cp -r "$dir/control" "$dir/lost-$part"
    train "lost-$part" 1 resumed -1 $part || fail "lost-$part: $(cat "$dir/log")"
    [ "$(digest "lost-$part")" = "$want" ] && diff -q <(rows whole) <(rows "lost-$part") >/dev/null &&
        fail "nobody saw that $part was lost"
done
train control 1 never 0 0 run.seed=2 && fail "a changed seed was accepted"
grep -q 'run.seed: 1 -> 2' "$dir/log" || fail "the difference was not shown: $(cat "$dir/log")"

# Numbers that no training comes to, in a checkpoint whose digests are right: refused, and nothing overflows.
most=9223372036854775807
for forged in next.epoch={-1,0,2,$most} next.batch={-1,0,4,$most} evaluated={-1,2,$most} over={-1,2} best_step={-1,4,$most} \
    updates={-1,4,$most} average={-1,4,$most} {examples,tokens,weight}={-1,$most} loss=-$most step={1,4,999999999999}; do
    rm -rf "$dir/forged"
    { train forged 1 update 3 "$forged"; } 2>/dev/null
    [ $? = 137 ] || fail "$forged: was not saved: $(cat "$dir/log")"
    train forged 1 never 0 0
    code=$?
    [ $code = 65 ] && grep -q "^mneme: .*/step-[0-9]*.h5: " "$dir/log" || fail "$forged: exit $code: $(cat "$dir/log")"
done

# Two ranks: the same bits as two ranks that never stopped; the signal comes to the last rank alone.
train whole2 2 never 0 0 || fail "two ranks ended with $?: $(cat "$dir/log")"
want=$(digest whole2)
train "two" 2 update 3 $TERM
code=$?
[ $code = 75 ] || fail "two: exit $code instead of 75: $(cat "$dir/log")"
train "two" 2 never 0 0 || fail "two did not go on: $(cat "$dir/log")"
[ "$(digest "two")" = "$want" ] || fail "two: the last checkpoint differs"
diff <(rows whole2) <(rows two) >"$dir/diff" || fail "two: the metrics differ: $(cat "$dir/diff")"

# resumed NAME RANKS STEPS AT SET...: it ends after so many steps, and the same when it was stopped at a step and went on
resumed() {
    local name=$1 ranks=$2 steps=$3 at=$4 code
    shift 4
    train "$name-whole" "$ranks" never 0 0 "$@" || fail "$name: $(cat "$dir/log")"
    [ "$(basename "$(last "$name-whole")")" = "$(printf 'step-%09d.h5' "$steps")" ] ||
        fail "$name: the last is $(last "$name-whole"), not of step $steps"
    train "$name" "$ranks" update "$at" $TERM "$@"
    code=$?
    [ $code = 75 ] || fail "$name: exit $code instead of 75: $(cat "$dir/log")"
    train "$name" "$ranks" never 0 0 "$@" || fail "$name did not go on: $(cat "$dir/log")"
    [ "$(digest "$name")" = "$(digest "$name-whole")" ] || fail "$name: the last checkpoint differs"
    diff <(rows "$name-whole") <(rows "$name") >"$dir/diff" || fail "$name: the metrics differ: $(cat "$dir/diff")"
}
never="early.min_delta=1e6" # no progress is enough: patience ends after so many validations behind the first
resumed patience 2 6 5 $never early.patience=2 model.linear_start=false eval.batch=4
# where the model changes what it computes, validations count from there on
resumed linear 1 8 5 $never early.patience=1 model.linear_epochs=2 train.epochs=9
# momentum of rows that had no gradient for some steps is put off, but not past a checkpoint
cat >"$dir/docs.yaml" <<YAML
source: {name: reviews, train: 24, valid: 6, test: 6, max_sentences: 3}
data: {corpus: docs}
model: {name: han, dim: 4, word: {hidden: 3}, sentence: {hidden: 3}}
task: {name: classification}
train: {batch: 2, epochs: 2}
optim: {name: momentum, lr: 0.1}
checkpoint: {every_steps: 5, keep_last: 1000}
log: {every_steps: 1, tensorboard: false, report: false, stall: 60s}
YAML
"$MNEME" pack "$dir/docs.yaml" 2>/dev/null || fail "pack of documents failed"
config=docs resumed momentum 1 24 7
# lanes: a signal at one rank is enough
resumed lanes 2 16 3 train.lanes=2 train.accumulate=1 eval.batch=4

# Accumulated batches are of one epoch, and a checkpoint within an epoch has no measure.
train cut 1 never 0 0 train.accumulate=3 log.every_steps=1 || fail "cut: $(cat "$dir/log")"
got=$(sed -n 's/.*"kind": "train".*"examples": \([0-9]*\).*/\1/p' "$dir/cut/metrics.jsonl" |
    paste -d + - - | tr '\n' ' ') # two steps an epoch
for pair in $got; do [ $((pair)) = 30 ] || fail "examples of the steps of an epoch: $got"; done
[ "$(wc -w <<<"$got")" = 4 ] || fail "examples of the steps: $got"
got=$(tr '{' '\n' <"$dir/whole/checkpoints/checkpoints.json" | sed -n 's/.*"step": \([0-9]*\),.*"metric": [0-9].*/\1/p' | tr '\n' ' ')
[[ $got =~ ^([2468] )+$ ]] || fail "steps of checkpoints with a measure: $got"
exit $bad
