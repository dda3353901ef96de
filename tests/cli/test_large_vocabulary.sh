#!/bin/bash
# A vocabulary of 50,000 words and batches of 64 x 50 words train within 1 GB: the logits alone, were they all there,
# would be 640 MB, and their gradients as many.
. "$SOURCE/tests/expect.sh"
for side in a b; do
    for i in {1..1000}; do
        for j in {1..50}; do # words 0 to 49,995, in an order that looks random
            [ $side$j = b50 ] || printf '%s%d ' "$side" $(((i * 50 + j) * 7919 % 49996))
        done
        echo
    done >train.$side
    echo "${side}1 ${side}2" >valid.$side
done
cat >pairs.yaml <<YAML
source: {name: parallel, train_source: train.a, train_target: train.b, valid_source: valid.a, valid_target: valid.b}
subwords: {merges: 0}
pack: {min_count: 1}
data: {corpus: corpus}
model: {name: seq2seq, dim: 128, encoder: {hidden: 256}}
task: {name: translation}
train: {batch: 64, steps: 2}
eval: {split: none, final: []}
checkpoint: {background: false}
log: {tensorboard: false, report: false, csv: false}
YAML
must 1 pack pairs.yaml
peak=$("$HELPERS/helper_peak" "$MNEME" train pairs.yaml --set run.folder="$dir/run" 2>err) || fail "train ended with $?: $(cat err)"
[ "$peak" -lt 1000000 ] || fail "$peak KiB"
said "mneme: $dir/run: finished after 2 steps"
"$MNEME" inspect corpus | grep -Eq '^vocabulary target: (49|50)[0-9]{3} words' || fail "not so many words: $("$MNEME" inspect corpus)"
exit $bad
