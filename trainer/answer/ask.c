/* ask.c - parse, look words up, and lay the examples end to end. */
#include "trainer/answer/ask.h"

#include <string.h>

#include "io/import/example.h"
#include "io/text/segment.h"

Status ask_open(Ask *a, Session *s)
{
    *a = (Ask){.s = s};
    QueryKind kind = QUERY_DOCUMENT;
    for (int i = 0; i < s->model->n_needs; i++) {
        const ModelNeed *need = &s->model->need[i];
        if (need->role == ROLE_QUERY) kind = QUERY_STORY;
        if (need->role == ROLE_INPUT && need->levels == 1) kind = QUERY_PAIR;
        if (need->role == ROLE_SPELLING) kind = QUERY_SPELLED_PAIR; /* stands after the input */
    }
    if (kind != QUERY_STORY) TRY(corpus_check_text(s->corpus, config_section(s->config, "text")));
    TRY(query_open(&a->query, s->run, kind, config_section(s->config, "text")));
    a->n_fields = query_fields(a->query, &a->fields);
    return OK;
}

void ask_close(Ask *a)
{
    query_close(a->query);
    *a = (Ask){0};
}

static int64_t capped(int64_t n, int64_t cap) { return cap > 0 && n > cap ? cap : n; }

/* One field of all examples, packed: sizes first, then offsets, words and ids. */
typedef struct Packing {
    int levels;
    int64_t cap[2]; /* units an example, words a unit; 0: all */
    const Vocab *vocab;
    int64_t *offset[2];
    int64_t units, words; /* filled so far */
    int32_t *id;
    Word *word;
} Packing;

static void pack_words(Packing *p, const ExampleField *f, int64_t begin, int64_t end)
{
    for (int64_t i = begin; i < end; i++, p->words++) {
        const Word *w = &f->word[i];
        p->word[p->words] = *w;
        p->id[p->words] = (int32_t)vocab_id(p->vocab, w->text, w->size);
    }
}

static void pack_example(Packing *p, int64_t b, const ExampleField *f)
{
    const int64_t n = capped(f->count[1], p->cap[0]);
    if (p->levels == 1) {
        pack_words(p, f, 0, n);
        p->offset[0][b + 1] = p->words;
        return;
    }
    for (int64_t u = 0; u < n; u++) {
        const int64_t begin = f->offset[1][u], length = f->offset[1][u + 1] - begin;
        pack_words(p, f, begin, begin + capped(length, p->cap[1]));
        p->offset[1][++p->units] = p->words;
    }
    p->offset[0][b + 1] = p->units;
}

static Status pack_field(const Ask *a, int f, int n, const Example *example, Arena *arena, Ragged *out,
                         const Word **word)
{
    const DataSettings *data = config_section(a->s->config, "data");
    const DataField *field = &a->fields[f];
    const DataField *own = corpus_field(a->s->corpus, field->name); /* two sides may share a vocabulary */
    Packing p = {.levels = field->levels, .vocab = corpus_vocab(a->s->corpus, own ? own->vocab : field->vocab)};
    p.cap[0] = field->levels == 2 ? data->max_sentences : data->max_words;
    p.cap[1] = data->max_words;
    REQUIRE(p.vocab, ERR_DATA, "the corpus has no vocabulary %s", field->vocab);
    int64_t units = 0, words = 0;
    for (int i = 0; i < n; i++) {
        units += example[i].field[f].count[1];
        words += example[i].field[f].count[field->levels];
    }
    TRY_NEW(p.offset[0], arena, n + 1);
    TRY_NEW(p.offset[1], arena, units + 1);
    TRY_NEW(p.id, arena, words);
    TRY_NEW(p.word, arena, words);
    for (int i = 0; i < n; i++) pack_example(&p, i, &example[i].field[f]);
    *out = (Ragged){.field = field, .count = {n}, .offset = {p.offset[0]}, .id = p.id};
    out->count[1] = field->levels == 2 ? p.units : p.words;
    if (field->levels == 2) {
        out->offset[1] = p.offset[1];
        out->count[2] = p.words;
    }
    *word = p.word;
    return OK;
}

static bool is_words(const DataField *f) { return f->levels >= 1 && f->levels <= 2 && f->vocab[0]; }

static Status check_place(const Record *r, int64_t n, const char *what, int64_t most)
{
    REQUIRE(most == 0 || n <= most, ERR_DATA, "%s:%lld: %lld %s, but the model has places for %lld (score location)",
            r->file, (long long)r->line, (long long)n, what, (long long)most);
    return OK;
}

/* Not more of the main field than the model has places for. */
static Status check_length(const Ask *a, const Record *r, const Example *e)
{
    const DataSettings *data = config_section(a->s->config, "data");
    const Model *m = a->s->model;
    for (int f = 0; f < a->n_fields; f++) {
        const ExampleField *own = &e->field[f];
        if (a->fields[f].role != m->need[0].role) continue;
        if (a->fields[f].levels == 1) return check_place(r, own->count[1], "words", m->most_words);
        const int64_t units = capped(own->count[1], data->max_sentences);
        TRY(check_place(r, units, "sentences", m->most_units));
        for (int64_t u = 0; u < units; u++)
            TRY(check_place(r, capped(own->offset[1][u + 1] - own->offset[1][u], data->max_words),
                            "words in a sentence", m->most_words));
    }
    return OK;
}

Status ask_parse(Ask *a, const Record *r, const Record *target, Arena *arena, Example *out)
{
    if (target)
        TRY(query_pair(a->query, r, target, arena, out));
    else
        TRY(query_parse(a->query, r, arena, out));
    for (int f = 0; f < a->n_fields; f++) {
        const DataField *own = corpus_field(a->s->corpus, a->fields[f].name);
        const Form *form = own && is_words(&a->fields[f]) ? corpus_form(a->s->corpus, own->vocab) : NULL;
        if (form) TRY(example_spell(&out->field[f], a->fields[f].levels, form, arena));
    }
    return check_length(a, r, out);
}

Status ask_pack(Ask *a, int n, const Example *example, Arena *arena, Batch *out, const Word *word[BATCH_FIELDS])
{
    int64_t *number;
    TRY_NEW(number, arena, n);
    for (int i = 0; i < n; i++) number[i] = i;
    *out = (Batch){.B = n, .all = n, .example = number};
    for (int f = 0; f < a->n_fields; f++) {
        if (!is_words(&a->fields[f])) continue;
        TRY(pack_field(a, f, n, example, arena, &out->field[out->n_fields], &word[out->n_fields]));
        out->n_fields++;
    }
    return OK;
}

Status ask_batch(Ask *a, int n, const Record *r, Arena *arena, Batch *out, const Word *word[BATCH_FIELDS])
{
    Example *example;
    TRY_NEW(example, arena, n);
    for (int i = 0; i < n; i++) TRY(ask_parse(a, &r[i], NULL, arena, &example[i]));
    return ask_pack(a, n, example, arena, out, word);
}
