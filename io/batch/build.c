/* build.c - parts are walked twice: to count what they hold, and to copy it. */
#include "io/batch/build.h"

#include <string.h>

/* A field while it is counted, and again while it is filled. */
typedef struct Packing {
    int levels;
    size_t bytes;       /* of a value */
    const int64_t *cap; /* units per parent at each level; 0: all */
    int64_t count[RAGGED_LEVELS + 1];
    int64_t *offset[RAGGED_LEVELS]; /* NULL while counting */
    char *values;
} Packing;

/* Units [begin, end) of level l of a part, with all below them; they are counted already. */
static void walk(Packing *p, const BuildPart *part, int l, int64_t begin, int64_t end)
{
    int64_t at = p->count[l] - (end - begin);
    if (l == p->levels) {
        if (p->values && end > begin)
            memcpy(p->values + p->bytes * (size_t)at, (const char *)part->values + p->bytes * (size_t)begin,
                   p->bytes * (size_t)(end - begin));
        return;
    }
    for (int64_t u = begin; u < end; u++) {
        const int64_t first = part->offset[l][u], cap = p->cap[l];
        int64_t last = part->offset[l][u + 1];
        if (cap > 0 && last - first > cap) last = first + cap;
        p->count[l + 1] += last - first;
        if (p->offset[l]) p->offset[l][++at] = p->count[l + 1];
        walk(p, part, l + 1, first, last);
    }
}

static void walk_all(Packing *p, int64_t n, BuildParts *parts, const void *context, int field)
{
    memset(p->count, 0, sizeof p->count);
    for (int64_t i = 0; i < n; i++) {
        const BuildPart part = parts(context, field, i);
        p->count[0]++;
        walk(p, &part, 0, part.at, part.at + 1);
    }
}

static Status pack(Packing *p, Arena *arena, int64_t n, BuildParts *parts, const void *context, int field)
{
    walk_all(p, n, parts, context, field);
    for (int l = 0; l < p->levels; l++) {
        p->offset[l] = arena_alloc(arena, (size_t)(p->count[l] + 1) * sizeof(int64_t));
        if (!p->offset[l]) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
        p->offset[l][0] = 0;
    }
    p->values = arena_alloc(arena, (size_t)p->count[p->levels] * p->bytes);
    if (!p->values) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    walk_all(p, n, parts, context, field);
    return OK;
}

static const int64_t whole[RAGGED_LEVELS]; /* no cap */

Status build_field(Ragged *out, Arena *arena, const DataField *f, const int64_t *cap, int64_t n, BuildParts *part,
                   const void *context, int field)
{
    Packing p = {.levels = f->levels, .bytes = field_bytes(f), .cap = cap ? cap : whole};
    TRY(pack(&p, arena, n, part, context, field));
    *out = (Ragged){.field = f};
    memcpy(out->count, p.count, sizeof p.count);
    for (int l = 0; l < f->levels; l++) out->offset[l] = p.offset[l];
    if (f->type == FIELD_IDS)
        out->id = (const int32_t *)(const void *)p.values;
    else
        out->value = (const float *)(const void *)p.values;
    return OK;
}

/* --- Examples --- */

typedef struct Examples {
    const Example *example;
    const void **values; /* (n) of the field */
} Examples;

static BuildPart example_part(const void *context, int field, int64_t i)
{
    const Examples *x = context;
    return (BuildPart){(const int64_t *const *)x->example[i].field[field].offset, x->values[i], 0};
}

/* Ids of the words of field f of an example; the caps come after. */
static Status look_up(const ExampleField *x, int64_t n, const Vocab *v, Arena *arena, const void **out)
{
    int32_t *id;
    TRY_NEW(id, arena, n);
    for (int64_t i = 0; i < n; i++) id[i] = (int32_t)vocab_id(v, x->word[i].text, x->word[i].size);
    *out = id;
    return OK;
}

static Status fill_field(Ragged *out, Arena *arena, const BuildRule *rule, int f, int64_t n, const Example *example,
                         const Word **word)
{
    const DataField *field = &rule->field[f];
    const Vocab *vocab = rule->vocab[f];
    int64_t cap[RAGGED_LEVELS];
    Examples x = {.example = example};
    field_caps(rule->n_fields, rule->field, field, rule->sentences, rule->words, cap);
    TRY_NEW(x.values, arena, n);
    for (int64_t i = 0; i < n; i++) {
        const ExampleField *e = &example[i].field[f];
        x.values[i] = field->type == FIELD_FLOATS ? (const void *)e->value : e->number;
        if (vocab) TRY(look_up(e, e->count[field->levels], vocab, arena, &x.values[i]));
    }
    TRY(build_field(out, arena, field, cap, n, example_part, &x, f));
    *word = NULL;
    if (!vocab) return OK;
    Packing p = {.levels = field->levels, .bytes = sizeof(Word), .cap = cap};
    for (int64_t i = 0; i < n; i++) x.values[i] = example[i].field[f].word;
    TRY(pack(&p, arena, n, example_part, &x, f));
    *word = (const Word *)(const void *)p.values;
    return OK;
}

static bool known(int f, int64_t n, const Example *example)
{
    for (int64_t i = 0; i < n; i++)
        if (example[i].field[f].count[0] == 0) return false;
    return true;
}

Status build_examples(Batch *out, Arena *arena, const BuildRule *rule, int64_t n, const Example *example,
                      const int64_t *number, const Word *word[BATCH_FIELDS])
{
    *out = (Batch){.B = n, .all = n, .example = number};
    for (int f = 0; f < rule->n_fields; f++) {
        const Word *text;
        if (!known(f, n, example)) continue;
        TRY(fill_field(&out->field[out->n_fields], arena, rule, f, n, example, &text));
        if (word) word[out->n_fields] = text;
        out->n_fields++;
    }
    return OK;
}

/* --- Rows of a batch --- */

typedef struct Rows {
    const Batch *from;
    const int64_t *row;
} Rows;

static BuildPart row_part(const void *context, int field, int64_t i)
{
    const Rows *x = context;
    const Ragged *r = &x->from->field[field];
    return (BuildPart){r->offset, r->id ? (const void *)r->id : r->value, x->row[i]};
}

Status build_rows(Batch *out, Arena *arena, const Batch *from, int64_t n, const int64_t *row)
{
    const Rows x = {from, row};
    int64_t *example;
    TRY_NEW(example, arena, n);
    for (int64_t i = 0; i < n; i++) example[i] = from->example[row[i]];
    *out = (Batch){.B = n, .all = n, .example = example, .n_fields = from->n_fields};
    for (int f = 0; f < from->n_fields; f++)
        TRY(build_field(&out->field[f], arena, from->field[f].field, NULL, n, row_part, &x, f));
    return OK;
}

/* --- Single fields --- */

Status build_ids(Ragged *out, Arena *arena, const DataField *f, int64_t n, const BuildIds *ids)
{
    int64_t *offset;
    int32_t *id;
    REQUIRE(f->levels == 1 && f->type == FIELD_IDS, ERR_INTERNAL, "field %s has no sequences of ids", f->name);
    TRY_NEW(offset, arena, n + 1);
    for (int64_t i = 0; i < n; i++) offset[i + 1] = offset[i] + ids[i].n;
    TRY_NEW(id, arena, offset[n]);
    for (int64_t i = 0; i < n; i++)
        if (ids[i].n > 0) memcpy(id + offset[i], ids[i].id, (size_t)ids[i].n * sizeof *id);
    *out = (Ragged){.field = f, .count = {n, offset[n]}, .offset = {offset}, .id = id};
    return OK;
}

Status build_put(Batch *b, const Ragged *r, int *at)
{
    for (*at = 0; *at < b->n_fields; ++*at)
        if (b->field[*at].field->role == r->field->role && strcmp(b->field[*at].field->name, r->field->name) == 0)
            break;
    REQUIRE(*at < BATCH_FIELDS, ERR_INTERNAL, "a batch of more than %d fields", BATCH_FIELDS);
    if (*at == b->n_fields) b->n_fields++;
    b->field[*at] = *r;
    return OK;
}

Status build_random(Ragged *out, Arena *arena, const DataField *f, int64_t n, const int64_t *per, int64_t below,
                    RandomKey key)
{
    *out = (Ragged){.field = f, .count = {n}};
    for (int l = 0; l < f->levels; l++) {
        int64_t *offset;
        TRY_NEW(offset, arena, out->count[l] + 1);
        for (int64_t i = 0; i <= out->count[l]; i++) offset[i] = i * per[l];
        out->offset[l] = offset;
        out->count[l + 1] = out->count[l] * per[l];
    }
    int32_t *id;
    TRY_NEW(id, arena, out->count[f->levels]);
    for (int64_t i = 0; i < out->count[f->levels]; i++) id[i] = (int32_t)random_below(key, (uint64_t)i, 0, below);
    out->id = id;
    return OK;
}
