#!/bin/bash
# mneme init lists the templates; each is written into a folder, and its commands run there as they are printed. Nothing
# that is there is overwritten.
. "$SOURCE/tests/expect.sh"
: "${dir:?}" "${bad:?}" # expect.sh makes them
mkdir bin && ln -s "$MNEME" bin/mneme
export PATH=$dir/bin:$PATH
mneme init >list || fail "init ended with $?"
names=$(sed -n 's/^  \([a-z]*\) .*/\1/p' list)
[ "$names" = "$(cd "$SOURCE/configs/templates" && printf '%s\n' *.txt | LC_ALL=C sort | sed 's/\.txt$//')" ] ||
    fail "not every template is listed: $names"
for name in $names; do
    folder="of my $name" # a shell's word
    mneme init "$name" "$folder" >said 2>err || { fail "init $name: $(cat err)"; continue; }
    [ "$(head -c 1 "$folder/$name.yaml")" = '#' ] || fail "$name: no configuration that begins with a comment"
    sed -n 's/^  //p' said >commands
    grep -q '^mneme pack' commands && grep -q '^mneme train' commands && grep -qE '^mneme (predict|translate)' commands ||
        fail "$name: no pack, train and predict: $(cat commands)"
    bash -e commands </dev/null >out 2>err || fail "$name: the commands ended with $?: $(cat commands err)"
    [ -s "$folder/run/report.html" ] || fail "$name: no report"
    lines=$(grep -c . "$folder"/questions.*)
    case $name in
    captions | stories | tsv | jsonl | folders) [ "$(grep -c '^{"line"' out)" = "$lines" ] || fail "$name: not $lines answers" ;;
    esac
    sha256sum "$folder"/* >before 2>/dev/null
    expect 1 64 "mneme: $folder/$name.yaml is there already, and nothing is overwritten: name another folder" init "$name" "$folder"
    sha256sum "$folder"/* 2>/dev/null | cmp - before || fail "$name: a file was overwritten"
done
# What was learnt is right.
grep -q '"label": "hall"' <(cd "of my stories" && mneme predict stories.yaml questions.jsonl 2>/dev/null) || fail "stories: not the hall"
[ "$(cd "of my tsv" && mneme predict tsv.yaml questions.txt 2>/dev/null | sed 's/.*"label": "\([a-z]*\)".*/\1/' | paste -sd ' ')" = "good bad" ] ||
    fail "tsv: not good bad"

# In the folder where one is; any file in the way, a link to nothing too, stops all of it.
mkdir here && cd here && mneme init tsv >/dev/null && [ -f tsv.yaml ] && cd .. || fail "not in the folder where one is"
for way in questions.txt reviews.tsv tsv.yaml; do
    mkdir "way-$way" && ln -s nowhere "way-$way/$way"
    expect 1 64 "mneme: way-$way/$way is there already, and nothing is overwritten: name another folder" init tsv "way-$way"
    [ "$(ls -A "way-$way")" = "$way" ] || fail "$way: something was written"
done
mkdir unwritable && : >unwritable/file
expect 1 64 "mneme: init: there is no template tvs; did you mean tsv?" init tvs
expect 1 64 "mneme: init: the name of the folder is empty" init tsv ""
on 1 init tsv unwritable/file/x >out 2>err && fail "a folder inside a file was made"
on 3 init tsv three >out 2>err || fail "on 3 ranks: $(cat err)"
[ "$(grep -c 'mneme pack' out)" = 1 ] || fail "3 ranks speak"
exit $bad
