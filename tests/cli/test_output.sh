#!/bin/bash
# What a command printed and could not be written is told: 74, whichever command, whether the disk is full or the standard
# output is closed; and a closed one never becomes a file that is opened later.
. "$SOURCE/tests/expect.sh"
: "${dir:?}" "${bad:?}" # expect.sh makes them
must 1 init csv .
must 1 pack csv.yaml
must 1 train csv.yaml --set train.epochs=1
cp reviews.csv one
lost() {
    "$MNEME" "$@" >/dev/full 2>err
    [ $? = 74 ] || fail "$* >/dev/full did not end with 74: $(cat err)"
    grep -q "standard output: No space left on device" err || fail "$* >/dev/full: $(cat err)"
    "$MNEME" "$@" >&- 2>err
    [ $? = 74 ] || fail "$* >&- did not end with 74: $(cat err)"
    grep -q "standard output: Bad file descriptor" err || fail "$* >&-: $(cat err)"
}
lost --help
lost --version
lost help pack
lost init
lost config csv.yaml
lost config
lost doc markdown
lost doctor
lost inspect corpus
lost inspect run
lost train csv.yaml --dry-run
lost eval csv.yaml --split train
lost eval csv.yaml --split train --json
lost predict csv.yaml questions.txt
lost attend csv.yaml --split train
lost score one --input one
must 1 inspect corpus
must 1 inspect run
exit $bad
