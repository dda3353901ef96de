/* terminal.c - printf for people. */
#include "comm/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "comm/buffer.h"
#include "comm/comm.h"
#include "comm/utf8.h"

enum { NUMBER = 600, WIDEST = 200 }; /* a double in %f has 309 digits before the point */

typedef struct Out {
    char *text;
    size_t room, used, wanted; /* used < room bytes are there of those that were wanted */
    bool full;                 /* a piece did not fit: no later one comes behind the gap */
} Out;

static void put(Out *o, const char *piece, size_t size)
{
    o->wanted += size;
    o->full = o->full || o->used + size >= o->room;
    if (o->full) return;
    memcpy(o->text + o->used, piece, size);
    o->used += size;
}

static size_t end(const Out *o)
{
    if (o->room > 0) o->text[o->used] = '\0';
    return o->wanted;
}

/* One character, escaped unless it is harmless. Returns its bytes. */
static size_t put_character(Out *o, const char *text, size_t size, bool lines)
{
    char piece[16];
    const size_t n = utf8_length(text, size);
    const uint32_t c = n > 0 ? utf8_point(text, n) : (unsigned char)*text;
    if (n > 0 && (!utf8_acts(c) || c == '\t' || (lines && c == '\n'))) {
        put(o, text, n);
        return n;
    }
    if (c == '\n' || c == '\r')
        snprintf(piece, sizeof piece, "\\%c", c == '\n' ? 'n' : 'r');
    else
        snprintf(piece, sizeof piece, n < 2 ? "\\x%02" PRIx32 : c > 0xffff ? "\\U%08" PRIx32 : "\\u%04" PRIx32, c);
    put(o, piece, strlen(piece));
    return n > 0 ? n : 1;
}

static void put_text(Out *o, const char *text, size_t size, bool lines)
{
    for (size_t i = 0; i < size;) i += put_character(o, text + i, size - i, lines);
}

size_t terminal_lines(char *out, size_t room, const char *text, size_t size)
{
    Out o = {.text = out, .room = room};
    put_text(&o, text, size, true);
    return end(&o);
}

/* --- One conversion --- */

typedef struct Spec {
    char format[24]; /* for snprintf: %*.* with the flags, the length and the kind */
    bool left;
    int width, precision; /* precision < 0: none */
    int length;           /* 0 int, 1 long, 2 long long, 3 size_t, 4 intmax_t, 5 ptrdiff_t */
    char kind;
} Spec;

static const char *read_count(const char *f, va_list *args, int *out)
{
    if (*f == '*') {
        *out = va_arg(*args, int);
        return f + 1;
    }
    for (*out = 0; *f >= '0' && *f <= '9'; f++)
        if (*out < 100000) *out = *out * 10 + (*f - '0');
    return f;
}

/* f is behind the percent sign. Returns what follows the conversion. */
static const char *read_spec(const char *f, va_list *args, Spec *s)
{
    *s = (Spec){.precision = -1};
    const char *flags = f;
    const size_t n_flags = strspn(f, "-+ #0");
    f = read_count(f + n_flags, args, &s->width);
    if (*f == '.') f = read_count(f + 1, args, &s->precision);
    const char *length = f;
    const size_t n = strspn(f, "hlzjt");
    f += n;
    s->length = *length == 'l' ? (int)n : *length == 'z' ? 3 : *length == 'j' ? 4 : *length == 't' ? 5 : 0;
    s->left = memchr(flags, '-', n_flags) || s->width < 0;
    s->kind = *f;
    snprintf(s->format, sizeof s->format, "%%%.*s*.*%.*s%c", (int)(n_flags < 6 ? n_flags : 6), flags, (int)n, length,
             s->kind);
    return *f ? f + 1 : f;
}

/* The number as snprintf writes it. */
static void put_number(Out *o, const Spec *s, va_list *args)
{
    char text[NUMBER];
    const int w = s->width > WIDEST ? WIDEST : s->width < -WIDEST ? -WIDEST : s->width;
    const int p = s->precision > WIDEST ? WIDEST : s->precision;
    int n;
    if (strchr("aAeEfFgG", s->kind))
        n = snprintf(text, sizeof text, s->format, w, p, va_arg(*args, double));
    else if (s->kind == 'p')
        n = snprintf(text, sizeof text, "%p", va_arg(*args, void *));
    else if (s->length == 1)
        n = snprintf(text, sizeof text, s->format, w, p, va_arg(*args, long));
    else if (s->length == 2)
        n = snprintf(text, sizeof text, s->format, w, p, va_arg(*args, long long));
    else if (s->length == 3)
        n = snprintf(text, sizeof text, s->format, w, p, va_arg(*args, size_t));
    else if (s->length == 4)
        n = snprintf(text, sizeof text, s->format, w, p, va_arg(*args, intmax_t));
    else if (s->length == 5)
        n = snprintf(text, sizeof text, s->format, w, p, va_arg(*args, ptrdiff_t));
    else
        n = snprintf(text, sizeof text, s->format, w, p, va_arg(*args, int));
    if (n > 0) put(o, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

/* Bytes of text up to the precision, without the part of a character that it cut. */
static size_t limited(const char *text, int precision)
{
    size_t n = 0;
    while (precision < 0 ? text[n] != '\0' : n < (size_t)precision && text[n] != '\0') n++;
    if (precision < 0 || n < (size_t)precision) return n;
    size_t begin = n; /* of the last character */
    while (begin > 0 && n - begin < 3 && ((unsigned char)text[begin - 1] & 0xc0) == 0x80) begin--;
    if (begin == 0) return n;
    const unsigned char c = (unsigned char)text[begin - 1];
    const size_t needed = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
    return begin - 1 + needed > n ? begin - 1 : n;
}

static size_t characters(const Out *o, size_t from)
{
    size_t n = 0;
    for (size_t i = from; i < o->used; i++) n += ((unsigned char)o->text[i] & 0xc0) != 0x80;
    return n;
}

static void put_escaped(Out *o, const Spec *s, const char *text, size_t size)
{
    const size_t width = (size_t)(s->width < 0 ? -s->width : s->width);
    Out probe = {.text = (char[NUMBER]){0}, .room = NUMBER}; /* a text that is wider than that needs no blanks */
    if (width > 0) put_text(&probe, text, size, false);
    const size_t shown = probe.full ? width : characters(&probe, 0);
    for (size_t i = shown; i < width && !s->left; i++) put(o, " ", 1);
    put_text(o, text, size, false);
    for (size_t i = shown; i < width && s->left; i++) put(o, " ", 1);
}

/* --- Formats --- */

static const char *text_of(const char *text) { return text ? text : "(null)"; }

/* Is the conversion at f all that its line of the format holds? */
static bool fills_line(const char *format, const char *f)
{
    return (f == format || f[-1] == '\n') && f[1] == 's' && (f[2] == '\0' || f[2] == '\n');
}

static const char *put_conversion(Out *o, const char *f, bool lines, va_list *args)
{
    Spec s;
    f = read_spec(f + 1, args, &s);
    if (s.kind == '%') {
        put(o, "%", 1);
    } else if (s.kind == 's') {
        const char *text = text_of(va_arg(*args, const char *));
        if (lines)
            put_text(o, text, strlen(text), true);
        else
            put_escaped(o, &s, text, limited(text, s.precision));
    } else if (s.kind == 'c') {
        const char c = (char)va_arg(*args, int);
        put_escaped(o, &s, &c, 1);
    } else {
        put_number(o, &s, args);
    }
    return f;
}

int terminal_vformat(char *out, size_t room, const char *format, va_list args)
{
    Out o = {.text = out, .room = room};
    va_list rest;
    va_copy(rest, args);
    for (const char *f = format; *f;) {
        const size_t ours = strcspn(f, "%");
        put(&o, f, ours);
        f += ours;
        if (*f) f = put_conversion(&o, f, fills_line(format, f), &rest);
    }
    va_end(rest);
    return (int)end(&o);
}

int terminal_format(char *out, size_t room, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = terminal_vformat(out, room, format, args);
    va_end(args);
    return n;
}

/* --- The standard output --- */

static int lost; /* errno of the first that could not be written */

void terminal_print(const char *format, ...)
{
    Buffer text = {0};
    va_list args;
    va_start(args, format);
    const bool said = buffer_vsay(&text, format, args) == OK;
    if (!said && !lost) lost = ENOMEM;
    if (said && fwrite(text.data, 1, text.size, stdout) < text.size && !lost) lost = errno;
    va_end(args);
    buffer_close(&text);
}

static Status write_out(const void *bytes, size_t size)
{
    REQUIRE(fwrite(bytes, 1, size, stdout) == size && fflush(stdout) == 0, ERR_IO, "standard output: %s",
            strerror(errno));
    return OK;
}

Status terminal_flush(void)
{
    if (fflush(stdout) != 0 && !lost) lost = errno;
    REQUIRE(!lost && !ferror(stdout), ERR_IO, "standard output: %s", lost ? strerror(lost) : "could not be written");
    return OK;
}

void terminal_keep(void)
{
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0) (void)open("/dev/null", O_RDONLY); /* takes the lowest number that is free: this */
}

/* A launcher gives its processes terminals and passes on to a file what they write there. */
Status terminal_data(const void *bytes, size_t size)
{
    if (!isatty(STDOUT_FILENO) || comm_launched()) return write_out(bytes, size);
    Buffer text = {0};
    const size_t n = terminal_lines(NULL, 0, bytes, size);
    Status st = buffer_reserve(&text, n + 1);
    if (st == OK) {
        (void)terminal_lines(text.data, n + 1, bytes, size);
        st = write_out(text.data, n);
    }
    buffer_close(&text);
    return st;
}
