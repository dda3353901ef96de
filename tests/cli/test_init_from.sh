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

# Two files, line by line: translation. A share validates, or files beside those to train on.
pairs() { # pairs SEED ROWS NAME: sentences of five words and their translation, word by word, into NAME.de and NAME.en
    awk -v seed="$1" -v rows="$2" -v name="$3" 'BEGIN {
        srand(seed); n = split("Der Hund sieht einen Baum und die Katze mag das Wasser .", de, " ")
        split("The dog sees a tree and the cat likes that water .", en, " ")
        for (r = 1; r <= rows; r++) {
            a = b = ""
            for (i = 0; i < 5; i++) { k = 1 + int(rand() * n); a = a (i ? " " : "") de[k]; b = b (i ? " " : "") en[k] }
            print a >(name ".de"); print b >(name ".en")
        }
    }'
}
pairs 1 400 toy.train
must 1 init --from toy.train.de toy.train.en
for line in 'train_source: ["toy.train.de"]' 'train_target: ["toy.train.en"]' 'valid_share: 0.1' 'all of them: 400 pairs' \
    '# source: 5 words a sentence in the median, 95 of 100 have no more than 5; 12 different.' 'max_length: 10'; do
    says toy.train.yaml "$line"
done
must 1 pack toy.train.yaml
must 1 train toy.train.yaml
[ "$(printf 'Der Hund mag das Wasser\n' | on 1 translate toy.train.yaml 2>err)" = "The dog likes that water" ] ||
    fail "toy.train.yaml does not translate: $(cat err)"
for line in 'by_size: true' 'lowercase: false' 'joiner: true'; do "$MNEME" config toy.train.yaml | grep -q "  $line" || fail "pairs: no $line"; done
pairs 2 40 toy.dev
pairs 3 40 toy.test
gzip -k toy.train.de toy.dev.de && mv toy.train.yaml first.yaml
xz -k toy.train.en toy.dev.en
mv toy.dev.en.xz toy.dev.en.gz # the form shows by the content
must 1 init --from toy.train.de.gz toy.train.en
mv toy.train.yaml mixed.yaml
for line in 'valid_source: ["toy.dev.de.gz"]' 'train_source: ["toy.train.de.gz"]'; do says mixed.yaml "$line"; done
must 1 init --from toy.train.de toy.train.en
for line in 'valid_source: ["toy.dev.de"]' 'valid_target: ["toy.dev.en"]' 'test_target: ["toy.test.en"]'; do says toy.train.yaml "$line"; done
grep -q valid_share toy.train.yaml && fail "a share and files validate"
must 1 pack toy.train.yaml --set data.corpus=second
printf '\na b c d e f g h i\n' >odd.a
printf 'x\ny\n' >odd.b
for _ in 1 2 3 4; do echo "a b"; done | tee -a odd.a >>odd.b
must 1 init --from odd.a odd.b
for line in '# 1 pairs have a side without words: they are left out, and counted.' 'max_ratio: 4        # 1 pairs have'; do says odd.yaml "$line"; done
must 1 pack odd.yaml --set source.valid_share=0.5
head -n 39 toy.dev.de >short.de
expect 1 65 "mneme: short.de has 39 lines, but toy.dev.en has 40: they are no translations of each other, line by line" \
    init --from short.de toy.dev.en
expect 1 65 "mneme: short.de has 39 lines, but toy.dev.en has 40: they are no translations of each other, line by line" \
    init --from toy.dev.en short.de
expect 1 64 "mneme: init: --text and --label name columns of one file; two are given" init --from toy.dev.de toy.dev.en --text 1
expect 1 66 "mneme: none.en: No such file or directory" init --from toy.dev.de none.en
: >empty.de
expect 1 65 "mneme: empty.de: the file is empty" init --from empty.de empty.de
printf 'a\n\xff\nb\nc\n' >bad.de
expect 1 65 "mneme: bad.de:2: not UTF-8 at byte 1" init --from bad.de toy.dev.en

# A folder with one folder a class, or with such folders train and test.
rows 9 2 120 | while IFS="$(printf '\t')" read -r n text label; do
    mkdir -p "tree/$label"
    echo "$text" >"tree/$label/$n.txt"
done
must 1 init --from tree/
for line in 'name: folders' 'train: "tree/"' 'valid_share: 0.1' 'all of it: 120 examples' '2 labels (of 60 to 60 examples each)' \
    'corpus: "tree-corpus"'; do says tree.yaml "$line"; done
trains tree.yaml kind1 "we had tea. the soup was sign1x2."
mkdir -p "split/train" split/test
cp -r tree/* split/train
cp -r tree/* split/test
gzip split/train/kind0/*.txt
touch split/train/README split/train/kind0/empty.txt
must 1 init --from split
for line in 'train: "split/train"' 'test: "split/test"' 'empty: skip # 1 documents have no words' '121 examples'; do says split.yaml "$line"; done
must 1 pack split.yaml
mkdir -p bad/a bad/b && echo fine | tee bad/a/1 bad/a/2 >bad/b/1
printf 'fine\nb\xffd\n' >bad/b/2
expect 1 65 "mneme: bad/b/2:2: not UTF-8 at byte 2" init --from bad
mv split other
mkdir other/train/none
expect 1 66 "mneme: other/train/none: there is no document in the folder" init --from other
expect 1 65 "mneme: tree/kind0: one folder a class was expected in it, at least two; there are 0" init --from tree/kind0
expect 1 64 "mneme: init: --text and --label name columns; other is a folder" init --from other --label 1
expect 1 64 "mneme: init: --from takes one file of documents, one folder, or two files of pairs" init --from a b c

expect 1 64 "mneme: init: --from is given 2 times; two files of pairs are --from SOURCE TARGET" init --from a --from b

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
