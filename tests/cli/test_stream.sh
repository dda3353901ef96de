#!/bin/bash
# A corpus of 10 times data.memory trains within that memory: more epochs and more data take no more.
. "$SOURCE/tests/expect.sh"
: "${dir:?}" "${bad:?}" # expect.sh makes them
cat >run.yaml <<YAML
source: {name: reviews, train: 30000, valid: 0, test: 0, min_sentences: 10, max_sentences: 14}
data: {corpus: corpus, memory: 1MiB, window: 1}
model: {name: han, dim: 2, word: {hidden: 1}, sentence: {hidden: 1}}
task: {name: classification}
train: {batch: 32, epochs: 0, steps: 1}
eval: {split: none, final: []}
checkpoint: {every_epochs: 0, background: false}
log: {tensorboard: false, report: false, csv: false, every_steps: 1000}
YAML
must 1 pack run.yaml
bytes=$(cat corpus/train-*.h5 | wc -c)
[ "$bytes" -ge 10485760 ] || fail "the corpus has only $bytes bytes"
peak() { # peak STEPS [SET...]: KiB
    local n=$1
    shift
    "$HELPERS/helper_peak" "$MNEME" train run.yaml --set run.folder="run-$n-$#" --set train.steps="$n" "$@" 2>err || fail "$(cat err)"
}
few=$(peak 60) many=$(peak 600) whole=$(peak 60 --set data.memory=1GiB)
echo "60 steps: $few KiB, 600 steps: $many KiB, whole in memory: $whole KiB"
[ "$many" -le $((few + 2048)) ] || fail "it grew from $few to $many KiB"
[ "$few" -le $((whole - 4096)) ] || fail "streaming takes $few KiB, all in memory $whole KiB"
exit $bad
