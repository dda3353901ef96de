#!/bin/bash
# mneme config --explain KEY: what a setting is, its value here and where that comes from; a section and a group list theirs.
. "$SOURCE/tests/expect.sh"
: "${dir:?}" "${bad:?}" # expect.sh makes them
must 1 init csv .
says() { # says LINE ARGUMENTS: the output holds this line
    MNEME_OPTIM_EPSILON=1e-7 "$MNEME" config "${@:2}" >out 2>err || fail "${*:2}: $(cat err)"
    grep -qxF -- "$1" out || fail "config ${*:2} lacks '$1': $(cat out)"
}
says "optim.lr  (adam)" csv.yaml --explain optim.lr
says "  here     0.005, csv.yaml:$(grep -n 'lr:' csv.yaml | cut -d: -f1):$(($(grep 'lr:' csv.yaml | sed 's/lr:.*//' | wc -c)))" csv.yaml --explain optim.lr
says "  here     0.25, --set 1" csv.yaml --set optim.lr=0.25 --explain optim.lr
says "  here     1e-07, environment MNEME_OPTIM_EPSILON" csv.yaml --explain optim.epsilon
says "  changed  may change when a run goes on" --explain train.epochs
says "  preset   none: it must be given" --explain data.corpus
says "optim.momentum  (momentum)" csv.yaml --explain optim.momentum # a key that the chosen one has not
says "  train.batch  Examples of a step, or words (batch_unit), all ranks together." --explain train
says "model.decoder.bridge  (recurrent)" --explain model.decoder.bridge
[ "$(grep -c "^model.decoder.bridge" out)" = 1 ] || fail "model.decoder.bridge stands there twice"
expect 1 64 "mneme: there is no setting optm.lr; did you mean optim.lr?" config csv.yaml --explain optm.lr
expect 1 64 "mneme: there is no setting trian; did you mean train?" config --explain trian
exit $bad
