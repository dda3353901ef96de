/* attention_table.c - entropy and alignment error of each attention, over many examples. */
#include <string.h>

#include "io/attention/alignment.h"
#include "io/attention/entropy.h"

enum { LINES = 256 }; /* attentions that differ by name, layer, head or hop */

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

static Line *line_of(Line *line, int *n, const AttentionView *v)
{
    int at = 0;
    while (at < *n && !same_view(line[at].of, v)) at++;
    if (at == LINES) return NULL;
    if (at == *n) line[(*n)++].of = v;
    return &line[at];
}

static Status add_view(Line *line, const AttentionExample *e, const AttentionView *v, AttentionReadout how,
                       Arena *arena)
{
    const Entropy h = entropy_of_view(e, v);
    line->entropy.rows += h.rows;
    line->entropy.sum += h.sum;
    line->entropy.share += h.share;
    if (v->over != ATTENTION_PAIRS || (!e->sure.at && !e->possible.at)) return OK;
    AttentionLinks read;
    TRY(alignment_links(e, v, how, arena, &read));
    line->gold += alignment_error(e, &read, &line->links) >= 0;
    return OK;
}

static Status say_line(const Line *l, Buffer *text)
{
    const AttentionView *v = l->of;
    TRY(buffer_text(text, v->name));
    if (v->layer > 0) TRY(buffer_format(text, " layer %d", v->layer + 1));
    TRY(buffer_format(text, " hop %d head %d: entropy %.3f nats (%.3f of the most) over %lld rows", v->hop + 1,
                      v->head + 1, entropy_mean(&l->entropy), entropy_mean_share(&l->entropy),
                      (long long)l->entropy.rows));
    if (l->gold > 0)
        TRY(buffer_format(text, "; alignment error %.1f %% over %lld pairs", 100 * alignment_rate(&l->links),
                          (long long)l->gold));
    return buffer_text(text, "\n");
}

static Status walk(int n, const AttentionExample *example, AttentionReadout how, Arena *arena, Buffer *text)
{
    Line line[LINES] = {{0}};
    int lines = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < example[i].n_views; k++) {
            const AttentionView *v = &example[i].view[k];
            Line *l = v->measure == ATTENTION_WEIGHT ? line_of(line, &lines, v) : NULL;
            arena_release(arena, (ArenaMark){0});
            if (l) TRY(add_view(l, &example[i], v, how, arena));
        }
    for (int i = 0; i < lines; i++) TRY(say_line(&line[i], text));
    return OK;
}

Status attention_table(int n, const AttentionExample *example, AttentionReadout how, Buffer *text)
{
    Arena arena = {0};
    const Status st = walk(n, example, how, &arena, text);
    arena_close(&arena);
    TRY(st);
    return OK;
}
