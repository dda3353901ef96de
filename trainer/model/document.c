/* document.c - keys for words, sentences and documents of a batch. */
#include "trainer/model/document.h"

/* Places: 0 the document, then its sentences, then its words. */
DocumentKeys document_keys(Tape *t, const Batch *b, const Ragged *text)
{
    if (!t->train) return (DocumentKeys){0};
    uint64_t *word = tape_alloc(t, (size_t)text->count[2] * sizeof *word);
    uint64_t *sentence = tape_alloc(t, (size_t)text->count[1] * sizeof *sentence);
    uint64_t *document = tape_alloc(t, (size_t)b->B * sizeof *document);
    if (!document) return (DocumentKeys){0};
    for (int64_t i = 0; i < b->B; i++) {
        const int64_t first = text->offset[0][i], end = text->offset[0][i + 1];
        const int64_t word_first = text->offset[1][first], word_end = text->offset[1][end];
        int64_t place = 0;
        document[i] = op_row_key(b->example[i], place++);
        for (int64_t s = first; s < end; s++) sentence[s] = op_row_key(b->example[i], place++);
        for (int64_t w = word_first; w < word_end; w++) word[w] = op_row_key(b->example[i], place++);
    }
    return (DocumentKeys){word, sentence, document};
}
