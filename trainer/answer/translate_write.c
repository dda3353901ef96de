/* translate_write.c - outputs as text, as JSON, as links, as scores. */
#include <inttypes.h>
#include <string.h>

#include "io/attention/alignment.h"
#include "io/format/json.h"
#include "io/text/vocab.h"
#include "trainer/answer/translate.h"
#include "trainer/evaluate/wordlinks.h"

/* What the writing of one line knows. */
typedef struct Line {
    int64_t number;
    WordSide source;
    const Word *spelled;
    const DecodeHypothesis *best; /* whose words are spelled */
    Buffer scratch;               /* the text of one output */
} Line;

static Word vocabulary_word(const Translate *t, int32_t id)
{
    const char *word = vocab_word(t->target, id);
    return (Word){word, strlen(word)};
}

/* The tokens of an output; whole (n): unknown ones that a word of the source or a spelling stands for. */
typedef struct OutputTokens {
    int64_t n;
    Word *word;
    bool *whole;
} OutputTokens;

/* *replaced counts those that words of the source stand for. */
static Status tokens_of(Translate *t, const Line *l, const DecodeHypothesis *h, OutputTokens *out, int64_t *replaced)
{
    const bool replace = t->option.decode.unknown == DECODE_REPLACE && !t->option.score;
    *out = (OutputTokens){.n = h->n};
    TRY_NEW(out->word, &t->s->step, h->n);
    TRY_NEW(out->whole, &t->s->step, h->n);
    for (int64_t i = 0; i < h->n; i++) {
        out->word[i] = vocabulary_word(t, h->word[i]);
        if (h->word[i] != VOCAB_UNK) continue;
        REQUIRE(!replace || h->look, ERR_CONFIG,
                "decode.unknown is replace, but model %s has no attention that says which word of the source",
                t->s->model->def->component.name);
        if (replace && h->look[i] < 0) continue; /* it looked nowhere */
        out->whole[i] = true;
        if (replace)
            out->word[i] = replace_find(&t->replace, l->source.word[l->source.word_of[h->look[i]]]);
        else if (h == l->best && l->spelled && l->spelled[i].text)
            out->word[i] = l->spelled[i];
        if (replace && replaced) (*replaced)++;
    }
    return OK;
}

static Status put_text(const Translate *t, const OutputTokens *o, Buffer *out)
{
    return detokenise(&t->detokenise, o->n, o->word, o->whole, &t->s->step, out);
}

static Status write_nbest(Translate *t, Line *l, const DecodeOutput *o, Buffer *out)
{
    for (int i = 0; i < o->n; i++) {
        OutputTokens token;
        TRY(tokens_of(t, l, &o->item[i], &token, i == 0 ? &t->counts.replaced : NULL));
        TRY(buffer_format(out, "%" PRId64 " ||| ", l->number - 1));
        TRY(put_text(t, &token, out));
        TRY(buffer_format(out, " ||| %.6f\n", o->item[i].score));
    }
    return o->n > 0 ? OK : buffer_format(out, "%" PRId64 " |||  ||| 0.000000\n", l->number - 1);
}

static Status write_text(Translate *t, Line *l, const DecodeOutput *o, Buffer *out)
{
    if (o->n > 0) {
        OutputTokens token;
        TRY(tokens_of(t, l, &o->item[0], &token, &t->counts.replaced));
        TRY(put_text(t, &token, out));
    }
    return buffer_text(out, "\n");
}

/* Without an end of line. */
static Status put_links(const Translate *t, const Line *l, const DecodeHypothesis *h, Buffer *out)
{
    Word *token;
    WordSide target;
    AlignmentLinks links;
    TRY_NEW(token, &t->s->step, h->n);
    for (int64_t i = 0; i < h->n; i++) token[i] = vocabulary_word(t, h->word[i]);
    TRY(wordlinks_side(t->target_form, h->n, token, &t->s->step, &target));
    TRY(wordlinks_of(h, &l->source, &target, &t->s->step, &links));
    TRY(alignment_pharaoh(&links, out));
    out->size--;
    return OK;
}

static Status write_links(const Translate *t, const Line *l, const DecodeOutput *o, Buffer *out)
{
    REQUIRE(o->n == 0 || o->item[0].look || o->item[0].n == 0, ERR_CONFIG,
            "model %s has no attention that could link words", t->s->model->def->component.name);
    if (o->n > 0) TRY(put_links(t, l, &o->item[0], out));
    return buffer_text(out, "\n");
}

static Status write_score(const DecodeOutput *o, Buffer *out)
{
    return o->n > 0 ? buffer_format(out, "%.6f\n", o->item[0].total) : buffer_text(out, "\n");
}

/* The members of one output. */
static Status put_output(Translate *t, Line *l, const DecodeHypothesis *h, bool best, Json *j)
{
    OutputTokens token;
    TRY(tokens_of(t, l, h, &token, best ? &t->counts.replaced : NULL));
    l->scratch.size = 0;
    TRY(put_text(t, &token, &l->scratch));
    json_key(j, "text"), json_text_n(j, l->scratch.size ? l->scratch.data : "", l->scratch.size);
    json_put_number(j, "score", h->score);
    json_put_number(j, "log_p", h->total);
    json_put_bool(j, "cut", h->cut);
    json_key(j, "tokens"), json_open_array(j);
    for (int64_t i = 0; i < h->n; i++) json_text_n(j, token.word[i].text, token.word[i].size);
    json_end(j);
    json_key(j, "token_log_p"), json_open_array(j);
    for (int64_t i = 0; i <= h->n; i++) json_number(j, h->log_p[i]);
    json_end(j);
    if (!h->look) return OK;
    l->scratch.size = 0;
    TRY(put_links(t, l, h, &l->scratch));
    json_key(j, "links"), json_text_n(j, l->scratch.size ? l->scratch.data : "", l->scratch.size);
    return OK;
}

static Status write_json(Translate *t, Line *l, const DecodeOutput *o, Buffer *out)
{
    Json j = json_begin(out);
    json_open_object(&j);
    json_put_int(&j, "line", l->number);
    if (o->n > 0)
        TRY(put_output(t, l, &o->item[0], true, &j));
    else
        json_put_text(&j, "text", "");
    if (t->option.decode.nbest > 1 && !t->option.score) {
        json_key(&j, "nbest"), json_open_array(&j);
        for (int i = 0; i < o->n; i++) {
            json_open_object(&j);
            TRY(put_output(t, l, &o->item[i], false, &j));
            json_end(&j);
        }
        json_end(&j);
    }
    json_end(&j);
    TRY(json_finish(&j));
    return buffer_text(out, "\n");
}

static Status write_form(Translate *t, Line *l, const DecodeOutput *o, Buffer *out)
{
    switch (t->option.form) {
    case TRANSLATE_JSON: return write_json(t, l, o, out);
    case TRANSLATE_LINKS: return write_links(t, l, o, out);
    case TRANSLATE_SCORE: return write_score(o, out);
    default: return t->option.decode.nbest > 1 ? write_nbest(t, l, o, out) : write_text(t, l, o, out);
    }
}

Status translate_write(Translate *t, const TranslateLine *line, const DecodeOutput *o, Buffer *out)
{
    Line l = {.number = line->number, .spelled = line->spelled, .best = o->n > 0 ? &o->item[0] : NULL};
    Status st = wordlinks_side(t->source_form, line->n_source, line->source, &t->s->step, &l.source);
    if (st == OK) st = write_form(t, &l, o, out);
    buffer_close(&l.scratch);
    t->counts.outputs += o->n > 0;
    t->counts.cut += o->n > 0 && o->item[0].cut;
    return st;
}
