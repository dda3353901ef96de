/* Search against the enumeration of every sequence. */
#include <stdlib.h>

#include "check.h"
#include "table_model.h"

enum { V = 7, ALL = 4000 }; /* usable words: <unk> 4 5 6 */

static Arena arena;
static TableModel m;

typedef struct Sequence {
    int n;
    int32_t word[16];
    double total, score;
    bool cut;
} Sequence;

typedef struct Every {
    const TableModel *m;
    const DecodeSettings *set;
    int64_t example, source, most;
    int n;
    Sequence item[ALL];
} Every;

static double log_p(const TableModel *model, uint64_t history, int64_t word)
{
    double sum = 0;
    for (int64_t v = 0; v < model_words(&model->model.data, ROLE_TARGET); v++)
        sum += exp(table_logit(model, history, v));
    return table_logit(model, history, word) - log(sum);
}

static bool forbidden(const Every *e, const Sequence *s, int32_t word)
{
    if (word == VOCAB_PAD || word == VOCAB_BOS) return true;
    if (word == VOCAB_UNK && e->set->unknown == DECODE_FORBID) return true;
    if (word == VOCAB_EOS) return s->n < e->set->min_words;
    const int n = (int)e->set->block;
    for (int i = 0; n > 0 && i + n <= s->n; i++) {
        bool same = s->word[i + n - 1] == word;
        for (int k = 0; k < n - 1; k++) same = same && s->word[i + k] == s->word[s->n - n + 1 + k];
        if (same) return true;
    }
    return false;
}

static bool likeliest_end(const Every *e, const Sequence *s, uint64_t history)
{
    for (int32_t v = 0; v < model_words(&e->m->model.data, ROLE_TARGET); v++)
        if (!forbidden(e, s, v) && table_logit(e->m, history, v) > table_logit(e->m, history, VOCAB_EOS)) return false;
    return !forbidden(e, s, VOCAB_EOS);
}

static void score(const Every *e, Sequence *s)
{
    const double terms = s->n + 1;
    const DecodePenalty penalty = e->set->length_penalty;
    const double divisor = penalty == DECODE_GNMT      ? pow((5 + terms) / 6, e->set->alpha)
                           : penalty == DECODE_AVERAGE ? pow(terms, e->set->alpha)
                                                       : 1;
    s->score = s->total / divisor;
    if (e->set->coverage == 0) return;
    double attended[4] = {0};
    uint64_t history = table_start(e->m, e->example);
    for (int t = 0; t < (int)terms; t++) {
        real w[4];
        table_look(history, e->source, w);
        for (int j = 0; j < e->source; j++) attended[j] += (double)w[j];
        if (t < s->n) history = table_mix(history, (uint64_t)s->word[t]);
    }
    for (int j = 0; j < e->source; j++) s->score += e->set->coverage * log(attended[j] < 1 ? attended[j] : 1);
}

static void enumerate(Every *e, uint64_t history, const Sequence *before)
{
    Sequence s = *before;
    if (before->n == e->most || !forbidden(e, before, VOCAB_EOS)) {
        s.total += log_p(e->m, history, VOCAB_EOS);
        s.cut = before->n == e->most && !likeliest_end(e, before, history);
        score(e, &s);
        e->item[e->n++] = s;
    }
    for (int32_t v = 0; v < model_words(&e->m->model.data, ROLE_TARGET) && before->n < e->most; v++) {
        if (v == VOCAB_EOS || forbidden(e, before, v)) continue;
        s = *before;
        s.word[s.n++] = v;
        s.total += log_p(e->m, history, v);
        enumerate(e, table_mix(history, (uint64_t)v), &s);
    }
}

static int by_score(const void *pa, const void *pb)
{
    const Sequence *a = pa, *b = pb;
    return (a->score < b->score) - (a->score > b->score);
}

static void every(Every *e, const DecodeSettings *set, int64_t example, const GenerateWords *given)
{
    *e = (Every){.m = &m, .set = set, .example = example, .source = table_source(example)};
    e->most = (int64_t)(set->max_factor * (double)e->source) + set->max_words;
    Sequence s = {0};
    uint64_t history = table_start(&m, example);
    for (int64_t i = 0; given && i < given->n; i++) {
        s.word[s.n++] = given->id[i];
        s.total += log_p(&m, history, given->id[i]);
        history = table_mix(history, (uint64_t)given->id[i]);
    }
    enumerate(e, history, &s);
    qsort(e->item, (size_t)e->n, sizeof *e->item, by_score);
}

static void decode(const DecodeSettings *set, int64_t first, int64_t n, const GenerateWords *given, DecodeOutput **out)
{
    static TableBatch batch;
    table_batch(&batch, first, n);
    const DecodeRequest r = {.batch = &batch.batch, .given = given, .seed = 3};
    CHECK_OK(decode_batch(&m.model, set, &r, &arena, out));
}

static void check_same(const DecodeHypothesis *h, const Sequence *s, const char *what)
{
    CHECK(h->n == s->n && h->cut == s->cut, "%s: %lld words%s, not %d%s", what, (long long)h->n, h->cut ? " (cut)" : "",
          s->n, s->cut ? " (cut)" : "");
    CHECK(memcmp(h->word, s->word, (size_t)s->n * sizeof *s->word) == 0, "%s: other words", what);
    CHECK_NEAR(h->total, s->total, 1e-5); /* logits are floats of about 2, sums of about 8 */
    CHECK_NEAR(h->score, s->score, 1e-5);
    double sum = 0;
    for (int64_t t = 0; t <= h->n; t++) sum += h->log_p[t];
    CHECK_NEAR(sum, h->total, 1e-9);
}

static void check_exhaustive(const DecodeSettings *wanted, const GenerateWords *given, const char *what)
{
    static Every e;
    for (int64_t example = 0; example < 8; example++) {
        DecodeSettings set = *wanted;
        every(&e, &set, example, given);
        set.beam = ALL;
        set.nbest = 10;
        DecodeOutput *out;
        decode(&set, example, 1, given, &out);
        CHECK(out->n == (e.n < 10 ? e.n : 10), "%s: %d outputs of %d", what, out->n, e.n);
        for (int i = 0; i < out->n; i++) check_same(&out->item[i], &e.item[i], what);
    }
}

TEST(a_beam_as_wide_as_all_sequences_finds_what_enumeration_finds)
{
    table_model(&m, V, 1);
    static const char *const penalties[] = {"gnmt", "average", "none"};
    for (int p = 0; p < 3; p++)
        for (int stop = 0; stop < 2; stop++)
            for (int variant = 0; variant < 6; variant++) {
                DecodeSettings set = table_settings();
                set.length_penalty = (DecodePenalty)p;
                set.stop = (DecodeStop)stop;
                set.alpha = variant == 1 ? 2 : 0.6;
                set.coverage = variant == 2 ? 0.4 : 0;
                set.block = variant == 3 ? 1 : variant == 4 ? 2 : 0;
                set.min_words = variant == 5 ? 3 : 0;
                if (variant == 4) set.unknown = DECODE_FORBID;
                if (variant == 5) set.max_words = 2, set.max_factor = 0.5;
                check_exhaustive(&set, NULL, penalties[p]);
            }
}

TEST(what_is_given_comes_first_and_counts)
{
    table_model(&m, V, 2);
    const int32_t word[] = {5, 5, VOCAB_UNK};
    const DecodeSettings set = table_settings();
    for (int64_t n = 0; n <= 3; n++) check_exhaustive(&set, &(GenerateWords){n, word}, "given");
}

TEST(given_outputs_are_scored_as_the_search_scores_them)
{
    table_model(&m, V, 10);
    DecodeSettings set = table_settings();
    set.coverage = 0.2;
    set.min_words = 2; /* rules of the search do not hold for what is given */
    static TableBatch batch;
    table_batch(&batch, 0, 3);
    const int32_t word[] = {4, 4, 4, 6, 1, 5};
    const GenerateWords given[] = {{6, word}, {0, NULL}, {1, word + 3}};
    const DecodeRequest r = {.batch = &batch.batch, .given = given, .whole = true};
    DecodeOutput *out;
    CHECK_OK(decode_batch(&m.model, &set, &r, &arena, &out));
    for (int b = 0; b < 3; b++) {
        Every e = {.m = &m, .set = &set, .example = b, .source = table_source(b)};
        Sequence s = {.n = (int)given[b].n};
        uint64_t history = table_start(&m, b);
        for (int t = 0; t <= s.n; t++) {
            const int32_t w = t < s.n ? given[b].id[t] : VOCAB_EOS;
            CHECK_NEAR(out[b].item[0].log_p[t], log_p(&m, history, w), 1e-6);
            s.total += log_p(&m, history, w);
            if (t < s.n) s.word[t] = w;
            history = table_mix(history, (uint64_t)w);
        }
        score(&e, &s);
        check_same(&out[b].item[0], &s, "given");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(a_beam_as_wide_as_all_sequences_finds_what_enumeration_finds),
        RUN(what_is_given_comes_first_and_counts),
        RUN(given_outputs_are_scored_as_the_search_scores_them),
    };
    return cmocka_run_group_tests_name("decode_exhaustive", tests, NULL, NULL);
}
