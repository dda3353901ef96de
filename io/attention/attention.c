/* attention.c - what an example holds, and whether its parts fit together. */
#include "io/attention/attention.h"

#include <math.h>
#include <string.h>

const char *attention_unit_name(int i)
{
    return (const char *const[]){"none", "words", "sentences", "slots", "cells", "turns", "heads", "steps", NULL}[i];
}

const char *attention_measure_name(int i)
{
    return (const char *const[]){"weight", "jacobian", "input_x_gradient", NULL}[i];
}

/* --- What is there --- */

static int64_t slots_of(const AttentionField *f)
{
    return f->height > 0 ? f->height * f->width : f->levels == 2 ? f->n_sentences : f->words.n;
}

int64_t attention_size(const AttentionField *f, AxisUnit unit)
{
    switch (unit) {
    case AXIS_WORDS: return f->words.n;
    case AXIS_SENTENCES:
    case AXIS_TURNS: return f->n_sentences;
    case AXIS_CELLS: return f->height * f->width;
    case AXIS_SLOTS: return slots_of(f);
    default: return 0;
    }
}

AttentionAxis attention_axis(const AttentionExample *e, AxisUnit unit, int field, int64_t size)
{
    const int64_t all = unit == AXIS_NONE ? 1 : field >= 0 ? attention_size(&e->field[field], unit) : size;
    return (AttentionAxis){.unit = unit, .field = field, .size = all};
}

int attention_role(const AttentionExample *e, Role role)
{
    for (int f = 0; f < e->n_fields; f++)
        if (e->field[f].role == role) return f;
    return -1;
}

int64_t attention_whole_words(const AttentionWords *w)
{
    int64_t n = w->part_of ? 0 : w->n;
    for (int64_t i = 0; w->part_of && i < w->n; i++)
        if (w->part_of[i] >= n) n = w->part_of[i] + 1;
    return n;
}

const AttentionGold *attention_gold(const AttentionExample *e, AxisUnit unit, int of, int to, bool possible)
{
    for (int i = 0; i < e->n_gold; i++) {
        const AttentionGold *g = &e->gold[i];
        if (g->unit == unit && g->of == of && g->to == to && g->possible == possible) return g;
    }
    return NULL;
}

bool attention_has_links(const AttentionExample *e, const AttentionView *v)
{
    const int of = v->columns.field, to = v->rows.field;
    return v->rows.unit == AXIS_WORDS && v->columns.unit == AXIS_WORDS && of != to &&
           (attention_gold(e, AXIS_WORDS, of, to, false) || attention_gold(e, AXIS_WORDS, of, to, true));
}

double attention_loss(const AttentionExample *e)
{
    for (int f = 0; f < e->n_fields; f++) {
        const AttentionField *field = &e->field[f];
        double sum = 0;
        if (!field->loss || field->words.n == 0) continue;
        for (int64_t j = 0; j < field->words.n; j++) sum += field->loss[j];
        return sum / (double)field->words.n;
    }
    return -1;
}

/* --- Does it fit? --- */

typedef struct Check {
    Status code;
    const char *where;
    const AttentionExample *e;
} Check;

static Status check_offsets(Check c, const char *field, const char *what, int64_t n, const int64_t *start, int64_t end)
{
    REQUIRE(n >= 0 && (n == 0 || start[0] == 0), c.code, "%s: %s: %s do not begin at 0", c.where, field, what);
    for (int64_t i = 0; i < n; i++)
        REQUIRE(start[i] <= start[i + 1], c.code, "%s: %s: %s %lld ends before it begins", c.where, field, what,
                (long long)i);
    REQUIRE(end < 0 || n == 0 || start[n] == end, c.code, "%s: %s: %s end at %lld of %lld", c.where, field, what,
            (long long)start[n], (long long)end);
    return OK;
}

/* The words that pieces belong to come one after the other. */
static Status check_pieces(Check c, const char *field, const AttentionWords *w)
{
    int64_t count = 0;
    for (int64_t i = 0; w->part_of && i < w->n; i++) {
        const int64_t of = w->part_of[i];
        REQUIRE(of == -1 || of == count || (of >= 0 && of == count - 1), c.code,
                "%s: %s: piece %lld is said to be part of word %lld after %lld words", c.where, field, (long long)i,
                (long long)of, (long long)count);
        if (of == count) count++;
    }
    return OK;
}

static Status check_numbers(Check c, const char *field, const char *what, int64_t n, const double *value)
{
    for (int64_t i = 0; value && i < n; i++)
        REQUIRE(isfinite(value[i]), c.code, "%s: %s: %s %lld is not finite", c.where, field, what, (long long)i);
    return OK;
}

static Status check_field(Check c, int number)
{
    const AttentionField *f = &c.e->field[number];
    for (int k = 0; k < number; k++)
        REQUIRE(strcmp(c.e->field[k].name, f->name) != 0, c.code, "%s: two fields are named %s", c.where, f->name);
    REQUIRE(f->levels == 1 || f->levels == 2, c.code, "%s: %s: found %d levels, expected 1 or 2", c.where, f->name,
            f->levels);
    REQUIRE(f->height >= 0 && f->width >= 0 && f->height < 1 << 20 && f->width < 1 << 20 &&
                (f->height == 0) == (f->width == 0),
            c.code, "%s: %s: a grid of %lld x %lld cells", c.where, f->name, (long long)f->height, (long long)f->width);
    REQUIRE(f->height == 0 || (f->words.n == 0 && f->levels == 1), c.code, "%s: %s: a grid with words", c.where,
            f->name);
    TRY(check_offsets(c, f->name, "words", f->words.n, f->words.start, -1));
    TRY(check_pieces(c, f->name, &f->words));
    if (f->levels == 2) TRY(check_offsets(c, f->name, "sentences", f->n_sentences, f->sentence, f->words.n));
    TRY(check_numbers(c, f->name, "loss", f->words.n, f->loss));
    return check_numbers(c, f->name, "grey", f->height * f->width, f->grey);
}

static Status check_gold(Check c, const AttentionGold *g)
{
    const AttentionExample *e = c.e;
    REQUIRE(g->of >= 0 && g->of < e->n_fields && g->to >= -1 && g->to < e->n_fields && g->n >= 0, c.code,
            "%s: gold of no field", c.where);
    const AttentionField *of = &e->field[g->of], *to = g->to < 0 ? NULL : &e->field[g->to];
    REQUIRE(g->unit == AXIS_WORDS || (!to && (g->unit == AXIS_SENTENCES || g->unit == AXIS_CELLS)), c.code,
            "%s: gold of %s: of %s", c.where, of->name, attention_unit_name((int)g->unit));
    const int64_t size = g->unit == AXIS_WORDS ? attention_whole_words(&of->words) : attention_size(of, g->unit);
    const int64_t targets = to ? attention_whole_words(&to->words) : 0;
    for (int64_t k = 0; k < g->n; k++) {
        const int64_t i = g->at[to ? 2 * k : k], j = to ? g->at[2 * k + 1] : 0;
        REQUIRE(to || (i >= 0 && i < size), c.code, "%s: gold %lld of %lld %s of %s", c.where, (long long)i,
                (long long)size, attention_unit_name((int)g->unit), of->name);
        REQUIRE(!to || (i >= 0 && i < size && j >= 0 && j < targets), c.code,
                "%s: the %s link %lld-%lld lies outside the %lld words of %s and %lld of %s", c.where,
                g->possible ? "possible" : "sure", (long long)i, (long long)j, (long long)size, of->name,
                (long long)targets, to->name);
    }
    return OK;
}

static bool needs_field(AxisUnit unit) { return unit == AXIS_WORDS || unit == AXIS_SENTENCES || unit == AXIS_CELLS; }

static Status check_axis(Check c, const char *view, const char *what, const AttentionAxis *a)
{
    const char *unit = attention_unit_name((int)a->unit);
    const bool alone = a->unit == AXIS_NONE || a->unit == AXIS_HEADS || a->unit == AXIS_STEPS;
    REQUIRE(a->field >= -1 && a->field < c.e->n_fields && (a->field >= 0 ? !alone : !needs_field(a->unit)), c.code,
            "%s: view %s: %s are %s of %s", c.where, view, what, unit, a->field < 0 ? "no field" : "a field");
    const int64_t size = attention_axis(c.e, a->unit, a->field, a->size).size;
    REQUIRE(a->size == size && size >= 0, c.code, "%s: view %s has %lld %s, expected %lld %s", c.where, view,
            (long long)a->size, what, (long long)size, unit);
    REQUIRE(!a->by_sentence || (a->unit == AXIS_WORDS && c.e->field[a->field].levels == 2), c.code,
            "%s: view %s: %s are no words of sentences", c.where, view, what);
    return OK;
}

static Status check_view(Check c, const AttentionView *v)
{
    TRY(check_axis(c, v->name, "rows", &v->rows));
    TRY(check_axis(c, v->name, "columns", &v->columns));
    REQUIRE(!v->rows.by_sentence, c.code, "%s: view %s: rows that sum to 1 by sentence", c.where, v->name);
    for (int64_t i = 0; i < v->rows.size * v->columns.size; i++)
        REQUIRE(isfinite(v->weight[i]), c.code, "%s: view %s: value %lld is not finite", c.where, v->name,
                (long long)i);
    return OK;
}

Status attention_check_as(const AttentionExample *e, Status code, const char *where)
{
    const Check c = {code, where, e};
    for (int f = 0; f < e->n_fields; f++) TRY(check_field(c, f));
    for (int g = 0; g < e->n_gold; g++) TRY(check_gold(c, &e->gold[g]));
    for (int v = 0; v < e->n_views; v++) TRY(check_view(c, &e->view[v]));
    return OK;
}

Status attention_check(const AttentionExample *e) { return attention_check_as(e, ERR_INTERNAL, "attention"); }
