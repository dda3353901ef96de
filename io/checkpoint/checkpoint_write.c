/* checkpoint_write.c - a checkpoint as the bytes of an HDF5 file. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/checkpoint/checkpoint_file.h"
#include "io/format/number.h"

enum { OBJECT = 512 };

const char *checkpoint_kind_name(CheckpointKind kind)
{
    static const char *const name[] = {"int", "real", "text"};
    return name[kind];
}

H5Type checkpoint_kind_type(CheckpointKind kind)
{
    return kind == CHECKPOINT_INT ? H5_I64 : kind == CHECKPOINT_REAL ? H5_F64 : H5_U8;
}

Status checkpoint_sum_add(CheckpointSum *sum, const char *object, const char *hex)
{
    char text[OBJECT + HASH_HEX + 1], of[HASH_HEX];
    uint64_t half[2];
    const int n = snprintf(text, sizeof text, "%s %s", object, hex);
    REQUIRE(n > 0 && (size_t)n < sizeof text, ERR_DATA, "%.80s...: the name is too long", object);
    hash_bytes(text, (size_t)n, of);
    TRY(hash_halves(of, half));
    sum->half[0] += half[0];
    sum->half[1] += half[1];
    return OK;
}

/* One dataset with its digest, which joins that of all. */
static Status put(H5 *h, const char *object, H5Type type, int rank, const int64_t *shape, const void *data,
                  CheckpointSum *all)
{
    char hex[HASH_HEX];
    size_t bytes = h5_type_size(type);
    for (int i = 0; i < rank; i++) bytes *= (size_t)shape[i];
    hash_bytes(data, bytes, hex);
    TRY(checkpoint_sum_add(all, object, hex));
    TRY(h5_write(h, object, type, rank, shape, data));
    return h5_set_text(h, object, CHECKPOINT_DIGEST, hex);
}

static Status put_param(const Checkpoint *c, H5 *h, const CheckpointBuffer *b, const CheckpointParam *p,
                        CheckpointSum *all)
{
    char object[OBJECT];
    const int n = snprintf(object, sizeof object, "%s/%s", b->name, p->name);
    REQUIRE(n > 0 && n < OBJECT, ERR_INTERNAL, "%s/%s: the name is too long", b->name, p->name);
    const char *data = (const char *)b->data + p->offset * c->width;
    TRY(put(h, object, c->width == 4 ? H5_F32 : H5_F64, p->rank, p->shape, data, all));
    if (p->meaning && b == c->buffer) TRY(h5_set_text(h, object, "meaning", p->meaning));
    return OK;
}

static Status put_state(H5 *h, const CheckpointState *s, CheckpointSum *all)
{
    char object[OBJECT];
    const int n = snprintf(object, sizeof object, "state/%s", s->name);
    REQUIRE(n > 0 && n < OBJECT, ERR_INTERNAL, "state/%s: the name is too long", s->name);
    const char *text = s->kind == CHECKPOINT_TEXT ? *(const char *const *)s->data : NULL;
    if (s->kind == CHECKPOINT_TEXT && !text) text = "";
    const int64_t length = text ? (int64_t)strlen(text) + 1 : s->n; /* with its 0 byte, so that none is empty */
    TRY(put(h, object, checkpoint_kind_type(s->kind), 1, &length, text ? text : s->data, all));
    return h5_set_text(h, object, "kind", checkpoint_kind_name(s->kind));
}

/* What is NULL is not in the file. */
static Status put_fact(H5 *h, const char *key, const char *text) { return text ? h5_set_text(h, "/", key, text) : OK; }

static Status put_number(H5 *h, const char *key, double v)
{
    char text[NUMBER_SIZE];
    return isnan(v) ? OK : h5_set_text(h, "/", key, number_double(text, v));
}

static Status put_head(const Checkpoint *c, H5 *h, const char *digest)
{
    TRY(h5_set_text(h, "/", "format", CHECKPOINT_FORMAT));
    TRY(h5_set_int(h, "/", "version", CHECKPOINT_VERSION));
    TRY(h5_set_int(h, "/", "step", c->step));
    TRY(h5_set_int(h, "/", "precision", c->width));
    TRY(put_fact(h, "model", c->model));
    TRY(put_fact(h, "program", c->program));
    TRY(put_fact(h, "vocabulary", c->vocabulary));
    TRY(put_fact(h, "environment", c->environment));
    TRY(put_fact(h, "corpus", c->source.corpus));
    TRY(put_fact(h, "vectors", c->source.vectors));
    if (c->source.examples >= 0) TRY(h5_set_int(h, "/", "examples", c->source.examples));
    TRY(put_number(h, "metric", c->metric));
    TRY(put_number(h, "loss", c->loss));
    if (!isnan(c->metric)) TRY(h5_set_int(h, "/", "higher", c->higher));
    if (c->best_from > 0) TRY(h5_set_int(h, "/", "best_from", c->best_from));
    return put_fact(h, "digest", digest);
}

static Status put_config(const Checkpoint *c, H5 *h)
{
    CheckpointSum unused = {0};
    const char *text = c->config ? c->config : "";
    const int64_t n = (int64_t)strlen(text) + 1;
    return put(h, "config", H5_U8, 1, &n, text, &unused);
}

static Status build(const Checkpoint *c, H5 *h, char digest[HASH_HEX])
{
    CheckpointSum all = {0};
    char step[32];
    for (int b = 0; b < c->n_buffers; b++)
        for (int p = 0; p < c->n_params; p++) TRY(put_param(c, h, &c->buffer[b], &c->param[p], &all));
    for (int s = 0; s < c->n_states; s++) TRY(put_state(h, &c->state[s], &all));
    snprintf(step, sizeof step, "%lld", (long long)c->step);
    TRY(checkpoint_sum_add(&all, "step", step));
    hash_hex(all.half, digest);
    TRY(put_config(c, h));
    return put_head(c, h, digest);
}

Status checkpoint_image(const Checkpoint *c, const char *name, Buffer *image, char digest[HASH_HEX])
{
    H5 *h;
    TRY(checkpoint_check_finite(c));
    TRY(h5_create_in(&h, name, image));
    Status st = build(c, h, digest);
    if (st == OK) st = h5_image(h, image);
    h5_close(h);
    TRY(st);
    return OK;
}
