/* translate_write.c - outputs as text, as JSON, as links, as scores. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "io/json.h"
#include "io/text/vocab.h"
#include "trainer/run/translate.h"

/* What the writing of one line knows. */
typedef struct Line {
    int64_t number, n_source; /* n_source: tokens */
    const Word *source;
    int64_t *word_of; /* (n_source) which word a token of the source is a part of */
    Word *whole;      /* the words */
    Buffer scratch;   /* the text of one output */
} Line;

static Status whole_words(const Translate *t, Line *l)
{
    int64_t words;
    TRY_NEW(l->word_of, &t->s->step, l->n_source);
    if (t->source_form && t->source_form->subwords) {
        form_word_of(l->n_source, l->source, l->word_of);
        return form_whole_words(l->n_source, l->source, &t->s->step, &words, &l->whole);
    }
    TRY_NEW(l->whole, &t->s->step, l->n_source);
    for (int64_t i = 0; i < l->n_source; i++) {
        l->word_of[i] = i;
        l->whole[i] = l->source[i];
    }
    return OK;
}

/* The tokens of an output, unknown ones replaced by whole words. *replaced counts them. */
static Status tokens_of(Translate *t, const Line *l, const DecodeHypothesis *h, Word **out, int64_t *replaced)
{
    const bool replace = strcmp(t->option.decode.unknown, "replace") == 0 && !t->option.score;
    TRY_NEW(*out, &t->s->step, h->n);
    for (int64_t i = 0; i < h->n; i++) {
        const char *word = vocab_word(t->target, h->word[i]);
        (*out)[i] = (Word){word, strlen(word)};
        if (!replace || h->word[i] != VOCAB_UNK) continue;
        REQUIRE(h->look, ERR_CONFIG,
                "decode.unknown is replace, but model %s has no attention that says which word of the source",
                t->s->model->def->component.name);
        (*out)[i] = replace_find(&t->replace, l->whole[l->word_of[h->look[i]]]);
        if (replaced) (*replaced)++;
    }
    return OK;
}

static Status put_text(const Translate *t, int64_t n, const Word *token, Buffer *out)
{
    return detokenise(&t->detokenise, n, token, &t->s->step, out);
}

static Status write_nbest(Translate *t, Line *l, const DecodeOutput *o, Buffer *out)
{
    for (int i = 0; i < o->n; i++) {
        Word *word;
        TRY(tokens_of(t, l, &o->item[i], &word, i == 0 ? &t->counts.replaced : NULL));
        TRY(buffer_format(out, "%" PRId64 " ||| ", l->number - 1));
        TRY(put_text(t, o->item[i].n, word, out));
        TRY(buffer_format(out, " ||| %.6f\n", o->item[i].score));
    }
    return o->n > 0 ? OK : buffer_format(out, "%" PRId64 " |||  ||| 0.000000\n", l->number - 1);
}

static Status write_text(Translate *t, Line *l, const DecodeOutput *o, Buffer *out)
{
    if (o->n > 0) {
        Word *word;
        TRY(tokens_of(t, l, &o->item[0], &word, &t->counts.replaced));
        TRY(put_text(t, o->item[0].n, word, out));
    }
    return buffer_text(out, "\n");
}

static int by_words(const void *pa, const void *pb)
{
    const int64_t *a = pa, *b = pb;
    if (a[0] != b[0]) return a[0] < b[0] ? -1 : 1;
    return (a[1] > b[1]) - (a[1] < b[1]);
}

/* Links between words, not between their tokens: each once, ascending by source word and then target word. */
static Status put_links(const Translate *t, const Line *l, const DecodeHypothesis *h, Buffer *out)
{
    Word *token;
    int64_t *word, (*link)[2];
    if (!h->look) return OK;
    TRY_NEW(word, &t->s->step, h->n);
    TRY_NEW(token, &t->s->step, h->n);
    TRY_NEW(link, &t->s->step, h->n);
    for (int64_t i = 0; i < h->n; i++) {
        const char *text = vocab_word(t->target, h->word[i]);
        token[i] = (Word){text, strlen(text)};
        word[i] = i;
    }
    if (t->detokenise.subwords) form_word_of(h->n, token, word);
    for (int64_t i = 0; i < h->n; i++) {
        link[i][0] = l->word_of[h->look[i]];
        link[i][1] = word[i];
    }
    qsort(link, (size_t)h->n, sizeof *link, by_words);
    for (int64_t i = 0; i < h->n; i++)
        if (i == 0 || by_words(link[i], link[i - 1]) != 0)
            TRY(buffer_format(out, "%s%" PRId64 "-%" PRId64, i > 0 ? " " : "", link[i][0], link[i][1]));
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
    Word *word;
    TRY(tokens_of(t, l, h, &word, best ? &t->counts.replaced : NULL));
    l->scratch.size = 0;
    TRY(put_text(t, h->n, word, &l->scratch));
    json_key(j, "text"), json_text_n(j, l->scratch.size ? l->scratch.data : "", l->scratch.size);
    json_put_number(j, "score", h->score);
    json_put_number(j, "log_p", h->total);
    json_put_bool(j, "cut", h->cut);
    json_key(j, "tokens"), json_open_array(j);
    for (int64_t i = 0; i < h->n; i++) json_text_n(j, word[i].text, word[i].size);
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

Status translate_write(Translate *t, int64_t number, int64_t n_source, const Word *source, const DecodeOutput *o,
                       Buffer *out)
{
    Line l = {.number = number, .n_source = n_source, .source = source};
    Status st = whole_words(t, &l);
    if (st == OK) st = write_form(t, &l, o, out);
    buffer_close(&l.scratch);
    t->counts.outputs += o->n > 0;
    t->counts.cut += o->n > 0 && o->item[0].cut;
    return st;
}
