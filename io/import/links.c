/* links.c - reading links, and their check against the sentence. */
#include "io/import/links.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "io/text/check.h"
#include "io/text/linefile.h"

const char *links_format(int i) { return (const char *const[]){"pharaoh", "naacl", NULL}[i]; }

static bool is_gap(char c) { return c == ' ' || c == '\t'; }

/* The next piece between gaps; false at the end. */
static bool next_piece(Word *rest, Word *piece)
{
    while (rest->size > 0 && is_gap(*rest->text)) rest->text++, rest->size--;
    *piece = (Word){rest->text, 0};
    while (rest->size > 0 && !is_gap(*rest->text)) rest->text++, rest->size--, piece->size++;
    return piece->size > 0;
}

/* Digits at the begin of text, at most nine; -1 when there are none, or more. */
static int64_t number(Word *text)
{
    int64_t n = 0;
    int digits = 0;
    for (; text->size > 0 && *text->text >= '0' && *text->text <= '9'; text->text++, text->size--, digits++)
        if (digits < 10) n = n * 10 + (*text->text - '0');
    return digits > 0 && digits < 10 ? n : -1;
}

/* --- The file --- */

/* A number such as 0.75 or 1e-3; what it says is not used. */
static bool is_confidence(Word piece)
{
    size_t digits = 0;
    for (size_t i = 0; i < piece.size; i++) {
        if (!strchr("0123456789.eE+-", piece.text[i])) return false;
        digits += piece.text[i] >= '0' && piece.text[i] <= '9';
    }
    return digits > 0;
}

/* One line of the NAACL format as Pharaoh text behind f->text, or only its sentence when that is a later one. */
static Status naacl_line(LinkFile *f, Word line, int64_t *sentence, bool *sure, int64_t link[2])
{
    Word piece, rest = line;
    int64_t n[3] = {-1, -1, -1};
    bool good = true;
    for (int i = 0; i < 3 && good; i++) {
        good = next_piece(&rest, &piece);
        if (good) n[i] = number(&piece);
        good = good && piece.size == 0 && n[i] >= 0;
    }
    *sure = true;
    bool more = good && next_piece(&rest, &piece);
    if (more && piece.size == 1 && (*piece.text == 'S' || *piece.text == 'P')) {
        *sure = *piece.text == 'S';
        more = next_piece(&rest, &piece);
    }
    if (more) good = is_confidence(piece) && !next_piece(&rest, &piece);
    REQUIRE(good, ERR_DATA, "%s:%" PRId64 ": \"%.*s\" is no link; \"sentence i j\" with S or P was expected",
            f->lines.path, f->lines.number, (int)(line.size < 60 ? line.size : 60), line.text);
    REQUIRE(n[0] >= 1 && n[0] >= f->sentence, ERR_DATA,
            "%s:%" PRId64 ": sentence %" PRId64 " after sentence %" PRId64 "; they count from 1 and must rise",
            f->lines.path, f->lines.number, n[0], f->sentence);
    *sentence = n[0];
    link[0] = n[1];
    link[1] = n[2];
    return OK;
}

/* The line that comes next waits, as the text of its link, in f->text; f->sentence says whose it is. */
static Status naacl_wait(LinkFile *f)
{
    const char *text;
    size_t size;
    bool end, sure = true;
    int64_t link[2] = {0};
    f->text.size = 0;
    for (bool found = false; !found;) {
        TRY(lines_next(&f->lines, &text, &size, &end));
        if (end) {
            f->sentence = INT64_MAX;
            return OK;
        }
        if (linefile_words((Word){text, size}) == 0) continue;
        TRY(text_require(text, size, f->lines.path, f->lines.number));
        TRY(naacl_line(f, (Word){text, size}, &f->sentence, &sure, link));
        found = f->base == 0 || (link[0] > 0 && link[1] > 0);
        f->nulls += !found;
    }
    return buffer_format(&f->text, "%" PRId64 "%c%" PRId64 " ", link[0], sure ? '-' : '?', link[1]);
}

static Status naacl_next(LinkFile *f, int64_t pair, Word *out, Buffer *all)
{
    all->size = f->at.size = 0;
    REQUIRE(f->sentence >= pair, ERR_INTERNAL, "%s: links of sentence %" PRId64 " asked for too late", f->lines.path,
            pair);
    f->line = f->lines.number;
    while (f->sentence == pair) {
        TRY(buffer_append(all, f->text.data, f->text.size));
        TRY(buffer_append(&f->at, &f->lines.number, sizeof f->lines.number));
        TRY(naacl_wait(f));
    }
    *out = (Word){all->data, all->size};
    return OK;
}

Status links_open(LinkFile *f, const char *path, bool naacl, int64_t base)
{
    f->naacl = naacl;
    f->base = base;
    f->nulls = 0;
    f->sentence = 0;
    f->line = 1;
    TRY(lines_open(&f->lines, path));
    return naacl ? naacl_wait(f) : OK;
}

const int64_t *links_lines(const LinkFile *f)
{
    return f->at.size > 0 ? (const int64_t *)(const void *)f->at.data : NULL;
}

Status links_next(LinkFile *f, int64_t pair, Word *text, bool *end)
{
    *end = false;
    if (f->naacl) return naacl_next(f, pair, text, &f->all);
    TRY(lines_next(&f->lines, &text->text, &text->size, end));
    f->line = f->lines.number;
    return OK;
}

Status links_finish(const LinkFile *f, int64_t pairs)
{
    REQUIRE(!f->naacl || f->sentence == INT64_MAX, ERR_DATA,
            "%s:%" PRId64 ": a link of sentence %" PRId64 ", but there are %" PRId64 " pairs", f->lines.path,
            f->lines.number, f->sentence, pairs);
    return OK;
}

void links_close(LinkFile *f) { lines_close(&f->lines); }

void links_free(LinkFile *f)
{
    lines_free(&f->lines);
    buffer_close(&f->text);
    buffer_close(&f->all);
    buffer_close(&f->at);
}

/* --- One pair's links --- */

static int by_words(const void *a, const void *b)
{
    const int32_t *x = a, *y = b;
    if (x[0] != y[0]) return x[0] < y[0] ? -1 : 1;
    return (x[1] > y[1]) - (x[1] < y[1]);
}

static int64_t in_order(int32_t *link, int64_t n)
{
    int64_t kept = 0;
    if (n > 0) qsort(link, (size_t)n, 2 * sizeof *link, by_words);
    for (int64_t i = 0; i < n; i++) {
        if (kept > 0 && by_words(link + 2 * i, link + 2 * (kept - 1)) == 0) continue;
        link[2 * kept] = link[2 * i];
        link[2 * kept + 1] = link[2 * i + 1];
        kept++;
    }
    return kept;
}

static Status parse_link(Word piece, const LinkRule *r, int64_t line, int32_t link[2], bool *sure)
{
    Word rest = piece;
    const int64_t first = number(&rest);
    const char mark = rest.size > 0 ? *rest.text : '\0';
    rest.text++;
    if (rest.size > 0) rest.size--;
    const int64_t second = number(&rest);
    const bool good = first >= 0 && second >= 0 && rest.size == 0 && (mark == '-' || mark == '?' || mark == 'p');
    REQUIRE(good, ERR_DATA, "%s:%" PRId64 ": \"%.*s\" is no link; i-j (sure) or i?j (possible) was expected", r->file,
            line, (int)(piece.size < 60 ? piece.size : 60), piece.text);
    const int64_t i = (r->swapped ? second : first) - r->base, j = (r->swapped ? first : second) - r->base;
    const bool inside = i >= 0 && j >= 0 && i < r->S && j < r->T;
    REQUIRE(inside || r->S < LINKS_WORDS, ERR_DATA,
            "%s:%" PRId64 ": link %.*s: a word was expected, from %" PRId64 " to %" PRId64, r->file, line,
            (int)piece.size, piece.text, r->base, r->base + LINKS_WORDS - 1);
    REQUIRE(inside, ERR_DATA,
            "%s:%" PRId64 ": link %.*s is outside the pair of %" PRId64 " source and %" PRId64
            " target words (the first word is %" PRId64 ")",
            r->file, line, (int)piece.size, piece.text, r->S, r->T, r->base);
    link[0] = (int32_t)i;
    link[1] = (int32_t)j;
    *sure = mark == '-';
    return OK;
}

Status links_parse(Word text, const LinkRule *rule, Arena *scratch, Links *out)
{
    int64_t most = 0;
    Word rest = text, piece;
    while (next_piece(&rest, &piece)) most++;
    *out = (Links){0};
    TRY_NEW(out->sure, scratch, 2 * most);
    TRY_NEW(out->possible, scratch, 2 * most);
    for (rest = text; next_piece(&rest, &piece); out->n_possible++) {
        int32_t *link = out->possible + 2 * out->n_possible;
        bool sure = true;
        TRY(parse_link(piece, rule, rule->line_of ? rule->line_of[out->n_possible] : rule->line, link, &sure));
        if (!sure) continue;
        out->sure[2 * out->n_sure] = link[0];
        out->sure[2 * out->n_sure++ + 1] = link[1];
    }
    out->n_sure = in_order(out->sure, out->n_sure);
    out->n_possible = in_order(out->possible, out->n_possible);
    return OK;
}
