/* attention_html.c - attention as a picture: documents with shaded words and sentences, stories by hop. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/attention/attention_parts.h"
#include "io/page/page.h"

enum { SHOWN_CLASSES = 5 };

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

Status attention_verdict(Buffer *out, const AttentionExample *e)
{
    const bool known = e->truth != NULL, right = known && e->prediction && strcmp(e->truth, e->prediction) == 0;
    TRY(buffer_text(out, "<div class=\"verdict\">\n"));
    if (e->id) TRY(put_fact(out, "id", "Input", e->id));
    if (e->prediction) TRY(put_fact(out, !known ? "said" : right ? "right" : "wrong", "Predicted", e->prediction));
    if (known) TRY(put_fact(out, "true", "True", e->truth));
    if (e->loss && e->target.n > 0)
        TRY(buffer_format(out, "<span>Loss a word <b>%.3f</b></span>\n", attention_loss(e)));
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
        if (e->view[i].over == over && e->view[i].measure == ATTENTION_WEIGHT) return &e->view[i];
    return NULL;
}

/* What the gradient tells of the words of the text, or of the question. */
static const AttentionView *implicit_view(const AttentionExample *e, AttentionOver over)
{
    for (int i = 0; i < e->n_views; i++)
        if (e->view[i].over == over && e->view[i].measure != ATTENTION_WEIGHT) return &e->view[i];
    return NULL;
}

static double largest(const AttentionView *v)
{
    double most = 0;
    for (int64_t i = 0; v && i < v->n; i++) most = fmax(most, fabs(v->weight[i]));
    return most;
}

/* The largest of text and question has the full shade. */
static double implicit_scale(const AttentionExample *e)
{
    const double most = fmax(largest(implicit_view(e, ATTENTION_WORDS)), largest(implicit_view(e, ATTENTION_QUESTION)));
    return most > 0 ? 1 / most : 0;
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
    TRY(attention_text(out, &e->words, first, end, words ? words->weight : NULL, most > 0 ? pale / most : 0));
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

/* Words shaded by their gradient, all against the largest of the document. */
static Status put_implicit(Buffer *out, const AttentionExample *e)
{
    const AttentionView *v = implicit_view(e, ATTENTION_WORDS);
    if (!v || e->kind != ATTENTION_DOCUMENT) return OK;
    TRY(buffer_format(out, "<h3>%s</h3>\n<div class=\"doc\">\n", attention_title(v)));
    for (int64_t s = 0; s < e->n_sentences; s++) {
        TRY(buffer_text(out, "<div class=\"sent\"><p dir=\"auto\">"));
        TRY(attention_text(out, &e->words, e->sentence[s], e->sentence[s + 1], v->weight, implicit_scale(e)));
        TRY(buffer_text(out, "</p></div>\n"));
    }
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
    const AttentionView *slope = implicit_view(e, ATTENTION_WORDS);
    TRY(attention_text(out, &e->words, e->sentence[s], e->sentence[s + 1], slope ? slope->weight : NULL,
                       implicit_scale(e)));
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

Status attention_body(Buffer *out, const AttentionExample *e, AttentionReadout links)
{
    if (e->kind == ATTENTION_PAIR) return attention_pair(out, e, links);
    TRY(put_bars(out, e));
    TRY(e->kind == ATTENTION_STORY ? put_story(out, e) : put_document(out, e));
    TRY(put_implicit(out, e));
    if (e->question.n == 0) return OK;
    const AttentionView *v = implicit_view(e, ATTENTION_QUESTION);
    TRY(buffer_text(out, "<p class=\"question\" dir=\"auto\">"));
    TRY(attention_text(out, &e->question, 0, e->question.n, v ? v->weight : NULL, implicit_scale(e)));
    return buffer_text(out, "</p>\n");
}

Status attention_html(Buffer *out, const AttentionExample *e)
{
    TRY(buffer_text(out, "<article class=\"example\">\n"));
    TRY(attention_verdict(out, e));
    TRY(attention_body(out, e, (AttentionReadout){0}));
    return buffer_text(out, "</article>\n");
}
