/* inspect_content.c - every example of a corpus is read and compared with what the index says. */
#include <limits.h>

#include "io/corpus/corpus_parts.h"
#include "io/corpus/shard.h"

enum { WINDOW = 4096 }; /* examples that are read at once */

/* What was found of one split. */
typedef struct Found {
    int64_t longest[BATCH_FIELDS][RAGGED_LEVELS];
} Found;

static void add(Found *sum, const Index *x, const ShardPiece *p)
{
    for (int f = 0; f < x->n_fields; f++) {
        int64_t units = p->n;
        for (int l = 0; l < x->field[f].levels; l++) {
            const int64_t *o = p->offset[f][l];
            for (int64_t i = 0; i < units; i++)
                if (o[i + 1] - o[i] > sum->longest[f][l]) sum->longest[f][l] = o[i + 1] - o[i];
            units = o[units];
        }
    }
}

static Status read_shard(H5 *h, const char *path, const Index *x, const IndexSplit *split, int64_t examples,
                         Arena *arena, Found *sum)
{
    for (int64_t first = 0; first < examples; first += WINDOW) {
        const ArenaMark mark = arena_mark(arena);
        const int64_t n = examples - first < WINDOW ? examples - first : WINDOW;
        size_t left = SIZE_MAX; /* the file's size bounds what it can hold */
        ShardPiece piece;
        TRY(shard_read(h, path, x, split, first, n, &left, arena, &piece));
        add(sum, x, &piece);
        arena_release(arena, mark);
    }
    return OK;
}

static Status compare(const Corpus *c, const Index *x, const IndexSplit *s, const Found *sum)
{
    for (int f = 0; f < x->n_fields; f++)
        for (int l = 0; l < x->field[f].levels; l++)
            REQUIRE(sum->longest[f][l] == s->longest[f][l], ERR_DATA,
                    "%s/" INDEX_FILE ": split %s: longest of %s at level %d: the index says %lld, the shards have %lld",
                    corpus_folder(c), s->name, x->field[f].name, l + 1, (long long)s->longest[f][l],
                    (long long)sum->longest[f][l]);
    return OK;
}

static Status verify_split(const Corpus *c, const Index *x, const IndexSplit *s, Arena *arena, Found *sum)
{
    for (int i = 0; i < s->n_shards; i++) {
        char path[PATH_MAX];
        H5 *h;
        TRY(corpus_open_shard(c, s, i, &h, path));
        const Status st = read_shard(h, path, x, s, s->shard[i].examples, arena, sum);
        h5_close(h);
        TRY(st);
    }
    return compare(c, x, s, sum);
}

Status inspect_content(const Corpus *c, Arena *arena)
{
    const Index *x = corpus_index(c);
    for (int s = 0; s < x->n_splits; s++) {
        Found sum = {0};
        TRY(verify_split(c, x, &x->split[s], arena, &sum));
    }
    return OK;
}
