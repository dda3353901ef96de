#!/bin/bash
# BLEU and chrF beside sacreBLEU itself: of our own texts, and of real ones where MNEME_DATA is a folder with
# multi30k/test_2016_flickr.{de,en,fr}.gz. What is scored there is the reference, spoilt.
. "$SOURCE/tests/expect.sh"
. "$SOURCE/tests/golden/reference.sh"
: "${dir:?}" "${bad:?}" "${python:?}" "${samples:?}" # they make them
compare() { # compare NAME: the files ref and hyp
    local name=$1 tokens words ours theirs
    for tokens in 13a intl zh char none; do
        ours=$("$MNEME" score ref --input hyp --tokenize $tokens --width 4 | sed 's/version:[^ ]*//')
        theirs=$("$python" -m sacrebleu ref -i hyp -tok $tokens -w 4 -f text 2>err | sed 's/version:[^ ]*//')
        [ -n "$theirs" ] && [ "$ours" = "$theirs" ] || fail "$name $tokens: $ours; sacreBLEU: $theirs $(cat err)"
    done
    for words in 0 2; do
        ours=$("$MNEME" score ref --input hyp --metrics chrf --chrf-word-order $words --width 4 --score-only)
        theirs=$("$python" -m sacrebleu ref -i hyp -m chrf --chrf-word-order $words -w 4 -b 2>err)
        [ -n "$theirs" ] && [ "$ours" = "$theirs" ] || fail "$name chrf $words: $ours; sacreBLEU: $theirs $(cat err)"
    done
    echo "$name: $(wc -l <ref) lines, BLEU $("$MNEME" score ref --input hyp --score-only), as sacreBLEU has it"
}
for name in en de zh ar; do
    cp "$samples/$name.ref0" ref
    cp "$samples/$name.hyp" hyp
    compare "own $name"
done
data=${MNEME_DATA:-}/multi30k
if [ -f "$data/test_2016_flickr.de.gz" ]; then
    for language in de en fr; do
        zcat "$data/test_2016_flickr.$language.gz" >ref
        # Every fifth word goes, every seventh comes twice, two change places.
        awk '{ out = ""
               for (i = 1; i <= NF; i++) if ((i + NR) % 5) out = out " " ((i * NR) % 7 ? $i : $i " " $i)
               n = split(out, w, " "); if (n > 3) { t = w[2]; w[2] = w[3]; w[3] = t }
               line = ""; for (i = 1; i <= n; i++) line = line (i > 1 ? " " : "") w[i]; print line }' ref >hyp
        compare $language
    done
fi
exit $bad
