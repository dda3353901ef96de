/* attention_inspect.c - what a file of attention holds, for people. */
#include <stdio.h>

#include "io/attention/attention_parts.h"

static const char *or_dash(const char *text) { return text ? text : "-"; }

static Status say_example(const AttentionExample *e, int index, Buffer *text)
{
    const char *kind = attention_kind_name((int)e->kind);
    TRY(buffer_format(text, "  example-%05d  %s, ", index, kind));
    if (e->kind == ATTENTION_PAIR)
        return buffer_format(text, "%s: %lld source words, %lld target words, %d views\n", or_dash(e->id),
                             (long long)e->words.n, (long long)e->target.n, e->n_views);
    return buffer_format(text, "%lld sentences, %lld words, %d views; predicted %s, true %s\n",
                         (long long)e->n_sentences, (long long)e->words.n, e->n_views, or_dash(e->prediction),
                         or_dash(e->truth));
}

static Status say_file(const char *path, const AttentionFile *f, Buffer *text)
{
    TRY(buffer_format(text, "%s: attention, format %d\n  program      %s\n  model        %s\n  examples     %d\n\n",
                      path, f->version, f->program, f->model, f->n));
    TRY(attention_table(f->n, f->example, (AttentionReadout){0}, text));
    TRY(buffer_text(text, "\n"));
    for (int i = 0; i < f->n; i++) TRY(say_example(&f->example[i], i, text));
    return OK;
}

Status attention_inspect(const char *path, Buffer *text)
{
    Arena arena = {0};
    AttentionFile f;
    Status st = attention_read(&f, path, &arena);
    if (st == OK) st = say_file(path, &f, text);
    arena_close(&arena);
    TRY(st);
    return OK;
}
