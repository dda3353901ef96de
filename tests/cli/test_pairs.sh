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

for ranks in 1 2; do
    must $ranks pack "$dir/pairs.yaml" --set "data.corpus=corpus-$ranks"
    said "mneme: $dir/corpus-$ranks: 14 examples in train"
    said "mneme: $dir/corpus-$ranks: 21 examples in test"
    said "mneme: warning: $dir/corpus-$ranks: 2 pairs left out: a side without words; the first is $dir/a.de:9"
    said "mneme: warning: $dir/corpus-$ranks: 7 pairs left out: a side longer than source.max_length; the first is $dir/a.de:1"
    diff -r "$dir/corpus-1" "$dir/corpus-$ranks" || fail "$ranks ranks: other files"
done
must 2 inspect "$dir/corpus-2"

nothing() { [ -z "$(find "$dir" -name 'corpus*' ! -name 'corpus-[12]' | head -n 1)" ] || fail "$1: left behind"; }
wrong() { # wrong RANKS STATUS TEXT [WORDS...]
    expect "$1" "$2" "mneme: $3" pack "$dir/pairs.yaml" "${@:4}"
    nothing "$3"
}
for ranks in 1 2; do
    wrong $ranks 65 "importer parallel: the split train has no examples; 21 were left out (a side longer than source.max_length), the first is $dir/a.de:1" \
        --set source.max_length=1
done
head -n 20 "$dir/a.en" >"$dir/short.en"
wrong 2 65 "$dir/short.en: ends after line 20, but $dir/a.de has a line 21" --set source.train_target=short.en
{ head -n 4 "$dir/a.en" && printf 'caf\351\n' && tail -n +6 "$dir/a.en"; } >"$dir/latin1.en"
wrong 2 65 "$dir/latin1.en:5: not UTF-8 at byte 4" --set source.train_target=latin1.en
{ for i in $(seq 21); do echo 0-0; done && echo 0-9; } >"$dir/links"
wrong 1 78 "text.words is icu, but links count the words of the file: words: space and punctuation: true are needed" \
    --set source.train_links=links
wrong 1 65 "$dir/links:22: link 0-9 is outside the pair of 4 source and 4 target words (the first word is 0)" \
    --set source.train_links=links --set text.words=space

# Truecase and subwords: learned from all ranks' words, stored beside the vocabularies, taken from another corpus.
forms=(--set text.truecase=true --set subwords.merges=30 --set subwords.threshold=3)
for ranks in 1 2 3; do
    must $ranks pack "$dir/pairs.yaml" --set "data.corpus=forms-$ranks" "${forms[@]}"
    diff -r "$dir/forms-1" "$dir/forms-$ranks" || fail "$ranks ranks: other forms"
done
cmp "$dir/forms-1/source.bpe" "$dir/forms-1/target.bpe" || fail "joint merges differ"
[ "$(sed -n 1p "$dir/forms-1/source.bpe")" = "#version: 0.2" ] || fail "not subword-nmt's format"
grep -q '^ist ' "$dir/forms-1/source.cases" || fail "no form of ist"
must 1 pack "$dir/pairs.yaml" --set data.corpus=apart --set subwords.merges=30 --set subwords.joint=false
cmp -s "$dir/apart/source.bpe" "$dir/apart/target.bpe" && fail "merges of one language are those of the other"
must 1 pack "$dir/pairs.yaml" --set data.corpus=read --set "subwords.files=[apart/source.bpe, apart/target.bpe]"
diff -r "$dir/apart" "$dir/read" || fail "merges that were read make another corpus"
must 2 pack "$dir/pairs.yaml" --set data.corpus=taken --set pack.vocabulary=forms-1 "${forms[@]}"
diff -r "$dir/forms-1" "$dir/taken" || fail "the forms of another corpus make another corpus"

refused() { # refused STATUS TEXT WORDS...
    expect 1 "$1" "mneme: $2" pack "$dir/pairs.yaml" --set data.corpus=none "${@:3}"
    [ ! -e "$dir/none" ] || fail "$2: left behind"
}
refused 65 "$dir/apart/target.bpe: other merges than those of $dir/forms-1, whose vocabularies are used" \
    --set pack.vocabulary=forms-1 --set text.truecase=true --set subwords.files=apart/target.bpe
refused 78 "text.truecase is false, but $dir/forms-1 was packed with true" --set pack.vocabulary=forms-1
refused 78 "text.joiner is false, but $dir/apart was packed with true" --set pack.vocabulary=apart --set text.joiner=false
refused 78 "section subwords asks for merges, but $dir/corpus-1, whose vocabularies are used, has none" \
    --set pack.vocabulary=corpus-1 --set subwords.merges=9
refused 78 "source.characters gives the characters of whole words as the file spells them: it goes without text.truecase \
and section subwords" --set source.characters=true --set subwords.merges=9
printf '#version: 0.2\nж к\nжк л</w>\n' >"$dir/other.bpe"
refused 65 "subwords.files: none of the 2 merges occurs in the words of vocabulary source: they are of another text" \
    --set subwords.files=other.bpe
refused 78 "subwords.files: 3 files for 2 vocabularies of words; one for all, or one each" \
    --set "subwords.files=[other.bpe, other.bpe, other.bpe]"
echo "a b c" >"$dir/broken.bpe"
refused 65 "$dir/broken.bpe:1: \"a b c\" is no merge; two subwords with a space between them were expected" \
    --set subwords.files=broken.bpe
sed -i '$d' "$dir/taken/source.bpe"
on 1 inspect "$dir/taken" >"$dir/out" 2>"$dir/err"
grep -q "taken/source.bpe: merges of vocabulary source that are damaged or of another corpus: found digest" "$dir/err" "$dir/out" ||
    fail "damaged merges: $(cat "$dir/out" "$dir/err")"
exit $bad
