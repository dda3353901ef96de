/* shard.h - one file of examples: written from a growing heap of them, read whole or in ranges.
 *
 * The format, version 1. HDF5, v110, every dataset chunked and with fletcher32 (see io/h5/h5.h for how to make one):
 *     / attributes    format "mneme shard", version 1, split (text), shard and shards (this one's number, how many),
 *                     first (number of the first example within the split), examples,
 *                     corpus (the digest of the index; may be left out)
 *     /FIELD/values   int32 (0 or more) or float32 (finite), all examples end to end; of floats rows of the field's width
 *     /FIELD/offsets_1 .. offsets_L   int64, one for each level, as in batch.h: offsets_1 leads from an example to its
 *                     units of level 1 (n + 1 numbers, from 0), offsets_2 from those to units of level 2, ...
 * To read with h5py, sentence s of the story of example e:
 *     import h5py
 *     f = h5py.File("train-00000-of-00004.h5", "r")
 *     first = f["story/offsets_1"][e]
 *     a, b = f["story/offsets_2"][first + s : first + s + 2]
 *     ids = f["story/values"][a:b]
 * To write (labels 1, 0 of documents [[5, 6], [7]] and []):
 *     import h5py, numpy
 *     f = h5py.File("train-00000-of-00001.h5", "w", libver=("v110", "v110"))
 *     def put(name, values, dtype):
 *         f.create_dataset(name, data=numpy.array(values, dtype), chunks=True, fletcher32=True)
 *     put("text/offsets_1", [0, 2, 2], "<i8")
 *     put("text/offsets_2", [0, 2, 3], "<i8")
 *     put("text/values", [5, 6, 7], "<i4")
 *     put("label/values", [1, 0], "<i4")
 *     f.attrs.update(format=numpy.bytes_("mneme shard"), version=1, split=numpy.bytes_("train"),
 *                    shard=0, shards=1, first=0, examples=2)
 *     f.close() */
#ifndef IO_CORPUS_SHARD_H
#define IO_CORPUS_SHARD_H
#include "io/corpus/index.h"
#include "io/h5/h5.h"

enum { SHARD_VERSION = 1 };

/* What a shard says of itself. */
typedef struct ShardLabel {
    const char *split, *corpus; /* corpus: the digest */
    int64_t shard, shards, first, examples;
} ShardLabel;

/* --- Writing: examples are added field by field, the file is made at once. --- */
typedef struct ShardField {
    Buffer offset[RAGGED_LEVELS]; /* int64: ends of the units; the leading 0 is there from the start */
    Buffer values;                /* int32 or float */
    int64_t longest[RAGGED_LEVELS];
} ShardField;

typedef struct ShardHeap {
    int n_fields;
    const DataField *field;
    ShardField data[BATCH_FIELDS];
} ShardHeap;

NODISCARD Status shard_heap_clear(ShardHeap *h); /* ready for a first example; keeps the memory */
void shard_heap_close(ShardHeap *h);
/* Add one example to field f: count and offset as in batch.h with count[0] = 1; values of field_bytes each. */
NODISCARD Status shard_heap_add(ShardHeap *h, int f, const int64_t *count, const int64_t *const *offset,
                                const void *values);
int64_t shard_heap_units(const ShardHeap *h, int f, int level); /* of level 1, 2, 3 */
size_t shard_heap_bytes(const ShardHeap *h);
NODISCARD Status shard_write(const ShardHeap *h, const char *path, const ShardLabel *label);

/* --- Reading --- */
/* Some consecutive examples of a shard, in memory; offsets begin with 0. */
typedef struct ShardPiece {
    int64_t first, n; /* numbers within the split */
    const int64_t *offset[BATCH_FIELDS][RAGGED_LEVELS];
    const void *values[BATCH_FIELDS];
} ShardPiece;

/* Compare an open file with the label, and the lengths of its lists with each other. */
NODISCARD Status shard_check(H5 *shard, const char *path, const Index *x, const ShardLabel *label);
/* Open and compare with the label (label->corpus only where the shard names its own). */
NODISCARD Status shard_open(H5 **out, const char *path, const Index *x, const ShardLabel *label);
/* How many units an open shard has of each field and level is added to sum (BATCH_FIELDS, RAGGED_LEVELS). */
NODISCARD Status shard_add_units(H5 *shard, const char *path, const Index *x, int64_t examples,
                                 int64_t (*sum)[RAGGED_LEVELS]);
/* Examples [first, first + n) of the shard, checked: offsets that rise, ids that the vocabulary has, numbers that are
 * finite, no unit longer than the index says of the split (NULL: not compared). The piece lies in arena; its bytes are
 * taken from *left, and more than that is ERR_CONFIG. out->first is 0. */
NODISCARD Status shard_read(H5 *shard, const char *path, const Index *x, const IndexSplit *split, int64_t first,
                            int64_t n, size_t *left, Arena *arena, ShardPiece *out);

#endif
