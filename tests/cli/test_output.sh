#!/bin/bash
# What a command printed and could not be written is told: 74, whichever command, whether the disk is full or the standard
# output is closed; and a closed one never becomes a file that is opened later.
. "$SOURCE/tests/expect.sh"
: "${dir:?}" "${bad:?}" # expect.sh makes them
must 1 init csv .
must 1 pack csv.yaml
must 1 train csv.yaml --set train.epochs=1
cp reviews.csv one
lost() {
    "$MNEME" "$@" >/dev/full 2>err
    [ $? = 74 ] || fail "$* >/dev/full did not end with 74: $(cat err)"
    grep -q "standard output: No space left on device" err || fail "$* >/dev/full: $(cat err)"
    "$MNEME" "$@" >&- 2>err
    [ $? = 74 ] || fail "$* >&- did not end with 74: $(cat err)"
    grep -q "standard output: Bad file descriptor" err || fail "$* >&-: $(cat err)"
}
lost --help
lost --version
lost help pack
lost init
lost config csv.yaml
lost config
lost doc markdown
lost doctor
lost inspect corpus
lost inspect run
lost train csv.yaml --dry-run
lost eval csv.yaml --split train
lost eval csv.yaml --split train --json
lost predict csv.yaml questions.txt
lost attend csv.yaml --split train
lost score one --input one
lost config --schema
lost config --explain train.epochs
lost doc bash
lost bench memn2n --steps 1 --warmup 0
echo 0-0 >links
lost lengths a=one --reference one --source one
lost links links
lost attend csv.yaml questions.txt
lost links --help
must 1 inspect corpus
must 1 inspect run

# A line for which there was no memory is lost too.
cat >none.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
void *realloc(void *old, size_t size)
{
    if (!old && size == 256) return NULL; /* what a line of the output begins with */
    return ((void *(*)(void *, size_t))dlsym(RTLD_NEXT, "realloc"))(old, size);
}
C
cc -shared -fPIC -o none.so none.c -ldl
for command in init doctor; do
    LD_PRELOAD="$dir/none.so" "$MNEME" $command >out 2>err
    [ $? = 74 ] || fail "$command without memory for a line did not end with 74: $(cat err)"
    grep -q "standard output: Cannot allocate memory" err || fail "$command without memory for a line: $(cat err)"
done
exit $bad
