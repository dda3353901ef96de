/* form.c - truecase and subwords of a sentence, and subwords back to words. */
#include "io/text/form.h"

#include <string.h>

#include "io/text/joiner.h"

void form_close(Form *f)
{
    bpe_close(f->subwords);
    truecase_close(f->cases);
    *f = (Form){0};
}

static Status copy(Arena *scratch, const char *mark, Word text, const char *behind, Word *out)
{
    const size_t m = strlen(mark), b = strlen(behind);
    char *bytes = arena_alloc(scratch, m + text.size + b + 1);
    if (!bytes) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    memcpy(bytes, mark, m);
    memcpy(bytes + m, text.text, text.size);
    memcpy(bytes + m + text.size, behind, b);
    *out = (Word){bytes, m + text.size + b};
    return OK;
}

/* The sentence's first word, which is the first one with a letter. */
static Status spell_first(const Form *f, int64_t n, Word *word, Arena *scratch)
{
    TruecasePlace *place;
    TRY_NEW(place, scratch, n);
    truecase_places(n, word, place);
    for (int64_t i = 0; i < n && place[i] == TRUECASE_FIRST; i++) {
        Word bare, form;
        const JoinerMarks m = joiner_take(word[i], &bare);
        TRY(truecase_word(f->cases, bare, &form));
        if (form.text != bare.text) TRY(copy(scratch, m.before ? JOINER : "", form, m.after ? JOINER : "", &word[i]));
    }
    return OK;
}

/* The end of a word. One that ends in "@@" by itself would go on: its last character is a subword of its own. */
static Status put_last(Word printed, Arena *scratch, int64_t *n_out, Word *out)
{
    if (form_goes_on(printed)) {
        const size_t left = printed.size - 1;
        TRY(copy(scratch, "", (Word){printed.text, left}, "@@", &out[(*n_out)++]));
        printed = (Word){printed.text + left, 1};
    }
    out[(*n_out)++] = printed;
    return OK;
}

/* Subwords of one word go to out[*n_out]..., at most one a byte. Marks stay at the ends of the word. */
static Status cut(const Form *f, Word word, Arena *scratch, int64_t *n_out, Word *out)
{
    const unsigned char *size;
    int n;
    Word bare, last = word;
    const JoinerMarks m = joiner_take(word, &bare);
    TRY(bpe_cut(f->subwords, bare, &size, &n));
    for (int i = 0; i < n - 1; bare.text += size[i++])
        TRY(copy(scratch, i == 0 && m.before ? JOINER : "", (Word){bare.text, size[i]}, "@@", &out[(*n_out)++]));
    if (n > 1) TRY(copy(scratch, "", (Word){bare.text, size[n - 1]}, m.after ? JOINER : "", &last));
    return put_last(last, scratch, n_out, out);
}

Status form_words(const Form *f, int64_t n, const Word *word, Arena *scratch, int64_t *n_out, Word **out)
{
    Word *spelled;
    int64_t bytes = 0;
    TRY_NEW(spelled, scratch, n);
    for (int64_t i = 0; i < n; i++) spelled[i] = word[i];
    if (f->cases) TRY(spell_first(f, n, spelled, scratch));
    *n_out = n;
    *out = spelled;
    if (!f->subwords) return OK;
    for (int64_t i = 0; i < n; i++) bytes += (int64_t)spelled[i].size;
    TRY_NEW(*out, scratch, bytes);
    *n_out = 0;
    for (int64_t i = 0; i < n; i++) TRY(cut(f, spelled[i], scratch, n_out, *out));
    return OK;
}

/* --- Back --- */

bool form_goes_on(Word t) { return t.size > 2 && memcmp(t.text + t.size - 2, "@@", 2) == 0; }

int64_t form_word_of(int64_t n, const Word *token, int64_t *word_of)
{
    int64_t w = 0;
    for (int64_t i = 0; i < n; i++) {
        word_of[i] = w;
        if (!form_goes_on(token[i]) || i == n - 1) w++;
    }
    return w;
}

Status form_whole_words(int64_t n, const Word *token, const bool *whole, Arena *scratch, int64_t *n_out, Word **out)
{
    size_t bytes = 0;
    char *text;
    for (int64_t i = 0; i < n; i++) bytes += token[i].size;
    TRY_NEW(*out, scratch, n);
    TRY_NEW(text, scratch, (int64_t)bytes + 1);
    *n_out = 0;
    for (int64_t i = 0; i < n; (*n_out)++) {
        Word *w = &(*out)[*n_out];
        *w = (Word){text, 0};
        for (bool more = true; more && i < n; i++) {
            more = form_goes_on(token[i]) && !(whole && whole[i]);
            const size_t size = token[i].size - (more ? 2 : 0);
            memcpy(text, token[i].text, size);
            text += size;
            w->size += size;
        }
    }
    return OK;
}
