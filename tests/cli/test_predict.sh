#!/bin/bash
# mneme predict: lines in, lines of JSON out. The same bytes on 1 to 4 ranks; each line is answered before the next is
# written; probabilities are those of a distribution; a bad line is named and ends it, what came before is answered.
set -u
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
bad=0
fail() { echo "$*"; bad=1; }
python=$(command -v python3) || { echo "skipped: python3 is not installed"; exit 77; }
cat >"$dir/stories.yaml" <<YAML
source: {name: stories, tasks: [one_fact], train: 60, valid: 20, test: 20}
data: {corpus: stories}
model: {name: memn2n, dim: 8}
task: {name: answer}
train: {batch: 16, epochs: 1}
log: {tensorboard: false, report: false}
run: {folder: stories-run}
YAML
cat >"$dir/reviews.yaml" <<YAML
source: {name: reviews, train: 60, valid: 20, test: 20, classes: 5}
data: {corpus: reviews}
model: {name: han, dim: 8, word: {hidden: 4}, sentence: {hidden: 4}}
task: {name: classification}
train: {batch: 16, epochs: 1}
log: {tensorboard: false, report: false}
run: {folder: reviews-run}
YAML
for name in stories reviews; do
    "$MNEME" pack "$dir/$name.yaml" 2>"$dir/log" && "$MNEME" train "$dir/$name.yaml" 2>"$dir/log" ||
        fail "$name: $(cat "$dir/log")"
done

# Questions with blank lines between, the last one without an end of line.
"$python" - "$dir" <<'PYTHON'
import json, sys
with open(sys.argv[1] + "/stories.in", "w") as f:
    for i in range(37):
        story = [f"anna went to the {'kitchen garden office'.split()[(i + k) % 3]}" for k in range(1 + i % 9)]
        f.write(json.dumps({"story": story, "question": "where is anna"}) + ("\n\n" if i % 5 == 0 else "\n"))
with open(sys.argv[1] + "/reviews.in", "w") as f:
    f.write(" \t\n\nA plain text. It has two sentences.\n")
    for i in range(30):
        f.write(json.dumps({"text": "some words, known or not. " * (1 + i % 4) + str(i)}) + "\r\n")
    f.write("The last line, \u4e2d\u6587 too")
PYTHON

predict() { # predict NAME RANKS FILE ARGUMENT...
    local name=$1 ranks=$2 file=$3
    shift 3
    timeout 100 mpirun --oversubscribe -np "$ranks" "$MNEME" predict "$dir/$name.yaml" "$file" "$@" 2>"$dir/log"
}
for name in stories reviews; do
    predict $name 1 "$dir/$name.in" --top 0 >"$dir/$name.want" || fail "$name: $(cat "$dir/log")"
    for ranks in 2 3 4; do
        predict $name $ranks "$dir/$name.in" --top 0 >"$dir/$name.$ranks" || fail "$name, $ranks ranks: $(cat "$dir/log")"
        cmp "$dir/$name.want" "$dir/$name.$ranks" || fail "$name: other bytes on $ranks ranks"
    done
    "$MNEME" predict "$dir/$name.yaml" --top 0 <"$dir/$name.in" 2>"$dir/log" | cmp - "$dir/$name.want" ||
        fail "$name: standard input is answered otherwise"
    "$MNEME" predict "$dir/$name.yaml" "$dir/$name.in" --top 2 >"$dir/$name.top" 2>"$dir/log" || fail "$name --top 2"
done
"$python" - "$dir" <<'PYTHON' || fail "the answers are not those of a distribution"
import json, sys
for name in "stories", "reviews":
    text = open(f"{sys.argv[1]}/{name}.in", encoding="utf-8").read()
    numbers = [i + 1 for i, line in enumerate(text.split("\n")) if line.strip()]
    answers = [json.loads(line) for line in open(f"{sys.argv[1]}/{name}.want", encoding="utf-8")]
    assert [a["line"] for a in answers] == numbers, name
    labels = set(answers[0]["probabilities"])
    assert len(labels) >= 5, labels
    for a in answers:
        p = list(a["probabilities"].values())
        assert list(a) == ["line", "label", "probability", "probabilities"] and set(a["probabilities"]) == labels
        assert abs(sum(p) - 1) < 1e-9 and all(0 <= x <= 1 for x in p) and p == sorted(p, reverse=True), (name, a)
        assert a["probability"] == p[0] and a["label"] == next(iter(a["probabilities"]))
    for a, b in zip(answers, map(json.loads, open(f"{sys.argv[1]}/{name}.top", encoding="utf-8"))):
        assert list(b["probabilities"].items()) == list(a["probabilities"].items())[:2], name
PYTHON

# A conversation: each answer is there before the next question is written, and a long silence ends nothing.
"$python" - "$MNEME" "$dir" <<'PYTHON' || fail "no conversation"
import os, select, subprocess, sys, time
mneme, folder = sys.argv[1:]
lines = open(folder + "/stories.in").read().split("\n")
want = iter(open(folder + "/stories.want").read().splitlines())
p = subprocess.Popen(["mpirun", "--oversubscribe", "-np", "2", mneme, "predict", folder + "/stories.yaml", "--top", "0",
                      "--set", "log.stall=500ms"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
for i, line in enumerate(lines[:12]):
    if i == 4: time.sleep(4)
    p.stdin.write(line.encode() + b"\n")
    p.stdin.flush()
    if not line: continue
    ready, _, _ = select.select([p.stdout], [], [], 60)
    assert ready, f"line {i + 1} was not answered"
    got = p.stdout.readline().decode().rstrip("\n")
    assert got == next(want), (i, got, p.stderr.read() if not got else "")
p.stdin.close()
assert p.stdout.read() == b"" and p.wait(60) == 0, p.stderr.read()
PYTHON

# Bad lines: status 65, one message, and the answers of the lines before it on any number of ranks.
refused() { # refused NAME TEXT BAD-LINE
    local ranks code
    { head -n 12 "$dir/$1.in"; printf '%b\n' "$3"; tail -n +13 "$dir/$1.in"; } >"$dir/bad"
    for ranks in 1 3; do
        predict "$1" $ranks "$dir/bad" --top 0 >"$dir/out"
        code=$?
        [ $code = 65 ] || fail "exit $code: $(cat "$dir/log")"
        [ "$(grep -c "^mneme: " "$dir/log")" = 1 ] && grep -qxF "mneme: $dir/bad:13$2" "$dir/log" ||
            fail "$ranks ranks: wanted $dir/bad:13$2, found $(cat "$dir/log")"
        cmp "$dir/out" <(awk -F'[:,]' '$2 < 13' "$dir/$1.want") || fail "$ranks ranks: the lines before $3 were not answered"
    done
}
refused stories ":19: string or '}' expected near ','" '{"story": ["a b"],, "story"}'
refused stories ": {\"story\": [\"...\", ...], \"question\": \"...\"} was expected" '{"story": "anna is here", "question": "where"}'
refused stories ": a story without sentences" '{"story": [], "question": "where is anna"}'
refused stories ": a question without words" '{"story": ["anna sleeps"], "question": " ?"}'
refused stories ": sentence 2 of the story is not a string with words" '{"story": ["anna sleeps", 7], "question": "who"}'
refused reviews ": not UTF-8 at byte 5" 'abcd\xff'
refused reviews ": a document without words" '{"text": " "}'
predict reviews 2 "$dir/nowhere" >"$dir/out"
code=$?
[ $code = 66 ] && grep -qxF "mneme: $dir/nowhere: No such file or directory" "$dir/log" || fail "exit $code: $(cat "$dir/log")"
exit $bad
