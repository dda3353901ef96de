/* checkpoint_inspect.c - read and check all of a checkpoint without knowing its model; tell a person about it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/checkpoint/checkpoint_file.h"

enum { OBJECT = 512, DEPTH = 20 };

typedef struct Look {
    H5 *h;
    const char *path;
    Arena *arena;
    Buffer *text; /* NULL: only check */
    CheckpointSum sum;
    int64_t numbers; /* in the datasets of the present top group */
} Look;

static Status say_shape(Buffer *text, int rank, const int64_t *shape)
{
    char all[128] = "";
    size_t used = 0;
    for (int i = 0; i < rank; i++)
        used += (size_t)snprintf(all + used, sizeof all - used, i ? " x %lld" : "%lld", (long long)shape[i]);
    return buffer_say(text, "%-16s", all);
}

static Status say_spread(Buffer *text, H5Type type, const void *data, int64_t n)
{
    double low = INFINITY, high = -INFINITY, squares = 0;
    for (int64_t i = 0; i < n; i++) {
        const double v = type == H5_F32 ? (double)((const float *)data)[i] : ((const double *)data)[i];
        low = v < low ? v : low;
        high = v > high ? v : high;
        squares += v * v;
    }
    return buffer_say(text, "  %11.4g .. %-11.4g rms %.4g", low, high, sqrt(squares / (double)n));
}

static Status say_state(Buffer *text, H5Type type, const void *data, int64_t n)
{
    if (type == H5_U8) return buffer_say(text, "  \"%.60s%s\"", (const char *)data, n > 61 ? "..." : "");
    TRY(buffer_text(text, " "));
    for (int64_t i = 0; i < n && i < 8; i++) {
        if (type == H5_I64)
            TRY(buffer_say(text, " %lld", (long long)((const int64_t *)data)[i]));
        else
            TRY(buffer_say(text, " %.6g", ((const double *)data)[i]));
    }
    return n > 8 ? buffer_say(text, " ... (%lld values)", (long long)n) : OK;
}

static Status describe(Look *k, const char *object, H5Type type, int rank, const int64_t *shape, const void *data,
                       int64_t n)
{
    const bool state = strncmp(object, "state/", 6) == 0;
    const char *meaning = NULL;
    TRY(buffer_say(k->text, "  %-40s ", object));
    if (state) {
        TRY(say_state(k->text, type, data, n));
        return buffer_text(k->text, "\n");
    }
    TRY(say_shape(k->text, rank, shape));
    if (type == H5_F32 || type == H5_F64) TRY(say_spread(k->text, type, data, n));
    if (h5_has_attribute(k->h, object, "meaning")) TRY(h5_get_text(k->h, object, "meaning", k->arena, &meaning));
    return meaning ? buffer_say(k->text, "  %s\n", meaning) : buffer_text(k->text, "\n");
}

static Status check_values(const Look *k, const char *object, H5Type type, const void *data, int64_t n)
{
    if ((type != H5_F32 && type != H5_F64) || strncmp(object, "state/", 6) == 0) return OK;
    const int64_t at = checkpoint_not_finite(data, type == H5_F32 ? 4 : 8, n);
    REQUIRE(at < 0, ERR_DATA, "%s: %s: the number at element %lld is not finite", k->path, object, (long long)at);
    return OK;
}

static Status look_at(Look *k, const char *object)
{
    H5Type type = H5_U8;
    int rank = 0;
    int64_t shape[H5_RANK] = {0}, n = 1;
    const char *expected = NULL;
    char hex[HASH_HEX];
    TRY(h5_shape(k->h, object, &type, &rank, shape));
    for (int i = 0; i < rank; i++) n *= shape[i];
    const size_t bytes = (size_t)n * h5_type_size(type);
    char *data = arena_alloc(k->arena, bytes + 1);
    if (!data) return ERR_HOST;
    data[bytes] = '\0';
    TRY(h5_read(k->h, object, type, rank, shape, data));
    TRY(h5_get_text(k->h, object, CHECKPOINT_DIGEST, k->arena, &expected));
    hash_bytes(data, bytes, hex);
    REQUIRE(strcmp(hex, expected) == 0, ERR_DATA, "%s: %s: damaged: its digest is %s, expected %s", k->path, object,
            hex, expected);
    TRY(check_values(k, object, type, data, n));
    k->numbers += n;
    if (strcmp(object, "config") == 0) return OK;
    TRY(checkpoint_sum_add(&k->sum, object, hex));
    return k->text ? describe(k, object, type, rank, shape, data, n) : OK;
}

static Status walk(Look *k, const char *group, int depth)
{
    char inside[OBJECT];
    int n = 0;
    const char *const *name;
    Arena names = {0};
    REQUIRE(depth < DEPTH, ERR_DATA, "%s: %s: groups are nested too deep", k->path, group);
    Status st = h5_list(k->h, *group ? group : "/", &names, &n, &name);
    for (int i = 0; i < n && st == OK; i++) {
        const int size = snprintf(inside, sizeof inside, "%s%s%s", group, *group ? "/" : "", name[i]);
        if (size <= 0 || size >= OBJECT) continue;
        if (inside[size - 1] == '/') {
            inside[size - 1] = '\0';
            st = walk(k, inside, depth + 1);
            continue;
        }
        const ArenaMark mark = arena_mark(k->arena);
        st = look_at(k, inside);
        arena_release(k->arena, mark);
    }
    arena_close(&names);
    return st;
}

static Status say_head(Look *k, const CheckpointHead *head)
{
    TRY(buffer_say(k->text, "%s: checkpoint, format %d\n", k->path, CHECKPOINT_VERSION));
    TRY(buffer_say(k->text, "  model        %s\n  step         %lld\n  precision    %s\n",
                   head->model ? head->model : "-", (long long)head->step,
                   head->width == 4 ? "single (float)" : "double"));
    const CheckpointSource *from = &head->source;
    TRY(buffer_say(k->text, "  program      %s\n  vocabulary   %s\n", head->program ? head->program : "-",
                   head->vocabulary ? head->vocabulary : "-"));
    if (from->corpus)
        TRY(buffer_say(k->text, "  corpus       %s, %lld examples\n", from->corpus, (long long)from->examples));
    if (from->vectors) TRY(buffer_say(k->text, "  vectors      %s\n", from->vectors));
    return buffer_say(k->text, "  digest       %s\n\n", head->digest);
}

/* The last check: nothing was taken out, put in or swapped. */
static Status check_sum(const Look *k, const CheckpointHead *head)
{
    char hex[HASH_HEX];
    hash_hex(k->sum.half, hex);
    REQUIRE(strcmp(hex, head->digest) == 0, ERR_DATA, "%s: damaged: the digest of its content is %s, expected %s",
            k->path, hex, head->digest);
    return OK;
}

static Status look_here(Look *k)
{
    CheckpointHead head;
    char step[32];
    Arena texts = {0};
    Status st = checkpoint_head_of(k->h, k->path, &texts, &head);
    if (st == OK && k->text) st = say_head(k, &head);
    snprintf(step, sizeof step, "%lld", st == OK ? (long long)head.step : -1);
    if (st == OK) st = checkpoint_sum_add(&k->sum, "step", step);
    if (st == OK) st = walk(k, "", 0);
    if (st == OK) st = check_sum(k, &head);
    if (st == OK && k->text) st = buffer_say(k->text, "\n%s\n", head.config);
    arena_close(&texts);
    return st;
}

static Status look(const char *path, Buffer *text)
{
    Arena arena = {0};
    Look k = {.path = path, .arena = &arena, .text = text};
    TRY(h5_open(&k.h, path, 0));
    const Status st = look_here(&k);
    h5_close(k.h);
    arena_close(&arena);
    return st;
}

Status checkpoint_verify(const char *path)
{
    TRY(look(path, NULL));
    return OK;
}

Status checkpoint_inspect(const char *path, Buffer *text)
{
    TRY(look(path, text));
    return OK;
}
