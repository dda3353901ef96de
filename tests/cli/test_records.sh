#!/bin/bash
# What a run leaves for other programs: one value a key, no JSON within strings, each measure in each table, groups by their
# names; and a command that does the run again.
. "$SOURCE/tests/expect.sh"
: "${dir:?}" "${bad:?}" # expect.sh makes them
export OMPI_MCA_rmaps_base_oversubscribe=1
mkdir -p "$dir/a b/it's" && cd "$dir/a b/it's" || exit 1
cat >c.yaml <<YAML
source: {name: stories, tasks: [one_fact, two_facts], train: 60, valid: 20, test: 20}
data: {corpus: corpus}
model: {name: memn2n, hops: 2, dim: 6}
task: {name: answer}
train: {batch: 8, epochs: 2}
log: {every_steps: 3}
run: {folder: run}
YAML
must 2 pack c.yaml
MNEME_OPTIM_LR=0.02 MNEME_TRAIN_LANES=2 must 2 train c.yaml --set "run.folder=r n"
cat >"$dir/check.py" <<'PY'
import csv, json, os, sys
def once(pairs):
    keys = [k for k, _ in pairs]
    if len(set(keys)) != len(keys): sys.exit(f"a key twice: {keys}")
    for _, v in pairs: plain(v)
    return dict(pairs)
def plain(v):
    if isinstance(v, list): [plain(x) for x in v]
    if isinstance(v, str) and v[:1] in "{[" and v[-1:] in "}]":
        try: json.loads(v)
        except ValueError: return
        sys.exit(f"JSON within a string: {v}")
run, keys, kinds = sys.argv[1], {}, {}
for folder, _, files in os.walk(run):
    for name in files:
        if name.endswith(".json"): json.load(open(os.path.join(folder, name), encoding="utf-8"), object_pairs_hook=once)
lines = [json.loads(line, object_pairs_hook=once) for line in open(run + "/metrics.jsonl", encoding="utf-8")]
rows = list(csv.DictReader(open(run + "/metrics.csv", encoding="utf-8", newline="")))
assert len(lines) == len(rows) > 4, (len(lines), len(rows))
for line, row in zip(lines, rows):
    assert {k for k, v in row.items() if v != ""} == set(line), (line, row)
    assert all(k in ("kind", "time") or line[k] is None or float(row[k]) == line[k] for k in line), (line, row)
final = lines[-1]
assert {"error/one_fact", "error/two_facts", "mean_error"} <= set(final), final
classes = json.load(open(run + "/classes.json", encoding="utf-8"))
assert set(classes) == {"train", "valid", "test"} and sum(c["true"] for c in classes["test"]["classes"]) == 40, classes
state = json.load(open(run + "/finished.json", encoding="utf-8"))["state"]
assert state["steps"] == 30 and "test" in state["measures"], state
PY
python3 "$dir/check.py" "r n" || fail "the records of the run"

# The command: from any folder, with the ranks and the variables that the run had.
digest() { "$MNEME" inspect "$(find "$1/checkpoints" -name 'step-*.h5' | sort | tail -n 1)" | awk '$1 == "digest"'; }
line=$(cat "r n/command.txt")
[[ $line == *" MNEME_OPTIM_LR=0.02 "* && $line == *" mpirun -np 2 "* ]] || fail "the command: $line"
mv "r n" first
(cd / && env -u MNEME_OPTIM_LR bash -c "$line") >"$dir/out" 2>"$dir/err" || fail "$line: $(cat "$dir/err")"
[ -n "$(digest first)" ] && [ "$(digest "r n")" = "$(digest first)" ] || fail "the command makes other bits: $line"
grep -q '"ranks": "2"' "r n/environment.json" || fail "other ranks: $(cat "r n/environment.json")"
cmp "r n/classes.json" first/classes.json || fail "other classes"
must 1 train c.yaml --set run.folder=plain --set log.csv=false --set log.tensorboard=false --set log.report=false
for file in metrics.csv events report.html; do [ ! -e "plain/$file" ] || fail "$file was not wanted"; done

# Histograms at each validation change no bits; a run that goes on has the events of one that did not stop.
events() { python3 "$SOURCE/tests/unit/read_events.py" "$1"/events/* | grep -v rate; }
must 1 train c.yaml --set run.folder=whole --set log.histograms=true
must 1 train c.yaml --set run.folder=parts --set log.histograms=true --set train.epochs=1
must 2 train c.yaml --set run.folder=parts --set log.histograms=true --set train.lanes=0
[ "$(digest whole)" = "$(digest plain)" ] || fail "histograms change the training"
events whole >whole.events && events parts >parts.events || fail "the events"
for line in 'measure valid/mean_error' 'setting model.name = memn2n' 'setting optim.lr = 0.001' '15 parameters/memory/E0 histogram' \
    '30 gradients/memory/E0 histogram'; do
    grep -q "^$line" whole.events || fail "no $line in the events: $(cut -c 1-60 whole.events)"
done
[ "$(grep -o '^[0-9]* [a-z]*/[^ ]*' whole.events | grep -v final)" = "$(grep -o '^[0-9]* [a-z]*/[^ ]*' parts.events | grep -v final)" ] ||
    fail "other events after a pause: $(diff <(cut -c 1-60 whole.events) <(cut -c 1-60 parts.events))"
exit $bad
