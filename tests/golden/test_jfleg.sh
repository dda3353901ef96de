#!/bin/bash
# GLEU of JFLEG's sources, uncorrected, is what its authors publish beside the corpus: 38.21 (dev) and 40.54 (test).
# MNEME_DATA is a folder with jfleg/jfleg.tar.xz.
. "$SOURCE/tests/expect.sh"
: "${dir:?}" "${bad:?}" # expect.sh makes them
corpus=${MNEME_DATA:-}/jfleg/jfleg.tar.xz
[ -f "$corpus" ] || { echo "skipped: no jfleg in MNEME_DATA"; exit 77; }
tar xf "$corpus"
gleu() { # gleu SPLIT PUBLISHED
    local found
    found=$("$MNEME" score "$1".ref[0-3] --source "$1.src" --input "$1.src" --metrics gleu --score-only)
    [ "$(awk -v x="$found" 'BEGIN { printf "%.2f", 100 * x }')" = "$2" ] || fail "$1: $found, published $2"
    echo "$1: GLEU $found, published $2"
}
gleu dev 38.21
gleu test 40.54
exit $bad
