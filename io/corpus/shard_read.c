/* shard_read.c - ranges of a shard, checked before they are used. Declared in shard.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/corpus/shard.h"

/* --- Opening --- */

static Status expect_int(H5 *h, const char *path, const char *key, int64_t expected)
{
    int64_t found = 0;
    TRY(h5_get_int(h, "/", key, &found));
    REQUIRE(found == expected, ERR_DATA, "%s: %s: found %lld, expected %lld", path, key, (long long)found,
            (long long)expected);
    return OK;
}

static Status expect_text(H5 *h, const char *path, Arena *scratch, const char *key, const char *expected)
{
    const char *found = "";
    TRY(h5_get_text(h, "/", key, scratch, &found));
    REQUIRE(strcmp(found, expected) == 0, ERR_DATA, "%s: %s: found %.80s, expected %s", path, key, found, expected);
    return OK;
}

static Status check_label(H5 *h, const char *path, Arena *scratch, const ShardLabel *label)
{
    TRY(expect_text(h, path, scratch, "format", "mneme shard"));
    TRY(expect_int(h, path, "version", SHARD_VERSION));
    if (h5_has_attribute(h, "/", "corpus")) {
        const char *found = "";
        TRY(h5_get_text(h, "/", "corpus", scratch, &found));
        REQUIRE(strcmp(found, label->corpus) == 0, ERR_DATA,
                "%s: belongs to another corpus: found digest %.40s, expected %s", path, found, label->corpus);
    }
    TRY(expect_text(h, path, scratch, "split", label->split));
    TRY(expect_int(h, path, "shard", label->shard));
    TRY(expect_int(h, path, "shards", label->shards));
    TRY(expect_int(h, path, "first", label->first));
    TRY(expect_int(h, path, "examples", label->examples));
    return OK;
}

static H5Type values_type(const DataField *f) { return f->type == FIELD_FLOATS ? H5_F32 : H5_I32; }

/* The lengths of all lists agree with each other, as far as they can be known without reading them; units are added to
 * sum, which may be NULL. */
static Status check_lengths(H5 *h, const char *path, const Index *x, int64_t examples, int64_t (*sum)[RAGGED_LEVELS])
{
    for (int f = 0; f < x->n_fields; f++) {
        const DataField *c = &x->field[f];
        char name[NAME_SIZE + 24];
        int64_t n = 0, units = examples;
        for (int l = 0; l < c->levels; l++) {
            snprintf(name, sizeof name, "%s/offsets_%d", c->name, l + 1);
            TRY(h5_length(h, name, H5_I64, &n));
            REQUIRE(n == units + 1, ERR_DATA, "%s: %s: found %lld offsets, expected %lld", path, name, (long long)n,
                    (long long)(units + 1));
            int64_t ends[2] = {0, 0};
            TRY(h5_read_range(h, name, H5_I64, 0, 1, &ends[0]));
            TRY(h5_read_range(h, name, H5_I64, n - 1, 1, &ends[1]));
            REQUIRE(ends[0] == 0 && ends[1] >= 0, ERR_DATA,
                    "%s: %s: found %lld .. %lld, expected to begin with 0 and to rise", path, name, (long long)ends[0],
                    (long long)ends[1]);
            units = ends[1];
            if (sum) sum[f][l] += units;
        }
        snprintf(name, sizeof name, "%s/values", c->name);
        TRY(h5_length(h, name, values_type(c), &n));
        const int64_t width = c->type == FIELD_FLOATS ? c->width : 1;
        char rows[40] = "";
        if (width > 1) snprintf(rows, sizeof rows, " rows of %lld", (long long)width);
        REQUIRE(n / width == units && n % width == 0, ERR_DATA, "%s: %s: found %lld values, expected %lld%s", path,
                name, (long long)n, (long long)units, rows);
    }
    return OK;
}

Status shard_check(H5 *h, const char *path, const Index *x, const ShardLabel *label)
{
    Arena scratch = {0};
    Status st = check_label(h, path, &scratch, label);
    arena_close(&scratch);
    TRY(st);
    TRY(check_lengths(h, path, x, label->examples, NULL));
    return OK;
}

Status shard_add_units(H5 *h, const char *path, const Index *x, int64_t examples, int64_t (*sum)[RAGGED_LEVELS])
{
    return check_lengths(h, path, x, examples, sum);
}

Status shard_open(H5 **out, const char *path, const Index *x, const ShardLabel *label)
{
    H5 *h;
    TRY(h5_open(&h, path, 0));
    const Status st = shard_check(h, path, x, label);
    if (st != OK) h5_close(h);
    TRY(st);
    *out = h;
    return OK;
}

/* --- Ranges --- */

static Status claim(const char *path, size_t *left, int64_t n, size_t width)
{
    REQUIRE((uint64_t)n <= *left / width, ERR_CONFIG,
            "%s: a window of examples does not fit into its memory: make data.memory larger or data.window smaller",
            path);
    *left -= (size_t)n * width;
    return OK;
}

/* Offsets of units [first, first + n] of one level, made to begin with 0; *begin and *end lead to the next level. */
static Status read_offsets(H5 *h, const char *path, const char *name, int64_t first, int64_t n, Arena *arena,
                           const int64_t **out, int64_t *begin, int64_t *end)
{
    int64_t *o;
    TRY_NEW(o, arena, n + 1);
    TRY(h5_read_range(h, name, H5_I64, first, n + 1, o));
    const int64_t base = o[0];
    REQUIRE(base >= 0, ERR_DATA, "%s: %s: found %lld, expected 0 or more", path, name, (long long)base);
    for (int64_t i = 0; i < n; i++) {
        REQUIRE(o[i + 1] >= o[i], ERR_DATA, "%s: %s: offset %lld is %lld, smaller than the one before it", path, name,
                (long long)(first + i + 1), (long long)o[i + 1]);
        o[i] -= base;
    }
    *begin = base;
    *end = o[n];
    o[n] -= base;
    *out = o;
    return OK;
}

static int64_t vocab_words(const Index *x, const DataField *f)
{
    for (int i = 0; i < x->n_vocabs; i++)
        if (strcmp(x->vocab[i].name, f->vocab) == 0) return x->vocab[i].words;
    return INT64_MAX;
}

static Status check_ids(const char *path, const char *name, const int32_t *id, int64_t n, int64_t words)
{
    const bool plain = words > INT32_MAX;
    for (int64_t i = 0; plain && i < n; i++)
        REQUIRE(id[i] >= 0, ERR_DATA, "%s: %s: found %d, expected 0 or more", path, name, id[i]);
    for (int64_t i = 0; !plain && i < n; i++)
        REQUIRE(id[i] >= 0 && id[i] < words, ERR_DATA, "%s: %s: found id %d, but the vocabulary has %lld words", path,
                name, id[i], (long long)words);
    return OK;
}

static Status check_floats(const char *path, const char *name, const float *v, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        REQUIRE(isfinite(v[i]), ERR_DATA, "%s: %s: found %g, expected finite numbers", path, name, (double)v[i]);
    return OK;
}

static Status read_values(H5 *h, const char *path, const Index *x, const DataField *c, int64_t first, int64_t n,
                          Arena *arena, const void **out)
{
    char name[NAME_SIZE + 24];
    snprintf(name, sizeof name, "%s/values", c->name);
    const int64_t width = c->type == FIELD_FLOATS ? c->width : 1;
    void *v = arena_alloc(arena, (size_t)n * field_bytes(c));
    if (!v) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    n *= width;
    TRY(h5_read_range(h, name, values_type(c), first * width, n, v));
    TRY(c->type == FIELD_FLOATS ? check_floats(path, name, v, n) : check_ids(path, name, v, n, vocab_words(x, c)));
    *out = v;
    return OK;
}

/* What stands on the corpus makes room by the index. */
static Status check_longest(const char *path, const char *name, const int64_t *o, int64_t n, int64_t longest)
{
    for (int64_t i = 0; i < n; i++)
        REQUIRE(o[i + 1] - o[i] <= longest, ERR_DATA, "%s: %s: a unit of %lld; the index says %lld at most", path, name,
                (long long)(o[i + 1] - o[i]), (long long)longest);
    return OK;
}

Status shard_read(H5 *shard, const char *path, const Index *x, const IndexSplit *split, int64_t first, int64_t n,
                  size_t *left, Arena *arena, ShardPiece *out)
{
    *out = (ShardPiece){.n = n};
    for (int f = 0; f < x->n_fields; f++) {
        const DataField *c = &x->field[f];
        int64_t begin = first, units = n;
        for (int l = 0; l < c->levels; l++) {
            char name[NAME_SIZE + 24];
            int64_t end = 0;
            snprintf(name, sizeof name, "%s/offsets_%d", c->name, l + 1);
            TRY(claim(path, left, units + 1, 8));
            TRY(read_offsets(shard, path, name, begin, units, arena, &out->offset[f][l], &begin, &end));
            if (split) TRY(check_longest(path, name, out->offset[f][l], units, split->longest[f][l]));
            units = end - begin;
        }
        TRY(claim(path, left, units, field_bytes(c)));
        TRY(read_values(shard, path, x, c, begin, units, arena, &out->values[f]));
    }
    return OK;
}
