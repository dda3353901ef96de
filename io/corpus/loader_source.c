/* loader_source.c - examples come into memory: a whole split at once, or window by window; the share of a batch is packed
 * from there, without padding. */
#include <math.h>
#include <string.h>

#include "io/batch/build.h"
#include "io/corpus/loader_parts.h"

static const double WINDOW_SPARE = 1.25; /* windows are not all of the same size */

/* Bytes of all examples of the split in memory. */
static double split_bytes(const Index *x, const IndexSplit *s)
{
    double bytes = 0;
    for (int f = 0; f < x->n_fields; f++) {
        const int levels = x->field[f].levels;
        double units = (double)s->examples;
        for (int l = 0; l < levels; l++) {
            bytes += 8 * (units + (double)s->n_shards);
            units = (double)s->units[f][l];
        }
        bytes += (double)field_bytes(&x->field[f]) * units;
    }
    return bytes;
}

static Status load_all(LoaderSource *s)
{
    TRY_NEW(s->piece, &s->arena, s->split->n_shards);
    size_t left = s->budget;
    for (int i = 0; i < s->split->n_shards; i++) {
        char path[PATH_MAX];
        H5 *h;
        const IndexShard *shard = &s->split->shard[i];
        TRY(corpus_open_shard(s->corpus, s->split, i, &h, path));
        const Status st = shard_read(h, path, s->index, s->split, 0, shard->examples, &left, &s->arena, &s->piece[i]);
        h5_close(h);
        TRY(st);
        s->piece[i].first = shard->first;
    }
    return OK;
}

static Status find_split(LoaderSource *s, const char *name)
{
    s->split = index_split(s->index, name);
    if (s->split) return OK;
    char names[512] = "";
    for (int i = 0; i < s->index->n_splits; i++) {
        if (strlen(names) + NAME_SIZE + 2 >= sizeof names) break;
        if (i > 0) memcpy(names + strlen(names), ", ", 3);
        memcpy(names + strlen(names), s->index->split[i].name, strlen(s->index->split[i].name) + 1);
    }
    FAIL(ERR_CONFIG, "%s: there is no split %s; it has %s", corpus_folder(s->corpus), name, names);
}

/* A window of usual size and some more must fit, so that lack of room is told before training and not in its midst. */
static Status check_budget(const LoaderSource *s, const LoaderOptions *o, double bytes)
{
    int64_t start;
    const double n = (double)order_window_size(&s->order, 0, &start);
    const double need = WINDOW_SPARE * bytes * n / (double)s->split->examples;
    REQUIRE(need <= (double)s->budget, ERR_CONFIG,
            "data.memory: %lld bytes are too little for two windows of %lld batches of %lld examples of the split %s, "
            "which "
            "take about %.0f bytes; make data.memory larger or data.window smaller",
            (long long)o->memory, (long long)o->window, (long long)s->order.batch, s->split->name, 2 * need);
    return OK;
}

/* Examples of a batch. By words: so many that a batch of mean length has as many words as were asked for. */
static Status find_batch(LoaderSource *s, const LoaderOptions *o, int64_t *batch)
{
    *batch = o->batch;
    s->words = -1;
    if (!o->by_words) return OK;
    s->words = index_field(s->index, o->by_words);
    s->extra_words = o->extra_words;
    REQUIRE(s->words >= 0 && s->index->field[s->words].levels > 0, ERR_CONFIG, "%s: there is no text %s to count by",
            corpus_folder(s->corpus), o->by_words);
    const int64_t n = s->split->examples, levels = s->index->field[s->words].levels;
    const double words = (double)s->split->units[s->words][levels - 1] + (double)o->extra_words * (double)n;
    const double mean = words > 0 ? floor((double)o->batch * (double)n / words + 0.5) : 1;
    *batch = mean < 1 ? 1 : mean < (double)n ? (int64_t)mean : n > 0 ? n : 1;
    return OK;
}

static Status find_order(LoaderSource *s, const Corpus *c, const LoaderOptions *o)
{
    int64_t batch;
    s->corpus = c;
    s->index = corpus_index(c);
    TRY(find_split(s, o->split));
    TRY(find_batch(s, o, &batch));
    s->order = order_of(o->seed, s->split->examples, batch, o->window, o->shuffle);
    return OK;
}

Status loader_plan(const Corpus *c, const LoaderOptions *o, int64_t *examples, int64_t *batches)
{
    LoaderSource s = {0};
    TRY(find_order(&s, c, o));
    *examples = s.order.batch;
    *batches = order_batches(&s.order);
    return OK;
}

Status loader_source_open(LoaderSource *s, const Corpus *c, const LoaderOptions *o)
{
    TRY(find_order(s, c, o));
    s->bucket = o->bucket ? index_field(s->index, o->bucket) : -1;
    REQUIRE(!o->bucket || s->bucket >= 0, ERR_CONFIG, "%s: there is no field %s to sort by", corpus_folder(c),
            o->bucket);
    const double bytes = split_bytes(s->index, s->split);
    s->resident = bytes <= (double)o->memory;
    s->budget = (size_t)(s->resident ? o->memory : o->memory / 2); /* one window is used while the next is read */
    if (s->resident)
        TRY(load_all(s));
    else
        TRY(check_budget(s, o, bytes));
    return OK;
}

void loader_source_close(LoaderSource *s)
{
    for (int i = 0; i < LOADER_OPEN_SHARDS; i++) h5_close(s->open[i].file);
    arena_close(&s->arena);
}

/* The shard that has this example. Empty shards have none. */
static int shard_of(const IndexSplit *split, int64_t example)
{
    int low = 0, high = split->n_shards - 1;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (split->shard[middle].first + split->shard[middle].examples > example)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static Status open_shard(LoaderSource *s, int shard, H5 **file, const char **path)
{
    const int at = shard % LOADER_OPEN_SHARDS;
    if (!s->open[at].file || s->open[at].shard != shard) {
        h5_close(s->open[at].file);
        s->open[at].file = NULL;
        TRY(corpus_open_shard(s->corpus, s->split, shard, &s->open[at].file, s->open[at].path));
        s->open[at].shard = shard;
    }
    *file = s->open[at].file;
    *path = s->open[at].path;
    return OK;
}

/* The longest piece that begins at example and has at most n. */
static Status read_piece(LoaderWindow *w, LoaderSource *s, int64_t example, int64_t n, ShardPiece **out)
{
    const int shard = shard_of(s->split, example);
    const IndexShard *there = &s->split->shard[shard];
    const int64_t first = example - there->first;
    if (n > there->examples - first) n = there->examples - first;
    H5 *file = NULL;
    const char *path = NULL;
    TRY(open_shard(s, shard, &file, &path));
    TRY_NEW(*out, &w->arena, 1);
    TRY(shard_read(file, path, s->index, s->split, first, n, &w->left, &w->arena, *out));
    (*out)->first = example;
    return OK;
}

static Status fill_run(LoaderWindow *w, LoaderSource *s, int64_t first, int64_t n)
{
    for (int64_t i = 0; i < n;) {
        const ShardPiece *piece;
        if (s->resident) {
            piece = &s->piece[shard_of(s->split, first + i)];
        } else {
            ShardPiece *read = NULL;
            TRY(read_piece(w, s, first + i, n - i, &read));
            piece = read;
        }
        for (; i < n && first + i < piece->first + piece->n; i++)
            w->slot[w->loaded++] = (LoaderSlot){piece, first + i - piece->first};
    }
    return OK;
}

/* Without shuffling a run may be the whole split: it is read in pieces too. */
Status loader_window_fill(LoaderWindow *w, LoaderSource *s, int64_t target)
{
    enum { RUN_MOST = 4096 };
    while (w->loaded < target) {
        const OrderRun run = order_run(&s->order, w->epoch, w->start + w->loaded);
        int64_t n = run.n < RUN_MOST ? run.n : RUN_MOST;
        if (n > w->n - w->loaded) n = w->n - w->loaded;
        TRY(fill_run(w, s, run.first, n));
    }
    return OK;
}

/* --- Windows --- */

/* The usual size of a window and some more, asked for once: then windows come and go without the system. */
static Status reserve(LoaderWindow *w, const LoaderSource *s, int64_t n)
{
    const double share = (double)n / (double)(s->split->examples ? s->split->examples : 1);
    const double bytes = WINDOW_SPARE * share * split_bytes(s->index, s->split) + (double)((size_t)1 << 20);
    const ArenaMark mark = arena_mark(&w->arena);
    if (!arena_alloc(&w->arena, bytes < (double)s->budget ? (size_t)bytes : s->budget))
        return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    arena_release(&w->arena, mark);
    return OK;
}

Status loader_window_open(LoaderWindow *w, LoaderSource *s)
{
    int64_t start;
    const int64_t n = order_window_size(&s->order, 0, &start); /* the first is the longest */
    TRY_NEW(w->slot, &s->arena, n);
    TRY_NEW(w->item, &s->arena, n);
    TRY_NEW(w->space, &s->arena, n);
    TRY_NEW(w->length, &s->arena, n);
    TRY_NEW(w->weight, &s->arena, n);
    TRY_NEW(w->batch_start, &s->arena, n / s->order.batch + 2);
    TRY_NEW(w->cut, &s->arena, n / s->order.batch + 2);
    if (!s->resident) TRY(reserve(w, s, n));
    return OK;
}

void loader_window_close(LoaderWindow *w) { arena_close(&w->arena); }

void loader_window_begin(LoaderWindow *w, const LoaderSource *s, int64_t epoch, int64_t number)
{
    arena_release(&w->arena, (ArenaMark){0});
    w->left = s->budget;
    w->epoch = epoch;
    w->number = number;
    w->loaded = 0;
    w->n = order_window_size(&s->order, number, &w->start);
    w->batches = w->n / s->order.batch + (w->n % s->order.batch != 0);
}

/* Values of the last level. */
static int64_t length_of(const LoaderSlot *slot, int field, int levels)
{
    int64_t begin = slot->local, end = begin + 1;
    for (int l = 0; l < levels; l++) {
        const int64_t *o = slot->piece->offset[field][l];
        begin = o[begin];
        end = o[end];
    }
    return end - begin;
}

static void measure(const LoaderWindow *w, const LoaderSource *s, int field, int64_t extra, int64_t *length)
{
    for (int64_t i = 0; i < w->n; i++) length[i] = extra + length_of(&w->slot[i], field, s->index->field[field].levels);
}

void loader_window_arrange(LoaderWindow *w, const LoaderSource *s)
{
    if (s->bucket >= 0) measure(w, s, s->bucket, 0, w->length);
    if (s->words >= 0) measure(w, s, s->words, s->extra_words, w->weight);
    const OrderWindow window = {.n = w->n,
                                .length = s->bucket >= 0 ? w->length : NULL,
                                .weight = s->words >= 0 ? w->weight : NULL,
                                .item = w->item,
                                .start = w->batch_start,
                                .space = w->space,
                                .cut = w->cut};
    order_window(&s->order, w->epoch, w->number, &window);
}

/* --- Batches --- */

/* The examples of a share: first, first + stride, ... of the window. */
typedef struct Share {
    const LoaderWindow *w;
    int64_t first, stride;
} Share;

static const LoaderSlot *slot_of(const Share *s, int64_t i)
{
    return &s->w->slot[s->w->item[s->first + i * s->stride]];
}

static BuildPart part_of(const void *context, int field, int64_t i)
{
    const LoaderSlot *slot = slot_of(context, i);
    return (BuildPart){slot->piece->offset[field], slot->piece->values[field], slot->local};
}

Status loader_pack(Batch *out, Arena *arena, const LoaderSource *s, const LoaderWindow *w, int64_t b,
                   const LoaderOptions *o)
{
    const Index *x = s->index;
    const Share share = {w, w->batch_start[b] + o->part, o->parts};
    const int64_t all = w->batch_start[b + 1] - w->batch_start[b];
    const int64_t B = all > o->part ? (all - o->part + o->parts - 1) / o->parts : 0;
    int64_t *example;
    TRY_NEW(example, arena, B);
    for (int64_t i = 0; i < B; i++) example[i] = slot_of(&share, i)->piece->first + slot_of(&share, i)->local;
    *out = (Batch){.B = B, .all = all, .example = example, .n_fields = x->n_fields};
    for (int f = 0; f < x->n_fields; f++) {
        int64_t cap[RAGGED_LEVELS];
        field_caps(x->n_fields, x->field, &x->field[f], o->max_sentences, o->max_words, cap);
        TRY(build_field(&out->field[f], arena, &x->field[f], cap, B, part_of, &share, f));
    }
    return OK;
}
