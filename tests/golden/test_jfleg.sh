#!/bin/bash
# GLEU of sources, uncorrected. For JFLEG's it is what its authors publish beside the corpus: 38.21 (dev) and 40.54 (test),
# where MNEME_DATA is a folder with jfleg/jfleg.tar.xz; for our own text it is what their script says to each sentence that
# is its own reference: 1.
. "$SOURCE/tests/expect.sh"
: "${dir:?}" "${bad:?}" # expect.sh makes them
gleu() { # gleu SPLIT PUBLISHED
    local found
    found=$("$MNEME" score "$1".ref[0-3] --source "$1.src" --input "$1.src" --metrics gleu --score-only)
    [ "$(awk -v x="$found" 'BEGIN { printf "%.2f", 100 * x }')" = "$2" ] || fail "$1: $found, published $2"
    echo "$1: GLEU $found, published $2"
}
cp "$SOURCE/tests/golden/score/gec.src" own.src
for i in 0 1 2 3; do cp own.src own.ref$i; done
gleu own 100.00
corpus=${MNEME_DATA:-}/jfleg/jfleg.tar.xz
if [ -f "$corpus" ]; then
    tar xf "$corpus"
    gleu dev 38.21
    gleu test 40.54
fi
exit $bad
