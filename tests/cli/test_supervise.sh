#!/bin/bash
# The supervisor starts again after 75, 76, 137, 138, 140 and 143, within its limit, and never after anything else or after a signal.
set -u
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
bad=0
cat >"$dir/command" <<'C'
#!/bin/bash
# Ends with the next code of the list in $1/codes; the last one stays.
read -r code <"$1/codes"
echo "$code" >>"$1/seen"
[ "$(wc -l <"$1/codes")" = 1 ] || sed -i 1d "$1/codes"
exit "$code"
C
chmod +x "$dir/command"

case_of() { # case_of NAME WANTED_CODE WANTED_STARTS CODES...
    local name=$1 wanted=$2 starts=$3 code
    shift 3
    printf '%s\n' "$@" >"$dir/codes"
    rm -f "$dir/seen"
    timeout 60 "$SOURCE/scripts/supervise" --limit 3 --delay 0 "$dir/command" "$dir" 2>"$dir/err"
    code=$?
    if [ $code != "$wanted" ] || [ "$(wc -l <"$dir/seen")" != "$starts" ]; then
        echo "$name: exit $code (wanted $wanted), starts: $(tr '\n' ' ' <"$dir/seen")(wanted $starts)"; cat "$dir/err"
        bad=1
    fi
}
case_of "a good end" 0 1 0
case_of "stopped twice, then done" 0 3 75 75 0
case_of "a lost rank, then done" 0 3 76 137 0
case_of "told to stop too early to listen, then done" 0 4 138 140 143 0
case_of "a fault of the configuration" 78 2 75 78
case_of "a crash of our own" 70 1 70
case_of "a rank lost again and again" 76 4 76
grep -qx 'supervise: exit 76, 4 times in a row: giving up' "$dir/err" || { echo "giving up:"; cat "$dir/err"; bad=1; }
case_of "each good save begins the count anew" 0 8 76 76 76 75 76 76 76 0

# A signal reaches the command, which saves and ends with 75; that is the end.
cat >"$dir/patient" <<'C'
#!/bin/bash
trap 'echo told >>"$1/told"; exit 75' USR1 TERM
echo up >>"$1/up"
while :; do sleep 0.1; done
C
chmod +x "$dir/patient"
for signal in USR1 TERM; do
    rm -f "$dir/told" "$dir/up"
    timeout 60 "$SOURCE/scripts/supervise" "$dir/patient" "$dir" 2>"$dir/err" &
    outer=$!
    until [ -s "$dir/up" ]; do sleep 0.05; done
    kill -s $signal "$(pgrep -P $outer)"
    wait $outer
    code=$?
    if [ $code != 75 ] || [ "$(cat "$dir/told")" != told ] || [ "$(wc -l <"$dir/up")" != 1 ]; then
        echo "$signal: exit $code, $(cat "$dir/up")"; cat "$dir/err"
        bad=1
    fi
done
"$SOURCE/scripts/supervise" >"$dir/out" 2>&1
[ $? = 64 ] && grep -q 'supervise \[--limit N\]' "$dir/out" || { echo "no command:"; cat "$dir/out"; bad=1; }
exit $bad
