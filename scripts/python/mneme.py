"""Read what Mneme writes: corpus, checkpoint, attention, metrics. Needs h5py; frame() needs pandas.

    import mneme
    words = mneme.vocabulary("corpus", "words")            # list of str, by number
    for text in mneme.examples("corpus", "train", "text"): # nested lists of numbers: a document of sentences of words
        print([[words[i] for i in sentence] for sentence in text])
    weights = mneme.parameters("run")                      # {"word/embedding": array, ...} of the newest checkpoint
    for e in mneme.attention("attention.h5"):              # truth, prediction, words, weights of each view
        print(e["truth"], e["words"], e["views"][0])
    table = mneme.frame("run")                             # metrics.csv as a pandas DataFrame

As a program it prints what a folder holds: python3 mneme.py corpus run attention.h5
"""
import csv
import glob
import json
import os
import sys

import h5py


def _text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def _pieces(values, offsets):
    """values cut at offsets (one more than there are pieces)."""
    return [values[offsets[i] : offsets[i + 1]] for i in range(len(offsets) - 1)]


def _words(group, name):
    """The texts of a group whose bytes lie end to end."""
    offsets = "offsets" if "offsets" in group else "word"
    return [bytes(b).decode() for b in _pieces(group[name][:].tobytes(), group[offsets][:])]


def vocabulary(corpus, name):
    """The words of a vocabulary, by their number."""
    with h5py.File(os.path.join(corpus, name + ".vocab.h5"), "r") as file:
        return _words(file, "bytes")


def shards(corpus, split):
    """The shards of a split that the index names, in their order."""
    with open(os.path.join(corpus, "index.json"), encoding="utf-8") as file:
        json.load(file)  # an index that is no JSON belongs to no corpus
    return sorted(glob.glob(os.path.join(glob.escape(corpus), split + "-*-of-*.h5")))


def examples(corpus, split, field):
    """A field of each example of a split: a number, or lists of them, nested by the field's levels."""
    for path in shards(corpus, split):
        with h5py.File(path, "r") as file:
            group = file[field]
            rows = group["values"][:].tolist()
            for level in range(len(group) - 1, 0, -1):
                rows = _pieces(rows, group["offsets_%d" % level][:])
        yield from rows


def checkpoints(run):
    """The checkpoints of a run, the newest last."""
    return sorted(glob.glob(os.path.join(glob.escape(run), "checkpoints", "step-*.h5")))


def parameters(run):
    """The parameters of a checkpoint, or of the newest one of a run, by name."""
    path = run if os.path.isfile(run) else checkpoints(run)[-1]
    found = {}
    with h5py.File(path, "r") as file:
        file["parameters"].visititems(
            lambda name, item: found.update({name: item[()]}) if isinstance(item, h5py.Dataset) else None
        )
    return found


def attention(path):
    """The examples of an attention file: what was right, what was said, the words, and the weights of each view."""
    with h5py.File(path, "r") as file:
        for name in sorted(k for k in file if k.startswith("example-")):
            example = file[name]
            yield {
                "truth": _text(example.attrs.get("truth", "")),
                "prediction": _text(example.attrs.get("prediction", "")),
                "words": _words(example["field-00"], "text") if "field-00" in example else [],
                "views": [example[v]["weights"][()] for v in sorted(example) if v.startswith("view-")],
            }


def metrics(run):
    """The rows of metrics.csv, as dictionaries of texts."""
    with open(os.path.join(run, "metrics.csv"), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def frame(run):
    """metrics.csv as a DataFrame of pandas."""
    import pandas

    return pandas.read_csv(os.path.join(run, "metrics.csv"))


def _tell(path):
    if os.path.isfile(path):
        for example in attention(path):
            print("attention:", example["truth"], "->", example["prediction"], " ".join(example["words"]))
    elif os.path.exists(os.path.join(path, "index.json")):
        for split in ("train", "valid", "test"):
            for name in shards(path, split):
                with h5py.File(name, "r") as file:
                    print("%s: %d examples" % (os.path.basename(name), file.attrs["examples"]))
    else:
        for name, value in parameters(path).items():
            print("parameter: %s %s" % (name, "x".join(map(str, value.shape))))
        for row in metrics(path):
            print("metrics:", ", ".join("%s %s" % (k, v) for k, v in row.items() if v and k != "time"))


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        _tell(argument)
