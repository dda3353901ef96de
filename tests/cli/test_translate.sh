#!/bin/bash
# mneme translate: lines in, outputs out. The same bytes on 1 to 4 ranks and for batches of 1, 7 and 64 lines, whatever is
# asked for; blank lines stay; given outputs are scored as the search scores them; what is wrong is said in one line.
source "$(dirname "$0")/../expect.sh"
python=$(command -v python3) || { echo "skipped: python3 is not installed"; exit 77; }
cat >pairs.yaml <<YAML
source: {name: reverse, train: 2000, valid: 50, test: 100, symbols: 12, min_words: 2, max_words: 8}
data: {corpus: pairs}
model: {name: seq2seq, dim: 24, encoder: {hidden: 32}}
task: {name: translation}
train: {batch: 32, epochs: 8}
eval: {decode: greedy, measure: decoded/bleu}
optim: {name: adam, lr: 0.005}
log: {tensorboard: false, report: false}
run: {folder: run}
YAML
must 1 pack pairs.yaml
must 1 train pairs.yaml
"$python" - <<'PYTHON'
import random
random.seed(1)
with open("in", "w") as f, open("want", "w") as g:
    for i in range(150):
        words = [str(random.randrange(12)) for _ in range(random.randint(2, 8))]
        if i % 11 == 5: words = []
        f.write((" \t" if i == 5 else " ".join(words)) + ("\r\n" if i == 7 else "\n"))
        g.write(" ".join(words[::-1]) + "\n")
PYTHON
[ "$(sed -n 6p in)" = $' \t' ] || fail "line 6 of the input is not blank"

# Outputs are measured while training and afterwards, the same on any number of ranks and for any batch.
grep -q '"decoded/bleu"' run/metrics.jsonl || fail "outputs were not measured while training"
must 1 eval pairs.yaml --set eval.decode=beam --json
cp out measured
for batch in 7 200; do
    must 3 eval pairs.yaml --set eval.decode=beam --json --set eval.batch=$batch
    cmp out measured || fail "other measures of outputs on 3 ranks, batch $batch"
done
"$python" - <<'PYTHON' || fail "measures of outputs: $(cat measured)"
import json
m = json.load(open("measured"))
assert m["decoded/exact"] >= 0.8 and m["decoded/bleu"] > 85 and m["decoded/cut"] == 0, m
assert abs(m["decoded/length"] - 1) < 0.02 and m["decoded/aer"] < 0.1, m
PYTHON
must 1 eval pairs.yaml --json --set 'task.texts=[chrf, gleu, rouge]'
grep -q '"decoded/chrf": .*"decoded/gleu": .*"decoded/rouge1": .*"decoded/rougeLsum": .*"decoded/length": ' out ||
    fail "outputs are not measured by task.texts: $(cat out)"

# What it learnt, line by line.
must 1 translate pairs.yaml in
same=$(paste -d'|' out want | awk -F'|' '$1 == $2' | wc -l)
[ "$(wc -l <out)" = 150 ] && [ "$same" -ge 120 ] || fail "$same of 150 lines are reversed"
[ "$(paste -d'|' in out | grep -cE '^[[:space:]]*\|$')" = 14 ] || fail "blank lines are not answered by blank lines"
cp out plain

# The same bytes for every batch and every number of ranks.
variants=("--json --nbest 3" "--nbest 5 --set decode.length_penalty=average --set decode.coverage=0.3"
    "--json --set decode.search=sample --nbest 2 --set decode.temperature=1.5 --set decode.top=6"
    "--beam 40 --links --set decode.block=1 --set decode.stop=bound" "--beam 1")
for i in "${!variants[@]}"; do
    read -ra words <<<"${variants[$i]}"
    must 1 translate pairs.yaml in "${words[@]}"
    mv out first
    for batch in 1 7; do
        must 1 translate pairs.yaml in "${words[@]}" --set decode.batch=$batch
        cmp out first || fail "${variants[$i]}: other bytes with batch $batch"
    done
    must $((2 + i % 3)) translate pairs.yaml in "${words[@]}"
    cmp out first || fail "${variants[$i]}: other bytes on $((2 + i % 3)) ranks"
    mv first "variant-$i"
done
"$MNEME" translate pairs.yaml <in 2>err | cmp - plain || fail "standard input is answered otherwise"
must 2 predict pairs.yaml in --set decode.nbest=3
cmp out variant-0 || fail "predict does not answer as translate --json"

# Scores: of its own outputs those that the search gave; of others worse ones, but for those that were cut.
must 1 translate pairs.yaml in --json --set decode.length_penalty=none --set decode.stop=bound
mv out none
must 3 translate pairs.yaml in --score plain
mv out scores
"$python" - <<'PYTHON' || fail "the answers do not agree with each other"
import json
read = lambda name: open(name, encoding="utf-8").read().split("\n")[:-1]
source, plain, scores = read("in"), read("plain"), read("scores")
one, best = [json.loads(x) for x in read("variant-0")], [json.loads(x) for x in read("none")]
assert len(one) == len(best) == len(scores) == 150
for i, (a, b) in enumerate(zip(one, best)):
    assert a["line"] == i + 1 and a["text"] == plain[i]
    if not source[i].strip():
        assert a == {"line": i + 1, "text": "", "nbest": []} and scores[i] == ""
        continue
    assert a["text"] == " ".join(a["tokens"]) and len(a["token_log_p"]) == len(a["tokens"]) + 1
    assert abs(sum(a["token_log_p"]) - a["log_p"]) < 1e-9 and a["cut"] is False
    assert abs(a["score"] - a["log_p"] / ((5 + len(a["token_log_p"])) / 6) ** 0.6) < 1e-9
    assert scores[i] == "%.6f" % a["log_p"], (i, scores[i], a["log_p"])
    links = [tuple(map(int, x.split("-"))) for x in a["links"].split()]
    assert sorted(j for _, j in links) == list(range(len(a["tokens"]))) and links == sorted(links)
    assert all(0 <= s < len(source[i].split()) for s, _ in links)
    assert [x["score"] for x in a["nbest"]] == sorted((x["score"] for x in a["nbest"]), reverse=True)
    assert len(a["nbest"]) == 3 and len({x["text"] for x in a["nbest"]}) == 3
    assert a["nbest"][0]["text"] == a["text"] and b["score"] == b["log_p"] >= a["log_p"] - 1e-9
lists = read("variant-1")
assert sum(x.startswith("0 ||| ") for x in lists) == 5 and lists[25] == "5 |||  ||| 0.000000", lists[25]
PYTHON

# What an output begins with; unknown words; outputs that never end.
sed 's/.*/3 3/' in >begin
must 2 translate pairs.yaml in --begin begin
[ "$(grep -c '^3 3' out)" = 136 ] || fail "not all outputs begin as they should"
must 1 translate pairs.yaml --json <<<'{"source": "1 2 3", "target": "7"}'
[[ "$(cat out)" == *'"text": "7'* ]] || fail "the target of a JSON object is not what the output begins with"
must 1 translate pairs.yaml in --set decode.min_words=8 --set decode.max_factor=0 --set decode.max_words=9
awk 'NF && (NF < 8 || NF > 9) { exit 1 }' out || fail "outputs of 8 or 9 words were expected: $(cat out)"
must 1 translate pairs.yaml in --set decode.min_words=8 --set decode.block=1
awk '{ split("", seen); for (i = 1; i <= NF; i++) if (seen[$i]++) exit 1 }' out || fail "words stand twice: $(cat out)"
must 2 translate pairs.yaml in --set decode.min_words=100
said "mneme: warning: 136 of 136 outputs were cut at their most words: decode.max_factor 2, decode.max_words 10"

# A conversation: each answer is there before the next line is written, blank lines too.
"$python" - "$MNEME" <<'PYTHON' || fail "no conversation"
import select, subprocess, sys
lines, want = open("in").read().split("\n"), open("plain").read().split("\n")
p = subprocess.Popen(["mpirun", "--oversubscribe", "-np", "2", sys.argv[1], "translate", "pairs.yaml"],
                     stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
for i in range(12):
    p.stdin.write(lines[i].encode() + b"\n")
    p.stdin.flush()
    ready, _, _ = select.select([p.stdout], [], [], 60)
    assert ready, f"line {i + 1} was not answered"
    got = p.stdout.readline().decode().rstrip("\n")
    assert got == want[i], (i, got)
p.stdin.close()
assert p.stdout.read() == b"" and p.wait(60) == 0, p.stderr.read()
PYTHON

# What is wrong, and where; lines before it are answered on any number of ranks.
{ head -n 20 in; printf 'abcd\xff\n'; tail -n +21 in; } >bad
for ranks in 1 3; do
    expect $ranks 65 "mneme: bad:21: not UTF-8 at byte 5" translate pairs.yaml bad
    cmp out <(head -n 20 plain) || fail "$ranks ranks: the lines before the fault are not answered"
done
expect 1 65 "mneme: in:1: 3 words, but decode.max_source is 2" translate pairs.yaml in --set decode.max_source=2
head -n 149 plain >short
expect 1 65 "mneme: short has 149 lines, but line 150 of in needs one more" translate pairs.yaml in --score short
{ cat plain; echo 1; } >long
expect 3 65 "mneme: long has 151 lines, but in has 150: line 151 belongs to none" translate pairs.yaml in --score long
sed -i '3s/.*/3 zebra/' begin
expect 2 65 "mneme: begin:3: an output cannot begin with zebra, word 2: it is not in the vocabulary of the target" \
    translate pairs.yaml in --begin begin
expect 1 65 'mneme: standard input:1: {"source": "...", "target": "..."} was expected, the target may be left out' \
    translate pairs.yaml --json <<<'{"source": "1", "target": 2}'
expect 2 65 "mneme: begin has 150 lines, but standard input has 2: line 3 belongs to none" \
    translate pairs.yaml --set decode.max_words=3 --begin begin < <(head -n 2 in)
# Score location has as many positions as the longest sentence of the corpus has words.
where="--set model.attention.score=location --set run.folder=run-location --set train.epochs=0 --set train.steps=2"
read -ra words <<<"$where"
must 1 train pairs.yaml "${words[@]}"
must 1 translate pairs.yaml in "${words[@]}"
head -n 2 out >plain-location
{ head -n 2 in; echo "1 2 3 4 5 6 7 8 9"; echo 1; } >bad
for ranks in 1 3; do
    [ $ranks = 1 ] && who= || who="on rank 2: "
    expect $ranks 65 "mneme: ${who}bad:3: 9 words, but the model has places for 8 (score location)" \
        translate pairs.yaml bad "${words[@]}"
    cmp out plain-location || fail "$ranks ranks: the lines before the one that is too long are not answered"
done
expect 1 65 "mneme: bad:3: 9 words, but the model has places for 8 (score location)" attend pairs.yaml bad "${words[@]}"
[ ! -e attention.h5 ] || fail "attention was written in spite of a failure"
expect 1 64 "mneme: --begin and --score do not go together" translate pairs.yaml in --begin begin --score plain
expect 1 64 "mneme: --json and --links do not go together" translate pairs.yaml in --json --links
expect 1 64 "mneme: --nbest 9: a beam of 5 has no more than 5 outputs" translate pairs.yaml in --nbest 9
expect 1 78 "mneme: --set 1: decode.nbest: nbest is 9, but a beam of 5 has no more than 5 outputs" \
    translate pairs.yaml in --set decode.nbest=9
expect 1 78 "mneme: --set 1: task.name: task classification takes classes, but model seq2seq predicts words" \
    train pairs.yaml --set task.name=classification
expect 1 78 "mneme: --set 1: eval.measure: measure is decoded/bleu, but split is train, which is not decoded" \
    train pairs.yaml --set eval.measure=decoded/bleu --set eval.split=train
expect 1 66 "mneme: nowhere: No such file or directory" translate pairs.yaml in --checkpoint nowhere
expect 1 66 "mneme: nowhere: No such file or directory" translate pairs.yaml nowhere
printf 'a\tb\nc d\n' >words
expect 1 65 "mneme: $dir/words:2: source<TAB>target was expected" translate pairs.yaml in --set decode.unknown=replace \
    --set decode.dictionary=words
expect 1 78 "mneme: --set 1: decode.dictionary: a dictionary is used with unknown: replace only" \
    translate pairs.yaml in --set decode.dictionary=words
expect 1 78 "mneme: --set 1: decode.temperature: a temperature is for draws: search is beam, and draws nothing" \
    translate pairs.yaml in --set decode.temperature=0.5
expect 1 78 "mneme: --set 1: decode.top: top limits draws: search is beam, and draws nothing" \
    translate pairs.yaml in --set decode.top=6
"$MNEME" translate pairs.yaml in 2>err | true
[ "${PIPESTATUS[0]}" = 74 ] && said "mneme: standard output: Broken pipe" || fail "a reader that has gone: $(cat err)"

# Unknown words: a third of the symbols is none of the vocabulary, and is found again where the model looked.
sed 's/^run:.*/run: {folder: run-small}/; s/corpus: pairs/corpus: small/; s/^train:.*/&\npack: {max_size: 8}/' pairs.yaml >small.yaml
must 1 pack small.yaml
must 1 train small.yaml
must 1 translate small.yaml in
grep -q '<unk>' out || fail "no word is unknown"
must 2 translate small.yaml in --set decode.unknown=replace
same=$(paste -d'|' out want | awk -F'|' '$1 == $2' | wc -l)
[ "$same" -ge 90 ] || fail "$same of 150 lines are right with words replaced"
seq 0 11 | sed 's/.*/&\tw&/' >words
must 2 translate small.yaml in --set decode.unknown=replace --set decode.dictionary=words
same=$(paste -d'|' <(sed 's/w//g' out) want | awk -F'|' '$1 == $2' | wc -l)
[ "$same" -ge 90 ] && grep -q w out || fail "$same of 150 lines are right with words of the dictionary"
must 1 translate small.yaml in --set decode.unknown=forbid
grep -q '<unk>' out && fail "a forbidden word came out"

# A model of another kind.
cat >story.yaml <<YAML
source: {name: stories, tasks: [one_fact], train: 20, valid: 5, test: 5}
data: {corpus: story}
model: {name: memn2n, dim: 4}
task: {name: answer}
train: {batch: 10, epochs: 1}
log: {tensorboard: false, report: false}
run: {folder: story-run}
YAML
must 1 pack story.yaml
must 1 train story.yaml
expect 2 78 "mneme: --set 1: eval.decode: decode is beam, but model memn2n makes no sequences" \
    eval story.yaml --set eval.decode=beam
expect 2 78 "mneme: model memn2n makes no sequences: there is nothing to decode" translate story.yaml in
exit $bad
