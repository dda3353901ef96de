/* corpus.h - a packed corpus: a folder with shards, vocabularies and an index.
 *
 *   CORPUS/index.json                         what is there: fields, splits, counts, digests (XXH3 128) of every file
 *   CORPUS/words.vocab.h5, labels.vocab.h5    vocabularies
 *   CORPUS/source.bpe, .subwords, .cases      how words are spelled, where that was asked for: see form.h
 *   CORPUS/train-00000-of-00004.h5 ...        shards of the splits train, valid, test
 * Vocabulary, shards and checkpoint that do not belong together are refused by digest. */
#ifndef IO_CORPUS_CORPUS_H
#define IO_CORPUS_CORPUS_H
#include "comm/arena.h"
#include "comm/comm.h"
#include "io/batch/batch.h"
#include "io/text/detokenise.h"
#include "io/text/form.h"

typedef struct Corpus Corpus;

/* [collective] Open and verify the index and the headers of all shards (digests of whole files when verify is set).
 * comm may be NULL. */
NODISCARD Status corpus_open(Corpus **out, Arena *run, Comm *comm, const char *folder, bool verify);
void corpus_close(Corpus *c);

int corpus_fields(const Corpus *c, const DataField **fields);
const DataField *corpus_field(const Corpus *c, const char *name); /* NULL when there is none, as below */
const DataField *corpus_role(const Corpus *c, Role role);
const DataField *corpus_role_of(const Corpus *c, Role role, Role of); /* of the field of role `of`: see batch.h */
const DataField *corpus_links(const Corpus *c, bool possible);
/* The field, or the split, whose name is nearest; NULL: none is near. For messages. */
const char *corpus_near_field(const Corpus *c, const char *name);
const char *corpus_near_split(const Corpus *c, const char *name);
bool corpus_has_split(const Corpus *c, const char *name);    /* it may be empty */
int64_t corpus_examples(const Corpus *c, const char *split); /* 0 when the split is not there */
/* Largest count of one unit's parts anywhere in the split: corpus_longest(c, "train", story, 0) = most sentences of
 * a story, (.., 1) = most words of a sentence. */
int64_t corpus_longest(const Corpus *c, const char *split, const DataField *field, int level);
const Vocab *corpus_vocab(const Corpus *c, const char *name); /* NULL when there is none */
/* How the words of a vocabulary are spelled, for words that come from elsewhere; NULL: as they are. It remembers words,
 * so it belongs to one thread at a time. */
Form *corpus_form(const Corpus *c, const char *vocab);
/* How tokens of a vocabulary become text again. */
DetokeniseHow corpus_detokenise(const Corpus *c, const char *vocab);
/* ERR_CONFIG when a setting differs from that which the corpus was packed with: new text would get other words. */
NODISCARD Status corpus_check_text(const Corpus *c, const TextSettings *s);
const char *corpus_digest(const Corpus *c);  /* of the vocabularies and fields, as hex */
const char *corpus_content(const Corpus *c); /* of all: another corpus with the same vocabularies has another */
const char *corpus_folder(const Corpus *c);
const char *corpus_source(const Corpus *c); /* the importer that it was packed with; "" when not known */

#endif
