#!/bin/bash
# A run goes on with what it began with: another corpus or file of vectors is refused unless the change is accepted, and
# after an accepted change the schedule is as long as the steps that were done and those that are left.
. "$SOURCE/tests/expect.sh"
: "${dir:?}" "${bad:?}" # expect.sh makes them
cat >run.yaml <<YAML
source: {name: stories, tasks: [one_fact], train: 32, valid: 6, test: 6}
data: {corpus: corpus}
model: {name: memn2n, hops: 1, dim: 4, memory: 8}
task: {name: answer}
train: {batch: 8, epochs: 2}
optim: {name: sgd, lr: 0.5}
checkpoint: {every_steps: 1, keep_last: 100, background: false}
log: {every_steps: 1, tensorboard: false, report: false, stall: 60s}
run: {folder: run}
YAML
must 1 pack run.yaml
must 1 pack run.yaml --set data.corpus=fewer --set source.train=20 --set pack.vocabulary=corpus
must 1 pack run.yaml --set data.corpus=valid --set source.valid=7 --set pack.vocabulary=corpus
must 1 pack run.yaml --set data.corpus=same --set pack.vocabulary=corpus
must 1 pack run.yaml --set data.corpus=facts --set 'source.tasks=[two_facts]'
digest() { "$MNEME" inspect "$1" | sed -n 's/^from importer .*, digest //p'; }
[ "$(digest corpus)" = "$(digest same)" ] || fail "the same text packed twice has two digests"

# --- Another corpus, where a run is to go on, and where it has finished ---
must 1 train run.yaml --set train.steps=6
cp -r run six
changed="$dir/run/checkpoints/step-000000006.h5: another corpus or file changes the mathematics of the run:"
ranks=2
for to in "fewer 20" "valid 32"; do
    line="data.corpus: 32 examples to learn from, digest $(digest corpus) -> ${to#* }, digest $(digest "${to% *}")"
    expect $ranks 78 "mneme: $changed
data.corpus: $dir/corpus -> $dir/${to% *} (may change)
train.steps: 6 -> 0 (may change)
$line
go on with --accept-changes, start anew with --fresh, or change it back" train run.yaml --set data.corpus="${to% *}"
    ranks=1
    diff -r run six >/dev/null || fail "a run that was refused was changed"
    expect 1 78 "mneme: $dir/run/config.yaml: another corpus or file changes the mathematics of the run, which has finished:" \
        train run.yaml --set train.steps=6 --set data.corpus="${to% *}"
    said "$line"
done
must 1 train run.yaml --set data.corpus=same
rm -r run && cp -r six run
must 2 train run.yaml --set data.corpus=fewer --accept-changes
said "mneme: an epoch has 3 batches now, 4 before: going on with batch 1 of epoch 1"
grep -q "^step 8/8 " err || fail "the steps of an accepted change: $(cat err)"
must 1 train run.yaml --set data.corpus=fewer --set train.epochs=3 # accepted once, it is the run's own
words() { "$MNEME" inspect "$1" | sed -n 's/^vocabularies and fields: digest //p'; }
expect 1 65 "mneme: $dir/run/checkpoints/step-000000011.h5: belongs to a corpus with the vocabulary $(words corpus), this one has $(words facts)" \
    train run.yaml --set data.corpus=facts --set train.epochs=4 --accept-changes
rm -r run && cp -r six run

# To measure another corpus with the same words is a thing to do, and said; words of one's own need no corpus.
must 1 eval run.yaml --set data.corpus=fewer
said "mneme: $dir/run/checkpoints/step-000000004.h5 learnt from another corpus (32 examples, digest $(digest corpus)) than $dir/fewer (digest $(digest fewer))"
echo '{"story": ["anna went to the park"], "question": "where is anna"}' >ask
must 1 predict run.yaml ask --set data.corpus=fewer
! grep -q "another corpus" err || fail "predict: $(cat err)"

# Settings with which the parameters fit, and mean something else, are told; names are asked for before anything is read.
must 1 eval run.yaml --set model.encoding=bow --set train.batch=4
grep -q "^mneme: warning: $dir/run/checkpoints/step-000000004.h5 was made with other settings of the model:" err &&
    said "model.encoding: position -> bow" && ! grep -q train.batch err || fail "other settings: $(cat err)"
expect 2 64 "mneme: --require accuracy=much: much is no number" eval run.yaml --require accuracy=much
expect 1 78 "mneme: --require: the task has no measure \"acuracy\"; it has loss, accuracy, examples, mean_error, failed" \
    eval run.yaml --require acuracy=0.5
[ ! -s out ] || fail "measured before its name was known: $(cat out)"

# A corpus whose index names no digests is told from another by what its shards hold.
for c in corpus fewer; do
    cp -r $c bare-$c
    sed -i 's/"xxh3": "[0-9a-f]*",* *//g; s/"content": "[0-9a-f]*", *//; s/, *}/}/g' bare-$c/index.json
done
must 1 train run.yaml --set run.folder=bare --set data.corpus=bare-corpus --set train.steps=2
rm bare-corpus/train-* && cp fewer/train-* bare-corpus && cp bare-fewer/index.json bare-corpus
expect 2 78 "mneme: $dir/bare/checkpoints/step-000000002.h5: another corpus or file changes the mathematics of the run:" \
    train run.yaml --set run.folder=bare --set data.corpus=bare-corpus

# --- The schedule, against a plain loop over the steps of both parts ---
# rates NAME WARMUP STEPS BATCHES ACCUMULATE BATCHES2 ACCUMULATE2 EPOCHS2 STEPS2: rates of all steps
rates() {
    awk -v name="$1" -v warmup="$2" -v K="$3" -v B="$4" -v n="$5" -v B2="$6" -v n2="$7" -v E="$8" -v K2="$9" '
    function up(a, b) { return int((a + b - 1) / b) }
    function total(s, e, b, B, n, E, K,   t) { t = s + up(B - b, n) + (E - e - 1) * up(B, n); return K && K < t ? K : t }
    function factor(s, T, e,   t, x) {
        if (name == "noam") { t = s + 1; return (t ^ -0.5 < t * warmup ^ -1.5 ? t ^ -0.5 : t * warmup ^ -1.5) / sqrt(512) }
        if (s < warmup) return (s + 1) / warmup
        x = (s - warmup) / (T - warmup)
        if (name == "cosine") return (1 + cos(atan2(0, -1) * x)) / 2
        if (name == "linear") return 1 - x
        if (name == "exponential") return 0.95 ^ e
        if (name == "step") return 0.1 ^ int(e / 10)
        return 1
    }
    function run(T, B, n) {
        while (s < T) {
            printf "%d %.5g\n", s + 1, 0.5 * factor(s, T, e + b / B)
            s++; b += n; if (b >= B) { e++; b = 0 }
        }
    }
    BEGIN {
        s = e = b = 0
        run(total(0, 0, 0, B, n, 2, K), B, n)
        b = int(b / B * B2)
        run(total(s, e, b, B2, n2, E, K2), B2, n2)
    }'
}
# goes NAME WARMUP STEPS SET... : both parts; what follows -- is of the second
goes() {
    local name=$1 warmup=$2 steps=$3 first=() second=() change=0 B=4 n=1 B2 n2 E=2 K2=0
    shift 3
    for word in "$@"; do
        if [ "$word" = -- ]; then change=1; elif [ $change = 0 ]; then first+=(--set "$word"); else second+=(--set "$word"); fi
        case $word in
            train.batch=*) B=$(((32 + ${word#*=} - 1) / ${word#*=})) ;;
            train.accumulate=*) n=${word#*=} ;;
            train.epochs=*) E=${word#*=} ;;
            train.steps=*) K2=${word#*=} ;;
            --) B1=$B n1=$n ;;
        esac
    done
    B2=$B n2=$n
    local settings=(--set schedule.name="$name" --set schedule.warmup="$warmup" --set checkpoint.every_steps=0)
    must 1 train run.yaml --fresh "${settings[@]}" "${first[@]}" --set train.steps="$steps"
    must 1 train run.yaml --accept-changes "${settings[@]}" "${first[@]}" "${second[@]}"
    sed -n 's/.*"step": \([0-9]*\),.*"rate": \([^,]*\),.*/\1 \2/p' run/metrics.jsonl | awk '{printf "%d %.5g\n", $1, $2}' >got
    rates "$name" "$warmup" "$steps" "$B1" "$n1" "$B2" "$n2" "$E" "$K2" >want
    diff got want >differs || fail "$*: rates: $(cat differs)"
    local last
    last=$(tail -n 1 want | cut -d ' ' -f 1)
    grep -q "^step $last/$last " err || fail "$name $*: not so many steps as $last: $(cat err)"
}
goes cosine 0 8 -- train.batch=16 train.epochs=5 # from the end of an epoch
goes cosine 2 3 -- train.batch=4                 # from its midst
goes cosine 0 3 train.accumulate=1 -- train.accumulate=3 train.epochs=4
goes linear 0 5 train.accumulate=2 train.batch=4 -- train.accumulate=1 train.batch=8
goes linear 3 4 -- train.batch=2 train.steps=20 train.epochs=9
goes linear 0 3 -- train.epochs=3 # the settings stay, there is only more to do
# What was trained before is more than all that would be wanted now: nothing is left, and no length is negative.
must 1 train run.yaml --fresh --set train.batch=32 --set schedule.name=cosine --set optim.lr=0.1
rm run/finished.json
must 1 train run.yaml --accept-changes --set train.batch=2 --set train.epochs=1 --set schedule.name=cosine --set optim.lr=0.1
grep -q "^step 2/2 " err || fail "nothing was left: $(cat err)"
goes noam 4 6 -- train.batch=16 train.epochs=6
goes exponential 0 6 -- train.batch=16 train.epochs=6
goes step 1 6 -- train.batch=2 train.epochs=12

ranks=2
# --- Patience that is changed counts the validations that there were ---
early=(--set early.min_delta=1e6 --set run.folder=early --set train.epochs=9)
must 1 train run.yaml "${early[@]}" --set early.patience=1
said "mneme: $dir/early: finished after 8 steps"
expect 1 78 "mneme: $dir/early/config.yaml: the configuration changes the mathematics of the run, which has finished:" \
    train run.yaml "${early[@]}" --set early.patience=3
must 1 train run.yaml "${early[@]}" --set early.patience=1 --accept-changes
said "mneme: $dir/early: finished after 8 steps"
must 1 train run.yaml "${early[@]}" --set early.patience=3 --accept-changes
said "mneme: $dir/early: finished after 16 steps"

# --- Names that a training would need after an epoch are asked for before it begins ---
refused() { # refused TEXT SET...: by the training and by --dry-run, and nothing is made
    local text=$1 sets=()
    shift
    for set in run.folder=new early.patience=1 "$@"; do sets+=(--set "$set"); done
    expect $ranks 78 "mneme: $text" train run.yaml "${sets[@]}"
    ranks=1
    expect 1 78 "mneme: $text" train run.yaml "${sets[@]}" --dry-run
    [ ! -e new ] || fail "$text: a run's folder was made"
}
refused "schedule.warmup is 8 steps, but the schedule ends after 8" schedule.name=cosine schedule.warmup=8
refused "eval.split: $dir/corpus has no split extra" eval.split=extra
refused "eval.final: $dir/corpus has no split tests; did you mean test?" 'eval.final=[tests]'
refused "data.bucket: the corpus has no field stroy; did you mean story?" data.bucket=stroy
names="loss, accuracy, examples, mean_error, failed"
refused "early.measure: the task has no measure \"error/300\"; it has $names" early.measure=error/300
refused "eval.measure: the task has no measure \"loss/1\"; it has $names; did you mean loss?" eval.measure=loss/1
must 1 train run.yaml --set run.folder=none --set early.patience=1 --set eval.split=none
said "mneme: warning: early.patience has no effect: nothing is evaluated while training"
exit $bad
