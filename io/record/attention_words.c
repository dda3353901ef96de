/* attention_words.c - words as running text, shaded. */
#include <math.h>
#include <string.h>

#include "io/record/attention_parts.h"
#include "io/record/page.h"
#include "io/record/script.h"

const char *attention_word(const AttentionWords *w, int64_t i, size_t *n)
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
    static const char joiner[] = "\xef\xbf\xad";
    Shown s = {NULL, 0, i > 0 && goes_on(w, i - 1), goes_on(w, i)};
    s.text = attention_word(w, i, &s.n);
    if (s.joins_after && s.n > 2 && memcmp(s.text + s.n - 2, "@@", 2) == 0) s.n -= 2;
    if (s.n > 3 && memcmp(s.text, joiner, 3) == 0) {
        s.text += 3, s.n -= 3;
        s.joins_before = true;
    }
    if (s.n > 3 && memcmp(s.text + s.n - 3, joiner, 3) == 0) {
        s.n -= 3;
        s.joins_after = true;
    }
    return s;
}

Status attention_text(Buffer *out, const AttentionWords *w, int64_t first, int64_t end, const double *weight,
                      double scale)
{
    Shown before = {0};
    for (int64_t i = first; i < end; i++) {
        const Shown s = shown(w, i);
        const bool joined = before.joins_after || s.joins_before;
        if (i > first && !joined && script_space_between(before.text, before.n, s.text, s.n))
            TRY(buffer_text(out, " "));
        if (weight)
            TRY(buffer_format(out, "<span class=\"tok%s\" style=\"--a:%.3f\" title=\"%.4f\">",
                              weight[i] < 0 ? " minus" : "", fmin(1, fabs(weight[i] * scale)), weight[i]));
        TRY(page_text_n(out, s.text, s.n));
        if (weight) TRY(buffer_text(out, "</span>"));
        before = s;
    }
    return OK;
}
