#!/bin/bash
# Training of pairs of sequences: no bit depends on the ranks with lanes, no figure on ranks or batches; batches of so
# many words; stopped and gone on in the midst of an epoch; the loss is per word.
. "$SOURCE/tests/expect.sh"
# Pairs: words of the source in capitals and turned round; lengths 1 to 9.
for split in train valid; do
    n=90
    [ $split = train ] || n=37
    awk -v n=$n -v name="$split" 'BEGIN {
        for (i = 0; i < n; i++) {
            source = target = ""
            for (j = 0; j <= (i * 7 + length(name)) % 9; j++) {
                w = substr("abcdefghij", 1 + (i * 13 + j * j * 5) % 10, 1)
                source = source (j ? " " : "") w
                target = toupper(w) (j ? " " : "") target
            }
            print source > (name ".a")
            print target > (name ".b")
        }
    }'
done
cat >pairs.yaml <<YAML
source: {name: parallel, train_source: train.a, train_target: train.b, valid_source: valid.a, valid_target: valid.b}
pack: {shards: 3, min_count: 1}
data: {corpus: corpus, window: 2}
model: {name: seq2seq, dim: 8, encoder: {hidden: 8}}
task: {name: translation, label_smoothing: 0.1}
train: {batch: 60, batch_unit: words, epochs: 2, lanes: 3, clip_norm: 5}
optim: {name: adam, lr: 0.01}
eval: {final: [valid]}
checkpoint: {keep_last: 100, every_steps: 3, background: false}
log: {every_steps: 1, tensorboard: false, report: false, csv: false, stall: 60s}
YAML
train() { must "$2" train pairs.yaml --set run.folder="$dir/$1" "${@:3}"; } # train FOLDER RANKS WORDS...
last() { find "$1/checkpoints" -name 'step-*.h5' | sort | tail -n 1; }
digest() { "$MNEME" inspect "$(last "$1")" | awk '$1 == "digest" {print $2}'; }
rows() { sed -n 's/.*"step": \([0-9]*\),.*"kind": "\([a-z_]*\)".*"loss": \([0-9.e-]*\),.*/\1 \2 \3/p' "$1/metrics.jsonl"; }
must 1 pack pairs.yaml

for ranks in 1 2 3; do train "lanes$ranks" $ranks; done
grep -qE '^mneme: epoch 2  valid  loss [0-9.]+  perplexity [0-9.]+  greedy BLEU [0-9.]+  chrF [0-9.]+$' err || fail "the line of a validation: $(cat err)"
[ -n "$(digest lanes1)" ] || fail "no digest"
for ranks in 2 3; do
    [ "$(digest lanes1)" = "$(digest lanes$ranks)" ] || fail "with lanes the bits differ on 1 and $ranks ranks"
    diff <(rows lanes1) <(rows lanes$ranks) || fail "with lanes the rows differ on 1 and $ranks ranks"
done
# 90 examples with 540 words and their ends: 60 words a batch are 10 examples, 9 batches an epoch
[ "$(rows lanes1 | grep -c ' train ')" = 18 ] || fail "not 9 steps an epoch: $(rows lanes1)"

# Stopped after step 3 of 9, on with another number of ranks.
cp -r lanes2 moved
rm moved/finished.json
for f in moved/checkpoints/step-*.h5; do [ "$f" \> moved/checkpoints/step-000000003.h5 ] && rm "$f"; done
train moved 3
grep -q 'going on from .*step-000000003.h5' err || fail "moved: $(cat err)"
[ "$(digest moved)" = "$(digest lanes1)" ] || fail "stopped on 2 ranks and gone on with 3: the bits differ"

# Without lanes only rounding differs; by examples too.
for unit in words examples; do
    for ranks in 1 2; do train $unit$ranks $ranks --set train.lanes=0 --set train.batch_unit=$unit; done
    paste -d ' ' <(rows ${unit}1) <(rows ${unit}2) |
        awk '{d = $3 - $6; if (d < 0) d = -d; if ($1 != $4 || d > 1e-4 * $3) exit 1} END {if (NR < 3) exit 1}' ||
        fail "batches of $unit: 1 and 2 ranks differ: $(rows ${unit}1) $(rows ${unit}2)"
done

# The figures of an evaluation: the same on any ranks and batch. The loss is that of a word.
must 1 eval pairs.yaml --set run.folder="$dir/lanes1" --split valid --json
mv out want
for ranks in 1 2 3; do
    must $ranks eval pairs.yaml --set run.folder="$dir/lanes1" --split valid --json --set eval.batch=$((ranks * 3 - 2))
    diff want out || fail "eval on $ranks ranks differs"
done
python3 - want <<'PYTHON' || fail "figures: $(cat want)"
import json, math, sys
text = open(sys.argv[1]).read()
m = json.loads(text)
def find(x, name):
    if isinstance(x, dict):
        if name in x and isinstance(x[name], (int, float)): return x[name]
        for v in x.values():
            r = find(v, name)
            if r is not None: return r
    if isinstance(x, list):
        for v in x:
            r = find(v, name)
            if r is not None: return r
loss, perplexity = find(m, "loss"), find(m, "perplexity")
words = sum(len(line.split()) + 1 for line in open("valid.b"))
ok = abs(math.exp(loss) - perplexity) < 1e-9 * perplexity and find(m, "tokens") == words and find(m, "examples") == 37
ok = ok and 1 < perplexity < 15 and 0 <= find(m, "token_accuracy") <= 1 and 0 <= find(m, "sequence_accuracy") <= 1
sys.exit(0 if ok else 1)
PYTHON

expect 2 78 "mneme: data.max_words is 5, but would cut the sequences of field target in their midst: caps of pairs belong to section pack, which leaves out pairs that are too long" \
    train pairs.yaml --set run.folder="$dir/capped" --set data.max_words=5
expect 1 78 "mneme: --set 2: task.name: task classification takes classes, but model seq2seq predicts words" train pairs.yaml --set run.folder="$dir/task" --set task.name=classification
exit $bad
