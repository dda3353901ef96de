/* batch.c - finding a field of a batch. */
#include "io/batch/batch.h"

#include <string.h>

const Ragged *batch_field(const Batch *b, const char *name)
{
    for (int i = 0; i < b->n_fields; i++)
        if (strcmp(b->field[i].field->name, name) == 0) return &b->field[i];
    return NULL;
}

const Ragged *batch_role(const Batch *b, Role role)
{
    for (int i = 0; i < b->n_fields; i++)
        if (b->field[i].field->role == role) return &b->field[i];
    return NULL;
}

static bool belongs(const Ragged *r, Role role, const Ragged *of)
{
    return r->field->role == role && strcmp(r->field->of, of->field->name) == 0;
}

const Ragged *batch_role_of(const Batch *b, Role role, Role of)
{
    const Ragged *whole = batch_role(b, of);
    for (int i = 0; whole && i < b->n_fields; i++)
        if (belongs(&b->field[i], role, whole)) return &b->field[i];
    return NULL;
}

const Ragged *batch_gold(const Batch *b, Role of, int unit)
{
    const Ragged *whole = batch_role(b, of);
    for (int i = 0; whole && i < b->n_fields; i++) {
        const DataField *f = b->field[i].field;
        if (belongs(&b->field[i], ROLE_GOLD, whole) && !f->links && f->unit == unit) return &b->field[i];
    }
    return NULL;
}

const Ragged *batch_links(const Batch *b, bool possible)
{
    const Ragged *whole = batch_role(b, ROLE_INPUT);
    for (int i = 0; whole && i < b->n_fields; i++) {
        const DataField *f = b->field[i].field;
        if (belongs(&b->field[i], ROLE_GOLD, whole) && f->links && f->possible == possible) return &b->field[i];
    }
    return NULL;
}
