#!/bin/bash
# Checkpoints that are damaged, of another model, of a newer format or of a changed configuration; a run that is
# finished, begun anew, or already running in the folder.
. "$SOURCE/tests/expect.sh"
: "${dir:?}" "${bad:?}" # expect.sh makes them
cat >run.yaml <<YAML
source: {name: stories, tasks: [one_fact], train: 16, valid: 6, test: 6}
data: {corpus: corpus}
model: {name: memn2n, hops: 2, dim: 4}
task: {name: answer}
train: {batch: 8, epochs: 2}
optim: {name: sgd, lr: 0.1}
checkpoint: {every_steps: 1, keep_last: 10}
log: {tensorboard: false, report: false, stall: 60s}
run: {folder: run}
YAML
at=$dir/run/checkpoints/step-00000000 # and the last digit
must 1 pack run.yaml
must 2 train run.yaml
said "mneme: $dir/run: finished after 4 steps"
cp -r run whole
again() { rm -rf run && cp -r whole run && rm run/finished.json; }

# A finished run says so; one that is told to go on further does.
expect 2 0 "mneme: $dir/run: finished after 4 steps; --fresh starts anew" train run.yaml
expect 2 78 "mneme: $dir/run/config.yaml: the configuration changes the mathematics of the run, which has finished:
optim.lr: 0.1 -> 0.2
start anew with --fresh, change it back, or name another run.folder" train run.yaml --set optim.lr=0.2
expect 1 0 "mneme: $dir/run: finished after 4 steps; --fresh starts anew" train run.yaml --set optim.lr=0.2 --accept-changes
cmp run/metrics.jsonl whole/metrics.jsonl || fail "a finished run wrote metrics"
must 1 train run.yaml --set train.epochs=3
said "mneme: going on from ${at}4.h5"
said "mneme: $dir/run: finished after 6 steps"
must 1 train run.yaml --fresh
cmp run/previous-1/checkpoints/step-000000006.h5 "${at}6.h5" 2>/dev/null && fail "the older run is still in its place"
[ -s run/previous-1/checkpoints/step-000000006.h5 ] && [ -s run/previous-1/metrics.jsonl ] && [ ! -e "${at}6.h5" ] ||
    fail "--fresh did not move the older run: $(find run)"
must 1 train run.yaml --fresh
[ -s run/previous-1/checkpoints/step-000000006.h5 ] && [ -s run/previous-2/checkpoints/step-000000004.h5 ] ||
    fail "--fresh the second time: $(find run)"

# Damage: the one before is used, and a warning says so; when none is good the run ends.
again
printf '\377' | dd of="${at}4.h5" bs=1 seek=3000 conv=notrunc status=none
truncate -s 2000 "${at}3.h5"
must 2 train run.yaml
grep -q "^mneme: warning: ${at}4.h5: .*" err && grep -q "${at}3.h5: .*" err || fail "no warning: $(cat err)"
said "mneme: going on from ${at}2.h5"
for k in 1 2 3 4; do cmp "${at}$k.h5" "whole/checkpoints/step-00000000$k.h5" || fail "step $k differs after a repair"; done
again
for k in 1 2 3 4; do truncate -s 100 "${at}$k.h5"; done
expect 2 65 "mneme: $dir/run/checkpoints: none of its 4 checkpoints can be used, they are damaged:" train run.yaml
[ "$(stat -c %s "${at}4.h5")" = 100 ] || fail "a damaged file was touched"

# The list of checkpoints and the figures of the end: a byte that was changed is told, and what it stood for is known.
rm -rf run && cp -r whole run
best=$("$MNEME" eval run.yaml 2>/dev/null | head -n 1)
sed -i 's/"metric": [0-9]/"metric": 9/' run/checkpoints/checkpoints.json
cmp -s run/checkpoints/checkpoints.json whole/checkpoints/checkpoints.json && fail "the list was not changed"
must 2 eval run.yaml
grep -q "^mneme: warning: $dir/run/checkpoints/checkpoints.json: damaged: found digest [0-9a-f]*, expected [0-9a-f]*" err &&
    [ "$(head -n 1 out)" = "$best" ] || fail "a changed list: $(cat out err)"
"$MNEME" inspect run >/dev/null 2>err
[ $? = 65 ] && grep -q "checkpoints.json: damaged: found digest" err || fail "inspect: $(cat err)"
sed -i 's/\(accuracy.*value[^0-9]*\)[0-9]/\17/' run/finished.json
cmp -s run/finished.json whole/finished.json && fail "the end was not changed"
must 1 train run.yaml
grep -q "^mneme: warning: $dir/run/finished.json: damaged: found digest" err || fail "a changed end: $(cat err)"
said "mneme: going on from ${at}4.h5"
cmp run/finished.json whole/finished.json || fail "the end was not made again"

# Of another model, of a newer format, of a changed configuration.
again
expect 1 65 "mneme: $dir/run/checkpoints/step-000000004.h5: parameters/memory/E0: found shape 22 x 4, expected 22 x 5" \
    eval run.yaml --set model.dim=5 --checkpoint last
said "mneme: ${at}4.h5 was made with another configuration:"
said "model.dim: 4 -> 5"
expect 2 78 "mneme: ${at}4.h5: the configuration changes the mathematics of the run:
train.batch: 8 -> 4
train.epochs: 2 -> 3 (may change)
optim.lr: 0.1 -> 0.2
go on with --accept-changes, start anew with --fresh, or change it back" \
    train run.yaml --set train.epochs=3 --set optim.lr=0.2 --set train.batch=4
must 1 train run.yaml --set train.epochs=3 --set optim.lr=0.2 --accept-changes
said "mneme: going on from ${at}4.h5"
again
if /usr/bin/env python3 -c 'import h5py' 2>/dev/null; then python=python3; else python=/usr/bin/python3; fi
if $python -c 'import h5py' 2>/dev/null; then
    $python -c 'import h5py, sys; h5py.File(sys.argv[1], "a").attrs["version"] = 2' "${at}4.h5"
    expect 1 78 "mneme: ${at}4.h5: written in checkpoint format 2 by mneme 0.1.0; this program reads up to format 1: use a newer one" \
        eval run.yaml --checkpoint "${at}4.h5"
    expect 1 78 "mneme: ${at}4.h5: written in checkpoint format 2 by mneme 0.1.0; this program reads up to format 1: use a newer one" train run.yaml
else
    echo "no h5py: a newer format is not tested"
fi
expect 1 66 "mneme: $dir/none.h5: No such file or directory" eval run.yaml --checkpoint "$dir/none.h5"
expect 1 66 "mneme: $dir/nowhere/checkpoints: there are no checkpoints; train first, or name a file with --checkpoint" \
    predict run.yaml --set run.folder=nowhere
echo "no checkpoint" >text.h5
expect 1 65 "mneme: $dir/text.h5: not an HDF5 file" eval run.yaml --checkpoint "$dir/text.h5"

# Two runs in one folder: the second is told, the first goes on.
"$MNEME" train run.yaml --set run.folder=shared --set train.epochs=100000 --set checkpoint.every_steps=0 \
    --set checkpoint.every_epochs=0 2>first &
first=$!
for _ in $(seq 200); do [ -s shared/metrics.jsonl ] && break; sleep 0.1; done
expect 2 74 "mneme: $dir/shared/lock: another run is using this folder: process $first on $(uname -n)" \
    train run.yaml --set run.folder=shared
kill -TERM $first
wait $first
[ $? = 75 ] || fail "the first run ended with another status: $(cat first)"
exit $bad
