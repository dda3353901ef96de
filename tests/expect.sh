# expect.sh - sourced by tests of whole commands. dir is a folder of the test's own that goes with it; bad ends as its
# exit status. Programs end by a message on standard error, once, and a status.
set -u
[ -w /dev/shm ] && export TMPDIR=/dev/shm # a save waits for the disk elsewhere
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1 # a path of --set begins here
bad=0
fail() { echo "$*"; bad=1; }
on() { # on RANKS WORDS...: mneme WORDS on so many ranks
    local ranks=$1
    shift
    if [ "$ranks" = 1 ]; then
        timeout -s KILL 100 "$MNEME" "$@"
    else
        timeout -s KILL 100 mpirun --oversubscribe -np "$ranks" "$MNEME" "$@"
    fi
}
# expect RANKS STATUS TEXT WORDS...: ends with the status; TEXT, which may have several lines, is on standard error once
# and its first line is the last of ours.
expect() {
    local ranks=$1 wanted=$2 text=$3 code first
    shift 3
    on "$ranks" "$@" >"$dir/out" 2>"$dir/err"
    code=$?
    first=${text%%$'\n'*}
    [ $code = "$wanted" ] || fail "$*: exit $code instead of $wanted: $(cat "$dir/err")"
    grep -v -e '^---' -e '^mpirun' -e '^Primary' -e '^a non-zero' -e '^the job' -e '^$' -e 'Process name' -e 'Exit code' \
        "$dir/err" >"$dir/ours" && mv "$dir/ours" "$dir/err"
    [[ "$(cat "$dir/err")" == *"$text"* ]] && [ "$(grep -cxF -- "$first" "$dir/err")" = 1 ] ||
        fail "$*: expected once"$'\n'"  $text"$'\n'"found"$'\n'"$(cat "$dir/err")"
    [ "$wanted" = 0 ] || [ "$(grep -a '^mneme: ' "$dir/err" | tail -n 1)" = "$first" ] || fail "$*: not last: $(cat "$dir/err")"
}
must() { # must RANKS WORDS...: it ends with 0
    on "$@" >"$dir/out" 2>"$dir/err" || { fail "$* ended with $?: $(cat "$dir/err")"; exit 1; }
}
# said TEXT: the command before wrote this line, once
said() { [ "$(grep -cxF -- "$1" "$dir/err")" = 1 ] || fail "expected once"$'\n'"  $1"$'\n'"found"$'\n'"$(cat "$dir/err")"; }
