/* checkpoint_read.c - a checkpoint read back: every byte checked, and every object an expected one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/checkpoint/checkpoint_file.h"

enum { OBJECT = 512 };

/* --- Head --- */

static Status optional_text(H5 *h, const char *key, Arena *arena, const char **text)
{
    *text = NULL;
    return h5_has_attribute(h, "/", key) ? h5_get_text(h, "/", key, arena, text) : OK;
}

/* Before anything else: is it ours, and do we know this format? */
static Status check_format(H5 *h, const char *path, Arena *arena)
{
    const char *format = "", *program;
    int64_t version = 0;
    if (h5_has_attribute(h, "/", "format")) TRY(h5_get_text(h, "/", "format", arena, &format));
    REQUIRE(strcmp(format, CHECKPOINT_FORMAT) == 0, ERR_DATA, "%s: not a checkpoint of Mneme", path);
    TRY(h5_get_int(h, "/", "version", &version));
    TRY(optional_text(h, "program", arena, &program));
    REQUIRE(version <= CHECKPOINT_VERSION, ERR_CONFIG,
            "%s: written in checkpoint format %lld by %s; this program reads up to format %d: use a newer one", path,
            (long long)version, program ? program : "an unknown program", CHECKPOINT_VERSION);
    REQUIRE(version >= 1, ERR_DATA, "%s: checkpoint format %lld does not exist", path, (long long)version);
    return OK;
}

/* NaN when it is not there. */
static Status optional_number(H5 *h, const char *key, Arena *arena, double *v)
{
    const char *text;
    TRY(optional_text(h, key, arena, &text));
    *v = text ? strtod(text, NULL) : (double)NAN;
    return OK;
}

static Status read_facts(H5 *h, const char *path, Arena *arena, CheckpointHead *head)
{
    int64_t width = 0;
    *head = (CheckpointHead){.step = -1, .source = {.examples = -1}};
    TRY(check_format(h, path, arena));
    TRY(h5_get_int(h, "/", "step", &head->step));
    TRY(h5_get_int(h, "/", "precision", &width));
    REQUIRE(width == 4 || width == 8, ERR_DATA, "%s: %lld bytes a number, expected 4 or 8", path, (long long)width);
    head->width = (int)width;
    TRY(optional_text(h, "model", arena, &head->model));
    TRY(optional_text(h, "program", arena, &head->program));
    TRY(optional_text(h, "vocabulary", arena, &head->vocabulary));
    TRY(optional_text(h, "environment", arena, &head->environment));
    TRY(optional_text(h, "corpus", arena, &head->source.corpus));
    TRY(optional_text(h, "vectors", arena, &head->source.vectors));
    if (h5_has_attribute(h, "/", "examples")) TRY(h5_get_int(h, "/", "examples", &head->source.examples));
    int64_t higher = 0;
    TRY(optional_number(h, "metric", arena, &head->metric));
    TRY(optional_number(h, "loss", arena, &head->loss));
    if (h5_has_attribute(h, "/", "higher")) TRY(h5_get_int(h, "/", "higher", &higher));
    head->higher = higher != 0;
    if (h5_has_attribute(h, "/", "best_from")) TRY(h5_get_int(h, "/", "best_from", &head->best_from));
    return h5_get_text(h, "/", "digest", arena, &head->digest);
}

/* --- Datasets --- */

/* The bytes that were read are those that were written; found (may be NULL) gets their digest. */
static Status check_digest(H5 *h, const char *path, const char *object, const void *data, size_t bytes, Arena *arena,
                           const char **found)
{
    const char *expected;
    char hex[HASH_HEX];
    TRY(h5_get_text(h, object, CHECKPOINT_DIGEST, arena, &expected));
    hash_bytes(data, bytes, hex);
    REQUIRE(strcmp(hex, expected) == 0, ERR_DATA, "%s: %s: damaged: its digest is %s, expected %s", path, object, hex,
            expected);
    if (found) *found = expected;
    return OK;
}

/* Memory that the arena gives back afterwards; count values of this type and shape in the file. */
static Status read_checked(H5 *h, const char *path, const char *object, Arena *arena, H5Type type, int rank,
                           const int64_t *shape, void *data, const char **digest)
{
    size_t bytes = h5_type_size(type);
    for (int i = 0; i < rank; i++) bytes *= (size_t)shape[i];
    TRY(h5_read(h, object, type, rank, shape, data));
    return check_digest(h, path, object, data, bytes, arena, digest);
}

/* A list of bytes that ends in 0. */
static Status read_text(H5 *h, const char *path, const char *object, Arena *arena, const char **text)
{
    int64_t n;
    TRY(h5_length(h, object, H5_U8, &n));
    char *bytes = arena_alloc(arena, (size_t)n + 1);
    if (!bytes) return ERR_HOST;
    TRY(read_checked(h, path, object, arena, H5_U8, 1, &n, bytes, NULL));
    REQUIRE(n >= 1 && memchr(bytes, 0, (size_t)n) == bytes + n - 1, ERR_DATA, "%s: %s: not a text", path, object);
    *text = bytes;
    return OK;
}

Status checkpoint_head_of(H5 *h, const char *path, Arena *arena, CheckpointHead *head)
{
    TRY(read_facts(h, path, arena, head));
    return read_text(h, path, "config", arena, &head->config);
}

Status checkpoint_head(const char *path, Arena *arena, CheckpointHead *head)
{
    H5 *h;
    TRY(h5_open(&h, path, 0));
    const Status st = checkpoint_head_of(h, path, arena, head);
    h5_close(h);
    TRY(st);
    return OK;
}

/* --- Loading --- */

static const char *precision(int width) { return width == 4 ? "single" : "double"; }

static Status check_belongs(const char *path, const CheckpointHead *head, const Checkpoint *c, int use)
{
    REQUIRE(!c->model || (head->model && strcmp(head->model, c->model) == 0), ERR_DATA,
            "%s: a checkpoint of the model %s, expected %s", path, head->model ? head->model : "(none)", c->model);
    REQUIRE(!c->vocabulary || (head->vocabulary && strcmp(head->vocabulary, c->vocabulary) == 0), ERR_DATA,
            "%s: belongs to a corpus with the vocabulary %s, this one has %s", path,
            head->vocabulary ? head->vocabulary : "(none)", c->vocabulary);
    REQUIRE(head->width == c->width || use & CHECKPOINT_CONVERT, ERR_DATA,
            "%s: holds numbers of %s precision, expected %s", path, precision(head->width), precision(c->width));
    return OK;
}

static void convert(void *to, int to_width, const void *from, int64_t n)
{
    if (to_width == 4) {
        for (int64_t i = 0; i < n; i++) ((float *)to)[i] = (float)((const double *)from)[i];
    } else {
        for (int64_t i = 0; i < n; i++) ((double *)to)[i] = (double)((const float *)from)[i];
    }
}

typedef struct Load {
    H5 *h;
    const char *path;
    Checkpoint *c;
    Arena *arena; /* of this call */
    int width;    /* of the file */
} Load;

static Status load_here(const Load *l, const char *object, const CheckpointParam *p, char *to)
{
    const bool same = l->width == l->c->width;
    void *data = same ? to : arena_alloc(l->arena, (size_t)p->count * (size_t)l->width);
    if (!data) return ERR_HOST;
    TRY(read_checked(l->h, l->path, object, l->arena, l->width == 4 ? H5_F32 : H5_F64, p->rank, p->shape, data, NULL));
    if (!same) convert(to, l->c->width, data, p->count);
    const int64_t at = checkpoint_not_finite(to, l->c->width, p->count);
    REQUIRE(at < 0, ERR_DATA, "%s: %s: the number at element %lld is not finite", l->path, object, (long long)at);
    return OK;
}

static Status load_param(const Load *l, const CheckpointBuffer *b, const CheckpointParam *p)
{
    char object[OBJECT];
    const ArenaMark mark = arena_mark(l->arena);
    const int n = snprintf(object, sizeof object, "%s/%s", b->name, p->name);
    REQUIRE(n > 0 && n < OBJECT, ERR_INTERNAL, "%s/%s: the name is too long", b->name, p->name);
    TRY(load_here(l, object, p, (char *)b->data + p->offset * l->c->width));
    arena_release(l->arena, mark);
    return OK;
}

static bool is_param(const Checkpoint *c, const char *name)
{
    for (int p = 0; p < c->n_params; p++)
        if (strcmp(c->param[p].name, name) == 0) return true;
    return false;
}

/* A parameter that the model does not have is another model, even when all that it has are there. */
static Status check_no_more(const Load *l, const char *top, const char *below)
{
    char group[OBJECT], inside[OBJECT];
    int n;
    const char *const *name;
    snprintf(group, sizeof group, "%s%s%s", top, *below ? "/" : "", below);
    TRY(h5_list(l->h, group, l->arena, &n, &name));
    for (int i = 0; i < n; i++) {
        const int size = snprintf(inside, sizeof inside, "%s%s%s", below, *below ? "/" : "", name[i]);
        REQUIRE(size > 0 && size < OBJECT, ERR_DATA, "%s: %s: names are too long", l->path, group);
        if (inside[size - 1] == '/') {
            inside[size - 1] = '\0';
            TRY(check_no_more(l, top, inside));
        } else
            REQUIRE(is_param(l->c, inside), ERR_DATA, "%s: %s/%s: this model has no such parameter", l->path, top,
                    inside);
    }
    return OK;
}

static Status load_buffer(const Load *l, CheckpointBuffer *b)
{
    b->found = h5_has(l->h, b->name);
    if (!b->found && b->optional) return OK;
    REQUIRE(b->found, ERR_DATA, "%s: %s: is missing", l->path, b->name);
    TRY(check_no_more(l, b->name, ""));
    for (int p = 0; p < l->c->n_params; p++) TRY(load_param(l, b, &l->c->param[p]));
    return OK;
}

static Status load_state(const Load *l, CheckpointState *s)
{
    char object[OBJECT];
    const int n = snprintf(object, sizeof object, "state/%s", s->name);
    REQUIRE(n > 0 && n < OBJECT, ERR_INTERNAL, "state/%s: the name is too long", s->name);
    s->found = h5_has(l->h, object);
    if (!s->found && s->optional) return OK;
    if (s->kind == CHECKPOINT_TEXT) return read_text(l->h, l->path, object, l->c->arena, s->data);
    TRY(read_checked(l->h, l->path, object, l->arena, checkpoint_kind_type(s->kind), 1, &s->n, s->data, NULL));
    for (int64_t i = 0; i < s->n && s->kind == CHECKPOINT_INT; i++) {
        const int64_t v = ((const int64_t *)s->data)[i];
        REQUIRE(v >= s->least && v <= s->most, ERR_DATA, "%s: %s: found %lld, expected %lld to %lld", l->path, object,
                (long long)v, (long long)s->least, (long long)s->most);
    }
    return OK;
}

/* Its texts go with the file. */
static Status take_source(Checkpoint *c, const CheckpointSource *from)
{
    c->source = *from;
    if (from->corpus) c->source.corpus = arena_text(c->arena, from->corpus);
    if (from->vectors) c->source.vectors = arena_text(c->arena, from->vectors);
    REQUIRE(!from->corpus == !c->source.corpus && !from->vectors == !c->source.vectors, ERR_HOST, "%s",
            status_message());
    return OK;
}

static Status load_all(Load *l, int use)
{
    CheckpointHead head;
    TRY(read_facts(l->h, l->path, l->arena, &head));
    TRY(check_belongs(l->path, &head, l->c, use));
    REQUIRE(head.step >= 0, ERR_DATA, "%s: step: found %lld, expected 0 or more", l->path, (long long)head.step);
    l->width = head.width;
    TRY(take_source(l->c, &head.source));
    for (int b = 0; b < l->c->n_buffers; b++) TRY(load_buffer(l, &l->c->buffer[b]));
    for (int s = 0; s < l->c->n_states && !(use & CHECKPOINT_MODEL); s++) TRY(load_state(l, &l->c->state[s]));
    l->c->step = head.step;
    return OK;
}

Status checkpoint_load(const char *path, Checkpoint *c, int use)
{
    Arena arena = {0};
    Load l = {.path = path, .c = c, .arena = &arena};
    TRY(h5_open(&l.h, path, 0));
    const Status st = load_all(&l, use);
    h5_close(l.h);
    arena_close(&arena);
    TRY(st);
    return OK;
}
