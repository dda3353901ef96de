/* bpe.c - the merges: adding, reading, writing. */
#include <inttypes.h>
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
    symbols_close(&b->word);
    buffer_close(&b->first);
    buffer_close(&b->cuts);
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
    while (line.size > 0 && (line.text[line.size - 1] == ' ' || line.text[line.size - 1] == '\r')) line.size--;
    while (line.size > 0 && *line.text == ' ') line.text++, line.size--;
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

static Status parse(Bpe *b, const char *path, const char *text, size_t size)
{
    TRY(text_require(text, size, path, 1));
    const char *end = text + size;
    bool header = false;
    for (int64_t number = 1; text < end; number++) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        const Word line = {text, (size_t)((stop ? stop : end) - text)};
        if (number == 1) TRY(read_version(b, path, line, &header));
        if (number > 1 || !header) TRY(read_merge(b, path, number, line));
        text = stop ? stop + 1 : end;
    }
    return OK;
}

Status bpe_parse(Bpe **out, Arena *run, const char *path, const char *text, size_t size)
{
    Bpe *b;
    TRY_NEW(b, run, 1);
    const Status st = parse(b, path, text, size);
    if (st != OK) bpe_close(b);
    TRY(st);
    *out = b;
    return OK;
}

/* --- Writing --- */

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
