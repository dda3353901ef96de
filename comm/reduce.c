/* reduce.c - the table of all-reduce algorithms, and the buckets. */
#include "comm/reduce.h"

#include <string.h>

#include "comm/ranks.h"

/* One line per algorithm. Its definition is in reduce/<name>.c. */
#define REDUCES(X) X(native) X(tree) X(shared)

#define DECLARE(name) extern const ReduceDef reduce_##name;
#define ROW(name)     &reduce_##name,
REDUCES(DECLARE)
static const ReduceDef *const table[] = {REDUCES(ROW) NULL};

const char *reduce_name(int i) { return table[i] ? table[i]->name : NULL; }
const ReduceDef *reduce_at(int i) { return table[i]; }

const ReduceDef *reduce_find(const char *name)
{
    for (int i = 0; table[i]; i++)
        if (strcmp(table[i]->name, name) == 0) return table[i];
    return NULL;
}

Status reduce_sum(Comm *c, const ReduceDef *how, void *buf, size_t count, CommType type, size_t bucket_bytes)
{
    REQUIRE(type == COMM_F32 || type == COMM_F64, ERR_INTERNAL, "only floats and doubles are reduced, not type %d",
            (int)type);
    const size_t width = comm_type_bytes(type);
    size_t bucket = (bucket_bytes ? bucket_bytes : REDUCE_BUCKET) / width;
    if (bucket == 0) bucket = 1;
    if (bucket > c->chunk) bucket = c->chunk;
    for (size_t i = 0; i < count; i += bucket)
        TRY(how->sum(c, (char *)buf + i * width, count - i < bucket ? count - i : bucket, type));
    return OK;
}

static void add_f32(float *a, const float *b, size_t n)
{
    for (size_t i = 0; i < n; i++) a[i] += b[i];
}

static void add_f64(double *a, const double *b, size_t n)
{
    for (size_t i = 0; i < n; i++) a[i] += b[i];
}

void reduce_tree_add(void *pieces, int n, size_t count, CommType type)
{
    for (int step = 1; step < n; step *= 2)
        for (int i = 0; i + step < n; i += 2 * step) {
            const size_t a = (size_t)i * count, b = (size_t)(i + step) * count;
            if (type == COMM_F32)
                add_f32((float *)pieces + a, (const float *)pieces + b, count);
            else
                add_f64((double *)pieces + a, (const double *)pieces + b, count);
        }
}
