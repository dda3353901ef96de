#!/bin/bash
# What `mneme doc markdown` says of every command and every key is in reference.md: a new setting shows in the diff.
. "$SOURCE/tests/expect.sh"
: "${dir:?}" "${bad:?}" # expect.sh makes them
"$MNEME" doc markdown >reference.md || fail "mneme doc markdown ended with $?"
diff -u "$SOURCE/tests/golden/reference.md" reference.md >changes ||
    fail "$(head -40 changes)
the reference is another; if that is meant: mneme doc markdown > tests/golden/reference.md"
exit $bad
