/* test_corpus_forms.c - what a corpus of pairs says of the spelling of its words: plain text again, and faults. */
#include "import_test.h"

#include "comm/comm.h"
#include "io/batch/example.h"
#include "io/corpus/corpus.h"
#include "io/corpus/loader.h"
#include "io/corpus/pack.h"
#include "io/file/file.h"

static Comm *comm;
static const SubwordSettings subwords = {.merges = 12, .min_count = 2, .joint = true};
static const char *const target[] = {"The dog (black) jumps, and the cat sleeps.", "A dog!",
                                     "The cat's here: a dog-cat.", "\"The cat,\" said a dog."};

static const TextSettings *settings(const char *truecase)
{
    return text_of(NULL, "joiner", "true", "truecase", truecase, "lowercase", "false", NULL);
}

static Corpus *packed(const char *name)
{
    Corpus *c;
    FILE *f = fopen("t", "w");
    for (int i = 0; i < COUNT(target); i++) fprintf(f, "%s\n", target[i]);
    fclose(f);
    const PackSource source = {"parallel", settings_of("parallel", "train_source", "t", "train_target", "t", NULL),
                               settings("true"), &subwords};
    const PackSettings pack = {.shards = 1, .shard_size = 1 << 20, .min_count = 1, .vocabulary = ""};
    CHECK_OK(corpus_pack(comm, &source, &pack, name, true, NULL));
    CHECK_OK(corpus_open(&c, &run, NULL, name, true));
    return c;
}

TEST(what_was_packed_becomes_plain_text_again)
{
    Corpus *c = packed("c");
    const LoaderOptions o = {.split = "train", .batch = 4, .parts = 1, .window = 1, .memory = 1 << 20, .epochs = 1};
    Loader *l;
    const Batch *b;
    LoaderPosition at;
    CHECK_OK(loader_open(&l, c, &o, (LoaderPosition){0, 0}));
    CHECK_OK(loader_next(l, &b, &at, NULL));
    const Ragged *r = batch_field(b, "target");
    for (int64_t i = 0; i < b->B; i++) {
        Buffer text = {0};
        Word word[100];
        int64_t n = 0;
        for (int64_t k = r->offset[0][i]; k < r->offset[0][i + 1]; k++) {
            const char *token = vocab_word(corpus_vocab(c, "target"), r->id[k]);
            word[n++] = (Word){token, strlen(token)};
        }
        const DetokeniseHow how = corpus_detokenise(c, "target");
        CHECK_OK(detokenise(&how, n, word, NULL, &scratch, &text));
        assert_string_equal(text.data, target[b->example[i]]);
        buffer_close(&text);
    }
    loader_close(l);
    corpus_close(c);
}

/* A question gets the words that packing gave the same text. */
TEST(new_text_is_spelled_like_the_corpus)
{
    Corpus *c = packed("c");
    TextTool *tool;
    TextWords words;
    ExampleField f;
    CHECK_OK(text_open(&tool, &run, text_of(NULL, "joiner", "true", "lowercase", "false", "sentences", "none", NULL)));
    CHECK_OK(text_split(tool, target[0], strlen(target[0]), &scratch, &words));
    CHECK_OK(example_words(&f, &scratch, &words));
    CHECK_OK(example_spell(&f, 1, corpus_form(c, "source"), &scratch));
    CHECK(f.count[1] > words.words && f.offset[0][1] == f.count[1], "%lld subwords", (long long)f.count[1]);
    CHECK(f.word[0].size == 3 && memcmp(f.word[0].text, "the", 3) == 0, "%.*s", (int)f.word[0].size, f.word[0].text);
    for (int64_t i = 0; i < f.count[1]; i++)
        CHECK(vocab_id(corpus_vocab(c, "source"), f.word[i].text, f.word[i].size) >= VOCAB_SPECIALS, "word %lld",
              (long long)i);
    text_close(tool);
    assert_null(corpus_form(c, "nothing"));
    corpus_close(c);
}

TEST(other_settings_of_text_are_refused)
{
    Corpus *c = packed("c");
    char said[400];
    CHECK_OK(corpus_check_text(c, settings("true")));
    snprintf(said, sizeof said, "text.truecase is false, but %s was packed with true", corpus_folder(c));
    CHECK_SAYS(corpus_check_text(c, settings("false")), ERR_CONFIG, said);
    snprintf(said, sizeof said, "text.normalise is nfkc, but %s was packed with nfc", corpus_folder(c));
    CHECK_SAYS(corpus_check_text(c, text_of(NULL, "joiner", "true", "truecase", "true", "lowercase", "false",
                                            "normalise", "nfkc", NULL)),
               ERR_CONFIG, said);
    corpus_close(c);
}

static void edit(const char *path, const char *from, const char *to)
{
    Buffer b = {0}, changed = {0};
    CHECK_OK(file_read(path, 1 << 20, &b));
    const char *at = strstr(b.data, from);
    CHECK(at, "%s is not in %s", from, path);
    CHECK_OK(buffer_append(&changed, b.data, (size_t)(at - b.data)));
    CHECK_OK(buffer_text(&changed, to));
    CHECK_OK(buffer_text(&changed, at + strlen(from)));
    CHECK_OK(file_write(path, changed.data, changed.size));
    buffer_close(&b);
    buffer_close(&changed);
}

static void says(const char *text)
{
    Corpus *c;
    CHECK_FAILS(corpus_open(&c, &run, NULL, "c", true), ERR_DATA);
    CHECK(strstr(status_message(), text), "%s, not %s", status_message(), text);
}

TEST(faults_of_forms_are_told)
{
    static const char *const fault[][3] = {
        {"\"kind\": \"cases\"", "\"kind\": \"case\"",
         "forms[1]: kind: found \"case\", expected merges, subwords or cases"},
        {"\"forms\": [{\"vocab\": \"source\"", "\"forms\": [{\"vocab\": \"words\"",
         "forms[0]: there is no vocabulary words"},
        {"\"kind\": \"cases\"", "\"kind\": \"merges\"", "forms[1]: the merges of source are there twice"},
        {"\"file\": \"source.bpe\"", "\"file\": \"../source.bpe\"",
         "forms[0]: file: found \"../source.bpe\", expected a name in this folder"},
        {"\"forms\": [", "\"forms\": [1, ", "forms[0]: expected an object"},
        {"\"forms\": [", "\"forms\": 1, \"f\": [", "/: forms: expected a list"},
        {"\"forms\"", "\"farms\"", "but the fields and vocabularies give"},
    };
    for (int i = 0; i < COUNT(fault); i++) {
        corpus_close(packed("c"));
        edit("c/index.json", fault[i][0], fault[i][1]);
        says(fault[i][2]);
    }
    corpus_close(packed("c"));
    edit("c/index.json", "\"digest\"", "\"other\"");
    edit("c/index.json", "\"kind\": \"merges\"", "\"kind\": \"subwords\"");
    says("source.bpe: a list of subwords without merges");
    corpus_close(packed("c"));
    edit("c/source.bpe", "#version: 0.2", "#version: 0.1");
    says("c/source.bpe: merges of vocabulary source that are damaged or of another corpus: found digest ");
    corpus_close(packed("c"));
    CHECK_OK(file_remove("c/target.cases"));
    Corpus *c;
    CHECK_FAILS(corpus_open(&c, &run, NULL, "c", true), ERR_INPUT);
}

int main(int argc, char **argv)
{
    if (comm_init(&comm, &argc, &argv) != OK) return 1;
    folder_make();
    const struct CMUnitTest tests[] = {
        RUN(what_was_packed_becomes_plain_text_again),
        RUN(new_text_is_spelled_like_the_corpus),
        RUN(other_settings_of_text_are_refused),
        RUN(faults_of_forms_are_told),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    folder_remove();
    arena_close(&run);
    arena_close(&scratch);
    comm_finalize(comm);
    return failed;
}
