/* joiner.c - taking the marks off. They are set where the words are found, in segment.c. */
#include "io/text/joiner.h"

#include <string.h>

JoinerMarks joiner_take(Word token, Word *bare)
{
    JoinerMarks m = {false, false};
    *bare = token;
    if (token.size > JOINER_BYTES && memcmp(token.text, JOINER, JOINER_BYTES) == 0) {
        m.before = true;
        bare->text += JOINER_BYTES;
        bare->size -= JOINER_BYTES;
    }
    if (bare->size > JOINER_BYTES && memcmp(bare->text + bare->size - JOINER_BYTES, JOINER, JOINER_BYTES) == 0) {
        m.after = true;
        bare->size -= JOINER_BYTES;
    }
    return m;
}
