/* inspect.h - what a corpus, a shard or a vocabulary holds, as text for a person; everything is read and verified. */
#ifndef IO_CORPUS_INSPECT_H
#define IO_CORPUS_INSPECT_H
#include "comm/arena.h"

/* Whether corpus_inspect knows this: a folder with an index.json, that file, a shard or a vocabulary. */
bool corpus_knows(const char *path);
NODISCARD Status corpus_inspect(const char *path, Buffer *text);

#endif
