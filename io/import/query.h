/* query.h - what a user asks of a trained model, as the fields that the model was trained on.
 *
 * A query is one text: for documents plain text, or a JSON object {"text": ...}; for stories a JSON object
 * {"story": ["...", ...], "question": "..."} or lines in the bAbI format with the question last, answered or not. What
 * is not known (label, answer, support) stays an empty field: no values, offset NULL for those of level 0. */
#ifndef IO_IMPORT_QUERY_H
#define IO_IMPORT_QUERY_H
#include "io/import/import.h"

typedef struct Query Query;

/* text may be NULL for stories, which say themselves what a word is. */
NODISCARD Status query_open(Query **out, Arena *run, bool stories, const TextSettings *text);
void query_close(Query *q);
int query_fields(const Query *q, const ImportField **fields); /* as of the example's fields */
/* r: the text of one query, with the file and line that messages name. */
NODISCARD Status query_parse(Query *q, const Record *r, Arena *scratch, Example *out);

#endif
