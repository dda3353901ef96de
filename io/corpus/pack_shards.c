/* pack_shards.c - the second pass: each rank writes every ranks-th shard of each split, one at a time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/corpus/pack_parts.h"
#include "io/file/file.h"

/* What is known of a shard when it is written; all zero on ranks that did not write it, so that a sum tells all. */
enum { INFO_BYTES, INFO_DIGEST, INFO_UNITS = INFO_DIGEST + 4, INFO_FIELDS = BATCH_FIELDS * RAGGED_LEVELS };
enum { INFO_LONGEST = INFO_UNITS + INFO_FIELDS, INFO_SIZE = INFO_LONGEST + INFO_FIELDS };

typedef struct Writing {
    Pack *p;
    int split;
    IndexSplit *entry;
    int64_t (*info)[INFO_SIZE];
    ShardHeap heap;
    int shard; /* the one that the walk is in */
} Writing;

static bool own(const Writing *w, int shard) { return shard % comm_size(w->p->comm) == comm_rank(w->p->comm); }

static bool mine(void *context, int64_t number)
{
    const Writing *w = context;
    (void)number;
    return w->shard < w->entry->n_shards && own(w, w->shard);
}

/* --- One example --- */

static Status unknown_word(const Pack *p, const Record *r, int f, const Word *word)
{
    if (p->settings->vocabulary && p->settings->vocabulary[0])
        FAIL(ERR_DATA, "%s:%lld: %s: \"%.*s\" is not in the vocabulary %s of %s", r->file, (long long)r->line,
             p->field[f].name, (int)word->size, word->text, p->field[f].vocab, p->settings->vocabulary);
    FAIL(ERR_DATA, "%s:%lld: %s: \"%.*s\" never comes in the split train", r->file, (long long)r->line,
         p->field[f].name, (int)word->size, word->text);
}

/* What people want to know of a field of words. */
static void note_words(Writing *w, int f, int64_t n, const int32_t *id)
{
    PackWords *x = &w->p->report.field[f];
    int bucket = 0;
    x->words[w->split] += n;
    for (int64_t i = 0; i < n; i++) x->unknown[w->split] += id[i] == VOCAB_UNK;
    while (bucket + 1 < PACK_LENGTHS && n >> bucket > 0) bucket++;
    x->lengths[bucket]++;
}

static Status add_field(Writing *w, int f, const Record *r, const ExampleField *x, Arena *scratch)
{
    const Pack *p = w->p;
    const int64_t n = x->count[p->field[f].levels];
    const void *values = p->field[f].type == FIELD_FLOATS ? (const void *)x->value : x->number;
    if (p->vocab_of[f] >= 0) {
        const Vocab *v = p->vocab[p->vocab_of[f]].vocab;
        int32_t *id;
        TRY_NEW(id, scratch, n);
        for (int64_t i = 0; i < n; i++) {
            id[i] = (int32_t)vocab_id(v, x->word[i].text, x->word[i].size);
            if (id[i] < 0) return unknown_word(p, r, f, &x->word[i]);
        }
        values = id;
        if (p->field[f].special && p->field[f].levels > 0) note_words(w, f, n, id);
    }
    const int64_t *offset[RAGGED_LEVELS] = {x->offset[0], x->offset[1], x->offset[2]};
    TRY(shard_heap_add(&w->heap, f, x->count, offset, values));
    return OK;
}

static Status each(void *context, int64_t number, const Record *r, const Example *e, Arena *scratch)
{
    Writing *w = context;
    (void)number;
    REQUIRE(!e->left_out, ERR_DATA, "%s:%lld: %s, but not a moment ago: the file was changed meanwhile", r->file,
            (long long)r->line, w->p->report.reason[e->left_out - 1]);
    for (int f = 0; f < w->p->n_fields; f++) TRY(add_field(w, f, r, &e->field[f], scratch));
    return OK;
}

/* --- One shard --- */

static void note(Writing *w, int64_t bytes, const char hex[HASH_HEX])
{
    int64_t *info = w->info[w->shard];
    info[INFO_BYTES] = bytes;
    for (int i = 0; i < 4; i++) {
        char part[9] = "";
        memcpy(part, hex + 8 * i, 8);
        info[INFO_DIGEST + i] = (int64_t)strtoull(part, NULL, 16);
    }
    for (int f = 0; f < w->p->n_fields; f++) {
        for (int l = 0; l < w->p->field[f].levels; l++) {
            info[INFO_UNITS + f * RAGGED_LEVELS + l] = shard_heap_units(&w->heap, f, l + 1);
            info[INFO_LONGEST + f * RAGGED_LEVELS + l] = w->heap.data[f].longest[l];
        }
    }
}

static Status write_shard(Writing *w)
{
    const IndexShard *s = &w->entry->shard[w->shard];
    const ShardLabel label = {w->entry->name, w->p->index.digest, w->shard, w->entry->n_shards, s->first, s->examples};
    char path[PATH_MAX], hex[HASH_HEX];
    int64_t bytes = 0;
    TRY(pack_path(path, w->p->part, s->file.name));
    TRY(shard_write(&w->heap, path, &label));
    TRY(hash_file(path, hex, &bytes));
    note(w, bytes, hex);
    TRY(shard_heap_clear(&w->heap));
    return OK;
}

/* Leave all shards that end at or before example `next`; several when some are empty. */
static Status leave_shards(Writing *w, int64_t next)
{
    for (; w->shard < w->entry->n_shards; w->shard++) {
        const IndexShard *s = &w->entry->shard[w->shard];
        if (s->first + s->examples > next) return OK;
        if (own(w, w->shard)) TRY(write_shard(w));
    }
    return OK;
}

static Status passed(void *context, int64_t number) { return leave_shards(context, number + 1); }

/* --- One split --- */

static Status plan(const Pack *p, int split, IndexSplit *entry)
{
    const int64_t n = p->examples[split], size = p->settings->shard_size;
    int64_t shards = size > 0 ? (p->bytes[split] + size - 1) / size : 1;
    if (shards < p->settings->shards) shards = p->settings->shards;
    REQUIRE(shards < 100000, ERR_CONFIG, "pack.shard_size: the split %s would have %lld shards, more than 99999",
            pack_split_name[split], (long long)shards);
    if (shards < 1) shards = 1;
    snprintf(entry->name, NAME_SIZE, "%s", pack_split_name[split]);
    entry->examples = n;
    entry->n_shards = (int)shards;
    for (int64_t s = 0; s < shards; s++) {
        IndexShard *x = &entry->shard[s];
        x->first = n / shards * s + (n % shards) * s / shards;
        const int64_t after = n / shards * (s + 1) + (n % shards) * (s + 1) / shards;
        x->examples = after - x->first;
        snprintf(x->file.name, sizeof x->file.name, "%s-%05d-of-%05d.h5", entry->name, (int)s, (int)shards);
    }
    return OK;
}

/* The table of shards is as long as their number, which plan finds out; so it is asked first with room for all. */
static Status new_entry(Pack *p, int split, IndexSplit *entry)
{
    const int64_t size = p->settings->shard_size > 0 ? p->settings->shard_size : 1;
    int64_t most = p->bytes[split] / size + 2;
    if (most < p->settings->shards) most = p->settings->shards;
    if (most > 100000) most = 100000;
    TRY_NEW(entry->shard, &p->arena, most);
    TRY(plan(p, split, entry));
    return OK;
}

static void collect(const Pack *p, IndexSplit *entry, int64_t (*info)[INFO_SIZE])
{
    for (int s = 0; s < entry->n_shards; s++) {
        IndexFile *file = &entry->shard[s].file;
        file->bytes = info[s][INFO_BYTES];
        for (int i = 0; i < 4; i++)
            snprintf(file->xxh3 + 8 * i, 9, "%08llx", (unsigned long long)info[s][INFO_DIGEST + i]);
        for (int f = 0; f < p->n_fields; f++) {
            for (int l = 0; l < p->field[f].levels; l++) {
                const int64_t longest = info[s][INFO_LONGEST + f * RAGGED_LEVELS + l];
                entry->units[f][l] += info[s][INFO_UNITS + f * RAGGED_LEVELS + l];
                if (longest > entry->longest[f][l]) entry->longest[f][l] = longest;
            }
        }
    }
}

static Status write_split_here(Writing *w, int64_t *record)
{
    static const char *const work[PACK_SPLITS] = {"packing train", "packing valid", "packing test"};
    PackWalk walk = {.mine = mine, .each = each, .passed = passed, .context = w, .work = work[w->split]};
    TRY(shard_heap_clear(&w->heap));
    TRY(leave_shards(w, 0));
    const Status st = pack_walk(w->p, w->split, &walk);
    *record = walk.records;
    TRY(st);
    REQUIRE(walk.records == w->entry->examples, ERR_DATA,
            "importer %s: the split %s had %lld examples, and now has %lld: its files were changed meanwhile",
            w->p->source->importer, w->entry->name, (long long)w->entry->examples, (long long)walk.records);
    return OK;
}

static Status write_split(Pack *p, int split, IndexSplit *entry)
{
    Writing w = {.p = p, .split = split, .entry = entry, .heap = {.n_fields = p->n_fields, .field = p->field}};
    int64_t record = 0;
    Status st = new_entry(p, split, entry);
    if (st == OK) w.info = arena_zeros(&p->arena, entry->n_shards, sizeof *w.info);
    if (st == OK && !w.info) st = ERR_HOST;
    TRY(comm_agree(p->comm, st));
    st = write_split_here(&w, &record);
    shard_heap_close(&w.heap);
    TRY(pack_agree(p, st, record));
    TRY(comm_allreduce(p->comm, w.info, (size_t)entry->n_shards * INFO_SIZE, COMM_I64, COMM_SUM));
    collect(p, entry, w.info);
    return OK;
}

Status pack_shards(Pack *p)
{
    p->index.split = arena_zeros(&p->arena, PACK_SPLITS, sizeof *p->index.split);
    TRY(comm_agree(p->comm, p->index.split ? OK : ERR_HOST));
    for (int s = 0; s < PACK_SPLITS; s++) {
        if (p->examples[s] == 0) continue;
        TRY(write_split(p, s, &p->index.split[p->index.n_splits++]));
    }
    const size_t each_field = sizeof(PackWords) / sizeof(int64_t); /* it holds nothing else */
    return comm_allreduce(p->comm, p->report.field, BATCH_FIELDS * each_field, COMM_I64, COMM_SUM);
}
