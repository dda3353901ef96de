#!/bin/bash
# Text that spells a mark of ours is text: measures of outputs while training are those of the outputs as text, a word
# that nobody knows equals none that a model writes, and what is read comes back as it was.
source "$(dirname "$0")/../expect.sh"
python=$(command -v python3) || { echo "skipped: python3 is not installed"; exit 77; }
"$python" - <<'PYTHON'
import random
random.seed(4)
# What an unknown word might be taken for. Each is what the model writes for a name that it cannot know.
mark = ["<unknown>", "\ufffd", "\uffed", "unknown", "a@@", "\xff"]
verb = {"ne": "runs", "mo": "sleeps", "ka": "sings"}
def pair(f, g, source, name):
    v = random.choice(list(verb))
    f.write(f"{source} {v} tu li .\n")
    g.write(f"{name} {verb[v]} very well .\n")
with open("train.src", "w") as f, open("train.tgt", "w") as g:
    for i in range(600): pair(f, g, f"x{i % len(mark)}", mark[i % len(mark)])
with open("test.src", "w") as f, open("test.tgt", "w") as g:
    for i in range(60): pair(f, g, f"x{i % len(mark)}", f"Rare{chr(97 + i % 26)}{chr(97 + i // 26)}")
PYTHON
cat >marks.yaml <<YAML
source: {name: parallel, train_source: train.src, train_target: train.tgt, test_source: test.src, test_target: test.tgt}
text: {words: space, lowercase: false, joiner: false}
data: {corpus: corpus}
model: {name: seq2seq, dim: 16, encoder: {hidden: 16}, attention: {score: {name: additive, width: 16}}}
task: {name: translation, texts: [bleu, rouge, chrf]}
train: {batch: 16, epochs: 6}
optim: {name: adam, lr: 0.01}
eval: {split: none, every_epochs: 0, final: []}
log: {tensorboard: false, report: false}
run: {folder: run}
YAML
must 1 pack marks.yaml
must 1 train marks.yaml
must 1 eval marks.yaml --set eval.split=test --checkpoint last --set eval.decode=greedy --json
cp out measured
must 1 translate marks.yaml test.src --checkpoint last --beam 1
cp out written
must 1 score test.tgt --input written --tokenize none --metrics bleu,rouge --width 6 --format json
cp out scored
"$python" - <<'PYTHON' || fail "measures of outputs are not those of their text: $(cat measured scored)"
import json
written = [line.split(" ")[0] for line in open("written").read().split("\n")[:-1]]
assert set(written) == {"<unknown>", "\ufffd", "\uffed", "unknown", "a@@", "\xff"}, set(written)
eval_of = json.load(open("measured"))
score = {m["name"].lower(): m["score"] for m in map(json.loads, open("scored"))}
assert 0 < eval_of["decoded/bleu"] < 90 and eval_of["decoded/exact"] == 0, eval_of
for name in ("bleu", "rouge1", "rouge2", "rougeL"):
    assert abs(eval_of["decoded/" + name] - score[name.lower()]) < 1e-4, (name, eval_of, score)
assert eval_of["decoded/chrf"] < 70, eval_of # not a letter of the names is right
PYTHON

# Words of the source that stand for unknown ones, whatever they spell; with subwords too.
cat >in <<'TEXT'
<unk> ne tu li .
<s> mo tu li .
</s> ka tu li .
<pad> ne tu li .
q@@ mo tu li .
</w> ka tu li .
TEXT
sed -i 's/^text: .*/text: {words: space, lowercase: false, joiner: false}\npack: {min_count: 1000}/; s/corpus: corpus/corpus: rare/; s/folder: run/folder: other/' marks.yaml
must 1 pack marks.yaml
must 1 train marks.yaml --set train.epochs=1
must 1 translate marks.yaml in --checkpoint last --json --set decode.unknown=replace --set decode.min_words=3
"$python" - <<'PYTHON' || fail "the source's words do not stand for unknown ones: $(cat out)"
import json
for line, source in zip(open("out"), open("in")):
    o = json.loads(line)
    assert o["text"] == " ".join(o["tokens"]) and len(o["tokens"]) >= 3, o
    assert set(o["tokens"]) <= set(source.split()), (o, source)
PYTHON
must 1 translate marks.yaml in --checkpoint last --score in
[ "$(wc -l <out)" = 6 ] || fail "six lines were to be scored: $(cat out)"
must 1 attend marks.yaml in --checkpoint last
exit $bad
