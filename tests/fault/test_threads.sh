#!/bin/bash
# All threads of a run at once: the loader reads ahead, the watchdog beats, each step is saved in the background, a signal
# comes, the run goes on. Built with the thread sanitizer (preset thread), any race of theirs ends the program with 66.
. "$SOURCE/tests/expect.sh"
: "${dir:?}" "${bad:?}" # expect.sh makes them
cat >run.yaml <<YAML
source: {name: stories, tasks: [one_fact], train: 64, valid: 16, test: 16}
data: {corpus: corpus, window: 2}
model: {name: memn2n, hops: 2, dim: 8}
task: {name: answer}
train: {batch: 8, epochs: 12, lanes: 2}
optim: {name: adam, lr: 0.03}
checkpoint: {every_steps: 1, keep_last: 3, background: true}
log: {every_steps: 1, stall: 30s}
run: {folder: run}
YAML
digest() { "$MNEME" inspect "$(find "$1/checkpoints" -name 'step-*.h5' | sort | tail -n 1)" | awk '$1 == "digest"'; }
must 2 pack run.yaml
for ranks in 1 2; do
    must $ranks train run.yaml --set run.folder=run-$ranks
    must $ranks eval run.yaml --set run.folder=run-$ranks
    must $ranks attend run.yaml --split test --set run.folder=run-$ranks
done
wanted=$(digest run-2)
[ -n "$wanted" ] && [ "$(digest run-1)" = "$wanted" ] || fail "1 rank: $(digest run-1), 2 ranks: $wanted"
mpirun --oversubscribe -np 2 "$MNEME" train run.yaml >out 2>err &
job=$!
for _ in $(seq 200); do [ -s run/metrics.jsonl ] && break; sleep 0.05; done
kill -USR1 $job
wait $job
code=$?
[ $code = 75 ] || fail "USR1: ended with $code: $(cat err)"
must 2 train run.yaml
[ "$(digest run)" = "$wanted" ] || fail "stopped and gone on: $(digest run) instead of $wanted"
exit $bad
