/* test_vectors.c - pretrained vectors in three formats, and their faults. */
#include "import_test.h"
#include "io/text/vectors.h"

static const Vocab *words_of(const char *const *words, int n)
{
    VocabBuilder *b;
    Vocab *v;
    CHECK_OK(vocab_builder_open(&b, &run, "words", 1 << 20));
    for (int i = 0; i < n; i++) CHECK_OK(vocab_builder_add(b, words[i], strlen(words[i]), n - i));
    CHECK_OK(vocab_build(&v, &run, b, &(VocabLimits){.special = true}));
    vocab_builder_close(b);
    return v;
}

static const char *const words[] = {"cat", "dog", "a b"};

static void check_rows(const Vectors *o)
{
    assert_int_equal(o->V, 7);
    assert_int_equal(o->D, 3);
    assert_int_equal(o->read, 4);
    assert_int_equal(o->known, 2);
    static const float expected[7][3] = {{0}, {-0.0f, 1.25f, 1.75f}, {0}, {0}, {1, 2, 3},
                                         {0}, {-2.5f, 0, 1}}; /* <unk>: the mean of all four */
    for (int i = 0; i < 7; i++) {
        assert_int_equal(o->found[i], i == VOCAB_UNK || i == 4 || i == 6);
        for (int k = 0; k < 3; k++) CHECK_NEAR(o->row[3 * i + k], expected[i][k], 1e-6);
    }
}

TEST(the_three_formats_give_the_same_rows)
{
    Vectors o;
    const Vocab *v = words_of(words, 3);
    FILE_OF("g.txt", "cat 1 2 3\nbird 1e0 1 2\na b -2.5 0 1\ncat 0.5 2 1\n");
    CHECK_OK(vectors_read(&o, &run, "g.txt", VECTORS_GLOVE, v, 0, true));
    check_rows(&o);
    FILE_OF("w.txt", "4 3\ncat 1 2 3 \nbird 1\t1 2\na b -2.5 0 1\ncat 0.5 2 1\n");
    CHECK_OK(vectors_read(&o, &run, "w.txt", VECTORS_WORD2VEC, v, 3, true));
    check_rows(&o);
    FILE *f = fopen("g.bin", "wb");
    static const float rows[4][3] = {{1, 2, 3}, {1, 1, 2}, {-2.5f, 0, 1}, {0.5f, 2, 1}};
    static const char *const names[] = {"cat", "bird", "dog\n", "cat"};
    fprintf(f, "4 3\n");
    for (int i = 0; i < 4; i++) {
        fprintf(f, "%s%s ", i % 2 ? "\n" : "", i == 2 ? "axb" : names[i]);
        fwrite(rows[i], 4, 3, f);
    }
    fclose(f);
    static const char *const others[] = {"cat", "dog", "axb"};
    CHECK_OK(vectors_read(&o, &run, "g.bin", VECTORS_WORD2VEC_BINARY, words_of(others, 3), 3, true));
    check_rows(&o);
    CHECK_OK(vectors_read(&o, &run, "g.bin", VECTORS_WORD2VEC_BINARY, words_of(others, 3), 3, false));
    assert_false(o.found[VOCAB_UNK]);
}

static void fault(const char *text, size_t size, VectorsFormat format, int64_t D, const char *message)
{
    Vectors o;
    file_of("v", text, size);
    CHECK_SAYS(vectors_read(&o, &run, "v", format, words_of(words, 3), D, true), ERR_DATA, message);
}
#define FAULT(text, format, D, message) fault((text), sizeof(text) - 1, (format), (D), (message))

TEST(faults_name_file_and_line)
{
    FAULT("cat 1 2\ndog 1\n", VECTORS_GLOVE, 0, "v:2: 1 numbers; 2 were expected");
    FAULT("cat 1 2\ndog x 1\n", VECTORS_GLOVE, 0, "v:2: \"x\" is not a finite number");
    FAULT("cat 1 2\ndog nan 1\n", VECTORS_GLOVE, 0, "v:2: \"nan\" is not a finite number");
    FAULT("cat 1 1e99\n", VECTORS_GLOVE, 0, "v:1: \"1e99\" is not a finite number");
    FAULT("cat 1 2\n", VECTORS_GLOVE, 300, "v:1: vectors of 2 numbers; the model needs 300");
    FAULT("cat\n", VECTORS_GLOVE, 0, "v:1: vectors of 0 numbers; 1 to 100000 are possible");
    FAULT("cat 1\0 2\n", VECTORS_GLOVE, 0, "v:1: not text: a 0 byte");
    FAULT("cat 1 2\n", VECTORS_WORD2VEC, 0,
          "v:1: a header with the number of words and of their numbers was expected: \"cat 1 2\"");
    FAULT("3 2\ncat 1 2\n", VECTORS_WORD2VEC, 0, "v: 1 vectors; the header promises 3");
    FAULT("3 999999999\ncat 1 2\n", VECTORS_WORD2VEC, 0, "v:1: vectors of 999999999 numbers; 1 to 100000 are possible");
    FAULT("2 1\ncat \0\0\0\0dog \0\0", VECTORS_WORD2VEC_BINARY, 0, "v: the file ends early");
    FAULT("2 1\ncat \0\0\0\0dog", VECTORS_WORD2VEC_BINARY, 0, "v: the file ends early");
    FAULT("1 1\ncat \0\0\200\177", VECTORS_WORD2VEC_BINARY, 0, "v: word 1, \"cat\": number 1 is not finite");
    fault("", 0, VECTORS_GLOVE, 0, "v: the file is empty");
}

/* Rows that other programs write or pass over: none of them may hide those of the words. */
TEST(odd_rows_are_passed_over)
{
    static const char *const texts[] = {
        "cat 1 2 3\na b -2.5 0 1\n\n",           "\n \t\ncat 1 2 3\n\na b -2.5 0 1",
        "cat 1 2 3\r\n\r\na b -2.5 0 1\r\n",     "cat 1 2 3\ra b -2.5 0 1\r",
        "at 5 9 9 9\ncat 1 2 3\na b -2.5 0 1\n", "  9 9 9\ncat 1 2 3\na b -2.5 0 1\n",
        "cat 1 2 3\n 9 9 9\na b -2.5 0 1\n",     "\xef\xbb\xbf\x63\x61t 1 2 3\na b -2.5 0 1\n",
        "cat\t1\t2\t3\na b\t-2.5\t0\t1 \n",
    };
    const Vocab *v = words_of(words, 3);
    for (int i = 0; i < COUNT(texts); i++) {
        Vectors o;
        file_of("odd", texts[i], strlen(texts[i]));
        CHECK_OK(vectors_read(&o, &run, "odd", VECTORS_GLOVE, v, 3, false));
        CHECK(o.known == 2 && o.found[4] && o.found[6], "text %d: %d known", i, (int)o.known);
        assert_float_equal(o.row[12], 1, 0);
        assert_float_equal(o.row[18], -2.5, 0);
    }
    FAULT("cat 1 2 3 4\ndog 1 2 3 4\n", VECTORS_GLOVE, 3, "v:1: vectors of 4 numbers; the model needs 3");
    FAULT("a b 1 2\n", VECTORS_GLOVE, 3, "v:1: \"b\" is not a finite number");
    FAULT("cat 1 2 3\nabc\n", VECTORS_GLOVE, 3, "v:2: 0 numbers; 3 were expected");
    FAULT("5 3\ncat 1 2 3\n", VECTORS_GLOVE, 3, "v:1: vectors of 1 numbers; the model needs 3");
    assert_int_equal(mkfifo("pipe", 0600), 0);
    Vectors o;
    CHECK_SAYS(vectors_read(&o, &run, "pipe", VECTORS_GLOVE, v, 3, false), ERR_INPUT,
               "pipe: not a regular file, but it is read by each rank, or twice");
}

int main(void)
{
    folder_make();
    const struct CMUnitTest tests[] = {
        RUN(the_three_formats_give_the_same_rows),
        RUN(faults_name_file_and_line),
        RUN(odd_rows_are_passed_over),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    folder_remove();
    arena_close(&run);
    arena_close(&scratch);
    return failed;
}
