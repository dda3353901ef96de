#!/bin/bash
# Text that cannot be packed, and odd text that can: one message, nothing half-written.
. "$SOURCE/tests/expect.sh"
: "${dir:?}" "${bad:?}" # expect.sh makes them
cat >"$dir/docs.yaml" <<YAML
source: {name: jsonl, train: [train.jsonl], valid: [valid.jsonl]}
data: {corpus: corpus}
model: {name: han, dim: 4, word: {hidden: 3}, sentence: {hidden: 3}}
task: {name: classification}
train: {batch: 2, epochs: 1}
log: {tensorboard: false, report: false}
run: {folder: run}
YAML
row() { echo "{\"text\": \"$1\", \"label\": \"$2\"}"; }
{ row "good food here. we liked it" good; row "bad food. never again" bad; } >"$dir/train.jsonl"
row "good" good >"$dir/valid.jsonl"
nothing() { [ -z "$(find "$dir" -path '*corpus*' | head -n 1)" ] || fail "$1: left behind: $(find "$dir" -path '*corpus*')"; }
pack() { # pack RANKS STATUS TEXT [WORDS...]
    expect "$1" "$2" "mneme: $3" pack "$dir/docs.yaml" "${@:4}"
    nothing "$3"
}
one() { pack 1 "$@"; }

pack 2 66 "source.train: no file matches $dir/none.jsonl" --set "source.train=[none.jsonl]"
: >"$dir/empty.jsonl"
one 65 "$dir/empty.jsonl: the file is empty" --set "source.train=[empty.jsonl]"
printf '\177ELF\1\2\0\0\0\n' >"$dir/binary.jsonl"
pack 2 65 "$dir/binary.jsonl:1: not text: a 0 byte at byte 7" --set "source.train=[binary.jsonl]"
printf '{"text": "caf\351", "label": "good"}\n' >"$dir/latin1.jsonl"
one 65 "$dir/latin1.jsonl:1: not UTF-8 at byte 14" --set "source.train=[latin1.jsonl]"
row "good" excellent >"$dir/never.jsonl"
pack 2 65 "$dir/never.jsonl:1: label: \"excellent\" never comes in the split train" --set "source.valid=[never.jsonl]"
{ row "good" good; echo '{"text": "broken'; } >"$dir/broken.jsonl"
one 65 "$dir/broken.jsonl:2:16: premature end of input near '\"broken'" --set "source.train=[broken.jsonl]"
echo '{"label": "good"}' >"$dir/nothing.jsonl"
one 65 "$dir/nothing.jsonl:1: the key \"text\" is missing" --set "source.train=[nothing.jsonl]"
mkdir "$dir/folder"
one 66 "$dir/folder: a folder, a file was expected" --set "source.train=[folder]"

# A document without words is a fault, or it is left out, said, and counted; 100,000 words in a sentence work.
{ cat "$dir/train.jsonl"; row "" good; row "  " bad; } >"$dir/wordless.jsonl"
one 65 "$dir/wordless.jsonl:3: a document without words" --set "source.train=[wordless.jsonl]"
must 1 pack "$dir/docs.yaml" --set "source.train=[wordless.jsonl]" --set source.empty=skip
said "mneme: $dir/corpus: 2 examples in train"
said "mneme: warning: $dir/corpus: 2 records without words were left out"
{ cat "$dir/train.jsonl"; row "$(yes word | head -n 100000 | tr '\n' ' ')" good; } >"$dir/long.jsonl"
must 2 pack "$dir/docs.yaml" --replace --set "source.train=[long.jsonl]"
must 1 train "$dir/docs.yaml"
{ echo; head -c 400000 /dev/zero | tr '\0' 'a'; echo; row "$(yes word | head -n 100000 | tr '\n' ' ')" good; } >"$dir/lines"
must 1 predict "$dir/docs.yaml" "$dir/lines"
[ "$(grep -c '"probability"' "$dir/out")" = 2 ] || fail "predict: $(head -c 1000 "$dir/out")"
expect 1 78 "mneme: $dir/corpus: holds a corpus already; --replace packs it anew" pack "$dir/docs.yaml"
exit $bad
