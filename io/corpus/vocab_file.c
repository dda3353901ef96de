/* vocab_file.c - flat arrays to a file and back. */
#include "io/corpus/vocab_file.h"

#include <string.h>

#include "io/h5/h5.h"

static const int64_t FILE_MOST = INT64_C(4) << 30; /* bytes */

static Status write_all(H5 *h, const Vocab *v, const VocabFlat *flat)
{
    TRY(h5_set_text(h, "/", "format", "mneme vocabulary"));
    TRY(h5_set_int(h, "/", "version", VOCAB_FILE_VERSION));
    TRY(h5_set_int(h, "/", "special", flat->special));
    TRY(h5_set_text(h, "/", "digest", vocab_digest(v)));
    TRY(h5_write_list(h, "bytes", H5_U8, (int64_t)flat->n_bytes, flat->bytes));
    TRY(h5_write_list(h, "offsets", H5_I64, flat->n + 1, flat->offset));
    TRY(h5_write_list(h, "counts", H5_I64, flat->n, flat->count));
    return OK;
}

static Status write_with(const Vocab *v, const char *path, Arena *scratch)
{
    VocabFlat flat;
    H5 *h;
    TRY(vocab_flat(v, scratch, &flat));
    TRY(h5_create(&h, path));
    Status st = write_all(h, v, &flat);
    if (st == OK) st = h5_save(h, path);
    h5_close(h);
    TRY(st);
    return OK;
}

Status vocab_file_write(const Vocab *v, const char *path)
{
    Arena scratch = {0};
    const Status st = write_with(v, path, &scratch);
    arena_close(&scratch);
    TRY(st);
    return OK;
}

static Status read_flat(H5 *h, const char *path, Arena *scratch, VocabFlat *flat)
{
    const char *format = "";
    int64_t version = 0, special = 0, bytes = 0, counts = 0;
    TRY(h5_get_text(h, "/", "format", scratch, &format));
    REQUIRE(strcmp(format, "mneme vocabulary") == 0, ERR_DATA, "%s: format: found %.80s, expected mneme vocabulary",
            path, format);
    TRY(h5_get_int(h, "/", "version", &version));
    REQUIRE(version == VOCAB_FILE_VERSION, ERR_DATA, "%s: version: found %lld, expected %d", path, (long long)version,
            VOCAB_FILE_VERSION);
    TRY(h5_get_int(h, "/", "special", &special));
    TRY(h5_length(h, "bytes", H5_U8, &bytes));
    TRY(h5_length(h, "counts", H5_I64, &counts));
    char *text;
    int64_t *offset, *count;
    TRY_NEW(text, scratch, bytes);
    TRY_NEW(offset, scratch, counts + 1);
    TRY_NEW(count, scratch, counts);
    TRY(h5_read(h, "bytes", H5_U8, 1, &bytes, text));
    TRY(h5_read(h, "offsets", H5_I64, 1, &(int64_t){counts + 1}, offset));
    TRY(h5_read(h, "counts", H5_I64, 1, &counts, count));
    *flat = (VocabFlat){special != 0, counts, (size_t)bytes, text, offset, count};
    return OK;
}

static Status read_all(Vocab **out, Arena *run, H5 *h, const char *path, Arena *scratch)
{
    VocabFlat flat;
    TRY(read_flat(h, path, scratch, &flat));
    TRY(vocab_from_flat(out, run, path, &flat));
    if (!h5_has_attribute(h, "/", "digest")) return OK;
    const char *digest = "";
    TRY(h5_get_text(h, "/", "digest", scratch, &digest));
    REQUIRE(strcmp(digest, vocab_digest(*out)) == 0, ERR_DATA, "%s: digest: found %.40s, but its words give %s", path,
            digest, vocab_digest(*out));
    return OK;
}

Status vocab_file_read(Vocab **out, Arena *run, const char *path)
{
    Arena scratch = {0};
    H5 *h;
    TRY(h5_open(&h, path, FILE_MOST));
    const Status st = read_all(out, run, h, path, &scratch);
    h5_close(h);
    arena_close(&scratch);
    TRY(st);
    return OK;
}
