/* translate.h - lines of text through a model that makes sequences: words, search, text again.
 *
 * The answer of a line is a function of the line, the model and the settings alone, bit for bit: lines are sorted by
 * length and decoded many at a time, and come out in their order. A line without words has an answer without words. */
#ifndef TRAINER_ANSWER_TRANSLATE_H
#define TRAINER_ANSWER_TRANSLATE_H
#include "io/text/detokenise.h"
#include "trainer/answer/ask.h"
#include "trainer/answer/input.h"
#include "trainer/answer/replace.h"
#include "trainer/decode/decode.h"

typedef enum TranslateForm {
    TRANSLATE_TEXT,  /* the best output; with decode.nbest "LINE ||| TEXT ||| SCORE" of each, lines counted from 0 */
    TRANSLATE_JSON,  /* an object with text, tokens, log p of each, links, and the other outputs */
    TRANSLATE_LINKS, /* i-j: source word i was looked at most when a token of target word j was made, from 0 */
    TRANSLATE_SCORE, /* log p of a given translation */
} TranslateForm;

typedef struct TranslateOptions {
    TranslateForm form;
    DecodeSettings decode;
    const char *file;  /* of the lines, for messages */
    const char *begin; /* file: what the output of each line begins with; NULL: nothing */
    const char *score; /* file: the whole output of each line, to be scored; NULL: outputs are searched */
} TranslateOptions;

typedef struct TranslateCounts {
    int64_t lines, outputs, cut, replaced; /* best outputs that were cut; unknown words replaced in them */
} TranslateCounts;

typedef struct Translate {
    Session *s;
    Ask ask;
    TranslateOptions option;
    LineFile given; /* of begin or score */
    Replace replace;
    const Vocab *target;
    const Form *source_form, *target_form; /* NULL: words are spelled as in the text */
    DetokeniseHow detokenise;              /* of the target */
    int source_field, target_field;        /* of the batches that ask makes */
    int64_t batch;                         /* lines that are decoded together */
    TranslateCounts counts;                /* of this rank */
} Translate;

NODISCARD Status translate_open(Translate *t, Session *s, const TranslateOptions *o);
void translate_close(Translate *t);
/* Appends the answers to n lines; when one fails, to those before it. */
NODISCARD Status translate_lines(Translate *t, int64_t n, const InputLine *line, Buffer *out);
/* The end of the input: a file of begin or score must not have more lines. lines: that there were. */
NODISCARD Status translate_finish(const Translate *t, int64_t lines);

/* --- translate_write.c --- */
/* One line's outputs in the form that is wanted. */
typedef struct TranslateLine {
    int64_t number, n_source;
    const Word *source;  /* (n_source) */
    const Word *spelled; /* (words of the best output) what the model spells in the place of unknown ones, text NULL:
                            nothing; NULL: it spells none */
} TranslateLine;
NODISCARD Status translate_write(Translate *t, const TranslateLine *line, const DecodeOutput *o, Buffer *out);

#endif
