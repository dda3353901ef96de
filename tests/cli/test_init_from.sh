#!/bin/bash
# mneme init --from looks at a file of labelled documents and writes the configuration that fits: it packs, trains to the
# right accuracy, and answers. Where it cannot tell it says what it saw.
. "$SOURCE/tests/expect.sh"
: "${dir:?}" "${bad:?}" # expect.sh makes them
# rows SEED CLASSES ROWS: number, text, label; each text holds two words of its label
rows() {
    awk -v seed="$1" -v classes="$2" -v rows="$3" 'BEGIN {
        srand(seed); n = split("the soup a waiter we had bread table and was place garden street tea friend came", w, " ")
        for (r = 1; r <= rows; r++) {
            c = r % classes; text = ""
            for (s = int(rand() * 3); s >= 0; s--) {
                for (i = 0; i < 5; i++) text = text w[1 + int(rand() * n)] " "
                text = text "sign" c "x" int(rand() * 3) ". "
            }
            printf "%d\t%s\tkind%d\n", r, text, c
        }
    }'
}
trains() { # trains CONFIG WANTED QUESTION: pack, train, accuracy of valid at least 0.9, and the label of a question
    must 1 pack "$1"
    must 1 train "$1"
    on 1 eval "$1" --split valid --require accuracy=0.9 >out 2>err || fail "$1: $(cat err) $(grep accuracy out)"
    [ "$(printf '%s\n' "$3" | on 1 predict "$1" 2>err | sed 's/.*"label": "\([^"]*\)".*/\1/')" = "$2" ] || fail "$1: not $2: $(cat err)"
}
says() { grep -qF -- "$2" "$1" || fail "$1 lacks $2: $(cat "$1")"; }

# Tabs with a header, without one, packed; JSON lines; commas and semicolons, in quotes.
{ printf 'id\treview\tverdict\n'; rows 1 2 300; } >"my reviews.tsv"
must 1 init --from "my reviews.tsv"
trains "my reviews.yaml" kind1 "we had tea. the soup was sign1x2."
for line in 'header: true' 'text_column: "review"' 'label_column: "verdict"' '300 examples'; do says "my reviews.yaml" "$line"; done
rows 2 3 240 | gzip >plain.tsv.gz
must 1 init --from plain.tsv.gz
for line in 'header: false' 'text_column: 2' 'label_column: 3' '3 labels (of 80 to 80'; do says plain.yaml "$line"; done
trains plain.yaml kind2 "a place. sign2x0 came."
rows 3 2 200 | awk -F '\t' '{printf "{\"n\": %d, \"body\": \"%s\", \"is\": \"%s\"}\n", $1, $2, $3}' >lines.jsonl
must 1 init --from lines.jsonl
for line in 'text_key: "body"' 'label_key: "is"' 'name: jsonl'; do says lines.yaml "$line"; done
trains lines.yaml kind0 '{"text": "the garden was sign0x1."}'

{ printf 'id,"review",verdict\r\n'; rows 6 2 300 | awk -F '\t' '{printf "%d,\"%s, \"\"so\"\"\nit was\",%s\r\n", $1, $2, $3}'; } >quoted.csv
must 1 init --from quoted.csv
for line in 'name: csv' 'header: true' 'text_column: "review"' 'label_column: "verdict"' '300 examples'; do says quoted.yaml "$line"; done
trains quoted.yaml kind1 "we had tea. the soup was sign1x2."
rows 7 2 80 | awk -F '\t' '{print $3 ";" $2}' >semi.txt
must 1 init --from semi.txt
for line in 'name: csv' 'delimiter: ";"' 'header: false' 'text_column: 2' 'label_column: 1'; do says semi.yaml "$line"; done
rows 8 2 80 | awk -F '\t' '{print "\"" $2 "\t\"\t\"" $3 "\""}' >quoted.tsv
mv quoted.yaml quoted1.yaml
must 1 init --from quoted.tsv
for line in 'name: tsv' 'quotes: true' 'text_column: 1' 'label_column: 2'; do says quoted.yaml "$line"; done

# Names that YAML or a pattern would take otherwise.
odd='odd [1]* "x": #y.tsv'
cp "my reviews.tsv" "$odd"
must 1 init --from "$odd"
must 1 pack "${odd%.tsv}.yaml"

# Two columns could be the label: it is asked for, and taken.
rows 4 2 60 | awk -F '\t' '{print $0 "\t" ($1 % 4)}' >two.tsv
on 1 init --from two.tsv >out 2>err
[ $? = 65 ] || fail "two labels did not end with 65"
says err 'which column is the label cannot be told from 60 examples; give --label COLUMN'
says err 'column 4: 60 values, 4 different, 1 bytes on average'
grep -qF '\n' err && fail "line breaks of ours are shown as escapes: $(cat err)"
[ ! -e two.yaml ] || fail "a configuration was written all the same"
must 1 init --from two.tsv --label 4
says two.yaml 'label_column: 4'
expect 1 64 "mneme: two.yaml is there already, and nothing is overwritten: name another folder" init --from two.tsv --label 3
expect 1 64 "mneme: init: --text nothing: two2.tsv has no such column" init --from "$(cp two.tsv two2.tsv; echo two2.tsv)" --text nothing

# Only the beginning of a large file is looked at.
rows 5 2 20100 >large.tsv
must 1 init --from large.tsv
says large.yaml 'its beginning alone: 20000 examples'
for wrong in /dev/null "$dir" nowhere.tsv; do
    on 1 init --from "$wrong" >out 2>err && fail "$wrong was taken"
done
printf 'a line\n%.0s' {1..9} >prose.txt
expect 1 65 "mneme: prose.txt: neither JSON lines nor rows of as many cells, parted by tabs, commas, semicolons or bars" init --from prose.txt
exit $bad
