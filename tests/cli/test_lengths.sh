#!/bin/bash
# `mneme lengths`: the figure of a group of lengths is that of its lines alone; what is said about texts that do not fit.
. "$SOURCE/tests/expect.sh"
: "${dir:?}" "${bad:?}" # expect.sh makes them
printf 'a b c\nd e f  g h i j\n\na\tb\nu v w x y z\np q\n' >src
printf 'the cat sat on the mat\nthis is a fine test of it\n\nso it is now\nwe go home at night\ngo on to the end\n' >ref
sed 's/fine/bad/; s/home/to/; s/is now/was so then/' ref >worse

must 1 lengths same=ref worse=worse --reference ref --source src --group 3 --output page.html
[ "$(head -n 1 out)" = $'words\tlines\tsame\tworse' ] || fail "the head of the table: $(head -n 1 out)"
cut -f 1-3 out | diff - <(printf 'words\tlines\tsame\n1-3\t3\t100.0\n4-6\t1\t100.0\n7-9\t1\t100.0\n') || fail "the table of the same text"
group() { # group LINES ROW: the third figure of the table's row is the score of those lines
    local found
    sed -n "$1" ref >one.ref
    sed -n "$1" worse >one.worse
    found=$(sed -n "$2p" out | cut -f 4)
    [ "$found" = "$("$MNEME" score one.ref --input one.worse --score-only)" ] || fail "row $2: $found"
}
group '1p;4p;6p' 2
group 5p 3
group 2p 4
grep -q '<svg' page.html && grep -q 'words of the source' page.html || fail "the page has no curves"
mv out one
must 2 lengths same=ref worse=worse --reference ref --source src --group 3
cmp -s out one || fail "2 ranks print something else"

says() { expect 1 "$1" "mneme: $2" lengths "${@:3}"; }
says 64 "lengths needs --reference FILE and --source FILE" a=ref
says 64 "ref: NAME=FILE is expected" ref --reference ref --source src
says 64 "a=: NAME=FILE is expected" a= --reference ref --source src
says 64 "there is no measure blue; did you mean bleu?" a=ref --reference ref --source src --metric blue
says 64 "distinct needs all lines at once: it is no sum over lines" a=ref --reference ref --source src --metric distinct
says 66 "none: No such file or directory" a=none --reference ref --source src
head -n 2 ref >short
says 65 "short has 2 lines, but ref has 6: line 3 of it has no counterpart" a=short --reference ref --source src
says 65 "short has 2 lines, but ref has 6: line 3 of it has no counterpart" a=ref --reference ref --source short
yes x | head -n 1001 | tr '\n' ' ' >long
printf 'y\n' >y
says 65 "long:1: 1001 words; with --group 1 at most 1000" a=y --reference y --source long --group 1
exit $bad
