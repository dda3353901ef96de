#!/bin/bash
# Ranks, signals and numbers that go wrong: the ranks agree, one message, and what was saved is good.
. "$SOURCE/tests/expect.sh"
: "${dir:?}" "${bad:?}" # expect.sh makes them
cat >run.yaml <<YAML
source: {name: stories, tasks: [one_fact], train: 20, valid: 3, test: 6}
pack: {shards: 2}
data: {corpus: corpus}
model: {name: memn2n, hops: 2, dim: 4}
task: {name: answer}
train: {batch: 2, epochs: 2}
optim: {name: sgd, lr: 0.1}
checkpoint: {every_steps: 1, every_epochs: 0, keep_last: 100000, background: false}
log: {every_steps: 1, tensorboard: false, report: false, stall: 60s}
run: {folder: run}
YAML
must 1 pack run.yaml

# More ranks than examples of a batch, of a split, of the corpus; pieces without an example.
must 4 train run.yaml --set train.epochs=1
must 4 eval run.yaml --split valid --json
mv out want
must 1 eval run.yaml --split valid --json
cmp out want || fail "eval with more ranks than examples: $(cat out want)"
must 4 pack run.yaml --set data.corpus=tiny --set source.train=3 --set source.valid=0 --set source.test=0
must 4 train run.yaml --set data.corpus=tiny --set run.folder=tiny_run
echo "" >nothing
must 4 predict run.yaml nothing
[ ! -s out ] || fail "predict of nothing: $(cat out)"

# Ranks that were started in different folders: rank 0's counts.
mkdir one two
timeout 100 mpirun --oversubscribe -np 1 -wdir "$dir/one" "$MNEME" train ../run.yaml --set run.folder=here : \
    -np 1 -wdir "$dir/two" "$MNEME" train ../run.yaml --set run.folder=here >out 2>err || fail "two folders: $(cat err)"
[ -s one/here/finished.json ] && [ -z "$(ls two)" ] || fail "two folders: $(find one two)"

# A wrong configuration on four ranks: all its faults, once. A wrong command line.
on 4 train run.yaml --set optim.lr=fast --set train.bach=3 >out 2>err
[ $? = 78 ] && [ "$(grep -c 'optim.lr' err)" = 1 ] && [ "$(grep -c 'train.bach: unknown key; did you mean batch?' err)" = 1 ] ||
    fail "two faults: $(cat err)"
expect 2 64 "mneme: train: there is no option --fresch; did you mean --fresh?" train run.yaml --fresch
expect 1 64 "mneme: there is no command trian; did you mean train?" trian run.yaml
expect 2 66 "mneme: none.yaml: No such file or directory" train none.yaml

# Numbers that are not finite: one decision of all ranks; the newest checkpoint is finite.
on 2 train run.yaml --set run.folder=wild --set optim.lr=1e6 --set train.epochs=9 >out 2>err
code=$?
[ $code = 2 ] && grep '^mneme: ' err | tail -n 1 |
    grep -qx 'mneme: \(on rank 1: \)\?step [0-9]*: the \(loss\|gradient\).* is not finite.*' || fail "not finite: exit $code: $(cat err)"
for f in wild/checkpoints/*.h5; do "$MNEME" inspect "$f" >out 2>err || fail "$f: $(cat err)"; grep '^  parameters' out | grep -i 'nan\|inf' && fail "$f"; done
expect 2 2 "$(on 2 train run.yaml --set run.folder=wild --set optim.lr=1e6 --set train.epochs=9 2>&1 | grep '^mneme: .*not finite')" \
    train run.yaml --set run.folder=wild --set optim.lr=1e6 --set train.epochs=9

# Signals: to one rank, and to mpirun, which passes USR1 on and lets TERM end the ranks.
begin() { # begin NAME [SET...]: a long run of two ranks, until it has made some steps
    timeout -s KILL 100 mpirun --oversubscribe -np 2 "$MNEME" train run.yaml --set run.folder="$1" --set train.epochs=0 \
        --set train.steps=100000000 --set checkpoint.every_steps=0 --set eval.split=none "${@:2}" >out 2>err &
    run=$!
    for _ in $(seq 300); do [ "$(wc -l 2>/dev/null <"$1/metrics.jsonl" || echo 0)" -ge 5 ] && break; sleep 0.1; done
    local launcher
    launcher=$(pgrep -P $run -x mpirun)
    mapfile -t rank < <(pgrep -P "$launcher" -f 'train run.yaml')
    mpi=$launcher
    [ ${#rank[@]} = 2 ] && return
    fail "$1: ${#rank[@]} ranks of $launcher: $(cat err)"
    kill -KILL $run "$launcher" "${rank[@]}"
    exit 1
}
saved() { # saved NAME SIGNAL: status 75, said once, and the step was saved
    wait $run
    local code=$? step
    step=$(sed -n "s/^mneme: stopped by $2 after step \([0-9]*\); the state is saved: the same command goes on\$/\2/p" err)
    [ "$(grep -c '^mneme: a planned stop: what mpirun says of a process with non-zero status is the 75 of the next line$' err)" = 1 ] ||
        fail "$1: nothing explains what mpirun says: $(cat err)"
    [ $code = 75 ] && [ -n "$step" ] && [ -s "$1/checkpoints/step-$(printf %09d "$step").h5" ] || fail "$1: exit $code: $(cat err)"
}
begin usr1; kill -USR1 "${rank[1]}"; saved usr1 "\(SIGUSR1\|a signal to another rank\)"
begin term; kill -TERM "${rank[0]}"; saved term "\(SIGTERM\|a signal to another rank\)"
begin all; kill -USR1 "$mpi"; saved all "\(SIGUSR1\)"

# A rank that stands still is named.
begin still --set log.stall=2s
kill -STOP "${rank[1]}"
wait $run
code=$?
[ $code = 76 ] && [ "$(grep -c "^mneme: rank [01] on $(uname -n) is silent since [0-9]* s; its last phase was [a-z]* at step [0-9]* (limit: 2 s)\$" err)" = 1 ] ||
    fail "a rank stands still: exit $code: $(cat err)"
exit $bad
