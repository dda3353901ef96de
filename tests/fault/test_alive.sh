#!/bin/bash
# Commands end, whatever happens to a rank, a reader or a thread: ranks that stop in any command, signals before the first
# instruction, a log that nobody reads, a failure while a checkpoint is being written.
. "$SOURCE/tests/expect.sh"
: "${dir:?}" "${bad:?}" # expect.sh makes them
cat >run.yaml <<YAML
source: {name: stories, tasks: [one_fact], train: 40, valid: 3, test: 6}
data: {corpus: corpus}
model: {name: memn2n, hops: 2, dim: 4}
task: {name: answer}
train: {batch: 2, epochs: 1}
optim: {name: sgd, lr: 0.1}
log: {every_steps: 1, tensorboard: false, report: false, stall: 60s}
run: {folder: run}
YAML
must 1 pack run.yaml
must 1 train run.yaml
host=$(uname -n)

# --- A rank stops ---
begin() { # begin WORDS...: three ranks in the background
    rm -f out err
    timeout -s KILL 100 mpirun --oversubscribe -np 3 "$MNEME" "$@" --set log.stall=2s >out 2>err &
    run=$!
}
ranks_of() { # the ranks, by number: of this run alone
    local launcher
    launcher=$(pgrep -P $run -x mpirun)
    mapfile -t rank < <(for p in $(pgrep -P "$launcher" -f run.yaml); do
        echo "$(tr '\0' '\n' <"/proc/$p/environ" | sed -n 's/^OMPI_COMM_WORLD_RANK=//p') $p"; done | sort -n | cut -d' ' -f2)
    [ ${#rank[@]} = 3 ] || { fail "${#rank[@]} ranks: $(cat err)"; kill -KILL $run "$launcher"; exit 1; }
}
until_true() { for _ in $(seq 600); do eval "$1" && return; sleep 0.05; done; fail "never: $1: $(cat err)"; }
named() { # named WHAT RANK: 76, and the rank is named once
    wait $run
    local code=$?
    [ $code = 76 ] && [ "$(grep -c "^mneme: rank $2 on $host is silent since [0-9]* s; its last phase was [a-z]* at step [0-9]* (limit: 2 s)\$" err)" = 1 ] ||
        fail "$1, rank $2 stopped: exit $code: $(cat err)"
}
for victim in 0 1; do # predict waits for lines, for as long as it may take
    mkfifo lines$victim
    begin predict run.yaml lines$victim
    exec 4>lines$victim
    echo '{"story": ["Mary went to the garden ."], "question": "Where is Mary ?"}' >&4
    until_true '[ -s out ]'
    ranks_of
    kill -STOP "${rank[victim]}"
    named predict $victim
    exec 4>&-
done
# eval and attend read a corpus and are done: a rank stops itself when it reads for the time STOP_READ.
cat >stop.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <hdf5.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
herr_t H5Dread(hid_t a, hid_t b, hid_t c, hid_t d, hid_t e, void *out)
{
    static int reads;
    const char *rank = getenv("OMPI_COMM_WORLD_RANK"), *who = getenv("STOP_RANK"), *when = getenv("STOP_READ");
    if (who && rank && strcmp(rank, who) == 0 && ++reads == atoi(when)) raise(SIGSTOP);
    return ((herr_t(*)(hid_t, hid_t, hid_t, hid_t, hid_t, void *))dlsym(RTLD_NEXT, "H5Dread"))(a, b, c, d, e, out);
}
C
# shellcheck disable=SC2046
cc -shared -fPIC -o stop.so stop.c $(pkg-config --cflags hdf5-serial) -ldl
cat >pairs.yaml <<YAML
source: {name: copy, train: 200, valid: 3, test: 60, min_words: 2, max_words: 4, min_test_words: 2, max_test_words: 4}
data: {corpus: pairs}
model: {name: seq2seq, dim: 4, attention: {score: dot}}
task: {name: translation}
train: {batch: 8, epochs: 1}
log: {tensorboard: false, report: false, stall: 60s}
run: {folder: run2}
YAML
must 1 pack pairs.yaml
must 1 train pairs.yaml
export STOP_READ=1 STOP_RANK=0
printf '{"story": ["Mary went to the garden ."], "question": "Where is Mary ?"}\n%.0s' 1 2 3 >story
printf 'a b\n%.0s' 1 2 3 4 5 >lines
for command in "eval run.yaml --split train" "attend run.yaml --split train" "attend run.yaml story" \
    "translate pairs.yaml lines" "eval pairs.yaml --split test" "attend pairs.yaml lines" "predict run.yaml story"; do
    # shellcheck disable=SC2086
    timeout -s KILL 100 mpirun --oversubscribe -np 3 -x LD_PRELOAD="$dir/stop.so" "$MNEME" $command --set log.stall=2s >out 2>err
    code=$?
    [ $code = 76 ] && [ "$(grep -c "^mneme: rank $STOP_RANK on $host is silent since [0-9]* s; its last phase was [a-z]* at step [0-9]* (limit: 2 s)\$" err)" = 1 ] ||
        fail "$command, rank $STOP_RANK stopped: exit $code: $(cat err)"
    STOP_RANK=$(((STOP_RANK + 1) % 3))
done
unset STOP_RANK STOP_READ
begin pack run.yaml --set data.corpus=large --set source.train=3000000
until_true '[ "$(pgrep -P "$(pgrep -P $run -x mpirun)" -f run.yaml | wc -l)" = 3 ]'
sleep 2
ranks_of
kill -STOP "${rank[2]}"
wait $run
code=$?
[ $code = 76 ] && grep -q "^mneme: rank \(2 on $host is silent\|[01] on $host is in .*: another rank has stopped\)" err ||
    fail "pack: exit $code: $(cat err)"

# A rank that never starts MPI: the others do not wait for ever.
timeout -s KILL 100 mpirun --oversubscribe -np 1 "$MNEME" predict run.yaml --set log.stall=2s : -np 1 sleep 90 >out 2>err
code=$?
[ $code = 76 ] && grep -q "^mneme: rank 0 on $host is in MPI_Init since 20 s: another rank has stopped or did not start" err ||
    fail "a rank that does not start: exit $code: $(cat err)"

# --- Signals before the first instruction ---
for signal in 10 12 15; do
    timeout -s KILL 100 "$HELPERS/helper_pending" $signal "$MNEME" train run.yaml --set run.folder=early$signal >out 2>err
    code=$?
    [ $code = 75 ] && grep -q '^mneme: stopped by SIG.* after step 1; the state is saved' err || fail "signal $signal: exit $code: $(cat err)"
    must 1 train run.yaml --set run.folder=early$signal
done
timeout -s KILL 100 "$HELPERS/helper_pending" 15 "$MNEME" config run.yaml >out 2>err
[ $? = 143 ] || fail "a command that saves nothing does not end by SIGTERM: $(cat err)"

# --- A failure while the thread of a checkpoint works ---
for i in 1 2 3 4 5 6; do
    on 1 train run.yaml --fresh --set run.folder=wild --set optim.lr=1e6 --set model.dim=8192 --set checkpoint.every_steps=1 >out 2>err
    code=$?
    [ $code = 2 ] && grep -q '^mneme: .*is not finite' err || fail "not finite, time $i: exit $code: $(cat err)"
done

# --- A log that nobody reads ---
unread() { # unread WORDS...: standard error or output ($to) has lost its reader before the command begins
    mkfifo gone
    : <gone &
    exec 5>gone
    wait $!
    if [ "$to" = err ]; then
        env --default-signal=PIPE timeout -s KILL 100 "$MNEME" "$@" >out 2>&5
    else
        env --default-signal=PIPE "$MNEME" "$@" >&5 2>err
    fi
    code=$?
    exec 5>&-
    rm gone
}
to=err unread train run.yaml --set run.folder=unread
[ $code = 0 ] && [ -s unread/finished.json ] && grep -q 'standard error has no reader any more: the log goes on here' unread/log.txt &&
    grep -q 'unread: [0-9]* parameters' unread/log.txt || fail "a training without a reader: exit $code: $(cat unread/log.txt)"
to=out unread config run.yaml
[ $code = 141 ] && [ ! -s err ] || fail "config without a reader: exit $code: $(cat err)"
exit $bad
