/* test_unpack.c - what the gzip and xz programs packed comes back byte for byte, and nothing that is damaged, cut or
 * followed by other bytes is taken for whole. */
#include <fcntl.h>
#include <unistd.h>

#include "import_test.h"
#include "io/text/unpack.h"

enum { BYTES = 300000 };
static char plain[BYTES + 1], got[2 * BYTES + 8];

static void shell(const char *command) { CHECK(system(command) == 0, "%s", command); }

static size_t size_of(const char *path)
{
    FILE *f = fopen(path, "rb");
    fseek(f, 0, SEEK_END);
    const size_t n = (size_t)ftell(f);
    fclose(f);
    return n;
}

/* Words, so that it packs, and some bytes that are no text. */
static void write_plain(void)
{
    uint32_t r = 1;
    for (int i = 0; i < BYTES; i++) {
        r = r * 1664525u + 1013904223u;
        plain[i] = (char)(i % 97 == 0 ? r >> 24 : 'a' + (r >> 24) % 7);
    }
    FILE *f = fopen("plain", "wb");
    fwrite(plain, 1, BYTES, f);
    fclose(f);
}

/* All of it into got, by pieces of the size. */
static Status whole(Unpack *u, const char *path, size_t piece, size_t *size)
{
    *size = 0;
    const Status st = unpack_open(u, open(path, O_RDONLY));
    if (st != OK) return st;
    for (size_t n = piece; n == piece; *size += n) {
        const Status read = unpack_read(u, got + *size, piece, &n);
        if (read != OK) {
            unpack_close(u);
            return read;
        }
    }
    unpack_close(u);
    return OK;
}

static void same(const char *path, int times)
{
    static const size_t pieces[] = {1 << 16, 1000, BYTES, 2 * BYTES + 8, 37};
    Unpack u = {0};
    for (int p = 0; p < 5; p++) {
        size_t size;
        CHECK(whole(&u, path, pieces[p], &size) == OK, "%s: %s", path, u.why);
        CHECK(size == (size_t)times * BYTES, "%s by %zu: %zu bytes", path, pieces[p], size);
        for (int t = 0; t < times; t++)
            CHECK(memcmp(got + (size_t)t * BYTES, plain, BYTES) == 0, "%s by %zu: other bytes", path, pieces[p]);
    }
    unpack_free(&u);
}

static void refuses(const char *path, Status code, const char *why)
{
    Unpack u = {0};
    size_t size;
    const Status st = whole(&u, path, 1 << 16, &size);
    CHECK(st == code, "%s: %d (%zu bytes)", path, (int)st, size);
    if (why) CHECK(strcmp(u.why, why) == 0, "%s: %s", path, u.why);
    unpack_free(&u);
}

TEST(what_the_programs_packed_comes_back)
{
    write_plain();
    same("plain", 1);
    shell("gzip -k plain && gzip -1 -c plain > fast && gzip -9 -c plain > best");
    same("plain.gz", 1);
    same("fast", 1); /* the name says nothing */
    same("best", 1);
    shell("xz -k plain && xz -0 -c plain > low && xz -9e -C sha256 -c plain > high && xz --block-size=50000 -c plain > "
          "blocks");
    same("plain.xz", 1);
    same("low", 1);
    same("high", 1);
    same("blocks", 1);
}

TEST(packed_files_one_behind_the_other_are_one)
{
    shell("cat plain.gz fast > two && cat plain.xz low > three && cat plain.gz > zeros && head -c 1000 /dev/zero >> "
          "zeros");
    same("two", 2);
    same("three", 2);
    same("zeros", 1);
    shell("cat plain.xz > padded && head -c 8 /dev/zero >> padded");
    same("padded", 1);
}

TEST(a_pipe_that_gives_its_bytes_by_and_by_is_waited_for)
{
    shell("mkfifo pipe; (head -c 1 plain.xz; sleep 0.1; tail -c +2 plain.xz | head -c 4; sleep 0.1; tail -c +6 "
          "plain.xz) > pipe &");
    Unpack u = {0};
    size_t size;
    CHECK(whole(&u, "pipe", 1 << 16, &size) == OK && size == BYTES, "%zu bytes", size);
    unpack_free(&u);
}

TEST(nothing_is_nothing)
{
    Unpack u = {0};
    size_t size;
    shell(": > empty; printf '\\037' > one; : | gzip > none.gz; : | xz > none.xz");
    CHECK(whole(&u, "empty", 10, &size) == OK && size == 0, "%zu", size);
    CHECK(whole(&u, "one", 10, &size) == OK && size == 1 && got[0] == '\037', "%zu", size);
    CHECK(whole(&u, "none.gz", 10, &size) == OK && size == 0, "%zu", size);
    CHECK(whole(&u, "none.xz", 10, &size) == OK && size == 0, "%zu", size);
    unpack_free(&u);
}

/* Bytes behind a packed file would be lost in silence. */
TEST(other_bytes_behind_a_packed_file_are_a_fault)
{
    shell("(cat plain.gz; echo and more) > behind.gz; (cat plain.xz; echo and more) > short.xz");
    shell("(cat plain.gz; head -c 9 /dev/zero; echo x) > far.gz; (cat plain.gz plain.xz) > mixed; (cat plain.xz; seq "
          "99) > behind.xz");
    refuses("behind.gz", ERR_DATA, "bytes behind the gzip file");
    refuses("far.gz", ERR_DATA, "bytes behind the gzip file");
    refuses("mixed", ERR_DATA, "bytes behind the gzip file");
    refuses("short.xz", ERR_DATA, NULL);
    refuses("behind.xz", ERR_DATA, "the xz file is damaged, or other bytes are behind it");
}

/* Every length that a cut may leave, in steps, and all of the last bytes. */
TEST(a_cut_file_is_never_whole)
{
    static const char *const names[] = {"plain.gz", "plain.xz"}, *const whys[] = {"the gzip file ends early",
                                                                                  "the xz file ends early"};
    for (int k = 0; k < 2; k++) {
        const size_t size = size_of(names[k]);
        for (size_t n = 6; n < size; n += n + 40 < size ? 7919 : 1) {
            char command[100];
            snprintf(command, sizeof command, "head -c %zu %s > cut", n, names[k]);
            shell(command);
            refuses("cut", ERR_DATA, whys[k]);
        }
    }
}

/* Both formats have a checksum of the content, which every change of a byte of it must fail. */
TEST(a_changed_byte_is_never_taken)
{
    static const char *const names[] = {"plain.gz", "plain.xz"};
    for (int k = 0; k < 2; k++) {
        const size_t size = size_of(names[k]);
        for (size_t at = 40; at < size; at += 4111) {
            char *bytes = malloc(size);
            FILE *f = fopen(names[k], "rb");
            assert_int_equal(fread(bytes, 1, size, f), size);
            fclose(f);
            bytes[at] = (char)(bytes[at] ^ 0x10);
            f = fopen("changed", "wb");
            fwrite(bytes, 1, size, f);
            fclose(f);
            free(bytes);
            refuses("changed", ERR_DATA, NULL);
        }
    }
}

TEST(a_folder_and_a_closed_file_cannot_be_read)
{
    Unpack u = {0};
    CHECK(unpack_open(&u, -1) == ERR_IO, "%s", u.why);
    refuses(".", ERR_IO, "Is a directory");
    unpack_free(&u);
}

int main(void)
{
    folder_make();
    const struct CMUnitTest tests[] = {
        RUN(what_the_programs_packed_comes_back),
        RUN(packed_files_one_behind_the_other_are_one),
        RUN(a_pipe_that_gives_its_bytes_by_and_by_is_waited_for),
        RUN(nothing_is_nothing),
        RUN(other_bytes_behind_a_packed_file_are_a_fault),
        RUN(a_cut_file_is_never_whole),
        RUN(a_changed_byte_is_never_taken),
        RUN(a_folder_and_a_closed_file_cannot_be_read),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    folder_remove();
    arena_close(&run);
    arena_close(&scratch);
    return failed;
}
