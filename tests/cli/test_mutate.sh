#!/bin/bash
# scripts/mutate says how it is used, and what it lacks; where its generator is there, the same seed draws the same changes.
set -u
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
bad=0
fail() { echo "$*"; bad=1; }
cd "$dir" || exit 1
"$SOURCE/scripts/mutate" --help >out 2>err
[ $? = 0 ] && grep -q -- '--seconds N ' out || fail "--help: $(cat err)"
"$SOURCE/scripts/mutate" --counts 3 >out 2>err
[ $? = 64 ] && grep -q '^scripts/mutate: unrecognized arguments: --counts' err || fail "a wrong option: $(cat err)"
mkdir -p copy/scripts && cp "$SOURCE/scripts/mutate" copy/scripts
copy/scripts/mutate --list >out 2>err
[ $? = 69 ] && grep -q '^scripts/mutate: universalmutator is not there: scripts/setup --mutate$' err || fail "without a generator: $(cat err)"
if [ -x "$SOURCE/build-mutate/venv/bin/mutate" ]; then
    "$SOURCE/scripts/mutate" io/text --list --count 4 --seed 3 >one && "$SOURCE/scripts/mutate" io/text --list --count 4 --seed 3 | cmp one - ||
        fail "one seed, other changes"
    [ "$(grep -c '^io/text/[a-z_]*\.c:[0-9]*: .*  ->  ' one)" = 4 ] || fail "changes: $(cat one)"
fi
exit $bad
