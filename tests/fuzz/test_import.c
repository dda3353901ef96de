/* Mutants of good input files: each is read, or refused with a message that names the file. Never a crash. */
#include "comm/random.h"
#include "io/import/ask.h"
#include "io/import/document.h"
#include "io/import/story.h"
#include "io/text/vectors.h"
#include "unit/import_test.h"

enum { MUTANTS = 600, ROOM = 4096 };

static size_t pick(uint64_t row, uint64_t column, size_t n)
{
    return (size_t)random_below(random_key(7, RANDOM_TEST, 0), row, column, (int64_t)n);
}

static const char *const tokens[] = {"\t",          "\n", "\r\n", " ",   "?",       ".",      "1 ",
                                     "99999999999", "-1", "\"",   "[",   "{",       "\xff",   "\xc3",
                                     "\xe2\x80",    "\0", "nan",  "1e9", "\\u0000", "\\ud800"};

/* One to three edits: a byte changed, a piece left out, a piece doubled, a token put in. */
static size_t mutate(char *text, size_t size, uint64_t i)
{
    for (uint64_t e = 0, edits = 1 + pick(i, 0, 3); e < edits && size > 0; e++) {
        const size_t at = pick(i, 8 * e + 1, size), left = size - at;
        const size_t length = 1 + pick(i, 8 * e + 2, left < 30 ? left : 30), k = pick(i, 8 * e + 3, COUNT(tokens));
        const size_t token = strlen(tokens[k]) ? strlen(tokens[k]) : 1;
        switch (pick(i, 8 * e + 4, 4)) {
        case 0: text[at] = (char)pick(i, 8 * e + 5, 256); break;
        case 1:
            memmove(text + at, text + at + length, left - length);
            size -= length;
            break;
        case 2:
            if (size + length > ROOM) break;
            memmove(text + at + length, text + at, left);
            size += length;
            break;
        default:
            if (size + token > ROOM) break;
            memmove(text + at + token, text + at, left);
            memcpy(text + at, tokens[k], token);
            size += token;
        }
    }
    return size;
}

static void judge(Status st, const char *file, int *taken)
{
    if (st == OK) {
        ++*taken;
        return;
    }
    CHECK(st == ERR_DATA || st == ERR_INPUT, "%d: %s", (int)st, status_text());
    CHECK(strncmp(status_message(), file, strlen(file)) == 0, "%s", status_message());
}

static void mutants_of(const char *importer, const void *settings, const char *file, const char *good, size_t size)
{
    char text[ROOM];
    int taken = 0, n;
    const TextSettings *words = text_of(NULL, NULL);
    for (uint64_t i = 0; i < MUTANTS; i++) {
        memcpy(text, good, size);
        file_of(file, text, mutate(text, size, i));
        judge(walk(importer, settings, words, "train", &n), file, &taken);
    }
    CHECK(taken > MUTANTS / 50 && taken < MUTANTS, "%s: %d mutants were taken", importer, taken);
}
#define MUTANTS_OF(importer, file, good, ...)                                                                          \
    mutants_of((importer), settings_of((importer), "valid_share", "0", __VA_ARGS__, NULL), (file), (good),             \
               sizeof(good) - 1)

TEST(mutants_of_stories)
{
    MUTANTS_OF("babi", "qa1_x.txt",
               "1 Mary went to the garden.\n2 John took the milk.\n3 Where is Mary?\tgarden\t1\n4 Daniel left.\n"
               "5 Who left?\tDaniel,John\t4 2\n1 Sandra is here.\n2 Where?\there\t1\n",
               "train", "qa1_x.txt");
}

TEST(mutants_of_documents)
{
    MUTANTS_OF("jsonl", "a.jsonl",
               "{\"text\": \"One two. Gr\xc3\xbc\xc3\x9f!\", \"label\": \"pos\"}\n"
               "{\"text\": [\"A b\", \"c\"], \"label\": 3}\n{\"text\": [[\"x\", \"y\"], [\"z\"]], \"label\": \"n\"}\n",
               "train", "a.jsonl");
    MUTANTS_OF("tsv", "a.tsv", "id\ttext\tlabel\n1\tOne two. \xe4\xbd\xa0\xe5\xa5\xbd\tpos\n2\tThree?\tneg\n", "train",
               "a.tsv");
    mkdir("docs", 0755);
    mkdir("docs/pos", 0755);
    MUTANTS_OF("folders", "docs/pos/a.txt", "One two.\nThree, gr\xc3\xbc\xc3\x9f!\n\n\xe4\xbd\xa0\xe5\xa5\xbd\n",
               "train", "docs");
}

TEST(mutants_of_pairs)
{
    static const char good[] = "a b\tA B C\t0-0 1?2\n\xe4\xbd\xa0\t\xe5\xa5\xbd .\t0-1\n";
    const void *settings = settings_of("parallel", "train_source", "a.tsv", "source_column", "1", "target_column", "2",
                                       "links_column", "3", NULL);
    char text[ROOM];
    int taken = 0, n;
    const TextSettings *words = text_of(NULL, "words", "space", NULL);
    for (uint64_t i = 0; i < MUTANTS; i++) {
        memcpy(text, good, sizeof good);
        file_of("a.tsv", text, mutate(text, sizeof good - 1, i));
        judge(walk("parallel", settings, words, "train", &n), "a.tsv", &taken);
    }
    CHECK(taken > MUTANTS / 50 && taken < MUTANTS, "%d mutants were taken", taken);
}

TEST(mutants_of_vectors)
{
    static const char text[] = "2 3\ncat 1 2.5 -3\ndog 0.1 2e-3 4\n", binary[] = "2 2\ncat 12345678\ndog 1234\0\0\0\0";
    VocabBuilder *b;
    Vocab *v;
    CHECK_OK(vocab_builder_open(&b, &run, "words", 1 << 16));
    CHECK_OK(vocab_builder_add(b, "cat", 3, 1));
    CHECK_OK(vocab_build(&v, &run, b, &(VocabLimits){.special = true}));
    vocab_builder_close(b);
    for (int k = 0; k < 3; k++) {
        char copy[ROOM];
        int taken = 0;
        for (uint64_t i = 0; i < MUTANTS; i++) {
            const char *good = k == 2 ? binary : k == 1 ? text + 4 : text;
            const size_t size = k == 2 ? sizeof binary - 1 : strlen(good);
            Vectors o;
            memcpy(copy, good, size);
            file_of("v", copy, mutate(copy, size, i));
            arena_release(&scratch, (ArenaMark){0});
            const VectorsFormat format = k == 2 ? VECTORS_WORD2VEC_BINARY : k == 1 ? VECTORS_GLOVE : VECTORS_WORD2VEC;
            judge(vectors_read(&o, &scratch, "v", format, v, 0, true), "v", &taken);
        }
        CHECK(taken > MUTANTS / 50 && taken < MUTANTS, "%d mutants were taken", taken);
    }
}

TEST(mutants_of_questions)
{
    static const char *const good[] = {
        "{\"story\": [\"Anna sat.\", \"Omar ran.\"], \"question\": \"Where?\"}",
        "1 Anna sat.\n2 Who sat?\tanna\t1\n3 Omar ran.\n4 Who ran?",
        "{\"text\": [[\"a\", \"b\"], [\"c\"]]}",
        "Some words. \xe4\xbd\xa0\xe5\xa5\xbd",
    };
    for (int k = 0; k < 4; k++) {
        ImportAsk *q;
        CHECK_OK(import_ask_open(&q, &run, k < 2 ? "babi" : "jsonl", k < 2 ? STORY_FIELDS : DOCUMENT_FIELDS,
                                 k < 2 ? story_fields : document_fields, text_of(NULL, NULL)));
        char *text = arena_alloc(&run, ROOM);
        int taken = 0;
        for (uint64_t i = 0; i < MUTANTS; i++) {
            Example e;
            memcpy(text, good[k], strlen(good[k]));
            const Record r = {text, mutate(text, strlen(good[k]), i), "in.txt", 1};
            arena_release(&scratch, (ArenaMark){0});
            judge(import_ask(q, &r, NULL, &scratch, &e), "in.txt:", &taken);
        }
        CHECK(taken > MUTANTS / 50 && taken < MUTANTS, "%d mutants were taken", taken);
        import_ask_close(q);
    }
}

int main(void)
{
    folder_make();
    const struct CMUnitTest tests[] = {
        RUN(mutants_of_stories), RUN(mutants_of_documents), RUN(mutants_of_pairs),
        RUN(mutants_of_vectors), RUN(mutants_of_questions),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    folder_remove();
    arena_close(&run);
    arena_close(&scratch);
    return failed;
}
