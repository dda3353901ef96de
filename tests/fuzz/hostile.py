"""Files that are wrong inside although all checksums are right, and files with wrong bytes: each command that reads one
must refuse it with a message that names a file, or use it and be right; within LIMIT seconds of work, without a crash, a report
of a sanitizer or a file that is half written.

    hostile.py MNEME FOLDER COUNT SEED [LIMIT]

Bases are experiments of mneme init, packed and trained. A mutant is a base with one to three changes made through h5py or
json, after which checksums and digests are made right again. What is accepted is checked by plain loops here: offsets,
ids below the vocabulary's size, sums of the index, finite parameters in their shapes. Prints a table; status 1 after a
fault, which is described, and whose mutant is kept in FOLDER/faults.
"""
import collections
import json
import os
import random
import re
import resource
import shutil
import subprocess
import sys

import h5py
import numpy as np
import xxhash

MNEME, FOLDER, COUNT, SEED = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
LIMIT = float(sys.argv[5]) if len(sys.argv) > 5 else 2.0
BASES = {"stories": "memn2n", "translation": "seq2seq", "csv": "han", "captions": "seq2seq"}
ALLOWED = {0, 2, 65, 66, 78}
REPORTS = re.compile(r"AddressSanitizer|LeakSanitizer|runtime error|ThreadSanitizer|Assertion")
INTS = [-(2**63), -(2**31), -1, 0, 1, 2, 2**31 - 1, 2**31, 2**62, 2**63 - 1]
NUMBERS = INTS + [0.5, -0.0, 1e308]


def mneme(where, *words, seconds=60):
    """Status, what it said, seconds of work. A process that does not end is ended: status "time"."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run([MNEME, *words], cwd=where, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return done.returncode, done.stderr.decode(errors="replace"), took
    except subprocess.TimeoutExpired:
        return "time", "", seconds


def make_bases():
    for name in BASES:
        where = os.path.join(FOLDER, "base", name)
        for words in (["init", name, where], ["pack", f"{name}.yaml"], ["train", f"{name}.yaml", "--set", "train.epochs=1"],
                      ["attend", f"{name}.yaml", "--split", "train", "--inputs", "2", "--output", "look"]):
            status, text, _ = mneme(FOLDER if words[0] == "init" else where, *words)
            if status != 0:
                sys.exit(f"{name}: {words} ended with {status}: {text}")


# --- Changes of HDF5 files ---

def datasets(f):
    names = []
    f.visititems(lambda n, d: names.append(n) if isinstance(d, h5py.Dataset) else None)
    return names


def put(f, name, data, attributes, **options):
    if name in f:
        del f[name]
    d = f.create_dataset(name, data=data, **{"chunks": True, "fletcher32": True, **options})
    for key, value in attributes.items():
        d.attrs[key] = value


def change_values(chance, data):
    """Another array of the same type and, but for one change, the same content."""
    flat, how = data.copy().reshape(-1), chance.randrange(7)
    if flat.size == 0 or how == 0:
        return np.append(flat, np.zeros(chance.choice([1, 3]), data.dtype))
    at = chance.randrange(flat.size)
    if how == 1:
        return flat[:-1]
    if how == 2:
        return flat[:0]
    if how == 3 and flat.size > 1:
        other = chance.randrange(flat.size)
        flat[[at, other]] = flat[[other, at]]
    elif data.dtype.kind == "f":
        flat[at] = chance.choice([np.nan, np.inf, -np.inf, -1, 0, 1e38, 1e-45])
    elif how < 6:
        flat[at] = np.array(chance.choice(INTS)).astype(np.int64).astype(data.dtype, casting="unsafe")
    else:
        flat[at] += chance.choice([-1, 1]) if data.dtype != np.uint8 else 1
    return flat.reshape(data.shape)


def change_form(chance, f, name, data, attributes):
    """The same values in a form that is not ours."""
    how = chance.randrange(11)
    if how == 0:
        put(f, name, data.astype(chance.choice(["<i2", ">i4", "<i8", "<i4", "<f4", "<f8", "u1", ">f4"])), attributes)
    elif how == 1:
        put(f, name, data.reshape(1, *data.shape) if data.size else np.zeros((2, 2)), attributes)
    elif how == 2:
        put(f, name, np.float32(1), attributes, chunks=None, fletcher32=False)
    elif how == 3:
        put(f, name, data, attributes, chunks=None, fletcher32=False)
    elif how == 4:
        put(f, name, data, attributes, fletcher32=False)
    elif how == 5:
        put(f, name, data, attributes, compression="gzip")
    elif how == 6:
        del f[name]
    elif how == 7:
        f.move(name, name + chance.choice(["x", "_", "é"]))
    elif how == 8:
        del f[name]
        f[name] = chance.choice([h5py.SoftLink("/etc/passwd"), h5py.SoftLink("/" + name), h5py.ExternalLink("other.h5", "/a")])
    elif how == 9:
        del f[name]
        f.create_group(name)
    else:
        put(f, chance.choice(["stranger", name + "2", "a/b/c/d"]), data, {})


def change_attribute(chance, where):
    keys = list(where.attrs)
    if not keys:
        return
    key = chance.choice(keys)
    old, how = where.attrs[key], chance.randrange(6)
    del where.attrs[key]
    if how == 1:
        where.attrs[key] = chance.choice(INTS)
    elif how == 2:
        where.attrs[key] = np.bytes_(chance.choice([b"", b"x", b"train", b"\xff\xfe", b"nan", b"1e999", b"a\nb", b"y" * 5000]))
    elif how == 3:
        where.attrs[key] = "a text of variable length"
    elif how == 4:
        where.attrs[key] = np.array([old, old]) if not isinstance(old, bytes) else np.array([1.5, 2.5])
    elif how == 5:
        where.attrs[key] = old + chance.choice([-1, 1]) if isinstance(old, (int, np.integer)) else np.float64(2.5)


def change_h5(chance, path):
    with h5py.File(path, "r+", libver=("v110", "v110")) as f:
        names, how = datasets(f), chance.randrange(10)
        name = chance.choice(names)
        if how < 5:
            data, attributes = f[name][()], dict(f[name].attrs)
            put(f, name, change_values(chance, data), attributes)
        elif how < 8:
            change_form(chance, f, name, f[name][()], dict(f[name].attrs))
        else:
            change_attribute(chance, f if chance.random() < 0.7 else f[name])


def pack_again(path):
    """h5py leaves holes where something was deleted."""
    with h5py.File(path, "r") as old, h5py.File(path + ".new", "w", libver=("v110", "v110")) as new:
        for key, value in old.attrs.items():
            new.attrs[key] = value
        for name in old:
            old.copy(name, new, expand_soft=False, expand_external=False)
    os.replace(path + ".new", path)


# --- Digests that are right again ---

def forge_checkpoint(path):
    """The digest of each dataset, and that of all (io/checkpoint/checkpoint.h)."""
    with h5py.File(path, "r+", libver=("v110", "v110")) as f:
        halves = [0, 0]
        for name in datasets(f):
            digest = xxhash.xxh3_128_hexdigest(np.ascontiguousarray(f[name][()]).tobytes())
            if "xxh3" in f[name].attrs:
                f[name].attrs["xxh3"] = np.bytes_(digest)
            if name != "config":
                add(halves, name, digest)
        if "step" in f.attrs:
            add(halves, "step", str(f.attrs["step"]))
        if "digest" in f.attrs:
            f.attrs["digest"] = np.bytes_("%016x%016x" % tuple(halves))


def add(halves, name, digest):
    both = xxhash.xxh3_128_hexdigest(f"{name} {digest}".encode())
    for i in 0, 1:
        halves[i] = (halves[i] + int(both[16 * i : 16 * i + 16], 16)) % 2**64


def forge_index(folder):
    """The index without digests of files and of itself: they may be left out."""
    path = os.path.join(folder, "index.json")
    index = json.load(open(path))

    def strip(x):
        if isinstance(x, dict):
            for key in "xxh3", "bytes", "content":
                if key in x and not (key == "xxh3" and "kind" in x):
                    del x[key]
            for v in x.values():
                strip(v)
        for v in x if isinstance(x, list) else []:
            strip(v)

    strip(index)
    json.dump(index, open(path, "w"))


def change_json(chance, x):
    """One place of a tree of values."""
    places = []

    def walk(v):
        for key in v if isinstance(v, dict) else range(len(v)) if isinstance(v, list) else []:
            places.append((v, key))
            walk(v[key])

    walk(x)
    v, key = chance.choice(places)
    how = chance.randrange(6)
    if how == 0:
        del v[key]
    elif how == 1:
        v[key] = chance.choice(NUMBERS)
    elif how == 2:
        v[key] = chance.choice(["", "x", "../x", "a\nb", "\u202e", "train", None, [], {}, [1], True])
    elif how == 3 and isinstance(v[key], int):
        v[key] += chance.choice([-1, 1])
    elif how == 4 and isinstance(v, list):
        v.append(v[key])
    else:
        other, k = chance.choice(places)
        v[key] = json.loads(json.dumps(other[k])) if k in other or isinstance(other, list) and k < len(other) else 0


def change_bytes(chance, path):
    data = bytearray(open(path, "rb").read())
    for _ in range(chance.choice([1, 1, 2, 8])):
        at, how = chance.randrange(len(data) + 1), chance.randrange(4)
        piece = bytes(chance.choice([[0], [10], [13, 10], [34], [44], [9], [123], [255], [0xEF, 0xBB, 0xBF], [0xED, 0xA0, 0x80], [0xE2, 0x80, 0xA8], [92], [32]]))
        if how == 0:
            data[at:at] = piece * chance.choice([1, 1, 1000])
        elif how == 1:
            del data[at : at + chance.choice([1, 10, 1000])]
        elif at < len(data):
            data[at : at + 1] = piece if how == 2 else bytes([data[at] ^ (1 << chance.randrange(8))])
    open(path, "wb").write(data)


# --- What is right, by plain loops ---

def corpus_is_right(folder, exact=True):
    """exact: the index must not promise longer units than there are; who trains makes room for them and that is all."""
    try:
        index = json.load(open(os.path.join(folder, "index.json")))
        words = {}
        for v in index["vocabularies"]:
            with h5py.File(os.path.join(folder, v["file"]), "r") as f:
                check_vocabulary(f)
                words[v["name"]] = len(f["offsets"]) - 1
                if words[v["name"]] != v["words"]:
                    return False
        for split in index["splits"]:
            check_split(folder, index["fields"], split, words, exact)
        return True
    except (ValueError, KeyError, TypeError, OSError, AssertionError, IndexError, AttributeError):
        return False


def check_vocabulary(f):
    offsets, data, counts = f["offsets"][()], bytes(f["bytes"][()]), f["counts"][()]
    assert f["offsets"].dtype == "<i8" and f["counts"].dtype == "<i8" and f["bytes"].dtype == "u1"
    assert offsets[0] == 0 and offsets[-1] == len(data) and all(a < b for a, b in zip(offsets, offsets[1:]))
    assert len(counts) == len(offsets) - 1 and all(c >= 0 for c in counts)
    spelled = [data[a:b].decode("utf-8") for a, b in zip(offsets, offsets[1:])]
    assert len(set(spelled)) == len(spelled)


def check_split(folder, fields, split, words, exact):
    examples, units, longest = 0, collections.defaultdict(lambda: [0] * 3), collections.defaultdict(lambda: [0] * 3)
    for shard in split["shards"]:
        with h5py.File(os.path.join(folder, shard["file"]), "r") as f:
            n = int(f.attrs["examples"])
            assert n == shard["examples"] and n >= 0
            for field in fields:
                check_field(f[field["name"]], field, n, words, units[field["name"]], longest[field["name"]])
            examples += n
    assert examples == split["examples"]
    for field in fields:
        levels = field["levels"]
        assert split["units"][field["name"]] == units[field["name"]][:levels]
        said = split["longest"][field["name"]]
        assert said == longest[field["name"]][:levels] or not exact and all(a >= b for a, b in zip(said, longest[field["name"]]))


def check_field(group, field, n, words, units, longest):
    for level in range(1, field["levels"] + 1):
        offsets = group[f"offsets_{level}"][()]
        assert group[f"offsets_{level}"].dtype == "<i8" and offsets.ndim == 1
        assert len(offsets) == n + 1 and offsets[0] == 0 and all(a <= b for a, b in zip(offsets, offsets[1:]))
        n = int(offsets[-1])
        units[level - 1] += n
        longest[level - 1] = max([longest[level - 1]] + [int(b - a) for a, b in zip(offsets, offsets[1:])])
    values = group["values"][()]
    assert values.ndim == 1 and len(values) == n * field.get("width", 1)
    if field["type"] == "floats":
        assert values.dtype == "<f4" and np.isfinite(values).all()
    else:
        assert values.dtype == "<i4" and (values >= 0).all()
        assert field.get("vocab") is None or (values < words[field["vocab"]]).all()


def checkpoint_is_right(path, base):
    try:
        with h5py.File(path, "r") as f, h5py.File(base, "r") as b:
            for name in datasets(b):
                if not name.startswith("parameters/"):
                    continue
                d = f[name]
                assert d.shape == b[name].shape and d.dtype == b[name].dtype and np.isfinite(d[()]).all()
            return True
    except (KeyError, AssertionError, OSError, TypeError, ValueError, AttributeError):
        return False


# --- Mutants ---

def of_corpus(chance, where, name):
    folder = os.path.join(where, "corpus")
    forged = chance.random() < 0.85
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        file = chance.choice([n for n in sorted(os.listdir(folder)) if not n.endswith(".bpe")])
        path = os.path.join(folder, file)
        if file == "index.json":
            index = json.load(open(path))
            change_json(chance, index)
            json.dump(index, open(path, "w"))
        elif os.path.exists(path):
            change_h5(chance, path)
            pack_again(path)
    if forged:
        forge_index(folder)
    words = chance.choice([["inspect", "corpus"], ["train", f"{name}.yaml", "--fresh", "--set", "train.epochs=1"],
                           ["eval", f"{name}.yaml", "--split", "train"], ["attend", f"{name}.yaml", "--split", "valid"]])
    # eval reads one split; what it does not read may be wrong
    right = (lambda: True) if words[0] in ("eval", "attend") else (lambda: corpus_is_right(folder, words[0] == "inspect"))
    return words, right


def of_checkpoint(chance, where, name):
    folder = os.path.join(where, "run", "checkpoints")
    path = os.path.join(folder, sorted(n for n in os.listdir(folder) if n.endswith(".h5"))[-1])
    shutil.copy(path, path + ".whole")
    for _ in range(chance.choice([1, 1, 2])):
        change_h5(chance, path)
    pack_again(path)
    if chance.random() < 0.9:
        forge_checkpoint(path)
    os.rename(path + ".whole", os.path.join(where, "whole.h5"))
    relative = os.path.relpath(path, where)
    os.remove(os.path.join(folder, "checkpoints.json")) # it is made again from the files
    words = chance.choice([["inspect", relative], ["eval", f"{name}.yaml", "--split", "valid", "--checkpoint", relative],
                           ["train", f"{name}.yaml", "--set", "train.epochs=2"], ["eval", f"{name}.yaml", "--split", "valid"]])
    right = (lambda: True) if words[0] in ("train", "inspect") else (lambda: checkpoint_is_right(path, os.path.join(where, "whole.h5")))
    return words, right


def of_attention(chance, where, name):
    path = os.path.join(where, "look.h5")
    for _ in range(chance.choice([1, 1, 2])):
        change_h5(chance, path)
    pack_again(path)
    return ["attend", "look.h5", "--output", "page"], lambda: attention_is_right(path)


def attention_is_right(path):
    with h5py.File(path, "r") as f:
        return all(np.isfinite(f[n][()]).all() for n in datasets(f) if n.endswith("/weights"))


def of_source(chance, where, name):
    files = {"stories": "qa1_train.txt", "translation": chance.choice(["train.de", "train.en"]), "csv": "reviews.csv",
             "captions": "captions.jsonl"}
    change_bytes(chance, os.path.join(where, files[name]))
    return ["pack", f"{name}.yaml", "--replace"], lambda: corpus_is_right(os.path.join(where, "corpus"))


def of_run(chance, where, name):
    run = os.path.join(where, "run")
    files = ["metrics.jsonl", "finished.json", "environment.json", "config.yaml", "checkpoints/checkpoints.json", "metrics.csv"]
    file = chance.choice(files + (["classes.json"] if os.path.exists(os.path.join(run, "classes.json")) else []))
    path = os.path.join(run, file)
    if file.endswith(".json") and chance.random() < 0.6:
        try:
            x = json.load(open(path))
            change_json(chance, x)
            json.dump(x, open(path, "w"))
        except (ValueError, IndexError):
            change_bytes(chance, path)
    else:
        change_bytes(chance, path)
    return chance.choice([["inspect", "run"], ["train", f"{name}.yaml", "--set", "train.epochs=1"],
                          ["train", f"{name}.yaml", "--set", "train.epochs=2"]]), lambda: True


def of_configuration(chance, where, name):
    change_bytes(chance, os.path.join(where, f"{name}.yaml"))
    return ["config", f"{name}.yaml"], lambda: True


def of_question(chance, where, name):
    file = "questions.jsonl" if os.path.exists(os.path.join(where, "questions.jsonl")) else "questions.txt"
    change_bytes(chance, os.path.join(where, file))
    if name in ("translation", "captions") and chance.random() < 0.5:
        return ["translate", f"{name}.yaml", file], lambda: True
    return ["attend" if chance.random() < 0.3 else "predict", f"{name}.yaml", file], lambda: True


def of_packed(chance, where, name):
    """gzip and xz hold a checksum of what they packed: what is accepted is what was packed."""
    file, key = {"csv": ("reviews.csv", "train"), "translation": ("train.de", "train_source"), "stories": ("qa1_train.txt", "train"),
                 "captions": ("captions.jsonl", "train")}[name]
    program, end = chance.choice([("gzip", ".gz"), ("xz", ".xz")])
    subprocess.run([program, file], cwd=where, check=True)
    change_bytes(chance, os.path.join(where, file + end))
    shutil.move(os.path.join(where, "corpus"), os.path.join(where, "before"))
    words = ["pack", f"{name}.yaml", "--set", f"source.{key}=[{file}{end}]"]
    return words, lambda: all(open(os.path.join(where, "before", n), "rb").read() == open(os.path.join(where, "corpus", n), "rb").read()
                              for n in os.listdir(os.path.join(where, "corpus")) if n.endswith("train-00000-of-00001.h5"))


def of_tool(chance, where, name):
    """Commands that read files of other programs."""
    file = os.path.join(where, "other.txt")
    how = chance.randrange(4)
    if how == 0:
        source = {"csv": "reviews.csv", "captions": "captions.jsonl"}.get(name, "train.en")
        shutil.copy(os.path.join(FOLDER, "base", "translation" if source == "train.en" else name, source), file)
        change_bytes(chance, file)
        pair = [os.path.join(FOLDER, "base", "translation", "train.de")] if source == "train.en" else []
        return ["init", "--from", "other.txt", *pair], lambda: True
    if how == 1:
        open(file, "w").write("".join(f"{i % 3}-{i % 4} 0-{i % 2} {i % 5}?{i % 2}\n" for i in range(20)))
        change_bytes(chance, file)
        return ["links", "other.txt"], lambda: True
    if how == 2:
        shutil.copy(os.path.join(FOLDER, "base", "translation", "train.en"), file)
        shutil.copy(file, os.path.join(where, "truth.txt"))
        change_bytes(chance, chance.choice([file, os.path.join(where, "truth.txt")]))
        return ["score", "truth.txt", "--input", "other.txt", "--metrics", "bleu,chrf"], lambda: True
    open(file, "w").write("".join(f"{w} {i} 0.5 -{i}\n" for i, w in enumerate("the soup was cold good bad a".split())))
    change_bytes(chance, file)
    shutil.rmtree(os.path.join(where, "run"))
    shutil.copytree(os.path.join(FOLDER, "base", "csv", "corpus"), os.path.join(where, "corpus"), dirs_exist_ok=True)
    shutil.copy(os.path.join(FOLDER, "base", "csv", "csv.yaml"), where)
    return ["train", "csv.yaml", "--set", "train.epochs=1", "--set", "model.embedding=pretrained", "--set", "model.dim=3", "--set",
            "data.vectors=other.txt"], lambda: True


KINDS = {"corpus": (of_corpus, 8), "checkpoint": (of_checkpoint, 6), "attention": (of_attention, 3), "source": (of_source, 4),
         "run": (of_run, 3), "configuration": (of_configuration, 1), "question": (of_question, 2),
         "packed": (of_packed, 2), "tool": (of_tool, 3)}


def fault_of(where, words, right):
    status, text, took = mneme(where, *words)
    left = [n for folder, _, names in os.walk(where) for n in names if n.endswith(".part")]
    said = [line for line in text.splitlines() if line.startswith("mneme: ")]
    if REPORTS.search(text) or status not in ALLOWED:
        return status, f"status {status}: {text[-1500:]}"
    if took > LIMIT:
        return status, f"{took:.1f} s of work"
    if left:
        return status, f"left behind: {left}"
    if status != 0 and not (said and re.search(r"\.(h5|json|jsonl|yaml|csv|txt|de|en|bpe)|corpus|not finite|run", said[-1])):
        return status, f"status {status} without a file's name: {text[-500:]}"
    if status == 0 and not right():
        return status, "accepted, but it is wrong"
    return status, None


def main():
    np.seterr(all="ignore")
    make_bases()
    table, faults = collections.defaultdict(collections.Counter), 0
    order = [kind for kind, (_, weight) in KINDS.items() for _ in range(weight)]
    for i in range(COUNT):
        chance = random.Random(SEED * 1000003 + i)
        kind, name = order[i % len(order)], chance.choice(list(BASES))
        where = os.path.join(FOLDER, "mutant")
        shutil.rmtree(where, ignore_errors=True)
        shutil.copytree(os.path.join(FOLDER, "base", name), where)
        try:
            words, right = KINDS[kind][0](chance, where, name)
        except (OSError, RuntimeError, ValueError, KeyError, TypeError, OverflowError): # h5py cannot make it
            table[kind]["not made"] += 1
            continue
        status, fault = fault_of(where, words, right)
        table[kind]["used" if status == 0 else "refused"] += 1
        if fault:
            faults += 1
            table[kind]["faults"] += 1
            print(f"mutant {i} of seed {SEED}, {kind} of {name}: mneme {' '.join(words)}: {fault}", flush=True)
            shutil.copytree(where, os.path.join(FOLDER, "faults", str(i)), dirs_exist_ok=True)
    print("| what | mutants | used | refused | faults |\n|---|---|---|---|---|")
    table["all"] = sum(table.values(), collections.Counter())
    for kind, t in table.items():
        print(f"| {kind} | {t['used'] + t['refused']} | {t['used']} | {t['refused']} | {t['faults']} |")
    sys.exit(1 if faults else 0)


main()
