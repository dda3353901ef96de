#!/bin/bash
# A rank that stops, sleeps or waits for ever is named, once, within the limit and a little; one that works is left alone.
set -u
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
limit=1 ranks=3 bad=0
host=$(uname -n)

start() { # start MODE: the run in the background, its output in files
    rm -f "$dir/out" "$dir/err"
    timeout 60 mpirun --oversubscribe -np $ranks "$HELPERS/helper_watchdog" "$1" $limit >"$dir/out" 2>"$dir/err" &
    run=$!
    for _ in $(seq 100); do
        [ "$(grep -c pid "$dir/out" 2>/dev/null)" = $ranks ] && return
        sleep 0.1
    done
}
expect() { # expect NAME CODE PATTERN: the run's exit code, and exactly one line of ours, matching
    wait $run
    local code=$? lines
    lines=$(grep -E '^mneme: ' "$dir/err")
    if [ $code != "$2" ] || ! grep -qxE "$3" <<<"$lines" || [ "$(wc -l <<<"$lines")" != 1 ]; then
        echo "$1: exit $code (wanted $2), wanted one line like: $3; found:"
        cat "$dir/err"
        bad=1
    fi
}

for victim in 0 1 2; do
    start steps
    sleep 0.5
    kill -STOP "$(awk -v r=$victim '$2 == r {print $4}' "$dir/out")"
    from=$SECONDS
    expect "rank $victim stopped" 76 "mneme: rank $victim on $host is silent since [0-9]+ s; its last phase was (compute|reduce) at step [0-9]+ \(limit: 1 s\)"
    [ $((SECONDS - from)) -le 8 ] || { echo "rank $victim stopped: noticed after $((SECONDS - from)) s"; bad=1; }
done
start sleep
expect "a rank that sleeps" 76 "mneme: rank 1 on $host is late: in compute at step 5 since [0-9]+ s \(limit: 1 s\)"
start stuck
expect "all wait" 76 "mneme: all ranks answer, but wait in reduce at step 5 since [0-9]+ s: MPI or its network is stuck \(limit: 1 s\)"
start long
expect "an announced long phase" 0 ""
start busy
expect "a rank that goes on with its work" 0 ""
exit $bad
