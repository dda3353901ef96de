/* attention_html.c - attention as a picture: documents with shaded words and sentences, stories by hop. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/file.h"
#include "io/record/attention.h"
#include "io/record/page.h"
#include "io/utf8.h"

enum { SHOWN_CLASSES = 5 };

/* --- Words, with spaces where the script has them --- */

static uint32_t code_point(const char *p, size_t n)
{
    const unsigned char *u = (const unsigned char *)p;
    switch (n) {
    case 1: return u[0];
    case 2: return (u[0] & 0x1fu) << 6 | (u[1] & 0x3fu);
    case 3: return (u[0] & 0x0fu) << 12 | (u[1] & 0x3fu) << 6 | (u[2] & 0x3fu);
    case 4: return (u[0] & 0x07u) << 18 | (u[1] & 0x3fu) << 12 | (u[2] & 0x3fu) << 6 | (u[3] & 0x3fu);
    default: return 0xfffd;
    }
}

/* Han, kana, and the punctuation and wide forms that go with them are set without spaces. */
static bool is_wide(uint32_t c)
{
    return (c >= 0x2e80 && c <= 0x30ff) || (c >= 0x31f0 && c <= 0x9fff) || (c >= 0xf900 && c <= 0xfaff) ||
           (c >= 0xfe30 && c <= 0xfe4f) || (c >= 0xff00 && c <= 0xffef) || (c >= 0x20000 && c <= 0x3ffff);
}

static bool clings(const char *word, size_t n) /* to the word before it */
{
    return n == 1 && strchr(".,;:!?)]}%", word[0]) != NULL;
}

static uint32_t last_point(const char *word, size_t n)
{
    size_t at = n;
    while (at > 0 && ((unsigned char)word[--at] & 0xc0) == 0x80) continue;
    return n ? code_point(word + at, utf8_length(word + at, n - at)) : 0;
}

static const char *word_at(const AttentionWords *w, int64_t i, size_t *n)
{
    *n = (size_t)(w->start[i + 1] - w->start[i]);
    return w->text + w->start[i];
}

static bool space_before(const AttentionWords *w, int64_t first, int64_t i)
{
    if (i == first) return false;
    size_t n, before;
    const char *word = word_at(w, i, &n), *previous = word_at(w, i - 1, &before);
    if (clings(word, n)) return false;
    return !(is_wide(last_point(previous, before)) && is_wide(code_point(word, utf8_length(word, n))));
}

/* Words first .. end; shade(i) in 0..1 from weight / greatest, or none when weight is NULL. */
static Status put_words(Buffer *out, const AttentionWords *w, int64_t first, int64_t end, const double *weight,
                        double scale)
{
    for (int64_t i = first; i < end; i++) {
        size_t n;
        const char *word = word_at(w, i, &n);
        if (space_before(w, first, i)) TRY(buffer_text(out, " "));
        if (weight)
            TRY(buffer_format(out, "<span class=\"tok\" style=\"--a:%.3f\" title=\"%.4f\">",
                              fmax(0, fmin(1, weight[i] * scale)), weight[i]));
        TRY(page_text_n(out, word, n));
        if (weight) TRY(buffer_text(out, "</span>"));
    }
    return OK;
}

static double greatest(const double *v, int64_t first, int64_t end)
{
    double most = 0;
    for (int64_t i = first; i < end; i++) most = v[i] > most ? v[i] : most;
    return most;
}

/* --- What was predicted --- */

static Status put_fact(Buffer *out, const char *class, const char *what, const char *value)
{
    TRY(buffer_format(out, "<span class=\"%s\">%s <b dir=\"auto\">", class, what));
    TRY(page_text(out, value));
    return buffer_text(out, "</b></span>\n");
}

static Status put_verdict(Buffer *out, const AttentionExample *e)
{
    const bool known = e->truth != NULL, right = known && e->prediction && strcmp(e->truth, e->prediction) == 0;
    TRY(buffer_text(out, "<div class=\"verdict\">\n"));
    if (e->id) TRY(put_fact(out, "id", "Input", e->id));
    if (e->prediction) TRY(put_fact(out, !known ? "said" : right ? "right" : "wrong", "Predicted", e->prediction));
    if (known) TRY(put_fact(out, "true", "True", e->truth));
    return buffer_text(out, "</div>\n");
}

static Status put_bars(Buffer *out, const AttentionExample *e)
{
    const int n = e->n_classes < SHOWN_CLASSES ? e->n_classes : SHOWN_CLASSES;
    if (n == 0) return OK;
    TRY(buffer_text(out, "<div class=\"bars\">\n"));
    for (int i = 0; i < n; i++) {
        TRY(buffer_text(out, "<span dir=\"auto\">"));
        TRY(page_text(out, e->class_name[i]));
        TRY(buffer_format(out, "</span><span class=\"bar\"><i style=\"width:%.1f%%\"></i></span><span>%.1f %%</span>\n",
                          100 * fmax(0, fmin(1, e->probability[i])), 100 * e->probability[i]));
    }
    return buffer_text(out, "</div>\n");
}

/* --- Documents --- */

static const AttentionView *next_view(const AttentionExample *e, AttentionOver over, int after)
{
    for (int i = after; i < e->n_views; i++)
        if (e->view[i].over == over) return &e->view[i];
    return NULL;
}

/* The sentences' view of the same head, else the first. */
static const AttentionView *partner(const AttentionExample *e, const AttentionView *words)
{
    const AttentionView *first = next_view(e, ATTENTION_SENTENCES, 0);
    for (int i = 0; i < e->n_views && words; i++) {
        const AttentionView *v = &e->view[i];
        if (v->over == ATTENTION_SENTENCES && v->head == words->head && v->layer == words->layer) return v;
    }
    return first;
}

/* Words are shaded by their weight against the greatest of their sentence, and paler in sentences of little weight by
 * the square root, so that words of less important sentences can still be seen (as in Yang et al. 2016). */
static Status put_sentence(Buffer *out, const AttentionExample *e, int64_t s, const AttentionView *words,
                           const AttentionView *sentences)
{
    const int64_t first = e->sentence[s], end = e->sentence[s + 1];
    double pale = 1;
    TRY(buffer_text(out, "<div class=\"sent\">"));
    if (sentences) {
        const double share = sentences->weight[s] / fmax(1e-30, greatest(sentences->weight, 0, e->n_sentences));
        pale = sqrt(fmax(0, share));
        TRY(buffer_format(out, "<span class=\"w\" style=\"--a:%.3f\">%.3f</span>", fmax(0, fmin(1, share)),
                          sentences->weight[s]));
    }
    TRY(buffer_text(out, "<p dir=\"auto\">"));
    const double most = words ? greatest(words->weight, first, end) : 0;
    TRY(put_words(out, &e->words, first, end, words ? words->weight : NULL, most > 0 ? pale / most : 0));
    return buffer_text(out, "</p></div>\n");
}

static Status put_document_view(Buffer *out, const AttentionExample *e, const AttentionView *words, bool named)
{
    const AttentionView *sentences = partner(e, words);
    if (named && words) {
        TRY(buffer_text(out, "<h3>"));
        TRY(page_text(out, words->name));
        TRY(buffer_format(out, ", layer %d, head %d</h3>\n", words->layer, words->head));
    }
    TRY(buffer_text(out, "<div class=\"doc\">\n"));
    for (int64_t s = 0; s < e->n_sentences; s++) TRY(put_sentence(out, e, s, words, sentences));
    return buffer_text(out, "</div>\n");
}

static Status put_document(Buffer *out, const AttentionExample *e)
{
    const AttentionView *v = next_view(e, ATTENTION_WORDS, 0);
    if (!v) return put_document_view(out, e, NULL, false);
    const bool several = next_view(e, ATTENTION_WORDS, (int)(v - e->view) + 1) != NULL;
    for (; v; v = next_view(e, ATTENTION_WORDS, (int)(v - e->view) + 1)) TRY(put_document_view(out, e, v, several));
    return OK;
}

/* --- Stories --- */

static bool is_fact(const AttentionExample *e, int64_t s)
{
    for (int64_t i = 0; i < e->n_facts; i++)
        if (e->fact[i] == s) return true;
    return false;
}

static Status put_memory(Buffer *out, const AttentionExample *e, int64_t s)
{
    const bool fact = is_fact(e, s);
    TRY(buffer_format(out, "<tr%s><td class=\"mark\"%s>%s</td><td dir=\"auto\">", fact ? " class=\"fact\"" : "",
                      fact ? " title=\"supporting fact\"" : "", fact ? "&#10003;" : ""));
    TRY(put_words(out, &e->words, e->sentence[s], e->sentence[s + 1], NULL, 0));
    TRY(buffer_text(out, "</td>"));
    for (int i = 0; i < e->n_views; i++) {
        const AttentionView *v = &e->view[i];
        if (v->over != ATTENTION_SENTENCES) continue;
        const double w = v->weight[s];
        TRY(buffer_format(out, "<td class=\"hop\" style=\"--a:%.3f\" title=\"%.4f\">", fmax(0, fmin(1, w)), w));
        if (w >= 0.005) TRY(buffer_format(out, "%.2f", w));
        TRY(buffer_text(out, "</td>"));
    }
    return buffer_text(out, "</tr>\n");
}

static Status put_story(Buffer *out, const AttentionExample *e)
{
    TRY(buffer_text(out, "<table class=\"story\">\n<tr><th></th><th>Memory</th>"));
    for (int i = 0; i < e->n_views; i++)
        if (e->view[i].over == ATTENTION_SENTENCES)
            TRY(buffer_format(out, "<th class=\"num\">hop %d</th>", e->view[i].hop + 1));
    TRY(buffer_text(out, "</tr>\n"));
    for (int64_t s = 0; s < e->n_sentences; s++) TRY(put_memory(out, e, s));
    return buffer_text(out, "</table>\n");
}

Status attention_html(Buffer *out, const AttentionExample *e)
{
    TRY(buffer_text(out, "<article class=\"example\">\n"));
    TRY(put_verdict(out, e));
    TRY(put_bars(out, e));
    TRY(e->kind == ATTENTION_STORY ? put_story(out, e) : put_document(out, e));
    if (e->question.n > 0) {
        TRY(buffer_text(out, "<p class=\"question\" dir=\"auto\">"));
        TRY(put_words(out, &e->question, 0, e->question.n, NULL, 0));
        TRY(buffer_text(out, "</p>\n"));
    }
    return buffer_text(out, "</article>\n");
}

static Status build_page(Buffer *out, const char *title, int n, const AttentionExample *example)
{
    bool documents = false, stories = false;
    for (int i = 0; i < n; i++) {
        documents = documents || example[i].kind == ATTENTION_DOCUMENT;
        stories = stories || example[i].kind == ATTENTION_STORY;
    }
    TRY(page_begin(out, title));
    TRY(buffer_text(out, "<header>\n<h1>"));
    TRY(page_text(out, title));
    TRY(buffer_text(out, "</h1>\n"));
    if (documents)
        TRY(buffer_text(out,
                        "<p class=\"sub\">Before each sentence stands its weight. Words are shaded by their weight "
                        "within the sentence, paler in sentences of little weight; the pointer shows the "
                        "number.</p>\n"));
    if (stories)
        TRY(buffer_text(out, "<p class=\"sub\">Each column is one hop over the memories; its weights sum to 1. "
                             "Supporting facts are marked with &#10003;.</p>\n"));
    TRY(buffer_text(out, "</header>\n"));
    for (int i = 0; i < n; i++) TRY(attention_html(out, &example[i]));
    return page_end(out);
}

Status attention_page(const char *path, const char *title, int n, const AttentionExample *example)
{
    Buffer out = {0};
    for (int i = 0; i < n; i++) TRY(attention_check(&example[i]));
    Status st = build_page(&out, title, n, example);
    if (st == OK) st = file_write(path, out.data, out.size);
    buffer_close(&out);
    TRY(st);
    return OK;
}
