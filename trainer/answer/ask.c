/* ask.c - parse, look words up, and lay the examples end to end. */
#include "trainer/answer/ask.h"

#include "io/text/segment.h"

Status ask_open(Ask *a, Session *s)
{
    const TextSettings *text = config_section(s->config, "text");
    const DataSettings *data = config_section(s->config, "data");
    *a = (Ask){.s = s, .rule = {.sentences = data->max_sentences, .words = data->max_words}};
    BuildRule *rule = &a->rule;
    rule->n_fields = corpus_fields(s->corpus, &rule->field);
    for (int f = 0; f < rule->n_fields; f++) rule->vocab[f] = corpus_vocab(s->corpus, rule->field[f].vocab);
    TRY(import_ask_open(&a->import, s->run, corpus_source(s->corpus), rule->n_fields, rule->field, text));
    return import_ask_splits(a->import) ? corpus_check_text(s->corpus, text) : OK;
}

void ask_close(Ask *a)
{
    import_ask_close(a->import);
    *a = (Ask){0};
}

static int64_t capped(int64_t n, int64_t cap) { return cap > 0 && n > cap ? cap : n; }

static Status check_place(const Record *r, int64_t n, const char *what, int64_t most)
{
    REQUIRE(most == 0 || n <= most, ERR_DATA, "%s:%lld: %lld %s, but the model has places for %lld (score location)",
            r->file, (long long)r->line, (long long)n, what, (long long)most);
    return OK;
}

/* Not more of the main field than the model has places for. */
static Status check_length(const Ask *a, const Record *r, const Example *e)
{
    const BuildRule *rule = &a->rule;
    const Model *m = a->s->model;
    const int f = field_role(rule->n_fields, rule->field, m->need[0].role);
    const ExampleField *own = &e->field[f];
    if (rule->field[f].levels == 1) return check_place(r, own->count[1], "words", m->most_words);
    const int64_t units = capped(own->count[1], rule->sentences);
    TRY(check_place(r, units, "sentences", m->most_units));
    for (int64_t u = 0; u < units; u++)
        TRY(check_place(r, capped(own->offset[1][u + 1] - own->offset[1][u], rule->words), "words in a sentence",
                        m->most_words));
    return OK;
}

Status ask_parse(Ask *a, const Record *r, const Record *target, Arena *arena, Example *out)
{
    TRY(import_ask(a->import, r, target, arena, out));
    for (int f = 0; f < a->rule.n_fields; f++) {
        const DataField *field = &a->rule.field[f];
        const bool words = out->field[f].count[0] && a->rule.vocab[f] && field->levels >= 1 && field->levels <= 2;
        const Form *form = words ? corpus_form(a->s->corpus, field->vocab) : NULL;
        if (form) TRY(example_spell(&out->field[f], field->levels, form, arena));
    }
    return check_length(a, r, out);
}

Status ask_pack(const Ask *a, int n, const Example *example, Arena *arena, Batch *out, const Word *word[BATCH_FIELDS])
{
    int64_t *number;
    TRY_NEW(number, arena, n);
    for (int i = 0; i < n; i++) number[i] = i;
    return build_examples(out, arena, &a->rule, n, example, number, word);
}

Status ask_batch(Ask *a, int n, const Record *r, Arena *arena, Batch *out, const Word *word[BATCH_FIELDS])
{
    Example *example;
    TRY_NEW(example, arena, n);
    for (int i = 0; i < n; i++) TRY(ask_parse(a, &r[i], NULL, arena, &example[i]));
    return ask_pack(a, n, example, arena, out, word);
}
