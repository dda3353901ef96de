/* detokenise.c - the way of text_split and form_words backwards. */
#include "io/text/detokenise.h"

#include "comm/utf8.h"
#include "io/text/form.h"
#include "io/text/joiner.h"

static Status put(Word word, const TruecasePlace *place, Arena *scratch, Buffer *out)
{
    Word spelled = word;
    if (place && *place == TRUECASE_FIRST && utf8_length(word.text, word.size))
        TRY(truecase_restore(word, scratch, &spelled));
    return buffer_append(out, spelled.text, spelled.size);
}

static Status put_all(const DetokeniseHow *how, int64_t n, const Word *word, Arena *scratch, Buffer *out)
{
    TruecasePlace *place = NULL;
    bool glued = true; /* nothing is before the first */
    if (how->truecase) {
        TRY_NEW(place, scratch, n);
        truecase_places(n, word, place);
    }
    for (int64_t i = 0; i < n; i++) {
        Word bare = word[i];
        JoinerMarks m = {false, false};
        if (how->joiner) m = joiner_take(word[i], &bare);
        if (!glued && !m.before) TRY(buffer_append(out, " ", 1));
        TRY(put(bare, place ? &place[i] : NULL, scratch, out));
        glued = m.after;
    }
    return OK;
}

Status detokenise(const DetokeniseHow *how, int64_t n, const Word *token, const bool *whole, Arena *scratch,
                  Buffer *out)
{
    Word *word;
    int64_t words;
    const ArenaMark mark = arena_mark(scratch);
    if (!how->subwords) {
        TRY(put_all(how, n, token, scratch, out));
    } else {
        TRY(form_whole_words(n, token, whole, scratch, &words, &word));
        TRY(put_all(how, words, word, scratch, out));
    }
    arena_release(scratch, mark);
    return OK;
}
