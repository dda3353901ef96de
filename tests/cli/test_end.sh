#!/bin/bash
# The figures that a training ends with are those of the checkpoint that eval takes, wherever they stand; what an end that
# was cut short did not write is made by the same command.
. "$SOURCE/tests/expect.sh"
: "${dir:?}" "${bad:?}" # expect.sh makes them
cat >run.yaml <<YAML
source: {name: stories, tasks: [one_fact], train: 60, valid: 12, test: 20}
data: {corpus: corpus}
model: {name: memn2n, hops: 2, dim: 6, memory: 8}
task: {name: answer}
train: {batch: 8, epochs: 6}
optim: {name: adam, lr: 0.05}
log: {tensorboard: false, stall: 60s}
run: {folder: run}
YAML
must 1 pack run.yaml
# end NAME RANKS SET...: train, and compare all places that tell the end
end() {
    local name=$1 ranks=$2 sets=() want checkpoint loss
    shift 2
    for word in run.folder="$name" "$@"; do sets+=(--set "$word"); done
    must "$ranks" train run.yaml "${sets[@]}"
    cp err trained
    must 1 eval run.yaml "${sets[@]}" --json
    checkpoint=$(sed -n 's/.*"checkpoint": "[^"]*\/\(step-[0-9]*.h5\)".*/\1/p' out)
    loss=$(sed -n 's/.*"loss": \([^,}]*\).*/\1/p' out)
    [ -n "$checkpoint" ] && [ -n "$loss" ] || fail "$name: eval says $(cat out)"
    want="\"loss\": $loss,"
    grep '"kind": "final_test"' "$name/metrics.jsonl" | grep -qF "$want" || fail "$name: metrics.jsonl has no $want"
    grep ',final_test,' "$name/metrics.csv" | grep -qF ",$loss," || fail "$name: metrics.csv has no $loss"
    [ "$(grep ',final_test,' "$name/metrics.csv" | sed 's/.*,//')" = $((10#${checkpoint//[!0-9]/} / 10)) ] ||
        fail "$name: metrics.csv has another checkpoint than $checkpoint"
    grep -q "$checkpoint" "$name/finished.json" && grep -q "final_test.*  of $checkpoint$" trained &&
        grep -q "Of $checkpoint, the best checkpoint" "$name/report.html" || fail "$name: $checkpoint is not named"
    grep -q "$(printf '>%.6g<' "$loss")" "$name/report.html" || fail "$name: report.html has no $loss"
    echo "$name $checkpoint" >>chosen
}
end plain 1
end two 2
end average 1 train.ema=0.8
end linear 1 model.linear_start=true model.linear_epochs=2 model.noise=0.1
end once 1 checkpoint.every_epochs=0 eval.split=none
grep -vq "step-000000048.h5" chosen || fail "the last checkpoint was always the best: nothing was seen: $(cat chosen)"
# A best checkpoint that is damaged or gone takes nothing with it: the newest good one is measured, and that is said.
cp -r plain worn && rm worn/finished.json
best=$(sed -n 's/plain //p' chosen)
[ "$best" != step-000000048.h5 ] || fail "the best of plain is the last"
truncate -s 1000 "worn/checkpoints/$best"
must 2 train run.yaml --set run.folder=worn
grep -q "^mneme: warning: $dir/worn/checkpoints/$best: " err && grep -q "final_test.*  of step-000000048.h5$" err ||
    fail "a damaged best: $(cat err)"
rows() { sed 's/"time": *[0-9.e+]*,* *//' "$1/metrics.jsonl"; }
again() { # again: the run that lost something ends as the whole one
    must 1 train run.yaml --set run.folder=cut
    [ -s cut/report.html ] && cmp cut/finished.json plain/finished.json || fail "$1: was not made again: $(cat err)"
    diff <(rows plain) <(rows cut) >differs || fail "$1: other rows: $(cat differs)"
    must 1 train run.yaml --set run.folder=cut
    said "mneme: $dir/cut: finished after 48 steps; --fresh starts anew"
}
cp -r plain cut && rm cut/report.html cut/finished.json # killed while the page was written
again "killed in the page"
rm cut/report.html # deleted, or never asked for until now
again "no page"
rm cut/finished.json cut/report.html && mkdir -p cut/report.html.part/x # a page that cannot be written
expect 1 74 "mneme: $dir/cut/report.html: Is a directory" train run.yaml --set run.folder=cut
[ ! -e cut/finished.json ] || fail "finished without its page"
rm -r cut/report.html.part
again "a disk that was full"
exit $bad
