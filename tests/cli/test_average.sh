#!/bin/bash
# mneme average writes the mean of checkpoints, which numpy finds too, the same file on any number of ranks; the other commands
# take it; what cannot be averaged is told.
. "$SOURCE/tests/expect.sh"
: "${dir:?}" "${bad:?}" # expect.sh makes them
cat >run.yaml <<YAML
source: {name: stories, tasks: [one_fact], train: 64, valid: 8, test: 8}
data: {corpus: corpus}
model: {name: memn2n, hops: 2, dim: 6}
task: {name: answer}
train: {batch: 16, epochs: 2}
optim: {name: adam, lr: 0.02}
checkpoint: {every_steps: 1, keep_last: 100, background: false}
log: {tensorboard: false, report: false, stall: 60s}
run: {folder: run}
YAML
must 1 pack run.yaml
must 1 train run.yaml
mean() { # mean OUTPUT FILE...: is OUTPUT the mean of the files, rounded once?
    /usr/bin/python3 - "$@" <<'PYTHON' || fail "$1 is not the mean"
import h5py, numpy as np, sys
files = [h5py.File(f, "r") for f in sys.argv[1:]]
names = []
files[0]["parameters"].visititems(lambda n, d: names.append(n) if isinstance(d, h5py.Dataset) else None)
assert len(names) > 3
for n in names:
    total = np.zeros(files[0]["parameters"][n].shape)
    for f in files[1:]:
        total += (f["average"] if "average" in f else f["parameters"])[n][()].astype(np.float64)
    assert np.array_equal((total / (len(files) - 1)).astype(np.float32), files[0]["parameters"][n][()]), n
assert files[0].attrs["step"] == files[-1].attrs["step"] and "optimizer" not in files[0]
PYTHON
}
at=run/checkpoints/step-00000000
must 1 average run.yaml --last 3
said "mneme: average.h5: the mean of 3 checkpoints"
mean average.h5 "$at"{6,7,8}.h5
must 2 average run.yaml --last 3 --output two.h5
cmp average.h5 two.h5 || fail "another file on two ranks"
must 1 average run.yaml
mean average.h5 "$at"{4,5,6,7,8}.h5
must 1 average run.yaml "$at"2.h5 "$at"7.h5 --output named.h5
mean named.h5 "$at"{2,7}.h5
must 1 inspect named.h5
must 1 eval run.yaml --split test --checkpoint named.h5
cp out named.out
must 2 eval run.yaml --split test --checkpoint named.h5
diff named.out out || fail "a mean has other figures on two ranks"
echo '{"story": ["anna went to the park ."], "question": "where is anna"}' >question
must 1 predict run.yaml question --checkpoint average.h5

# Moving averages are what eval would take.
must 1 train run.yaml --set run.folder=ema --set train.ema=0.9
must 1 average run.yaml --set run.folder=ema --set train.ema=0.9 --last 2 --output ema.h5
mean ema.h5 ema/checkpoints/step-00000000{7,8}.h5

# Another model, another vocabulary, a damaged file, one file, nothing to write into.
must 1 train run.yaml --set run.folder=wide --set model.dim=7
on 1 average run.yaml "$at"8.h5 wide/checkpoints/step-000000008.h5 --output none.h5 >out 2>err
[ $? = 65 ] && grep -q '^mneme: wide/checkpoints/step-000000008.h5: ' err && [ ! -e none.h5 ] || fail "another width: $(cat err)"
cp "$at"8.h5 torn.h5 && truncate -s -100 torn.h5
on 2 average run.yaml "$at"8.h5 torn.h5 --output none.h5 >out 2>err
[ $? = 65 ] && grep -q '^mneme: torn.h5: ' err && [ ! -e none.h5 ] || fail "a torn file: $(cat err)"
expect 1 64 "mneme: average: a mean is of two files or more" average run.yaml "$at"8.h5
expect 1 64 "mneme: average: --last 3: files are named already" average run.yaml "$at"8.h5 "$at"7.h5 --last 3
expect 1 66 "mneme: $dir/nowhere/checkpoints: there are no checkpoints; train first, or name files" average run.yaml --set run.folder=nowhere
must 1 train run.yaml --set run.folder=single --set checkpoint.keep_last=1 --set checkpoint.keep_best=0 --set checkpoint.every_steps=8
expect 2 66 "mneme: $dir/single/checkpoints: a mean is of two checkpoints or more, and there is 1: checkpoint.keep_last keeps more" \
    average run.yaml --set run.folder=single
expect 1 74 "mneme: none/mean.h5: No such file or directory" average run.yaml --output none/mean.h5
on 1 train run.yaml --set run.folder=new --set train.epochs=3 >/dev/null 2>&1
mkdir -p kept/checkpoints && cp average.h5 kept/checkpoints/step-000000008.h5
on 1 train run.yaml --set run.folder=kept >out 2>err
[ $? = 65 ] && grep -q '^mneme: .*step-000000008.h5: ' err || fail "training went on from a mean: $(cat err)"
exit $bad
