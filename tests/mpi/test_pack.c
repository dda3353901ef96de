/* Packing gives the same files for every number of ranks, and all or nothing. */
#include <dirent.h>
#include <errno.h>
#include <sys/wait.h>

#include "comm/comm.h"
#include "io/corpus/corpus.h"
#include "io/corpus/loader.h"
#include "io/corpus/pack.h"
#include "io/file/file.h"
#include "io/file/hash.h"
#include "unit/import_test.h"

static Comm *comm;
static char base[64]; /* the same folder on all ranks */

static const char *in(const char *name)
{
    static char path[4][256];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", base, name);
    return path[turn];
}

static const PackSettings usual = {.shards = 5, .shard_size = 20000, .min_count = 2, .max_size = 50, .vocabulary = ""};

static Status pack_some(const char *name, bool replace, const char *train, int64_t shards)
{
    const PackSource source = {"stories", settings_of("stories", "train", train, "valid", "5", "test", "7", NULL),
                               text_of("", NULL), NULL};
    PackSettings s = usual;
    s.shards = shards;
    return corpus_pack(comm, &source, &s, in(name), replace, NULL);
}

static Status pack_stories(const char *name, bool replace) { return pack_some(name, replace, "60", 5); }

/* One digest of all names and contents of a folder; "" when it is not there. */
static void digest_of(const char *path, char hex[HASH_HEX])
{
    int n = 0;
    const char *const *names;
    Hash h;
    hex[0] = '\0';
    if (!file_is_folder(path)) return;
    hash_begin(&h);
    CHECK_OK(file_list(path, NULL, &run, &n, &names));
    for (int i = 0; i < n; i++) {
        char file[512], one[HASH_HEX];
        snprintf(file, sizeof file, "%s/%s", path, names[i]);
        CHECK_OK(hash_file(file, one, NULL));
        hash_add(&h, names[i], strlen(names[i]));
        hash_add(&h, one, HASH_HEX);
    }
    hash_end(&h, hex);
}

/* Names in the common folder, apart from those of the corpora named. */
static int entries(void)
{
    int n = 0;
    const char *const *names;
    CHECK_OK(comm_barrier(comm));
    CHECK_OK(file_list(base, NULL, &run, &n, &names));
    CHECK_OK(comm_barrier(comm));
    return n;
}

/* "alone" was packed by a program of one rank before MPI started here: see main. */
TEST(any_number_of_ranks_gives_the_same_bytes)
{
    char alone[HASH_HEX], here[HASH_HEX];
    CHECK_OK(pack_stories("many", false));
    digest_of(in("alone"), alone);
    digest_of(in("many"), here);
    CHECK(alone[0], "there is no corpus of one rank");
    assert_string_equal(here, alone);
    CHECK(entries() == 2, "%d entries", entries());
}

TEST(a_corpus_is_replaced_only_when_asked_for)
{
    char text[400];
    CHECK_OK(pack_stories("c", false));
    const Status st = pack_stories("c", false);
    CHECK_FAILS(st, ERR_CONFIG);
    snprintf(text, sizeof text, "%s: holds a corpus already; --replace packs it anew", in("c"));
    CHECK(strstr(status_message(), text), "%s", status_message());
    CHECK_OK(pack_stories("c", true));
    Corpus *c;
    CHECK_OK(corpus_open(&c, &run, comm, in("c"), true));
    CHECK(corpus_examples(c, "train") == 480 && corpus_examples(c, "test") == 56, "%lld examples",
          (long long)corpus_examples(c, "train"));
    corpus_close(c);
}

TEST(a_folder_with_other_files_is_left_alone)
{
    char text[400];
    if (comm_rank(comm) == 0) {
        CHECK_OK(file_make_folder(in("d")));
        CHECK_OK(file_write(in("d/notes.txt"), "x", 1));
    }
    CHECK_FAILS(pack_stories("d", true), ERR_IO);
    snprintf(text, sizeof text, "%s: holds notes.txt, which is no file of a corpus; nothing is changed there", in("d"));
    CHECK(strstr(status_message(), text), "%s", status_message());
    CHECK(file_exists(in("d/notes.txt")) && !file_is_folder(in("d.part")), "something changed");
}

/* Every rank fails in turn at its n-th call that writes, for every n: nobody is left waiting, nothing is left behind,
 * and the older corpus is as it was. */
TEST(a_failing_write_on_any_rank_leaves_the_older_corpus)
{
    char before[HASH_HEX], after[HASH_HEX];
    CHECK_OK(pack_some("e", false, "9", 5));
    digest_of(in("e"), before);
    const int there = entries();
    for (int bad = 0; bad < comm_size(comm); bad++) {
        for (long n = 1;; n += n < 10 ? 1 : 9) {
            int64_t reached = 0;
            if (comm_rank(comm) == bad) file_fail_in(n, ENOSPC);
            const Status st = pack_some("e", true, "9", 5);
            if (comm_rank(comm) == bad) reached = file_fail_left() == 0;
            file_fail_in(0, 0);
            CHECK_OK(comm_broadcast(comm, &reached, sizeof reached, bad));
            digest_of(in("e"), after);
            assert_string_equal(after, before); /* the new one would be the same bytes */
            CHECK(entries() == there, "rank %d, call %ld: %d entries are there", bad, n, entries());
            if (!reached) {
                CHECK_OK(st);
                CHECK(n > 5, "only %ld calls", n);
                break;
            }
            if (bad == 0 && n == 2 && st == OK) continue; /* no lock there: the lock file alone does it */
            CHECK(st == ERR_IO, "rank %d, call %ld: status %d: %s", bad, n, (int)st, status_text());
            CHECK(strstr(status_message(), "No space left on device"), "%s", status_message());
            CHECK(comm_rank(comm) == bad || strstr(status_message(), "on rank "), "%s", status_message());
        }
    }
}

/* bAbI stories, one a question; the faulty lines lie in shares of different ranks. */
TEST(the_first_fault_of_the_files_is_told_by_all)
{
    const char *path = in("qa1_train.txt");
    if (comm_rank(comm) == 0) {
        Buffer b = {0};
        for (int i = 0; i < 40; i++)
            CHECK_OK(buffer_format(&b, "1 Mary is here.\n2 Where is Mary?\t%s\t1\n", i == 17 || i == 30 ? "" : "here"));
        CHECK_OK(file_write(path, b.data, b.size));
        buffer_close(&b);
    }
    CHECK_OK(comm_barrier(comm));
    const PackSource source = {"babi", settings_of("babi", "train", path, "valid_share", "0", NULL), text_of("", NULL),
                               NULL};
    const int there = entries();
    CHECK_FAILS(corpus_pack(comm, &source, &usual, in("f"), false, NULL), ERR_DATA);
    CHECK(strstr(status_message(), "qa1_train.txt:36"), "%s", status_message());
    CHECK(entries() == there, "%d entries", entries());
}

/* Labels come from train alone. */
TEST(a_label_that_was_never_trained_is_told_with_its_line)
{
    char text[400];
    if (comm_rank(comm) == 0) {
        FILE_OF(in("train.jsonl"), "{\"text\": \"a b\", \"label\": \"x\"}\n{\"text\": \"c\", \"label\": \"y\"}\n");
        FILE_OF(in("test.jsonl"), "{\"text\": \"a\", \"label\": \"y\"}\n{\"text\": \"b\", \"label\": \"z\"}\n");
    }
    CHECK_OK(comm_barrier(comm));
    const PackSource source = {
        "jsonl", settings_of("jsonl", "train", in("train.jsonl"), "test", in("test.jsonl"), "valid_share", "0", NULL),
        text_of("", NULL), NULL};
    const int there = entries();
    CHECK_FAILS(corpus_pack(comm, &source, &usual, in("l"), false, NULL), ERR_DATA);
    snprintf(text, sizeof text, "%s:2: label: \"z\" never comes in the split train", in("test.jsonl"));
    CHECK(strstr(status_message(), text), "%s", status_message());
    CHECK(entries() == there, "%d entries", entries());
}

/* Every question of a split by rank 0, against what the importer says of the same record. */
TEST(examples_come_back_word_by_word)
{
    const void *settings = settings_of("stories", "train", "60", "valid", "5", "test", "7", NULL);
    const TextSettings *text = text_of("", NULL);
    const PackSource source = {"stories", settings, text, NULL};
    const PackSettings all = {.shards = 3, .shard_size = 1 << 20, .min_count = 1, .vocabulary = ""};
    CHECK_OK(corpus_pack(comm, &source, &all, in("g"), false, NULL));
    Corpus *c;
    CHECK_OK(corpus_open(&c, &run, comm, in("g"), true));
    const LoaderOptions o = {.split = "test", .batch = 8, .parts = 1, .window = 4, .memory = 1 << 20, .epochs = 1};
    Loader *l;
    Importer *im;
    const Batch *b;
    LoaderPosition at;
    int64_t n = 0;
    CHECK_OK(loader_open(&l, c, &o, (LoaderPosition){0, 0}));
    CHECK_OK(import_open(&im, &run, "stories", settings, text, "test"));
    for (;;) {
        CHECK_OK(loader_next(l, &b, &at, NULL));
        for (int64_t i = 0; b && i < b->B; i++, n++) {
            Record r;
            Example e = {0};
            bool end = false;
            CHECK_OK(import_next(im, &r, &end));
            CHECK_OK(import_parse(im, &r, &scratch, &e));
            for (int f = 0; f < b->n_fields; f++) {
                const DataField *field = b->field[f].field;
                const ExampleField *x = &e.field[f];
                const Vocab *v = corpus_vocab(c, field->vocab);
                int64_t unit = i, end_unit = i + 1;
                for (int k = 0; k < field->levels; k++) {
                    for (int64_t u = 0; u <= x->count[k] - 1; u++)
                        CHECK(b->field[f].offset[k][unit + u + 1] - b->field[f].offset[k][unit + u] ==
                                  x->offset[k][u + 1] - x->offset[k][u],
                              "field %s level %d", field->name, k);
                    end_unit = b->field[f].offset[k][end_unit];
                    unit = b->field[f].offset[k][unit];
                }
                CHECK(end_unit - unit == x->count[field->levels], "field %s", field->name);
                for (int64_t k = 0; k < end_unit - unit; k++) {
                    const int32_t id = b->field[f].id[unit + k];
                    if (!v) CHECK(id == x->number[k], "field %s: %d", field->name, id);
                    if (v) CHECK(id == vocab_id(v, x->word[k].text, x->word[k].size), "field %s: %d", field->name, id);
                }
            }
        }
        if (!b) break;
    }
    CHECK(n == 56, "%lld questions", (long long)n);
    loader_close(l);
    import_close(im);
}

/* A corpus of other texts with the vocabularies of the first: same digest, unknown words are <unk>. */
TEST(the_vocabularies_of_another_corpus_may_be_used)
{
    CHECK_OK(pack_stories("h", false));
    const PackSource source = {"stories", settings_of("stories", "train", "0", "test", "9", "seed", "5", NULL),
                               text_of("", NULL), NULL};
    PackSettings s = usual;
    s.vocabulary = in("h");
    CHECK_OK(corpus_pack(comm, &source, &s, in("i"), false, NULL));
    Corpus *a, *b;
    CHECK_OK(corpus_open(&a, &run, comm, in("h"), true));
    CHECK_OK(corpus_open(&b, &run, comm, in("i"), true));
    assert_string_equal(corpus_digest(a), corpus_digest(b));
    CHECK(corpus_examples(b, "train") == 0 && corpus_examples(b, "test") == 72, "%lld",
          (long long)corpus_examples(b, "test"));
    if (comm_rank(comm) == 0) {
        Buffer bytes = {0};
        CHECK_OK(file_read(in("i/words.vocab.h5"), 1 << 24, &bytes));
        CHECK_OK(file_write(in("h/answers.vocab.h5"), bytes.data, bytes.size));
        buffer_close(&bytes);
    }
    CHECK_OK(comm_barrier(comm));
    CHECK_FAILS(corpus_open(&a, &run, comm, in("h"), true), ERR_DATA);
    CHECK(strstr(status_message(), "answers.vocab.h5: vocabulary answers: found "), "%s", status_message());
}

TEST(without_examples_there_is_no_corpus)
{
    const PackSource source = {"stories", settings_of("stories", "train", "0", "test", "9", NULL), text_of("", NULL),
                               NULL};
    const int there = entries();
    CHECK_FAILS(corpus_pack(comm, &source, &usual, in("j"), false, NULL), ERR_DATA);
    CHECK(strstr(status_message(), "importer stories: the split train has no examples"), "%s", status_message());
    CHECK(entries() == there, "%d entries", entries());
}

/* Each rank in turn lacks memory while it opens. */
TEST(a_rank_that_cannot_open_is_everyones_failure)
{
    CHECK_OK(pack_stories("k", false));
    for (int bad = 0; bad < comm_size(comm); bad++) {
        for (long n = 1; n < 9; n++) {
            Arena arena = {.fail_in = comm_rank(comm) == bad ? n : 0};
            Corpus *c;
            CHECK_FAILS(corpus_open(&c, &arena, comm, in("k"), true), ERR_HOST);
            arena_close(&arena);
        }
    }
}

static int teardown(void **state)
{
    char command[128];
    (void)state;
    arena_close(&run);
    if (comm_barrier(comm) != OK) return -1;
    snprintf(command, sizeof command, "rm -rf %s", base);
    return comm_rank(comm) == 0 ? system(command) : 0;
}

/* The program itself, as a run of one rank without mpirun's environment. Forked before MPI starts. */
static int pack_alone(const char *self)
{
    extern char **environ;
    const pid_t child = fork();
    int status = 0;
    if (child == 0) {
        char *kept[256];
        int n = 0;
        for (char **e = environ; *e && n < 255; e++)
            if (strncmp(*e, "OMPI_", 5) != 0 && strncmp(*e, "PMIX_", 5) != 0 && strncmp(*e, "PRTE_", 5) != 0)
                kept[n++] = *e;
        kept[n] = NULL;
        char *const args[] = {(char *)(uintptr_t)self, (char *)(uintptr_t) "alone", base, NULL};
        execve(self, args, kept);
        _exit(127);
    }
    return waitpid(child, &status, 0) == child ? status : -1;
}

static int run_alone(int argc, char **argv)
{
    snprintf(base, sizeof base, "%s", argv[2]);
    if (comm_init(&comm, &argc, &argv) != OK) return 1;
    const Status st = pack_stories("alone", false);
    if (st != OK) fprintf(stderr, "%s\n", status_text());
    comm_finalize(comm);
    return st;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "alone") == 0) return run_alone(argc, argv);
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    snprintf(base, sizeof base, "/tmp/mneme_pack_XXXXXX");
    if ((!rank || strcmp(rank, "0") == 0) && (!mkdtemp(base) || pack_alone(argv[0]) != 0)) return 1;
    if (comm_init(&comm, &argc, &argv) != OK || comm_broadcast(comm, base, sizeof base, 0) != OK) return 1;
    const struct CMUnitTest tests[] = {RUN(any_number_of_ranks_gives_the_same_bytes),
                                       RUN(a_corpus_is_replaced_only_when_asked_for),
                                       RUN(a_folder_with_other_files_is_left_alone),
                                       RUN(a_failing_write_on_any_rank_leaves_the_older_corpus),
                                       RUN(the_first_fault_of_the_files_is_told_by_all),
                                       RUN(a_label_that_was_never_trained_is_told_with_its_line),
                                       RUN(examples_come_back_word_by_word),
                                       RUN(the_vocabularies_of_another_corpus_may_be_used),
                                       RUN(without_examples_there_is_no_corpus),
                                       RUN(a_rank_that_cannot_open_is_everyones_failure)};
    const int failed = cmocka_run_group_tests(tests, NULL, teardown);
    comm_finalize(comm);
    return failed;
}
