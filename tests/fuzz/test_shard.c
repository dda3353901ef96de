/* A shard with flipped bits, cut short or overwritten is refused, or it is read as it was: never a crash, never a wrong
 * number. The changes are drawn from a fixed sequence. */
#include "comm/random.h"
#include "unit/corpus_test.h"

enum { EXAMPLES = 300, ROUNDS = 1500 };

static Buffer good;
static char digest[HASH_HEX];
static IndexSplit split;
static DataField fields[TEST_FIELDS];
static Index x = {.n_fields = TEST_FIELDS, .field = fields};
static RandomKey key;

static void make(void)
{
    ShardHeap heap = {.n_fields = TEST_FIELDS, .field = test_field};
    memcpy(fields, test_field, sizeof fields);
    CHECK_OK(shard_heap_clear(&heap));
    for (int64_t e = 0; e < EXAMPLES; e++) add_example(&heap, e);
    const ShardLabel label = {"train", "00", 0, 1, 0, EXAMPLES};
    CHECK_OK(shard_write(&heap, in("x.h5"), &label));
    note_counts(&split, &heap);
    shard_heap_close(&heap);
    CHECK_OK(file_read(in("x.h5"), 1 << 24, &good));
    key = random_key(1, RANDOM_TEST, 0);
}

/* The digest of all that was read. */
static Status read_all(H5 *h, char hex[HASH_HEX])
{
    const ShardLabel label = {"train", "00", 0, 1, 0, EXAMPLES};
    Arena arena = {0};
    ShardPiece piece;
    size_t left = 1 << 20;
    Status st = shard_check(h, "x", &x, &label);
    if (st == OK) st = shard_read(h, "x", &x, NULL, 0, EXAMPLES, &left, &arena, &piece);
    if (st == OK) {
        Hash hash;
        hash_begin(&hash);
        for (int f = 0; f < TEST_FIELDS; f++) {
            int64_t n = EXAMPLES;
            for (int l = 0; l < fields[f].levels; l++) {
                hash_add(&hash, piece.offset[f][l], (size_t)(n + 1) * 8);
                n = piece.offset[f][l][n];
            }
            hash_add(&hash, piece.values[f], (size_t)n * 4);
        }
        hash_end(&hash, hex);
    }
    arena_close(&arena);
    return st;
}

/* 1: refused, 0: read as it was. */
static int try_bytes(const char *what, int round, const void *bytes, size_t size)
{
    H5 *h = NULL;
    char hex[HASH_HEX];
    Status st = h5_open_image(&h, "x", bytes, size);
    if (st == OK) st = read_all(h, hex);
    h5_close(h);
    CHECK(st == OK || st == ERR_DATA, "%s %d: status %d: %s", what, round, (int)st, status_text());
    CHECK(st != OK || strcmp(hex, digest) == 0, "%s %d: other numbers were read", what, round);
    return st != OK;
}

static void set_up(void)
{
    H5 *h;
    if (good.size) return;
    make();
    CHECK_OK(h5_open_image(&h, "x", good.data, good.size));
    CHECK_OK(read_all(h, digest));
    h5_close(h);
}

TEST(flipped_bits)
{
    set_up();
    int refused = 0;
    for (int i = 0; i < ROUNDS; i++) {
        const int64_t bit = random_below(key, 0, (uint64_t)i, (int64_t)good.size * 8);
        good.data[bit / 8] ^= (char)(1 << bit % 8);
        refused += try_bytes("flip", i, good.data, good.size);
        good.data[bit / 8] ^= (char)(1 << bit % 8);
    }
    CHECK(refused > ROUNDS / 10, "only %d of %d were refused", refused, ROUNDS);
    print_message("%d of %d were refused, the others changed nothing that is read\n", refused, ROUNDS);
}

TEST(cut_short)
{
    set_up();
    for (int i = 0; i < ROUNDS / 3; i++) {
        const size_t size = (size_t)random_below(key, 1, (uint64_t)i, (int64_t)good.size);
        (void)try_bytes("cut", i, good.data, size);
    }
}

/* A few bytes overwritten in the first 2 KiB, where most of the structure lies, and anywhere. */
TEST(overwritten)
{
    set_up();
    Buffer b = {0};
    for (int i = 0; i < ROUNDS; i++) {
        b.size = 0;
        CHECK_OK(buffer_append(&b, good.data, good.size));
        const int64_t most = i % 2 ? 2048 : (int64_t)good.size - 8;
        const int64_t at = random_below(key, 2, (uint64_t)i, most);
        for (int64_t k = 0; k <= i % 8; k++)
            b.data[at + k] = (char)random_below(key, 3 + (uint64_t)k, (uint64_t)i, 256);
        (void)try_bytes("overwrite", i, b.data, b.size);
    }
    buffer_close(&b);
}

/* Every path out of a failure closes what it opened. */
TEST(no_handle_stays_open)
{
    set_up();
    H5 *h;
    CHECK_OK(h5_open_image(&h, "x", good.data, good.size));
    CHECK(h5_handles() == 1, "%lld handles", (long long)h5_handles());
    h5_close(h);
    for (int i = 0; i < 300; i++) {
        const int64_t bit = random_below(key, 20, (uint64_t)i, (int64_t)good.size * 8);
        good.data[bit / 8] ^= (char)(1 << bit % 8);
        (void)try_bytes("flip", i, good.data, good.size);
        good.data[bit / 8] ^= (char)(1 << bit % 8);
        CHECK(h5_handles() == 0, "flip %d: %lld handles are open", i, (long long)h5_handles());
    }
}

static int tear_down(void **state)
{
    buffer_close(&good);
    return folder_remove(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(flipped_bits), RUN(cut_short), RUN(overwritten), RUN(no_handle_stays_open)};
    return cmocka_run_group_tests(tests, folder_make, tear_down);
}
