#!/usr/bin/env python3
"""Make the stored values beside this script with the reference tools; the texts are our own.

    scripts/setup --reference
    build-reference/bin/python tests/golden/score/make.py [GLEU.PY]

GLEU.PY is eval/gleu.py of the repository keisks/jfleg; without it gleu.txt stays as it is. It is written for Python 2; here
its four words that Python 3 does not know are changed as it is loaded, and random.randint is that of Python 2 where asked for.
Each case is a line `$ WORDS`, the words of a command in this folder, and below it what the reference tool says to them,
in mneme's form; the version in a signature is left open.

links.forward and links.reverse are random, links.gold and links.naacl (the same links) too; their error rates come from NLTK. What
combine.txt holds was computed once with transcriptions of Moses' symal (printgrow) and of fast_align's atools into
Python, which are not here.
"""
import os
import random
import re
import sys

from nltk.metrics.scores import precision, recall
from nltk.stem import porter
from nltk.translate.metrics import alignment_error_rate
from rouge_score import rouge_scorer
from sacrebleu.metrics import BLEU, CHRF

HERE = os.path.dirname(os.path.abspath(__file__))


def lines(name):
    with open(os.path.join(HERE, name), encoding="utf-8", newline="\n") as f:
        return [line.rstrip() for line in f]


def said(score, metric, width):
    text = score.format(width, False, str(metric.get_signature()))
    return re.sub(r"version:[^ ]*", "version:", text)


class Cases:
    def __init__(self, name):
        self.out = open(os.path.join(HERE, name), "w", encoding="utf-8")

    def add(self, words, answer, command="score"):
        self.out.write("$ %s %s\n%s\n" % (command, " ".join(words), "\n".join(answer)))


def both(cases, metric, single, names, words, width):
    """The score of the whole, then that of each line."""
    hyp, refs = lines(names[0]), [lines(n) for n in names[1:]]
    files = names[1:] + ["--input", names[0]]
    shown = ["--width", str(width)]
    cases.add(files + words + shown, [said(metric.corpus_score(hyp, refs), metric, width)])
    one = [single.sentence_score(h, [r[i] for r in refs]).format(width, True) for i, h in enumerate(hyp)]
    cases.add(files + words + shown + ["--sentence-level", "--score-only"], one)


TEXTS = [["en.hyp", "en.ref0"], ["en.hyp", "en.ref0", "en.ref1", "en.ref2"], ["en.ref0", "en.ref0"], ["de.hyp", "de.ref0"],
         ["zh.hyp", "zh.ref0"], ["ar.hyp", "ar.ref0"], ["edge.hyp", "edge.ref0"]]


def bleu():
    cases = Cases("bleu.txt")
    hyp, ref = lines("en.hyp"), [lines("en.ref0")]
    cases.add(["en.ref0", "--input", "en.hyp"], [said(BLEU(force=True).corpus_score(hyp, ref), cases_bleu(hyp, ref), 1)])
    for names in TEXTS:
        for tok in ["13a", "intl", "zh", "char", "none"]:
            both(cases, BLEU(tokenize=tok, force=True), BLEU(tokenize=tok, effective_order=True, force=True), names,
                 ["--tokenize", tok], 6)
        both(cases, BLEU(lowercase=True, force=True), BLEU(lowercase=True, effective_order=True, force=True), names,
             ["--lowercase"], 6)
    for names in TEXTS[:2] + [["edge.hyp", "edge.ref0"]]:
        for method, value in [("floor", None), ("floor", 0.5), ("add-k", None), ("add-k", 0.25), ("none", None)]:
            words = ["--smooth-method", method] + (["--smooth-value", str(value)] if value else [])
            both(cases, BLEU(smooth_method=method, smooth_value=value, force=True),
                 BLEU(smooth_method=method, smooth_value=value, effective_order=True, force=True), names, words, 6)


def cases_bleu(hyp, ref):
    metric = BLEU(force=True)
    metric.corpus_score(hyp, ref)
    return metric


def chrf():
    cases = Cases("chrf.txt")
    for names in TEXTS:
        for name, order in [("chrf", 0), ("chrf++", 2)]:
            both(cases, CHRF(word_order=order), CHRF(word_order=order), names, ["--metrics", name], 6)
        both(cases, CHRF(lowercase=True, whitespace=True), CHRF(lowercase=True, whitespace=True), names,
             ["--metrics", "chrf", "--lowercase", "--chrf-whitespace"], 6)
    for names in TEXTS[:2] + [["edge.hyp", "edge.ref0"]]:
        other = CHRF(char_order=4, word_order=1, beta=3, eps_smoothing=True)
        words = "--metrics chrf --chrf-char-order 4 --chrf-word-order 1 --chrf-beta 3 --chrf-eps-smoothing"
        both(cases, other, other, names, words.split(), 6)


def load_gleu(path):
    with open(path) as f:
        text = f.read().split("if __name__")[0]
    text = text.replace("xrange", "range").replace("len(filter(lambda x: x == 0, stats))", "stats.count(0)")
    names = {"__name__": "gleu"}
    exec(compile(text, path, "exec"), names)
    return names["GLEU"]


def gleu(path):
    cases, tool, python3 = Cases("gleu.txt"), load_gleu(path), random.randint
    os.chdir(HERE)
    for count in [1, 2, 3]:
        refs = ["gec.ref%d" % i for i in range(count)]
        for draw in ["python2", "python3"]:
            random.randint = python3 if draw == "python3" else lambda a, b: a + int(random.random() * (b - a + 1))
            for single in [False, True]:
                scorer = tool()
                scorer.load_sources("gec.src")
                scorer.load_references(refs)
                answer = [s[0] for s in scorer.run_iterations(hypothesis="gec.hyp", per_sent=single)]
                words = ["--input", "gec.hyp", "--source", "gec.src", "--metrics", "gleu", "--gleu-draw", draw,
                         "--score-only"]
                cases.add(refs + words + (["--sentence-level"] if single else []), answer)


def rouge():
    cases = Cases("rouge.txt")
    kinds = ["rouge1", "rouge2", "rougeL", "rougeLsum"]
    texts = TEXTS[:3] + [["de.hyp", "de.ref0"], ["edge.hyp", "edge.ref0"], ["sum.hyp", "sum.ref0", "sum.ref1"]]
    for names in texts:
        for stem in [False, True]:
            scorer = rouge_scorer.RougeScorer(kinds, use_stemmer=stem)
            hyp, *refs = [[line.replace("<n>", "\n") for line in lines(n)] for n in names]
            each = [scorer.score_multi([r[i] for r in refs], h) for i, h in enumerate(hyp)]
            words = names[1:] + ["--input", names[0], "--metrics", "rouge", "--rouge-sentence-mark", "<n>"]
            words += ["--rouge-stem"] if stem else []
            mean = ["%.6f" % (sum(s[k].fmeasure for s in each) / len(each)) for k in kinds]
            cases.add(words + ["--score-only"], mean)
            cases.add(words + ["--score-only", "--sentence-level"], ["%.6f" % s[k].fmeasure for s in each for k in kinds])


def aer():
    """Links are (pair, source word, target word), so that one set holds all pairs."""
    def read(name):
        found = [(k, *p) for k, line in enumerate(lines(name)) for p in re.findall("([0-9]+)([-p])([0-9]+)", line)]
        return {(k, int(i), int(j)) for k, i, mark, j in found if mark == "-"}, {(k, int(i), int(j)) for k, i, m, j in found}

    cases, (sure, possible) = Cases("aer.txt"), read("links.gold")
    for name in ["links.forward", "links.reverse"]:
        guess = read(name)[1]
        error = alignment_error_rate(sure, guess, possible)
        p, r = precision(possible, guess), recall(sure, guess)
        answer = "AER = %.4f (precision = %.4f recall = %.4f F1 = %.4f links = %d sure = %d)" % (
            error, p, r, 2 * p * r / (p + r), len(guess), len(sure))
        for words in ["--reference links.gold", "--reference links.naacl --reference-links naacl"]:
            cases.add([name] + words.split(), [answer], "links")


def stems():
    """Words of the texts here, every suffix of Porter's rules behind stems of several shapes, and words by heart."""
    words = set("sky skies dying lying tying news innings inning outings outing cannings canning howe proceed exceed "
                "succeed died flies enjoy happy feed agreed controll rolled hopping falling filing hissing geology "
                "yyyy a1b2ed by oh ties spies".split())
    for name in os.listdir(HERE):
        if re.search(r"[.](hyp|src|ref[0-9])$", name):
            words.update(w for line in lines(name) for w in re.sub("[^a-z0-9]+", " ", line.lower()).split())
    suffixes = ("ational tional enci anci izer abli bli alli entli eli ousli ization ation ator alism iveness fulness "
                "ousness aliti iviti biliti fulli logi icate ative alize iciti ical ful ness al ance ence er ic able "
                "ible ant ement ment ent sion tion ion ou ism ate iti ous ive ize ed ing eed ied ies sses ss s y e ll").split()
    words.update(stem + suffix for stem in "b tr relat form y oppos ab str".split() for suffix in suffixes)
    stem = porter.PorterStemmer().stem
    with open(os.path.join(HERE, "stems.tsv"), "w") as f:
        f.writelines("%s\t%s\n" % (w, stem(w)) for w in sorted(words))


if __name__ == "__main__":
    bleu()
    chrf()
    if len(sys.argv) > 1:
        gleu(sys.argv[1])
    rouge()
    aer()
    stems()
