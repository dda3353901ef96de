#!/bin/bash
# Corpora, checkpoints, attention files, sources, runs and questions that are wrong inside although their checksums are
# right: refused with a message, or used and right. tests/README.md has the figures of the long form.
set -u
python=/usr/bin/python3
"$python" -c 'import h5py, xxhash' 2>/dev/null || { echo "skipped: $python has no h5py or no xxhash"; exit 77; }
[ -w /dev/shm ] && export TMPDIR=/dev/shm
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
"$python" "$SOURCE/tests/fuzz/hostile.py" "$MNEME" "$dir" 120 1 60
