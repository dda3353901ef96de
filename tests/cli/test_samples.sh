#!/bin/bash
# What a model of sequences makes of the first examples, at each evaluation while training: the measures are those of what
# translate writes; the same on any number of ranks and after a resumption; training has the bits that it has without.
source "$(dirname "$0")/../expect.sh"
python=$(command -v python3) || { echo "skipped: python3 is not installed"; exit 77; }
"$python" - <<'PYTHON'
import random
random.seed(2)
words = {"Hund": "dog", "Katze": "cat", "Mann": "man", "Frau": "woman", "Haus": "house"}
for split, n in (("train", 400), ("valid", 40)):
    with open(split + ".de", "w") as f, open(split + ".en", "w") as g:
        for _ in range(n):
            a, b = random.choice(list(words)), random.choice(list(words))
            f.write(f"Ein {a}, (ein {b}) final_ rot.\n")
            g.write(f"A {words[a]}, (a {words[b]}) final_ red.\n")
PYTHON
cat >samples.yaml <<YAML
source: {name: parallel, train_source: train.de, train_target: train.en, valid_source: valid.de, valid_target: valid.en}
data: {corpus: corpus}
model: {name: seq2seq, dim: 24, encoder: {hidden: 32}}
task: {name: translation}
train: {batch: 16, epochs: 3, lanes: 2}
optim: {name: adam, lr: 0.01}
eval: {greedy: 30, shown: 4, final: [], measure: greedy/chrf}
YAML
must 1 pack samples.yaml
must 1 train samples.yaml --set run.folder=one
[ "$(grep -c '^mneme:   output  ' err)" = 12 ] && grep -q 'valid  loss .* greedy BLEU [0-9.]*  chrF [0-9.]*' err || fail "not shown: $(cat err)"
must 2 train samples.yaml --set run.folder=two
must 1 train samples.yaml --set run.folder=again --set train.epochs=1
must 2 train samples.yaml --set run.folder=again
must 1 train samples.yaml --set run.folder=without --set eval.greedy=0 --set eval.measure=loss
must 1 translate samples.yaml valid.de --checkpoint last --beam 1 --set run.folder=one
head -n 30 out >written
head -n 30 valid.en >wanted
must 1 score wanted --input written --metrics bleu,chrf --width 9 --format json
cp out scored
"$python" - <<'PYTHON' || fail "samples are not what they should be"
import glob, json, struct
rows = lambda folder: [json.loads(l) for l in open(folder + "/metrics.jsonl")]
def samples(folder):
    return [{k: v for k, v in r.items() if k != "time"} for r in rows(folder) if r["kind"] == "sample"]
one, source, target, written = samples("one"), *(open(f).read().split("\n") for f in ("valid.de", "valid.en", "written"))
assert len(one) == 12 and one == samples("two") == samples("again") and samples("without") == []
for i, s in enumerate(one[-4:]):
    assert s["step"] == 75 and s["split"] == "valid" and s["example"] == i, s
    assert (s["source"], s["target"], s["output"]) == (source[i], target[i], written[i]), s
valid = [r for r in rows("one") if r["kind"] == "valid"]
score = {m["name"].lower().rstrip("2"): m["score"] for m in map(json.loads, open("scored"))}
for name in ("bleu", "chrf"):
    assert 0 < score[name] and abs(valid[-1]["greedy/" + name] - score[name]) < 1e-6, (name, valid[-1], score)
assert [r["greedy/bleu"] for r in rows("two") if r["kind"] == "valid"] == [r["greedy/bleu"] for r in valid]
assert "greedy/chrf" in open("one/metrics.csv").readline()
assert "greedy/bleu" not in open("without/metrics.csv").readline()
losses = lambda folder: [r["loss"] for r in rows(folder) if r["kind"] in ("train", "valid")]
assert losses("one") == losses("without")

# The events: fields of protocol buffers, number, wire type, value.
def fields(b):
    i, out = 0, []
    def varint():
        nonlocal i
        n = shift = 0
        while True:
            n |= (b[i] & 127) << shift
            shift, i = shift + 7, i + 1
            if b[i - 1] < 128: return n
    while i < len(b):
        key = varint()
        wire = key & 7
        if wire == 0: v = varint()
        else:
            size = {1: 8, 5: 4}.get(wire) or varint()
            v, i = b[i:i + size], i + size
        out.append((key >> 3, v))
    return out
texts = []
for folder in ("one", "again"):
    data, at, found = open(glob.glob(folder + "/events/*")[0], "rb").read(), 0, []
    while at < len(data):
        size = struct.unpack("<Q", data[at:at + 8])[0]
        event = dict(fields(data[at + 12:at + 12 + size]))
        at += size + 16
        for _, value in fields(event.get(5, b"")):
            v = dict(fields(value))
            if 8 not in v or v[1].startswith(b"_hparams_/"): continue
            tensor = dict(fields(v[8]))
            assert v[1] == b"valid/samples" and v[9] == b"\x0a\x06\x0a\x04text", v
            assert tensor[1] == 7 and tensor[2] == b"\x12\x02\x08\x01", tensor
            found.append((event[2], tensor[8].decode()))
    assert [s for s, _ in found] == [25, 50, 75], found
    texts.append(found)
assert texts[0] == texts[1] and one[-1]["output"] in texts[0][-1][1]
page = open("one/report.html").read()
assert "<h2>Outputs" in page and one[-1]["output"] in page
PYTHON
exit $bad
