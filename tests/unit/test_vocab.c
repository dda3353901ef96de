/* test_vocab.c - counting, order, limits, merging, flat arrays and hostile ones. */
#include "check.h"
#include "io/text/vocab.h"

#include <stdio.h>
#include <xxhash.h>

static Arena arena;

static VocabBuilder *builder_of(const char *const *words, int n)
{
    VocabBuilder *b;
    CHECK_OK(vocab_builder_open(&b, &arena, "words", 1 << 20));
    for (int i = 0; i < n; i++) CHECK_OK(vocab_builder_add(b, words[i], strlen(words[i]), 1));
    return b;
}

static const char *const text[] = {"the", "cat", "saw", "the", "dog", "the", "dog", "ran", "<pad>"};

TEST(words_are_ordered_by_count_and_then_by_bytes)
{
    VocabBuilder *b = builder_of(text, 9);
    Vocab *v;
    CHECK_OK(vocab_build(&v, &arena, b, &(VocabLimits){.special = true}));
    static const char *const expected[] = {"<pad>", "<unk>", "<s>", "</s>", "the", "dog", "cat", "ran", "saw"};
    static const int64_t counts[] = {0, 1, 0, 0, 3, 2, 1, 1, 1};
    assert_int_equal(vocab_size(v), 9);
    for (int i = 0; i < 9; i++) {
        assert_string_equal(vocab_word(v, i), expected[i]);
        assert_int_equal(vocab_count(v, i), counts[i]);
        if (i >= VOCAB_SPECIALS) assert_int_equal(vocab_id(v, expected[i], strlen(expected[i])), i);
    }
    assert_int_equal(vocab_id(v, "bird", 4), VOCAB_UNK);
    assert_int_equal(vocab_id(v, "do", 2), VOCAB_UNK);
    assert_int_equal(vocab_id(v, "<pad>", 5), VOCAB_UNK);
    assert_int_equal(vocab_id(v, "", 0), VOCAB_UNK);
    assert_string_equal(vocab_word(v, 99), "<unk>");
    vocab_builder_close(b);
}

TEST(limits_leave_out_rare_words_and_count_them_as_unknown)
{
    VocabBuilder *b = builder_of(text, 9);
    Vocab *v;
    CHECK_OK(vocab_build(&v, &arena, b, &(VocabLimits){.special = true, .min_count = 2}));
    assert_int_equal(vocab_size(v), VOCAB_SPECIALS + 2);
    assert_int_equal(vocab_count(v, VOCAB_UNK), 4);
    CHECK_OK(vocab_build(&v, &arena, b, &(VocabLimits){.special = true, .max_size = 3}));
    assert_int_equal(vocab_size(v), VOCAB_SPECIALS + 3);
    assert_string_equal(vocab_word(v, VOCAB_SPECIALS + 2), "cat");
    CHECK_OK(vocab_build(&v, &arena, b, &(VocabLimits){.special = false}));
    assert_int_equal(vocab_size(v), 6);
    assert_int_equal(vocab_id(v, "bird", 4), -1);
    assert_int_equal(vocab_id(v, "the", 3), 0);
    assert_int_equal(vocab_id(v, "<pad>", 5), 2);
    vocab_builder_close(b);
}

static void add_numbers(VocabBuilder *b, int from, int to, int step)
{
    for (int i = from; i < to; i += step) {
        char word[32];
        snprintf(word, sizeof word, "w%d", i);
        CHECK_OK(vocab_builder_add(b, word, strlen(word), i % 7 + 1));
    }
}

TEST(merging_the_parts_gives_the_same_as_counting_all_at_once)
{
    VocabBuilder *all, *a, *b;
    CHECK_OK(vocab_builder_open(&all, &arena, "words", 1 << 24));
    CHECK_OK(vocab_builder_open(&a, &arena, "words", 1 << 24));
    CHECK_OK(vocab_builder_open(&b, &arena, "words", 1 << 24));
    add_numbers(all, 0, 20000, 1);
    add_numbers(all, 0, 5000, 1);
    add_numbers(a, 0, 20000, 2);
    add_numbers(b, 1, 20000, 2);
    add_numbers(b, 0, 5000, 1);
    Buffer bytes = {0};
    CHECK_OK(vocab_builder_write(b, &bytes));
    CHECK_OK(vocab_builder_merge(a, bytes.data, bytes.size));
    assert_int_equal(vocab_builder_words(a), 20000);
    assert_int_equal(vocab_builder_count(a, "w3", 2), 8);
    Vocab *one, *two;
    CHECK_OK(vocab_build(&one, &arena, all, &(VocabLimits){.special = true}));
    CHECK_OK(vocab_build(&two, &arena, a, &(VocabLimits){.special = true}));
    assert_string_equal(vocab_digest(one), vocab_digest(two));
    for (int64_t i = 0; i < vocab_size(one); i++) assert_int_equal(vocab_count(one, i), vocab_count(two, i));
    CHECK_FAILS(vocab_builder_merge(a, bytes.data, bytes.size - 1), ERR_INTERNAL);
    CHECK_FAILS(vocab_builder_merge(a, bytes.data, 5), ERR_INTERNAL);
    memset(bytes.data + 8, 0xff, 4);
    CHECK_FAILS(vocab_builder_merge(a, bytes.data, bytes.size), ERR_INTERNAL);
    buffer_close(&bytes);
    vocab_builder_close(all);
    vocab_builder_close(a);
    vocab_builder_close(b);
}

TEST(a_vocabulary_that_outgrows_its_memory_says_what_to_do)
{
    VocabBuilder *b;
    CHECK_OK(vocab_builder_open(&b, &arena, "words", 20000));
    Status st = OK;
    for (int i = 0; i < 10000 && st == OK; i++) {
        char word[32];
        snprintf(word, sizeof word, "w%d", i);
        st = vocab_builder_add(b, word, strlen(word), 1);
    }
    CHECK_SAYS(
        st, ERR_DATA,
        "the vocabulary `words` outgrew its memory of 20000 bytes at 552 different words, the last one \"w552\": "
        "lower-case the text, set `numbers: zero`, or allow more memory");
    vocab_builder_close(b);
}

TEST(the_digest_is_xxh3_of_the_words_each_with_a_zero_byte)
{
    VocabBuilder *b = builder_of(text, 6);
    Vocab *v;
    CHECK_OK(vocab_build(&v, &arena, b, &(VocabLimits){.special = false}));
    static const char words[] = "the\0cat\0dog\0saw"; /* with the 0 that ends the literal */
    const XXH128_hash_t h = XXH3_128bits(words, sizeof words);
    char hex[33];
    snprintf(hex, sizeof hex, "%016llx%016llx", (unsigned long long)h.high64, (unsigned long long)h.low64);
    assert_string_equal(vocab_digest(v), hex);
    vocab_builder_close(b);
}

TEST(flat_arrays_give_the_vocabulary_back)
{
    VocabBuilder *b = builder_of(text, 9);
    Vocab *v, *again;
    VocabFlat flat;
    CHECK_OK(vocab_build(&v, &arena, b, &(VocabLimits){.special = true}));
    CHECK_OK(vocab_flat(v, &arena, &flat));
    CHECK_OK(vocab_from_flat(&again, &arena, "words.vocab.h5", &flat));
    assert_string_equal(vocab_digest(v), vocab_digest(again));
    assert_int_equal(vocab_count(again, 4), 3);
    assert_true(vocab_special(again));
    vocab_builder_close(b);
}

static void says(const VocabFlat *flat, const char *message)
{
    Vocab *v;
    CHECK_SAYS(vocab_from_flat(&v, &arena, "v.h5", flat), ERR_DATA, message);
}

TEST(damaged_flat_arrays_are_refused)
{
    int64_t offset[] = {0, 1, 2, 4}, count[] = {3, 2, 1};
    VocabFlat f = {false, 3, 4, "abcd", offset, count};
    Vocab *v;
    CHECK_OK(vocab_from_flat(&v, &arena, "v.h5", &f));
    assert_string_equal(vocab_word(v, 2), "cd");
    offset[1] = 3;
    says(&f, "v.h5: word 1 lies at 3..2 of 4 bytes");
    offset[1] = INT64_MAX;
    says(&f, "v.h5: word 0 lies at 0..9223372036854775807 of 4 bytes");
    offset[1] = -1;
    says(&f, "v.h5: word 0 lies at 0..-1 of 4 bytes");
    offset[1] = 0;
    says(&f, "v.h5: word 0 lies at 0..0 of 4 bytes");
    offset[1] = 1;
    offset[3] = 5;
    says(&f, "v.h5: the last offset is 5, but there are 4 bytes");
    offset[3] = 4;
    offset[0] = 1;
    says(&f, "v.h5: the first offset is 1, 0 was expected");
    offset[0] = 0;
    count[1] = -2;
    says(&f, "v.h5: word 1 was counted -2 times");
    count[1] = 2;
    f.bytes = "aacd";
    says(&f, "v.h5: the word \"a\" is there twice, as 0 and as 1");
    f.bytes = "ab\xff\xff";
    says(&f, "v.h5: word 2 is not UTF-8 text");
    f.bytes = "ab\0d";
    says(&f, "v.h5: word 2 is not UTF-8 text");
    f.bytes = "abcd";
    f.n = -1;
    says(&f, "v.h5: -1 words, at most 1073741823 are possible");
    f.n = INT64_MAX;
    says(&f, "v.h5: 9223372036854775807 words, at most 1073741823 are possible");
    f.n = 3;
    f.special = true;
    says(&f, "v.h5: word 0 is \"a\", <pad> was expected");
    f.n = 0;
    f.n_bytes = 0;
    says(&f, "v.h5: 0 words, but the 4 special ones are due");
    f.special = false;
    CHECK_OK(vocab_from_flat(&v, &arena, "v.h5", &f));
    assert_int_equal(vocab_id(v, "a", 1), -1);
}

TEST(every_allocation_of_a_build_may_fail)
{
    VocabBuilder *b = builder_of(text, 9);
    for (long n = 1;; n++) {
        Arena run = {.fail_in = n};
        Vocab *v;
        const Status st = vocab_build(&v, &run, b, &(VocabLimits){.special = true});
        const bool reached = run.fail_in == 0;
        arena_close(&run);
        if (!reached) {
            CHECK(st == OK && n > 4, "%ld allocations", n);
            break;
        }
        CHECK_FAILS(st, ERR_HOST);
    }
    vocab_builder_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(words_are_ordered_by_count_and_then_by_bytes),
        RUN(limits_leave_out_rare_words_and_count_them_as_unknown),
        RUN(merging_the_parts_gives_the_same_as_counting_all_at_once),
        RUN(a_vocabulary_that_outgrows_its_memory_says_what_to_do),
        RUN(the_digest_is_xxh3_of_the_words_each_with_a_zero_byte),
        RUN(flat_arrays_give_the_vocabulary_back),
        RUN(damaged_flat_arrays_are_refused),
        RUN(every_allocation_of_a_build_may_fail),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_close(&arena);
    return failed;
}
