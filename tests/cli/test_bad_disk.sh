#!/bin/bash
# A disk that is full and folders that cannot be written: one message, status 74, and nothing that was there is lost.
. "$SOURCE/tests/expect.sh"
: "${dir:?}" "${bad:?}" # expect.sh makes them
cat >run.yaml <<YAML
source: {name: stories, tasks: [one_fact], train: 400, valid: 6, test: 6}
data: {corpus: corpus}
model: {name: memn2n, hops: 2, dim: 50}
task: {name: answer}
train: {batch: 200, epochs: 2}
checkpoint: {every_steps: 1, keep_last: 10, background: false}
log: {every_steps: 1, report: false, stall: 60s}
run: {folder: run}
YAML
must 1 pack run.yaml

# A file may have so many KiB: the system says so in the same way as for a full disk, but for the words.
limited() { (ulimit -f "$1"; shift; timeout -s KILL 100 "$MNEME" "$@") >"$dir/out" 2>"$dir/err"; }
ended() { # ended STATUS PATTERN
    local code=$?
    [ $code = "$1" ] && [ "$(grep -c "^mneme: " err)" -ge 1 ] && grep '^mneme: ' err | tail -n 1 | grep -qx "$2" ||
        fail "exit $code instead of $1, wanted $2, found $(cat err)"
}
limited 12 pack run.yaml --set data.corpus=small
ended 74 "mneme: $dir/small[^ ]*: .*File too large"
[ ! -e small/index.json ] || fail "a corpus was announced: $(ls -la small)"
must 1 pack run.yaml --set data.corpus=small
diff -r corpus small >/dev/null || fail "what a failed pack left behind was not replaced"
limited 12 train run.yaml
ended 74 "mneme: $dir/run/checkpoints/step-000000001.h5[^ ]*: .*File too large"
[ -z "$(find run/checkpoints -name '*.h5*')" ] || fail "half a checkpoint stays: $(find run)"
must 1 train run.yaml
[ "$(find run/checkpoints -name 'step-*.h5' | wc -l)" = 4 ] || fail "the run did not go on: $(find run)"

limited 24 train run.yaml --set run.folder=logs --set train.batch=1 --set checkpoint.every_steps=0 --set model.dim=2
ended 74 "mneme: $dir/logs/[a-z./0-9]*: .*File too large"

# A small disk, where one may be mounted.
mkdir disk
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=200k tmpfs disk 2>/dev/null; then
    trap 'umount "$dir/disk"; rm -rf "$dir"' EXIT
    on 2 train run.yaml --set run.folder=disk/run >out 2>err
    ended 74 "mneme: $dir/disk/run/checkpoints: [0-9]* bytes are free on this file system, [0-9]* are needed"
    rm -rf disk/run
    on 1 pack run.yaml --set data.corpus=disk/corpus --set source.train=20000 >out 2>err
    ended 74 "mneme: $dir/disk/corpus.part: [0-9]* bytes are free on this file system, [0-9]* are needed"
    [ -z "$(ls disk)" ] || fail "left behind: $(find disk)"
    umount "$dir/disk" && trap 'rm -rf "$dir"' EXIT
else
    echo "no small disk can be mounted here: only the limit of a file's size is tested"
fi

# Folders that cannot be written, for one who is not root.
mkdir closed && cp -r run closed/run && chmod -R a-w closed
as=()
if [ "$(id -u)" = 0 ]; then as=(setpriv --reuid=65534 --regid=65534 --clear-groups); chmod -R a+rX "$dir"; fi
if "${as[@]}" test -x "$MNEME" && "${as[@]}" test -r "$dir/run.yaml" 2>/dev/null; then
    closed() { # closed TEXT WORDS...
        "${as[@]}" timeout 100 "$MNEME" "${@:2}" >out 2>err
        ended 74 "mneme: $1"
    }
    chmod a-w closed
    closed "$dir/closed/corpus.lock: Permission denied" pack run.yaml --set data.corpus=closed/corpus
    closed "$dir/closed/new: Permission denied" train run.yaml --set run.folder=closed/new
    closed "$dir/closed/run/lock: Permission denied" train run.yaml --set run.folder=closed/run --set train.epochs=3
else
    echo "another user cannot run the program here: folders that cannot be written are not tested"
fi
exit $bad
