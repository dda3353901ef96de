/* attention_table.c - entropy and alignment error of each attention, over many examples; what a file holds. */
#include <stdio.h>
#include <string.h>

#include "io/attention/alignment.h"
#include "io/attention/entropy.h"

/* An attention that differs from others by name, layer, head or hop. */
typedef struct Line {
    const AttentionView *of;
    Entropy entropy;
    AlignmentCounts links;
    int64_t gold; /* examples that have gold links */
} Line;

static bool same_view(const AttentionView *a, const AttentionView *b)
{
    return a->layer == b->layer && a->head == b->head && a->hop == b->hop && strcmp(a->name, b->name) == 0;
}

/* The line of a view; made when it is the first of its kind. */
static Status line_of(Buffer *lines, const AttentionView *v, Line **out)
{
    *out = NULL;
    const size_t n = lines->size / sizeof **out;
    Line *line = (Line *)(void *)lines->data;
    size_t at = 0;
    while (at < n && !same_view(line[at].of, v)) at++;
    if (at == n) TRY(buffer_append(lines, &(Line){.of = v}, sizeof *line));
    *out = (Line *)(void *)lines->data + at;
    return OK;
}

static Status add_view(Line *line, const AttentionExample *e, const AttentionView *v, AttentionReadout how,
                       Arena *arena)
{
    const Entropy h = entropy_of_view(e, v);
    line->entropy.rows += h.rows;
    line->entropy.sum += h.sum;
    line->entropy.share += h.share;
    if (!attention_has_links(e, v)) return OK;
    AlignmentLinks read;
    const AlignmentGold gold = alignment_gold(e, v);
    TRY(alignment_links(e, v, how, arena, &read));
    line->gold += alignment_error(&gold, &read, &line->links) >= 0;
    return OK;
}

static Status say_line(const Line *l, Buffer *text)
{
    const AttentionView *v = l->of;
    TRY(buffer_say(text, "%1s", v->name));
    if (v->layer > 0) TRY(buffer_say(text, " layer %d", v->layer + 1));
    TRY(buffer_say(text, " hop %d head %d: entropy %.3f nats (%.3f of the most) over %lld rows", v->hop + 1,
                   v->head + 1, entropy_mean(&l->entropy), entropy_mean_share(&l->entropy),
                   (long long)l->entropy.rows));
    if (l->gold > 0)
        TRY(buffer_say(text, "; alignment error %.1f %% over %lld pairs", 100 * alignment_rate(&l->links),
                       (long long)l->gold));
    return buffer_text(text, "\n");
}

static Status walk(int n, const AttentionExample *example, AttentionReadout how, Arena *arena, Buffer *lines)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < example[i].n_views; k++) {
            const AttentionView *v = &example[i].view[k];
            Line *l = NULL;
            if (v->measure != ATTENTION_WEIGHT) continue;
            arena_release(arena, (ArenaMark){0});
            TRY(line_of(lines, v, &l));
            TRY(add_view(l, &example[i], v, how, arena));
        }
    return OK;
}

Status attention_table(int n, const AttentionExample *example, AttentionReadout how, Buffer *text)
{
    Arena arena = {0};
    Buffer lines = {0};
    Status st = walk(n, example, how, &arena, &lines);
    const Line *line = (const Line *)(void *)lines.data;
    for (size_t i = 0; i < lines.size / sizeof *line && st == OK; i++) st = say_line(&line[i], text);
    buffer_close(&lines);
    arena_close(&arena);
    TRY(st);
    return OK;
}

/* --- What a file holds, for people --- */

static const char *or_dash(const char *text) { return text ? text : "-"; }

static Status say_field(const AttentionField *f, Buffer *text)
{
    TRY(buffer_say(text, "%s (", f->name));
    if (f->height > 0) return buffer_say(text, "%lld x %lld cells), ", (long long)f->height, (long long)f->width);
    if (f->levels == 2) TRY(buffer_say(text, "%lld sentences, ", (long long)f->n_sentences));
    return buffer_say(text, "%lld words), ", (long long)f->words.n);
}

static Status say_example(const AttentionExample *e, int index, Buffer *text)
{
    TRY(buffer_say(text, "  example-%05d  %s: ", index, or_dash(e->id)));
    for (int f = 0; f < e->n_fields; f++) TRY(say_field(&e->field[f], text));
    TRY(buffer_say(text, "%d views", e->n_views));
    if (!e->prediction && !e->truth) return buffer_text(text, "\n");
    return buffer_say(text, "; predicted %s, true %s\n", or_dash(e->prediction), or_dash(e->truth));
}

static Status say_file(const char *path, const AttentionFile *f, Buffer *text)
{
    TRY(buffer_say(text, "%s: attention, format %d\n  program      %s\n  model        %s\n  examples     %d\n\n", path,
                   f->version, f->program, f->model, f->n));
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
