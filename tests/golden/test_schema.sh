#!/bin/bash
# The JSON Schema of all settings beside a validator of schemas: it is one, all configurations and templates are accepted, and
# wrong ones are refused as the program refuses them.
. "$SOURCE/tests/expect.sh"
. "$SOURCE/tests/golden/reference.sh"
: "${dir:?}" "${bad:?}" "${python:?}" # they make them
must 1 config --schema
mv out schema.json
for template in $("$MNEME" init | sed -n 's/^  \([a-z]*\) .*/\1/p'); do must 1 init "$template" "$template"; done
cat >wrong <<'END'
optm: {lr: 1}
optim: {lrr: 1}
optim: {name: adam, lr: fast}
optim: {lr: -1}
train: {batch: 0.5}
train: {epochs: -3}
model: {name: hann}
model: {name: han, words: {hidden: 3}}
model: {name: han, word: {hidden: many}}
model: {name: han, word: {attention: {score: dott}}}
model: {name: han, word: {attention: {score: {name: dot, rows: 3}}}}
log: {report: maybe}
END
"$python" - "$MNEME" "$SOURCE"/configs/*.yaml ./*/*.yaml <<'PY' || fail "see above"
import json, subprocess, sys
import jsonschema, yaml

schema = json.load(open("schema.json"))
jsonschema.Draft202012Validator.check_schema(schema)
validator, bad = jsonschema.Draft202012Validator(schema), 0
for path in sys.argv[2:]:
    for error in validator.iter_errors(yaml.safe_load(open(path))):
        print("%s: %s: %s" % (path, list(error.path), error.message[:200]))
        bad = 1
assert len(sys.argv) > 20, sys.argv
for line in open("wrong"):
    if validator.is_valid(yaml.safe_load(line)):
        print("the schema accepts", line)
        bad = 1
    open("one.yaml", "w").write(line)
    if subprocess.run([sys.argv[1], "config", "one.yaml"], capture_output=True).returncode != 78:
        print("the program accepts", line)
        bad = 1
sys.exit(bad)
PY
exit $bad
