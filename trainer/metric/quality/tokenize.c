/* tokenize.c - the rules of NIST's mteval scripts v13a and v14 and of sacreBLEU's zh, as passes over characters.
 *
 * A pass replaces from left to right what does not overlap, as a regular expression does, so that the second of two
 * marks in a row may stay where it is: that is part of the definition. */
#include "trainer/metric/quality/tokenize.h"

#include <string.h>

typedef bool (*Kind)(uint32_t c);

/* Each character of the kind, c, becomes " c ". */
static Status isolate(Characters *text, Kind kind, Arena *arena)
{
    Characters out = {0};
    TRY_NEW(out.at, arena, 3 * text->n);
    for (int64_t i = 0; i < text->n; i++) {
        const bool alone = kind(text->at[i]);
        if (alone) out.at[out.n++] = ' ';
        out.at[out.n++] = text->at[i];
        if (alone) out.at[out.n++] = ' ';
    }
    *text = out;
    return OK;
}

/* Each pair of the kinds first and second, ab, becomes "a b " or, with the space in front, " a b". */
static Status part(Characters *text, Kind first, Kind second, bool front, Arena *arena)
{
    Characters out = {0};
    TRY_NEW(out.at, arena, 2 * text->n);
    for (int64_t i = 0; i < text->n; i++) {
        const bool found = i + 1 < text->n && first(text->at[i]) && second(text->at[i + 1]);
        if (found && front) out.at[out.n++] = ' ';
        out.at[out.n++] = text->at[i];
        if (!found) continue;
        out.at[out.n++] = ' ';
        out.at[out.n++] = text->at[++i];
        if (!front) out.at[out.n++] = ' ';
    }
    *text = out;
    return OK;
}

static bool begins(const Characters *text, int64_t at, const char *ascii)
{
    for (; *ascii; ascii++, at++)
        if (at >= text->n || text->at[at] != (uint32_t)*ascii) return false;
    return true;
}

/* In place: every from becomes the one character to, or nothing when that is 0. */
static void replace(Characters *text, const char *from, char to)
{
    int64_t n = 0;
    for (int64_t i = 0; i < text->n; i++) {
        if (begins(text, i, from)) {
            if (to) text->at[n++] = (uint32_t)to;
            i += (int64_t)strlen(from) - 1;
        } else {
            text->at[n++] = text->at[i];
        }
    }
    text->n = n;
}

static bool is_digit(uint32_t c) { return c >= '0' && c <= '9'; }
static bool is_no_digit(uint32_t c) { return !is_digit(c); }
static bool is_stop(uint32_t c) { return c == '.' || c == ','; }
static bool is_dash(uint32_t c) { return c == '-'; }
static bool is_no_number(uint32_t c) { return !character_number(c); }

/* All of ASCII that is no letter, digit or control, except ' , - . */
static bool is_mark(uint32_t c)
{
    return (c >= ' ' && c <= '&') || (c >= '(' && c <= '+') || c == '/' || (c >= ':' && c <= '@') ||
           (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

static Status western(Characters *text, Arena *arena)
{
    TRY(isolate(text, is_mark, arena));
    TRY(part(text, is_no_digit, is_stop, false, arena));
    TRY(part(text, is_stop, is_no_digit, true, arena));
    return part(text, is_digit, is_dash, false, arena);
}

static Status pad(Characters *text, Arena *arena)
{
    Characters out = {.n = text->n + 2};
    TRY_NEW(out.at, arena, out.n);
    out.at[0] = out.at[out.n - 1] = ' ';
    if (text->n > 0) memcpy(out.at + 1, text->at, (size_t)text->n * sizeof *text->at);
    *text = out;
    return OK;
}

static Status apply_13a(Characters *text, Arena *arena)
{
    replace(text, "<skipped>", 0);
    replace(text, "-\n", 0);
    replace(text, "\n", ' ');
    replace(text, "&quot;", '"');
    replace(text, "&amp;", '&');
    replace(text, "&lt;", '<');
    replace(text, "&gt;", '>');
    TRY(pad(text, arena));
    return western(text, arena);
}

static Status apply_intl(Characters *text, Arena *arena)
{
    TRY(part(text, is_no_number, character_punctuation, false, arena));
    TRY(part(text, character_punctuation, is_no_number, true, arena));
    return isolate(text, character_symbol, arena);
}

/* sacreBLEU writes the ranges of Extension B and of the supplement with four digits and a fifth character, and compares
 * texts: so they are U+2001 - U+2A6D (dashes, curly quotes, arrows, the euro among them) and U+2F81 - U+2FA1, and the
 * characters that were meant are not covered. Scores are comparable only with the same ranges. */
static bool is_chinese(uint32_t c)
{
    static const uint32_t range[][2] = {
        {0x3400, 0x4db5}, {0x4e00, 0x9fa5}, {0x9fa6, 0x9fbb}, {0xf900, 0xfa2d}, {0xfa30, 0xfa6a}, {0xfa70, 0xfad9},
        {0x2001, 0x2a6d}, {0x2f81, 0x2fa1}, {0xff00, 0xffef}, {0x2e80, 0x2eff}, {0x3000, 0x303f}, {0x31c0, 0x31ef},
        {0x2f00, 0x2fdf}, {0x2ff0, 0x2fff}, {0x3100, 0x312f}, {0x31a0, 0x31bf}, {0xfe10, 0xfe1f}, {0xfe30, 0xfe4f},
        {0x2600, 0x26ff}, {0x2700, 0x27bf}, {0x3200, 0x32ff}, {0x3300, 0x33ff}};
    for (size_t i = 0; i < sizeof range / sizeof *range; i++)
        if (c >= range[i][0] && c <= range[i][1]) return true;
    return false;
}

static Status apply_zh(Characters *text, Arena *arena)
{
    while (text->n > 0 && character_space(text->at[0])) text->at++, text->n--;
    TRY(isolate(text, is_chinese, arena));
    return western(text, arena);
}

static bool is_any(uint32_t c) { return c > 0; }

static Status apply_char(Characters *text, Arena *arena) { return isolate(text, is_any, arena); }

static Status apply_none(Characters *text, Arena *arena)
{
    (void)text, (void)arena;
    return OK;
}

static const struct {
    const char *name;
    Status (*apply)(Characters *text, Arena *arena);
} table[] = {
    {"13a", apply_13a},   {"intl", apply_intl}, {"zh", apply_zh},
    {"char", apply_char}, {"none", apply_none}, {NULL, NULL},
};

const char *tokenize_name(int i) { return table[i].name; }

Status tokenize_characters(const Word *text, bool lowercase, Arena *arena, Characters *out)
{
    const size_t size = character_trimmed(text->text, text->size);
    return lowercase ? character_lower(text->text, size, arena, out) : character_decode(text->text, size, arena, out);
}

static Status split(const Characters *text, Kind is_space, Arena *arena, Tokens *out)
{
    out->n = 0;
    TRY_NEW(out->token, arena, text->n / 2 + 1);
    for (int64_t i = 0; i < text->n;) {
        for (; i < text->n && is_space(text->at[i]);) i++;
        const int64_t begin = i;
        for (; i < text->n && !is_space(text->at[i]);) i++;
        if (i > begin) out->token[out->n++] = (Token){text->at + begin, i - begin};
    }
    return OK;
}

Status tokenize_spaces(const Characters *text, Arena *arena, Tokens *out)
{
    return split(text, character_space, arena, out);
}

static bool is_ascii_space(uint32_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

Status tokenize_bytes(const Word *text, bool lowercase, Arena *arena, Tokens *out)
{
    Characters c;
    TRY(lowercase ? character_lower(text->text, text->size, arena, &c)
                  : character_decode(text->text, text->size, arena, &c));
    return split(&c, is_ascii_space, arena, out);
}

Status tokenize_text(const char *name, const Word *text, bool lowercase, Arena *arena, Tokens *out)
{
    Characters c;
    TRY(tokenize_characters(text, lowercase, arena, &c));
    for (int i = 0; table[i].name; i++) {
        if (strcmp(table[i].name, name) != 0) continue;
        TRY(table[i].apply(&c, arena));
        return tokenize_spaces(&c, arena, out);
    }
    FAIL(ERR_INTERNAL, "%s is not a tokenisation", name);
}
