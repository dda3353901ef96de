#!/bin/bash
# Help and version are asked for in every usual way, fit the terminal, and say what was meant.
. "$SOURCE/tests/expect.sh"
: "${dir:?}" "${bad:?}" # expect.sh makes them
"$MNEME" --help >all || fail "--help ended with $?"
for words in -h help "help --help"; do
    # shellcheck disable=SC2086 # words
    "$MNEME" $words 2>&1 | cmp all - || fail "$words is not --help"
done
names=$(sed -n '/^commands:/,/^$/s/^  \([a-z]*\).*/\1/p' all)
[ "$(wc -w <<<"$names")" -ge 15 ] || fail "commands: $names"
for name in $names; do
    "$MNEME" "$name" --help >one || fail "$name --help ended with $?"
    [ "$(head -c $((13 + ${#name})) one)" = "usage: mneme $name" ] || fail "$name: $(head -1 one)"
    for words in "help $name" "$name -h" "$name some words -h"; do
        # shellcheck disable=SC2086 # words
        "$MNEME" $words 2>&1 | cmp one - || fail "$words is not $name --help"
    done
    awk 'length > 80 && !/^usage|^  mneme|^  mpirun/ {print; bad = 1} END {exit bad}' one || fail "$name: a line of more than 80 columns"
done
[ "$("$MNEME" -V)" = "$("$MNEME" --version)" ] && [[ $("$MNEME" -V) =~ ^mneme\ [0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "-V: $("$MNEME" -V)"
COLUMNS=40 "$MNEME" -h | cmp all - || fail "COLUMNS counts where there is no terminal"
if command -v script >/dev/null; then
    for columns in 60 120; do
        COLUMNS=$columns TERM=xterm script -qec "'$MNEME' help attend" /dev/null </dev/null | tr -d '\r' >shown
        longest=$(awk '!/^usage/ && length > n {n = length} END {print n}' shown)
        [ "$longest" -le $columns ] && [ "$longest" -gt $((columns - 12)) ] || fail "$columns columns: the longest line has $longest"
        ! grep -q $'\x1b' shown || fail "help is coloured"
    done
fi
# Words that are missing, or too many.
for name in $names; do
    arguments=$(sed -n "1,/^\$/p" <("$MNEME" "$name" --help) | tr '\n' ' ' | sed -n "s/^usage: mneme $name *\(.*\)\[options\].*/\1/p")
    case $arguments in
        "" | "["*) ;;
        *)
            "$MNEME" "$name" >out 2>err </dev/null
            [ $? = 64 ] && grep -q "^mneme: usage: mneme $name " err || fail "$name without words: $(cat err)"
            ;;
    esac
    # shellcheck disable=SC2046 # words
    "$MNEME" "$name" $(seq 1 40) >out 2>err </dev/null
    code=$?
    case $name:$code in score:* | average:*) ;; *:64) ;; *) fail "$name with 40 words: $code, $(cat err)" ;; esac
done
expect 1 64 "mneme: there is no command tran; did you mean train?" help tran
expect 1 64 "mneme: train: there is no option --frehs; did you mean --fresh?" train --frehs x
expect 1 64 "mneme: train: there is no option -x; did you mean -v?" train x -x
for words in -h "help train" "train -h" -V; do
    # shellcheck disable=SC2086 # words
    "$MNEME" $words >/dev/full 2>err
    [ $? = 74 ] || fail "$words to a full disk did not end with 74: $(cat err)"
done
exit $bad
