/* segment.h - from UTF-8 text to sentences and words, by ICU and the rows of section `text`.
 *
 * The result depends on the text and the settings alone: never on the locale. Text must have passed text_require. */
#ifndef IO_TEXT_SEGMENT_H
#define IO_TEXT_SEGMENT_H
#include "comm/arena.h"
#include "io/config/schema.h"
#include "io/text/utf16.h"

typedef struct Word {
    const char *text;
    size_t size;
} Word;
int text_compare(Word a, Word b); /* below, at or above 0 in the order of bytes */

typedef enum TextWordsBy { TEXT_WORDS_ICU, TEXT_WORDS_SPACE, TEXT_WORDS_CHAR } TextWordsBy;
typedef enum TextSentencesBy { TEXT_SENTENCES_ICU, TEXT_SENTENCES_LINE, TEXT_SENTENCES_NONE } TextSentencesBy;
typedef enum TextNumbers { TEXT_NUMBERS_KEEP, TEXT_NUMBERS_ZERO } TextNumbers;

typedef struct TextSettings {
    Utf16Form normalise;
    TextWordsBy words;
    TextSentencesBy sentences;
    TextNumbers numbers;
    bool lowercase, punctuation;
    bool joiner;   /* marks of joiner.h */
    bool truecase; /* not by text_split: see truecase.h */
} TextSettings;

extern const Section text_section;  /* fills a TextSettings */
const char *text_words_name(int i); /* of TextWordsBy */

enum { TEXT_WORD_BYTES = 255 }; /* a longer word becomes several, cut at the end of a character */

/* The words of a text, none of which is empty or holds white space or a control character; sentence s has words [start[s], start[s + 1]) and at least one. */
typedef struct TextWords {
    int64_t sentences, words;
    int64_t *start; /* (sentences + 1) */
    Word *word;     /* (words) */
} TextWords;

typedef struct TextTool TextTool;

NODISCARD Status text_open(TextTool **out, Arena *run, const TextSettings *settings);
void text_close(TextTool *t);

/* The result lies in scratch. A text without words gives 0 sentences. */
NODISCARD Status text_split(TextTool *t, const char *bytes, size_t size, Arena *scratch, TextWords *out);
/* Whether text_split would find a word; stops at the first. */
bool text_has_words(const TextTool *t, const char *bytes, size_t size);

#endif
