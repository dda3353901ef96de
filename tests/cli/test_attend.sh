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
model: {name: han, dim: 8, word: {hidden: 4}, sentence: {hidden: 4}}
task: {name: classification}
train: {batch: 16, epochs: 1}
log: {tensorboard: false}
run: {folder: reviews-run}
YAML
for name in stories reviews; do
    "$MNEME" pack "$dir/$name.yaml" 2>"$dir/log" && "$MNEME" train "$dir/$name.yaml" 2>"$dir/log" ||
        fail "$name: $(cat "$dir/log")"
    "$MNEME" attend "$dir/$name.yaml" --inputs 30 --output "$dir/$name" >"$dir/$name.out" 2>"$dir/log" ||
        fail "attend $name: $(cat "$dir/log")"
    grep -v ': entropy ' "$dir/$name.out" >"$dir/$name.hits"
    grep ': entropy ' "$dir/$name.out" >"$dir/$name.entropy" || fail "attend $name: no entropies"
    grep -qxF "mneme: 30 inputs: $dir/$name.h5 and $dir/$name.html" "$dir/log" || fail "attend $name: $(cat "$dir/log")"
done
"$MNEME" attend "$dir/stories.yaml" --inputs 30 --output "$dir/short" --set data.max_sentences=2 >"$dir/out" 2>"$dir/log" ||
    fail "two sentences: $(cat "$dir/log")"
printf '%s\n' '{"story": ["one went home", "anna walked to the garden", "zyx slept", "two", "three of them ran", "x"],
    "question": "where is anna"}' '' '{"story": ["anna"], "question": "who"}' | sed -z 's/,\n */, /' >"$dir/stories.in"
for name in stories reviews; do
    for measure in jacobian input_x_gradient; do
        "$MNEME" attend "$dir/$name.yaml" --inputs 3 --implicit $measure --output "$dir/$name-$measure" \
            >"$dir/out" 2>"$dir/log" || fail "attend $name --implicit $measure: $(cat "$dir/log")"
    done
done
cat >"$dir/reviews.in" <<'TEXT'
The first sentence <b>is</b> here. And "this" is the second one! A third? The fourth. The fifth is not read.
Word
 {"text": [["ready", "made"], ["sentences"]]}
TEXT
for name in stories reviews; do
    mpirun --oversubscribe -np 2 "$MNEME" attend "$dir/$name.yaml" "$dir/$name.in" --output "$dir/$name-in" \
        >"$dir/out" 2>"$dir/log" || fail "attend $name.in: $(cat "$dir/log")"
    ! grep -v ': entropy ' "$dir/out" || fail "nobody knows what decides in $name.in: $(cat "$dir/out")"
    "$MNEME" inspect "$dir/$name-in.h5" >"$dir/out" 2>"$dir/log" || fail "inspect: $(cat "$dir/log")"
done

/usr/bin/python3 "$SOURCE/tests/unit/check_html.py" "$dir"/stories-*.html "$dir"/reviews-*.html >"$dir/log" || fail "$(cat "$dir/log")"
/usr/bin/python3 - "$dir" <<'PYTHON' || fail "the files do not hold what they should"
import h5py, html, math, re, sys
folder = sys.argv[1]
def words_of(group):
    at, text = group["word"][...], group["text"][...].tobytes()
    return [text[a:b].decode() for a, b in zip(at[:-1], at[1:])]
def read(name):
    page = html.unescape(re.sub("<[^>]*>", "", open(f"{folder}/{name}.html", encoding="utf-8").read()))
    with h5py.File(f"{folder}/{name}.h5") as f:
        for key in sorted(f):
            e = f[key]
            fields = {e[k].attrs["role"]: e[k] for k in e if k.startswith("field-")}
            words, sentence = words_of(fields[b"input"]), fields[b"input"]["sentence"][...]
            assert all(w in page for w in words), (name, key)
            assert e.attrs["id"].decode() in page and e.attrs["prediction"].decode() in page, (name, key)
            views = [(dict(e[v].attrs), e[v]["weights"][...]) for v in sorted(e) if v.startswith("view-")]
            facts = {n for g in e if g.startswith("gold-") and e[g].attrs["unit"] == b"sentences" for n in e[g]["at"][...]}
            question = words_of(fields[b"query"]) if b"query" in fields else []
            for v, w in views: # over what: the first field's words or sentences, or the question
                assert v["rows"] == b"none" and "rows_of" not in v, v
                v["over"] = b"question" if v["columns_of"] == b"question" else v["columns"]
                assert v["over"] != b"words" or v["measure"] != b"weight" or v["by_sentence"] == 1, v
            yield e.attrs["id"].decode(), words, sentence, question, facts, views
near = lambda a, b: abs(a - b) < 1e-5
def entropies(name): # "word hop 1 head 1: entropy 0.512 nats (0.285 of the most) over 40 rows"
    form = r"(\w+)( layer \d)? hop (\d) head 1: entropy (\d\.\d{3}) nats \((\d\.\d{3}) of the most\) over (\d+) rows"
    return {(m[0], int(m[2])): (float(m[3]), float(m[4]), int(m[5]))
            for m in (re.fullmatch(form, line.rstrip("\n")).groups() for line in open(f"{folder}/{name}.entropy"))}
def entropy(w):
    return -sum(x * math.log(x) for x in w if x > 0)
def check_entropies(name):
    rows = {}
    for id, words, sentence, question, facts, views in read(name):
        for v, w in views:
            if v["measure"] != b"weight": continue
            parts = [w[a:b] for a, b in zip(sentence[:-1], sentence[1:])] if v["over"] == b"words" else [w]
            of = [(entropy(p), entropy(p) / math.log(len(p)) if len(p) > 1 else 0) for p in parts if p.sum() > 0]
            rows.setdefault((v["name"].decode(), v["hop"] + 1), []).extend(of)
            assert abs(v["entropy"] - sum(h for h, _ in of) / len(of)) < 1e-6, (id, v)
            assert abs(v["entropy_share"] - sum(s for _, s in of) / len(of)) < 1e-6, (id, v)
    found = entropies(name)
    assert set(found) == set(rows), (found, set(rows))
    for key, of in rows.items():
        h, share, n = found[key]
        assert n == len(of) and abs(h - sum(a for a, _ in of) / n) < 6e-4, (key, found[key])
        assert abs(share - sum(b for _, b in of) / n) < 6e-4, (key, found[key])
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

check_entropies("stories"), check_entropies("reviews")

# What the gradient tells is a view more: over the words of the text, and of the question.
for name, fields in ("stories", ["story", "question"]), ("reviews", ["text"]):
    plain = list(read(name))[:3]
    for measure in "jacobian", "input_x_gradient":
        for a, b in zip(plain, read(f"{name}-{measure}")):
            views = [(v, w) for v, w in b[5] if v["measure"] != b"weight"]
            assert len(b[5]) - len(views) == len(a[5]) and all((x[1] == y[1]).all() for x, y in zip(a[5], b[5])), b[0]
            assert [v["name"].decode() for v, _ in views] == fields, views
            for v, w in views:
                assert v["measure"].decode() == measure and "entropy" not in v, v
                assert len(w) == len(b[3] if v["name"] == b"question" else b[1]) and w.any(), b[0]
                assert v["over"] == (b"question" if v["name"] == b"question" else b"words"), v
                assert measure != "jacobian" or (w >= 0).all(), w

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
says 64 "--implicit hessian: jacobian or input_x_gradient is expected" "$dir/reviews.yaml" --implicit hessian --output "$dir/none"
says 64 "--links 1.5: max or a number above 0 and at most 1 is expected" "$dir/reviews.yaml" --links 1.5 --output "$dir/none"
says 64 "--links most: max or a number above 0 and at most 1 is expected" "$dir/reviews.yaml" --links most --output "$dir/none"
says 64 "--svg: the model han has no attention that is a picture" "$dir/reviews.yaml" --svg --output "$dir/none"
says 64 "--pharaoh: the model han has no attention over pairs" "$dir/reviews.yaml" --pharaoh "$dir/none" --output "$dir/none"
says 64 "usage: mneme attend CONFIG [FILE] (3 words were given)" "$dir/reviews.yaml" a b --output "$dir/none"
says 64 "--split: what was looked at stands in the files of attention" "$dir/reviews.h5" --split test --output "$dir/none"
says 64 "--pharaoh: only with a configuration" "$dir/reviews.h5" --pharaoh x --output "$dir/none"
says 66 "$dir/nowhere.h5: No such file or directory" "$dir/reviews.h5" "$dir/nowhere.h5" --output "$dir/none"
says 65 "reviews-jacobian has 3 inputs, reviews has 30: they must be the same inputs" "$dir/reviews.h5" \
    "$dir/reviews-jacobian.h5" --output "$dir/none"
says 65 "reviews: input 1 is not that of stories" "$dir/stories.h5" "$dir/reviews.h5" --output "$dir/none"
cp "$dir/reviews.h5" "$dir/damaged.h5" && printf 'x' | dd of="$dir/damaged.h5" bs=1 seek=5000 conv=notrunc 2>/dev/null
"$MNEME" attend "$dir/reviews.h5" "$dir/damaged.h5" --output "$dir/none" >"$dir/out" 2>"$dir/log"
[ $? = 65 ] && grep -q "$dir/damaged.h5" "$dir/log" || fail "a damaged file: $(cat "$dir/log")"
cp "$dir/reviews.h5" "$dir/again.h5"
"$MNEME" attend "$dir/reviews.h5" "$dir/again.h5" --output "$dir/both" >"$dir/out" 2>"$dir/log" || fail "$(cat "$dir/log")"
grep -q '<h3>reviews</h3>' "$dir/both.html" && grep -q '<h3>again</h3>' "$dir/both.html" || fail "two files on one page"
[ "$(grep -c ': entropy ' "$dir/out")" = 4 ] && grep -qx again "$dir/out" || fail "tables of two files: $(cat "$dir/out")"
[ ! -e "$dir/none.h5" ] && [ ! -e "$dir/none.html" ] || fail "files were written in spite of a failure"
says 74 "$dir/no/where.h5: No such file or directory" "$dir/reviews.yaml" --output "$dir/no/where"
exit $bad
