/* pack.h - from an importer's records to a corpus: vocabularies, shards, index.
 *
 * All ranks share the work, and the files are the same bytes for every number of ranks. All or nothing: the corpus is
 * built in FOLDER.part and gets its name when it is complete and checked. */
#ifndef IO_CORPUS_PACK_H
#define IO_CORPUS_PACK_H
#include "comm/comm.h"
#include "io/config/schema.h"
#include "io/import/import.h"

typedef struct PackSettings {
    int64_t shards;         /* of each split, at least; 0: as few as shard_size allows */
    int64_t shard_size;     /* bytes; a larger split gets more shards */
    int64_t min_count;      /* rarer words become <unk> */
    int64_t max_size;       /* words of a vocabulary with special words; 0: all */
    const char *vocabulary; /* folder of a corpus whose vocabularies are used instead of new ones; "": none */
} PackSettings;

extern const Section pack_section; /* section `pack`, fills a PackSettings */

/* How words become subwords. */
typedef struct SubwordSettings {
    int64_t merges;    /* to learn; 0: none, or as many as by_size gives */
    bool by_size;      /* the words of train say how many */
    int64_t min_count; /* of a pair that is merged */
    int64_t threshold; /* rarer subwords are cut at the merges that made them; 0: none are */
    TextList files;    /* merges that are not learned: one file for all vocabularies, or one each */
    bool joint;        /* learned from all vocabularies together */
} SubwordSettings;

extern const Section pack_subwords_section; /* section `subwords`, fills a SubwordSettings */

typedef struct PackSource {
    const char *importer; /* name in the family of importers */
    const void *settings; /* its struct */
    const TextSettings *text;
    const SubwordSettings *subwords; /* NULL: none */
} PackSource;

enum { PACK_REASONS = 8, PACK_WHERE = 256, PACK_SPLITS = 3, PACK_LENGTHS = 32 };

typedef struct PackWords { /* of a field of words */
    int64_t words[PACK_SPLITS], unknown[PACK_SPLITS];
    int64_t lengths[PACK_LENGTHS]; /* examples of 0, 1, 2 to 3, 4 to 7 ... words */
} PackWords;

/* What did not become an example, and what the others hold. */
typedef struct PackReport {
    int64_t skipped;                  /* records that hold nothing */
    const char *reason[PACK_REASONS]; /* why others were left out, NULL after the last */
    int64_t left_out[PACK_REASONS];
    char first[PACK_REASONS][PACK_WHERE]; /* FILE:LINE of the first of them */
    PackWords field[BATCH_FIELDS];        /* in the order of the corpus; nothing where there are no words */
} PackReport;

/* [collective] Make the corpus `folder`. A corpus that is there is replaced only when replace is set, and only when the
 * folder holds nothing else. report may be NULL. */
NODISCARD Status corpus_pack(Comm *comm, const PackSource *source, const PackSettings *settings, const char *folder,
                             bool replace, PackReport *report);

#endif
