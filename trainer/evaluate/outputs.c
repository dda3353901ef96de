/* outputs.c - a batch is decoded and compared with its targets; then the targets are decoded themselves, for links. */
#include "trainer/evaluate/outputs.h"

#include <string.h>

#include "io/attention/alignment.h"
#include "trainer/evaluate/wordlinks.h"

enum { EXAMPLES, EXACT, CUT, WORDS, TARGET_WORDS, HITS_SURE, HITS_POSSIBLE, LINKS, SURE, BLEU };

Status outputs_open(Outputs **out, Session *s)
{
    const EvalSettings *eval = config_section(s->config, "eval");
    const DecodeSettings *decode = config_section(s->config, "decode");
    *out = NULL;
    if (strcmp(eval->decode, "none") == 0) return OK;
    Outputs *o;
    TRY_NEW(o, s->run, 1);
    o->s = s;
    o->set = *decode;
    o->set.search = "beam";
    o->set.nbest = 1;
    if (strcmp(eval->decode, "greedy") == 0) o->set.beam = 1;
    QualityOptions option = quality_preset;
    option.tokenize = "none";
    TRY(quality_open(&o->bleu, s->run, "bleu", &option, 1));
    TRY(counts_open(&o->counts, s->run, BLEU + o->bleu.counters));
    *out = o;
    return OK;
}

/* The words of ids; unknown: how the unknown word is written. */
static Status side(const Outputs *o, const char *field, const DecodeWords *w, const char *unknown, WordSide *out)
{
    const DataField *f = corpus_field(o->s->corpus, field);
    const Vocab *v = corpus_vocab(o->s->corpus, f->vocab);
    Word *token;
    TRY_NEW(token, &o->s->step, w->n);
    for (int64_t i = 0; i < w->n; i++) {
        const char *spelled = w->id[i] == VOCAB_UNK ? unknown : vocab_word(v, w->id[i]);
        token[i] = (Word){spelled, strlen(spelled)};
    }
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

static bool exact(const DecodeWords *target, const DecodeHypothesis *h)
{
    if (h->n != target->n) return false;
    for (int64_t i = 0; i < h->n; i++)
        if (h->word[i] != target->id[i] || h->word[i] == VOCAB_UNK) return false;
    return true;
}

static DecodeWords words_of(const Ragged *r, int64_t b)
{
    return (DecodeWords){r->offset[0][b + 1] - r->offset[0][b], r->id + r->offset[0][b]};
}

static Status compare(Outputs *o, const DecodeWords *target, const DecodeHypothesis *h)
{
    int64_t *count = o->counts->value;
    WordSide made, wanted;
    QualityPair pair = {0};
    Word reference;
    TRY(side(o, "target", &(DecodeWords){h->n, h->word}, "<unk>", &made));
    TRY(side(o, "target", target, "<unknown>", &wanted));
    TRY(text_of(o, &made, &pair.hypothesis));
    TRY(text_of(o, &wanted, &reference));
    pair.reference = &reference;
    count[EXAMPLES]++;
    count[EXACT] += exact(target, h);
    count[CUT] += h->cut;
    count[WORDS] += made.words;
    count[TARGET_WORDS] += wanted.words;
    return quality_add(&o->bleu, count + BLEU, &pair, &o->s->step);
}

static Status gold(const Batch *b, const char *field, int64_t example, Arena *arena, AttentionLinks *out)
{
    const Ragged *r = batch_field(b, field);
    *out = (AttentionLinks){0};
    if (!r || !r->id) return OK;
    const DecodeWords numbers = words_of(r, example);
    int64_t *at;
    TRY_NEW(at, arena, numbers.n);
    for (int64_t i = 0; i < numbers.n; i++) at[i] = numbers.id[i];
    *out = (AttentionLinks){.n = numbers.n / 2, .at = numbers.n ? at : NULL};
    return OK;
}

static Status align(Outputs *o, const Batch *b, int64_t example, const DecodeWords *target, const DecodeHypothesis *h)
{
    Arena *arena = &o->s->step;
    AttentionExample e = {0};
    TRY(gold(b, "sure", example, arena, &e.sure));
    TRY(gold(b, "possible", example, arena, &e.possible));
    if (!h->look || (!e.sure.at && !e.possible.at)) return OK;
    WordSide from, to;
    AttentionLinks links;
    const DecodeWords source = words_of(batch_field(b, "source"), example);
    TRY(side(o, "source", &source, "<unk>", &from));
    TRY(side(o, "target", target, "<unk>", &to));
    TRY(wordlinks_of(h, &from, &to, arena, &links));
    AlignmentCounts sum = {0};
    alignment_error(&e, &links, &sum);
    int64_t *count = o->counts->value;
    count[HITS_SURE] += sum.hits_sure;
    count[HITS_POSSIBLE] += sum.hits_possible;
    count[LINKS] += sum.links;
    count[SURE] += sum.sure;
    return OK;
}

Status outputs_measure(Outputs *o, const Batch *b)
{
    const Ragged *target = batch_field(b, "target");
    REQUIRE(target && target->field->levels == 1, ERR_INTERNAL, "outputs are compared with a field target of words");
    DecodeOutput *out;
    DecodeWords *given;
    DecodeRequest r = {.batch = b};
    TRY(decode_batch(o->s->model, &o->set, &r, &o->s->step, &out));
    TRY_NEW(given, &o->s->step, b->B);
    for (int64_t i = 0; i < b->B; i++) {
        given[i] = words_of(target, i);
        TRY(compare(o, &given[i], &out[i].item[0]));
    }
    if (!batch_field(b, "sure")) return OK;
    r.given = given;
    r.whole = true;
    TRY(decode_batch(o->s->model, &o->set, &r, &o->s->step, &out));
    for (int64_t i = 0; i < b->B; i++) TRY(align(o, b, i, &given[i], &out[i].item[0]));
    return OK;
}

Status outputs_report(const Outputs *o, Measures *m)
{
    const int64_t *c = o->counts->value;
    const double n = (double)c[EXAMPLES];
    QualityReport bleu = {0};
    TRY(quality_report(&o->bleu, c + BLEU, &bleu));
    TRY(measures_add(m, "decoded/exact", (double)c[EXACT] / n, true));
    TRY(measures_add(m, "decoded/bleu", bleu.item[0].value, true));
    TRY(measures_add(m, "decoded/length", c[TARGET_WORDS] ? (double)c[WORDS] / (double)c[TARGET_WORDS] : 0, true));
    TRY(measures_add(m, "decoded/cut", (double)c[CUT] / n, false));
    if (!corpus_field(o->s->corpus, "sure")) return OK;
    const AlignmentCounts links = {c[HITS_SURE], c[HITS_POSSIBLE], c[LINKS], c[SURE]};
    return measures_add(m, "decoded/aer", alignment_rate(&links), false);
}
