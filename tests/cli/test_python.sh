#!/bin/bash
# scripts/python/mneme.py reads what the program writes: the words of a corpus are those of the text, the parameters as many
# as the program counts, weights of attention sum to 1, and metrics are those of metrics.jsonl.
. "$SOURCE/tests/expect.sh"
: "${dir:?}" "${bad:?}" # expect.sh makes them
/usr/bin/python3 -c 'import h5py' 2>/dev/null || { echo "skipped: no python3-h5py"; exit 77; }
must 1 init csv .
must 1 pack csv.yaml
must 1 train csv.yaml --set train.epochs=2
parameters=$(sed -n 's/.*: \([0-9]*\) parameters.*/\1/p' err)
must 1 attend csv.yaml --split train --output att
PYTHONPATH=$SOURCE/scripts/python PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 - "$parameters" <<'PY' || fail "python: see above"
import csv, json, re, sys
import mneme

words, labels = mneme.vocabulary("corpus", "words"), mneme.vocabulary("corpus", "labels")
rows = list(csv.DictReader(open("reviews.csv", newline="")))
plain = sorted((" ".join(re.findall(r"\w+", r["text"].lower())), r["label"]) for r in rows)
read = []
for split in ("train", "valid"):
    texts, answers = list(mneme.examples("corpus", split, "text")), list(mneme.examples("corpus", split, "label"))
    assert len(texts) == len(answers) > 0, split
    for text, answer in zip(texts, answers):
        flat = " ".join(words[i] for sentence in text for i in sentence)
        read.append((" ".join(re.findall(r"\w+", flat)), labels[answer]))
assert sorted(read) == plain, (sorted(read)[:3], plain[:3])
assert sum(v.size for v in mneme.parameters("run").values()) == int(sys.argv[1]), "parameters"
seen = list(mneme.attention("att.h5"))
assert len(seen) > 5 and all(e["truth"] in labels and e["words"] for e in seen), seen[:2]
assert all(abs(e["views"][1].sum() - 1) < 1e-5 for e in seen), "weights over sentences"
lines = [json.loads(line) for line in open("run/metrics.jsonl")]
table = mneme.metrics("run")
assert len(table) == len(lines) and all(float(t["loss"]) == l["loss"] for t, l in zip(table, lines) if "loss" in l)
try:
    assert len(mneme.frame("run")) == len(table)
except ImportError:
    print("pandas is not there: frame() was not tried")
PY
/usr/bin/python3 -B "$SOURCE/scripts/python/mneme.py" corpus run att.h5 >out || fail "mneme.py as a program"
for line in "train-00000-of-00001.h5: " "parameter: word/embedding " "metrics: step " "attention: "; do
    grep -q "^$line" out || fail "mneme.py does not say '$line': $(head -5 out)"
done
exit $bad
