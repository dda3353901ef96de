#!/bin/bash
# On several ranks a command prints once what it prints on one.
. "$SOURCE/tests/expect.sh"
: "${dir:?}" "${bad:?}" # expect.sh makes them
must 1 init csv .
must 1 pack csv.yaml
must 1 train csv.yaml --set train.epochs=1
cp reviews.csv one
echo 0-0 >links
once() {
    on 1 "$@" >one.out 2>one.err </dev/null || fail "$*: $(cat one.err)"
    on 2 "$@" >two.out 2>two.err </dev/null || fail "$* on two ranks: $(cat two.err)"
    [ -s one.out ] && cmp one.out two.out || fail "$* prints otherwise on two ranks"
}
once config csv.yaml
once config
once config --schema
once config csv.yaml --explain train.batch
once doc man
once doc attention
once init
once inspect corpus
once inspect run
once train csv.yaml --dry-run --set run.folder=new --set train.batch=8
once eval csv.yaml --split train
once eval csv.yaml --split train --json
once predict csv.yaml questions.txt
once score one --input one
once links links
once lengths a=one --reference one --source one

# The report names every setting once: those that were set, then those that are as they were preset.
on 1 config csv.yaml --set train.epochs=1 >shown 2>err
preset=$(grep -c ' # preset$' shown)
sed -n '/What was set for this run/,/settings as they are preset/p' run/report.html >set.html
sed -n '/settings as they are preset/,/<\/details>/p' run/report.html >rest.html
grep -q "<summary>$preset settings as they are preset</summary>" rest.html || fail "the report counts other presets than $preset"
[ "$(grep -c '^<tr><td' rest.html)" = "$preset" ] && ! grep '^<tr><td' rest.html | grep -v '>preset<' || fail "presets: $(grep -c '^<tr><td' rest.html)"
for key in train.epochs source.train model.word.hidden run.folder optim.lr; do
    [ "$(grep -c "^<tr><td dir=\"auto\">$key<" set.html)" = 1 ] || fail "$key was set, but the report does not say so"
done

# Each form of the documents is itself.
"$MNEME" doc man | head -n 1 | grep -q '^\.TH mneme 1 ' || fail "doc man"
"$MNEME" doc markdown | head -n 1 | grep -q '^# mneme .*: reference$' || fail "doc markdown"
"$MNEME" doc bash | head -n 1 | grep -q '^# bash completion for mneme' || fail "doc bash"
"$MNEME" doc attention | head -n 1 | grep -q '^# ' && "$MNEME" doc attention | grep -q '^| additive |' || fail "doc attention"
expect 1 64 "mneme: doc: there is no form pdf; there are man, markdown, bash and attention" doc pdf
exit $bad
