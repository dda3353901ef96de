#!/bin/bash
# `mneme score` says what the reference tools say, to the last digit: score/make.py has made the stored values.
. "$SOURCE/tests/expect.sh"
: "${dir:?}" "${bad:?}" # expect.sh makes them
cd "$SOURCE/tests/golden/score" || exit 1
cases=0
for values in *.txt; do
    : >"$dir/got"
    while read -r line; do
        [ "${line:0:2}" = "$ " ] || continue
        cases=$((cases + 1))
        echo "$line" >>"$dir/got"
        read -ra words <<<"${line:2}"
        "$MNEME" score "${words[@]}" >"$dir/out" 2>"$dir/err" || fail "$line: ended with $?: $(cat "$dir/err")"
        sed 's/version:mneme-[^ ]*/version:/' "$dir/out" >>"$dir/got"
    done <"$values"
    diff "$values" "$dir/got" >"$dir/diff" || fail "$values (<), mneme (>):"$'\n'"$(head -n 20 "$dir/diff")"
done
[ $cases -ge 80 ] || fail "only $cases cases"
exit $bad
