#!/bin/bash
# Corpora that do not hang together are refused before training starts, on every rank, with one message. Stories that
# lack something, and those that are longer than any before, are told or work.
. "$SOURCE/tests/expect.sh"
: "${dir:?}" "${bad:?}" # expect.sh makes them
cat >"$dir/run.yaml" <<YAML
source: {name: stories, tasks: [one_fact], train: 12, valid: 0, test: 6}
pack: {shards: 3}
data: {corpus: corpus}
model: {name: memn2n, hops: 2, dim: 4, memory: 10}
task: {name: answer}
train: {batch: 4, epochs: 1}
log: {tensorboard: false, report: false, stall: 60s}
run: {folder: run}
YAML
must 2 pack run.yaml
must 1 pack run.yaml --set source.seed=7 --set data.corpus=other
must 1 train run.yaml
[ "$(grep -c '"kind": "valid"' run/metrics.jsonl)" = 0 ] || fail "an empty split was evaluated"
shard=$dir/corpus/train-00001-of-00003.h5
refused() { # refused RANKS STATUS TEXT: training and evaluation, and nothing is written
    expect "$1" "$2" "mneme: $3" train run.yaml --set run.folder=new
    [ ! -e new ] || fail "$3: a run's folder was made"
    rm -rf "$dir/corpus" && cp -r "$dir/whole" "$dir/corpus"
}
cp -r corpus whole
size=$(stat -c %s "$shard")
truncate -s -7 "$shard"
refused 2 65 "on rank 1: $shard: shard 1 of split train: found $((size - 7)) bytes, expected $size"
printf '\377' | dd of="$shard" bs=1 seek=$((size / 2)) conv=notrunc status=none
digest=$(tr -d '\n' <corpus/index.json | grep -o 'train-00001[^}]*' | grep -o '"xxh3": "[0-9a-f]*' | sed 's/.*"//')
"$MNEME" train run.yaml --set run.folder=new 2>err
grep -q "^mneme: $shard: shard 1 of split train is damaged or was changed: found digest [0-9a-f]*, expected $digest\$" err || fail "a flipped bit: $(cat err)"
refused 1 65 "$(sed -n 's/^mneme: //p' err)"
rm "$shard"
refused 2 66 "on rank 1: $shard: shard 1 of split train is missing"
cp other/train-00001-of-00003.h5 "$shard"
refused 1 65 "$(timeout 60 "$MNEME" train run.yaml --set run.folder=new 2>&1 | sed -n 's/^mneme: //p')"
sed -i 's/train-00002-of/train-00001-of/' corpus/index.json
refused 1 65 "$dir/corpus/index.json: shards 1 and 2 of split train are the same file train-00001-of-00003.h5"
cp other/words.vocab.h5 corpus/words.vocab.h5
"$MNEME" train run.yaml --set run.folder=new 2>err
refused 1 65 "$(sed -n 's/^mneme: //p' err)"
grep -q "vocab.* words.vocab.h5\|words.vocab.h5: vocabulary" err || fail "another vocabulary: $(cat err)"
rm -r corpus
refused 2 66 "$dir/corpus: there is no such folder; mneme pack makes a corpus"
echo '{' >corpus/index.json
refused 1 65 "$dir/corpus/index.json:2:0: string or '}' expected near end of file"
expect 1 65 "mneme: $dir/other: the corpus has no examples in split valid" eval run.yaml --set data.corpus=other --split valid

# A checkpoint and a corpus that do not belong together.
checkpoint=$(find "$dir/run/checkpoints" -name '*.h5' | sort | tail -n 1)
must 1 pack run.yaml --set 'source.tasks=[two_facts]' --set data.corpus=facts
vocabulary() { grep -o '"digest": "[0-9a-f]*"' "$1/index.json" | sed -n '1s/.*"\(.*\)"/\1/p'; }
expect 2 65 "mneme: $checkpoint: belongs to a corpus with the vocabulary $(vocabulary corpus), this one has $(vocabulary facts)" \
    eval run.yaml --set data.corpus=facts

# A model that reads what the corpus has not.
cat >reviews.yaml <<YAML
source: {name: reviews, train: 12, valid: 3, test: 6}
data: {corpus: reviews}
model: {name: memn2n}
task: {name: answer}
run: {folder: new}
YAML
must 1 pack reviews.yaml
for command in "train reviews.yaml" "train reviews.yaml --dry-run"; do
    # shellcheck disable=SC2086 # words
    expect 1 78 "mneme: $dir/reviews: model memn2n reads a field of role query with 1 levels (words); the corpus has the fields: text (input, 2 levels), label (target, 0), key_sentence (gold, 1), key_word (gold, 1)" $command
done

# Questions.
ask() { printf '%s\n' "$1" >lines; }
ask '{"story": [], "question": "where is anna"}'
expect 1 65 "mneme: lines:1: a story without sentences" predict run.yaml lines
ask '{"story": ["anna went to the park"], "question": " "}'
expect 2 65 "mneme: on rank 1: lines:1: a question without words" predict run.yaml lines
ask '{"story": ["anna went to the park"]}'
expect 1 65 'mneme: lines:1: {"story": ["...", ...], "question": "..."} was expected' predict run.yaml lines
ask '{"story": ["anna went to the park", 3], "question": "where"}'
expect 1 65 "mneme: lines:1: sentence 2 of the story is not a string with words" predict run.yaml lines
many=$(yes '"anna went to the park",' | head -n 1000 | tr -d '\n')
ask "{\"story\": [$many \"anna went on\"], \"question\": \"where is anna $(yes where | head -n 5000 | tr '\n' ' ')\"}"
must 1 predict run.yaml lines
must 1 attend run.yaml lines --output "$dir/look"
exit $bad
