/* batch.c - finding a field of a batch. */
#include "io/batch/batch.h"

#include <string.h>

const Ragged *batch_field(const Batch *b, const char *name)
{
    for (int i = 0; i < b->n_fields; i++)
        if (strcmp(b->field[i].name, name) == 0) return &b->field[i];
    return NULL;
}
