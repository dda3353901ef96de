/* outputs.c - a batch is decoded and compared with its targets; then the targets are decoded themselves, for links. */
#include "trainer/evaluate/outputs.h"

#include <string.h>

#include "io/text/character.h"
#include "trainer/evaluate/wordlinks.h"

Status outputs_open(Outputs **out, Session *s)
{
    const EvalSettings *eval = config_section(s->config, "eval");
    const DecodeSettings *decode = config_section(s->config, "decode");
    *out = NULL;
    if (eval->decode == EVAL_NO_DECODE || !s->task->outputs) return OK;
    Outputs *o;
    TRY_NEW(o, s->run, 1);
    o->s = s;
    o->set = *decode;
    o->set.search = DECODE_BEAM;
    o->set.nbest = 1;
    if (eval->decode == EVAL_GREEDY) o->set.beam = 1;
    const MetricShape shape = {.unknown = VOCAB_UNK, .links = corpus_links(s->corpus, false) != NULL};
    TRY(metric_open(&o->metrics, s->run, &shape, s->task->outputs, "decoded/"));
    TRY(counts_open(&o->counts, s->run, o->metrics.counters));
    *out = o;
    return OK;
}

#define NEVER CHARACTER_NONE_TEXT CHARACTER_NONE_TEXT CHARACTER_NONE_TEXT
const char outputs_never_right[] = NEVER NEVER NEVER;

Status outputs_tokens(Session *s, Role role, const GenerateWords *w, const char *unknown, Word **out)
{
    const Vocab *v = corpus_vocab(s->corpus, corpus_role(s->corpus, role)->vocab);
    Word *token;
    TRY_NEW(token, &s->step, w->n);
    for (int64_t i = 0; i < w->n; i++) {
        const char *spelled = w->id[i] == VOCAB_UNK ? unknown : vocab_word(v, w->id[i]);
        token[i] = (Word){spelled, strlen(spelled)};
    }
    *out = token;
    return OK;
}

/* own: the model wrote them, its unknown word as translate prints it. */
static Status side(const Outputs *o, Role role, const GenerateWords *w, bool own, WordSide *out)
{
    const DataField *f = corpus_role(o->s->corpus, role);
    const Vocab *v = corpus_vocab(o->s->corpus, f->vocab);
    Word *token;
    TRY(outputs_tokens(o->s, role, w, own ? vocab_word(v, VOCAB_UNK) : outputs_never_right, &token));
    return wordlinks_side(corpus_form(o->s->corpus, f->vocab), w->n, token, &o->s->step, out);
}

/* The words with spaces between. */
static Status text_of(const Outputs *o, const WordSide *s, Word *out)
{
    size_t size = 0;
    for (int64_t i = 0; i < s->words; i++) size += s->word[i].size + 1;
    char *text = arena_alloc(&o->s->step, size + 1), *at = text;
    if (!text) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    for (int64_t i = 0; i < s->words; i++) {
        memcpy(at, s->word[i].text, s->word[i].size);
        at += s->word[i].size;
        *at++ = ' ';
    }
    *out = (Word){text, size ? size - 1 : 0};
    return OK;
}

static Status side_of(const Outputs *o, Role role, const GenerateWords *w, bool own, MetricSide *out)
{
    WordSide words;
    *out = (MetricSide){.n = w->n, .id = w->id};
    if (!o->metrics.texts) return OK;
    TRY(side(o, role, w, own, &words));
    out->words = words.words;
    return text_of(o, &words, &out->text);
}

GenerateWords outputs_words(const Ragged *r, int64_t example)
{
    const int64_t *at = r->offset[0] + example;
    return (GenerateWords){at[1] - at[0], r->id + at[0]};
}

static Status gold(const Batch *b, bool possible, int64_t example, Arena *arena, MetricLinks *out)
{
    const Ragged *r = batch_links(b, possible);
    *out = (MetricLinks){0};
    if (!r || !r->id) return OK;
    const GenerateWords numbers = outputs_words(r, example);
    int64_t *at;
    TRY_NEW(at, arena, numbers.n);
    for (int64_t i = 0; i < numbers.n; i++) at[i] = numbers.id[i];
    *out = (MetricLinks){.n = numbers.n / 2, .at = numbers.n ? at : NULL};
    return OK;
}

/* h: the target itself, as the model makes it. */
static Status align(Outputs *o, const Batch *b, int64_t example, const GenerateWords *target, const DecodeHypothesis *h,
                    MetricExample *e)
{
    Arena *arena = &o->s->step;
    TRY(gold(b, false, example, arena, &e->sure));
    TRY(gold(b, true, example, arena, &e->possible));
    if (!h->look || (!e->sure.at && !e->possible.at)) return OK;
    WordSide from, to;
    AlignmentLinks links;
    const GenerateWords source = outputs_words(batch_role(b, ROLE_INPUT), example);
    TRY(side(o, ROLE_INPUT, &source, false, &from));
    TRY(side(o, ROLE_TARGET, target, false, &to));
    TRY(wordlinks_of(h, &from, &to, arena, &links));
    e->links = (MetricLinks){links.n, links.at};
    return OK;
}

/* forced: NULL when there are no links. */
static Status compare(Outputs *o, const Batch *b, int64_t example, const GenerateWords *target,
                      const DecodeHypothesis *h, const DecodeHypothesis *forced)
{
    const GenerateWords own = {h->n, h->word};
    MetricExample e = {.cut = h->cut, .index = b->example[example]};
    TRY(side_of(o, ROLE_TARGET, target, false, &e.truth));
    TRY(side_of(o, ROLE_TARGET, &own, true, &e.guess));
    if (o->metrics.source) {
        MetricSide source;
        const GenerateWords words = outputs_words(batch_role(b, ROLE_INPUT), example);
        TRY(side_of(o, ROLE_INPUT, &words, false, &source));
        e.source = source.text;
    }
    if (forced) TRY(align(o, b, example, target, forced, &e));
    if (o->listener) TRY(o->listener->each(o->listener->context, b, example, &e));
    return metric_add(&o->metrics, o->counts, &e, &o->s->step);
}

Status outputs_measure(Outputs *o, const Batch *b)
{
    const Ragged *target = batch_role(b, ROLE_TARGET);
    REQUIRE(target && target->field->levels == 1, ERR_INTERNAL, "outputs are compared with a target of words");
    DecodeOutput *out, *forced = NULL;
    GenerateWords *given;
    DecodeRequest r = {.batch = b};
    TRY(decode_batch(o->s->model, &o->set, &r, &o->s->step, &out));
    TRY_NEW(given, &o->s->step, b->B);
    for (int64_t i = 0; i < b->B; i++) given[i] = outputs_words(target, i);
    r.given = given;
    r.whole = true;
    if (batch_links(b, false)) TRY(decode_batch(o->s->model, &o->set, &r, &o->s->step, &forced));
    for (int64_t i = 0; i < b->B; i++)
        TRY(compare(o, b, i, &given[i], &out[i].item[0], forced ? &forced[i].item[0] : NULL));
    return OK;
}

Status outputs_report(const Outputs *o, Measures *m) { return metric_report(&o->metrics, o->counts, m); }
