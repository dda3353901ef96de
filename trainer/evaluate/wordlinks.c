/* wordlinks.c - tokens to words, links of tokens to links of words. */
#include "trainer/evaluate/wordlinks.h"

#include <stdlib.h>

Status wordlinks_side(const Form *form, int64_t n, const Word *token, Arena *arena, WordSide *out)
{
    *out = (WordSide){.tokens = n, .words = n};
    TRY_NEW(out->word_of, arena, n);
    if (form && form->subwords) {
        form_word_of(n, token, out->word_of);
        return form_whole_words(n, token, NULL, arena, &out->words, &out->word);
    }
    TRY_NEW(out->word, arena, n);
    for (int64_t i = 0; i < n; i++) {
        out->word_of[i] = i;
        out->word[i] = token[i];
    }
    return OK;
}

static int by_words(const void *pa, const void *pb)
{
    const int64_t *a = pa, *b = pb;
    if (a[0] != b[0]) return a[0] < b[0] ? -1 : 1;
    return (a[1] > b[1]) - (a[1] < b[1]);
}

Status wordlinks_of(const DecodeHypothesis *h, const WordSide *source, const WordSide *target, Arena *arena,
                    AlignmentLinks *out)
{
    int64_t *at, all = 0, n = 0;
    *out = (AlignmentLinks){0};
    if (!h->look) return OK;
    TRY_NEW(at, arena, 2 * h->n);
    for (int64_t i = 0; i < h->n; i++) {
        if (h->look[i] < 0) continue;
        at[2 * all] = source->word_of[h->look[i]];
        at[2 * all++ + 1] = target->word_of[i];
    }
    qsort(at, (size_t)all, 2 * sizeof *at, by_words);
    for (int64_t i = 0; i < all; i++) {
        if (n > 0 && by_words(&at[2 * i], &at[2 * (n - 1)]) == 0) continue;
        at[2 * n] = at[2 * i];
        at[2 * n + 1] = at[2 * i + 1];
        n++;
    }
    *out = (AlignmentLinks){.n = n, .at = at};
    return OK;
}
