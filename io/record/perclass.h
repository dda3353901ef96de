/* perclass.h - how each class did in an evaluation, and which was taken for which: as text, as JSON, as a page, and kept
 * in RUN/classes.json for the page of the run.
 *
 * precision = right / guessed, recall = right / true, F1 = 2 right / (true + guessed); 0 where there is none. Macro is
 * the mean over all classes, micro is from their sums. */
#ifndef IO_RECORD_PERCLASS_H
#define IO_RECORD_PERCLASS_H
#include "io/format/json.h"

typedef enum ClassCount { CLASS_RIGHT, CLASS_TRUE, CLASS_GUESSED, CLASS_COUNTS } ClassCount;

typedef struct Classes {
    const char *split;
    int64_t n;
    const char *const *name;
    const int64_t *count;     /* (n,CLASS_COUNTS) */
    const int64_t *confusion; /* (n,n) truth by guess; NULL: not counted, as where an example has several */
} Classes;

typedef struct ClassFigures {
    double precision, recall, f1;
} ClassFigures;

ClassFigures perclass_figures(const Classes *c, int64_t i);
ClassFigures perclass_macro(const Classes *c);
ClassFigures perclass_micro(const Classes *c);

/* The places off the diagonal with the most examples, those first; of equal ones the first. Returns how many. */
typedef struct ClassPair {
    int64_t truth, guess, n;
} ClassPair;
int perclass_confused(const Classes *c, int most, ClassPair *out);

NODISCARD Status perclass_text(const Classes *c, Buffer *out);
void perclass_json(const Classes *c, Json *j); /* keys of an object that is open: classes, macro, micro, confusion */
NODISCARD Status perclass_page(const Classes *c, Buffer *out);

/* All splits of a run. */
NODISCARD Status perclass_write(const char *folder, int n, const Classes *c);
/* *n = 0 when the file is not there or not ours. Memory from arena. */
NODISCARD Status perclass_read(const char *folder, Arena *arena, int *n, Classes **out);

#endif
