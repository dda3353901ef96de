/* pack_parts.h - what the files pack*.c share. No other file includes it. */
#ifndef IO_CORPUS_PACK_PARTS_H
#define IO_CORPUS_PACK_PARTS_H
#include <limits.h>

#include "io/corpus/corpus_parts.h"
#include "io/corpus/pack.h"
#include "io/corpus/shard.h"

enum { PACK_VOCABS = BATCH_FIELDS };
extern const char *const pack_split_name[PACK_SPLITS]; /* train first: it makes the vocabularies */

typedef struct PackVocab {
    char name[NAME_SIZE];
    bool special, closed;
    bool words; /* of a text: may have a form */
    VocabBuilder *builder;
    const Vocab *vocab;
    Form form;     /* of words; nothing in it: as they are */
    bool own_form; /* made here, to be closed; otherwise the other corpus's */
} PackVocab;

typedef struct Pack {
    Comm *comm;
    const PackSource *source;
    const PackSettings *settings;
    const ImporterDef *def;
    Arena arena;                                          /* lives as long as the packing */
    char folder[PATH_MAX], part[PATH_MAX], old[PATH_MAX]; /* absolute, the same on all ranks */
    int n_fields, n_vocabs;
    DataField field[BATCH_FIELDS];
    int vocab_of[BATCH_FIELDS]; /* -1: plain numbers */
    PackVocab vocab[PACK_VOCABS];
    int64_t examples[PACK_SPLITS], bytes[PACK_SPLITS];       /* found by the first pass, as are: */
    int64_t *left_out[PACK_SPLITS], n_left_out[PACK_SPLITS]; /* numbers of the records that become no example, rising */
    PackReport report;
    int64_t first_at[PACK_REASONS]; /* where report.first is: split and record as one number, of all ranks the least */
    Corpus *other;                  /* whose vocabularies are used; NULL: none */
    bool building;                  /* rank 0: the folder `part` is ours */
    Index index;
} Pack;

/* One walk over a split. `mine` chooses records, `each` takes the example of a chosen one, or the word that it is left
 * out; `passed` (may be NULL) is told that record `number` is done, chosen or not. Records that the first pass left out
 * do not count. Local: agree with pack_agree. */
typedef struct PackWalk {
    bool (*mine)(void *context, int64_t number);
    Status (*each)(void *context, int64_t number, const Record *r, const Example *e, Arena *scratch);
    Status (*passed)(void *context, int64_t number);
    void *context;
    const char *work;         /* what is done, for people: "reading train" */
    int64_t records, skipped; /* out */
} PackWalk;

NODISCARD Status pack_walk(const Pack *p, int split, PackWalk *w);
/* [collective] The failure at the earliest record is everyone's, whoever had it. */
NODISCARD Status pack_agree(const Pack *p, Status st, int64_t record);

/* [collective] Before the first pass: what is learned from the words of the split train; or the other corpus's. */
NODISCARD Status pack_forms(Pack *p);
NODISCARD Status pack_learn(Pack *p); /* [collective] its first half */
bool pack_wants_subwords(const SubwordSettings *s);
NODISCARD Status pack_read_merges(Pack *p, const char *path, Bpe **out);
/* The example as the corpus spells it. */
NODISCARD Status pack_spell(const Pack *p, Example *e, Arena *scratch);
NODISCARD Status pack_write_forms(Pack *p); /* rank 0 writes, all know the entries of the index */
void pack_close_forms(Pack *p);
/* [collective] The words that all ranks have counted. */
NODISCARD Status pack_merge_words(const Pack *p, VocabBuilder *b);

NODISCARD Status pack_count(Pack *p);  /* [collective] pass 1: examples, sizes, vocabularies */
NODISCARD Status pack_shards(Pack *p); /* [collective] pass 2: the files of all splits and their entries in the index */

/* Rank 0: is there room for a new corpus under that name, and make the folder where it is built. */
NODISCARD Status pack_prepare(Pack *p, bool replace);
/* Rank 0: give the complete corpus its name. */
NODISCARD Status pack_publish(const Pack *p);
NODISCARD Status pack_path(char path[PATH_MAX], const char *folder, const char *name);

#endif
