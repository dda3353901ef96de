#!/bin/bash
# All that rests on kernels gives right results at each level that this processor has.
set -u
tests="$(dirname "$MNEME")/tests"
failed=0
for level in base v3; do
    for program in unit_panel unit_rnn grad_rnn; do
        if ! MNEME_KERNELS=$level "$tests/$program" >/dev/null 2>&1; then
            echo "$program fails with the kernels of level $level"
            failed=1
        fi
    done
done
exit $failed
