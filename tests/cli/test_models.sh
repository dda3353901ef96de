#!/bin/bash
# What holds for every model of the table, each on the small experiment that it brings along: the same bits on 1 and on 3
# ranks, killed and gone on or not; measures, predictions and attention that do not depend on ranks or batches.
. "$SOURCE/tests/expect.sh"
: "${dir:?}" "${bad:?}" # expect.sh makes them
export MNEME_BLAS_CHOSEN=1 # the same kernels for the program and for the helper, which does not choose any
digest() { "$MNEME" inspect "$(find "$1/checkpoints" -name 'step-*.h5' | sort | tail -n 1)" | awk '$1 == "digest"'; }
models=$("$HELPERS/helper_tiny" models)
[ "$(wc -w <<<"$models")" -ge 4 ] || fail "the table has the models: $models"
# predictions.py JSON CSV JSONL WORST: figures by class and lines of examples that agree with each other and with the measures
cat >"$dir/predictions.py" <<'PY'
import csv, json, math, sys
whole = json.load(open(sys.argv[1], encoding="utf-8"), object_pairs_hook=lambda pairs: dict(pairs) if len({k for k, _ in pairs}) == len(pairs)
    else sys.exit(f"a key twice: {[k for k, _ in pairs]}"))
rows = list(csv.DictReader(open(sys.argv[2], encoding="utf-8", newline="")))
lines, worst = ([json.loads(line) for line in open(name, encoding="utf-8")] for name in sys.argv[3:5])
def check(good, *said): good or sys.exit(" ".join(map(str, said)))
check([l["example"] for l in lines] == list(range(whole["examples"])), "examples", lines)
check([int(r["example"]) for r in rows] == list(range(whole["examples"])), "rows", rows)
check(sorted(lines, key=lambda l: (-l["loss"], l["example"])) == worst, "worst")
for l, r in zip(lines, rows):
    text = lambda v: v if isinstance(v, str) else ("; " if "labels" in sys.argv[1] else " ").join(f"{x:.15g}" if isinstance(x, float) else str(x) for x in v)
    check(r["truth"] == text(l["truth"]) or isinstance(l["truth"], list) and isinstance(l["truth"][0], float), l, r)
    check(float(r["loss"]) == l["loss"] and (not r["probability"] or float(r["probability"]) == l["probability"]), l, r)
    check("right" not in l or l["right"] == (r["right"] == "true"), l, r)
    check(0 < l.get("probability", 1) <= 1, l)
    if isinstance(l["truth"], str) and l["right"]: check(math.isclose(l["probability"], math.exp(-l["loss"]), rel_tol=1e-6), l)
if all(isinstance(l["truth"], str) for l in lines):
    check(math.isclose(sum(l["loss"] for l in lines), whole["loss"] * len(lines), rel_tol=1e-6), "loss")
right = whole.get("accuracy", whole.get("exact"))
check(right is None or math.isclose(sum(l["right"] for l in lines), right * len(lines)), "right", right)
names = [c["name"] for c in whole.get("classes", [])]
for i, c in enumerate(whole.get("classes", [])):
    sets = [[l[k] if isinstance(l[k], list) else [l[k]] for l in lines] for k in ("truth", "guess")]
    true, guessed = (sum(s.count(c["name"]) for s in side) for side in sets)
    check((true, guessed) == (c["true"], c["guessed"]), c, true, guessed)
    check(c["precision"] == (c["right"] / guessed if guessed else 0) and c["recall"] == (c["right"] / true if true else 0), c)
    check(math.isclose(c["f1"], 2 * c["right"] / (true + guessed) if true + guessed else 0), c)
    if "confusion" in whole: check(sum(whole["confusion"][i]) == true and sum(row[i] for row in whole["confusion"]) == guessed, c)
if "macro_f1" in whole: check(math.isclose(whole["macro"]["f1"], whole["macro_f1"]) and math.isclose(whole["micro"]["f1"], whole["micro_f1"]), whole)
PY
for model in $models; do
    "$HELPERS/helper_tiny" experiment "$model" >"$model.yaml" || { fail "$model brings no experiment along"; continue; }
    importer=$(sed -n 's/.*source: {name: \([a-z0-9_]*\).*/\1/p' "$model.yaml")
    "$HELPERS/helper_tiny" sample "$importer" >"$model.question" || { fail "$importer brings no sample along"; continue; }
    cat >>"$model.yaml" <<YAML
data: {corpus: $model}
train: {batch: 3, epochs: 2, lanes: 3}
optim: {name: adam, lr: 0.01}
checkpoint: {every_steps: 1, keep_last: 100, background: false}
log: {every_steps: 1, tensorboard: false, report: false}
YAML
    must 1 pack "$model.yaml"
    for ranks in 1 3; do must $ranks train "$model.yaml" --set run.folder="$model-$ranks"; done
    wanted=$(digest "$model-1")
    [ -n "$wanted" ] && [ "$(digest "$model-3")" = "$wanted" ] || fail "$model: 3 ranks end with other bits than 1"

    { timeout -s KILL 100 "$HELPERS/helper_train" "$model.yaml" update 3 0 9 run.folder="$model-killed"; } >log 2>&1
    [ $? = 137 ] || fail "$model: not killed: $(cat log)"
    must 1 train "$model.yaml" --set run.folder="$model-killed"
    [ "$(digest "$model-killed")" = "$wanted" ] || fail "$model: killed and gone on, it ends with other bits"

    trained=(--set "run.folder=$model-1")
    must 1 eval "$model.yaml" "${trained[@]}" && mv out "$model.eval"
    [ -s "$model.eval" ] || fail "$model: eval says nothing"
    for set in eval.batch=1 eval.batch=4; do
        must 1 eval "$model.yaml" "${trained[@]}" --set $set
        cmp out "$model.eval" || fail "$model: other measures with $set"
    done
    must 3 eval "$model.yaml" "${trained[@]}"
    cmp out "$model.eval" || fail "$model: other measures on 3 ranks"

    must 3 eval "$model.yaml" "${trained[@]}" --predictions "$model.csv" --json && mv out "$model.json"
    must 1 eval "$model.yaml" "${trained[@]}" --predictions "$model.jsonl" --set eval.batch=1
    must 3 eval "$model.yaml" "${trained[@]}" --predictions - && cmp out "$model.jsonl" || fail "$model: other predictions on 3 ranks"
    must 1 eval "$model.yaml" "${trained[@]}" --predictions "$model-worst.jsonl" --worst
    python3 "$dir/predictions.py" "$model.json" "$model.csv" "$model.jsonl" "$model-worst.jsonl" || fail "$model: predictions"

    if grep -q decoded <(on 1 eval "$model.yaml" "${trained[@]}" --set eval.decode=greedy 2>&1); then # what it writes by itself
        must 3 eval "$model.yaml" "${trained[@]}" --set eval.decode=greedy --json --predictions written.jsonl
        python3 -c 'import json, sys
whole, lines = json.load(open("out")), [json.loads(line) for line in open("written.jsonl")]
given = [json.loads(line) for line in open(sys.argv[1])]
sys.exit(abs(sum(l["right"] for l in lines) / len(lines) - whole["decoded/exact"]) > 1e-12 or len(lines) != len(given) or
    any((a["truth"], a["loss"]) != (b["truth"], b["loss"]) for a, b in zip(lines, given)))' "$model.jsonl" ||
            fail "$model: predictions of what it writes by itself"
        grep -q '"guess": \["[^"]' written.jsonl || grep -q '"guess": \[\]' written.jsonl || fail "$model: nothing was written"
    fi

    # A line is answered alike, whatever stands beside it and on whatever rank.
    must 1 predict "$model.yaml" "$model.question" "${trained[@]}" && mv out "$model.answer"
    for _ in 1 2 3 4 5; do cat "$model.question"; done >questions
    must 3 predict "$model.yaml" questions "${trained[@]}"
    [ "$(wc -l <out)" = 5 ] || fail "$model: $(wc -l <out) answers to 5 questions"
    [ "$(sed 's/"line": *[0-9]*//' out | sort -u)" = "$(sed 's/"line": *[0-9]*//' "$model.answer")" ] ||
        fail "$model: one question has several answers: $(cat out "$model.answer")"

    for ranks in 1 3; do must $ranks attend "$model.yaml" --split test --output "$model-at-$ranks" "${trained[@]}"; done
    must 1 attend "$model.yaml" "$model.question" --output "$model-asked" "${trained[@]}"
    [ -s "$model-at-1.html" ] && [ -s "$model-asked.html" ] && cmp "$model-at-1.h5" "$model-at-3.h5" || fail "$model: other attention on 3 ranks"
done
expect 1 64 "mneme: eval: --worst: only with --predictions FILE" eval han.yaml --worst
expect 2 64 "mneme: eval: --predictions x.txt: a name that ends in .csv or .jsonl is expected, or - for the standard output" eval han.yaml --predictions x.txt
expect 1 64 "mneme: eval: --predictions - and --json would both write to the standard output" eval han.yaml --json --predictions -
expect 2 74 "mneme: no/x.csv: No such file or directory" eval none.yaml --predictions no/x.csv # asked first
expect 1 74 "mneme: no/x.csv: No such file or directory" eval han.yaml --set run.folder=han-1 --predictions no/x.csv

# What training shows of a model that spells unknown words is what translate writes.
must 1 translate nested.yaml sample.en --checkpoint last --beam 1 --set run.folder=nested-1
sed -n 's/.*"kind": "sample".*"output": "\(.*\)"}$/\1/p' nested-1/metrics.jsonl | tail -n "$(wc -l <sample.en)" | cmp - out ||
    fail "shown while training: $(grep sample nested-1/metrics.jsonl); written: $(cat out)"
grep -q '<unk>' out && fail "nothing is spelled: $(cat out)"

# Every model is timed on a workload, or on its own experiment, of which nothing stays.
mkdir tmp
for ranks in 1 3; do
    TMPDIR=$dir/tmp must $ranks bench --steps 1 --warmup 0
    for model in han memn2n seq2seq nested; do
        [ "$(grep -cE "^\{\"workload\": \"$model\", .*\"ranks\": $ranks, .*\"step_ms\": [0-9.]+, .*\"loss\": [0-9.]+\}\$" out)" = 1 ] ||
            fail "$model is not timed on $ranks ranks: $(cat out)"
    done
    [ "$(wc -l <out)" -ge 4 ] && [ -z "$(find tmp -name 'mneme-*')" ] || fail "left behind: $(find tmp)"
done
expect 1 64 "mneme: bench: there is no workload nesty; there are han, memn2n, luong, bahdanau, and all models" bench nesty
exit $bad
