/* guess_measure.c - how long texts are, and how many different words they have. */
#include <stdlib.h>

#include "io/import/guess_parts.h"

static int by_text(const void *a, const void *b) { return text_compare(*(const Word *)a, *(const Word *)b); }
static int by_size(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

int64_t guess_distinct(int64_t n, Word *w)
{
    int64_t distinct = 0;
    qsort(w, (size_t)n, sizeof *w, by_text);
    for (int64_t k = 0; k < n; k++) distinct += k == 0 || text_compare(w[k - 1], w[k]) != 0;
    return distinct;
}

void guess_two_of(int64_t n, int64_t *list, int64_t out[2])
{
    qsort(list, (size_t)n, sizeof *list, by_size);
    out[0] = n ? list[n / 2] : 0;
    out[1] = n ? list[(95 * n - 1) / 100] : 0;
}

Status guess_measure(Guess *g, Arena *arena)
{
    enum { SENTENCES = 1 << 19, WORDS = 1 << 20 };
    static const TextSettings usual = {.lowercase = true, .punctuation = true};
    TextTool *tool;
    TextWords t;
    Word *word;
    int64_t *sentences, *words, n_sentences = 0, n_words = 0;
    TRY_NEW(sentences, arena, g->n);
    TRY_NEW(words, arena, SENTENCES);
    TRY_NEW(word, arena, WORDS);
    TRY(text_open(&tool, arena, &usual));
    Status st = OK;
    for (int64_t r = 0; r < g->n && st == OK; r++) {
        const Word c = g->cell[r * GUESS_COLUMNS + g->text];
        st = text_split(tool, c.text ? c.text : "", c.size, arena, &t);
        if (st != OK) break;
        sentences[r] = t.sentences;
        g->empty += t.words == 0;
        for (int64_t s = 0; s < t.sentences && n_sentences < SENTENCES; s++)
            words[n_sentences++] = t.start[s + 1] - t.start[s];
        for (int64_t k = 0; k < t.words && n_words < WORDS; k++) word[n_words++] = t.word[k];
    }
    text_close(tool);
    TRY(st);
    guess_two_of(g->n, sentences, g->sentences);
    guess_two_of(n_sentences, words, g->words);
    g->vocabulary = guess_distinct(n_words, word);
    return OK;
}
