/* corpus_test.h - for the tests of corpora: one whose every value is known from the number of its example. */
#ifndef TESTS_UNIT_CORPUS_TEST_H
#define TESTS_UNIT_CORPUS_TEST_H
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "io/corpus/corpus_parts.h"
#include "io/corpus/loader.h"
#include "io/corpus/shard.h"
#include "io/file/file.h"

enum { TEXT, LABEL, FEATURES, TEST_FIELDS };

static const DataField test_field[TEST_FIELDS] = {
    {.name = "text", .role = ROLE_INPUT, .levels = 2},
    {.name = "label", .role = ROLE_TARGET, .levels = 0},
    {.name = "features", .role = ROLE_FEATURES, .levels = 1, .type = FIELD_FLOATS, .width = 1},
};

/* Sentences of example e, words of its sentence s, and the values. Some are empty. */
static inline int64_t sentences_of(int64_t e) { return e * 7 % 5; }
static inline int64_t words_of(int64_t e, int64_t s) { return (e * 3 + s * 5) % 7; }
static inline int32_t word_of(int64_t e, int64_t s, int64_t w) { return (int32_t)(e * 100 + s * 10 + w); }
static inline int64_t features_of(int64_t e) { return e % 4; }

static inline int64_t total_words(int64_t e)
{
    int64_t n = 0;
    for (int64_t s = 0; s < sentences_of(e); s++) n += words_of(e, s);
    return n;
}

static inline void add_example(ShardHeap *h, int64_t e)
{
    int64_t first[2] = {0, sentences_of(e)}, second[8] = {0};
    int32_t word[64];
    float feature[4];
    int64_t n = 0;
    for (int64_t s = 0; s < first[1]; s++) {
        for (int64_t w = 0; w < words_of(e, s); w++) word[n++] = word_of(e, s, w);
        second[s + 1] = n;
    }
    const int64_t *const offset[RAGGED_LEVELS] = {first, second, NULL};
    CHECK_OK(shard_heap_add(h, TEXT, (const int64_t[]){1, first[1], n, 0}, offset, word));
    CHECK_OK(shard_heap_add(h, LABEL, (const int64_t[]){1, 0, 0, 0}, NULL, &(int32_t){(int32_t)e % 3}));
    const int64_t ends[2] = {0, features_of(e)};
    for (int64_t i = 0; i < ends[1]; i++) feature[i] = (float)e + 0.25f * (float)i;
    const int64_t *const one[RAGGED_LEVELS] = {ends, NULL, NULL};
    CHECK_OK(shard_heap_add(h, FEATURES, (const int64_t[]){1, ends[1], 0, 0}, one, feature));
}

static inline void note_counts(IndexSplit *s, const ShardHeap *h)
{
    for (int f = 0; f < TEST_FIELDS; f++) {
        for (int l = 0; l < test_field[f].levels; l++) {
            s->units[f][l] += shard_heap_units(h, f, l + 1);
            if (h->data[f].longest[l] > s->longest[f][l]) s->longest[f][l] = h->data[f].longest[l];
        }
    }
}

/* A corpus with the split train, in shards of these sizes. */
static inline void corpus_make(const char *folder, int shards, const int64_t *sizes)
{
    Arena arena = {0};
    Buffer json = {0};
    IndexSplit split = {.name = "train", .n_shards = shards};
    DataField fields[TEST_FIELDS];
    memcpy(fields, test_field, sizeof fields);
    Index x = {.n_fields = TEST_FIELDS, .field = fields, .n_splits = 1, .split = &split};
    ShardHeap heap = {.n_fields = TEST_FIELDS, .field = test_field};
    char path[300];
    CHECK_OK(file_make_folder(folder));
    split.shard = arena_zeros(&arena, shards, sizeof *split.shard);
    index_digest(&x, x.digest);
    for (int s = 0; s < shards; s++) {
        IndexShard *shard = &split.shard[s];
        shard->first = split.examples;
        shard->examples = sizes[s];
        split.examples += sizes[s];
        CHECK_OK(shard_heap_clear(&heap));
        for (int64_t e = 0; e < sizes[s]; e++) add_example(&heap, shard->first + e);
        note_counts(&split, &heap);
        snprintf(shard->file.name, sizeof shard->file.name, "train-%05d-of-%05d.h5", s, shards);
        snprintf(path, sizeof path, "%s/%s", folder, shard->file.name);
        const ShardLabel label = {"train", x.digest, s, shards, shard->first, shard->examples};
        CHECK_OK(shard_write(&heap, path, &label));
        CHECK_OK(hash_file(path, shard->file.xxh3, &shard->file.bytes));
    }
    shard_heap_close(&heap);
    CHECK_OK(index_write(&x, &json));
    snprintf(path, sizeof path, "%s/%s", folder, INDEX_FILE);
    CHECK_OK(file_write(path, json.data, json.size));
    buffer_close(&json);
    arena_close(&arena);
}

/* Example i of the batch is what it should be; caps: units per parent, 0: all. */
static inline void check_example(const Batch *b, int64_t i, const int64_t *caps)
{
    const int64_t e = b->example[i];
    const Ragged *text = batch_field(b, "text"), *label = batch_field(b, "label"),
                 *features = batch_field(b, "features");
    const int64_t first = text->offset[0][i];
    int64_t n = sentences_of(e);
    const int64_t k = features_of(e); /* a list of numbers has no cap */
    if (caps && caps[0] && n > caps[0]) n = caps[0];
    CHECK(text->offset[0][i + 1] - first == n, "example %lld has %lld sentences", (long long)e,
          (long long)(text->offset[0][i + 1] - first));
    for (int64_t s = 0; s < n; s++) {
        const int64_t at = text->offset[1][first + s], m = text->offset[1][first + s + 1] - at;
        int64_t words = words_of(e, s);
        if (caps && caps[1] && words > caps[1]) words = caps[1];
        CHECK(m == words, "sentence %lld of %lld has %lld words", (long long)s, (long long)e, (long long)m);
        for (int64_t w = 0; w < m; w++)
            CHECK(text->id[at + w] == word_of(e, s, w), "word %lld: %d", (long long)w, text->id[at + w]);
    }
    CHECK(label->id[i] == e % 3, "label %d", label->id[i]);
    const int64_t at = features->offset[0][i];
    CHECK(features->offset[0][i + 1] - at == k, "features of %lld", (long long)e);
    for (int64_t w = 0; w < k; w++)
        CHECK(features->value[at + w] == (float)e + 0.25f * (float)w, "feature %g", (double)features->value[at + w]);
}

static char folder[64];

static inline const char *in(const char *name)
{
    static char path[4][256];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static inline int folder_make(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/mneme_corpus_XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static inline int folder_remove(void **state)
{
    char command[128];
    (void)state;
    file_fail_in(0, 0);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}
#define RUN_IN_FOLDER(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)

#endif
