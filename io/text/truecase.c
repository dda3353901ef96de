/* truecase.c - forms by their lower case. */
#include "io/text/truecase.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unicode/uchar.h>
#include <unicode/ustring.h>
#include <unicode/utf8.h>

#include "io/text/check.h"
#include "io/text/joiner.h"
#include "io/text/symbols.h"
#include "io/text/utf16.h"

enum { ROOM = 3 * TEXT_WORD_BYTES + 1 }; /* changing case makes no text more than three times as long */

struct Truecase {
    Symbols lower, form; /* in the same order: most frequent first */
    Buffer count;        /* int64_t */
    char text[ROOM];     /* the word last asked for */
};

static Status icu_text(const UChar *s, int32_t n, char text[ROOM], size_t *size)
{
    UErrorCode code = U_ZERO_ERROR;
    int32_t length = 0;
    u_strToUTF8(text, ROOM, &length, s, n, &code);
    *size = (size_t)length;
    return utf16_icu(code, "u_strToUTF8");
}

static Status lower_of(Word word, char text[ROOM], Word *out)
{
    UChar s[TEXT_WORD_BYTES + 1], lower[ROOM];
    int32_t n = 0;
    UErrorCode code = U_ZERO_ERROR;
    u_strFromUTF8(s, COUNT(s), &n, word.text, (int32_t)word.size, &code);
    n = u_strToLower(lower, COUNT(lower), s, n, "", &code);
    TRY(utf16_icu(code, "u_strToLower"));
    out->text = text;
    return icu_text(lower, n, text, &out->size);
}

/* The first character as a capital, the rest as it is. */
static Status capital_of(Word word, char text[ROOM], Word *out)
{
    UChar first[2], capital[8];
    int32_t at = 0, n = 0, size = (int32_t)word.size;
    UChar32 c;
    UErrorCode code = U_ZERO_ERROR;
    U8_NEXT(word.text, at, size, c);
    u_strFromUTF8(first, COUNT(first), &n, word.text, at, &code);
    n = u_strToTitle(capital, COUNT(capital), first, n, NULL, "", &code);
    TRY(utf16_icu(code, "u_strToTitle"));
    out->text = text;
    TRY(icu_text(capital, n, text, &out->size));
    memcpy(text + out->size, word.text + at, word.size - (size_t)at);
    out->size += word.size - (size_t)at;
    return OK;
}

/* --- Where words stand --- */

static bool has_letter(Word w)
{
    for (int32_t i = 0, n = (int32_t)w.size; i < n;) {
        UChar32 c;
        U8_NEXT(w.text, i, n, c);
        if (u_isalpha(c)) return true;
    }
    return false;
}

static bool is_stop(Word w)
{
    static const char *const stops[] = {
        ".", "!", "?", ":", "...", "\xe2\x80\xa6", "\xe3\x80\x82", "\xef\xbc\x81", "\xef\xbc\x9f"};
    for (int i = 0; i < COUNT(stops); i++)
        if (strlen(stops[i]) == w.size && memcmp(stops[i], w.text, w.size) == 0) return true;
    return false;
}

void truecase_places(int64_t n, const Word *word, TruecasePlace *place)
{
    TruecasePlace next = TRUECASE_FIRST;
    for (int64_t i = 0; i < n; i++) {
        Word bare;
        (void)joiner_take(word[i], &bare);
        place[i] = next;
        if (has_letter(bare))
            next = TRUECASE_INSIDE;
        else if (next == TRUECASE_INSIDE && is_stop(bare))
            next = TRUECASE_AFTER_STOP;
    }
}

/* --- Making one --- */

/* The more frequent forms come first, so a form whose lower case is there already is a rarer one. */
static Status add(Truecase *t, Word form, int64_t count)
{
    char text[ROOM];
    Word lower;
    int32_t number;
    const int32_t before = t->lower.n;
    TRY(lower_of(form, text, &lower));
    if (symbols_find(&t->lower, lower) >= 0) return OK;
    TRY(symbols_add(&t->lower, lower, &number));
    /* two words may share a form only when their lower cases are equal; so forms are new too */
    TRY(symbols_add(&t->form, form, &number));
    REQUIRE(number == before, ERR_INTERNAL, "the form %.*s is there twice", (int)form.size, form.text);
    return buffer_append(&t->count, &count, sizeof count);
}

void truecase_close(Truecase *t)
{
    if (!t) return;
    symbols_close(&t->lower);
    symbols_close(&t->form);
    buffer_close(&t->count);
}

int64_t truecase_forms(const Truecase *t) { return t->form.n; }

static Status learn(Truecase *t, const Vocab *inside)
{
    for (int64_t i = 0; i < vocab_size(inside); i++) {
        const char *text = vocab_word(inside, i);
        const Word form = {text, strlen(text)};
        if (has_letter(form)) TRY(add(t, form, vocab_count(inside, i)));
    }
    return OK;
}

Status truecase_learn(Truecase **out, Arena *run, const Vocab *inside)
{
    Truecase *t;
    TRY_NEW(t, run, 1);
    const Status st = learn(t, inside);
    if (st != OK) truecase_close(t);
    TRY(st);
    *out = t;
    return OK;
}

/* --- A file --- */

static Status parse_line(Truecase *t, const char *path, int64_t number, Word line)
{
    const char *gap = line.size ? memchr(line.text, ' ', line.size) : NULL;
    const size_t size = gap ? (size_t)(gap - line.text) : 0;
    char digits[24] = "";
    int64_t count = -1;
    if (size > 0 && size <= TEXT_WORD_BYTES && line.size - size - 1 < 19) {
        char *end;
        memcpy(digits, gap + 1, line.size - size - 1);
        count = strtoll(digits, &end, 10);
        if (*end || !digits[0]) count = -1;
    }
    REQUIRE(count >= 0, ERR_DATA, "%s:%" PRId64 ": \"%.*s\": a word, a space and a number were expected", path, number,
            (int)(line.size < 60 ? line.size : 60), line.text);
    return add(t, (Word){line.text, size}, count);
}

static Status parse(Truecase *t, const char *path, const char *text, size_t size)
{
    TRY(text_require(text, size, path, 1));
    const char *end = text + size;
    for (int64_t number = 1; text < end; number++) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        TRY(parse_line(t, path, number, (Word){text, (size_t)((stop ? stop : end) - text)}));
        text = stop ? stop + 1 : end;
    }
    return OK;
}

Status truecase_parse(Truecase **out, Arena *run, const char *path, const char *text, size_t size)
{
    Truecase *t;
    TRY_NEW(t, run, 1);
    const Status st = parse(t, path, text, size);
    if (st != OK) truecase_close(t);
    TRY(st);
    *out = t;
    return OK;
}

Status truecase_write(const Truecase *t, Buffer *out)
{
    for (int32_t i = 0; i < t->form.n; i++) {
        const Word form = symbols_word(&t->form, i);
        TRY(buffer_append(out, form.text, form.size));
        TRY(buffer_format(out, " %" PRId64 "\n", ((const int64_t *)(const void *)t->count.data)[i]));
    }
    return OK;
}

/* --- Using it --- */

Status truecase_word(Truecase *t, Word word, Word *out)
{
    char text[ROOM];
    Word lower, capital;
    *out = word;
    TRY(lower_of(word, text, &lower));
    const int32_t known = symbols_find(&t->lower, lower);
    if (known < 0) return OK;
    const Word form = symbols_word(&t->form, known);
    TRY(capital_of(form, t->text, &capital));
    if (capital.size == word.size && memcmp(capital.text, word.text, word.size) == 0) *out = form;
    return OK;
}

Status truecase_restore(Word word, Arena *scratch, Word *out)
{
    char *text;
    TRY_NEW(text, scratch, ROOM);
    return word.size > 0 && word.size <= TEXT_WORD_BYTES ? capital_of(word, text, out) : (*out = word, OK);
}
