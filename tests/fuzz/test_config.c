/* Mutants of good configs: each is taken, or refused with a message that says where. Never a crash, never slow. */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "check.h"
#include "comm/random.h"

#include "config_fixture.h"
#include "config_nested.h"

static const char *const samples[] = {
    "data: {path: corpus, files: [a, 'b c', \"d\\n\"], memory: 1.5GiB}\nmodel: {name: memn2n, hops: 3}\n",
    "# a comment\ndata:\n  path: &p ../x\n  files:\n    - *p\n    - |\n      block\n    - >-\n      folded\n  kind: "
    "tables\n"
    "model:\n  name: han\n  heads: 4\n  scores: [dot, additive]\noptim:\n  name: sgd\n  learning_rate: 1e-4\n  "
    "momentum: .9\n"
    "train:\n  batch: 1_000\n  steps: 2e3\n  shuffle: Off\n  every: 1h30min\nsecond: {name: none}\n",
    "{\"data\": {\"path\": \"\xe4\xbd\xa0\xe5\xa5\xbd\"}, \"model\": {\"name\": \"han\"}}\n",
};
static const char *const nested[] = {
    "model: {name: pairs, encoder: {name: recurrent, cell: {name: lstm, forget_bias: 2}, layers: 2}, reading: {keep: "
    "tail}}\ntext: {reading: {words: 3}}\n",
    "model:\n  name: pairs\n  attention: &a\n    score:\n      name: multi_dim\n      rows: 5\n    coverage: yes\n"
    "  encoder:\n    name: stacked\n    inner:\n      name: stacked\n      inner: recurrent\n",
    "# which words, and how they are looked at\nmodel: {name: single, word: {score: {rows: 7}, file: "
    "a/long/name/of/a/file}, hidden: large}\n"
    "text: {lines: 123456}  # of them all, the first\n",
};
static const char *const tokens[] = {
    "[",        "]",         "{",         "}",       ": ",      "- ",     "&a ",          "*a ",
    "!!x ",     "\"",        "'",         "|\n",     "#",       "\t",     "\n",           "---",
    ",",        "? ",        "%",         "\r\n",    "\xff",    "\0",     "\xef\xbb\xbf", "name: ",
    "1e999",    "0x1",       "-1",        "_",       "~",       "\\u0",   "<<: ",         "include: a.yaml\n",
    "train:\n", "  batch: ", "encoder: ", "{name: ", "inner: ", "score: "};

static size_t pick(uint64_t row, uint64_t column, size_t n)
{
    return (size_t)random_below(random_key(1, RANDOM_TEST, 0), row, column, (int64_t)n);
}

/* One or two edits: a byte changed, a piece left out, a piece doubled, a token put in. */
static size_t mutate(char *text, size_t size, size_t room, uint64_t i)
{
    const size_t edits = 1 + pick(i, 0, 2);
    for (uint64_t e = 1; e <= edits && size > 0; e++) {
        const size_t at = pick(i, 8 * e, size), left = size - at;
        const size_t length = 1 + pick(i, 8 * e + 1, left < 20 ? left : 20);
        const size_t k = pick(i, 8 * e + 2, COUNT(tokens));
        const size_t token = strlen(tokens[k]) ? strlen(tokens[k]) : 1;
        switch (pick(i, 8 * e + 3, 4)) {
        case 0: text[at] = (char)pick(i, 8 * e + 4, 256); break;
        case 1:
            memmove(text + at, text + at + length, left - length);
            size -= length;
            break;
        case 2:
            if (size + length > room) break;
            memmove(text + at + length, text + at, left);
            size += length;
            break;
        default:
            if (size + token > room) break;
            memmove(text + at + token, text + at, left);
            memcpy(text + at, tokens[k], token);
            size += token;
        }
    }
    return size;
}

static bool says_where(const char *message)
{
    for (const char *line = message; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        if (strncmp(line, "m.yaml:", 7) != 0 && strncmp(line, "and ", 4) != 0) return false;
    return *message != '\0';
}

static void try_mutants(const ConfigTable *table, const char *const *sample_of, int n_samples)
{
    Arena arena = {0};
    int taken = 0, refused = 0;
    double slowest = 0;
    for (uint64_t i = 0; i < 20000; i++) {
        const ArenaMark mark = arena_mark(&arena);
        const char *sample = sample_of[i % (uint64_t)n_samples];
        char *text = arena_alloc(&arena, 4096);
        assert_non_null(text);
        size_t size = strlen(strcpy(text, sample));
        size = mutate(text, size, 4096, i);
        Config *c = NULL;
        const clock_t begin = clock();
        const Status st = config_parse(&c, &arena, table, "m.yaml", text, size, 0, NULL);
        const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
        slowest = seconds > slowest ? seconds : slowest;
        if (st == OK) {
            Buffer once = {0}, twice = {0};
            Config *again = NULL;
            CHECK_OK(config_write(c, true, &once));
            CHECK_OK(config_parse(&again, &arena, table, "m.yaml", once.data, once.size, 0, NULL));
            once.size = 0;
            CHECK_OK(config_write(c, false, &once));
            CHECK_OK(config_write(again, false, &twice));
            assert_string_equal(once.data, twice.data);
            buffer_close(&once);
            buffer_close(&twice);
            taken++;
        } else {
            CHECK(st == ERR_CONFIG && says_where(status_message()), "mutant %d: %d %s", (int)i, (int)st, status_text());
            refused++;
        }
        arena_release(&arena, mark);
    }
    CHECK(taken > 500 && refused > 5000, "%d taken, %d refused: the mutants are too tame or too wild", taken, refused);
    CHECK(slowest < 1, "one took %.3f s", slowest);
    arena_close(&arena);
}

TEST(a_mutant_is_taken_or_refused_with_a_place) { try_mutants(&fixture_table, samples, COUNT(samples)); }

TEST(a_mutant_of_nested_rows_is_taken_or_refused_with_a_place) { try_mutants(&nested_table, nested, COUNT(nested)); }

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(a_mutant_is_taken_or_refused_with_a_place),
                                       RUN(a_mutant_of_nested_rows_is_taken_or_refused_with_a_place)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
