/* porter.h - the stem of an English word, for ROUGE. */
#ifndef TRAINER_METRIC_QUALITY_PORTER_H
#define TRAINER_METRIC_QUALITY_PORTER_H
#include <stddef.h>

/* Cut the word (lower case letters and digits) down to its stem, in place; the new length, never
 * more than the old. */
size_t porter_stem(char *word, size_t n);

#endif
