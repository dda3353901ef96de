/* links.h - links between the words of a pair, as people write them down.
 *
 *   Pharaoh  one line a pair: "i-j" a sure link of source word i and target word j, "i?j" or "ipj" a possible one
 *   NAACL    one line a link: "sentence i j", with S or P and a confidence or not; sentences count from 1 and rise. Where the
 *            first word is 1, word 0 is NULL, as WPT-05 writes that a word has no counterpart: such links are passed
 *            over and counted */
#ifndef IO_IMPORT_LINKS_H
#define IO_IMPORT_LINKS_H
#include "io/text/lines.h"
#include "io/text/segment.h"

typedef enum LinksFormat { LINKS_PHARAOH, LINKS_NAACL } LinksFormat;
const char *links_format(int i); /* their names; NULL after the last */

/* The links of one pair after the other, as Pharaoh text. */
typedef struct LinkFile {
    Lines lines;
    bool naacl;
    int64_t base;
    int64_t line;     /* of the links last read: for messages */
    int64_t sentence; /* last read, NAACL: of the line that waits in `lines`, INT64_MAX at the end */
    int64_t nulls;    /* links to NULL so far */
    Buffer text, all; /* the link that waits; those of the pair */
    Buffer at;        /* int64_t: the lines of the pair's links, NAACL */
} LinkFile;

/* base: number of the first word, 0 or 1. */
NODISCARD Status links_open(LinkFile *f, const char *path, bool naacl, int64_t base);
/* The lines of the links last read, for LinkRule. */
const int64_t *links_lines(const LinkFile *f);
/* The links of pair number `pair` of the file, from 1. *end: the file has no more lines (Pharaoh alone). */
NODISCARD Status links_next(LinkFile *f, int64_t pair, Word *text, bool *end);
/* After the last pair: a link of a later sentence is a fault. */
NODISCARD Status links_finish(const LinkFile *f, int64_t pairs);
void links_close(LinkFile *f); /* keeps the buffers */
void links_free(LinkFile *f);

enum { LINKS_WORDS = 1 << 15 }; /* of a sentence that is not known */

/* What the numbers of a pair's links mean. */
typedef struct LinkRule {
    const char *file; /* for messages */
    int64_t line;
    const int64_t *line_of; /* of each link; NULL: all are in `line` */
    int64_t S, T;           /* words; both LINKS_WORDS where the sentences are not known */
    int64_t base;           /* number of the first word in the text: 0 or 1 */
    bool swapped;           /* the text names the target's word first */
} LinkRule;

/* Pairs i j from 0, each once, in order. possible holds the sure ones too. In scratch. */
typedef struct Links {
    int64_t n_sure, n_possible; /* links */
    int32_t *sure, *possible;   /* two numbers a link */
} Links;

NODISCARD Status links_parse(Word text, const LinkRule *rule, Arena *scratch, Links *out);

#endif
