/* rouge.c - ROUGE-1, -2, -L and -Lsum (Lin 2004) as google's rouge_score computes them: the mean over lines of the F
 * score, F = 2 P R / (P + R); of several references that with the highest F, for each of the four by itself.
 *
 * Tokens are runs of a-z and 0-9 of the lower case text (what nobody knows is one too: CHARACTER_NONE); words of more
 * than three letters may be stemmed. -Lsum joins the longest common subsequences of each sentence of the reference with
 * all sentences of the hypothesis; sentences end at the mark of the options (a line end cannot stand in a line). Means
 * are exact sums: they depend on no order. */
#include <stdio.h>
#include <string.h>

#include "trainer/metric/exact.h"
#include "trainer/metric/quality/ngrams.h"
#include "trainer/metric/quality/porter.h"
#include "trainer/metric/quality/quality.h"

enum { KINDS = 4, FIGURES = 3, STEM_BEYOND = 3, COUNTERS = 1 + KINDS * FIGURES * EXACT_COUNTERS };

static const int64_t TABLE_MAX = (int64_t)1 << 27;

static const char *const kind_name[KINDS] = {"rouge1", "rouge2", "rougeL", "rougeLsum"};

typedef struct Rouge {
    double precision, recall, f;
} Rouge;

/* One text: its tokens as numbers, and where its sentences end. */
typedef struct Summary {
    Tokens tokens;
    NgramText text;
    int64_t sentences, *end; /* (sentences) */
} Summary;

static Rouge from_hits(int64_t hits, int64_t hypothesis, int64_t reference)
{
    Rouge s = {0};
    if (hypothesis > 0) s.precision = (double)hits / (double)hypothesis;
    if (reference > 0) s.recall = (double)hits / (double)reference;
    if (s.precision + s.recall > 0) s.f = 2 * s.precision * s.recall / (s.precision + s.recall);
    return s;
}

static bool is_kept(uint32_t c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == CHARACTER_NONE; }

static Status stem(Token *t, Arena *scratch)
{
    char *word = arena_alloc(scratch, (size_t)t->n + 1);
    uint32_t *out;
    TRY(word ? OK : ERR_HOST);
    TRY_NEW(out, scratch, t->n + 1);
    for (int64_t i = 0; i < t->n; i++) word[i] = (char)t->at[i];
    const size_t n = porter_stem(word, (size_t)t->n);
    for (size_t i = 0; i < n; i++) out[i] = (uint32_t)word[i];
    *t = (Token){out, (int64_t)n};
    return OK;
}

/* The tokens of one sentence, appended. */
static Status add_sentence(const Quality *q, const char *bytes, size_t size, Arena *scratch, Summary *s)
{
    Characters c;
    TRY(character_lower(bytes, size, scratch, &c));
    for (int64_t i = 0; i < c.n;) {
        const int64_t begin = i;
        for (; i < c.n && is_kept(c.at[i]);) i++;
        Token *t = &s->tokens.token[s->tokens.n];
        *t = (Token){c.at + begin, i - begin};
        if (q->option.stem && t->n > STEM_BEYOND) TRY(stem(t, scratch));
        s->tokens.n += t->n > 0;
        i += i < c.n;
    }
    s->end[s->sentences++] = s->tokens.n;
    return OK;
}

static const char *find(const char *bytes, size_t size, const char *mark)
{
    const size_t n = strlen(mark);
    for (size_t i = 0; n > 0 && i + n <= size; i++)
        if (memcmp(bytes + i, mark, n) == 0) return bytes + i;
    return NULL;
}

static Status read_summary(const Quality *q, const Word *text, Arena *scratch, Summary *s)
{
    *s = (Summary){0};
    TRY_NEW(s->tokens.token, scratch, (int64_t)text->size + 1); /* lower case may be longer, but not in tokens */
    TRY_NEW(s->end, scratch, (int64_t)text->size + 1);
    for (size_t at = 0; at <= text->size;) {
        const char *from = text->text + at, *stop = find(from, text->size - at, q->option.sentence_mark);
        const size_t size = stop ? (size_t)(stop - from) : text->size - at;
        if (size > 0) TRY(add_sentence(q, from, size, scratch, s));
        if (!stop) break;
        at += size + strlen(q->option.sentence_mark);
    }
    return OK;
}

/* hits[t]: n-grams of the next order that the hypothesis, text 0, has in common with text t. */
static void count_order(Ngrams *g, int texts, int64_t *hits)
{
    int64_t count[1 + QUALITY_REFERENCES];
    ngrams_next(g);
    memset(hits, 0, (size_t)texts * sizeof *hits);
    while (ngrams_count(g, count))
        for (int t = 1; t < texts; t++) hits[t] += count[0] < count[t] ? count[0] : count[t];
}

/* The length of the longest common subsequence, in two rows. */
static Status score_longest(const Summary *h, const Summary *r, Arena *scratch, Rouge *out)
{
    const int64_t m = h->text.n;
    int64_t *row, *above;
    TRY_NEW(row, scratch, m + 1);
    TRY_NEW(above, scratch, m + 1);
    for (int64_t i = 0; i < r->text.n; i++) {
        int64_t *const swap = above;
        above = row;
        row = swap;
        for (int64_t j = 1; j <= m; j++)
            row[j] = r->text.unit[i] == h->text.unit[j - 1] ? above[j - 1] + 1
                     : above[j] > row[j - 1]                ? above[j]
                                                            : row[j - 1];
    }
    *out = from_hits(row[m], m, r->text.n);
    return OK;
}

/* length[i * (m + 1) + j]: of the longest common subsequence of the first i of a and the first j of b. */
static Status subsequences(const uint32_t *a, int64_t n, const uint32_t *b, int64_t m, Arena *scratch, int32_t **length)
{
    const int64_t row = m + 1;
    REQUIRE(n < TABLE_MAX / row, ERR_DATA, "sentences of %lld and %lld words are too long for rougeLsum", (long long)n,
            (long long)m);
    int32_t *l;
    TRY_NEW(l, scratch, (n + 1) * row);
    for (int64_t i = 1; i <= n; i++)
        for (int64_t j = 1; j <= m; j++) {
            const int32_t up = l[(i - 1) * row + j], left = l[i * row + j - 1];
            l[i * row + j] = a[i - 1] == b[j - 1] ? l[(i - 1) * row + j - 1] + 1 : up > left ? up : left;
        }
    *length = l;
    return OK;
}

/* Mark the places of a that are in one longest common subsequence with b, read from the end as the tool reads it. */
static Status mark_common(const uint32_t *a, int64_t n, const uint32_t *b, int64_t m, Arena *scratch, bool *in)
{
    const ArenaMark before = arena_mark(scratch);
    int32_t *length = NULL;
    TRY(subsequences(a, n, b, m, scratch, &length));
    for (int64_t i = n, j = m; i > 0 && j > 0;) {
        if (a[i - 1] == b[j - 1]) {
            in[--i] = true;
            j--;
        } else if (length[i * (m + 1) + j - 1] > length[(i - 1) * (m + 1) + j]) {
            j--;
        } else {
            i--;
        }
    }
    arena_release(scratch, before);
    return OK;
}

/* A word counts at most as often as it stands in either text. */
static Status score_sentences(const Summary *h, const Summary *r, int64_t words, Arena *scratch, Rouge *out)
{
    int64_t *left_h, *left_r, hits = 0;
    TRY_NEW(left_h, scratch, words);
    TRY_NEW(left_r, scratch, words);
    for (int64_t i = 0; i < h->text.n; i++) left_h[h->text.unit[i]]++;
    for (int64_t i = 0; i < r->text.n; i++) left_r[r->text.unit[i]]++;
    for (int64_t s = 0, begin = 0; s < r->sentences; begin = r->end[s++]) {
        const uint32_t *a = r->text.unit + begin;
        const int64_t n = r->end[s] - begin;
        bool *in;
        TRY_NEW(in, scratch, n);
        for (int64_t k = 0, from = 0; k < h->sentences; from = h->end[k++])
            TRY(mark_common(a, n, h->text.unit + from, h->end[k] - from, scratch, in));
        for (int64_t i = 0; i < n; i++) {
            if (!in[i] || left_h[a[i]] == 0 || left_r[a[i]] == 0) continue;
            left_h[a[i]]--;
            left_r[a[i]]--;
            hits++;
        }
    }
    *out = from_hits(hits, h->text.n, r->text.n);
    return OK;
}

/* score[kind * texts + t]: of the hypothesis, text 0, with text t. */
static Status score_all(int texts, const Summary *s, Arena *scratch, Rouge *score)
{
    NgramText text[1 + QUALITY_REFERENCES];
    int64_t hits[1 + QUALITY_REFERENCES], words = 0;
    Ngrams g;
    for (int t = 0; t < texts; t++) {
        text[t] = s[t].text;
        words += text[t].n;
    }
    TRY(ngrams_open(&g, scratch, texts, text));
    for (int n = 1; n <= 2; n++) {
        count_order(&g, texts, hits);
        for (int t = 1; t < texts; t++)
            score[(n - 1) * texts + t] = from_hits(hits[t], ngrams_total(text[0].n, n), ngrams_total(text[t].n, n));
    }
    for (int t = 1; t < texts; t++) {
        const ArenaMark mark = arena_mark(scratch);
        TRY(score_longest(&s[0], &s[t], scratch, &score[2 * texts + t]));
        score[3 * texts + t] = score[2 * texts + t]; /* of one sentence each it is the same */
        if (s[0].sentences > 1 || s[t].sentences > 1)
            TRY(score_sentences(&s[0], &s[t], words, scratch, &score[3 * texts + t]));
        arena_release(scratch, mark);
    }
    return OK;
}

static int64_t counters(const Quality *q)
{
    (void)q;
    return COUNTERS;
}

static int64_t *place(int64_t *count, int kind, int figure)
{
    return count + 1 + (kind * FIGURES + figure) * EXACT_COUNTERS;
}

static Status add(const Quality *q, int64_t *count, const QualityPair *p, Arena *scratch)
{
    const int texts = 1 + q->references;
    Summary s[1 + QUALITY_REFERENCES];
    Tokens tokens[1 + QUALITY_REFERENCES] = {{0}};
    NgramText text[1 + QUALITY_REFERENCES];
    Rouge score[KINDS * (1 + QUALITY_REFERENCES)] = {{0}};
    for (int t = 0; t < texts; t++) {
        TRY(read_summary(q, t == 0 ? &p->hypothesis : &p->reference[t - 1], scratch, &s[t]));
        tokens[t] = s[t].tokens;
    }
    TRY(ngrams_intern(scratch, texts, tokens, text));
    for (int t = 0; t < texts; t++) s[t].text = text[t];
    TRY(score_all(texts, s, scratch, score));
    count[0]++;
    for (int k = 0; k < KINDS; k++) {
        const Rouge *best = &score[k * texts + 1];
        for (int t = 2; t < texts; t++)
            if (score[k * texts + t].f > best->f) best = &score[k * texts + t];
        exact_add(place(count, k, 0), best->precision);
        exact_add(place(count, k, 1), best->recall);
        exact_add(place(count, k, 2), best->f);
    }
    return OK;
}

static Status report(const Quality *q, const int64_t *count, QualityReport *out)
{
    const double lines = count[0] > 0 ? (double)count[0] : 1;
    int64_t copy[COUNTERS];
    memcpy(copy, count, sizeof copy);
    for (int k = 0; k < KINDS; k++) {
        QualityItem *item;
        TRY(quality_item(out, &item, kind_name[k], exact_value(place(copy, k, 2)) / lines, 6));
        snprintf(item->signature, sizeof item->signature, "nrefs:%d|stem:%s|%s", q->references,
                 q->option.stem ? "porter" : "no", quality_version);
        snprintf(item->detail, sizeof item->detail, "(P = %.6f R = %.6f)", exact_value(place(copy, k, 0)) / lines,
                 exact_value(place(copy, k, 1)) / lines);
    }
    return OK;
}

const QualityDef quality_rouge = {
    .name = "rouge",
    .help = "ROUGE-1, -2, -L and -Lsum, the mean F of all lines (Lin 2004), as google's rouge_score.",
    .counters = counters,
    .add = add,
    .report = report,
};
