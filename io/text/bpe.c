/* bpe.c - the merges: adding, reading, writing. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "io/text/bpe_parts.h"
#include "io/text/check.h"

Status bpe_add(Bpe *b, Word left, Word right, int32_t *made)
{
    char text[2 * (TEXT_WORD_BYTES + BPE_END_BYTES)];
    int32_t l, r, rank, none = 0;
    const int32_t before = b->merge.n;
    REQUIRE(left.size + right.size <= sizeof text, ERR_INTERNAL, "a merge of %zu bytes", left.size + right.size);
    memcpy(text, left.text, left.size); /* before adding: left may be a symbol of b */
    memcpy(text + left.size, right.text, right.size);
    TRY(symbols_add(&b->symbol, (Word){text, left.size}, &l));
    TRY(symbols_add(&b->symbol, (Word){text + left.size, right.size}, &r));
    TRY(symbols_add_pair(&b->merge, l, r, &rank));
    TRY(symbols_add(&b->symbol, (Word){text, left.size + right.size}, made));
    if (b->merge.n == before) return OK;
    TRY(buffer_append(&b->made, made, sizeof *made));
    TRY(buffer_append(&b->used, "", 1));
    while (b->made_by.size < (size_t)b->symbol.n * sizeof none) TRY(buffer_append(&b->made_by, &none, sizeof none));
    int32_t *by = (int32_t *)(void *)b->made_by.data + *made;
    if (*by == 0) *by = rank + 1;
    return OK;
}

int64_t bpe_merges(const Bpe *b) { return b->merge.n; }

void bpe_close(Bpe *b)
{
    if (!b) return;
    symbols_close(&b->symbol);
    symbols_close_pairs(&b->merge);
    buffer_close(&b->made);
    buffer_close(&b->made_by);
    buffer_close(&b->used);
    symbols_close(&b->allowed);
    buffer_close(&b->allowed_count);
    symbols_close(&b->word);
    buffer_close(&b->first);
    buffer_close(&b->cuts);
}

void bpe_forget(Bpe *b)
{
    symbols_clear(&b->word);
    b->first.size = b->cuts.size = 0;
}

Status bpe_allow(Bpe *b, Word subword, int64_t count)
{
    int32_t number;
    const int32_t before = b->allowed.n;
    bpe_forget(b);
    TRY(symbols_add(&b->allowed, subword, &number));
    return number == before ? buffer_append(&b->allowed_count, &count, sizeof count) : OK;
}

/* --- Reading --- */

static Status read_version(Bpe *b, const char *path, Word line, bool *header)
{
    static const char key[] = "#version:";
    *header = line.size >= sizeof key - 1 && memcmp(line.text, key, sizeof key - 1) == 0;
    b->old = !*header; /* as files without that line are read */
    if (!*header) return OK;
    Word v = {line.text + sizeof key - 1, line.size - (sizeof key - 1)};
    while (v.size > 0 && *v.text == ' ') v.text++, v.size--;
    while (v.size > 0 && v.text[v.size - 1] == ' ') v.size--;
    b->old = v.size == 3 && memcmp(v.text, "0.1", 3) == 0;
    REQUIRE(b->old || (v.size == 3 && memcmp(v.text, "0.2", 3) == 0), ERR_DATA,
            "%s:1: version %.*s of the merges; 0.1 and 0.2 are known", path, (int)(v.size < 20 ? v.size : 20), v.text);
    return OK;
}

static Status read_merge(Bpe *b, const char *path, int64_t number, Word line)
{
    while (line.size > 0 && line.text[line.size - 1] == ' ') line.size--;
    while (line.size > 0 && *line.text == ' ') line.text++, line.size--;
    if (line.size == 0) return OK; /* a blank line */
    const char *gap = line.size ? memchr(line.text, ' ', line.size) : NULL;
    const Word left = {line.text, gap ? (size_t)(gap - line.text) : 0};
    const Word right = {gap ? gap + 1 : line.text, gap ? line.size - left.size - 1 : 0};
    const bool good = left.size > 0 && right.size > 0 && !memchr(right.text, ' ', right.size);
    REQUIRE(good, ERR_DATA,
            "%s:%" PRId64 ": \"%.*s\" is no merge; two subwords with a space between them were expected", path, number,
            (int)(line.size < 60 ? line.size : 60), line.text);
    REQUIRE(left.size + right.size <= TEXT_WORD_BYTES + BPE_END_BYTES, ERR_DATA,
            "%s:%" PRId64 ": a subword of %zu bytes; at most %d are possible", path, number, left.size + right.size,
            TEXT_WORD_BYTES + BPE_END_BYTES);
    int32_t made;
    return bpe_add(b, left, right, &made);
}

static Status read_line(Bpe *b, const char *path, int64_t number, Word line)
{
    bool header = false;
    if (number == 1) TRY(read_version(b, path, line, &header));
    return header ? OK : read_merge(b, path, number, line);
}

/* Calls take for every line, from 1. */
static Status each_line(Bpe *b, const char *path, const char *text, size_t size,
                        Status (*take)(Bpe *b, const char *path, int64_t number, Word line))
{
    TRY(text_require(text, size, path, 1));
    const char *end = text + size;
    for (int64_t number = 1; text < end; number++) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        TRY(take(b, path, number, (Word){text, (size_t)((stop ? stop : end) - text)}));
        text = stop ? stop + 1 : end;
    }
    return OK;
}

Status bpe_parse(Bpe **out, Arena *run, const char *path, const char *text, size_t size)
{
    Bpe *b;
    TRY_NEW(b, run, 1);
    const Status st = each_line(b, path, text, size, read_line);
    if (st != OK) bpe_close(b);
    TRY(st);
    *out = b;
    return OK;
}

static Status read_allowed(Bpe *b, const char *path, int64_t number, Word line)
{
    const char *gap = line.size ? memchr(line.text, ' ', line.size) : NULL;
    const size_t size = gap ? (size_t)(gap - line.text) : 0;
    char digits[20] = "", *end = digits;
    int64_t count = -1;
    if (size > 0 && line.size - size - 1 < sizeof digits) {
        memcpy(digits, gap + 1, line.size - size - 1);
        count = strtoll(digits, &end, 10);
    }
    REQUIRE(count >= 0 && end > digits && !*end, ERR_DATA,
            "%s:%" PRId64 ": \"%.*s\": a subword, a space and a number were expected", path, number,
            (int)(line.size < 60 ? line.size : 60), line.text);
    return bpe_allow(b, (Word){line.text, size}, count);
}

Status bpe_parse_allowed(Bpe *b, const char *path, const char *text, size_t size)
{
    return each_line(b, path, text, size, read_allowed);
}

/* --- Writing --- */

Status bpe_write_allowed(const Bpe *b, Buffer *out)
{
    for (int32_t i = 0; i < b->allowed.n; i++) {
        const Word subword = symbols_word(&b->allowed, i);
        TRY(buffer_append(out, subword.text, subword.size));
        TRY(buffer_format(out, " %" PRId64 "\n", ((const int64_t *)(const void *)b->allowed_count.data)[i]));
    }
    return OK;
}

Status bpe_write(const Bpe *b, Buffer *out)
{
    if (!b->old) TRY(buffer_text(out, "#version: 0.2\n"));
    for (int32_t i = 0; i < b->merge.n; i++) {
        const SymbolPair p = symbols_pair(&b->merge, i);
        const Word left = symbols_word(&b->symbol, p.left), right = symbols_word(&b->symbol, p.right);
        TRY(buffer_append(out, left.text, left.size));
        TRY(buffer_append(out, " ", 1));
        TRY(buffer_append(out, right.text, right.size));
        TRY(buffer_append(out, "\n", 1));
    }
    return OK;
}
