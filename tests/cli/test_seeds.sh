#!/bin/bash
# Several seeds in one call: a run each, and a table and summary.json whose figures are those of the runs. Interrupted in
# any seed, the same command goes on and ends with the same. eval says how to choose one of the runs.
set -u
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
bad=0
export MNEME_BLAS_CHOSEN=1 # the same kernels for the program and for the helper, which does not choose any
fail() { echo "$*"; bad=1; }
cat >"$dir/run.yaml" <<YAML
source: {name: stories, tasks: [one_fact], train: 60, valid: 20, test: 20}
data: {corpus: corpus}
model: {name: memn2n, dim: 8}
task: {name: answer}
train: {batch: 16, epochs: 2}
checkpoint: {background: false}
log: {tensorboard: false, report: false}
run: {folder: run, seeds: [3, 1, 12]}
YAML
"$MNEME" pack "$dir/run.yaml" 2>"$dir/log" || fail "pack failed: $(cat "$dir/log")"
train() { # train NAME SET...
    local name=$1 sets=() set
    shift
    for set in run.folder="$dir/$name" "$@"; do sets+=(--set "$set"); done
    timeout 200 "$MNEME" train "$dir/run.yaml" "${sets[@]}" >"$dir/$name.out" 2>"$dir/log"
}
train whole || fail "exit $?: $(cat "$dir/log")"
for seed in 3 1 12; do [ -s "$dir/whole/seed-$seed/finished.json" ] || fail "seed $seed is not finished"; done

# Mean, deviation, least and most of each measure from the runs' own files, by another program.
python=$(command -v python3) || { echo "skipped: python3 is not installed"; exit 77; }
"$python" - "$dir/whole" "$dir/whole.out" <<'PYTHON' || fail "the figures are not those of the runs: $(cat "$dir/whole.out")"
import json, statistics, sys
folder, table = sys.argv[1:]
seeds = [3, 1, 12]
runs = [json.load(open(f"{folder}/seed-{s}/finished.json"))["state"] for s in seeds]
summary = json.load(open(folder + "/summary.json"))
assert summary.pop("seeds") == seeds
assert list(summary) == ["train", "valid", "test"], list(summary)
lines = open(table).read().splitlines()
assert lines[0].split() == "split measure mean deviation least most (3 seeds)".split(), lines[0]
lines, different = lines[1:], 0
for split, measures in summary.items():
    assert list(measures) == [m["name"] for m in runs[0]["measures"][split]]
    for k, (name, m) in enumerate(measures.items()):
        values = [r["measures"][split][k]["value"] for r in runs]
        assert m["values"] == values, (split, name)
        want = [statistics.mean(values), statistics.stdev(values), min(values), max(values)]
        assert abs(m["mean"] - want[0]) < 1e-12 and abs(m["deviation"] - want[1]) < 1e-12, (split, name)
        cells = lines.pop(0).split()
        assert cells[:2] == [split, name] and len(cells) == 6, cells
        assert all(abs(float(c) - w) <= 0.5001e-4 for c, w in zip(cells[2:], want)), (cells, want)
        different += len(set(values)) > 1
assert different > 3, "the seeds do not differ"
for split in "train", "valid":
    errors = [next(m["value"] for m in r["measures"][split] if m["name"] == "mean_error") for r in runs]
    best = seeds[errors.index(min(errors))]
    assert lines.pop(0).startswith(f"best on {split}: seed {best}  train mean_error "), lines
assert not lines, lines
PYTHON

# One seed is what a run of that seed alone is.
sed 's/, seeds: .*}/}/' "$dir/run.yaml" >"$dir/one.yaml"
"$MNEME" train "$dir/one.yaml" --set run.folder="$dir/one" --set run.seed=12 2>"$dir/log" || fail "one: $(cat "$dir/log")"
digest() { "$MNEME" inspect "$1/checkpoints/step-000000008.h5" | sed -n 's/^ *digest *//p'; }
[ -n "$(digest "$dir/one")" ] && [ "$(digest "$dir/one")" = "$(digest "$dir/whole/seed-12")" ] ||
    fail "seed 12 of several is not seed 12 alone"

# Interrupted in the second seed (stopped, then killed), then to the end; and once more when all is done.
for signal in 10 9; do
    name=cut$signal
    cp -r "$dir/whole" "$dir/$name"
    rm -r "$dir/$name/seed-12" "$dir/$name/seed-1" "$dir/$name/summary.json"
    "$HELPERS/helper_train" "$dir/one.yaml" update 5 0 $signal run.folder="$dir/$name/seed-1" run.seed=1 >"$dir/log" 2>&1
    code=$?
    [ $code = $((signal == 10 ? 75 : 137)) ] || fail "$name: exit $code: $(cat "$dir/log")"
    train $name || fail "$name: exit $?: $(cat "$dir/log")"
    grep -q 'seed-1/checkpoints/step-.*going on\|going on from .*seed-1/checkpoints' "$dir/log" || fail "$name did not go on: $(cat "$dir/log")"
    cmp "$dir/whole.out" "$dir/$name.out" || fail "$name: another table"
    cmp "$dir/whole/summary.json" "$dir/$name/summary.json" || fail "$name: another summary"
done
train whole || fail "again: exit $?: $(cat "$dir/log")"
[ "$(grep -c 'finished after 8 steps; --fresh starts anew' "$dir/log")" = 3 ] || fail "again: $(cat "$dir/log")"
cmp "$dir/whole.out" "$dir/cut9.out" || fail "again: another table"

# A signal to the program itself while it trains: status 75, and no table.
"$MNEME" train "$dir/run.yaml" --set run.folder="$dir/live" --set train.epochs=100000 >"$dir/live.out" 2>"$dir/log" &
pid=$!
for _ in $(seq 600); do [ -s "$dir/live/seed-3/metrics.jsonl" ] && break; sleep 0.1; done
kill -USR1 $pid
wait $pid
code=$?
[ $code = 75 ] && [ ! -s "$dir/live.out" ] && [ ! -e "$dir/live/summary.json" ] || fail "live: exit $code: $(cat "$dir/log")"

says() { # says CODE TEXT COMMAND...
    local code=$1 text=$2 got
    shift 2
    "$MNEME" "$@" >"$dir/out" 2>"$dir/log"
    got=$?
    [ $got = "$code" ] && [ "$(cat "$dir/log")" = "mneme: $text" ] || fail "$*: exit $got: $(cat "$dir/log")"
}
says 66 "$dir/whole holds a run for each of 3 seeds; choose one, such as --set run.folder=$dir/whole/seed-3, or name a file with --checkpoint" \
    eval "$dir/run.yaml" --set run.folder="$dir/whole"
"$MNEME" eval "$dir/run.yaml" --set run.folder="$dir/whole/seed-3" >"$dir/out" 2>"$dir/log" || fail "eval: $(cat "$dir/log")"
"$MNEME" eval "$dir/run.yaml" --set run.folder="$dir/whole" --checkpoint "$dir/whole/seed-1/checkpoints/step-000000008.h5" \
    >"$dir/out" 2>"$dir/log" || fail "eval --checkpoint: $(cat "$dir/log")"
says 78 "run.seeds: x is no whole number from 0 on" train "$dir/run.yaml" --set 'run.seeds=[1, x]'
says 78 "run.seeds: 4 stands there twice" train "$dir/run.yaml" --set 'run.seeds=[4, 1, 4]'
exit $bad
