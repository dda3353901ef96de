/* Rows of numbers go bit for bit from a file of JSON lines to the batches of each rank, in order of their lengths. */
#include "comm/comm.h"
#include "io/corpus/corpus.h"
#include "io/corpus/inspect.h"
#include "io/corpus/loader.h"
#include "io/corpus/pack.h"
#include "io/import/ask.h"
#include "unit/import_test.h"

enum { N = 90, WIDTH = 5 };

static Comm *comm;
static char base[64]; /* the same folder on all ranks */

static int64_t rows_of(int64_t e) { return 1 + e * 7 % 11; }
/* Values that no short decimal is, tiny and large ones and both zeros among them. */
static float value_of(int64_t e, int64_t r, int64_t c)
{
    const int64_t k = (e * 31 + r * 17 + c) % 97;
    if (k == 0) return -0.0F;
    if (k == 1) return 0.0F;
    if (k == 2) return 1e-42F;
    if (k == 3) return 3.4e38F;
    return (float)(k - 50) / 7.0F * (float)(1 + e);
}

static const char *path_of(const char *name)
{
    static char path[4][256];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", base, name);
    return path[turn];
}

/* %.8e tells a float from every other. */
static void put_rows(FILE *f, int64_t e)
{
    for (int64_t r = 0; r < rows_of(e); r++) {
        fprintf(f, "%s[", r ? ", " : "[");
        for (int64_t c = 0; c < WIDTH; c++) fprintf(f, "%s%.8e", c ? ", " : "", (double)value_of(e, r, c));
        fputc(']', f);
    }
    fputc(']', f);
}

static void write_lines(void)
{
    FILE *f = fopen(path_of("a.jsonl"), "w");
    CHECK(f, "a.jsonl");
    for (int64_t e = 0; e < N; e++) {
        fprintf(f, "{\"id\": %d, \"rows\": ", (int)e);
        put_rows(f, e);
        fprintf(f, ", \"said\": \"number %d\"}\n", (int)e);
    }
    CHECK(fclose(f) == 0, "a.jsonl");
}

static Status pack(const char *name, const char *shards, const char *target)
{
    const PackSource source = {"features",
                               settings_of("features", "train", path_of("a.jsonl"), "width", "5", "features_key",
                                           "rows", "target_key", "said", "target", target, "valid_share", "0", NULL),
                               text_of(NULL, NULL), NULL};
    const PackSettings s = {
        .shards = strtoll(shards, NULL, 10), .shard_size = 1 << 20, .min_count = 1, .vocabulary = ""};
    return corpus_pack(comm, &source, &s, path_of(name), true, NULL);
}

static void check_values(const Ragged *r, int64_t i, int64_t e)
{
    const int64_t at = r->offset[0][i];
    CHECK(r->offset[0][i + 1] - at == rows_of(e), "rows of %lld", (long long)e);
    for (int64_t k = 0; k < rows_of(e); k++)
        for (int64_t c = 0; c < WIDTH; c++) {
            const float want = value_of(e, k, c), *found = &r->value[(at + k) * WIDTH + c];
            CHECK(memcmp(found, &want, sizeof want) == 0, "example %lld: found %.9g, not %.9g", (long long)e,
                  (double)*found, (double)want);
        }
}

static void check_epoch(const Corpus *c, int64_t memory)
{
    Loader *l;
    const Batch *b;
    int64_t seen = 0, longest = 0, batches = 0, even = 0;
    const LoaderOptions o = {.split = "train",
                             .seed = 3,
                             .batch = 10,
                             .part = comm_rank(comm),
                             .parts = comm_size(comm),
                             .shuffle = true,
                             .bucket = "features",
                             .window = 9,
                             .memory = memory,
                             .epochs = 1,
                             .max_sentences = 1,
                             .max_words = 1}; /* neither cuts rows */
    CHECK_OK(loader_open(&l, c, &o, (LoaderPosition){0, 0}));
    for (;; batches++) {
        CHECK_OK(loader_next(l, &b, NULL, NULL));
        if (!b) break;
        const Ragged *r = batch_role(b, ROLE_FEATURES);
        int64_t shortest = INT64_MAX;
        longest = 0;
        CHECK(r && r->field->width == WIDTH && r->value && !r->id, "the field");
        for (int64_t i = 0; i < b->B; i++, seen++) {
            check_values(r, i, b->example[i]);
            if (rows_of(b->example[i]) < shortest) shortest = rows_of(b->example[i]);
            if (rows_of(b->example[i]) > longest) longest = rows_of(b->example[i]);
        }
        even += b->B == 0 || longest - shortest <= 2;
    }
    CHECK(even == batches, "%lld of %lld batches hold examples of like lengths", (long long)even, (long long)batches);
    CHECK_OK(comm_allreduce(comm, &seen, 1, COMM_I64, COMM_SUM));
    CHECK(seen == N, "%lld examples", (long long)seen);
    loader_close(l);
}

TEST(values_go_through_bit_for_bit)
{
    CHECK_OK(pack("many", "4", "text"));
    Corpus *c;
    CHECK_OK(corpus_open(&c, &run, comm, path_of("many"), true));
    const DataField *f = corpus_role(c, ROLE_FEATURES), *t = corpus_role(c, ROLE_TARGET);
    CHECK(f && f->width == WIDTH && f->levels == 1 && f->type == FIELD_FLOATS, "the field of rows");
    CHECK(t && t->levels == 1 && vocab_size(corpus_vocab(c, t->vocab)) == VOCAB_SPECIALS + 1 + N, "the captions");
    CHECK(corpus_longest(c, "train", f, 0) == 11, "longest");
    check_epoch(c, 1 << 20);
    check_epoch(c, 15000); /* streamed: a part of it at a time */
    corpus_close(c);
    if (comm_rank(comm) == 0) {
        Buffer text = {0};
        CHECK_OK(corpus_inspect(path_of("many"), &text));
        CHECK(strstr(text.data, "field features: features, 1 levels, floats, 5 for each\n"), "%s", text.data);
        text.size = 0;
        CHECK_OK(corpus_inspect(path_of("many/train-00001-of-00004.h5"), &text));
        CHECK(strstr(text.data, "all checksums are right\n"), "%s", text.data);
        buffer_close(&text);
    }
    CHECK_OK(comm_barrier(comm));
}

TEST(what_is_asked_is_what_was_packed)
{
    CHECK_OK(pack("many", "1", "label"));
    Corpus *c;
    const DataField *fields;
    ImportAsk *ask;
    Example e;
    char *text = NULL;
    size_t size = 0;
    CHECK_OK(corpus_open(&c, &run, comm, path_of("many"), true));
    const int n = corpus_fields(c, &fields);
    CHECK_OK(import_ask_open(&ask, &run, corpus_source(c), n, fields, text_of(NULL, NULL)));
    FILE *f = open_memstream(&text, &size);
    fputs("{\"features\": ", f);
    put_rows(f, 42);
    fputs("}", f);
    fclose(f);
    CHECK_OK(import_ask(ask, &(Record){text, size, "in", 1}, NULL, &scratch, &e));
    const Ragged r = {.offset = {e.field[0].offset[0]}, .value = e.field[0].value};
    check_values(&r, 0, 42);
    CHECK(e.field[1].count[0] == 0, "a label is not asked");
    CHECK_SAYS(import_ask(ask, &(Record){"a cat", 5, "in", 2}, NULL, &scratch, &e), ERR_DATA,
               "in:2: {\"features\": [[0.5, ...], ...]} was expected");
    free(text);
    import_ask_close(ask);
    corpus_close(c);
}

static void fault(const char *line, const char *target, const char *said)
{
    char text[300];
    int n;
    if (comm_rank(comm) == 0) {
        FILE *f = fopen(path_of("bad.jsonl"), "w");
        CHECK(f && fprintf(f, "{\"features\": [[1, 2]], \"target\": \"a\"}\n%s\n", line) > 0 && fclose(f) == 0,
              "bad.jsonl");
    }
    CHECK_OK(comm_barrier(comm));
    const void *s = settings_of("features", "train", path_of("bad.jsonl"), "width", "2", "target", target,
                                "valid_share", "0", NULL);
    snprintf(text, sizeof text, "%s:2: %s", path_of("bad.jsonl"), said);
    CHECK_SAYS(walk("features", s, text_of(NULL, NULL), "train", &n), ERR_DATA, text);
    CHECK(n == 1, "%d examples", n);
    CHECK_OK(comm_barrier(comm));
}

TEST(faults_name_the_line)
{
    fault("{\"features\": [[1, 2], [3]], \"target\": \"a\"}", "text", "\"features\": row 2 has 1 numbers, expected 2");
    fault("{\"features\": [], \"target\": \"a\"}", "text", "\"features\" has no rows");
    fault("{\"features\": [[1, null]], \"target\": \"a\"}", "text", "\"features\": row 1: null; a number was expected");
    fault("{\"features\": [[1, -1e39]], \"target\": \"a\"}", "text", "\"features\": row 1: -1e+39 is too large");
    fault("{\"features\": [1, 2], \"target\": \"a\"}", "text",
          "\"features\" is a whole number; a list of rows of numbers was expected");
    fault("{\"target\": \"a\"}", "text", "the key \"features\" is missing");
    fault("{\"features\": [[1, 2]]}", "text", "the key \"target\" is missing");
    fault("{\"features\": [[1, 2]], \"target\": \" \"}", "text", "\"target\" has no words");
    fault("{\"features\": [[1, 2]], \"target\": \"\"}", "label", "\"target\" is empty");
    fault("{\"features\": [[1, 2]], \"target\": [\"a\"]}", "label",
          "\"target\" is a list; a string or a whole number was expected");
    fault("[1]", "text", "a list; an object was expected");
}

int main(int argc, char **argv)
{
    if (comm_init(&comm, &argc, &argv) != OK) return 1;
    snprintf(base, sizeof base, "/tmp/mneme-features-XXXXXX");
    if (comm_rank(comm) == 0) {
        if (!mkdtemp(base)) return 1;
        write_lines();
    }
    if (comm_broadcast(comm, base, sizeof base, 0) != OK) return 1;
    const struct CMUnitTest tests[] = {RUN(values_go_through_bit_for_bit), RUN(what_is_asked_is_what_was_packed),
                                       RUN(faults_name_the_line)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (comm_barrier(comm) == OK && comm_rank(comm) == 0) {
        char command[128];
        snprintf(command, sizeof command, "rm -r %s", base);
        if (system(command) != 0) return 1;
    }
    arena_close(&run);
    arena_close(&scratch);
    comm_finalize(comm);
    return failed;
}
