/* pack_forms.c - the spelling of each vocabulary of words: from another corpus, in use, and as files. */
#include <stdio.h>
#include <string.h>

#include "io/batch/example.h"
#include "io/corpus/pack_parts.h"
#include "io/file/file.h"
#include "io/text/lines.h"

bool pack_wants_subwords(const SubwordSettings *s) { return s && (s->merges > 0 || s->by_size || s->files.n > 0); }

Status pack_read_merges(Pack *p, const char *path, Bpe **out)
{
    Buffer text = {0};
    Lines lines = {0};
    Status st = lines_open_regular(&lines, path);
    if (st == OK) st = lines_rest(&lines, &text);
    if (st == OK) st = bpe_parse(out, &p->arena, path, text.data, text.size);
    lines_free(&lines);
    buffer_close(&text);
    TRY(st);
    return OK;
}

/* --- The forms of another corpus --- */

static Status same_merges(Pack *p, const PackVocab *v, const char *path)
{
    Bpe *own = NULL;
    Buffer a = {0}, b = {0};
    Status st = pack_read_merges(p, path, &own);
    if (st == OK) st = bpe_write(own, &a);
    if (st == OK) st = bpe_write(v->form.subwords, &b);
    const bool same = st == OK && a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
    bpe_close(own);
    buffer_close(&a);
    buffer_close(&b);
    TRY(st);
    REQUIRE(same, ERR_DATA, "%s: other merges than those of %s, whose vocabularies are used", path,
            corpus_folder(p->other));
    return OK;
}

static Status take_form(Pack *p, PackVocab *v, int number)
{
    const SubwordSettings *s = p->source->subwords;
    const Form *form = corpus_form(p->other, v->name);
    if (form) v->form = *form;
    REQUIRE(!s || (s->merges == 0 && s->files.n == 0) || v->form.subwords, ERR_CONFIG,
            "section subwords asks for merges, but %s, whose vocabularies are used, has none", corpus_folder(p->other));
    return s && s->files.n > 0 ? same_merges(p, v, s->files.item[s->files.n == 1 ? 0 : number % s->files.n]) : OK;
}

static Status take_forms(Pack *p)
{
    TRY(corpus_check_text(p->other, p->source->text));
    for (int v = 0, k = 0; v < p->n_vocabs; v++)
        if (p->vocab[v].words) TRY(take_form(p, &p->vocab[v], k++));
    return OK;
}

Status pack_forms(Pack *p)
{
    if (p->other) return comm_agree(p->comm, take_forms(p));
    return pack_learn(p);
}

void pack_close_forms(Pack *p)
{
    for (int v = 0; v < p->n_vocabs; v++)
        if (p->vocab[v].own_form) form_close(&p->vocab[v].form);
    if (p->other) corpus_close(p->other);
}

Status pack_spell(const Pack *p, Example *e, Arena *scratch)
{
    for (int f = 0; f < p->n_fields; f++) {
        const int levels = p->field[f].levels, v = p->vocab_of[f];
        if (v < 0 || levels < 1 || levels > 2) continue;
        const Form *form = &p->vocab[v].form;
        if (form->cases || form->subwords) TRY(example_spell(&e->field[f], levels, form, scratch));
    }
    return OK;
}

/* --- Files --- */

static Status write_form(Pack *p, const PackVocab *v, int kind, const char *ending, const Buffer *text)
{
    IndexForm *x = &p->index.form[p->index.n_forms++];
    char path[PATH_MAX];
    snprintf(x->vocab, NAME_SIZE, "%s", v->name);
    x->kind = kind;
    snprintf(x->file.name, sizeof x->file.name, "%s.%s", v->name, ending);
    x->file.bytes = (int64_t)text->size;
    hash_bytes(text->data, text->size, x->file.xxh3);
    TRY(pack_path(path, p->part, x->file.name));
    if (comm_rank(p->comm) == 0) TRY(file_write(path, text->data, text->size));
    return OK;
}

static Status write_forms_of(Pack *p, const PackVocab *v, Buffer *text)
{
    if (v->form.subwords) {
        TRY(bpe_write(v->form.subwords, text));
        TRY(write_form(p, v, 0, "bpe", text));
        text->size = 0;
        TRY(bpe_write_allowed(v->form.subwords, text));
        if (text->size > 0) TRY(write_form(p, v, 1, "subwords", text));
    }
    text->size = 0;
    if (!v->form.cases) return OK;
    TRY(truecase_write(v->form.cases, text));
    return write_form(p, v, 2, "cases", text);
}

Status pack_write_forms(Pack *p)
{
    TRY_NEW(p->index.form, &p->arena, (int64_t)p->n_vocabs * INDEX_FORM_KINDS);
    for (int v = 0; v < p->n_vocabs; v++) {
        Buffer text = {0};
        const Status st = write_forms_of(p, &p->vocab[v], &text);
        buffer_close(&text);
        TRY(st);
    }
    return OK;
}
