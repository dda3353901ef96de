/* reading.h - reading the parts of an attention file: only for attention_file.c and attention_old.c. */
#ifndef IO_ATTENTION_READING_H
#define IO_ATTENTION_READING_H
#include "io/attention/attention.h"
#include "io/h5/h5.h"

enum { READING_OBJECT = 256 /* bytes of the path of an object in the file */ };

typedef struct Reading {
    H5 *h;
    const char *path;
    Arena *arena;
} Reading;

NODISCARD Status reading_text(const Reading *r, const char *object, const char *key, const char *preset,
                              const char **value);
NODISCARD Status reading_int(const Reading *r, const char *object, const char *key, int *value);
/* Which of the names is it? preset "": it must be there. */
NODISCARD Status reading_choice(const Reading *r, const char *object, const char *key, const char *(*name)(int),
                                const char *preset, int *out);
/* A list that may be missing: then *list is NULL. */
NODISCARD Status reading_list(const Reading *r, const char *group, const char *name, H5Type type, int64_t *n,
                              void *list);
/* Two axes, or one: then shape[0] is 1. */
NODISCARD Status reading_table(const Reading *r, const char *object, int rank, int64_t shape[2], const double **value);
/* Datasets text, word and part_of of a group that may be missing. */
NODISCARD Status reading_words(const Reading *r, const char *group, AttentionWords *w);
/* Pairs of numbers; they may be missing: then *at is NULL. */
NODISCARD Status reading_links(const Reading *r, const char *object, int64_t *n, const int64_t **at);
/* name, layer, head, hop, measure */
NODISCARD Status reading_view(const Reading *r, const char *group, AttentionView *v);
/* id, prediction, truth, classes */
NODISCARD Status reading_answer(const Reading *r, const char *group, AttentionExample *e);
/* Calls each with every group inside that begins with prefix. */
typedef Status ReadingEach(const Reading *r, const char *group, AttentionExample *e, int index);
NODISCARD Status reading_groups(const Reading *r, const char *group, const char *prefix, ReadingEach *each,
                                AttentionExample *e, int *n);

/* An example of version 1 or 2. */
NODISCARD Status attention_old(const Reading *r, const char *group, AttentionExample *e);

#endif
