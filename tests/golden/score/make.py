#!/usr/bin/env python3
"""Make the stored values beside this script with the reference tools; the texts are our own.

    python3 -m venv V && V/bin/pip install sacrebleu==2.6.0
    V/bin/python tests/golden/score/make.py

Each case is a line `$ WORDS`, the words of a `mneme score` command in this folder, and below it what the reference tool
says to them, in mneme's form; the version in a signature is left open.
"""
import os
import re
import sys

from sacrebleu.metrics import BLEU

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

    def add(self, words, answer):
        self.out.write("$ %s\n%s\n" % (" ".join(words), "\n".join(answer)))


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


if __name__ == "__main__":
    bleu()
    sys.exit(0)
