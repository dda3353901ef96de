/* combine.c - from the intersection towards the union, as Koehn describes it and two tools do it.
 *
 * grow: a link of the union beside one that is kept is kept too when its source or its target word has no link yet;
 * again until nothing is added. The neighbours are above, left, below, right, and with diag the four corners.
 * final: links of forward, then those of reverse, whose source or target word (final-and: both) has no link yet.
 * Moses' symal, in the order of Koehn's description, goes over the links kept so far, target words outside and source
 * words inside, those just added included, and looks at their neighbours. atools of fast_align goes over the links that
 * may be added, source words outside and target words inside, and looks for a neighbour. */
#include "trainer/metric/combine.h"

#include <string.h>

enum { FORWARD = 1, REVERSE = 2, KEPT = 4 };

typedef enum Final { FINAL_NONE, FINAL_ANY, FINAL_BOTH } Final;

static const struct {
    const char *name;
    int neighbours;
    Final final;
} table[] = {
    {"intersection", 0, FINAL_NONE}, {"union", 0, FINAL_NONE},          {"grow", 4, FINAL_NONE},
    {"grow-diag", 8, FINAL_NONE},    {"grow-diag-final", 8, FINAL_ANY}, {"grow-diag-final-and", 8, FINAL_BOTH},
    {NULL, 0, FINAL_NONE},
};

typedef struct Grid {
    int64_t S, T;
    bool atools;
    unsigned char *at;               /* (T,S) flags */
    bool *source_done, *target_done; /* (S), (T): has a link */
} Grid;

const char *combine_name(int i) { return table[i].name; }

const char *combine_order(int i) { return (const char *const[]){"symal", "atools", NULL}[i]; }

static int64_t above(const Links *l, int side, int64_t size)
{
    for (int64_t k = 0; k < l->n_possible; k++)
        if (l->possible[2 * k + side] >= size) size = l->possible[2 * k + side] + 1;
    return size;
}

static void put(Grid *g, const Links *l, int flag)
{
    for (int64_t k = 0; k < l->n_possible; k++) {
        unsigned char *at = &g->at[l->possible[2 * k + 1] * g->S + l->possible[2 * k]];
        *at = (unsigned char)(*at | flag);
    }
}

static void keep(Grid *g, int64_t i, int64_t j)
{
    g->at[j * g->S + i] |= KEPT;
    g->source_done[i] = g->target_done[j] = true;
}

static Status make_grid(Grid *g, const Links *forward, const Links *reverse, Arena *arena)
{
    g->S = above(reverse, 0, above(forward, 0, 0));
    g->T = above(reverse, 1, above(forward, 1, 0));
    TRY_NEW(g->at, arena, g->S * g->T);
    TRY_NEW(g->source_done, arena, g->S);
    TRY_NEW(g->target_done, arena, g->T);
    put(g, forward, FORWARD);
    put(g, reverse, REVERSE);
    return OK;
}

static const int step[8][2] = {{-1, 0},  {0, -1}, {1, 0},  {0, 1},
                               {-1, -1}, {-1, 1}, {1, -1}, {1, 1}}; /* target, source */

/* Neighbours of one link; true when one was added. */
static bool grow_from(Grid *g, int64_t i, int64_t j, int neighbours)
{
    bool added = false;
    for (int k = 0; k < neighbours; k++) {
        const int64_t t = j + step[k][0], s = i + step[k][1];
        if (t < 0 || t >= g->T || s < 0 || s >= g->S || !g->at[t * g->S + s]) continue;
        if (g->source_done[s] && g->target_done[t]) continue;
        keep(g, s, t);
        added = true;
    }
    return added;
}

/* Is there one that is kept beside it? */
static bool has_neighbour(const Grid *g, int64_t i, int64_t j, int neighbours)
{
    for (int k = 0; k < neighbours; k++) {
        const int64_t t = j + step[k][0], s = i + step[k][1];
        if (t >= 0 && t < g->T && s >= 0 && s < g->S && g->at[t * g->S + s] & KEPT) return true;
    }
    return false;
}

static bool grow_at(Grid *g, int64_t i, int64_t j, int neighbours)
{
    const int flags = g->at[j * g->S + i];
    if (!g->atools) return flags & KEPT && grow_from(g, i, j, neighbours);
    if (!flags || flags & KEPT || (g->source_done[i] && g->target_done[j])) return false;
    if (!has_neighbour(g, i, j, neighbours)) return false;
    keep(g, i, j);
    return true;
}

/* The k-th cell in the order of the tool. */
static void cell(const Grid *g, int64_t k, int64_t *i, int64_t *j)
{
    *i = g->atools ? k / g->T : k % g->S;
    *j = g->atools ? k % g->T : k / g->S;
}

static void grow(Grid *g, int neighbours)
{
    int64_t i, j;
    for (bool added = neighbours > 0; added;) {
        added = false;
        for (int64_t k = 0; k < g->S * g->T; k++) {
            cell(g, k, &i, &j);
            if (grow_at(g, i, j, neighbours)) added = true;
        }
    }
}

static void finish(Grid *g, int flag, Final final)
{
    int64_t i, j;
    for (int64_t k = 0; k < g->S * g->T && final != FINAL_NONE; k++) {
        cell(g, k, &i, &j);
        const bool s = g->source_done[i], t = g->target_done[j], open = final == FINAL_BOTH ? !s && !t : !(s && t);
        if (g->at[j * g->S + i] & flag && open) keep(g, i, j);
    }
}

/* The links kept, by source word and then target word. */
static Status read_out(const Grid *g, Arena *arena, Links *out)
{
    int64_t n = 0;
    for (int64_t k = 0; k < g->S * g->T; k++) n += (g->at[k] & KEPT) != 0;
    *out = (Links){0};
    TRY_NEW(out->sure, arena, 2 * n);
    for (int64_t i = 0; i < g->S; i++)
        for (int64_t j = 0; j < g->T; j++) {
            if (!(g->at[j * g->S + i] & KEPT)) continue;
            out->sure[2 * out->n_sure] = (int32_t)i;
            out->sure[2 * out->n_sure++ + 1] = (int32_t)j;
        }
    out->possible = out->sure;
    out->n_possible = out->n_sure;
    return OK;
}

Status combine_links(const char *name, const char *order, const Links *forward, const Links *reverse, Arena *arena,
                     Links *out)
{
    int k = 0;
    while (table[k].name && strcmp(table[k].name, name) != 0) k++;
    REQUIRE(table[k].name, ERR_INTERNAL, "%s is no way to combine links", name);
    REQUIRE(strcmp(order, "symal") == 0 || strcmp(order, "atools") == 0, ERR_INTERNAL, "%s is no order", order);
    Grid g = {.atools = strcmp(order, "atools") == 0};
    TRY(make_grid(&g, forward, reverse, arena));
    const bool all = strcmp(name, "union") == 0;
    for (int64_t j = 0; j < g.T; j++)
        for (int64_t i = 0; i < g.S; i++)
            if (all ? g.at[j * g.S + i] != 0 : g.at[j * g.S + i] == (FORWARD | REVERSE)) keep(&g, i, j);
    grow(&g, table[k].neighbours);
    finish(&g, FORWARD, table[k].final);
    finish(&g, REVERSE, table[k].final);
    return read_out(&g, arena, out);
}
