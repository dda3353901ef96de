#!/bin/bash
# Captions from rows of numbers, as configuration alone: packed, trained, decoded exactly, asked line by line, and the
# same outputs for any batch and number of ranks.
. "$SOURCE/tests/expect.sh"
# Scenes of one to three things, each a colour and a shape; the caption names them from left to right.
awk 'BEGIN {
    split("red green blue", colour, " "); split("ball cube cone", shape, " ")
    for (e = 0; e < 240; e++) {
        rows = text = ""
        for (i = 0; i <= e % 3; i++) {
            c = (e * 5 + i * 7 + int(e / 3)) % 3; s = (e * 11 + i * 4 + int(e / 5)) % 3
            row = i; for (k = 0; k < 3; k++) row = row ", " (k == c) ", " (k == s)
            rows = rows (i ? ", " : "") "[" row "]"; text = text (i ? " " : "") colour[c + 1] " " shape[s + 1]
        }
        print "{\"features\": [" rows "], \"target\": \"" text "\"}" >(e < 200 ? "train.jsonl" : "test.jsonl")
    }
}'
cat >captions.yaml <<YAML
source: {name: features, train: [train.jsonl], valid: [test.jsonl], test: [test.jsonl], width: 7}
data: {corpus: captions}
model:
  name: seq2seq
  dim: 12
  encoder: {name: features, hidden: 16}
  decoder: {cell: gru, hidden: 24, bridge: mean}
task: {name: translation}
train: {batch: 16, epochs: 30, clip_norm: 1}
optim: {name: adam, lr: 0.01}
eval: {decode: greedy}
log: {tensorboard: false}
run: {folder: run}
YAML
must 1 pack captions.yaml
must 1 train captions.yaml
must 1 eval captions.yaml --split test
grep -qE 'decoded/exact +1(\.0+)?$' out || fail "not every caption is exact: $(grep exact out)"
sed 's/, "target".*/}/' test.jsonl >in
sed 's/.*"target": "\(.*\)"}/\1/' test.jsonl >want
must 1 translate captions.yaml in
cmp out want || fail "captions differ from the truth"
cp out one
must 2 translate captions.yaml in --set decode.batch=3
cmp out one || fail "captions hang on ranks or batch"
must 1 translate captions.yaml in --links
[ "$(wc -l <out)" = 40 ] || fail "$(wc -l <out) lines of links"
must 1 attend captions.yaml --split test --inputs 3
expect 1 78 "mneme: bridge copy: the encoder is not recurrent and leaves no last state; use bridge mean or zero" \
    train captions.yaml --set model.decoder.bridge=copy --set run.folder=other
