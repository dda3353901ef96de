/* value.c - the words of a config as values. */
#include "io/config/value.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "io/format/number.h"

enum { DIGITS = 400 }; /* longest number that is read */

typedef struct Number {
    char text[DIGITS + 1]; /* without underscores */
    int used;              /* characters of text */
    bool whole;            /* no point, no exponent */
    bool nonzero;          /* a digit other than 0 before the exponent */
} Number;

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static void take(Number *n, char c)
{
    if (n->used < DIGITS) n->text[n->used++] = c;
}

/* Digits with single underscores between them. Returns what follows; *any tells whether there was a digit. */
static const char *scan_digits(Number *n, const char *s, bool mantissa, bool *any)
{
    const char *begin = s;
    for (; is_digit(*s) || (*s == '_' && s > begin && s[-1] != '_' && is_digit(s[1])); s++) {
        if (*s == '_') continue;
        take(n, *s);
        n->nonzero |= mantissa && *s != '0';
    }
    *any = s > begin;
    return s;
}

/* [+-] digits [. digits] [e [+-] digits], with digits before or after the point. NULL when there is no number. */
static const char *scan_number(Number *n, const char *s)
{
    bool before, after = false, exponent;
    *n = (Number){.whole = true};
    if (*s == '+' || *s == '-') take(n, *s++);
    s = scan_digits(n, s, true, &before);
    if (*s == '.') {
        n->whole = false;
        take(n, *s++);
        s = scan_digits(n, s, true, &after);
    }
    if (!before && !after) return NULL;
    if (*s == 'e' || *s == 'E') {
        const char *e = s + 1 + (s[1] == '+' || s[1] == '-');
        if (!is_digit(*e)) return s;
        n->whole = false;
        for (; s < e; s++) take(n, *s);
        s = scan_digits(n, s, false, &exponent);
    }
    return n->used < DIGITS ? s : NULL;
}

static bool is_hex(const char *s)
{
    s += *s == '+' || *s == '-';
    return s[0] == '0' && (s[1] == 'x' || s[1] == 'X') && isxdigit((unsigned char)s[2]);
}

static ValueFault to_real(const Number *n, double *out)
{
    *out = strtod(n->text, NULL);
    return !isfinite(*out) || (*out == 0 && n->nonzero) ? VALUE_RANGE : VALUE_OK;
}

/* number * scale as an int64_t, exactly. */
static ValueFault to_int(const Number *n, int64_t scale, int64_t *out)
{
    if (n->whole) {
        errno = 0;
        const long long v = strtoll(n->text, NULL, 10);
        const int64_t limit = INT64_MAX / scale;
        if (errno == ERANGE || v > limit || v < -limit) return VALUE_RANGE;
        *out = (int64_t)v * scale;
        return VALUE_OK;
    }
    double v;
    const ValueFault fault = to_real(n, &v);
    v *= (double)scale;
    if (fault != VALUE_OK || fabs(v) >= 0x1p63) return VALUE_RANGE;
    if (v != floor(v)) return VALUE_WHOLE;
    *out = (int64_t)v;
    return VALUE_OK;
}

ValueFault value_bool(const char *text, bool *out)
{
    static const char *const words[] = {"false", "true", "no", "yes", "off", "on"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcasecmp(text, words[i]) != 0) continue;
        *out = i & 1;
        return VALUE_OK;
    }
    return VALUE_KIND;
}

ValueFault value_int(const char *text, int64_t *out)
{
    Number n;
    const char *rest = scan_number(&n, text);
    if (is_hex(text)) return VALUE_HEX;
    if (!rest || *rest) return VALUE_KIND;
    return to_int(&n, 1, out);
}

ValueFault value_real(const char *text, double *out)
{
    Number n;
    const char *rest = scan_number(&n, text);
    if (is_hex(text)) return VALUE_HEX;
    if (!rest || *rest) return VALUE_KIND;
    return to_real(&n, out);
}

typedef struct Unit {
    const char *name;
    int64_t scale;
} Unit;

/* From the largest, so that the writer finds the shortest number. */
static const Unit sizes[] = {
    {"TiB", 1LL << 40}, {"TB", 1000000000000LL}, {"GiB", 1LL << 30}, {"GB", 1000000000}, {"MiB", 1LL << 20},
    {"MB", 1000000},    {"KiB", 1LL << 10},      {"KB", 1000},       {"B", 1},           {NULL, 0}};

ValueFault value_bytes(const char *text, int64_t *out)
{
    Number n;
    const char *rest = scan_number(&n, text);
    if (is_hex(text)) return VALUE_HEX;
    if (!rest) return VALUE_KIND;
    while (*rest == ' ') rest++;
    if (!*rest) return to_int(&n, 1, out);
    for (const Unit *u = sizes; u->name; u++)
        if (strcasecmp(rest, u->name) == 0) return to_int(&n, u->scale, out);
    return isalpha((unsigned char)*rest) ? VALUE_UNIT : VALUE_KIND;
}

/* In milliseconds, so that all are whole. */
static const Unit times[] = {{"d", 86400000}, {"h", 3600000}, {"min", 60000}, {"s", 1000}, {"ms", 1}, {NULL, 0}};

static const Unit *find_time(const char *s, size_t size)
{
    for (const Unit *u = times; u->name; u++)
        if (strlen(u->name) == size && strncmp(u->name, s, size) == 0) return u;
    return NULL;
}

/* One number alone counts seconds; with units, parts add up from the larger to the smaller: 1h30min. */
ValueFault value_seconds(const char *text, double *out)
{
    if (is_hex(text)) return VALUE_HEX;
    const Unit *last = NULL;
    double sum = 0;
    for (const char *s = text; *s || s == text;) {
        Number n;
        double v;
        const char *rest = scan_number(&n, s);
        if (!rest || (last && !is_digit(*s))) return VALUE_KIND;
        const ValueFault fault = to_real(&n, &v);
        if (fault != VALUE_OK) return fault;
        while (*rest == ' ') rest++;
        size_t size = 0;
        while (isalpha((unsigned char)rest[size])) size++;
        if (size == 0 && (*rest || last)) return VALUE_KIND;
        const Unit *unit = size ? find_time(rest, size) : find_time("s", 1);
        if (!unit) return VALUE_UNIT;
        if (last && unit->scale >= last->scale) return VALUE_KIND;
        sum += unit->scale >= 1000 ? v * ((double)unit->scale / 1000) : v / 1000;
        last = unit;
        for (s = rest + size; *s == ' ' && s[1];) s++;
    }
    *out = sum;
    return isfinite(sum) ? VALUE_OK : VALUE_RANGE;
}

const char *value_write_bytes(char text[VALUE_SIZE], int64_t v)
{
    const Unit *u = sizes;
    while (u->name && (v == 0 || v % u->scale != 0)) u++;
    snprintf(text, VALUE_SIZE, "%" PRId64 "%s", u->name ? v / u->scale : v, u->name && u->scale > 1 ? u->name : "");
    return text;
}

/* In the largest unit that divides it; else in seconds, which lose nothing. */
const char *value_write_seconds(char text[VALUE_SIZE], double v)
{
    const Unit *u = times;
    while (u->scale > 1000 && (v == 0 || fabs(v) > 1e12 || fmod(v, (double)u->scale / 1000) != 0)) u++;
    char number[NUMBER_SIZE];
    snprintf(text, VALUE_SIZE, "%s%s", number_double(number, v / ((double)u->scale / 1000)), u->name);
    return text;
}
