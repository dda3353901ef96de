/* A corpus is what its index says, file by file; anything else is refused by name. */
#include "allocations.h"
#include "corpus_test.h"

#include "io/corpus/inspect.h"
#include "io/corpus/vocab_file.h"

static Arena run;

static void make_usual(const char *name) { corpus_make(in(name), 3, (const int64_t[]){40, 0, 60}); }

static Status opened(const char *name, bool verify)
{
    Corpus *c = NULL;
    const Status st = corpus_open(&c, &run, NULL, in(name), verify);
    if (st == OK) corpus_close(c);
    return st;
}

static void says(const char *name, bool verify, Status code, const char *file, const char *message)
{
    char text[800];
    snprintf(text, sizeof text, "%s/%s/%s: %s", folder, name, file, message);
    CHECK_SAYS(opened(name, verify), code, text);
}

static void copy(const char *from, const char *to)
{
    Buffer b = {0};
    CHECK_OK(file_read(from, 1 << 24, &b));
    CHECK_OK(file_write(to, b.data, b.size));
    buffer_close(&b);
}

/* Replace a piece of a text file; both pieces may have different lengths. */
static void edit(const char *path, const char *from, const char *to)
{
    Buffer b = {0}, out = {0};
    CHECK_OK(file_read(path, 1 << 24, &b));
    const char *at = strstr(b.data, from);
    CHECK(at, "%s is not in %s", from, b.data);
    CHECK_OK(buffer_append(&out, b.data, (size_t)(at - b.data)));
    CHECK_OK(buffer_text(&out, to));
    CHECK_OK(buffer_text(&out, at + strlen(from)));
    CHECK_OK(file_write(path, out.data, out.size));
    buffer_close(&b);
    buffer_close(&out);
}

TEST(the_counts_are_those_of_the_examples)
{
    make_usual("c");
    Corpus *c = NULL;
    CHECK_OK(corpus_open(&c, &run, NULL, in("c"), true));
    CHECK(corpus_examples(c, "train") == 100 && corpus_examples(c, "test") == 0, "examples");
    const DataField *text = corpus_role(c, ROLE_INPUT);
    CHECK(corpus_longest(c, "train", text, 0) == 4 && corpus_longest(c, "train", text, 1) == 6, "longest");
    CHECK(corpus_longest(c, "train", text, 2) == 0 && corpus_longest(c, "test", text, 0) == 0, "not there");
    CHECK(corpus_field(c, "features")->type == FIELD_FLOATS && !corpus_field(c, "none"), "fields");
    CHECK(corpus_role(c, ROLE_TARGET) == corpus_field(c, "label") && !corpus_role(c, ROLE_QUERY), "roles");
    CHECK(!corpus_vocab(c, "words") && strlen(corpus_digest(c)) == 32, "vocabularies");
    assert_string_equal(corpus_folder(c), in("c"));
    corpus_close(c);
}

TEST(missing_files_are_named)
{
    char text[400];
    snprintf(text, sizeof text, "%s: there is no such folder; mneme pack makes a corpus", in("c"));
    CHECK_SAYS(opened("c", true), ERR_INPUT, text);
    CHECK_OK(file_make_folder(in("c")));
    snprintf(text, sizeof text, "%s: is missing: this folder holds no corpus; mneme pack makes a corpus",
             in("c/index.json"));
    CHECK_SAYS(opened("c", true), ERR_INPUT, text);
    make_usual("c");
    CHECK_OK(file_remove(in("c/train-00001-of-00003.h5")));
    says("c", false, ERR_INPUT, "train-00001-of-00003.h5", "shard 1 of split train is missing");
}

TEST(damaged_shards_are_refused)
{
    make_usual("c");
    Buffer b = {0};
    const char *last = "train-00002-of-00003.h5";
    char message[300], hex[HASH_HEX], found[HASH_HEX];
    CHECK_OK(file_read(in("c/train-00002-of-00003.h5"), 1 << 24, &b));
    CHECK_OK(file_write(in("c/train-00002-of-00003.h5"), b.data, b.size - 100));
    snprintf(message, sizeof message, "shard 2 of split train: found %zu bytes, expected %zu", b.size - 100, b.size);
    says("c", false, ERR_DATA, last, message);
    hash_bytes(b.data, b.size, hex);
    b.data[b.size / 2] ^= 4;
    hash_bytes(b.data, b.size, found);
    CHECK_OK(file_write(in("c/train-00002-of-00003.h5"), b.data, b.size));
    snprintf(message, sizeof message, "shard 2 of split train is damaged or was changed: found digest %s, expected %s",
             found, hex);
    says("c", true, ERR_DATA, last, message);
    buffer_close(&b);
}

/* The index without digests and sizes: then the shards must tell by themselves. */
static void forget_digests(const char *index)
{
    Buffer b = {0};
    CHECK_OK(file_read(index, 1 << 24, &b));
    for (char *p = b.data; (p = strstr(p, "\"bytes\"")); p++) memcpy(p, "\"bites\"", 7);
    for (char *p = b.data; (p = strstr(p, "\"xxh3\"")); p++) memcpy(p, "\"xxh4\"", 6);
    CHECK_OK(file_write(index, b.data, b.size));
    buffer_close(&b);
}

TEST(shards_of_elsewhere_are_refused)
{
    make_usual("c");
    corpus_make(in("d"), 3, (const int64_t[]){41, 0, 59});
    copy(in("d/train-00002-of-00003.h5"), in("c/train-00002-of-00003.h5"));
    forget_digests(in("c/index.json"));
    says("c", true, ERR_DATA, "train-00002-of-00003.h5", "first: found 41, expected 40");
    make_usual("c");
    copy(in("c/train-00002-of-00003.h5"), in("c/train-00000-of-00003.h5"));
    forget_digests(in("c/index.json"));
    says("c", true, ERR_DATA, "train-00000-of-00003.h5", "shard: found 2, expected 0");
    make_usual("c");
    edit(in("c/index.json"), "train-00002-of-00003.h5", "train-00000-of-00003.h5");
    says("c", false, ERR_DATA, INDEX_FILE, "shards 0 and 2 of split train are the same file train-00000-of-00003.h5");
    make_usual("c");
    forget_digests(in("c/index.json"));
    edit(in("c/index.json"), "\"levels\": 2", "\"levels\": 1");
    Corpus *c = NULL;
    CHECK_FAILS(corpus_open(&c, &run, NULL, in("c"), true), ERR_DATA);
}

TEST(faults_of_the_index_are_told)
{
    static const char *const fault[][3] = {
        {"\"version\": 2", "\"version\": 1",
         "version: found 1, expected 2: the corpus says nothing of the roles of its fields; pack it again"},
        {"\"version\": 2", "\"version\": 3", "version: found 3, expected 2"},
        {"\"role\": \"input\"", "\"role\": \"entry\"", "fields[0]: role: there is no role \"entry\""},
        {"\"role\": \"input\", ", "", "fields[0]: role: expected a text"},
        {"\"role\": \"input\"", "\"role\": \"target\"",
         "fields[1]: field label, role target: another field has this role already"},
        {"\"role\": \"input\"", "\"role\": \"input\", \"of\": \"label\"",
         "fields[0]: field text, role input: this role belongs to no other field"},
        {"\"role\": \"input\"", "\"role\": \"input\", \"links\": 1", "fields[0]: links: expected true or false"},
        {"\"role\": \"input\"", "\"role\": \"marks\"", "fields[0]: field text, role marks: `of` names no field"},
        {"\"width\": 1", "\"width\": 0",
         "fields[2]: field features, role features: floats have a width of at least 1, ids have none"},
        {"mneme corpus", "other corpus", "format: found \"other corpus\", expected \"mneme corpus\""},
        {"\"levels\": 2", "\"levels\": 4", "fields[0]: levels: found 4, expected 0 to 3"},
        {"\"levels\": 2", "\"levels\": \"2\"", "fields[0]: levels: expected a whole number"},
        {"\"type\": \"floats\"", "\"type\": \"reals\"", "fields[2]: type: found \"reals\", expected ids or floats"},
        {"\"name\": \"label\"", "\"name\": \"text\"", "fields[1]: the field text is there twice"},
        {"\"name\": \"label\"", "\"name\": \"../x\"",
         "fields[1]: name: found \"../x\", expected letters, digits, '_' and '-'"},
        {"\"role\": \"input\"", "\"role\": \"input\", \"vocab\": \"words\"", "fields[0]: there is no vocabulary words"},
        {"train-00000-of", "../train-00000-of",
         "splits[0].shards[0]: file: found \"../train-00000-of-00003.h5\", expected a name in this folder"},
        {"\"examples\": 100", "\"examples\": 99", "splits[0]: 99 examples, but its shards have 100"},
        {"\"examples\": 100", "\"examples\": -1", "splits[0]: examples: found -1, expected 0 to 281474976710656"},
        {"\"label\": []", "\"label\": [5]", "splits[0]: units.label: expected a list of 0 numbers"},
        {"\"splits\"", "\"split\"", "/: splits: expected a list"},
        {"\"shards\"", "\"sherds\"", "splits[0]: shards: expected a list"},
    };
    for (int i = 0; i < (int)(sizeof fault / sizeof *fault); i++) {
        make_usual("c");
        edit(in("c/index.json"), fault[i][0], fault[i][1]);
        says("c", false, ERR_DATA, INDEX_FILE, fault[i][2]);
    }
    make_usual("c");
    Corpus *c = NULL;
    edit(in("c/index.json"), "\"fields\"", "fields");
    CHECK_FAILS(corpus_open(&c, &run, NULL, in("c"), true), ERR_DATA);
    CHECK(strstr(status_message(), "index.json:1:"), "%s", status_message());
    CHECK_OK(file_write(in("c/index.json"), "", 0));
    CHECK_FAILS(corpus_open(&c, &run, NULL, in("c"), true), ERR_DATA);
    CHECK_OK(file_write(in("c/index.json"), "[]", 2));
    says("c", false, ERR_DATA, INDEX_FILE, "expected an object");
}

/* What no other check sees is seen by the digest of all that the index says. */
TEST(a_changed_index_is_refused)
{
    static const char *const change[][2] = {
        {"\"text\": [", "\"text\": [1"},           /* counts of units */
        {"\"source\": \"\"", "\"source\": \"x\""}, /* the importer */
        {"\"role\": \"input\"", "\"role\": \"input\", \"closed\": true"},
    };
    for (int i = 0; i < (int)(sizeof change / sizeof *change); i++) {
        make_usual("c");
        edit(in("c/index.json"), change[i][0], change[i][1]);
        Corpus *c = NULL;
        CHECK_FAILS(corpus_open(&c, &run, NULL, in("c"), true), ERR_DATA);
        CHECK(strstr(status_message(), "content: is damaged or was changed: found digest "), "%s", status_message());
    }
}

/* Values that a valid file holds and that no corpus may have. */
TEST(impossible_content_is_refused)
{
    Arena arena = {0};
    const int64_t bad_offsets[2][4] = {{0, 3, 2, 4}, {0, -1, 2, 4}};
    DataField field = {.name = "text", .role = ROLE_INPUT, .levels = 1};
    IndexVocab vocab = {.name = "words", .words = 10};
    const Index x = {.n_fields = 1, .field = &field, .n_vocabs = 1, .vocab = &vocab};
    const int32_t ids[2][4] = {{1, 2, 3, 10}, {1, 2, -1, 4}};
    const char *said[2] = {"found id 10, but the vocabulary has 10 words",
                           "found id -1, but the vocabulary has 10 words"};
    const IndexSplit split = {.longest = {{1}}};
    for (int k = 0; k < 6; k++) {
        H5 *h;
        ShardPiece piece;
        char text[400];
        size_t left = 1 << 20;
        snprintf(field.vocab, NAME_SIZE, "%s", k == 5 ? "" : "words");
        CHECK_OK(h5_create(&h, in("x.h5")));
        CHECK_OK(h5_write_list(h, "text/offsets_1", H5_I64, 4, k < 2 ? bad_offsets[k] : (const int64_t[]){0, 1, 2, 4}));
        CHECK_OK(h5_write_list(h, "text/values", H5_I32, 4,
                               k < 2    ? ids[0]
                               : k < 4  ? ids[k - 2]
                               : k == 5 ? ids[1]
                                        : (const int32_t[]){1, 2, 3, 4}));
        CHECK_OK(h5_save(h, in("x.h5")));
        h5_close(h);
        CHECK_OK(h5_open(&h, in("x.h5"), 0));
        if (k < 2)
            snprintf(text, sizeof text, "%s: text/offsets_1: offset %d is %d, smaller than the one before it",
                     in("x.h5"), k == 0 ? 2 : 1, k == 0 ? 2 : -1);
        else if (k < 4)
            snprintf(text, sizeof text, "%s: text/values: %s", in("x.h5"), said[k - 2]);
        else if (k == 5)
            snprintf(text, sizeof text, "%s: text/values: found -1, expected 0 or more", in("x.h5"));
        else
            snprintf(text, sizeof text, "%s: text/offsets_1: a unit of 2; the index says 1 at most", in("x.h5"));
        CHECK_SAYS(shard_read(h, in("x.h5"), &x, k == 4 ? &split : NULL, 0, 3, &left, &arena, &piece), ERR_DATA, text);
        h5_close(h);
    }
    arena_close(&arena);
}

/* An index with digests that are right, or none. */
TEST(an_index_that_says_what_is_not_there_is_told)
{
    static const char *const change[][2] = {
        {"\\\"longest\\\": \\{\\\"text\\\": \\[4/&0",
         "longest of text at level 1: the index says 40, the shards have 4"},
        {"\\\"units\\\": \\{\\\"text\\\": \\[200/&0",
         "units of text at level 1: the index says 2000, the shards have 200"},
    };
    for (int i = 0; i < 2; i++) {
        make_usual("c");
        char command[600], said[200];
        snprintf(command, sizeof command, "sed -i -E \"s/, \\\"(content|xxh3)\\\": \\\"[0-9a-f]*\\\"//g; s/%s/\" %s",
                 change[i][0], in("c/index.json"));
        CHECK(system(command) == 0, "%s", command);
        Buffer text = {0};
        CHECK_FAILS(corpus_inspect(in("c"), &text), ERR_DATA);
        snprintf(said, sizeof said, "index.json: split train: %s", change[i][1]);
        CHECK(strstr(status_message(), said), "%s", status_message());
        buffer_close(&text);
    }
}

TEST(every_allocation_of_an_opening_may_fail)
{
    make_usual("c");
    Corpus *c = NULL;
    EACH_ALLOCATION_FAILS((c = NULL, corpus_open(&c, &failing, NULL, in("c"), true)), if (st_ == OK) corpus_close(c));
}

TEST(what_a_file_holds_is_told)
{
    make_usual("c");
    Buffer text = {0};
    CHECK(corpus_knows(in("c")) && corpus_knows(in("c/index.json")) && corpus_knows(in("c/train-00000-of-00003.h5")) &&
              !corpus_knows(in("nothing")) && !corpus_knows(folder),
          "knows");
    CHECK_OK(corpus_inspect(in("c"), &text));
    CHECK(strstr(text.data, "train: 100 examples, 3 shards, ") &&
              strstr(text.data, "field features: features, 1 levels, floats, 1 for each\n") &&
              strstr(text.data, "  text: 200 sentences (at most 4), "),
          "%s", text.data);
    text.size = 0;
    CHECK_OK(corpus_inspect(in("c/train-00002-of-00003.h5"), &text));
    CHECK(strstr(text.data, "number 2 of 3 of split train: examples 40 .. 100\n") &&
              strstr(text.data, "all checksums are right\n"),
          "%s", text.data);
    buffer_close(&text);
}

/* First line that the example of a header prints, run in our folder. */
static void run_example(const char *header, const char *word, const char *rest, const char *print, char line[200])
{
    char command[900];
    snprintf(command, sizeof command, "cd %s && PRINT=%s /usr/bin/python3 %s/tests/unit/h5py_snippets.py %s/%s '%s' %s",
             folder, print, getenv("SOURCE"), getenv("SOURCE"), header, word, rest);
    FILE *out = popen(command, "r");
    line[0] = '\0';
    CHECK(out && fgets(line, 200, out), "%s prints nothing", command);
    line[strcspn(line, "\n")] = '\0';
    CHECK(pclose(out) == 0, "%s failed", command);
}

TEST(h5py_reads_and_writes_shards_as_the_headers_say)
{
    char line[200];
    if (!getenv("SOURCE") || system("/usr/bin/python3 -c 'import h5py' 2>/dev/null") != 0) {
        print_message("skipped: /usr/bin/python3 has no h5py, or SOURCE is not set\n");
        skip();
    }
    corpus_make(folder, 4, (const int64_t[]){40, 0, 30, 30});
    run_example("io/corpus/shard.h", "To read with h5py", "story=text e=12 s=1", "ids", line);
    assert_string_equal(line, "[1210 1211 1212 1213 1214 1215]");
    CHECK(words_of(12, 1) == 6 && word_of(12, 1, 5) == 1215, "the values are not those of the example");

    run_example("io/corpus/shard.h", "To write", "\"\"", "__name__", line);
    DataField field[2] = {{.name = "text", .role = ROLE_INPUT, .levels = 2}, {.name = "label", .role = ROLE_TARGET}};
    const Index x = {.n_fields = 2, .field = field};
    const ShardLabel label = {"train", "", 0, 1, 0, 2};
    H5 *h;
    Arena arena = {0};
    ShardPiece piece;
    size_t left = 10000;
    CHECK_OK(shard_open(&h, in("train-00000-of-00001.h5"), &x, &label));
    CHECK_OK(shard_read(h, "x", &x, NULL, 0, 2, &left, &arena, &piece));
    const int32_t *words = piece.values[0], *labels = piece.values[1];
    CHECK(piece.offset[0][0][1] == 2 && piece.offset[0][1][1] == 2 && words[2] == 7 && labels[0] == 1, "other values");
    h5_close(h);
    arena_close(&arena);

    run_example("io/h5/h5.h", "A file that h5py makes", "\"\"", "f", line);
    CHECK_OK(h5_open(&h, in("x.h5"), 0));
    CHECK(h5_has(h, "a/values") && h5_has_attribute(h, "a", "note"), "x.h5");
    h5_close(h);
}

TEST(every_allocation_of_opening_may_fail)
{
    make_usual("c");
    for (long n = 1;; n++) {
        Arena arena = {.fail_in = n};
        Corpus *c = NULL;
        const Status st = corpus_open(&c, &arena, NULL, in("c"), true);
        const bool reached = arena.fail_in == 0;
        arena_close(&arena);
        if (!reached) {
            CHECK_OK(st);
            CHECK(n > 5, "too few allocations: %ld", n);
            return;
        }
        CHECK(st == ERR_HOST, "allocation %ld: %d: %s", n, (int)st, status_text());
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN_IN_FOLDER(the_counts_are_those_of_the_examples),
                                       RUN_IN_FOLDER(missing_files_are_named),
                                       RUN_IN_FOLDER(damaged_shards_are_refused),
                                       RUN_IN_FOLDER(shards_of_elsewhere_are_refused),
                                       RUN_IN_FOLDER(faults_of_the_index_are_told),
                                       RUN_IN_FOLDER(a_changed_index_is_refused),
                                       RUN_IN_FOLDER(impossible_content_is_refused),
                                       RUN_IN_FOLDER(an_index_that_says_what_is_not_there_is_told),
                                       RUN_IN_FOLDER(every_allocation_of_an_opening_may_fail),
                                       RUN_IN_FOLDER(what_a_file_holds_is_told),
                                       RUN_IN_FOLDER(h5py_reads_and_writes_shards_as_the_headers_say),
                                       RUN_IN_FOLDER(every_allocation_of_opening_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
