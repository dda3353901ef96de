#!/bin/bash
# Merges learned from the 58,000 tokenised lines of Multi30k are, byte by byte, those of subword-nmt 0.3.8
# (learn-bpe -s 10000 on the lines of both languages): the digest below is that of the tool's file.
# MNEME_DATA is a folder with multi30k/train.lc.norm.tok.{de,en}.xz.
. "$SOURCE/tests/expect.sh"
: "${dir:?}" "${bad:?}" # expect.sh makes them
data=${MNEME_DATA:-}/multi30k
[ -f "$data/train.lc.norm.tok.de.xz" ] || { echo "skipped: no multi30k in MNEME_DATA"; exit 77; }
command -v xz >/dev/null || { echo "skipped: no xz to unpack it with"; exit 77; }
for language in de en; do xz -dc "$data/train.lc.norm.tok.$language.xz" >"$dir/t.$language"; done
cat >"$dir/pairs.yaml" <<YAML
source: {name: parallel, train_source: t.de, train_target: t.en}
text: {words: space, lowercase: false, normalise: none}
subwords: {merges: 10000}
data: {corpus: corpus}
YAML
must 1 pack "$dir/pairs.yaml"
for side in source target; do
    found=$(sha256sum <"$dir/corpus/$side.bpe")
    [ "${found%% *}" = 5b545f318e49f24367c7399019c9aeb5e3720b6379a08f887c2792af71c37f2a ] || fail "$side: other merges: $found"
done
exit $bad
