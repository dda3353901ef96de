#!/bin/bash
# Every block of README.md runs as it stands, in a copy of the configurations; the reference is not empty.
. "$SOURCE/tests/expect.sh"
: "${dir:?}" "${bad:?}" # expect.sh makes them
mkdir bin && cp -r "$SOURCE/configs" . && ln -s "$MNEME" bin/mneme
mpirun=$(command -v mpirun)
printf '#!/bin/bash\nexec timeout 200 %s --oversubscribe "$@"\n' "$mpirun" >bin/mpirun && chmod +x bin/mpirun
export PATH=$dir/bin:$PATH
awk '/^```yaml$/ {on = 1; next} /^```/ {on = 0} on' "$SOURCE/README.md" >shown.yaml
mneme config shown.yaml >out 2>err || fail "the configuration shown: $(cat err)"
# What README shows stands for configs/stories.yaml; here with fewer epochs, and a shorter corpus.
export MNEME_TRAIN_EPOCHS=2 MNEME_SOURCE_TRAIN=200 MNEME_SOURCE_VALID=40 MNEME_SOURCE_TEST=40
grep -o '^{"story".*}' "$SOURCE/README.md" >questions.jsonl
grep -o '`{"story".*}`' "$SOURCE/README.md" | tr -d '`' >>questions.jsonl
sed -i 's|"\.\.\."|"anna went to the park"|' questions.jsonl # what README leaves out
[ -s questions.jsonl ] || fail "README shows no line of questions.jsonl"
n=0
while IFS= read -r line; do
    [ -n "${line%%#*}" ] || continue
    n=$((n + 1))
    bash -c "$line" </dev/null >out 2>err || fail "$line: ended with $?: $(cat err)"
done < <(awk '/^```sh$/ {on = 1; next} /^```/ {on = 0} on' "$SOURCE/README.md")
[ $n -ge 6 ] || fail "only $n commands were found"
for f in attention.h5 attention.html quickstart/run/report.html; do [ -s $f ] || fail "$f was not written"; done
for kind in markdown man bash; do
    [ "$(mneme doc $kind | wc -l)" -ge 50 ] || fail "mneme doc $kind is short"
done
for script in quickstart test; do
    grep -q "^    scripts/$script " "$SOURCE/README.md" && [ -x "$SOURCE/scripts/$script" ] || fail "scripts/$script"
done
exit $bad
