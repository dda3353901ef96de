/* shape.c - the number of elements. */
#include "trainer/core/params.h"

int64_t shape_count(const Shape *s)
{
    int64_t count = 1;
    for (int i = 0; i < s->n; i++) count *= s->d[i];
    return count;
}
