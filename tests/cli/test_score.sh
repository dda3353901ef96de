#!/bin/bash
# `mneme score`: what is printed, on any number of ranks, and what is said about texts that cannot be compared.
. "$SOURCE/tests/expect.sh"
: "${dir:?}" "${bad:?}" # expect.sh makes them
printf 'the cat sat on the mat\n\na dog\n' >ref
printf 'the cat sat on a mat\r\n\r\na dog\r\n' >hyp
gzip -k ref
printf 'the cat sat on a mat\na dog\n' >hyp.full

same() { # same TEXT WORDS...: the standard output is TEXT
    local text=$1
    shift
    "$MNEME" score "$@" >out 2>err || fail "$*: ended with $?: $(cat err)"
    [ "$(head -n "$(wc -l <<<"$text")" out)" = "$text" ] || fail "$*: expected"$'\n'"$text"$'\n'"found"$'\n'"$(cat out)"
}
version=$("$MNEME" --version | cut -d' ' -f2)
signature="nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:mneme-$version"
line="BLEU|$signature = 55.8 87.5/66.7/50.0/33.3 (BP = 1.000 ratio = 1.000 hyp_len = 8 ref_len = 8)"
same "$line" ref --input hyp
same "$line" ref.gz --input hyp
same "$line" ref <hyp
same "$line" ref --input - <hyp
same 55.83948 ref --input hyp --width 5 --score-only
same $'53.728497\n0.000000\n100.000000' ref --input hyp --width 6 --score-only --sentence-level
same "{\"name\": \"BLEU\", \"score\": 55.8, \"signature\": \"${signature}\", \"verbose_score\": \"${line#* = 55.8 }\"}" \
    ref --input hyp --format json
must 2 score ref --input hyp
[ "$(cat out)" = "$line" ] || fail "2 ranks: $(cat out)"
# The texts themselves, whatever they are, are as good as they can be.
for tokens in 13a intl zh char none; do same 100.00 ref --input ref --tokenize $tokens --score-only --width 2; done
[ "$("$MNEME" score ref --input ref --metrics bleu,chrf,chrf++ --score-only --width 3 | sort -u)" = 100.000 ] ||
    fail "a text itself: $("$MNEME" score ref --input ref --metrics bleu,chrf,chrf++)"
grep . ref >full # rouge gives an empty line nothing
[ "$("$MNEME" score full --input full --metrics rouge,accuracy,gleu --source hyp.full --score-only --width 3 | sort -u)" = 1.000 ] ||
    fail "a text itself: $("$MNEME" score full --input full --metrics rouge,accuracy,gleu --source hyp.full)"
same $'exact = 0.6667\ntokens = 0.8750' ref --input hyp --metrics accuracy
same $'exact = 1.0000\ntokens = 1.0000' hyp ref --input hyp --metrics accuracy
same $'0.8750\n0.7500' ref --input hyp --metrics distinct --tokenize none --score-only
json="{\"name\": \"distinct-1\", \"score\": 0.875, \"signature\": \"case:mixed|tok:13a|version:mneme-$version\", "
same "$json\"verbose_score\": \"(different = 7 tokens = 8)\"}" ref --input hyp --metrics distinct --format json
yes 'a house .' | head -n 100 >tokens
must 1 score tokens --input tokens
said "mneme: warning: tokens: 100 lines end in a full stop by itself; is the text in tokens? BLEU is meant for plain text"
must 1 score tokens --input tokens --tokenize none
[ -s err ] && fail "a warning for nothing: $(cat err)"

says() { expect 1 "$1" "mneme: $2" score "${@:3}"; }
says 64 "usage: mneme score REFERENCE... (0 words were given)"
says 66 "none: No such file or directory" none --input hyp
says 66 "none: No such file or directory" ref --input none
head -n 2 hyp >short
says 65 "short has 2 lines, but ref has 3: line 3 of it has no counterpart" ref --input short
says 65 "short has 2 lines, but ref has 3: line 3 of it has no counterpart" ref short --input hyp
says 65 "short has 2 lines, but ref has 3: line 3 of it has no counterpart" ref --input hyp --source short
: >empty
says 65 "empty: the file is empty" ref --input empty
says 65 "standard input: there is nothing to read" ref </dev/null
printf 'fine\ncaf\351\nfine\n' >latin
says 65 "latin:2: not UTF-8 at byte 4" ref --input latin
says 65 "latin:2: not UTF-8 at byte 4" latin --input hyp
expect 2 65 "mneme: standard input:2: not UTF-8 at byte 4" score ref <latin
printf 'fine\nno\0text\n' >zero
says 65 "zero:2: not text: a 0 byte at byte 3" ref --input zero
says 64 "there is no measure blue; did you mean bleu?" ref --input hyp --metrics blue
says 64 "there is no tokenisation 14a; did you mean 13a?" ref --input hyp --tokenize 14a
says 64 "there is no smoothing laplace; there are exp, floor, add-k, none" ref --input hyp --smooth-method laplace
says 64 "--smooth-value x: a number of at least 0 is expected" ref --input hyp --smooth-value x
says 64 "there is no draw python; did you mean python2?" ref --input hyp --source ref --metrics gleu --gleu-draw python
says 64 "gleu needs the source text: --source FILE" ref --input hyp --metrics bleu,gleu
says 64 "--chrf-beta 0: a whole number from 1 to 100 is expected" ref --input hyp --metrics chrf --chrf-beta 0
says 64 "--width 13: a whole number from 0 to 12 is expected" ref --input hyp --width 13
says 64 "--format xml: text or json is expected" ref --input hyp --format xml
exit $bad
