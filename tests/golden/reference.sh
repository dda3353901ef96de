# reference.sh - sourced by the tests beside it, after expect.sh: python is a Python with the tools of requirements.txt.
# That is PYTHON, or the one that scripts/setup --reference made; without either the test is skipped.
python=${PYTHON:-$SOURCE/build-reference/bin/python}
samples=$SOURCE/tests/golden/score # texts of our own
[ -x "$(command -v "$python")" ] || { echo "skipped: no tools to compare with (scripts/setup --reference brings them)"; exit 77; }
