#!/bin/bash
# What holds for every model of the table, each on the small experiment that it brings along: the same bits on 1 and on 3
# ranks, killed and gone on or not; measures, predictions and attention that do not depend on ranks or batches.
. "$SOURCE/tests/expect.sh"
: "${dir:?}" "${bad:?}" # expect.sh makes them
export MNEME_BLAS_CHOSEN=1 # the same kernels for the program and for the helper, which does not choose any
digest() { "$MNEME" inspect "$(find "$1/checkpoints" -name 'step-*.h5' | sort | tail -n 1)" | awk '$1 == "digest"'; }
models=$("$HELPERS/helper_tiny" models)
[ "$(wc -w <<<"$models")" -ge 4 ] || fail "the table has the models: $models"
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
exit $bad
