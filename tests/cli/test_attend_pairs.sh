#!/bin/bash
# mneme attend for pairs: matrices that sum to 1 in each row, the target given, the model's own or the corpus's; links
# as lines, gold links and their error; gradients; pictures; and what is refused.
. "$SOURCE/tests/expect.sh"
/usr/bin/python3 -c 'import h5py' 2>/dev/null || { echo "skipped: h5py is not installed (Debian: python3-h5py)"; exit 77; }
cat >with.yaml <<YAML
source: {name: language, train: 300, valid: 20, test: 20}
data: {corpus: language}
model: {name: seq2seq, dim: 8, encoder: {hidden: 8, bidirectional: true}, attention: {score: additive}}
task: {name: translation}
train: {batch: 32, epochs: 2}
optim: {name: adam, lr: 0.02}
log: {tensorboard: false}
run: {folder: with-run}
YAML
sed 's/, bidirectional: true}, attention: {score: additive}/}, decoder: {apply: none}/; s/with-run/without-run/' with.yaml >without.yaml
sed 's/, bidirectional: true}, attention: {score: additive}/}, attention: {score: {name: multi_dim, rows: 3}}/; s/with-run/several-run/' with.yaml >several.yaml
cat >nested.yaml <<YAML
source: {name: parallel, train_source: [words], train_target: [words], test_source: [words], test_target: [words],
         characters: true}
pack: {min_count: 2}
data: {corpus: nested}
model: {name: nested, dim: 8, encoder: {hidden: 8}, characters: {dim: 4, hidden: 8}}
task: {name: translation}
train: {batch: 2, epochs: 1}
log: {tensorboard: false}
run: {folder: nested-run}
YAML
printf '%s\n' 'a cat and a dog' 'a bird and a cat' 'a fish' >words
must 1 pack nested.yaml
must 1 pack with.yaml
for name in with without several nested; do must 1 train $name.yaml; done
must 1 attend with.yaml --pharaoh links --svg
mv out table
must 1 attend with.yaml --links 0.3 --pharaoh wide --implicit jacobian --output wide
must 1 attend without.yaml --implicit input_x_gradient --output without
must 1 attend several.yaml --output several
must 1 attend nested.yaml --implicit jacobian --output nested
printf '%s\n' 'he sings	fer x' 'the <b> dog' '{"source": "a dog", "target": "un kanu"}' >in
must 2 attend with.yaml in --output lines
must 1 attend with.yaml --own --inputs 2 --output own
must 1 attend attention.h5 several.h5 --output both
grep -q '<strong>attention</strong><span>source</span>' both.html &&
    grep -q '<strong>several</strong><span>source</span>' both.html || fail "two models on a page"
grep -q '<figure class="panel">' with-run/report.html || fail "the report shows no pair"
[ "$(ls attention-*.svg | wc -l)" = 20 ] || fail "pictures: $(ls)"

/usr/bin/python3 - <<'PYTHON' || fail "the files do not hold what they should"
import h5py, numpy, re
import xml.etree.ElementTree as xml
def words_of(group):
    at, text = group["word"][...], group["text"][...].tobytes()
    return [text[a:b].decode() for a, b in zip(at[:-1], at[1:])]
def read(name):
    with h5py.File(f"{name}.h5") as f:
        for key in sorted(f):
            e = f[key]
            views = [(dict(e[v].attrs), e[v]["weights"][...]) for v in sorted(e) if v.startswith("view-")]
            gold = {"possible" if e[k].attrs["possible"] else "sure": {tuple(p) for p in e[k]["at"][...]} for k in e
                    if k.startswith("gold-")} or None
            fields = {e[k].attrs["role"]: e[k] for k in e if k.startswith("field-")}
            source, target = fields[b"input"], fields[b"target"]
            assert target["loss"].shape == (len(target["word"]) - 1,) and (target["loss"][...] > 0).all()
            for v, w in views:
                assert (v["rows"], v["rows_of"], v["columns"], v["columns_of"]) == (b"words", b"target", b"words", b"source"), v
            yield e.attrs["id"].decode(), words_of(source), words_of(target), gold, views
def links(w, least=None):
    found = set()
    for j, row in enumerate(w[:-1]): # the last is the end
        found |= {(i, j) for i in range(len(row)) if row[i] >= least} if least else {(int(row.argmax()), j)}
    return found
def lines(name):
    return [{tuple(map(int, p.split("-"))) for p in line.split()} for line in open(name)]

hits = counted = 0
for (id, source, target, gold, views), line in zip(read("attention"), lines("links")):
    assert target[-1] == "</s>" and len(views) == 1, (id, views)
    w = views[0][1]
    assert w.shape == (len(target), len(source)) and abs(w.sum(1) - 1).max() < 1e-5 and (w >= 0).all(), id
    assert line == links(w), (id, line, links(w))
    hits += len(line & gold["sure"]) + len(line & (gold["possible"] | gold["sure"]))
    counted += len(line) + len(gold["sure"])
table = open("table").read()
assert re.fullmatch(r"source hop 1 head 1: entropy \d\.\d{3} nats \(0\.\d{3} of the most\) over \d+ rows; alignment error "
                    + re.escape(f"{100 * (1 - hits / counted):.1f}") + r" % over 20 pairs\n", table), (table, hits, counted)
for (id, source, target, gold, views), line in zip(read("wide"), lines("wide")):
    assert line == links(views[0][1], 0.3), id
    assert [v["measure"] for v, _ in views] == [b"weight", b"jacobian"] and views[1][1].shape == views[0][1].shape
    assert (views[1][1] >= 0).all() and views[1][1].any()
for id, source, target, gold, views in read("without"):
    assert [v["measure"] for v, _ in views] == [b"input_x_gradient"] and views[0][1].any() and (views[0][1] < 0).any()
    assert views[0][1].shape == (len(target), len(source))
for id, source, target, gold, views in read("several"):
    assert [v["head"] for v, _ in views] == [0, 1, 2] and all(abs(w.sum(1) - 1).max() < 1e-5 for _, w in views)
for id, source, target, gold, views in read("nested"):
    assert [v["measure"] for v, _ in views] == [b"weight", b"jacobian"] and views[1][1].shape == (len(target), len(source))
    assert (views[1][1] > 0).all(), "an unknown word that counts for nothing"
given = list(read("lines"))
assert [g[0] for g in given] == ["line 1", "line 2 (own output)", "line 3"], given
assert given[0][1:3] == (["he", "sings"], ["fer", "x", "</s>"]) and given[2][1:3] == (["a", "dog"], ["un", "kanu", "</s>"])
assert given[1][2][-1] == "</s>" and given[1][3] is None
assert [(e[0], e[3]) for e in read("own")] == [("test 0 (own output)", None), ("test 1 (own output)", None)]
picture = "".join(xml.parse("attention-00003.svg").getroot().itertext())
id, source, target, _, _ = list(read("attention"))[2]
assert all(w in picture for w in source + target), picture
page = open("lines.html", encoding="utf-8").read()
assert "<b> dog" not in page and "&lt;" in page, "not escaped"
PYTHON

printf 'he sings\ta \xff b\n' >bad
expect 1 65 "mneme: bad:1: not UTF-8 at byte 12" attend with.yaml bad --output none
printf 'he sings\tfer\n\tfer\n' >bad
expect 1 65 "mneme: bad:2: a source without words" attend with.yaml bad --output none
printf '{"source": 7}\n' >bad
expect 1 65 'mneme: bad:1: {"source": "...", "target": "..."} was expected, the target may be left out' attend with.yaml bad --output none
printf 'he sings\tfer\nhe\tfer\tfer\n' >bad
expect 1 65 "mneme: bad:2: 2 tabs; SOURCE TAB TARGET was expected" attend with.yaml bad --output none
expect 1 65 "mneme: standard input:1: a source without words" attend with.yaml - --output none <<<$'\tfer'
expect 1 64 "mneme: --split test: the inputs are those of FILE in" attend with.yaml in --split test --output none
expect 1 64 "mneme: --pharaoh: the model seq2seq has no attention over pairs" attend without.yaml --pharaoh none --output none
expect 1 64 "mneme: --own: what was looked at stands in the files of attention" attend wide.h5 --own --output none
expect 1 74 "mneme: no/where.h5: No such file or directory" attend with.yaml --output no/where
[ ! -e none.h5 ] && [ ! -e none.html ] || fail "files were written in spite of a failure"
exit $bad
