/* attention_page.c - a page of attention, of one model or of several side by side. */
#include <string.h>

#include "io/attention/attention_leaf.h"
#include "io/attention/attention_parts.h"
#include "io/file/file.h"
#include "io/page/page.h"

static bool same_words(const AttentionWords *a, const AttentionWords *b)
{
    if (a->n != b->n) return false;
    if (a->n == 0) return true;
    return memcmp(a->start, b->start, (size_t)(a->n + 1) * sizeof *a->start) == 0 &&
           memcmp(a->text, b->text, (size_t)a->start[a->n]) == 0;
}

/* Pieces may differ from model to model, and so may the target; what is asked is the same. */
static Status check(const AttentionPage *p)
{
    const AttentionFile *first = &p->file[0];
    for (int f = 0; f < p->n_files; f++) {
        const AttentionFile *file = &p->file[f];
        REQUIRE(file->n == first->n, ERR_DATA, "%s has %d inputs, %s has %d: they must be the same inputs", file->label,
                file->n, first->label, first->n);
        for (int i = 0; i < file->n; i++) {
            const AttentionExample *a = &first->example[i], *b = &file->example[i];
            TRY(attention_check(b));
            REQUIRE(f == 0 || (a->kind == b->kind && same_words(&a->words, &b->words)), ERR_DATA,
                    "%s: input %d is not that of %s", file->label, i + 1, first->label);
        }
    }
    return OK;
}

/* All models look at the same pair: then their matrices stand side by side. */
static bool same_pairs(const AttentionPage *p, int i)
{
    const AttentionExample *first = &p->file[0].example[i];
    for (int f = 0; f < p->n_files; f++) {
        const AttentionExample *e = &p->file[f].example[i];
        if (e->kind != ATTENTION_PAIR || !same_words(&first->target, &e->target)) return false;
    }
    return true;
}

static Status put_pairs(Buffer *out, const AttentionPage *p, int i)
{
    AttentionExample shown = p->file[0].example[i];
    shown.loss = NULL; /* that of each model stands over its matrix */
    TRY(attention_verdict(out, &shown));
    TRY(attention_sides(out, &shown));
    TRY(buffer_text(out, "<div class=\"panels\">\n"));
    for (int f = 0; f < p->n_files; f++) TRY(attention_panels(out, &p->file[f].example[i], p->links, p->file[f].label));
    return buffer_text(out, "</div>\n</article>\n");
}

static Status put_example(Buffer *out, const AttentionPage *p, int i)
{
    TRY(buffer_text(out, "<article class=\"example\">\n"));
    if (p->n_files > 1 && same_pairs(p, i)) return put_pairs(out, p, i);
    for (int f = 0; f < p->n_files; f++) {
        const AttentionExample *e = &p->file[f].example[i];
        if (p->n_files > 1) {
            TRY(buffer_text(out, "<h3>"));
            TRY(page_text(out, p->file[f].label));
            TRY(buffer_text(out, "</h3>\n"));
        }
        TRY(attention_verdict(out, e));
        TRY(attention_body(out, e, p->links));
    }
    return buffer_text(out, "</article>\n");
}

static const char *const note[] = {
    [ATTENTION_DOCUMENT] = "Before each sentence stands its weight. Words are shaded by their weight within the "
                           "sentence, paler in sentences of little weight; the pointer shows the number.",
    [ATTENTION_STORY] = "Each column is one hop over the memories; its weights sum to 1. Supporting facts are marked "
                        "with &#10003;.",
    [ATTENTION_PAIR] = "Above stand the words of the source, at the left those of the target, whose weights lie in its "
                       "row; the pointer shows the numbers. Rings are the links that are read out; full squares are "
                       "links that people are sure of, empty ones possible links."};

static Status put_notes(Buffer *out, const AttentionPage *p)
{
    for (int kind = 0; attention_kind_name(kind); kind++) {
        bool found = false;
        for (int i = 0; p->n_files > 0 && i < p->file[0].n; i++)
            found = found || p->file[0].example[i].kind == (AttentionKind)kind;
        if (found) TRY(buffer_format(out, "<p class=\"sub\">%s</p>\n", note[kind]));
    }
    return OK;
}

enum { LEAVES = 12 }; /* so many pairs are still read one below the other */

static bool many_pairs(const AttentionPage *p)
{
    for (int i = 0; i < p->file[0].n; i++)
        if (p->file[0].example[i].kind != ATTENTION_PAIR) return false;
    return p->file[0].n > LEAVES;
}

static Status build(Buffer *out, const AttentionPage *p)
{
    TRY(page_begin(out, p->title));
    TRY(buffer_text(out, "<header>\n<h1>"));
    TRY(page_text(out, p->title));
    TRY(buffer_text(out, "</h1>\n"));
    TRY(put_notes(out, p));
    TRY(buffer_text(out, "</header>\n"));
    if (many_pairs(p)) TRY(attention_leaf(out, p, put_example));
    for (int i = 0; i < p->file[0].n && !many_pairs(p); i++) TRY(put_example(out, p, i));
    return page_end(out);
}

Status attention_page(const char *path, const AttentionPage *p)
{
    Buffer out = {0};
    TRY(check(p));
    Status st = build(&out, p);
    if (st == OK) st = file_write(path, out.data, out.size);
    buffer_close(&out);
    TRY(st);
    return OK;
}
