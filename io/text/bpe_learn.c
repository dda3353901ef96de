/* bpe_learn.c - learning merges. The counts of pairs are kept, not made anew: a merge changes those of the few pairs
 * beside its places, which are found by a list of words for each pair. */
#include <string.h>

#include "comm/utf8.h"
#include "io/text/bpe_parts.h"

enum { MOST = TEXT_WORD_BYTES };

/* A place in the heap. Its count may be out of date: too high, and then it is put back lower when it comes out. */
typedef struct Entry {
    int64_t count;
    int32_t pair;
} Entry;

/* One word that has, or had, the pair. */
typedef struct Place {
    int32_t word, next; /* next: number + 1 of the pair's next place */
} Place;

typedef struct PairState {
    int64_t count;
    int32_t places;  /* number + 1 of the newest one */
    int32_t touched; /* the last merge that raised its count */
} PairState;

typedef struct Learning {
    Bpe *b;
    Symbols symbol;
    SymbolPairs pair;
    Buffer state, place, heap, touched; /* PairState by pair, Place, Entry, int32_t */
    int32_t n_words;
    int64_t *count;  /* (n_words) */
    int64_t *start;  /* (n_words + 1) first symbol in text */
    int32_t *length; /* (n_words) symbols now */
    int32_t *text;
    int32_t round;
} Learning;

static PairState *state(const Learning *l, int32_t pair) { return (PairState *)(void *)l->state.data + pair; }
static Entry *heap(const Learning *l) { return (Entry *)(void *)l->heap.data; }
static int64_t heap_size(const Learning *l) { return (int64_t)(l->heap.size / sizeof(Entry)); }

/* --- The heap: the largest count first, of equal ones the last pair in the order of bytes --- */

static bool before(const Learning *l, const Entry *a, const Entry *b)
{
    if (a->count != b->count) return a->count > b->count;
    const SymbolPair x = symbols_pair(&l->pair, a->pair), y = symbols_pair(&l->pair, b->pair);
    const int c = text_compare(symbols_word(&l->symbol, x.left), symbols_word(&l->symbol, y.left));
    return c ? c > 0 : text_compare(symbols_word(&l->symbol, x.right), symbols_word(&l->symbol, y.right)) > 0;
}

static Status push(Learning *l, Entry e)
{
    TRY(buffer_append(&l->heap, &e, sizeof e));
    Entry *h = heap(l);
    int64_t i = heap_size(l) - 1;
    for (; i > 0 && before(l, &e, &h[(i - 1) / 2]); i = (i - 1) / 2) h[i] = h[(i - 1) / 2];
    h[i] = e;
    return OK;
}

static Entry pop(Learning *l)
{
    Entry *h = heap(l);
    const Entry top = h[0], last = h[heap_size(l) - 1];
    l->heap.size -= sizeof(Entry);
    const int64_t n = heap_size(l);
    int64_t i = 0;
    for (int64_t k; (k = 2 * i + 1) < n; i = k) {
        if (k + 1 < n && before(l, &h[k + 1], &h[k])) k++;
        if (!before(l, &h[k], &last)) break;
        h[i] = h[k];
    }
    if (n > 0) h[i] = last;
    return top;
}

/* The pair to merge next; -1: none is left. */
static Status best_pair(Learning *l, int64_t min_count, int32_t *best)
{
    *best = -1;
    while (heap_size(l) > 0) {
        const Entry e = pop(l);
        const int64_t count = state(l, e.pair)->count;
        if (e.count < min_count) return OK;
        if (count < e.count && count > 0) TRY(push(l, (Entry){count, e.pair}));
        if (count != e.count) continue;
        *best = e.pair;
        return OK;
    }
    return OK;
}

/* --- Counts --- */

/* `count` more (or fewer) of a pair, in this word. */
static Status change(Learning *l, int32_t left, int32_t right, int64_t count, int32_t word)
{
    int32_t p;
    const PairState none = {0};
    TRY(symbols_add_pair(&l->pair, left, right, &p));
    while (l->state.size < (size_t)l->pair.n * sizeof none) TRY(buffer_append(&l->state, &none, sizeof none));
    PairState *s = state(l, p);
    s->count += count;
    if (count < 0) return OK;
    const Place *places = (const Place *)(const void *)l->place.data;
    if (!s->places || places[s->places - 1].word != word) {
        const Place here = {word, s->places};
        TRY(buffer_append(&l->place, &here, sizeof here));
        s->places = (int32_t)(l->place.size / sizeof here);
    }
    if (s->touched == l->round) return OK;
    s->touched = l->round;
    return buffer_append(&l->touched, &p, sizeof p);
}

static Status push_touched(Learning *l)
{
    const int32_t *p = (const int32_t *)(const void *)l->touched.data;
    for (size_t i = 0; i < l->touched.size / sizeof *p; i++)
        if (state(l, p[i])->count > 0) TRY(push(l, (Entry){state(l, p[i])->count, p[i]}));
    l->touched.size = 0;
    return OK;
}

/* --- One merge --- */

/* The pairs beside each place of (a, b) in the old word are fewer. A pair between two places is told once. */
static Status lower(Learning *l, const int32_t *old, int n, SymbolPair m, int32_t word)
{
    const int64_t count = l->count[word];
    for (int i = 0; i + 1 < n; i++) {
        if (old[i] != m.left || old[i + 1] != m.right) continue;
        if (i > 0) TRY(change(l, old[i - 1], old[i], -count, word));
        const bool again = i + 3 < n && old[i + 2] == m.left && old[i + 3] == m.right;
        if (i + 2 < n && !again) TRY(change(l, old[i + 1], old[i + 2], -count, word));
        i++;
    }
    return OK;
}

/* The pairs beside each place of the new symbol are more. Where the word had that symbol before, by another merge, its
 * pairs are counted once more: so does subword-nmt, and the merges are to be the same. */
static Status raise(Learning *l, const int32_t *new, int n, int32_t made, int32_t word)
{
    const int64_t count = l->count[word];
    for (int i = 0; i < n; i++) {
        if (new[i] != made) continue;
        if (i > 0) TRY(change(l, new[i - 1], new[i], count, word));
        if (i + 1 < n && new[i + 1] != made) TRY(change(l, new[i], new[i + 1], count, word));
    }
    return OK;
}

static Status merge_in(Learning *l, int32_t word, SymbolPair m, int32_t made)
{
    int32_t old[MOST], *text = l->text + l->start[word];
    const int n = l->length[word];
    int k = 0;
    memcpy(old, text, (size_t)n * sizeof *old);
    for (int i = 0; i < n; i++) {
        const bool here = i + 1 < n && old[i] == m.left && old[i + 1] == m.right;
        text[k++] = here ? made : old[i];
        i += here;
    }
    if (k == n) return OK;
    l->length[word] = k;
    TRY(lower(l, old, n, m, word));
    return raise(l, text, k, made, word);
}

static Status merge_everywhere(Learning *l, int32_t pair)
{
    char text[2 * (MOST + BPE_END_BYTES)];
    const SymbolPair m = symbols_pair(&l->pair, pair);
    const Word left = symbols_word(&l->symbol, m.left), right = symbols_word(&l->symbol, m.right);
    int32_t made, same;
    TRY(bpe_add(l->b, left, right, &same));
    memcpy(text, left.text, left.size);
    memcpy(text + left.size, right.text, right.size);
    TRY(symbols_add(&l->symbol, (Word){text, left.size + right.size}, &made));
    l->round++;
    for (int32_t k = state(l, pair)->places; k > 0;) {
        const Place p = ((const Place *)(const void *)l->place.data)[k - 1];
        TRY(merge_in(l, p.word, m, made));
        k = p.next;
    }
    state(l, pair)->count = 0;
    return push_touched(l);
}

/* --- The words --- */

static Status take_word(Learning *l, int32_t w, const char *word, int64_t *at)
{
    char last[8 + BPE_END_BYTES];
    const size_t size = strlen(word);
    REQUIRE(size > 0 && size <= MOST, ERR_INTERNAL, "a word of %zu bytes", size);
    l->start[w] = *at;
    for (size_t i = 0; i < size;) {
        size_t n = utf8_length(word + i, size - i);
        if (n == 0) n = 1;
        Word s = {word + i, n};
        i += n;
        if (i == size) {
            memcpy(last, s.text, n);
            memcpy(last + n, BPE_END, BPE_END_BYTES);
            s = (Word){last, n + BPE_END_BYTES};
        }
        TRY(symbols_add(&l->symbol, s, &l->text[(*at)++]));
    }
    l->length[w] = (int32_t)(*at - l->start[w]);
    for (int64_t i = l->start[w] + 1; i < *at; i++) TRY(change(l, l->text[i - 1], l->text[i], l->count[w], w));
    return OK;
}

static Status take_words(Learning *l, Arena *scratch, const Vocab *words)
{
    int64_t bytes = 0, at = 0;
    REQUIRE(vocab_size(words) < INT32_MAX, ERR_DATA, "%lld different words are too many", (long long)vocab_size(words));
    l->n_words = (int32_t)vocab_size(words);
    for (int32_t w = 0; w < l->n_words; w++) bytes += (int64_t)strlen(vocab_word(words, w));
    TRY_NEW(l->count, scratch, l->n_words);
    TRY_NEW(l->start, scratch, l->n_words + 1);
    TRY_NEW(l->length, scratch, l->n_words);
    TRY_NEW(l->text, scratch, bytes);
    l->round = 1;
    for (int32_t w = 0; w < l->n_words; w++) {
        l->count[w] = vocab_count(words, w);
        TRY(take_word(l, w, vocab_word(words, w), &at));
    }
    return push_touched(l);
}

static Status learn(Learning *l, const Vocab *words, int64_t merges, int64_t min_count)
{
    Arena scratch = {0};
    int32_t best = 0;
    Status st = take_words(l, &scratch, words);
    for (int64_t i = 0; st == OK && i < merges && best >= 0; i++) {
        st = best_pair(l, min_count, &best);
        if (st == OK && best >= 0) st = merge_everywhere(l, best);
    }
    arena_close(&scratch);
    return st;
}

Status bpe_learn(Bpe **out, Arena *run, const Vocab *words, int64_t merges, int64_t min_count)
{
    Learning l = {0};
    TRY_NEW(l.b, run, 1);
    const Status st = learn(&l, words, merges, min_count < 1 ? 1 : min_count);
    symbols_close(&l.symbol);
    symbols_close_pairs(&l.pair);
    buffer_close(&l.state);
    buffer_close(&l.place);
    buffer_close(&l.heap);
    buffer_close(&l.touched);
    if (st != OK) bpe_close(l.b);
    TRY(st);
    *out = l.b;
    return OK;
}
