#!/bin/bash
# Parallel text to a corpus: the same bytes on any number of ranks, what is left out is said, faults name file and line.
. "$SOURCE/tests/expect.sh"
: "${dir:?}" "${bad:?}" # expect.sh makes them
cat >"$dir/pairs.yaml" <<YAML
source: {name: parallel, train_source: a.de, train_target: a.en, test_source: a.de, test_target: a.en, max_length: 9}
text: {lowercase: false, joiner: true}
pack: {shards: 3}
data: {corpus: corpus}
YAML
for i in 1 2 3 4 5 6 7; do
    echo "Ein Hund ($i) springt, und zwei Katzen-$i schlafen."
    echo "Hund $i!"
    [ "$i" = 3 ] && echo
    echo "Das ist Satz $i."
done >"$dir/a.de"
for i in 1 2 3 4 5 6 7; do
    echo "A dog ($i) jumps."
    echo "Dog $i!"
    [ "$i" = 3 ] && echo "Something"
    echo "This is sentence $i."
done >"$dir/a.en"

for ranks in 1 2 3; do
    must $ranks pack "$dir/pairs.yaml" --set "data.corpus=corpus-$ranks"
    said "mneme: $dir/corpus-$ranks: 14 examples in train"
    said "mneme: $dir/corpus-$ranks: 21 examples in test"
    said "mneme: warning: $dir/corpus-$ranks: 2 pairs left out: a side without words"
    said "mneme: warning: $dir/corpus-$ranks: 7 pairs left out: a side longer than source.max_length"
    diff -r "$dir/corpus-1" "$dir/corpus-$ranks" || fail "$ranks ranks: other files"
done
must 2 inspect "$dir/corpus-2"

nothing() { [ -z "$(find "$dir" -name 'corpus*' ! -name 'corpus-[123]' | head -n 1)" ] || fail "$1: left behind"; }
wrong() { # wrong RANKS STATUS TEXT [WORDS...]
    expect "$1" "$2" "mneme: $3" pack "$dir/pairs.yaml" "${@:4}"
    nothing "$3"
}
head -n 20 "$dir/a.en" >"$dir/short.en"
wrong 2 65 "$dir/short.en: ends after line 20, but $dir/a.de has a line 21" --set source.train_target=short.en
{ head -n 4 "$dir/a.en" && printf 'caf\351\n' && tail -n +6 "$dir/a.en"; } >"$dir/latin1.en"
wrong 2 65 "$dir/latin1.en:5: not UTF-8 at byte 4" --set source.train_target=latin1.en
{ for i in $(seq 21); do echo 0-0; done && echo 0-9; } >"$dir/links"
wrong 1 78 "text.words is icu, but links count the words of the file: words: space and punctuation: true are needed" \
    --set source.train_links=links
wrong 1 65 "$dir/links:22: link 0-9 is outside the pair of 4 source and 4 target words (the first word is 0)" \
    --set source.train_links=links --set text.words=space
exit $bad
