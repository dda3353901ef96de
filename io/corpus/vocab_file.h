/* vocab_file.h - a vocabulary as an HDF5 file.
 *
 *     / attributes   format "mneme vocabulary", version 1, special (1: begins with <pad> <unk> <s> </s>), digest (XXH3
 * 128 of the words; may be left out) /bytes         uint8, all words end to end, UTF-8 /offsets       int64, word i is
 * bytes[offsets[i] : offsets[i + 1]] /counts        int64, occurrences when the corpus was made With h5py:
 * bytes(f["bytes"][f["offsets"][i] : f["offsets"][i + 1]]).decode() */
#ifndef IO_CORPUS_VOCAB_FILE_H
#define IO_CORPUS_VOCAB_FILE_H
#include "io/text/vocab.h"

enum { VOCAB_FILE_VERSION = 1 };

NODISCARD Status vocab_file_write(const Vocab *v, const char *path);
NODISCARD Status vocab_file_read(Vocab **out, Arena *run, const char *path);

#endif
