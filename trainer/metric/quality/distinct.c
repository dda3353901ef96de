/* distinct.c - distinct-n (Li et al. 2016): different n-grams of all generated text / its tokens, for n = 1 and 2.
 *
 * Not a sum over lines: an n-gram that stands in two lines counts once, so all lines are needed at once. */
#include <stdio.h>

#include "trainer/metric/quality/ngrams.h"
#include "trainer/metric/quality/quality.h"

static Status whole(const Quality *q, int64_t n, const QualityPair *pair, Arena *scratch, QualityReport *out)
{
    Tokens *tokens;
    NgramText *text;
    Ngrams g;
    TRY_NEW(tokens, scratch, n);
    TRY_NEW(text, scratch, n);
    for (int64_t i = 0; i < n; i++)
        TRY(tokenize_text(q->option.tokenize, &pair[i].hypothesis, q->option.lowercase, scratch, &tokens[i]));
    TRY(ngrams_intern(scratch, (int)n, tokens, text));
    TRY(ngrams_open(&g, scratch, (int)n, text));
    for (int order = 1; order <= 2; order++) {
        QualityItem *item;
        ngrams_next(&g);
        TRY(quality_item(out, &item, order == 1 ? "distinct-1" : "distinct-2",
                         g.n > 0 ? (double)g.different / (double)g.n : 0, 4));
        snprintf(item->signature, sizeof item->signature, "case:%s|tok:%s|%s", q->option.lowercase ? "lc" : "mixed",
                 q->option.tokenize, quality_version);
        snprintf(item->detail, sizeof item->detail, "(different = %lld tokens = %lld)", (long long)g.different,
                 (long long)g.n);
    }
    return OK;
}

const QualityDef quality_distinct = {
    .name = "distinct",
    .help = "distinct-1 and distinct-2: different words and pairs of words per token (Li 2016).",
    .whole = whole,
};
