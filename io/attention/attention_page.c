/* attention_page.c - a page of attention, of one model or of several side by side. */
#include <string.h>

#include "io/attention/attention_leaf.h"
#include "io/attention/draw.h"
#include "io/file/file.h"
#include "io/page/page.h"

static bool same_words(const AttentionWords *a, const AttentionWords *b)
{
    if (a->n != b->n) return false;
    if (a->n == 0) return true;
    return memcmp(a->start, b->start, (size_t)(a->n + 1) * sizeof *a->start) == 0 &&
           memcmp(a->text, b->text, (size_t)a->start[a->n]) == 0;
}

static bool same_field(const AttentionField *a, const AttentionField *b)
{
    return strcmp(a->name, b->name) == 0 && a->height == b->height && a->width == b->width &&
           same_words(&a->words, &b->words);
}

/* The same fields in the same order, but for the target when it may differ. */
static bool same_fields(const AttentionExample *a, const AttentionExample *b, bool target)
{
    if (a->n_fields != b->n_fields) return false;
    for (int f = 0; f < a->n_fields; f++) {
        const AttentionField *x = &a->field[f], *y = &b->field[f];
        const bool free = !target && x->role == ROLE_TARGET && y->role == ROLE_TARGET;
        if (!free && !same_field(x, y)) return false;
    }
    return true;
}

/* What is asked is the same; what was made of it may differ from model to model. */
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
            REQUIRE(f == 0 || same_fields(a, b, false), ERR_DATA, "%s: input %d is not that of %s", file->label, i + 1,
                    first->label);
        }
    }
    return OK;
}

/* All models look at the same words, and all is pictures: then these stand side by side. */
static bool side_by_side(const AttentionPage *p, int i)
{
    const AttentionExample *first = &p->file[0].example[i];
    for (int f = 0; f < p->n_files; f++) {
        const AttentionExample *e = &p->file[f].example[i];
        if (!draw_pictures_alone(e) || !same_fields(first, e, true)) return false;
    }
    return p->n_files > 1;
}

static Status put_texts(Buffer *out, const AttentionExample *e)
{
    Arena arena = {0};
    Drawing d;
    Status st = draw_begin(&d, e, (AttentionReadout){0}, &arena);
    if (st == OK) st = draw_fields(&d, out);
    arena_close(&arena);
    return st;
}

/* The loss of each model stands over its picture. */
static Status put_verdict(Buffer *out, const AttentionExample *e)
{
    AttentionExample shown = *e;
    shown.n_fields = 0;
    return draw_verdict(out, &shown);
}

static Status put_beside(Buffer *out, const AttentionPage *p, int i)
{
    TRY(put_verdict(out, &p->file[0].example[i]));
    TRY(put_texts(out, &p->file[0].example[i]));
    TRY(buffer_text(out, "<div class=\"panels\">\n"));
    for (int f = 0; f < p->n_files; f++) TRY(draw_pictures(out, &p->file[f].example[i], p->links, p->file[f].label));
    return buffer_text(out, "</div>\n</article>\n");
}

static Status put_example(Buffer *out, const AttentionPage *p, int i)
{
    TRY(buffer_text(out, "<article class=\"example\">\n"));
    if (side_by_side(p, i)) return put_beside(out, p, i);
    for (int f = 0; f < p->n_files; f++) {
        const AttentionExample *e = &p->file[f].example[i];
        if (p->n_files > 1) {
            TRY(buffer_text(out, "<h3>"));
            TRY(page_text(out, p->file[f].label));
            TRY(buffer_text(out, "</h3>\n"));
        }
        TRY(draw_verdict(out, e));
        TRY(draw_body(out, e, p->links));
    }
    return buffer_text(out, "</article>\n");
}

enum { LEAVES = 12 }; /* so many pictures are still read one below the other */

/* Pictures, or what was written: they are many, and the worst ones are looked for. */
static bool many_pictures(const AttentionPage *p)
{
    for (int i = 0; i < p->file[0].n; i++) {
        const AttentionExample *e = &p->file[0].example[i];
        if (!attention_has_picture(e) && attention_role(e, ROLE_TARGET) < 0) return false;
    }
    return p->file[0].n > LEAVES;
}

static Status build(Buffer *out, const AttentionPage *p)
{
    TRY(page_begin(out, p->title));
    TRY(buffer_text(out, "<header>\n<h1>"));
    TRY(page_text(out, p->title));
    TRY(buffer_text(out, "</h1>\n"));
    if (p->n_files > 0) TRY(draw_notes(out, p->file[0].n, p->file[0].example));
    TRY(buffer_text(out, "</header>\n"));
    if (many_pictures(p)) TRY(attention_leaf(out, p, put_example));
    for (int i = 0; i < p->file[0].n && !many_pictures(p); i++) TRY(put_example(out, p, i));
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
