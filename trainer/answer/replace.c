/* replace.c - a dictionary of words, sorted and searched by halves. */
#include "trainer/answer/replace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int by_source(const void *pa, const void *pb)
{
    const ReplaceEntry *a = pa, *b = pb;
    const int c = text_compare(a->source, b->source);
    return c ? c : (a->line > b->line) - (a->line < b->line);
}

static Status entry(const LineFile *f, int64_t i, ReplaceEntry *e)
{
    const Word *line = &f->line[i];
    const char *tab = memchr(line->text, '\t', line->size);
    const size_t left = tab ? (size_t)(tab - line->text) : 0, right = tab ? line->size - left - 1 : 0;
    REQUIRE(left > 0 && right > 0 && !memchr(tab + 1, '\t', right), ERR_DATA,
            "%s:%" PRId64 ": source<TAB>target was expected", f->name, i + 1);
    *e = (ReplaceEntry){{line->text, left}, {tab + 1, right}, i};
    return OK;
}

Status replace_read(Replace *r, Arena *run, const char *path)
{
    LineFile f;
    *r = (Replace){0};
    TRY(linefile_read(&f, path, run));
    TRY_NEW(r->entry, run, f.n);
    for (int64_t i = 0; i < f.n; i++)
        if (f.line[i].size > 0) TRY(entry(&f, i, &r->entry[r->n++]));
    qsort(r->entry, (size_t)r->n, sizeof *r->entry, by_source);
    return OK;
}

Word replace_find(const Replace *r, Word source)
{
    int64_t low = 0, high = r->n;
    while (low < high) { /* the first that is not before it */
        const int64_t middle = low + (high - low) / 2;
        if (text_compare(r->entry[middle].source, source) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < r->n && text_compare(r->entry[low].source, source) == 0 ? r->entry[low].target : source;
}
