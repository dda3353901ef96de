#!/bin/bash
# scripts/bench-peer runs both sides in turn and reports, last, one line a workload: here with stand-ins of known speed.
set -u
python=/usr/bin/python3
[ -x $python ] || { echo "skipped: no $python"; exit 77; }
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
bad=0
mkdir "$dir/torch" && touch "$dir/torch/__init__.py"
cat >"$dir/mneme" <<'C'
#!/bin/bash
echo "ours $*" >>"$LOG"
echo "a line before the record"
case $2 in han) rate=$((210 + $(grep -c 'ours bench han' "$LOG") * 10)) ;; *) rate=2000 ;; esac
echo "{\"workload\": \"$2\", \"examples_per_s\": $rate}"
C
cat >"$dir/peer.py" <<'C'
import os, sys
print("theirs", *sys.argv[1:], file=open(os.environ["LOG"], "a"))
assert os.environ["OPENBLAS_NUM_THREADS"] == "1"
print('{"workload": "%s", "examples_per_s": 100}' % sys.argv[1])
C
chmod +x "$dir/mneme"
export LOG=$dir/log MNEME_PEER=$dir/peer.py PYTHONPATH=$dir
MNEME=$dir/mneme "$SOURCE/scripts/bench-peer" --pairs 3 --steps 7 han memn2n >"$dir/out" 2>"$dir/err" || { cat "$dir/err"; bad=1; }
# rates 220, 230, 240: the median of the pairs is 2.30
[ "$(tail -n 2 "$dir/out")" = "han 2.30 times
memn2n 20.00 times" ] || { cat "$dir/out"; bad=1; }
[ "$(head -n 4 "$LOG")" = "ours bench han --steps 7
theirs han --steps 7
ours bench han --steps 7
theirs han --steps 7" ] || { echo "not in turn:"; cat "$LOG"; bad=1; }
out=$(MNEME=$dir/none "$SOURCE/scripts/bench-peer" han 2>&1)
[ $? = 66 ] && [ "$out" = "bench-peer: $dir/none: not there: scripts/test builds it" ] || { echo "$out"; bad=1; }
exit $bad
