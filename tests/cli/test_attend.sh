#!/bin/bash
# mneme attend: weights that sum to 1 (words within their sentence, sentences within the document, memories of a hop),
# beside the words of the input, in the file and on the page; where the corpus knows what decides, how often it is hit.
set -u
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
bad=0
fail() { echo "$*"; bad=1; }
/usr/bin/python3 -c 'import h5py' 2>/dev/null || { echo "skipped: h5py is not installed (Debian: python3-h5py)"; exit 77; }
cat >"$dir/stories.yaml" <<YAML
source: {name: stories, tasks: [one_fact, two_facts], train: 60, valid: 20, test: 40}
data: {corpus: stories}
model: {name: memn2n, dim: 8, memory: 4}
task: {name: answer}
train: {batch: 16, epochs: 1}
log: {tensorboard: false}
run: {folder: stories-run}
YAML
cat >"$dir/reviews.yaml" <<YAML
source: {name: reviews, train: 60, valid: 20, test: 40, min_sentences: 1}
data: {corpus: reviews, max_sentences: 4}
model: {name: han, dim: 8, hidden: 4, attend: 4}
task: {name: classification}
train: {batch: 16, epochs: 1}
log: {tensorboard: false}
run: {folder: reviews-run}
YAML
for name in stories reviews; do
    "$MNEME" pack "$dir/$name.yaml" 2>"$dir/log" && "$MNEME" train "$dir/$name.yaml" 2>"$dir/log" ||
        fail "$name: $(cat "$dir/log")"
    "$MNEME" attend "$dir/$name.yaml" --inputs 30 --output "$dir/$name" >"$dir/$name.hits" 2>"$dir/log" ||
        fail "attend $name: $(cat "$dir/log")"
    grep -qxF "mneme: 30 inputs: $dir/$name.h5 and $dir/$name.html" "$dir/log" || fail "attend $name: $(cat "$dir/log")"
done
"$MNEME" attend "$dir/stories.yaml" --inputs 30 --output "$dir/short" --set data.max_sentences=2 >"$dir/out" 2>"$dir/log" ||
    fail "two sentences: $(cat "$dir/log")"
printf '%s\n' '{"story": ["one went home", "anna walked to the garden", "zyx slept", "two", "three of them ran", "x"],
    "question": "where is anna"}' '' '{"story": ["anna"], "question": "who"}' | sed -z 's/,\n */, /' >"$dir/stories.in"
cat >"$dir/reviews.in" <<'TEXT'
The first sentence <b>is</b> here. And "this" is the second one! A third? The fourth. The fifth is not read.
Word
 {"text": [["ready", "made"], ["sentences"]]}
TEXT
for name in stories reviews; do
    mpirun --oversubscribe -np 2 "$MNEME" attend "$dir/$name.yaml" "$dir/$name.in" --output "$dir/$name-in" \
        >"$dir/out" 2>"$dir/log" || fail "attend $name.in: $(cat "$dir/log")"
    [ ! -s "$dir/out" ] || fail "nobody knows what decides in $name.in: $(cat "$dir/out")"
    "$MNEME" inspect "$dir/$name-in.h5" >"$dir/out" 2>"$dir/log" || fail "inspect: $(cat "$dir/log")"
done

/usr/bin/python3 - "$dir" <<'PYTHON' || fail "the files do not hold what they should"
import h5py, html, re, sys
folder = sys.argv[1]
def words_of(group):
    at, text = group["word"][...], group["text"][...].tobytes()
    return [text[a:b].decode() for a, b in zip(at[:-1], at[1:])]
def read(name):
    page = html.unescape(re.sub("<[^>]*>", "", open(f"{folder}/{name}.html", encoding="utf-8").read()))
    with h5py.File(f"{folder}/{name}.h5") as f:
        for key in sorted(f):
            e = f[key]
            words, sentence = words_of(e["tokens"]), e["tokens/sentence"][...]
            assert all(w in page for w in words), (name, key)
            assert e.attrs["id"].decode() in page and e.attrs["prediction"].decode() in page, (name, key)
            views = [(dict(e[v].attrs), e[v]["weights"][...]) for v in sorted(e) if v.startswith("view-")]
            facts = set(e["facts"][...]) if "facts" in e else set()
            question = words_of(e["question"]) if "question" in e else []
            yield e.attrs["id"].decode(), words, sentence, question, facts, views
near = lambda a, b: abs(a - b) < 1e-5
highest = lambda w: max(range(len(w)), key=lambda i: (w[i], -i))
def hits(name): # "sentence hop 1 head 1: ... in 3 of 30 inputs (10.0 %)"
    form = r"(\w+) hop (\d) head 1: the highest weight is on what decides in (\d+) of (\d+) inputs \((\d+\.\d) %\)"
    for line in open(f"{folder}/{name}.hits"):
        view, hop, n, of, percent = re.fullmatch(form, line.rstrip("\n")).groups()
        assert percent == f"{100 * int(n) / int(of):.1f}", line
        yield (view, int(hop)), (int(n), int(of))

# Stories: three hops over the sentences; the memory holds the newest four.
counted, n = {}, 0
for name in "stories", "stories-in":
    for id, words, sentence, question, facts, views in read(name):
        assert [(v["name"], v["hop"], v["over"]) for v, _ in views] == [(b"story", h, b"sentences") for h in range(3)], views
        assert question and len(facts) in ({1, 2} if name == "stories" else {0}), (id, facts)
        for v, w in views:
            assert len(w) == len(sentence) - 1 and near(w[-4:].sum(), 1) and not w[:-4].any() and (w >= 0).all(), id
            if not facts: continue
            was = counted.get(("story", v["hop"] + 1), (0, 0))
            counted["story", v["hop"] + 1] = (was[0] + (highest(w) in facts), was[1] + 1)
        n += 1
assert n == 32 and dict(hits("stories")) == counted, (n, counted, dict(hits("stories")))
given = list(read("stories-in"))
assert [g[0] for g in given] == ["line 1", "line 3"]
assert given[0][1] == "one went home anna walked to the garden zyx slept two three of them ran x".split(), given[0][1]
assert given[0][3] == ["where", "is", "anna"] and list(given[0][2]) == [0, 3, 8, 10, 11, 15, 16]
assert given[1][1] == ["anna"]

short, whole = list(read("short")), list(read("stories")) # data.max_sentences cuts no question
assert all(len(s[2]) <= 3 and s[3] == w[3] and len(s[3]) > 2 and s[4] <= w[4] for s, w in zip(short, whole)), short[0]

# Documents: words within each sentence, sentences within the document, of which four are read.
counted, n = (0, 0), 0
for name in "reviews", "reviews-in":
    for id, words, sentence, question, facts, views in read(name):
        assert [(v["name"], v["over"]) for v, _ in views] == [(b"word", b"words"), (b"sentence", b"sentences")], id
        word, top = views[0][1], views[1][1]
        assert len(sentence) - 1 <= 4 and len(top) == len(sentence) - 1 and len(word) == len(words) and not question
        assert near(top.sum(), 1) and (top >= 0).all() and (word >= 0).all(), id
        assert all(near(word[a:b].sum(), 1) for a, b in zip(sentence[:-1], sentence[1:])), id
        assert all(0 <= f < len(top) for f in facts), (id, facts)
        if facts: counted = (counted[0] + (highest(top) in facts), counted[1] + 1)
        n += 1
found = dict(hits("reviews"))
assert n == 33 and 5 < counted[1] < 30, (n, counted)
assert set(found) == {("word", 1), ("sentence", 1)} and found["sentence", 1] == counted, (found, counted)
assert found["word", 1][1] == counted[1], found
given = list(read("reviews-in"))
assert [w.lower() for w in given[0][1][:5]] == ["the", "first", "sentence", "<", "b"], given[0][1]
assert given[1][1] == ["word"] and given[2][1] == ["ready", "made", "sentences"] and list(given[2][2]) == [0, 2, 3]
PYTHON

says() { # says CODE TEXT ARGUMENT...
    local code=$1 text=$2 got
    shift 2
    "$MNEME" attend "$@" >"$dir/out" 2>"$dir/log"
    got=$?
    [ $got = "$code" ] && [ "$(cat "$dir/log")" = "mneme: $text" ] || fail "$*: exit $got: $(cat "$dir/log")"
}
printf 'word\n\n\xff\n' >"$dir/bad"
says 65 "$dir/bad:3: not UTF-8 at byte 1" "$dir/reviews.yaml" "$dir/bad" --output "$dir/none"
says 66 "$dir/nowhere: No such file or directory" "$dir/reviews.yaml" "$dir/nowhere" --output "$dir/none"
says 65 "$dir/reviews: the corpus has no examples in split tset" "$dir/reviews.yaml" --split tset --output "$dir/none"
[ ! -e "$dir/none.h5" ] && [ ! -e "$dir/none.html" ] || fail "files were written in spite of a failure"
says 74 "$dir/no/where.h5: No such file or directory" "$dir/reviews.yaml" --output "$dir/no/where"
exit $bad
