/* segment.c - decode, normalise, find boundaries, then hand out each word in lower case.
 *
 * Boundaries are found before the case is changed, because the rules for sentences look at it. Sentences and words
 * are found in two linear passes over the whole text (UAX 29; runs of Chinese, Japanese, Thai ... by ICU's
 * dictionaries), and a word belongs to the sentence in which it begins. */
#include "io/text/segment.h"

#include <string.h>
#include <unicode/ubrk.h>
#include <unicode/uchar.h>
#include <unicode/ustring.h>
#include <unicode/utf16.h>
#include <unicode/utf8.h>

#include "io/text/joiner.h"
#include "io/text/utf16.h"

static const char *normalise_name(int i) { return (const char *const[]){"nfc", "nfkc", "none", NULL}[i]; }
const char *text_words_name(int i) { return (const char *const[]){"icu", "space", "char", NULL}[i]; }
static const char *sentences_name(int i) { return (const char *const[]){"icu", "line", "none", NULL}[i]; }
static const char *numbers_name(int i) { return (const char *const[]){"keep", "zero", NULL}[i]; }

static const Field fields[] = {
    FIELD(TextSettings, normalise, .preset = "nfc", .choice = normalise_name,
          .help = "Unicode normal form: nfc, nfkc (also unites wide and narrow forms), or none."),
    FIELD(TextSettings, lowercase, .preset = "true", .help = "Words in lower case."),
    FIELD(TextSettings, words, .preset = "icu", .choice = text_words_name,
          .help = "Words by the rules and dictionaries of ICU (Chinese too), by white space, or one a character."),
    FIELD(TextSettings, punctuation, .preset = "true", .help = "Keep words that have no letter and no digit."),
    FIELD(TextSettings, sentences, .preset = "icu", .choice = sentences_name,
          .help = "Sentences by the rules of ICU (an empty line ends one too), one a line, or none: all is one."),
    FIELD(TextSettings, numbers, .preset = "keep", .choice = numbers_name,
          .help = "Keep digits, or write each as 0, which makes the vocabulary smaller."),
    FIELD(TextSettings, joiner, .preset = "false",
          .help = "Mark words that had no space beside them with U+FFED, so that text can be put together again."),
    FIELD(TextSettings, truecase, .preset = "false",
          .help = "The first word of a sentence is spelled as that word is elsewhere in train; not with lowercase."),
};
const Section text_section = {
    .name = "text", .help = "How text becomes sentences and words.", ROWS(fields, TextSettings)};

struct TextTool {
    UBreakIterator *word_end, *sentence_end; /* NULL where the settings need none */
    Utf16Form form;
    TextWordsBy words;
    TextSentencesBy sentences;
    bool lowercase, punctuation, zero, joiner;
    Utf16 text;
    Buffer lower;     /* UChar: a word in lower case */
    Buffer bytes;     /* the words found, one after the other */
    Buffer ends;      /* size_t: end of each in bytes */
    Buffer starts;    /* int64_t: first word of each sentence */
    int32_t sentence; /* unit at which the next sentence begins */
    bool begins;      /* the next word is the first of a sentence */
    bool space;       /* between the last word and this place, or there was no word yet */
    bool last_letter; /* the last word had a letter or digit */
};

static Status open_iterators(TextTool *t)
{
    UErrorCode code = U_ZERO_ERROR; /* locale "": the rules that hold everywhere */
    if (t->words != TEXT_WORDS_SPACE)
        t->word_end = ubrk_open(t->words == TEXT_WORDS_ICU ? UBRK_WORD : UBRK_CHARACTER, "", NULL, 0, &code);
    TRY(utf16_icu(code, "ubrk_open"));
    if (t->sentences == TEXT_SENTENCES_ICU) t->sentence_end = ubrk_open(UBRK_SENTENCE, "", NULL, 0, &code);
    return utf16_icu(code, "ubrk_open");
}

int text_compare(Word a, Word b)
{
    const int c = memcmp(a.text, b.text, a.size < b.size ? a.size : b.size);
    return c ? c : (a.size > b.size) - (a.size < b.size);
}

Status text_open(TextTool **out, Arena *run, const TextSettings *s)
{
    TextTool *t;
    TRY_NEW(t, run, 1);
    t->form = s->normalise;
    t->words = s->words;
    t->sentences = s->sentences;
    t->lowercase = s->lowercase;
    t->punctuation = s->punctuation;
    t->zero = s->numbers == TEXT_NUMBERS_ZERO;
    t->joiner = s->joiner;
    const Status st = open_iterators(t);
    if (st != OK) text_close(t);
    TRY(st);
    *out = t;
    return OK;
}

void text_close(TextTool *t)
{
    if (!t) return;
    if (t->word_end) ubrk_close(t->word_end);
    if (t->sentence_end) ubrk_close(t->sentence_end);
    t->word_end = t->sentence_end = NULL;
    utf16_close(&t->text);
    buffer_close(&t->lower);
    buffer_close(&t->bytes);
    buffer_close(&t->ends);
    buffer_close(&t->starts);
}

/* --- characters --- */

static bool is_blank(UChar32 c)
{
    return u_isUWhiteSpace(c) || u_iscntrl(c) || u_hasBinaryProperty(c, UCHAR_DEFAULT_IGNORABLE_CODE_POINT);
}

/* A word needs one such character: a letter or digit, or with punctuation anything that can be seen. */
static bool makes_word(const TextTool *t, UChar32 c) { return t->punctuation ? !is_blank(c) : u_isalnum(c) != 0; }

bool text_has_words(const TextTool *t, const char *bytes, size_t size)
{
    if (size > INT32_MAX) return true; /* text_split says what is wrong */
    for (int32_t i = 0, n = (int32_t)size; i < n;) {
        UChar32 c;
        U8_NEXT(bytes, i, n, c);
        if (makes_word(t, c)) return true;
    }
    return false;
}

/* --- words --- */

/* Where no space was, one of the two words gets the mark: punctuation, or else the second. A mark behind the first word
 * goes to its end, which is the end of the bytes so far. */
static Status put_mark(TextTool *t, bool letter)
{
    if (!t->joiner || t->space) return OK;
    TRY(buffer_append(&t->bytes, JOINER, JOINER_BYTES));
    if (letter && !t->last_letter) ((size_t *)(void *)(t->ends.data + t->ends.size))[-1] += JOINER_BYTES;
    return OK;
}

static Status put_bytes(TextTool *t, const char *bytes, size_t size, bool letter)
{
    if (t->begins) {
        const int64_t first = (int64_t)(t->ends.size / sizeof(size_t));
        TRY(buffer_append(&t->starts, &first, sizeof first));
        t->begins = false;
    }
    TRY(put_mark(t, letter));
    t->space = false;
    t->last_letter = letter;
    TRY(buffer_append(&t->bytes, bytes, size));
    return buffer_append(&t->ends, &t->bytes.size, sizeof t->bytes.size);
}

/* n units in their final case: one word, or as many as TEXT_WORD_BYTES asks for. */
static Status put_units(TextTool *t, const UChar *s, int32_t n)
{
    char bytes[TEXT_WORD_BYTES + 1];
    int32_t size = 0;
    bool letter = false;
    for (int32_t i = 0; i < n;) {
        UChar32 c;
        U16_NEXT(s, i, n, c);
        if (t->zero && u_isdigit(c)) c = '0';
        if (t->joiner && c == JOINER_CHAR) c = JOINER_INSTEAD;
        if (size + U8_LENGTH(c) > TEXT_WORD_BYTES) {
            TRY(put_bytes(t, bytes, (size_t)size, letter));
            size = 0;
            letter = false;
        }
        letter = letter || u_isalnum(c);
        U8_APPEND_UNSAFE(bytes, size, c);
    }
    return size > 0 ? put_bytes(t, bytes, (size_t)size, letter) : OK;
}

static Status put_word(TextTool *t, const UChar *s, int32_t n)
{
    if (!t->lowercase) return put_units(t, s, n);
    UErrorCode code = U_ZERO_ERROR;
    TRY(buffer_reserve(&t->lower, ((size_t)n * 3 + 1) * sizeof *s)); /* no character becomes more than three */
    UChar *lower = (UChar *)(void *)t->lower.data;
    n = u_strToLower(lower, n * 3 + 1, s, n, "", &code);
    TRY(utf16_icu(code, "u_strToLower"));
    return put_units(t, lower, n);
}

static void pass_sentence_ends(TextTool *t, int32_t at)
{
    if (t->sentences != TEXT_SENTENCES_ICU) return;
    while (t->sentence <= at) {
        t->begins = true;
        const int32_t next = ubrk_next(t->sentence_end);
        t->sentence = next == UBRK_DONE ? INT32_MAX : next;
    }
}

/* Units [at, end) hold no white space and may be a word. */
static Status try_run(TextTool *t, int32_t at, int32_t end)
{
    const UChar *s = t->text.unit;
    for (int32_t i = at; i < end;) {
        UChar32 c;
        U16_NEXT(s, i, end, c);
        if (makes_word(t, c)) return put_word(t, s + at, end - at);
    }
    return OK;
}

/* The words of units [at, end), of which white space is none: ICU gives a space the marks that stand behind it. */
static Status try_word(TextTool *t, int32_t at, int32_t end)
{
    const UChar *s = t->text.unit;
    pass_sentence_ends(t, at);
    for (int32_t i = at; i < end; i++) {
        if (!u_isUWhiteSpace(s[i])) continue; /* white space is never a surrogate */
        TRY(try_run(t, at, i));
        if (s[i] == '\n' && t->sentences == TEXT_SENTENCES_LINE) t->begins = true;
        t->space = true;
        at = i + 1;
    }
    return try_run(t, at, end);
}

static Status words_by_iterator(TextTool *t)
{
    UErrorCode code = U_ZERO_ERROR;
    ubrk_setText(t->word_end, t->text.unit, t->text.n, &code);
    TRY(utf16_icu(code, "ubrk_setText"));
    int32_t at = ubrk_first(t->word_end);
    for (int32_t end; (end = ubrk_next(t->word_end)) != UBRK_DONE; at = end) TRY(try_word(t, at, end));
    return OK;
}

static Status words_by_space(TextTool *t)
{
    const UChar *s = t->text.unit;
    for (int32_t at = 0, n = t->text.n; at < n;) {
        int32_t end = at;
        while (end < n && !u_isUWhiteSpace(s[end])) end++;
        if (end == at) end++;
        TRY(try_word(t, at, end));
        at = end;
    }
    return OK;
}

static Status find_words(TextTool *t)
{
    UErrorCode code = U_ZERO_ERROR;
    t->bytes.size = t->ends.size = t->starts.size = 0;
    t->begins = t->space = true;
    t->sentence = 0;
    if (t->sentences == TEXT_SENTENCES_ICU) {
        utf16_unwrap(&t->text);
        ubrk_setText(t->sentence_end, t->text.unit, t->text.n, &code);
        TRY(utf16_icu(code, "ubrk_setText"));
        t->sentence = ubrk_first(t->sentence_end);
    }
    return t->words == TEXT_WORDS_SPACE ? words_by_space(t) : words_by_iterator(t);
}

Status text_split(TextTool *t, const char *bytes, size_t size, Arena *scratch, TextWords *out)
{
    TRY(utf16_decode(&t->text, bytes, size, t->form));
    TRY(find_words(t));
    *out = (TextWords){.sentences = (int64_t)(t->starts.size / sizeof(int64_t)),
                       .words = (int64_t)(t->ends.size / sizeof(size_t))};
    TRY_NEW(out->start, scratch, out->sentences + 1);
    TRY_NEW(out->word, scratch, out->words);
    char *text = arena_alloc(scratch, t->bytes.size);
    if (!text) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    if (out->words == 0) return OK;
    memcpy(text, t->bytes.data, t->bytes.size);
    memcpy(out->start, t->starts.data, t->starts.size);
    out->start[out->sentences] = out->words;
    const size_t *ends = (const size_t *)(const void *)t->ends.data;
    for (int64_t i = 0; i < out->words; i++) {
        const size_t at = i ? ends[i - 1] : 0;
        out->word[i] = (Word){text + at, ends[i] - at};
    }
    return OK;
}
