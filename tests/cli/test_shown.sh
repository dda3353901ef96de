#!/bin/bash
# Labels, words, values, names of files and of HDF5 objects that hold what a terminal obeys: no command lets it through,
# and JSON keeps the value.
. "$SOURCE/tests/expect.sh"
: "${dir:?}" "${bad:?}" # expect.sh makes them
cat >"$dir/quiet.py" <<'PY'
import sys, unicodedata
for name in sys.argv[1:]:
    text = open(name, "rb").read().decode("utf-8")  # strict
    for i, c in enumerate(text):
        acts = unicodedata.category(c) == "Cc" and c not in "\n\t" or c in "\u2028\u2029\ufeff\ufffe\uffff\u061c\u200e\u200f" \
            or "\u202a" <= c <= "\u202e" or "\u2066" <= c <= "\u2069"
        if acts: sys.exit(f"{name}: U+{ord(c):04X} at {i}: {text[max(0, i - 60):i + 20]!r}")
    for line in text.split("\n"):
        if line.startswith("FAKE"): sys.exit(f"{name}: a faked line: {text!r}")
PY
# shown RANKS WORDS...: whatever the status
shown() {
    on "$@" >"$dir/out" 2>"$dir/err"
    python3 "$dir/quiet.py" "$dir/out" "$dir/err" || fail "$*"
    cat "$dir/out" "$dir/err" >>"$dir/all"
}
odd=$'\nFAKE\ec\e]0;t\a\r\u0085\u202e\u2028\u200f'
json='\nFAKE\u001bc\u001b]0;t\u0007\r\u0085\u202e\u2028\u200f'
folder="$dir/f$odd"
mkdir "$folder"
cat >"$folder/c.yaml" <<YAML
source: {name: jsonl, train: [train.jsonl], valid: [train.jsonl], test: [train.jsonl]}
data: {corpus: corpus}
model: {name: han, dim: 4, word: {hidden: 3}, sentence: {hidden: 3}}
task: {name: classification}
train: {batch: 2, epochs: 2}
log: {tensorboard: false}
run: {folder: run}
YAML
for label in good bad "x$json"; do
    for word in food "w$json"; do echo "{\"text\": \"$word here. we liked $word\", \"label\": \"$label\"}"; done
done >"$folder/train.jsonl"
echo "{\"text\": \"food\", \"label\": \"y$json\"}" >"$folder/other.jsonl"

shown 2 pack "$folder/c.yaml"
shown 1 pack "$folder/c.yaml"
shown 1 pack "$folder/c.yaml" --set "source.valid=[other.jsonl]" --set "data.corpus=o$odd"
shown 1 pack "$folder/c.yaml" --set "source.train=[t$odd]" --set "data.corpus=o$odd"
shown 1 train "$folder/c.yaml" --dry-run
shown 2 train "$folder/c.yaml"
[ -f "$folder/run/finished.json" ] || fail "it did not train: $(cat "$dir/err")"
shown 1 train "$folder/c.yaml" --set "train.batch=3$odd"
shown 1 train "$folder/c.yaml" --set "o$odd=3"
shown 1 train "$folder/c.yaml" --set "eval.split=a$odd"
shown 1 train "$folder/c.yaml" --set "model.name=$odd"
shown 1 train "$folder/c.yaml" "--o$odd"
shown 1 "c$odd"
shown 1 eval "$folder/c.yaml"
shown 1 eval "$folder/c.yaml" --json
python3 -c 'import json, sys; json.loads(sys.stdin.read())' <"$dir/out" || fail "eval --json"
shown 1 eval "$folder/c.yaml" --split "a$odd"
shown 1 eval "$folder/c.yaml" --require "a$odd=3"
shown 1 config "$folder/c.yaml"
printf 'food here\n\n' >"$folder/lines"
shown 1 predict "$folder/c.yaml" "$folder/lines"
python3 -c 'import json, sys
x = json.loads("\"x" + sys.argv[1] + "\"")
lines = [json.loads(line) for line in sys.stdin]
sys.exit(not lines or not all(x in a["probabilities"] for a in lines))' "$json" <"$dir/out" || fail "predict: $(cat "$dir/out")"
printf 'food \xff\n' >"$folder/lines"
shown 1 predict "$folder/c.yaml" "$folder/lines"
shown 1 predict "$folder/c.yaml" "$folder/no$odd"
shown 1 attend "$folder/c.yaml" --output "$folder/a"
shown 1 attend "$folder/a.h5" --output "$folder/b"
shown 1 inspect "$folder/a.h5"
shown 1 inspect "$folder/run"
shown 1 inspect "$folder/corpus"
for file in "$folder"/corpus/*.h5 "$folder"/run/checkpoints/*.h5 "$folder/lines" "$folder/c.yaml"; do shown 1 inspect "$file"; done
shown 1 doctor "$folder"
shown 1 links "$folder/no$odd"
shown 1 score "$folder/lines" --reference "$folder/no$odd"
shown 1 lengths "$folder/no$odd" --source "$folder/lines" --reference "$folder/lines"
for key in label x.vocab.h5 jsonl; do # names in an index: of a field, a file, an importer
    cp -r "$folder/corpus" "$dir/forged"
    sed -i "s/${key}/q${json//\\/\\\\}/" "$dir/forged/index.json"
    shown 1 inspect "$dir/forged"
    rm -r "$dir/forged"
done
/usr/bin/python3 - "$dir" "$json" <<'PY' || fail "h5py"
import sys
try: import h5py
except ImportError: sys.exit(print("without python3-h5py: names of HDF5 objects are not tried"))
name = eval('"' + sys.argv[2] + '"').replace("/", "")
for kind in "mneme-checkpoint", "mneme shard", "mneme vocabulary", "mneme-attention", "z" + name:
    with h5py.File(f"{sys.argv[1]}/odd-{kind[:13]}.h5", "w") as f:
        f.attrs["format"] = kind
        f.attrs["split"] = f.attrs["model"] = f.attrs["program"] = name
        for key in "version", "shard", "shards", "first", "examples", "step": f.attrs[key] = 1
        f.create_group(name).create_dataset("values" + name, data=[1, 2])
PY
for file in "$dir"/odd-*.h5; do [ -f "$file" ] && shown 1 inspect "$file"; done
grep -qF 'FAKE\x1bc\x1b]0;t\x07\r\u0085\u202e\u2028\u200f' "$dir/all" || fail "nothing was escaped"
exit $bad
