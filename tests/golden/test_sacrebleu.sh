#!/bin/bash
# BLEU and chrF of real text beside sacreBLEU itself, where it is installed: PYTHON is a Python that has it (python3).
# MNEME_DATA is a folder with multi30k/test_2016_flickr.{de,en,fr}.gz. What is scored is the reference, spoilt.
. "$SOURCE/tests/expect.sh"
: "${dir:?}" "${bad:?}" # expect.sh makes them
python=${PYTHON:-python3}
"$python" -c 'import sacrebleu' 2>/dev/null || { echo "skipped: $python has no sacrebleu"; exit 77; }
data=${MNEME_DATA:-}/multi30k
[ -f "$data/test_2016_flickr.de.gz" ] || { echo "skipped: no multi30k in MNEME_DATA"; exit 77; }
for language in de en fr; do
    zcat "$data/test_2016_flickr.$language.gz" >ref
    # Every fifth word goes, every seventh comes twice, two change places.
    awk '{ out = ""
           for (i = 1; i <= NF; i++) if ((i + NR) % 5) out = out " " ((i * NR) % 7 ? $i : $i " " $i)
           n = split(out, w, " "); if (n > 3) { t = w[2]; w[2] = w[3]; w[3] = t }
           line = ""; for (i = 1; i <= n; i++) line = line (i > 1 ? " " : "") w[i]; print line }' ref >hyp
    for tokens in 13a intl zh char none; do
        ours=$("$MNEME" score ref --input hyp --tokenize $tokens --width 4 | sed 's/version:[^ ]*//')
        theirs=$("$python" -m sacrebleu ref -i hyp -tok $tokens -w 4 -f text 2>err | sed 's/version:[^ ]*//')
        [ -n "$theirs" ] && [ "$ours" = "$theirs" ] || fail "$language $tokens: $ours; sacreBLEU: $theirs $(cat err)"
    done
    for words in 0 2; do
        ours=$("$MNEME" score ref --input hyp --metrics chrf --chrf-word-order $words --width 4 --score-only)
        theirs=$("$python" -m sacrebleu ref -i hyp -m chrf --chrf-word-order $words -w 4 -b 2>err)
        [ -n "$theirs" ] && [ "$ours" = "$theirs" ] || fail "$language chrf $words: $ours; sacreBLEU: $theirs $(cat err)"
    done
    echo "$language: $(wc -l <ref) lines, BLEU $("$MNEME" score ref --input hyp --score-only), as sacreBLEU has it"
done
exit $bad
