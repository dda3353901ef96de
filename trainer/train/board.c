/* board.c - settings by section, parameters by name. */
#include "trainer/train/board.h"

#include <stdlib.h>
#include <string.h>

#include "comm/clock.h"

enum { SETTINGS = 400 };

/* --- Settings --- */

typedef struct List {
    Arena *arena;
    int n;
    EventsSetting *item; /* (SETTINGS) */
} List;

/* What decides about the model and its training, not where files lie. */
static bool is_shown(const ConfigValue *v)
{
    static const char *const section[] = {"model", "task", "train", "optim", "schedule"};
    for (int i = 0; i < COUNT(section); i++) {
        const size_t n = strlen(section[i]);
        if (strncmp(v->section, section[i], n) == 0 && (v->section[n] == '\0' || v->section[n] == '.')) return true;
    }
    return strcmp(v->section, "run") == 0 && strcmp(v->key, "seed") == 0;
}

static Status add_setting(void *context, const ConfigValue *v)
{
    List *list = context;
    if (!is_shown(v) || list->n == SETTINGS) return OK;
    EventsSetting *s = &list->item[list->n];
    char *end = NULL;
    *s = (EventsSetting){.name = arena_format(list->arena, "%s.%s", v->section, v->key),
                         .kind = EVENTS_TEXT,
                         .text = arena_text(list->arena, v->value)};
    REQUIRE(s->name && s->text, ERR_HOST, "%s", status_message());
    const double number = strtod(v->value, &end);
    if (strcmp(v->value, "true") == 0 || strcmp(v->value, "false") == 0) {
        s->kind = EVENTS_BOOL;
        s->number = v->value[0] == 't';
    } else if (v->value[0] && !*end) {
        s->kind = EVENTS_NUMBER;
        s->number = number;
    }
    list->n++;
    return OK;
}

/* The deciding measure and the loss, of the validation and of the end. */
static Status name_measures(const Trainer *t, Arena *arena, const char *name[4], int *n)
{
    const char *const of[] = {t->decides, "loss"};
    *n = 0;
    for (int i = 0; i < (strcmp(of[0], of[1]) == 0 ? 1 : 2); i++) {
        if (t->eval->split) name[(*n)++] = arena_format(arena, "%s/%s", t->eval->split, of[i]);
        name[(*n)++] = arena_format(arena, "final_test/%s", of[i]);
    }
    for (int i = 0; i < *n; i++) REQUIRE(name[i], ERR_HOST, "%s", status_message());
    return OK;
}

static Status put_settings(const Trainer *t, Arena *arena)
{
    List list = {.arena = arena};
    const char *measure[4];
    int n = 0;
    TRY_NEW(list.item, arena, SETTINGS);
    TRY(config_each(t->s.config, add_setting, &list));
    TRY(name_measures(t, arena, measure, &n));
    return metrics_settings(t->metrics, clock_epoch(), list.n, list.item, n, measure);
}

Status board_settings(Trainer *t)
{
    Arena arena = {0};
    const Status st = t->log->tensorboard ? put_settings(t, &arena) : OK;
    arena_close(&arena);
    return st;
}

/* --- Histograms --- */

static void spread(EventsHistogram *h, const real *x, int64_t n)
{
    for (int64_t i = 0; x && i < n; i++) events_spread(h, (double)x[i]);
}

static void fill(EventsHistogram *h, const real *x, int64_t n)
{
    for (int64_t i = 0; x && i < n; i++) events_fill(h, (double)x[i]);
}

Status board_take(Trainer *t, Board *b)
{
    const Params *ps = &t->s.params;
    b->n = ps->n;
    TRY_NEW(b->values, &t->keep, ps->n + 1);
    TRY_NEW(b->gradients, &t->keep, ps->n + 1);
    for (int i = 0; i < ps->n; i++) {
        const Param *p = ps->item[i];
        const ParamRows *rows = p->as_rows ? p->rows : NULL; /* merged: one list */
        const real *gradient = p->average > 0 ? NULL : rows ? rows->grad : p->grad;
        const int64_t count = rows ? rows->n * p->shape.d[p->shape.n - 1] : p->count;
        EventsHistogram *value = &b->values[i], *slope = &b->gradients[i];
        value->name = slope->name = p->name;
        spread(value, p->value, p->count);
        fill(value, p->value, p->count);
        if (!t->updated) continue; /* by this process: there is no gradient yet */
        spread(slope, gradient, count);
        fill(slope, gradient, count);
    }
    return OK;
}

Status board_write(Trainer *t, const Board *b)
{
    const double now = clock_epoch();
    TRY(metrics_histograms(t->metrics, now, t->state.step, "parameters", b->n, b->values));
    return metrics_histograms(t->metrics, now, t->state.step, "gradients", b->n, b->gradients);
}
