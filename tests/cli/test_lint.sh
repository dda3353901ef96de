#!/bin/bash
# The project keeps the rules that its lints check, and each lint finds a breach of its rule.
set -u
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
lint=$SOURCE/scripts/lint bad=0

holds() { # holds NAME [ARGUMENT]: the lint is content with the project
    local out
    out=$("$lint/$1" "${2:-$SOURCE}" 2>&1)
    case $? in
        0) ;;
        69) echo "skipped: $out" ;;
        *) echo "$1:"; echo "$out"; bad=1 ;;
    esac
}
finds() { # finds NAME FILE TEXT WORDS: the lint reports the file with this text, in these words
    local out code
    rm -rf "$dir/p" && mkdir -p "$dir/p/$(dirname "$2")" "$dir/p/comm" "$dir/p/io" "$dir/p/trainer"
    printf '%b' "$3" >"$dir/p/$2"
    out=$("$lint/$1" "$dir/p" 2>&1)
    code=$?
    [ $code = 69 ] && return
    if [ $code != 1 ] || ! grep -qF -- "$4" <<<"$out"; then
        echo "$1 did not find in $2: $3 (exit $code)"; echo "$out"
        bad=1
    fi
}
allows() { # allows NAME FILE TEXT
    rm -rf "$dir/p" && mkdir -p "$dir/p/$(dirname "$2")" "$dir/p/comm" "$dir/p/io" "$dir/p/trainer"
    printf '%b' "$3" >"$dir/p/$2"
    "$lint/$1" "$dir/p" >"$dir/out" 2>&1 || [ $? = 69 ] || { echo "$1 refused $2: $3"; cat "$dir/out"; bad=1; }
}

for name in format layers fields sizes calls shell; do holds $name; done
holds names "$(dirname "$MNEME")"

finds layers comm/a.c '#include "io/file/file.h"\n' 'comm/a.c:1'
finds layers comm/a.c '#include "trainer/core/tape.h"\n' 'comm/a.c:1'
finds layers io/a.c '#include "trainer/core/real.h"\n' 'io/a.c:1'
finds layers io/a.c '#include <mpi.h>\n' 'io/a.c:1'
finds layers io/a.c '#include "comm/ranks.h"\n' 'io/a.c:1'
finds layers trainer/train/a.c '#include <hdf5.h>\n' 'trainer/train/a.c:1'
finds layers comm/a.c '#include <yaml.h>\n' 'comm/a.c:1'
finds layers trainer/op/a.c '#include <cblas.h>\n' 'trainer/op/a.c:1'
finds layers trainer/core/a.c '\n#include "trainer/op/op.h"\n' 'trainer/core/a.c:2'
finds layers trainer/op/a.c '#include "trainer/model/model.h"\n' 'trainer/op/a.c:1'
finds layers trainer/model/a.c '#include "trainer/train/train.h"\n' 'trainer/model/a.c:1'
finds layers io/a.c '#include "file.h"\n' 'io/a.c:1'
finds layers io/text/a.c '#include "io/import/import.h"\n' 'io/text/a.c:1'
finds layers trainer/look/a.c '#include "trainer/train/train.h"\n' 'trainer/look/a.c:1'
finds layers io/new/a.c '#include "io/file/file.h"\n' 'io/new/a.c:1'
finds layers trainer/core/a.h '#include "trainer/core/a.h"\n' 'trainer/core/a.h'
finds layers notes 'x' 'notes'
finds layers docs/notes 'x' 'docs/notes'
allows layers configs/a.yaml 'x'
allows layers trainer/core/blas.c '#include <cblas.h>\n'
allows layers trainer/train/a.c '#include "trainer/model/model.h"\n#include "io/file/file.h"\n'

finds fields trainer/look/a.c 'x = batch_field(b, "target");\n' 'trainer/look/a.c:1'
finds fields io/corpus/a.c 'x = corpus_field(c, "label");\n' 'io/corpus/a.c:1'
finds fields trainer/train/a.c 'if (strcmp(b->field[f].field->name, "text") == 0) f();\n' 'trainer/train/a.c:1'
finds fields io/attention/a.c 'if (strcmp("text", field->name) == 0) f();\n' 'io/attention/a.c:1'
allows fields io/import/a.c 'x = batch_field(b, "target");\n'
allows fields trainer/model/a.c 'x = batch_field(b, "target");\n'
allows fields trainer/task/a.c 'x = corpus_field(c, "target");\n'
allows fields trainer/train/a.c '/* batch_field(b, "target") */\nx = batch_role(b, ROLE_TARGET);\n'

body=$(printf '    f();\\n%.0s' $(seq 78))
finds sizes comm/a.c "int a(void)\n{\n$body    f();\n}\n" 'comm/a.c:1: a function of 82 lines'
finds sizes comm/a.c "int a(int b,\n      int c)\n{\n$body}\n" 'comm/a.c:1: a function of 82 lines'
finds sizes comm/a.c "$(printf '/* */\\n%.0s' $(seq 701))" 'comm/a.c: 701 lines'
allows sizes comm/a.c "static int x[] = {1,\n    2};\nint a(void)\n{\n${body#*\\n}}\n"

finds calls io/a.c 'int *a = malloc(4);\n' 'io/a.c:1'
finds calls io/a.c 'exit(1);\n' 'io/a.c:1'
finds calls trainer/train/a.c 'printf("x");\n' 'trainer/train/a.c:1'
finds calls trainer/command/a.c 'puts("x");\n' 'trainer/command/a.c:1'
finds calls trainer/command/a.c 'fwrite(x, 1, n, stdout);\n' 'trainer/command/a.c:1'
finds calls trainer/train/a.c 'fprintf(stderr, "x");\n' 'trainer/train/a.c:1'
finds calls comm/a.c 'goto end;\n' 'comm/a.c:1'
allows calls io/a.c '/* malloc(4) or exit(1) */\nf("goto there");\nsnprintf(a, 4, "x");\n * goto x\n'
allows calls comm/arena.c 'p = malloc(4);\n'
allows calls trainer/main.c 'exit(1);\n'

finds format comm/a.c 'int  a;\n' 'comm/a.c:1'
finds shell scripts/a '#!/bin/bash\nif [ $x = ]; the\n' 'scripts/a'

# What ctest says of tests that were not run, and cmocka of parts of them.
finds skipped Testing/Temporary/LastTest.log 'Test Skipped.\n' 'Test Skipped.'
finds skipped Testing/Temporary/LastTest.log '[  SKIPPED ] a_test\n' 'a_test'
allows skipped Testing/Temporary/LastTest.log '[       OK ] a_test\n[  PASSED  ] 3 test(s).\nTest Passed.\n'
[ "$("$lint/skipped" "$dir/none")" = "$dir/none/Testing/Temporary/LastTest.log: not there: no tests were run" ] || { echo "skipped: no log"; bad=1; }

# The lint of names, on objects.
if command -v cc >/dev/null; then
    objects=$dir/b/CMakeFiles/mneme_comm.dir/comm && mkdir -p "$objects"
    echo 'int arena_a(void); int arena_a(void) { return 0; } int comm_x; static int other; int *comm_y = &other;' >"$dir/a.c"
    cc -c "$dir/a.c" -o "$objects/arena.c.o" && "$lint/names" "$dir/b" || { echo "names refused good names"; bad=1; }
    echo 'int other_a(void); int other_a(void) { return 0; }' >"$dir/a.c"
    cc -c "$dir/a.c" -o "$objects/arena.c.o"
    out=$("$lint/names" "$dir/b")
    [ $? = 1 ] && [ "$out" = "comm/arena.c exports other_a: expected arena_... or comm_..." ] || { echo "names: $out"; bad=1; }
fi
exit $bad
