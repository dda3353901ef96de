/* task_corpus.h - a corpus of fields and vocabularies alone, in the place of one on the disk, for tests of tasks. */
#ifndef TESTS_TASK_CORPUS_H
#define TESTS_TASK_CORPUS_H
#include "check.h"
#include "trainer/task/task.h"

struct Corpus {
    int n;
    DataField field[3];
    const Vocab *vocab; /* "labels" */
};
const DataField *corpus_field(const Corpus *c, const char *name)
{
    const int f = field_named(c->n, c->field, name);
    return f < 0 ? NULL : &c->field[f];
}
const DataField *corpus_role(const Corpus *c, Role role)
{
    const int f = field_role(c->n, c->field, role);
    return f < 0 ? NULL : &c->field[f];
}
const Vocab *corpus_vocab(const Corpus *c, const char *name) { return strcmp(name, "labels") == 0 ? c->vocab : NULL; }
const char *corpus_source(const Corpus *c) { return c->n == 3 ? "babi" : ""; }
const char *corpus_folder(const Corpus *c) { return c->n ? "data/news" : ""; }

/* Words by the order of the list, NULL ends. */
static inline const Vocab *task_vocab(Arena *a, bool special, const char *const *word)
{
    VocabBuilder *b;
    Vocab *v;
    int n = 0;
    CHECK_OK(vocab_builder_open(&b, a, "labels", 1 << 20));
    while (word[n]) n++;
    for (int i = 0; i < n; i++) CHECK_OK(vocab_builder_add(b, word[i], strlen(word[i]), n - i));
    CHECK_OK(vocab_build(&v, a, b, &(VocabLimits){.special = special}));
    vocab_builder_close(b);
    return v;
}

#endif
