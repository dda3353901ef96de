/* document.h - what the importers of labelled documents have in common: fields, splits, and the walk over files.
 *
 * Without files to validate on, a share of the training records is chosen at random by the number of the record: a
 * corpus is often sorted by class, so that no end of it would do. */
#ifndef IO_IMPORT_DOCUMENT_H
#define IO_IMPORT_DOCUMENT_H
#include "io/import/files.h"
#include "io/import/import.h"
#include "io/text/lines.h"
#include "io/text/symbols.h"

enum { DOCUMENT_TEXT, DOCUMENT_LABEL, DOCUMENT_FIELDS };
extern const DataField document_fields[DOCUMENT_FIELDS];

/* The setting `empty`: what becomes of a document without words. */
typedef enum DocumentEmpty { DOCUMENT_ERROR, DOCUMENT_SKIP } DocumentEmpty;
const char *document_empty(int i);

/* Which records of the files belong to the split. */
typedef struct DocumentSplit {
    bool by_share, wants_chosen; /* a record belongs when it is chosen for validation, or when it is not */
    double share;
    int64_t seed, records; /* seen so far */
    Symbols labels;        /* that a training record had so far */
} DocumentSplit;

DocumentSplit document_split(const char *split, bool has_valid, double share, int64_t seed);
/* Whether the next record belongs; to be asked once for each. A record that is chosen for validation, but of a label
 * that no training record had yet, is trained on: each class is learnt. label: of 0 bytes where there is none. */
NODISCARD Status document_belongs(DocumentSplit *s, Word label, bool *belongs);

/* The lines of the files of a split, one after the other. */
typedef struct DocumentLines {
    Files files;
    int64_t next; /* file to open */
    Lines lines;
    DocumentSplit split;
} DocumentLines;

typedef struct DocumentSource {
    const TextList *train, *valid, *test;
    double valid_share;
    int64_t seed;
} DocumentSource;

NODISCARD Status document_lines_open(DocumentLines *d, Arena *run, const DocumentSource *from, const char *split);
/* The next line that is not blank; *first: the first such line of its file. */
NODISCARD Status document_lines_next(DocumentLines *d, Record *out, bool *first, bool *end);
void document_lines_close(DocumentLines *d);

/* Both fields. A document without words is a fault. */
NODISCARD Status document_put(const TextWords *text, Word label, const Record *r, Arena *scratch, Example *out);
Word document_trim(Word text); /* the blanks at both ends taken off */
/* The same; a fault when nothing is left. */
NODISCARD Status document_label(Word text, const Record *r, Word *label);

#endif
