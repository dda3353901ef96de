#!/bin/bash
# On a terminal one line is redrawn, five times a second at most, and is gone when something else is said; elsewhere no
# such line comes. --quiet, -v and --log-file mean the same in all commands.
. "$SOURCE/tests/expect.sh"
: "${dir:?}" "${bad:?}" # expect.sh makes them
cat >"$dir/c.yaml" <<YAML
source: {name: stories, tasks: [one_fact], train: 40000, valid: 400, test: 100}
data: {corpus: corpus}
model: {name: memn2n, hops: 3, dim: 100} # some seconds: what is drawn five times a second has to be seen
task: {name: answer}
train: {batch: 16, epochs: 2}
log: {tensorboard: false, report: false, every: 1s}
run: {folder: run}
YAML
cat >"$dir/terminal.py" <<'PY'
# terminal.py OUT WORDS...: the words with a terminal as standard error, and what it got: "<" where a line is redrawn
import os, pty, sys, time
began = time.time()
pid, fd = pty.fork()
if pid == 0:
    os.environ["TERM"] = os.environ.get("AS", "xterm")
    os.dup2(os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
    os.execvp(sys.argv[2], sys.argv[2:])
got = b""
while True:
    try: piece = os.read(fd, 65536)
    except OSError: break
    if not piece: break
    got += piece
status = os.waitpid(pid, 0)[1]
text = got.decode().replace("\r\n", "\n").replace("\r\x1b[K", "<")
print(text, end="")
drawn, allowed = text.count("<"), 5.5 * (time.time() - began) + 12  # each work takes its line away, too
sys.exit(f"status {status}" if status else f"{drawn} redrawn, {allowed:.0f} at most" if drawn > allowed else
    "a control character" if any(c < " " and c != "\n" for c in text) else
    "a live line is left" if text and text[-1] not in "<\n" else 0)
PY
terminal() { timeout -s KILL 100 python3 "$dir/terminal.py" "$dir/out" "$MNEME" "$@" >"$dir/err" || fail "$*: $(tail -n 5 "$dir/err")"; }
has() { grep -qE -- "$1" "$dir/err" || fail "no \"$1\" in"$'\n'"$(cat "$dir/err")"; }
terminal pack "$dir/c.yaml"
has '<counting train  [0-9,]+ examples  .* examples/s'
has '<packing train  [0-9]+%  [0-9,]+ of 40,000 examples  .* examples/s'
has '<mneme: .*corpus: 40000 examples in train$'
has '^mneme: story: a vocabulary of [0-9]+ words; unknown: train 0 %, valid 0 %, test 0 %$'
has '^mneme: story: words of an example:  .* %'
terminal train "$dir/c.yaml"
has '<step [0-9,]+/5,000  .*loss'
has '(^|<)mneme: epoch [12]  valid  loss'
has '(^|<)step 5,000/5,000  '
terminal eval "$dir/c.yaml" --split train
terminal train "$dir/c.yaml" --fresh --quiet --log-file "$dir/log"
[ -s "$dir/err" ] && fail "--quiet: $(cat "$dir/err")"
grep -qE '^[0-9-]+T[0-9:]+Z step [0-9,]+/5,000' "$dir/log" && grep -qE 'Z mneme: .*finished after 5000 steps' "$dir/log" ||
    fail "--log-file: $(cat "$dir/log")"
AS=dumb terminal train "$dir/c.yaml" --fresh
has '^step [0-9,]+/5,000  '
grep -q '<' "$dir/err" && fail "redrawn on a dumb terminal: $(cat "$dir/err")"
must 1 pack "$dir/c.yaml" --replace
grep -qE $'\r|packing' "$dir/err" && fail "not on a terminal: $(cat "$dir/err")"
yes '{"story":["Nora took the milk ."],"question":"where is Nora ?"}' | head -n 30000 >"$dir/lines"
terminal predict "$dir/c.yaml" "$dir/lines"
has '<answering  [0-9]+%  [0-9,]+ lines  '
[ "$(wc -l <"$dir/out")" = 30000 ] || fail "$(wc -l <"$dir/out") answers"

# The same meaning everywhere: warnings and failures are said, the file gets all, two ranks write it once.
rm "$dir/log"
for words in "pack --replace $dir/c.yaml" "eval $dir/c.yaml" "inspect $dir/corpus" "config $dir/c.yaml"; do
    # shellcheck disable=SC2086
    must 2 $words --quiet --log-file "$dir/log"
    grep -q '^mneme: [^w]' "$dir/err" && fail "$words --quiet: $(cat "$dir/err")"
done
[ "$(grep -c '40000 examples in train' "$dir/log")" = 1 ] || fail "$(cat "$dir/log")"
expect 2 66 "mneme: $dir/none.yaml: No such file or directory" eval "$dir/none.yaml" --quiet --log-file "$dir/log"
tail -n 1 "$dir/log" | grep -qE "Z mneme: $dir/none.yaml: No such file or directory$" || fail "$(tail -n 3 "$dir/log")"
expect 1 66 "mneme: $dir/none.yaml: No such file or directory" eval -v "$dir/none.yaml"
grep -q '^  at ' "$dir/err" || fail "-v: $(cat "$dir/err")"
must 1 eval -v "$dir/c.yaml" --split test
grep -q "^mneme: .*/checkpoints/step-.*: parameters of model memn2n" "$dir/err" || fail "-v: $(cat "$dir/err")"
expect 2 74 "mneme: $dir/no/log: No such file or directory" eval "$dir/c.yaml" --log-file "$dir/no/log"
expect 1 64 "mneme: eval: --quiet takes no value" eval "$dir/c.yaml" --quiet=1
expect 1 64 "mneme: eval: there is no option --quite; did you mean --quiet?" eval "$dir/c.yaml" --quite
exit $bad
