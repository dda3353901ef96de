#!/bin/bash
# Pretrained vectors from GloVe and word2vec files: found words start from them, whatever the format, compression and
# number of ranks; a checkpoint needs no file of vectors; what does not fit is one message before training.
set -u
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
bad=0
fail() { echo "$*"; bad=1; }
python=$(command -v python3) || { echo "skipped: python3 is not installed"; exit 77; }
cat >"$dir/run.yaml" <<YAML
source: {name: jsonl, train: train.jsonl, test: test.jsonl, valid_share: 0.2}
text: {punctuation: false}
data: {corpus: corpus, vectors: v.txt}
model: {name: han, embedding: pretrained, frozen: true, dim: 4, word: {hidden: 3}, sentence: {hidden: 3}}
task: {name: classification}
train: {batch: 20, epochs: 1, ema: 0.9}
log: {tensorboard: false, report: false}
run: {folder: run}
YAML
# Documents of 20 words, vectors of every other of them and of words that are in no document.
"$python" - "$dir" <<'PYTHON' || fail "no files"
import gzip, json, lzma, struct, sys
folder = sys.argv[1]
words = ["word" + a + b for a in "abcd" for b in "klmno"]
for name, n in ("train", 60), ("test", 20):
    with open(f"{folder}/{name}.jsonl", "w") as f:
        for i in range(n):
            text = " ".join(words[(i * 7 + k * k) % 20] for k in range(9))
            print(json.dumps({"text": text + ". " + words[i % 20] + ".", "label": "ab"[i % 2]}), file=f)
known = {w: [i + 1.0, i + 0.25, -0.5 * i, 0.125] for i, w in enumerate(words[::2])}
vectors = list(known.items()) + [("seldom", [9.0] * 4), ("42", [8.0] * 4)]
line = lambda w, v: (w + " " + " ".join(repr(x) for x in v) + "\n").encode()
glove = b"".join(line(w, v) for w, v in vectors)
open(folder + "/v.txt", "wb").write(glove)
gzip.open(folder + "/v.txt.gz", "wb").write(glove)
lzma.open(folder + "/v.txt.xz", "wb").write(glove)
head = b"%d 4\n" % len(vectors)
open(folder + "/w.txt", "wb").write(head + glove)
with open(folder + "/w.bin", "wb") as f:
    f.write(head)
    for w, v in vectors:
        f.write(w.encode() + b" " + struct.pack("<4f", *v) + b"\n")
open(folder + "/other.txt", "wb").write(b"QQQ 1 2 3 4\n")
mean = [sum(v[c] for _, v in vectors) / len(vectors) for c in range(4)]
json.dump([list(known.values()), mean], open(folder + "/truth.json", "w"))
PYTHON
"$MNEME" pack "$dir/run.yaml" 2>"$dir/log" || fail "pack failed: $(cat "$dir/log")"

last() { find "$dir/$1/checkpoints" -name 'step-*.h5' | sort | tail -n 1; }
digest() { "$MNEME" inspect "$(last "$1")" | sed -n 's/^ *digest *//p'; }
train() { # train NAME RANKS SET...
    local name=$1 ranks=$2 sets=() set
    shift 2
    for set in run.folder="$dir/$name" "$@"; do sets+=(--set "$set"); done
    local launch=(mpirun --oversubscribe -np "$ranks")
    [ "$ranks" -gt 1 ] || launch=()
    timeout 100 "${launch[@]}" "$MNEME" train "$dir/run.yaml" "${sets[@]}" >"$dir/log" 2>&1
}
train glove 1 || fail "glove: $(cat "$dir/log")"
grep -q "v.txt: vectors of 10 of the 20 words of the vocabulary; the other words start at random" "$dir/log" ||
    fail "glove: no word about the words that were found: $(cat "$dir/log")"
want=$(digest glove)
[ -n "$want" ] || fail "glove: no digest"
same() { # same NAME RANKS SET...: the same checkpoint
    train "$@" || fail "$1: $(cat "$dir/log")"
    [ "$(digest "$1")" = "$want" ] || fail "$1: the checkpoint differs"
}
same gzip 1 data.vectors="$dir/v.txt.gz"
same xz 1 data.vectors="$dir/v.txt.xz"
same word2vec 1 data.vectors="$dir/w.txt" data.vectors_format=word2vec
same binary 1 data.vectors="$dir/w.bin" data.vectors_format=word2vec_binary
train two 2 || fail "two ranks: $(cat "$dir/log")"

# The rows in the checkpoint, and their moving average, are the vectors that were written above.
for name in glove two; do
    if /usr/bin/python3 -c 'import h5py' 2>/dev/null; then
        /usr/bin/python3 - "$dir/truth.json" "$(last $name)" <<'PYTHON' || fail "$name: the checkpoint's rows are not the vectors"
import h5py, json, sys
known, mean = json.load(open(sys.argv[1]))
tables = []
def visit(name, item):
    if name in ("parameters/word/embedding", "average/word/embedding"): tables.append(item[()])
with h5py.File(sys.argv[2]) as f: f.visititems(visit)
assert len(tables) == 2, "the parameters and their average"
for table in tables:
    assert table.shape == (24, 4) and not table[0].any()
    assert abs(table[1] - mean).max() < 1e-6, "of the unknown word"
    rows = table[4:].tolist()
    assert all(v in rows for v in known)
    drawn = [r for r in rows if r not in known]
    assert len(drawn) == 10 and all(abs(x) < 1 for r in drawn for x in r)
PYTHON
    fi
done

# A model that is trained needs no vectors any more.
mv "$dir/v.txt" "$dir/gone.txt"
"$MNEME" eval "$dir/run.yaml" --set run.folder="$dir/glove" >"$dir/log" 2>&1 || fail "eval: $(cat "$dir/log")"
train glove 1 train.epochs=2 || fail "going on: $(cat "$dir/log")"
# But another file of the name is not what it began with; the one before is.
cp "$dir/other.txt" "$dir/v.txt"
train glove 2 train.epochs=3
[ $? = 78 ] && grep -q "another corpus or file changes the mathematics of the run:" "$dir/log" &&
    grep -q "^data.vectors: a file with digest [0-9a-f]\{32\} -> [0-9a-f]\{32\}$" "$dir/log" ||
    fail "another file of vectors: $(cat "$dir/log")"
cp "$dir/gone.txt" "$dir/v.txt"
train glove 1 train.epochs=3 || fail "the file of before: $(cat "$dir/log")"
rm "$dir/v.txt"

refused() { # refused CODE TEXT SET...: exit status and last words, and nothing trained
    local code=$1 text=$2 got
    shift 2
    train refused "$ranks" "$@"
    got=$?
    [ $got = "$code" ] || fail "exit $got instead of $code: $(cat "$dir/log")"
    [ "$(grep -cF "$text" "$dir/log")" = 1 ] || fail "not said once: $text
$(cat "$dir/log")"
    [ -z "$(find "$dir/refused" -name '*.h5' 2>/dev/null)" ] || fail "it was trained in spite of: $text"
}
ranks=2
refused 66 "$dir/v.txt: No such file or directory"
refused 78 "$dir/run.yaml:4:31: model.embedding: embedding is pretrained, but data.vectors names no file of vectors" data.vectors=
ranks=1
refused 65 "$dir/gone.txt:1: vectors of 4 numbers; the model needs 5" data.vectors="$dir/gone.txt" model.dim=5
refused 65 "$dir/w.txt:1: vectors of 1 numbers; the model needs 4" data.vectors="$dir/w.txt"
refused 65 "$dir/other.txt: none of its 1 words is in the vocabulary of $dir/corpus; is one in lower case only?" data.vectors="$dir/other.txt"
refused 78 "data.vectors_format: expected one of glove, word2vec, word2vec_binary; found fasttext" data.vectors="$dir/gone.txt" data.vectors_format=fasttext
exit $bad
