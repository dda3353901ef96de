#!/bin/bash
# Two hosts of two ranks each, whose only way to each other is a network: sums, a training with the same bits as on one
# rank, and a cable that is pulled. The hosts are network namespaces inside one of the test's own.
if [ "${1-}" != inside ]; then
    command -v ip >/dev/null || { echo "skipped: ip (iproute2) is not there"; exit 77; }
    unshare --user --map-root-user --net --mount true 2>/dev/null ||
        { echo "skipped: this machine gives no namespaces (unshare --user --net --mount)"; exit 77; }
    exec unshare --user --map-root-user --net --mount bash "$0" inside
fi
set -u
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
bad=0
fail() { echo "$*"; bad=1; }
network() {
    mkdir -p /run/netns && mount -t tmpfs none /run/netns || return 1
    ip link set lo up && ip link add bridge0 type bridge && ip addr add 10.77.0.1/24 dev bridge0 && ip link set bridge0 up || return 1
    local n=2 host
    for host in hosta hostb; do
        ip netns add $host && ip link add to-$host type veth peer name eth0 netns $host &&
            ip link set to-$host master bridge0 up && ip netns exec $host ip addr add 10.77.0.$n/24 dev eth0 &&
            ip netns exec $host ip link set eth0 up && ip netns exec $host ip link set lo up || return 1
        n=$((n + 1))
    done
}
network 2>"$dir/log" || { echo "skipped: no network of namespaces: $(cat "$dir/log")"; exit 77; }
cat >"$dir/agent" <<'A'
#!/bin/bash
# what mpirun calls instead of ssh: [OPTIONS] HOST COMMAND...
while [ "${1#-}" != "$1" ]; do shift; done
host=$1
shift
exec ip netns exec "$host" unshare --uts bash -c "hostname $host; $*"
A
chmod +x "$dir/agent"
# Of the sanitizers' builds: the look for leaks itself crashes ("Tracer caught signal 11") where Open MPI has both shared
# memory and TCP open; the same programs are looked through by the runs on one host.
export ASAN_OPTIONS=detect_leaks=0
hosts() { # hosts RANKS PROGRAM...: so many ranks, half of them on each host
    timeout -s KILL 120 mpirun --oversubscribe --mca plm rsh --mca plm_rsh_agent "$dir/agent" \
        --mca btl_tcp_if_include 10.77.0.0/24 --mca oob_tcp_if_include 10.77.0.0/24 --mca oob_tcp_keepalive_time 2 \
        --mca oob_tcp_keepalive_intvl 1 --mca oob_tcp_keepalive_probes 2 --host hosta:$(($1 / 2)),hostb:$(($1 / 2)) \
        -np "$@"
}
for ranks in 2 4; do
    hosts $ranks "$HELPERS/mpi_shared" >"$dir/log" 2>&1 || fail "mpi_shared on $ranks ranks of two hosts: $(cat "$dir/log")"
done

cat >"$dir/copy.yaml" <<'Y'
source: {name: copy, train: 60, valid: 10, test: 10, max_words: 6}
data: {corpus: corpus}
model: {name: seq2seq, dim: 8, encoder: {cell: gru, hidden: 8}}
task: {name: translation}
train: {batch: 8, epochs: 1, lanes: 4, clip_norm: 1}
optim: {name: adam, lr: 0.01}
checkpoint: {background: false}
log: {tensorboard: false, report: false, csv: false, stall: 5s}
Y
"$MNEME" pack "$dir/copy.yaml" >"$dir/log" 2>&1 || { cat "$dir/log"; exit 1; }
train() { "${@:2}" train "$dir/copy.yaml" --set run.folder="$dir/$1" >"$dir/log" 2>&1 || fail "$1: $(cat "$dir/log")"; }
digest() { "$MNEME" inspect "$(find "$dir/$1/checkpoints" -name 'step-*.h5' | sort | tail -n 1)" | awk '$1 == "digest" {print $2}'; }
train alone "$MNEME"
train hosts hosts 4 "$MNEME"
[ -n "$(digest alone)" ] && [ "$(digest alone)" = "$(digest hosts)" ] || fail "two hosts end with other bits than one rank"

# The cable of the second host is pulled: somebody says so, and all end.
hosts 4 "$MNEME" train "$dir/copy.yaml" --set run.folder="$dir/cut" --set train.epochs=100000 >"$dir/log" 2>&1 &
job=$!
for _ in $(seq 300); do
    [ -s "$dir/cut/metrics.jsonl" ] && break
    sleep 0.1
done
ip link set to-hostb down
from=$SECONDS
wait $job
code=$?
[ $code != 0 ] && [ $code != 137 ] || fail "a cut network: exit $code: $(tail -n 5 "$dir/log")"
[ $((SECONDS - from)) -le 60 ] || fail "a cut network was noticed after $((SECONDS - from)) s"
grep -qE '^mneme: .*(silent|late|stuck)' "$dir/log" || grep -q 'lost communication' "$dir/log" ||
    fail "a cut network: nobody says so: $(cat "$dir/log")"
exit $bad
