/* bpe_cut.c - applying merges to a word: the earliest merge that fits, at all its places from the left, until none
 * fits.
 *
 * Words come again and again: what was cut is kept. */
#include <string.h>

#include "comm/utf8.h"
#include "io/text/bpe_parts.h"

enum { WORDS_KEPT = 1 << 20, MOST = TEXT_WORD_BYTES + 1 };

typedef struct Cutting {
    Bpe *b;
    Word word;
    int n;
    int32_t symbol[MOST];     /* -1: in no merge */
    unsigned char size[MOST]; /* bytes of the word */
} Cutting;

static int32_t made(const Bpe *b, int32_t rank) { return ((const int32_t *)(const void *)b->made.data)[rank]; }

int64_t bpe_used(const Bpe *b)
{
    int64_t n = 0;
    for (size_t i = 0; i < b->used.size; i++) n += b->used.data[i];
    return n;
}

static void characters(Cutting *c)
{
    char last[8 + BPE_END_BYTES];
    for (size_t at = 0; at < c->word.size;) {
        const char *text = c->word.text + at;
        size_t n = utf8_length(text, c->word.size - at);
        if (n == 0) n = 1;
        Word s = {text, n};
        at += n;
        if (at == c->word.size && !c->b->old) {
            memcpy(last, text, n);
            memcpy(last + n, BPE_END, BPE_END_BYTES);
            s = (Word){last, n + BPE_END_BYTES};
        }
        c->size[c->n] = (unsigned char)n;
        c->symbol[c->n++] = symbols_find(&c->b->symbol, s);
    }
    if (!c->b->old) return;
    c->size[c->n] = 0;
    c->symbol[c->n++] = symbols_find(&c->b->symbol, (Word){BPE_END, BPE_END_BYTES});
}

static int32_t rank_at(const Cutting *c, int i)
{
    const int32_t l = c->symbol[i], r = c->symbol[i + 1];
    return l < 0 || r < 0 ? -1 : symbols_find_pair(&c->b->merge, l, r);
}

static void merge_all(Cutting *c)
{
    int32_t rank[MOST];
    for (;;) {
        int32_t best = -1;
        for (int i = 0; i + 1 < c->n; i++) {
            rank[i] = rank_at(c, i);
            if (rank[i] >= 0 && (best < 0 || rank[i] < best)) best = rank[i];
        }
        if (best < 0) return;
        c->b->used.data[best] = 1;
        int n = 0;
        for (int i = 0; i < c->n; i++, n++) {
            const bool here = i + 1 < c->n && rank[i] == best;
            c->symbol[n] = here ? made(c->b, best) : c->symbol[i];
            c->size[n] = (unsigned char)(c->size[i] + (here ? c->size[i + 1] : 0));
            i += here;
        }
        c->n = n;
    }
}

/* --- Only allowed subwords --- */

static bool is_allowed(const Bpe *b, Word text, bool last)
{
    char printed[TEXT_WORD_BYTES + 2];
    if (last) return symbols_find(&b->allowed, text) >= 0;
    memcpy(printed, text.text, text.size);
    memcpy(printed + text.size, "@@", 2);
    return symbols_find(&b->allowed, (Word){printed, text.size + 2}) >= 0;
}

/* The subword `text`, symbol `symbol`, or the two that were merged to it, and so on. A symbol whose left part is
 * longer than the text is another one spelled alike: letters of a word may spell its end, "</w>". */
static void put_allowed(const Cutting *from, Cutting *to, int32_t symbol, Word text, bool last)
{
    const Bpe *b = from->b;
    const int32_t by = symbol < 0 ? 0 : ((const int32_t *)(const void *)b->made_by.data)[symbol];
    const SymbolPair p = by ? symbols_pair(&b->merge, by - 1) : (SymbolPair){0, 0};
    const size_t left = by ? symbols_word(&b->symbol, p.left).size : 0; /* never the word's end */
    if (by == 0 || left > text.size || is_allowed(b, text, last)) {
        if (text.size == 0) return; /* version 0.1: the word's end alone */
        to->size[to->n] = (unsigned char)text.size;
        to->symbol[to->n++] = symbol;
        return;
    }
    put_allowed(from, to, p.left, (Word){text.text, left}, false);
    put_allowed(from, to, p.right, (Word){text.text + left, text.size - left}, last);
}

static void keep_allowed(Cutting *c)
{
    Cutting to = {.b = c->b, .word = c->word};
    const char *at = c->word.text;
    for (int i = 0; i < c->n; at += c->size[i++])
        put_allowed(c, &to, c->symbol[i], (Word){at, c->size[i]}, i == c->n - 1);
    *c = to;
}

/* --- Words that come again --- */

static Status cut_new(Bpe *b, Word word)
{
    Cutting c = {.b = b, .word = word};
    int32_t number;
    REQUIRE(word.size > 0 && word.size <= TEXT_WORD_BYTES, ERR_INTERNAL, "a word of %zu bytes", word.size);
    characters(&c);
    merge_all(&c);
    if (c.size[c.n - 1] == 0) c.n--;
    if (b->allowed.n > 0) keep_allowed(&c);
    if (b->word.n >= WORDS_KEPT) bpe_forget(b);
    const int64_t first = (int64_t)b->cuts.size;
    TRY(buffer_append(&b->cuts, c.size, (size_t)c.n));
    TRY(buffer_append(&b->first, &first, sizeof first));
    TRY(symbols_add(&b->word, word, &number));
    return OK;
}

Status bpe_cut(Bpe *b, Word word, const unsigned char **size, int *n)
{
    int32_t k = symbols_find(&b->word, word);
    if (k < 0) {
        TRY(cut_new(b, word));
        k = b->word.n - 1;
    }
    const int64_t *first = (const int64_t *)(const void *)b->first.data;
    const int64_t end = k + 1 < b->word.n ? first[k + 1] : (int64_t)b->cuts.size;
    *size = (const unsigned char *)b->cuts.data + first[k];
    *n = (int)(end - first[k]);
    return OK;
}
