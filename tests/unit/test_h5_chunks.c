/* Our checksums are those that HDF5 computes: it reads back every size and every kind of bytes. */
#include "check.h"
#include "comm/arena.h"
#include "io/h5/h5.h"

static unsigned char data[1 << 18], back[1 << 18];

static void reads_back(int64_t n, int seed)
{
    H5 *h;
    Buffer image = {0};
    CHECK_OK(h5_create(&h, "chunks"));
    CHECK_OK(h5_write_list(h, "bytes", H5_U8, n, data));
    CHECK_OK(h5_image(h, &image));
    h5_close(h);
    memset(back, 0x77, sizeof back);
    CHECK_OK(h5_open_image(&h, "chunks", image.data, image.size));
    const Status st = h5_read_range(h, "bytes", H5_U8, 0, n, back);
    CHECK(st == OK, "%lld bytes of kind %d: %s", (long long)n, seed, status_text());
    CHECK(memcmp(data, back, (size_t)n) == 0, "%lld bytes of kind %d differ", (long long)n, seed);
    h5_close(h);
    buffer_close(&image);
}

static void fill(int kind)
{
    uint32_t x = (uint32_t)kind * 2654435761u + 1;
    for (size_t i = 0; i < sizeof data; i++) {
        x = x * 1664525u + 1013904223u;
        data[i] = kind == 0   ? 0
                  : kind == 1 ? 0xff /* each word is 65535, which is 0 modulo 65535 */
                  : kind == 2 ? (unsigned char)(i % 2 ? 0xff : 0)
                  : kind == 3 ? (unsigned char)(i == 5)
                              : (unsigned char)(x >> 24);
    }
}

TEST(hdf5_accepts_the_checksum_of_any_bytes_of_any_size)
{
    static const int64_t size[] = {4095, 4096, 4097, 4110, 8191, 8192, 65535, 65536, 65537, 131072, 200001};
    for (int kind = 0; kind < 6; kind++) {
        fill(kind);
        for (int64_t n = 1; n <= 50; n++) reads_back(n, kind);
        for (size_t i = 0; i < sizeof size / sizeof *size; i++) reads_back(size[i], kind);
    }
}

/* Rows that a chunk holds whole, rows longer than a chunk, and an edge in the middle of a chunk. */
TEST(any_shape_comes_back)
{
    static const int64_t shape[][3] = {{3, 4, 5}, {7, 100, 99}, {2, 70000, 1}, {1, 1, 65537}, {129, 513, 1}};
    fill(9);
    for (size_t s = 0; s < sizeof shape / sizeof *shape; s++) {
        H5 *h;
        Buffer image = {0};
        const size_t bytes = (size_t)(shape[s][0] * shape[s][1] * shape[s][2]);
        CHECK(bytes <= sizeof data, "too large");
        CHECK_OK(h5_create(&h, "shapes"));
        CHECK_OK(h5_write(h, "a", H5_U8, 3, shape[s], data));
        CHECK_OK(h5_image(h, &image));
        h5_close(h);
        CHECK_OK(h5_open_image(&h, "shapes", image.data, image.size));
        memset(back, 0, sizeof back);
        CHECK_OK(h5_read(h, "a", H5_U8, 3, shape[s], back));
        CHECK(memcmp(data, back, bytes) == 0, "shape %zu", s);
        h5_close(h);
        buffer_close(&image);
    }
}

TEST(memory_that_is_used_again_gives_the_same_bytes)
{
    H5 *h;
    Buffer first = {0}, again = {0};
    fill(9);
    for (int round = 0; round < 2; round++) {
        Buffer *to = round ? &again : &first;
        if (round) {
            CHECK_OK(buffer_reserve(to, 1 << 20));
            memset(to->data, 0xab, 1 << 20);
        }
        CHECK_OK(h5_create_in(&h, "again", to));
        CHECK(!to->data, "taken over");
        CHECK_OK(h5_write_list(h, "x/bytes", H5_U8, 100000, data));
        CHECK_OK(h5_set_text(h, "x", "note", "text"));
        CHECK_OK(h5_image(h, to));
        h5_close(h);
    }
    CHECK(first.size == again.size && memcmp(first.data, again.data, first.size) == 0, "%zu and %zu bytes", first.size,
          again.size);
    buffer_close(&first);
    buffer_close(&again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(hdf5_accepts_the_checksum_of_any_bytes_of_any_size),
                                       RUN(any_shape_comes_back), RUN(memory_that_is_used_again_gives_the_same_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
