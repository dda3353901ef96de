/* attention_check.c - do the parts of an example fit together? */
#include <math.h>

#include "io/attention/attention.h"

const char *attention_over_name(int i)
{
    return (const char *const[]){"words", "sentences", "question", "pairs", NULL}[i];
}

const char *attention_measure_name(int i)
{
    return (const char *const[]){"weight", "jacobian", "input_x_gradient", NULL}[i];
}

const char *attention_kind_name(int i) { return (const char *const[]){"document", "story", "pair", NULL}[i]; }

typedef struct Check {
    Status code;
    const char *where;
} Check;

static Status check_offsets(Check c, const char *what, int64_t n, const int64_t *start, int64_t end)
{
    REQUIRE(n >= 0 && (n == 0 || start[0] == 0), c.code, "%s: %s do not begin at 0", c.where, what);
    for (int64_t i = 0; i < n; i++)
        REQUIRE(start[i] <= start[i + 1], c.code, "%s: %s %lld ends before it begins", c.where, what, (long long)i);
    REQUIRE(end < 0 || n == 0 || start[n] == end, c.code, "%s: %s end at %lld of %lld", c.where, what,
            (long long)start[n], (long long)end);
    return OK;
}

/* The words that pieces belong to come one after the other; *count is how many there are. */
static Status check_words(Check c, const char *what, const AttentionWords *w, int64_t *count)
{
    TRY(check_offsets(c, what, w->n, w->start, -1));
    *count = w->part_of ? 0 : w->n;
    for (int64_t i = 0; w->part_of && i < w->n; i++) {
        const int64_t of = w->part_of[i];
        REQUIRE(of == -1 || of == *count || (of >= 0 && of == *count - 1), c.code,
                "%s: %s: piece %lld is said to be part of word %lld after %lld words", c.where, what, (long long)i,
                (long long)of, (long long)*count);
        if (of == *count) ++*count;
    }
    return OK;
}

static Status check_links(Check c, const char *what, const AttentionLinks *l, int64_t source, int64_t target)
{
    for (int64_t k = 0; k < l->n; k++) {
        const int64_t i = l->at[2 * k], j = l->at[2 * k + 1];
        REQUIRE(i >= 0 && i < source && j >= 0 && j < target, c.code,
                "%s: the %s link %lld-%lld lies outside the %lld source and %lld target words", c.where, what,
                (long long)i, (long long)j, (long long)source, (long long)target);
    }
    return OK;
}

static int64_t expected(const AttentionExample *e, AttentionOver over)
{
    switch (over) {
    case ATTENTION_WORDS: return e->words.n;
    case ATTENTION_SENTENCES: return e->n_sentences;
    case ATTENTION_QUESTION: return e->question.n;
    default: return e->words.n * e->target.n;
    }
}

static Status check_view(Check c, const AttentionExample *e, const AttentionView *v)
{
    REQUIRE(v->n == expected(e, v->over), c.code, "%s: view %s has %lld weights, expected %lld", c.where, v->name,
            (long long)v->n, (long long)expected(e, v->over));
    for (int64_t i = 0; i < v->n; i++)
        REQUIRE(isfinite(v->weight[i]), c.code, "%s: view %s: value %lld is not finite", c.where, v->name,
                (long long)i);
    return OK;
}

Status attention_check_as(const AttentionExample *e, Status code, const char *where)
{
    const Check c = {code, where};
    int64_t source, target, question;
    TRY(check_words(c, "words", &e->words, &source));
    TRY(check_words(c, "words of the target", &e->target, &target));
    TRY(check_words(c, "words of the question", &e->question, &question));
    TRY(check_offsets(c, "sentences", e->n_sentences, e->sentence, e->words.n));
    TRY(check_links(c, "sure", &e->sure, source, target));
    TRY(check_links(c, "possible", &e->possible, source, target));
    for (int64_t i = 0; i < e->n_facts; i++)
        REQUIRE(e->fact[i] >= 0 && e->fact[i] < e->n_sentences, code, "%s: fact %lld of %lld sentences", where,
                (long long)e->fact[i], (long long)e->n_sentences);
    for (int64_t i = 0; e->loss && i < e->target.n; i++)
        REQUIRE(isfinite(e->loss[i]), code, "%s: loss %lld is not finite", where, (long long)i);
    for (int i = 0; i < e->n_views; i++) TRY(check_view(c, e, &e->view[i]));
    return OK;
}

Status attention_check(const AttentionExample *e) { return attention_check_as(e, ERR_INTERNAL, "attention"); }
