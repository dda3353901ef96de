/* words.c - words as running text, shaded. */
#include <math.h>

#include "io/attention/draw.h"
#include "io/page/page.h"
#include "io/page/script.h"
#include "io/text/form.h"
#include "io/text/joiner.h"

const char *words_at(const AttentionWords *w, int64_t i, size_t *n)
{
    *n = (size_t)(w->start[i + 1] - w->start[i]);
    return w->text + w->start[i];
}

/* What is shown of a word in running text: without the marks of joining (U+FFED at a side where no space was, "@@"
 * where the word goes on). */
typedef struct Shown {
    const char *text;
    size_t n;
    bool joins_before, joins_after;
} Shown;

static bool goes_on(const AttentionWords *w, int64_t i)
{
    return w->part_of && i + 1 < w->n && w->part_of[i] >= 0 && w->part_of[i] == w->part_of[i + 1];
}

static Shown shown(const AttentionWords *w, int64_t i)
{
    Word word, bare;
    word.text = words_at(w, i, &word.size);
    const bool before = i > 0 && goes_on(w, i - 1), after = goes_on(w, i);
    if (after && form_goes_on(word)) word.size -= 2;
    const JoinerMarks marks = joiner_take(word, &bare);
    return (Shown){bare.text, bare.size, before || marks.before, after || marks.after};
}

static Status begin_shade(Buffer *out, const WordsShade *s, int64_t i)
{
    const double w = s->weight[i];
    return buffer_format(out, "<span class=\"tok%s%s\" style=\"--a:%.3f\" title=\"%.4f\">", w < 0 ? " minus" : "",
                         s->gold && s->gold[i] ? " gold" : "", fmin(1, fabs(w * s->scale)), w);
}

Status words_text(Buffer *out, const AttentionWords *w, int64_t first, int64_t end, const WordsShade *shade)
{
    Shown before = {0};
    for (int64_t i = first; i < end; i++) {
        const Shown s = shown(w, i);
        const bool joined = before.joins_after || s.joins_before;
        if (i > first && !joined && script_space_between(before.text, before.n, s.text, s.n))
            TRY(buffer_text(out, " "));
        if (shade) TRY(begin_shade(out, shade, i));
        TRY(page_text_n(out, s.text, s.n));
        if (shade) TRY(buffer_text(out, "</span>"));
        before = s;
    }
    return OK;
}
