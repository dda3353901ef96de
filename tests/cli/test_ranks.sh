#!/bin/bash
# What must not depend on the ranks: with lanes no bit of a training, without them no more than rounding (with dropout
# on), no figure of an evaluation, no line of a prediction; a run that was stopped goes on, on another number of ranks.
set -u
[ -w /dev/shm ] && export TMPDIR=/dev/shm
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
bad=0
fail() { echo "$*"; bad=1; }
must() { "$@" >"$dir/log" 2>&1 || { fail "$* ended with $?: $(cat "$dir/log")"; exit 1; }; }
cat >"$dir/han.yaml" <<YAML
source: {name: reviews, train: 90, valid: 30, test: 37, classes: 3}
pack: {shards: 3}
data: {corpus: corpus, window: 1}
model: {name: han, dim: 8, word: {hidden: 6, dropout_input: 0.2}, sentence: {hidden: 6, dropout_input: 0.3}}
task: {name: classification}
train: {batch: 64, epochs: 2, clip_norm: 5}
optim: {name: sgd, lr: 0.1}
eval: {final: [valid]}
checkpoint: {keep_last: 100, background: false}
log: {every_steps: 1, tensorboard: false, report: false, csv: false, stall: 60s}
YAML
cat >"$dir/memn2n.yaml" <<YAML
source: {name: stories, tasks: [one_fact], train: 40, valid: 10, test: 17}
data: {corpus: stories, window: 2}
model: {name: memn2n, hops: 2, dim: 8, noise: 0.1}
task: {name: answer}
train: {batch: 16, epochs: 2, lanes: 4, clip_norm: 5}
optim: {name: adam, lr: 0.01}
eval: {final: [valid]}
checkpoint: {keep_last: 100, every_steps: 1, background: false}
log: {every_steps: 1, tensorboard: false, report: false, csv: false, stall: 60s}
YAML
# on RANKS COMMAND NAME CONFIG [WORDS...]
on() {
    local ranks=$1
    shift
    timeout 100 mpirun --oversubscribe -np "$ranks" "$MNEME" "$@"
}
train() { on "$2" train "$dir/$1.yaml" --set run.folder="$dir/$3" "${@:4}"; }
last() { find "$dir/$1/checkpoints" -name 'step-*.h5' | sort | tail -n 1; }
digest() { "$MNEME" inspect "$(last "$1")" | awk '$1 == "digest" {print $2}'; }
losses() { sed -n 's/.*"step": \([0-9]*\),.*"kind": "\([a-z_]*\)".*"loss": \([0-9.e-]*\),.*/\1 \2 \3/p' "$dir/$1/metrics.jsonl"; }
close() { # close A B: the same rows, the losses to 1e-5 of their size: sums of floats in another order
    paste -d ' ' <(losses "$1") <(losses "$2") >"$dir/pairs"
    awk -v n="$3" '{d = $3 - $6; if (d < 0) d = -d; if ($1 != $4 || $2 != $5 || d > 1e-5 * $3) exit 1} END {if (NR != n) exit 1}' \
        "$dir/pairs" || fail "$1 and $2 differ: $(cat "$dir/pairs")"
}
must on 2 pack "$dir/han.yaml"
must "$MNEME" pack "$dir/memn2n.yaml"

# Without lanes: 1 rank with 64 examples, 4 ranks with 16 each, dropout on.
for ranks in 1 3 4; do must train han $ranks "plain$ranks"; done
close plain1 plain4 7
close plain1 plain3 7

# With lanes: the same bits, for a model of documents and one of memories.
for ranks in 1 2 3 4; do must train memn2n $ranks "lanes$ranks"; done
for ranks in 1 3; do must train han $ranks "hanlanes$ranks" --set train.lanes=4 --set train.epochs=1; done
[ -n "$(digest hanlanes1)" ] && [ -n "$(digest lanes1)" ] || fail "no digest"
[ "$(digest hanlanes1)" = "$(digest hanlanes3)" ] || fail "han with lanes: the bits differ on 1 and 3 ranks"
for ranks in 2 3 4; do
    [ "$(digest lanes1)" = "$(digest lanes$ranks)" ] || fail "memn2n with lanes: the bits differ on 1 and $ranks ranks"
    diff <(losses lanes1) <(losses lanes$ranks) >"$dir/diff" || fail "lanes: rows of $ranks ranks: $(cat "$dir/diff")"
done
on 5 train "$dir/memn2n.yaml" --set run.folder="$dir/five" 2>"$dir/log" >&2
[ $? = 78 ] && [ "$(grep '^mneme' "$dir/log")" = "mneme: train.lanes is 4, but there are 5 ranks: each needs a lane of its own" ] ||
    fail "5 ranks with 4 lanes: $(cat "$dir/log")"

# Stopped on 2 ranks, on with 3: with lanes the same bits.
cp -r "$dir/lanes2" "$dir/moved"
rm "$dir/moved/finished.json" "$dir"/moved/checkpoints/step-00000000[456].h5
must train memn2n 3 moved
grep -q 'the newest' "$dir/log" || grep -q 'going on from .*step-000000003.h5' "$dir/log" || fail "moved: $(cat "$dir/log")"
[ "$(digest moved)" = "$(digest lanes1)" ] || fail "moved from 2 to 3 ranks: the bits differ"

# Evaluation: the same figures on any ranks and batch; predictions: the same bytes.
must "$MNEME" eval "$dir/han.yaml" --set run.folder="$dir/plain1" --json
mv "$dir/log" "$dir/want"
for ranks in 2 3 4; do
    on $ranks eval "$dir/han.yaml" --set run.folder="$dir/plain1" --json --set eval.batch=$((ranks * 3 - 5)) >"$dir/got" 2>"$dir/log"
    diff "$dir/want" "$dir/got" >"$dir/diff" || fail "eval on $ranks ranks: $(cat "$dir/diff" "$dir/log")"
done
printf 'good food\n\nthe hotel was dirty. we left. never again\n???\nword\n' >"$dir/lines"
for ranks in 1 3; do on $ranks predict "$dir/han.yaml" "$dir/lines" --set run.folder="$dir/plain1" >"$dir/said$ranks" 2>>"$dir/log"; done
[ -s "$dir/said1" ] && diff "$dir/said1" "$dir/said3" || fail "predict on 3 ranks: $(cat "$dir/said1" "$dir/log")"
exit $bad
