/* index.h - index.json: what a corpus holds, in which files, with which digests.
 *
 *     {"format": "mneme corpus", "version": 2, "digest": HEX, "content": HEX, "source": "babi",
 *      "text": "lowercase=true ...",
 *      "fields": [{"name": "story", "role": "input", "levels": 2, "type": "ids", "vocab": "words"},
 *                 {"name": "support", "role": "gold", "of": "story", "unit": 1, "levels": 1, "type": "ids"},
 *                 {"name": "regions", "role": "features", "levels": 1, "type": "floats", "width": 512}, ...],
 *      "vocabularies": [{"name": "words", "file": "words.vocab.h5", "words": N,
 *                        "digest": HEX, "bytes": N, "xxh3": HEX}],
 *      "forms": [{"vocab": "source", "kind": "merges", "file": "source.bpe", "bytes": N, "xxh3": HEX}],
 *      "splits": [{"name": "train", "examples": N,
 *                  "units": {"story": [sentences, words], ...},
 *                  "longest": {"story": [sentences, words], ...},
 *                  "shards": [{"file": "train-00000-of-00004.h5", "examples": N, "bytes": N, "xxh3": HEX}]}]}
 *
 * A field has a role (io/batch/field.h); `of`, `unit`, `links` and `possible` are as there, and left out where they say
 * nothing; so are `vocab` of plain numbers, `width` of ids, and `special` and `closed` where they are false. units: of
 * the whole split, level by level; longest: of one unit of the level above.
 * digest is the XXH3 128 of "name role of unit links possible levels type width vocab\n" for each field (numbers, and
 * 0 or 1), then "name digest\n" for each vocabulary, with the vocabulary's digest of its words, then
 * "vocab kind xxh3\n" for each form. content is that of all that the index says, the digests of the shards with it: it
 * finds damage of the index, and tells two corpora with the same vocabularies apart. The digests and bytes of files may
 * be left out by who writes a corpus by other means; then they are not compared. Version 1 had no roles: such a corpus
 * is packed again. */
#ifndef IO_CORPUS_INDEX_H
#define IO_CORPUS_INDEX_H
#include "io/corpus/corpus.h"
#include "io/file/hash.h"

enum { INDEX_TEXT = 512, INDEX_FILE_NAME = 96, INDEX_VERSION = 2, INDEX_WIDTH = 1 << 20, INDEX_SPLITS = 64 };
#define INDEX_FILE "index.json"

typedef struct IndexFile {
    char name[INDEX_FILE_NAME]; /* within the folder */
    int64_t bytes;              /* -1: not said */
    char xxh3[HASH_HEX];        /* "": not said */
} IndexFile;

typedef struct IndexVocab {
    char name[NAME_SIZE];
    IndexFile file;
    int64_t words;
    char digest[HASH_HEX];
} IndexVocab;

/* A text file that says how words are spelled in the corpus (io/text/form.h): its digest must be given. */
enum { INDEX_FORM_KINDS = 3 };
extern const char *const index_form_kind[INDEX_FORM_KINDS + 1]; /* merges, subwords, cases, NULL */

typedef struct IndexForm {
    char vocab[NAME_SIZE];
    int kind;
    IndexFile file;
} IndexForm;

typedef struct IndexShard {
    IndexFile file;
    int64_t first, examples; /* first: number of its first example within the split */
} IndexShard;

typedef struct IndexSplit {
    char name[NAME_SIZE];
    int64_t examples;
    int n_shards;
    IndexShard *shard;
    int64_t units[BATCH_FIELDS][RAGGED_LEVELS];   /* of level 1, 2, 3 */
    int64_t longest[BATCH_FIELDS][RAGGED_LEVELS]; /* units of level l + 1 in one of level l */
} IndexSplit;

typedef struct Index {
    char digest[HASH_HEX], content[HASH_HEX], source[NAME_SIZE]; /* content: "" when not said */
    char text[INDEX_TEXT]; /* settings of section `text`, key=value and a space between them; "" when not known */
    int n_fields, n_vocabs, n_forms, n_splits;
    DataField *field; /* they go together: field_fault */
    IndexVocab *vocab;
    IndexForm *form;
    IndexSplit *split;
} Index;

/* path stands in messages. Everything is checked: types, ranges, names, sums, duplicates, the digest. */
NODISCARD Status index_parse(Index *out, Arena *run, const char *path, const char *text, size_t size);
NODISCARD Status index_write(const Index *x, Buffer *json);
void index_digest(const Index *x, char hex[HASH_HEX]);
void index_content(const Index *x, char hex[HASH_HEX]);
const char *index_type_name(FieldType type);                     /* ids, floats */
const IndexSplit *index_split(const Index *x, const char *name); /* NULL when there is none */
int index_field(const Index *x, const char *name);               /* -1 when there is none */
/* A name that may stand in a file name: letters, digits, '_', '-', not empty, not too long. */
bool index_name_ok(const char *name);

#endif
