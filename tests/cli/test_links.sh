#!/bin/bash
# `mneme links`: two directions made one, formats and bases, the error rate, and what is said about links that are none.
. "$SOURCE/tests/expect.sh"
: "${dir:?}" "${bad:?}" # expect.sh makes them
printf '0-0 1-1 2-3\n\n0-1\n' >fwd
printf '0-0 1-1 1-2\n0-0\n1-0\n' >rev
printf 'a b c\nd\ne f\n' >src
printf 'A B C D\nE\nF G\n' >tgt

same() { # same TEXT WORDS...: the standard output is TEXT
    local text=$1
    shift
    "$MNEME" links "$@" >out 2>err || fail "$*: ended with $?: $(cat err)"
    [ "$(cat out; echo .)" = "$text"$'\n.' ] || fail "$*: expected"$'\n'"$text"$'\n'"found"$'\n'"$(cat out)"
}
same $'0-0 1-1\n\n' fwd rev --combine intersection
same $'0-0 1-1 1-2 2-3\n0-0\n0-1 1-0' fwd rev --combine union
# 1-2 beside 1-1 comes first; then 2-3 is a corner of it. 0-1 and 1-0 have no link in common: neither grows.
same $'0-0 1-1 1-2 2-3\n\n' fwd rev --combine grow-diag
same $'0-0 1-1 1-2\n\n' fwd rev --combine grow
same $'0-0 1-1 1-2 2-3\n0-0\n0-1 1-0' fwd rev --combine grow-diag-final
same $'0-0 1-1 1-2 2-3\n0-0\n0-1 1-0' fwd rev
must 2 links fwd rev
cmp -s out <("$MNEME" links fwd rev) || fail "2 ranks print something else"

# The same links in other words.
printf '1-1 2-2 4-3\n\n2-1\n' >swapped
same "$(cat fwd)" swapped --swapped --base 1
same "$(cat fwd)" - <fwd
printf '1 1 1\n1 2 2 S\n1 3 4 S 0.25\n3 1 2\n' >naacl
same "$(cat fwd)" naacl --links naacl
same $'1-1 2-2 3-4\n\n1-2' fwd --output-base 1
# Links to NULL are no links: with them and without them the same, where words count from 1; and each in its own line.
printf '1 0 2 S\n1 1 1\n1 2 2 S\n\n1 3 4 S 0.25\n2 0 0 P\n2 1 0\n3 1 2\r\n4 0 1\n' >nulls
same "$(cat fwd)" nulls --links naacl
said=$("$MNEME" links nulls --links naacl 2>&1 >/dev/null)
[ "$said" = "mneme: nulls: 4 links to NULL (word 0) are passed over" ] || fail "links to NULL: $said"
same $'0-1 1-1\n2-2' - --links naacl --base 0 < <(printf '1 0 1\n1 1 1\n2 2 2\n')
same "$(cat fwd)" <(cat fwd)
same "$(cat fwd)" <(sed 's/$/\r/' fwd)
# What is only possible stays so, and goes from one format to the other and back.
printf '0-0 1-1 2p3 2-0\n\n1p1\n' >marked
same $'0-0 1-1 2-0 2?3\n\n1?1' marked
same $'1 1 1 S\n1 2 2 S\n1 3 1 S\n1 3 4 P\n3 2 2 P' marked --output-links naacl
"$MNEME" links marked --output-links naacl >marked.naacl
same $'0-0 1-1 2-0 2?3\n\n1?1' marked.naacl --links naacl
same $'1 0 0 S\n1 1 1 S' fwd marked --combine intersection --output-links naacl --output-base 0 --reverse-swapped

# 3 of 4 links are possible, 2 of them sure, of 3 sure ones: 1 - (2 + 3) / (4 + 3).
printf '0-0 1-1 2p3\n0-0\n1p1\n' >gold
line='AER = 0.2857 (precision = 0.7500 recall = 0.6667 F1 = 0.7059 links = 4 sure = 3)'
same "$line" fwd --reference gold
same "$line" fwd --reference gold --source src --target tgt
same "$line" naacl --links naacl --reference gold
printf '1 1 1 S\n1 2 2\n1 3 4 P\n2 1 1 S 1.0\n3 2 2 P .5\n' >gold.naacl
same "$line" fwd --reference gold.naacl --reference-links naacl
same "$line" naacl --links naacl --reference gold.naacl --reference-links naacl
same 'AER = 0.0000 (precision = 1.0000 recall = 1.0000 F1 = 1.0000 links = 5 sure = 3)' gold --reference gold
same $'AER = 0.0000 (precision = 1.0000 recall = 1.0000 F1 = 1.0000 links = 3 sure = 2)
AER = 1.0000 (precision = 0.0000 recall = 0.0000 F1 = 0.0000 links = 0 sure = 1)
AER = 1.0000 (precision = 0.0000 recall = 0.0000 F1 = 0.0000 links = 1 sure = 0)' fwd --reference gold --sentence-level
"$MNEME" links fwd --reference gold --format json |
    python3 -c 'import json, sys; j = json.load(sys.stdin); assert abs(j["aer"] - 2 / 7) < 1e-12 and j["links"] == 4, j' ||
    fail "JSON: $("$MNEME" links fwd --reference gold --format json)"

says() { expect 1 "$1" "mneme: $2" links "${@:3}"; }
says 64 "usage: mneme links FILE [REVERSE] (0 words were given)"
says 66 "none: No such file or directory" none
says 64 "--combine needs two files of links" fwd --combine union
says 64 "--combine grow-diags: there is no such format or method; did you mean grow-diag?" fwd rev --combine grow-diags
says 64 "--combine-as atool: there is no such format or method; did you mean atools?" fwd rev --combine-as atool
says 64 "--links moses: there is no such format or method; there are pharaoh, naacl" fwd --links moses
says 64 "--base 2: a whole number from 0 to 1 is expected" fwd --base 2
says 64 "--source and --target belong together" fwd --source src
says 64 "--format xml: text or json is expected" fwd --format xml
printf '0-0\n1:2\n\n' >colons
says 65 'colons:2: "1:2" is no link; i-j (sure) or i?j (possible) was expected' colons
printf '0-0\n0-0 1-3\n\n' >outside
says 65 "outside:2: link 1-3 is outside the pair of 1 source and 1 target words (the first word is 0)" outside --source src --target tgt
says 65 "fwd:1: link 0-0 is outside the pair of 3 source and 4 target words (the first word is 1)" fwd --base 1 --source src --target tgt
says 65 "fwd:1: link 0-0: a word was expected, from 1 to 32768" fwd --base 1
says 64 "--output-links moses: there is no such format or method; there are pharaoh, naacl" fwd --output-links moses
head -n 2 fwd >short
says 65 "short has 2 pairs, but fwd has 3" fwd short
says 65 "short has 2 pairs, but fwd has 3" fwd --reference short
says 65 "short has 2 pairs, but src has 3" short --source src --target tgt
printf '0-0\n\n\n0-0\n' >long
says 65 "long:4: pair 4, but src has 3 lines" long --source src --target tgt
says 65 "gold.naacl has 3 pairs, but short has 2" short --reference gold.naacl --reference-links naacl
printf '1 1 1\n3 1 1\n2 1 1\n' >back
says 65 "back:3: sentence 2 after sentence 3; they count from 1 and must rise" back --links naacl
printf '1 1 1\n\n1 9 1\n' >far
says 65 "far:3: link 9-1 is outside the pair of 3 source and 4 target words (the first word is 1)" far --links naacl --source src --target tgt
printf '1 1 1 maybe\n' >word
says 65 'word:1: "1 1 1 maybe" is no link; "sentence i j" with S or P was expected' word --links naacl
expect 2 65 "mneme: standard input:1: link 99999-0: a word was expected, from 0 to 32767" \
    links - < <(echo 99999-0)
exit $bad
