#!/bin/bash
# A browser draws the report and the attention page, in light and in dark, and the two differ; what it draws is measured.
# Needs a browser without a screen (chromium) and the program of the unit test that makes the pages.
set -eu
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
maker=$(dirname "$MNEME")/tests/unit_report
[ -n "$browser" ] || { echo "skipped: chromium is not installed"; exit 77; }
[ -x "$maker" ] || { echo "skipped: $maker is not built"; exit 77; }
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
mkdir "$folder/run"
SOURCE=$SOURCE MNEME_PAGES=$folder/run "$maker" >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }

draw() { # PAGE IMAGE OPTION...
    local page=$1 image=$2
    shift 2
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars \
        --user-data-dir="$folder/profile" --window-size=1200,2400 "$@" --screenshot="$image" "file://$page" \
        >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
    [ -s "$image" ] || { echo "$page: no picture"; cat "$folder/log"; exit 1; }
}
for page in report attention leaves; do
    draw "$folder/run/$page.html" "$folder/$page-light.png"
    draw "$folder/run/$page.html" "$folder/$page-dark.png" --blink-settings=preferredColorScheme=0
    cmp -s "$folder/$page-light.png" "$folder/$page-dark.png" && { echo "$page: dark is as light"; exit 1; }
    # An empty page of this size takes some 10 kB.
    [ "$(stat -c %s "$folder/$page-light.png")" -gt 30000 ] || { echo "$page: the picture is empty"; exit 1; }
done

# What is drawn is measured: no overflow, no broken words, text that can be read, on a phone too; so is the page of a run
# whose labels are long, or written from the right.
mkdir "$folder/labels"
cat >"$folder/labels/c.yaml" <<YAML
source: {name: jsonl, train: [train.jsonl], valid: [train.jsonl], test: [train.jsonl]}
data: {corpus: corpus}
model: {name: han, dim: 6, word: {hidden: 3}, sentence: {hidden: 3}}
task: {name: classification}
train: {batch: 2, epochs: 3}
run: {folder: run}
YAML
long=$(printf 'Donaudampfschifffahrt%.0s' 1 2 3 4 5)
for label in praise "$long" 'مراجعة جيدة' '&lt;b&gt;'; do
    for word in good "$long" 'فيلم'; do echo "{\"text\": \"a $word word. it is $word\", \"label\": \"$label\"}"; done
done >"$folder/labels/train.jsonl"
for command in pack train; do
    "$MNEME" $command "$folder/labels/c.yaml" >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
done
for text in '<h1 dir="auto">han on labels/corpus</h1>' 'test accuracy, best checkpoint' 'Confusion matrix' '<summary>'; do
    grep -qF "$text" "$folder/labels/run/report.html" || { echo "the report has no $text"; exit 1; }
done
python3 "$SOURCE/tests/cli/measure_page.py" "$browser" "$folder" "$folder"/run/{report,attention,leaves}.html \
    "$folder/labels/run/report.html" || exit 1

# An image shows its words: with another word it is another picture.
seen() { # seen IMAGE WORD OTHER
    local name=$1 word
    for word in "$2" "$3"; do
        sed "s/$2/$word/g" "$folder/run/$name.svg" >"$folder/run/$word.svg"
        draw "$folder/run/$word.svg" "$folder/$word.png"
    done
    [ "$(stat -c %s "$folder/$2.png")" -gt 15000 ] || { echo "$name.svg: the picture is empty"; exit 1; }
    ! cmp -s "$folder/$2.png" "$folder/$3.png" || { echo "$name.svg: the words are not seen"; exit 1; }
}
seen pair Männer Frauen
seen arcs tired happy
seen grid grass stone
seen heads 'step 4' 'time 4'

# One of many pairs is shown: the worst, the one that the address names, and those that keys lead to.
shown() { # shown INPUT [#NUMBER] [SCRIPT]
    { cat "$folder/run/leaves.html"; echo "<script>${3-}</script>"; } >"$folder/run/keys.html"
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$folder/profile" \
        --virtual-time-budget=5000 --dump-dom "file://$folder/run/keys.html${2-}" >"$folder/dom" 2>"$folder/log"
    sed -n '/id="box"/,/<noscript>/p' "$folder/dom" | grep -q "Input <b dir=\"auto\">$1</b>" ||
        { echo "leaves.html${2-}: $1 is not shown"; sed -n '/id="box"/,/<noscript>/p' "$folder/dom" | head -c 600; exit 1; }
}
press="const press=key=>document.dispatchEvent(new KeyboardEvent('keydown',{key}));"
choose="const choose=(id,to,how)=>{const x=document.getElementById(id);x.value=to;x['on'+how]()};"
shown 'p 4' '#5'
shown 'p 11' '' "${press}press('ArrowRight');press('j');press('k');press('End');press('Home');press('ArrowRight');press('j')"
shown 'p 3' '' "${choose}${press}choose('order','','change');choose('number','3','change');press('ArrowRight')"
echo "report and attention page are drawn in light and in dark"
