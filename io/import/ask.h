/* ask.h - what a user asks of a trained model, as an example of the fields of its corpus.
 *
 * A question is a line: plain text, where a single field is read, or a JSON object whose keys are the names of the
 * fields; an importer may read questions in a format of its own besides (ImportAskDef). What is not known (label, gold,
 * group) is not there: count[0] is 0; a target that is a text may be given, and has no words otherwise. A single
 * sentence may have no words: who translates line by line has to answer an empty line too. Characters are those of the
 * words that they spell. */
#ifndef IO_IMPORT_ASK_H
#define IO_IMPORT_ASK_H
#include "io/import/import.h"

typedef struct ImportAsk ImportAsk;

/* importer: the one that the corpus was packed with, or a name that is none: then the fields alone say how. fields are
 * borrowed. */
NODISCARD Status import_ask_open(ImportAsk **out, Arena *run, const char *importer, int n_fields,
                                 const DataField *fields, const TextSettings *text);
void import_ask_close(ImportAsk *a);
bool import_ask_splits(const ImportAsk *a); /* by section `text`: it must be that of the corpus */
/* r: one question, with the file and line that messages name. target: a text of its own for the target, or NULL. */
NODISCARD Status import_ask(ImportAsk *a, const Record *r, const Record *target, Arena *scratch, Example *out);

#endif
