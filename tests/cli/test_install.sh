#!/bin/bash
# cmake --install puts program, man page, completion and examples where they belong, under any prefix and DESTDIR, and
# what was installed works.
set -u
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
bad=0
fail() { echo "$*"; bad=1; }
build=$(dirname "$MNEME")
[ -f "$build/cmake_install.cmake" ] || { echo "skipped: $build is no build folder"; exit 77; }

# Who builds the program alone, as scripts/quickstart does, can install it.
[ ! -f "$build/build.ninja" ] || ninja -C "$build" -t commands mneme | grep -q "doc man" || fail "the program alone comes without its documents"
cmake --install "$build" --prefix "$dir/own" >"$dir/log" 2>&1 || fail "prefix: $(cat "$dir/log")"
DESTDIR=$dir/stage cmake --install "$build" --prefix /usr >"$dir/log" 2>&1 || fail "DESTDIR: $(cat "$dir/log")"
(cd "$dir/own" && find . -type f | sort) >"$dir/have"
(cd "$SOURCE" && find configs -name templates -prune -o -type f -print | sed 's|^|./share/doc/mneme/|') >"$dir/want"
printf './%s\n' bin/mneme share/bash-completion/completions/mneme share/doc/mneme/CHANGELOG.md \
    share/doc/mneme/attention.md share/doc/mneme/LICENSE share/doc/mneme/README.md share/man/man1/mneme.1 \
    bin/mneme-supervise share/doc/mneme/launch/mpirun share/doc/mneme/launch/slurm.sbatch \
    share/doc/mneme/python/mneme.py >>"$dir/want"
sort -o "$dir/want" "$dir/want"
diff "$dir/want" "$dir/have" || fail "other files were installed (> only there)"
(cd "$dir/stage/usr" && find . -type f | sort) | diff "$dir/have" - || fail "DESTDIR: other files than with a prefix"

PATH=$dir/own/bin:$PATH
[ "$(command -v mneme)" = "$dir/own/bin/mneme" ] || fail "the installed program is not found"
for program in bin/mneme-supervise share/doc/mneme/launch/mpirun; do
    [ -x "$dir/own/$program" ] || fail "$program cannot be executed"
done
[ "$(mneme --version)" = "$("$MNEME" --version)" ] || fail "another version"
mneme config "$dir/own/share/doc/mneme/configs/stories.yaml" >"$dir/log" 2>&1 || fail "example: $(cat "$dir/log")"

# The examples are read where they are, by whoever may write there too; what is made goes elsewhere.
spared() { # spared KEY COMMAND...: 78, and nothing is new below the prefix
    local key=$1
    shift
    find "$dir/own" | sort >"$dir/before"
    mneme "$@" >"$dir/log" 2>&1
    [ $? = 78 ] || fail "$* did not end with 78: $(cat "$dir/log")"
    grep -q "^mneme: .*stories.yaml: an example of the installation, into which nothing is written; $key is .*: copy the file, or say --set $key=FOLDER\$" "$dir/log" ||
        fail "$*: $(cat "$dir/log")"
    find "$dir/own" | sort | diff "$dir/before" - || fail "$* wrote into the installation"
}
example=$dir/own/share/doc/mneme/configs/stories.yaml
small=(--set source.train=60 --set source.valid=6 --set source.test=6)
spared data.corpus pack "$example" "${small[@]}"
mkdir "$dir/work" && cd "$dir/work" || exit 1
mneme pack "$example" "${small[@]}" --set data.corpus=corpus >"$dir/log" 2>&1 || fail "another corpus: $(cat "$dir/log")"
spared run.folder train "$example" --set data.corpus=corpus
ln -s "$dir/own/share/doc/mneme" link
spared run.folder train "$example" --set data.corpus=corpus --set run.folder=link/new/run
mneme train "$example" --set data.corpus=corpus --set run.folder=run --set train.epochs=1 >"$dir/log" 2>&1 || fail "another run: $(cat "$dir/log")"
mneme eval "$example" --set data.corpus=corpus --set run.folder=run >"$dir/log" 2>&1 || fail "eval of an example: $(cat "$dir/log")"
mkdir there && cp "$example" there/mine.yaml
mneme pack there/mine.yaml "${small[@]}" >"$dir/log" 2>&1 && [ -d quickstart/corpus ] || fail "a copy: $(cat "$dir/log")"
mneme train "$example" --set data.corpus=corpus --dry-run >"$dir/log" 2>&1 || fail "a plan: $(cat "$dir/log")"

page=$dir/own/share/man/man1/mneme.1
mneme doc man | cmp - "$page" || fail "the man page is not that of the program"
if command -v groff >/dev/null; then
    groff -man -Tutf8 -ww -z "$page" 2>"$dir/log" || fail "groff failed"
    [ ! -s "$dir/log" ] || fail "groff: $(head -n 5 "$dir/log")"
fi
if command -v man >/dev/null && [ -z "$(man --version 2>&1 | grep -i minimi)" ]; then
    MANWIDTH=80 man -l "$page" >"$dir/page" 2>"$dir/log" && [ ! -s "$dir/log" ] || fail "man: $(head -n 5 "$dir/log")"
    grep -q attend "$dir/page" || fail "man shows no command"
fi

# As bash-completion loads it: by the name of the program.
complete_as() { # complete_as WORD...: what is offered for the last word
    bash --norc -c 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _mneme 2>/dev/null
        echo "${COMPREPLY[*]}"' - "$dir/own/share/bash-completion/completions/mneme" "$@"
}
bash --norc -c 'source "$1" && complete -p mneme' - "$dir/own/share/bash-completion/completions/mneme" >"$dir/log" 2>&1
grep -q '^complete -F _mneme mneme$' "$dir/log" || fail "completion does not load: $(cat "$dir/log")"
[ "$(complete_as mneme pre)" = predict ] || fail "pre: $(complete_as mneme pre)"
[ "$(complete_as mneme train --fr)" = --fresh ] || fail "train --fr: $(complete_as mneme train --fr)"
[ "$(complete_as mneme train x --set model.name = me)" = memn2n ] || fail "model.name: $(complete_as mneme train x --set model.name = me)"
case " $(complete_as mneme train x --set data.vec) " in *" data.vectors= "*) ;; *) fail "data.vec is not completed" ;; esac
offers() { # EXPECTED WORD...: one of what is offered for the last word
    local expected=$1
    shift
    case " $(complete_as "$@") " in *" $expected "*) ;; *) fail "$*: $expected is not offered: $(complete_as "$@")" ;; esac
}
mkdir "$dir/files" && cd "$dir/files" && touch mine.yaml best.h5
for name in $(mneme init | sed -n 's/^  \([a-z]*\) .*/\1/p'); do offers "$name" mneme init ""; done
offers csv mneme init c
offers attention mneme doc a
offers bahdanau mneme bench b
offers nested mneme bench n
offers translate mneme help t
offers valid mneme eval mine.yaml --split v
offers test mneme attend mine.yaml --split ""
for name in best best.h5; do offers $name mneme eval mine.yaml --checkpoint b; done
offers last mneme predict mine.yaml --checkpoint l
offers optim.lr mneme config --explain optim.l
offers model.attention.score mneme config mine.yaml --explain model.att
offers mine.yaml mneme train m
offers bleu mneme score ref --metrics b
exit $bad
