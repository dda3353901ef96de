/* samples.c - one batch of the first examples, shared by the ranks; counts are added, texts are gathered. */
#include "trainer/evaluate/samples.h"

#include <stdlib.h>
#include <string.h>

#include "io/text/detokenise.h"
#include "trainer/decode/decode.h"
#include "trainer/evaluate/outputs.h"
#include "trainer/evaluate/spelled.h"
#include "trainer/metric/quality/quality.h"

static const char *const measures[] = {"bleu", "chrf"};

enum { MEASURES = COUNT(measures) };

typedef struct Sampler {
    Session *s;
    const EvalSettings *set;
    DecodeSettings decode;
    Quality quality[MEASURES];
    int64_t first[MEASURES]; /* of each measure's counters */
    Counts *counts;
    Buffer texts; /* of this rank: Head, then the three texts */
    Buffer line;
} Sampler;

/* One sample among the texts of a rank. */
typedef struct Head {
    int64_t example, size[3];
} Head;

bool samples_wanted(const Session *s)
{
    const EvalSettings *set = config_section(s->config, "eval");
    return set->greedy > 0 && s->task->outputs && s->model->def->generate;
}

static Status open_sampler(Sampler *p, Session *s)
{
    int64_t n = 0;
    *p = (Sampler){.s = s, .set = config_section(s->config, "eval")};
    p->decode = *(const DecodeSettings *)config_section(s->config, "decode");
    p->decode.search = DECODE_BEAM;
    p->decode.beam = p->decode.nbest = 1;
    p->decode.coverage = 0; /* ranks outputs, of which there is one */
    for (int i = 0; i < MEASURES; i++) {
        TRY(quality_open(&p->quality[i], s->run, measures[i], &quality_preset, 1));
        p->first[i] = n;
        n += p->quality[i].counters;
    }
    return counts_open(&p->counts, s->run, n);
}

/* --- One example --- */

/* unknown: how a word is spelled that the vocabulary lacks, unless spelled (w->n; NULL: nothing) says it. */
static Status text_of(Sampler *p, Role role, const GenerateWords *w, const char *unknown, const Word *spelled,
                      Word *out)
{
    Word *token;
    bool *whole;
    const DataField *f = corpus_role(p->s->corpus, role);
    const DetokeniseHow how = corpus_detokenise(p->s->corpus, f->vocab);
    TRY(outputs_tokens(p->s, role, w, unknown, &token));
    TRY_NEW(whole, &p->s->step, w->n);
    for (int64_t i = 0; spelled && i < w->n; i++) {
        whole[i] = w->id[i] == VOCAB_UNK && spelled[i].text;
        if (whole[i]) token[i] = spelled[i];
    }
    p->line.size = 0;
    TRY(detokenise(&how, w->n, token, whole, &p->s->step, &p->line));
    char *text = arena_alloc(&p->s->step, p->line.size + 1);
    if (!text) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    if (p->line.size > 0) memcpy(text, p->line.data, p->line.size);
    text[p->line.size] = '\0';
    *out = (Word){text, p->line.size};
    return OK;
}

static Status keep_texts(Sampler *p, int64_t example, const Word text[3])
{
    const Head head = {example, {(int64_t)text[0].size, (int64_t)text[1].size, (int64_t)text[2].size}};
    TRY(buffer_append(&p->texts, &head, sizeof head));
    for (int i = 0; i < 3; i++) TRY(buffer_append(&p->texts, text[i].text, text[i].size));
    return OK;
}

static Status take(Sampler *p, const Batch *b, int64_t i, const DecodeHypothesis *h, const Word *spelled)
{
    const Ragged *source = batch_role(b, ROLE_INPUT);
    const GenerateWords target = outputs_words(batch_role(b, ROLE_TARGET), i), own = {h->n, h->word};
    const char *unknown =
        vocab_word(corpus_vocab(p->s->corpus, corpus_role(p->s->corpus, ROLE_TARGET)->vocab), VOCAB_UNK);
    Word text[3] = {{"", 0}}, truth;
    TRY(text_of(p, ROLE_TARGET, &own, unknown, spelled, &text[2]));
    TRY(text_of(p, ROLE_TARGET, &target, outputs_never_right, NULL, &truth));
    for (int k = 0; k < MEASURES; k++) {
        const QualityPair pair = {.hypothesis = text[2], .reference = &truth, .index = b->example[i]};
        TRY(quality_add(&p->quality[k], p->counts->value + p->first[k], &pair, &p->s->step));
    }
    if (b->example[i] >= p->set->shown) return OK;
    if (source && source->id && source->field->levels == 1) {
        const GenerateWords words = outputs_words(source, i);
        TRY(text_of(p, ROLE_INPUT, &words, unknown, NULL, &text[0]));
    }
    TRY(text_of(p, ROLE_TARGET, &target, unknown, NULL, &text[1]));
    return keep_texts(p, b->example[i], text);
}

static Status decode(Sampler *p, const Batch *b)
{
    DecodeOutput *out;
    const Word *const *spelled;
    TRY(decode_batch(p->s->model, &p->decode, &(DecodeRequest){.batch = b}, &p->s->step, &out));
    TRY(spelled_words(p->s, b, out, &p->s->step, &spelled));
    for (int64_t i = 0; i < b->B; i++) {
        const ArenaMark mark = arena_mark(&p->s->step);
        TRY(take(p, b, i, &out[i].item[0], spelled ? spelled[i] : NULL));
        arena_release(&p->s->step, mark);
    }
    return OK;
}

/* The first batch of a reading in the corpus's order, as large as there are examples wanted. */
static Status decode_first(Sampler *p, const char *split)
{
    LoaderOptions options = session_reading(p->s, split, p->set->greedy);
    options.bucket = NULL;
    options.window = 1;
    Loader *l = NULL;
    const Batch *b = NULL;
    LoaderPosition at;
    TRY(loader_open(&l, p->s->corpus, &options, (LoaderPosition){0, 0}));
    const ArenaMark mark = arena_mark(&p->s->step);
    Status st = loader_next(l, &b, &at, NULL);
    if (st == OK && b && b->B > 0) st = decode(p, b);
    arena_release(&p->s->step, mark);
    loader_close(l);
    return st;
}

/* --- All ranks --- */

static int by_example(const void *a, const void *b)
{
    const Sample *x = a, *y = b;
    return (x->example > y->example) - (x->example < y->example);
}

static Status unpack(const char *bytes, size_t size, int64_t most, Arena *keep, Samples *out)
{
    TRY_NEW(out->item, keep, most);
    for (size_t at = 0; at < size && out->n < most;) {
        Head head;
        memcpy(&head, bytes + at, sizeof head);
        at += sizeof head;
        char *text[3];
        for (int i = 0; i < 3; i++) {
            text[i] = arena_alloc(keep, (size_t)head.size[i] + 1);
            if (!text[i]) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
            memcpy(text[i], bytes + at, (size_t)head.size[i]);
            text[i][head.size[i]] = '\0';
            at += (size_t)head.size[i];
        }
        out->item[out->n++] = (Sample){head.example, text[0], text[1], text[2]};
    }
    if (out->n > 0) qsort(out->item, (size_t)out->n, sizeof *out->item, by_example);
    return OK;
}

/* [collective] */
static Status gather(Sampler *p, Arena *keep, Samples *out)
{
    Comm *comm = p->s->comm;
    size_t *size, all = 0;
    char *bytes = NULL;
    Status local = OK;
    size = arena_zeros(keep, comm_size(comm), sizeof *size);
    if (!size) local = status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    TRY(comm_agree(comm, local));
    TRY(comm_allgather(comm, &p->texts.size, sizeof p->texts.size, size));
    for (int r = 0; r < comm_size(comm); r++) all += size[r];
    bytes = arena_alloc(keep, all + 1);
    if (!bytes) local = status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    TRY(comm_agree(comm, local));
    TRY(comm_allgatherv(comm, p->texts.data ? p->texts.data : "", size, bytes));
    return comm_agree(comm, unpack(bytes, all, p->set->shown, keep, out));
}

static Status report(const Sampler *p, Measures *m)
{
    for (int i = 0; i < MEASURES; i++) {
        QualityReport r;
        const int at = m->n;
        TRY(quality_report(&p->quality[i], p->counts->value + p->first[i], &r));
        TRY(measures_add(m, measures[i], r.item[0].value, r.item[0].higher));
        measures_prefix(m, at, "greedy/");
    }
    return OK;
}

static Status make(Sampler *p, const char *split, Measures *m, Arena *keep, Samples *out)
{
    TRY(comm_agree(p->s->comm, decode_first(p, split)));
    TRY(counts_reduce(p->counts, p->s->comm));
    TRY(gather(p, keep, out));
    return report(p, m);
}

Status samples_names(Session *s, Measures *out)
{
    Sampler p;
    if (!samples_wanted(s)) return OK;
    const ArenaMark mark = arena_mark(s->run);
    TRY(open_sampler(&p, s));
    TRY(report(&p, out));
    arena_release(s->run, mark);
    return OK;
}

Status samples_make(Session *s, const char *split, Measures *m, Arena *keep, Samples *out)
{
    Sampler p;
    *out = (Samples){0};
    if (!samples_wanted(s)) return OK;
    const ArenaMark mark = arena_mark(s->run);
    Status st = comm_agree(s->comm, open_sampler(&p, s));
    if (st == OK) st = make(&p, split, m, keep, out);
    buffer_close(&p.texts);
    buffer_close(&p.line);
    arena_release(s->run, mark);
    return st;
}
