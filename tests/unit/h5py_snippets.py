"""Runs the h5py examples that stand in the headers. argv: the header, the word before the example, a replacement
(FROM=TO) or "", then NAME=VALUE to be set before; prints the values of the names given in PRINT."""
import os
import sys

header, word, replacement, *settings = sys.argv[1:]
lines = iter(open(header, encoding="utf-8"))
for line in lines:
    if word in line:
        break
code = []
for line in lines:
    if not line.startswith(" *     "):
        break
    code.append(line[len(" *     "):].rstrip().removesuffix(" */"))
assert code, "no example after " + word
text = "\n".join(code)
if replacement:
    text = text.replace(*replacement.split("=", 1))
names = {"__name__": "example"}
for s in settings:
    name, value = s.split("=", 1)
    names[name] = int(value)
exec(text, names)
if "PRINT" in os.environ:
    print(names[os.environ["PRINT"]])
