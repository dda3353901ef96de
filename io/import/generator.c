/* generator.c - splits of known sizes, and choices by an example's number. */
#include "io/import/generator.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void generator_open(Generator *g, const char *name, const char *split, int64_t train, int64_t valid, int64_t test)
{
    static const char *const splits[] = {"train", "valid", "test"};
    const int64_t each[] = {train, valid, test};
    *g = (Generator){0};
    for (int i = 0; i < COUNT(splits); i++) {
        if (strcmp(split, splits[i]) != 0) continue;
        g->split = (uint64_t)i;
        g->n = each[i];
    }
    snprintf(g->file, sizeof g->file, "%.16s (%.12s)", name, split);
}

Status generator_next(void *state, Record *out, bool *end)
{
    Generator *g = state;
    *end = g->next == g->n;
    if (!*end) *out = (Record){g->file, strlen(g->file), g->file, ++g->next};
    return OK;
}

Draws generator_draws(const Generator *g, int64_t seed, const Record *r)
{
    const uint64_t number = (g->split << 40) + (uint64_t)(r->line - 1);
    return (Draws){random_key((uint64_t)seed, RANDOM_GENERATE, number), 0};
}

int64_t generator_below(Draws *d, int64_t n) { return random_below(d->key, d->drawn++, 0, n); }

bool generator_chance(Draws *d, int percent) { return generator_below(d, 100) < percent; }

static int64_t either(int64_t own, int64_t other) { return own > 0 ? own : other; }

Status generator_check_lengths(const GeneratorLengths *l)
{
    REQUIRE(l->min_words <= l->max_words, ERR_CONFIG,
            "source.min_words is %" PRId64 ", more than source.max_words, %" PRId64, l->min_words, l->max_words);
    const int64_t low = either(l->min_test_words, l->min_words), high = either(l->max_test_words, l->max_words);
    REQUIRE(low <= high, ERR_CONFIG,
            "test: source.min_test_words is %" PRId64 ", more than source.max_test_words, %" PRId64, low, high);
    return OK;
}

int64_t generator_length(const Generator *g, const GeneratorLengths *l, Draws *d)
{
    const bool test = g->split == 2;
    const int64_t low = test ? either(l->min_test_words, l->min_words) : l->min_words;
    const int64_t high = test ? either(l->max_test_words, l->max_words) : l->max_words;
    return low + generator_below(d, high - low + 1);
}

int generator_pair_fields(const void *settings, DataField fields[BATCH_FIELDS])
{
    (void)settings;
    return pair_fields((PairKind){.links = true}, fields);
}
