/* Batches hold what they were built of, in the order asked for, cut by the caps. */
#include "fields.h"
#include "io/batch/build.h"

static Arena run;

enum { N = 7, WIDTH = 3 };
static const DataField fields[] = {
    {.name = "text", .role = ROLE_INPUT, .vocab = "words", .levels = 2, .special = true},
    {.name = "question", .role = ROLE_QUERY, .vocab = "words", .levels = 1, .special = true},
    {.name = "letters", .role = ROLE_SPELLING, .of = "question", .vocab = "letters", .levels = 2},
    {.name = "features", .role = ROLE_FEATURES, .levels = 1, .type = FIELD_FLOATS, .width = WIDTH},
    {.name = "gold", .role = ROLE_GOLD, .of = "text", .levels = 1, .unit = 1},
    {.name = "label", .role = ROLE_TARGET, .levels = 0},
};
enum { TEXT, QUESTION, LETTERS, FEATURES, GOLD, LABEL, FIELDS };

/* Example e: sentences, words of sentence s, words of its question, rows, and every value, from its number. */
static int64_t sentences_of(int64_t e) { return e * 5 % 4; }
static int64_t words_of(int64_t e, int64_t s) { return (e + 2 * s) % 5; }
static int64_t asked_of(int64_t e) { return 1 + e % 4; }
static int64_t rows_of(int64_t e) { return e % 3; }
static int64_t gold_of(int64_t e) { return 2 + e % 5; }
static int32_t word_of(int64_t e, int64_t s, int64_t w) { return (int32_t)(VOCAB_SPECIALS + (e * 7 + s * 3 + w) % 26); }
static float value_of(int64_t e, int64_t r, int64_t c) { return (float)(e + 1) * 0.1F + (float)r * 7 - (float)c / 3; }

static const char letter[26][2] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m",
                                   "n", "o", "p", "q", "r", "s", "t", "u", "v", "w", "x", "y", "z"};

static const Vocab *vocab(void)
{
    VocabBuilder *b;
    Vocab *v;
    CHECK_OK(vocab_builder_open(&b, &run, "words", 1 << 16));
    for (int i = 0; i < 26; i++) CHECK_OK(vocab_builder_add(b, letter[i], 1, 100 - i));
    CHECK_OK(vocab_build(&v, &run, b, &(VocabLimits){.special = true}));
    vocab_builder_close(b);
    return v;
}

static Word spelled(int32_t id) { return (Word){letter[id - VOCAB_SPECIALS], 1}; }

static void make(Example *x, int64_t e, bool labelled)
{
    int64_t start[8] = {0};
    Word word[64];
    float *row = arena_zeros(&run, 16, sizeof *row);
    int32_t gold[8];
    TextWords w = {.word = word};
    *x = (Example){0};
    for (int64_t s = 0; s < sentences_of(e); s++) {
        for (int64_t i = 0; i < words_of(e, s); i++) word[w.words++] = spelled(word_of(e, s, i));
        start[s + 1] = w.words;
    }
    w.sentences = sentences_of(e);
    w.start = arena_zeros(&run, 8, sizeof *w.start);
    memcpy(w.start, start, sizeof start);
    w.word = arena_zeros(&run, 64, sizeof *w.word);
    memcpy(w.word, word, sizeof word);
    CHECK_OK(example_sentences(&x->field[TEXT], &run, &w));
    TextWords q = {.words = asked_of(e), .word = arena_zeros(&run, 8, sizeof *q.word)};
    for (int64_t i = 0; i < q.words; i++) q.word[i] = i == 2 ? (Word){"unheard", 7} : spelled(word_of(e, 9, i));
    CHECK_OK(example_words(&x->field[QUESTION], &run, &q));
    CHECK_OK(example_characters(&x->field[LETTERS], &run, q.words, q.word));
    for (int64_t i = 0; i < rows_of(e); i++)
        for (int64_t c = 0; c < WIDTH; c++) row[i * WIDTH + c] = value_of(e, i, c);
    CHECK_OK(example_rows(&x->field[FEATURES], &run, rows_of(e), row));
    for (int32_t i = 0; i < gold_of(e); i++) gold[i] = i;
    CHECK_OK(example_numbers(&x->field[GOLD], &run, gold_of(e), gold));
    if (labelled) CHECK_OK(example_number(&x->field[LABEL], &run, (int32_t)e * 11));
}

static int64_t least(int64_t a, int64_t b) { return b > 0 && b < a ? b : a; }

/* Place i of the batch is example e, cut to so many sentences and words. */
static void check(const Batch *b, int64_t i, int64_t e, int64_t sentences, int64_t words)
{
    CHECK(b->example[i] == 100 + e, "example %lld", (long long)b->example[i]);
    const Ragged *text = batch_role(b, ROLE_INPUT), *asked = batch_role(b, ROLE_QUERY),
                 *letters = batch_role_of(b, ROLE_SPELLING, ROLE_QUERY), *rows = batch_role(b, ROLE_FEATURES),
                 *gold = batch_gold(b, ROLE_INPUT, 1);
    const int64_t first = text->offset[0][i], n = least(sentences_of(e), sentences);
    CHECK(text->offset[0][i + 1] - first == n, "sentences of %lld", (long long)e);
    for (int64_t s = 0; s < n; s++) {
        const int64_t at = text->offset[1][first + s], m = least(words_of(e, s), words);
        CHECK(text->offset[1][first + s + 1] - at == m, "words of %lld", (long long)e);
        for (int64_t k = 0; k < m; k++) CHECK(text->id[at + k] == word_of(e, s, k), "word %d", text->id[at + k]);
    }
    const int64_t q = asked->offset[0][i], a = least(asked_of(e), words);
    CHECK(asked->offset[0][i + 1] - q == a && letters->offset[0][i + 1] - letters->offset[0][i] == a,
          "a spelling is cut with its words: %lld", (long long)e);
    for (int64_t k = 0; k < a; k++) {
        const int32_t id = asked->id[q + k];
        const int64_t *l = letters->offset[1] + letters->offset[0][i] + k;
        CHECK(id == (k == 2 ? VOCAB_UNK : word_of(e, 9, k)), "asked %d", id);
        CHECK(l[1] - l[0] == (k == 2 ? 7 : 1), "letters %lld", (long long)(l[1] - l[0]));
    }
    const int64_t r = rows->offset[0][i];
    CHECK(rows->offset[0][i + 1] - r == rows_of(e), "rows of %lld", (long long)e);
    for (int64_t k = 0; k < rows_of(e); k++)
        for (int64_t c = 0; c < WIDTH; c++) {
            const float want = value_of(e, k, c);
            CHECK(memcmp(&rows->value[(r + k) * WIDTH + c], &want, sizeof want) == 0, "value of %lld", (long long)e);
        }
    CHECK(gold->offset[0][i + 1] - gold->offset[0][i] == gold_of(e), "a list of numbers is not cut");
}

static void build(Batch *b, const Example *x, int64_t n, int64_t sentences, int64_t words,
                  const Word *word[BATCH_FIELDS])
{
    static int64_t number[N];
    BuildRule rule = {.n_fields = FIELDS, .field = fields, .sentences = sentences, .words = words};
    for (int f = TEXT; f <= LETTERS; f++) rule.vocab[f] = vocab();
    for (int64_t i = 0; i < N; i++) number[i] = 100 + i;
    CHECK_OK(build_examples(b, &run, &rule, n, x, number, word));
}

TEST(examples_become_a_batch)
{
    static const int64_t caps[][2] = {{0, 0}, {2, 0}, {0, 1}, {1, 2}, {9, 9}};
    static Example x[N];
    for (int64_t e = 0; e < N; e++) make(&x[e], e, true);
    for (int k = 0; k < 5; k++) {
        Batch b;
        const Word *word[BATCH_FIELDS];
        build(&b, x, N, caps[k][0], caps[k][1], word);
        CHECK(b.B == N && b.all == N && b.n_fields == FIELDS, "%d fields", b.n_fields);
        for (int64_t e = 0; e < N; e++) {
            check(&b, e, e, caps[k][0], caps[k][1]);
            CHECK(batch_role(&b, ROLE_TARGET)->id[e] == e * 11, "label");
        }
        const Ragged *q = batch_role(&b, ROLE_QUERY);
        for (int64_t i = 0; i < q->count[1]; i++) { /* the texts are those of the ids */
            const Word *w = &word[QUESTION][i];
            CHECK(q->id[i] == VOCAB_UNK ? w->size == 7 : w->text == letter[q->id[i] - VOCAB_SPECIALS], "text %lld",
                  (long long)i);
        }
        assert_null(word[FEATURES]);
        assert_null(word[LABEL]);
    }
    arena_close(&run);
}

TEST(what_is_not_known_of_all_is_left_out)
{
    static Example x[N];
    Batch b;
    const Word *word[BATCH_FIELDS];
    for (int64_t e = 0; e < N; e++) make(&x[e], e, e != 4);
    build(&b, x, 4, 0, 0, word);
    assert_non_null(batch_role(&b, ROLE_TARGET));
    build(&b, x, N, 0, 0, word);
    assert_null(batch_role(&b, ROLE_TARGET));
    for (int64_t e = 0; e < N; e++) check(&b, e, e, 0, 0);
    for (int64_t e = 0; e < N; e++) x[e].field[TEXT].count[0] = 0;
    build(&b, x, N, 0, 0, word);
    assert_ptr_equal(b.field[0].field, &fields[QUESTION]);
    assert_non_null(word[0]);
    build(&b, x, 0, 0, 0, NULL);
    assert_int_equal(b.B, 0);
    arena_close(&run);
}

TEST(rows_of_a_batch_come_in_any_order)
{
    static Example x[N];
    static const int64_t orders[][8] = {{0, 1, 2, 3, 4, 5, 6}, {6, 0, 3}, {2, 2, 2, 2, 2, 5, 2, 2}, {0}};
    static const int64_t lengths[] = {7, 3, 8, 0};
    Batch all;
    for (int64_t e = 0; e < N; e++) make(&x[e], e, true);
    build(&all, x, N, 0, 0, NULL);
    for (int k = 0; k < 4; k++) {
        Batch b;
        CHECK_OK(build_rows(&b, &run, &all, lengths[k], orders[k]));
        CHECK(b.B == lengths[k] && b.all == lengths[k] && b.n_fields == all.n_fields, "sizes");
        for (int64_t i = 0; i < b.B; i++) check(&b, i, orders[k][i], 0, 0);
    }
    arena_close(&run);
}

TEST(words_take_the_place_of_a_field)
{
    static const int32_t one[] = {5, 6}, two[] = {7};
    Ragged r;
    Batch b = {.B = 3, .n_fields = 1, .field = {{.field = test_field_of("source")}}};
    int at;
    CHECK_OK(build_ids(&r, &run, test_field_of("target"), 3, (const BuildIds[]){{2, one}, {0, NULL}, {1, two}}));
    CHECK(r.count[0] == 3 && r.count[1] == 3 && r.offset[0][1] == 2 && r.offset[0][2] == 2 && r.offset[0][3] == 3 &&
              r.id[0] == 5 && r.id[1] == 6 && r.id[2] == 7,
          "ids");
    CHECK_OK(build_put(&b, &r, &at));
    CHECK(b.n_fields == 2 && at == 1 && batch_role(&b, ROLE_TARGET)->id == r.id, "one more");
    CHECK_OK(build_ids(&r, &run, test_field_of("target"), 3, (const BuildIds[3]){{0}}));
    CHECK_OK(build_put(&b, &r, &at));
    CHECK(b.n_fields == 2 && at == 1 && batch_role(&b, ROLE_TARGET)->count[1] == 0, "instead");
    b.n_fields = BATCH_FIELDS;
    for (int f = 0; f < BATCH_FIELDS; f++) b.field[f].field = test_field_of("source");
    CHECK_SAYS(build_put(&b, &r, &at), ERR_INTERNAL, "a batch of more than 12 fields");
    CHECK_SAYS(build_ids(&r, &run, test_field_of("text"), 0, NULL), ERR_INTERNAL, "field text has no sequences of ids");
    arena_close(&run);
}

TEST(random_fields_are_full)
{
    Ragged r;
    int64_t seen[5] = {0};
    CHECK_OK(
        build_random(&r, &run, test_field_of("text"), 40, (const int64_t[]){3, 2}, 5, random_key(1, RANDOM_TEST, 0)));
    CHECK(r.count[0] == 40 && r.count[1] == 120 && r.count[2] == 240 && r.offset[0][40] == 120 && r.offset[1][7] == 14,
          "sizes");
    for (int i = 0; i < 240; i++) {
        assert_in_range(r.id[i], 0, 4);
        seen[r.id[i]]++;
    }
    for (int k = 0; k < 5; k++) CHECK(seen[k] > 20, "%d came %lld times", k, (long long)seen[k]);
    arena_close(&run);
}

TEST(every_allocation_may_fail)
{
    static Example x[N];
    for (int64_t e = 0; e < N; e++) make(&x[e], e, true);
    BuildRule rule = {.n_fields = FIELDS, .field = fields};
    for (int f = TEXT; f <= LETTERS; f++) rule.vocab[f] = vocab();
    const int64_t number[N] = {0}, row[2] = {3, 1};
    for (long n = 1;; n++) {
        Arena arena = {.fail_in = n};
        Batch b, c;
        const Word *word[BATCH_FIELDS];
        Status st = build_examples(&b, &arena, &rule, N, x, number, word);
        if (st == OK) st = build_rows(&c, &arena, &b, 2, row);
        const bool reached = arena.fail_in == 0;
        arena_close(&arena);
        if (!reached) {
            CHECK_OK(st);
            CHECK(n > 20, "too few allocations: %ld", n);
            break;
        }
        CHECK(st == ERR_HOST, "allocation %ld: %d", n, (int)st);
    }
    arena_close(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(examples_become_a_batch),
        RUN(what_is_not_known_of_all_is_left_out),
        RUN(rows_of_a_batch_come_in_any_order),
        RUN(words_take_the_place_of_a_field),
        RUN(random_fields_are_full),
        RUN(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
