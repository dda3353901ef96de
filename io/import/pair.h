/* pair.h - what pairs of texts have in common, wherever they come from: fields, caps, and one pair as an example.
 *
 * Fields `source` and `target` are the words of the two sides, with vocabularies `source` and `target` or one `shared`.
 * With gold links there are `sure` and `possible` besides: numbers i j i j ... of the words before any subwords, from
 * 0; possible holds the sure ones too. With characters there are `source_chars` and `target_chars`, the characters of
 * each word, with the vocabulary `characters`. */
#ifndef IO_IMPORT_PAIR_H
#define IO_IMPORT_PAIR_H
#include "io/import/import.h"
#include "io/import/links.h"

/* With characters those of the source are the field before the last, those of the target the last. */
enum { PAIR_SOURCE, PAIR_TARGET, PAIR_SURE, PAIR_POSSIBLE };

typedef struct PairKind {
    bool shared, links, characters;
} PairKind;

int pair_fields(PairKind kind, DataField fields[BATCH_FIELDS]); /* returns their number */

/* Why a pair may be left out: numbers of Example.left_out. */
enum { PAIR_KEPT, PAIR_EMPTY, PAIR_LONG, PAIR_UNEQUAL };
extern const char *const pair_reasons[];

typedef struct PairCaps {
    int64_t max_length; /* words of a side; 0: none */
    double max_ratio;   /* words of the longer side to those of the other; 0: none */
} PairCaps;

typedef struct PairText {
    Word source, target; /* lines of text, or text NULL: the target is not known */
    const char *source_file, *target_file;
    int64_t line; /* of both */
    PairKind kind;
    bool has_links;     /* then: */
    Word links;         /* Pharaoh */
    LinkRule link_rule; /* S and T are filled in here */
} PairText;

/* text.words must be `space` where links count words. */
NODISCARD Status pair_check_links(const TextSettings *text);
NODISCARD Status pair_parse(TextTool *tool, const PairText *pair, const PairCaps *caps, Arena *scratch, Example *out);

#endif
