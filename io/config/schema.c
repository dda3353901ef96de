/* schema.c - looking up a component by its name. */
#include "io/config/schema.h"

#include <string.h>

const Component *schema_find(const Component *(*family)(int i), const char *name)
{
    for (int i = 0; family(i); i++)
        if (strcmp(family(i)->name, name) == 0) return family(i);
    return NULL;
}
