/* loader_parts.h - what the files loader*.c share. No other file includes it. */
#ifndef IO_CORPUS_LOADER_PARTS_H
#define IO_CORPUS_LOADER_PARTS_H
#include "io/corpus/corpus_parts.h"
#include "io/corpus/loader.h"
#include "io/corpus/order.h"
#include "io/corpus/shard.h"

enum { LOADER_OPEN_SHARDS = 32 };

/* Where an example lies in memory. */
typedef struct LoaderSlot {
    const ShardPiece *piece;
    int64_t local; /* number within the piece */
} LoaderSlot;

/* The examples of a split: all of them in memory, or read window by window. */
typedef struct LoaderSource {
    const Corpus *corpus;
    const Index *index;
    const IndexSplit *split;
    Order order;
    int bucket; /* field, -1: none */
    int words;  /* field by which batches are cut, -1: none */
    int64_t extra_words;
    bool resident;
    size_t budget;     /* bytes of one window, or of the whole split */
    Arena arena;       /* what lives as long as the loader */
    ShardPiece *piece; /* resident: (split->n_shards) */
    struct {
        H5 *file;
        int shard;
        char path[PATH_MAX];
    } open[LOADER_OPEN_SHARDS]; /* streamed: shard s is at place s % LOADER_OPEN_SHARDS */
} LoaderSource;

/* A window of the sequence of an epoch, on its way into memory. */
typedef struct LoaderWindow {
    Arena arena; /* streamed: its pieces */
    size_t left; /* of the budget */
    int64_t epoch, number, start, n;
    int64_t loaded;                          /* examples so far */
    LoaderSlot *slot;                        /* (n) in the order of the sequence */
    int64_t *item, *space, *length, *weight; /* (n) */
    int64_t *batch_start, *cut, batches;     /* (batches + 1) */
} LoaderWindow;

NODISCARD Status loader_source_open(LoaderSource *s, const Corpus *c, const LoaderOptions *o);
void loader_source_close(LoaderSource *s);

NODISCARD Status loader_window_open(LoaderWindow *w, LoaderSource *s); /* memory for any window */
void loader_window_close(LoaderWindow *w);
void loader_window_begin(LoaderWindow *w, const LoaderSource *s, int64_t epoch, int64_t number);
/* Load until at least `target` of its n examples are there. */
NODISCARD Status loader_window_fill(LoaderWindow *w, LoaderSource *s, int64_t target);
void loader_window_arrange(LoaderWindow *w, const LoaderSource *s); /* when all are there */

/* Pack this part's share of batch b of the window, into arena. */
NODISCARD Status loader_pack(Batch *out, Arena *arena, const LoaderSource *s, const LoaderWindow *w, int64_t b,
                             const LoaderOptions *o);

#endif
