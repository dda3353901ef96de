/* attention_old.c - files of versions 1 and 2: an example was a document, a story or a pair, a view lay over its words
 * or sentences, its question, or target words x source words; version 1 had no pairs and no measures. */
#include <stdio.h>
#include <string.h>

#include "io/attention/reading.h"

typedef enum Kind { DOCUMENT, STORY, PAIR } Kind;
typedef enum Over { WORDS, SENTENCES, QUESTION, PAIRS } Over;
enum { MOST_FIELDS = 3, MOST_GOLD = 3 };

static const char *kind_name(int i) { return (const char *const[]){"document", "story", "pair", NULL}[i]; }

static const char *over_name(int i)
{
    return (const char *const[]){"words", "sentences", "question", "pairs", NULL}[i];
}

static Status fill_field(const Reading *r, const char *example, const char *group, AttentionExample *e,
                         AttentionField field)
{
    char inside[READING_OBJECT];
    AttentionField *all = (AttentionField *)(uintptr_t)e->field;
    snprintf(inside, sizeof inside, "%.100s/%.40s", example, group);
    if (!h5_has(r->h, inside)) return OK;
    TRY(reading_words(r, inside, &field.words));
    all[e->n_fields++] = field;
    return OK;
}

/* The text of a pair is one sentence. */
static Status fill_text(const Reading *r, const char *example, Kind kind, AttentionExample *e)
{
    int64_t n, *sentence;
    AttentionField text = {.name = kind == DOCUMENT ? "text"
                                   : kind == STORY  ? "story"
                                                    : "source",
                           .role = ROLE_INPUT,
                           .levels = 1};
    TRY(reading_list(r, example, "tokens/sentence", H5_I64, &n, &sentence));
    if (kind != PAIR) {
        text.levels = 2;
        text.n_sentences = n > 0 ? n - 1 : 0;
        text.sentence = sentence;
    }
    TRY(fill_field(r, example, "tokens", e, text));
    REQUIRE(e->n_fields == 1, ERR_DATA, "%s: %s: tokens is missing", r->path, example);
    return OK;
}

static Status fill_fields(const Reading *r, const char *example, Kind kind, AttentionExample *e)
{
    int64_t n;
    AttentionField *field;
    TRY_NEW(field, r->arena, MOST_FIELDS);
    e->field = field;
    TRY(fill_text(r, example, kind, e));
    TRY(fill_field(r, example, "question", e, (AttentionField){.name = "question", .role = ROLE_QUERY, .levels = 1}));
    if (kind != PAIR) return OK;
    TRY(fill_field(r, example, "target", e, (AttentionField){.name = "target", .role = ROLE_TARGET, .levels = 1}));
    AttentionField *last = &field[e->n_fields - 1];
    REQUIRE(last->role == ROLE_TARGET, ERR_DATA, "%s: %s: target is missing", r->path, example);
    TRY(reading_list(r, example, "loss", H5_F64, &n, &last->loss));
    REQUIRE(!last->loss || n == last->words.n, ERR_DATA, "%s: %s/loss: found %lld values for %lld target words",
            r->path, example, (long long)n, (long long)last->words.n);
    return OK;
}

static Status fill_gold(const Reading *r, const char *example, AttentionExample *e)
{
    char object[READING_OBJECT];
    AttentionGold *gold;
    int64_t n, *fact;
    const int target = attention_role(e, ROLE_TARGET);
    TRY_NEW(gold, r->arena, MOST_GOLD);
    e->gold = gold;
    TRY(reading_list(r, example, "facts", H5_I64, &n, &fact));
    if (fact) gold[e->n_gold++] = (AttentionGold){.to = -1, .unit = AXIS_SENTENCES, .n = n, .at = fact};
    for (int possible = 0; possible < 2 && target >= 0; possible++) {
        AttentionGold g = {.to = target, .unit = AXIS_WORDS, .possible = possible};
        snprintf(object, sizeof object, "%.100s/gold/%s", example, possible ? "possible" : "sure");
        TRY(reading_links(r, object, &g.n, &g.at));
        if (g.at) gold[e->n_gold++] = g;
    }
    return OK;
}

static Status read_view(const Reading *r, const char *group, AttentionExample *e, int index)
{
    int over;
    int64_t shape[2];
    char object[READING_OBJECT];
    AttentionView *v = (AttentionView *)(uintptr_t)&e->view[index];
    TRY(reading_view(r, group, v));
    TRY(reading_choice(r, group, "over", over_name, "", &over));
    const int target = attention_role(e, ROLE_TARGET), question = attention_role(e, ROLE_QUERY);
    REQUIRE(over != PAIRS || target >= 0, ERR_DATA, "%s: %s: over \"pairs\" without a target", r->path, group);
    REQUIRE(over != QUESTION || question >= 0, ERR_DATA, "%s: %s: over \"question\" without one", r->path, group);
    v->rows = attention_axis(e, over == PAIRS ? AXIS_WORDS : AXIS_NONE, over == PAIRS ? target : -1, 1);
    v->columns = attention_axis(e, over == SENTENCES ? AXIS_SENTENCES : AXIS_WORDS, over == QUESTION ? question : 0, 0);
    v->columns.by_sentence = over == WORDS && v->measure == ATTENTION_WEIGHT;
    snprintf(object, sizeof object, "%.200s/weights", group);
    TRY(reading_table(r, object, over == PAIRS ? 2 : 1, shape, &v->weight));
    REQUIRE(over != PAIRS || (shape[0] == v->rows.size && shape[1] == v->columns.size), ERR_DATA,
            "%s: %s: found %lld x %lld values, expected %lld target x %lld source words", r->path, object,
            (long long)shape[0], (long long)shape[1], (long long)v->rows.size, (long long)v->columns.size);
    v->columns.size = shape[1]; /* that it fits is checked with the rest */
    return OK;
}

Status attention_old(const Reading *r, const char *group, AttentionExample *e)
{
    int kind, n = 0;
    AttentionView *view;
    TRY(reading_choice(r, group, "kind", kind_name, "", &kind));
    TRY(fill_fields(r, group, (Kind)kind, e));
    TRY(fill_gold(r, group, e));
    TRY(reading_groups(r, group, "view-", NULL, e, &n));
    TRY_NEW(view, r->arena, n + 1);
    e->view = view;
    return reading_groups(r, group, "view-", read_view, e, &e->n_views);
}
