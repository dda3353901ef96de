#!/bin/bash
# A new member of each family, added to a copy of the tree: it is built, and trains. Folder FAMILY beside this script is
# what adding one takes: new files in their places, change.diff with the lines that join them, and `trains` with the
# name of the member and a training that uses it. The table in trainer/README.md says how many files and lines that are,
# and whether the stored reference of attention (tests/golden/attend) has to be made again; here they are counted.
. "$SOURCE/tests/expect.sh"
: "${dir:?}" "${bad:?}" # expect.sh makes them
toys=$SOURCE/tests/toy
readme=$SOURCE/trainer/README.md
mkdir tree
(cd "$SOURCE" && scripts/lint/files . '*' | grep -v '^tests/toy/' | tar cf - -T -) | tar xf - -C tree
declare -A counted
for toy in "$toys"/*/; do
    family=$(basename "$toy")
    files=$(cd "$toy" && find . -type f ! -name change.diff ! -name trains | sed 's|^\./||')
    (cd "$toy" && tar cf - $files) | tar xf - -C tree
    patch -s -p1 -d tree <"$toy/change.diff" >log || { fail "$family: change.diff does not fit: $(cat log)"; continue; }
    counted[$family]="| $family | $(wc -w <<<"$files") | $(grep -c '^+++ ' "$toy/change.diff") | $(grep -c "^+[^+]" "$toy/change.diff") |"
done
[ $bad = 0 ] || exit 1

cmake -S tree -B build -G Ninja -DCMAKE_BUILD_TYPE=Debug >log 2>&1 || { fail "$(cat log)"; exit 1; }
walks="unit_importers unit_metric grad_models grad_rnn grad_score grad_select"
# shellcheck disable=SC2086
cmake --build build --target mneme $walks -j 2 >log 2>&1 || { fail "$(tail -n 40 log)"; exit 1; }
MNEME=$dir/build/mneme
"$MNEME" doc attention >reference
"$MNEME" doc markdown >manual

# The tests that walk the families walk the new members too.
for walk in $walks; do SOURCE=$dir/tree "build/tests/$walk" >log 2>&1 || fail "$walk: $(grep -v '^\[' log)"; done

# trains NAME TEXT: a few updates of the configuration TEXT; then its measures and what it looked at
trains() {
    printf '%s\n' "$2" "data: {corpus: $1}" "run: {folder: $1-run}" 'log: {tensorboard: false, report: false}' >"$1.yaml"
    must 1 pack "$1.yaml"
    must 1 train "$1.yaml" --set train.batch=6 --set train.epochs=2
    grep -q "finished after" err || fail "$1: $(cat err)"
    must 1 eval "$1.yaml"
    mv out "$1.measures"
    must 1 attend "$1.yaml" --split test --output "$1"
}
# What the toys train on.
pairs='source: {name: language, train: 24, valid: 6, test: 6, max_words: 8}
task: {name: translation}
optim: {name: adam, lr: 0.01}'
documents='source: {name: reviews, train: 24, valid: 6, test: 6, max_sentences: 4}
optim: {name: adam, lr: 0.01}'
: "$pairs" "$documents"
for toy in "$toys"/*/; do
    family=$(basename "$toy") member=
    # shellcheck source=/dev/null
    . "$toy/trains"
    stored=no
    grep -qw "$member" reference && stored=yes
    grep -qF "${counted[$family]} $stored |" "$readme" || fail "trainer/README.md does not say: ${counted[$family]} $stored |"
done
exit $bad
