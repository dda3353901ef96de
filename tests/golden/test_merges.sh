#!/bin/bash
# Merges learned are, byte by byte, those of subword-nmt: of our own texts beside the tool itself, and of the 58,000
# tokenised lines of Multi30k, where MNEME_DATA is a folder with multi30k/train.lc.norm.tok.{de,en}.xz: the digest below is
# that of what subword-nmt 0.3.8 (learn-bpe -s 10000 on the lines of both languages) wrote.
. "$SOURCE/tests/expect.sh"
: "${dir:?}" "${bad:?}" # expect.sh makes them
learn() { # learn MERGES: from t.de and t.en, into corpus/
    cat >"$dir/pairs.yaml" <<YAML
source: {name: parallel, train_source: t.de, train_target: t.en}
text: {words: space, lowercase: false, normalise: none}
subwords: {merges: $1}
data: {corpus: corpus}
YAML
    must 1 pack "$dir/pairs.yaml" --replace
}
data=${MNEME_DATA:-}/multi30k
if [ -f "$data/train.lc.norm.tok.de.xz" ]; then
    for language in de en; do xz -dc "$data/train.lc.norm.tok.$language.xz" >"$dir/t.$language"; done
    learn 10000
    for side in source target; do
        found=$(sha256sum <"$dir/corpus/$side.bpe")
        [ "${found%% *}" = 5b545f318e49f24367c7399019c9aeb5e3720b6379a08f887c2792af71c37f2a ] || fail "$side: other merges: $found"
    done
fi
. "$SOURCE/tests/golden/reference.sh"
: "${python:?}" "${samples:?}"
grep -ahv '^ *$' "$samples"/{de,en,ar,sum,gec}.{hyp,ref0} "$samples"/en.ref[12] >all
lines=$(wc -l <all)
head -n $((lines / 2)) all >t.de
tail -n +$((lines / 2 + 1)) all | head -n $((lines / 2)) >t.en
for merges in 20 150; do
    learn $merges
    "$python" -c "from subword_nmt.subword_nmt import main; main()" learn-bpe -s $merges >theirs 2>err < <(cat t.de t.en) || fail "$(cat err)"
    [ "$(wc -l <theirs)" = $((merges + 1)) ] || fail "subword-nmt learned $(wc -l <theirs) lines"
    for side in source target; do cmp theirs "corpus/$side.bpe" || fail "$side: $merges merges are not those of subword-nmt"; done
done
exit $bad
