/* families.h - one line per importer; its definition is in <name>.c. */
#ifndef IO_IMPORT_FAMILIES_H
#define IO_IMPORT_FAMILIES_H
#include "io/import/import.h"

#define IMPORTERS(X)                                                                                                   \
    X(babi)                                                                                                            \
    X(jsonl)                                                                                                           \
    X(tsv) X(csv) X(folders) X(stories) X(reviews) X(parallel) X(copy) X(reverse) X(sort) X(language) X(features)

#define IMPORT_DECLARE(name) extern const ImporterDef import_##name;
IMPORTERS(IMPORT_DECLARE)

#endif
