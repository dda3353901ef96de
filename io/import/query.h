/* query.h - what a user asks of a trained model, as the fields that the model was trained on.
 *
 * A query is one text: for documents plain text, or a JSON object {"text": ...}; for stories a JSON object
 * {"story": ["...", ...], "question": "..."} or lines in the bAbI format with the question last, answered or not; for
 * pairs the source as plain text, or a JSON object {"source": "...", "target": "..."}, target or not. What is not known
 * (label, answer, support, target, links) stays an empty field: no values, offset NULL for those of level 0. A pair may
 * have a source without words: who translates line by line has to answer an empty line too. */
#ifndef IO_IMPORT_QUERY_H
#define IO_IMPORT_QUERY_H
#include "io/import/import.h"

typedef struct Query Query;
typedef enum QueryKind {
    QUERY_DOCUMENT,
    QUERY_STORY,
    QUERY_PAIR,
    QUERY_SPELLED_PAIR /* with the characters of its words */
} QueryKind;

/* text may be NULL for stories, which say themselves what a word is. */
NODISCARD Status query_open(Query **out, Arena *run, QueryKind kind, const TextSettings *text);
void query_close(Query *q);
int query_fields(const Query *q, const DataField **fields); /* as of the example's fields */
/* r: the text of one query, with the file and line that messages name. */
NODISCARD Status query_parse(Query *q, const Record *r, Arena *scratch, Example *out);
/* Of pairs: the same, with the target from a text of its own. */
NODISCARD Status query_pair(Query *q, const Record *source, const Record *target, Arena *scratch, Example *out);

#endif
