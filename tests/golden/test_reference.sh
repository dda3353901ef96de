#!/bin/bash
# The stored values in score/ are what the reference tools say today, byte by byte: make.py makes them again in a copy.
. "$SOURCE/tests/expect.sh"
. "$SOURCE/tests/golden/reference.sh"
: "${dir:?}" "${bad:?}" "${python:?}" "${samples:?}" # they make them
cp -r "$samples" score
for name in aer bleu chrf rouge; do rm score/$name.txt; done
rm score/stems.tsv
"$python" score/make.py >out 2>&1 || fail "make.py ended with $?: $(cat out)"
for name in aer.txt bleu.txt chrf.txt rouge.txt stems.tsv; do
    cmp "$samples/$name" score/$name || fail "$name: the tools of tests/golden/requirements.txt say something else"
done
exit $bad
