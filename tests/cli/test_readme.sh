#!/bin/bash
# What the documents show runs as it stands, in a copy of the configurations; the files that they name are there; the
# reference is not empty.
. "$SOURCE/tests/expect.sh"
: "${dir:?}" "${bad:?}" # expect.sh makes them
mkdir bin && cp -r "$SOURCE/configs" . && ln -s "$MNEME" bin/mneme
mpirun=$(command -v mpirun)
printf '#!/bin/bash\nexec timeout 200 %s --oversubscribe "$@"\n' "$mpirun" >bin/mpirun && chmod +x bin/mpirun
export PATH=$dir/bin:$PATH MNEME_TRAIN_EPOCHS=2 # fewer than they say
blocks() { awk -v begin="\`\`\`$2" '$0 == begin {on = 1; next} /^```/ {on = 0} on' "$SOURCE/$1"; } # blocks FILE LANGUAGE
commands() { # commands FILE LEAST: those that are shown, one by one
    local n=0 line
    while IFS= read -r line; do
        [ -n "${line%%#*}" ] || continue
        n=$((n + 1))
        bash -c "$line" </dev/null >out 2>err || fail "$1: $line: ended with $?: $(cat err)"
    done < <(blocks "$1" sh)
    [ $n -ge "$2" ] || fail "$1: only $n commands were found"
}

# One's own data.
blocks README.md tsv >labels.tsv
blocks README.md yaml >labels.yaml
commands README.md 6
for f in attention.h5 attention.html run/report.html; do [ -s $f ] || fail "$f was not written"; done
rm attention.*

# A tour of the configurations, on shorter corpora.
export MNEME_SOURCE_TRAIN=200 MNEME_SOURCE_VALID=40 MNEME_SOURCE_TEST=40
blocks configs/README.md yaml >shown.yaml
diff <(blocks configs/README.md yaml) <(grep -v '^#' configs/stories.yaml) || fail "what is shown is not configs/stories.yaml"
grep -o '`{"story".*}`' "$SOURCE/configs/README.md" | tr -d '`' >questions.jsonl
sed -i 's|"\.\.\."|"anna went to the park"|' questions.jsonl # what is left out
[ -s questions.jsonl ] || fail "configs/README.md shows no line of questions.jsonl"
commands configs/README.md 11
for f in attention.h5 attention.html quickstart/run/report.html; do [ -s $f ] || fail "$f was not written"; done

# Files that the documents name, but for patterns and what is made.
named() { grep -oE '`(comm|io|trainer|configs|tests|scripts|\.ci)/[A-Za-z0-9_./-]*`' "$1" | tr -d '`'; }
for page in README.md CONTRIBUTING.md {comm,io,trainer,configs,tests}/README.md; do
    for name in $(named "$SOURCE/$page"); do
        case $name in *NAME*) continue ;; esac
        [ -e "$SOURCE/$name" ] || fail "$page names $name, which is not there"
    done
done
for kind in markdown man bash; do
    [ "$(mneme doc $kind | wc -l)" -ge 50 ] || fail "mneme doc $kind is short"
done
for script in quickstart test; do
    grep -q "^    scripts/$script " "$SOURCE/README.md" && [ -x "$SOURCE/scripts/$script" ] || fail "scripts/$script"
done
exit $bad
