/* vectors.c - glove: `word x1 ... xD` a line; blank lines are passed over. word2vec: a line `words D` before such lines. word2vec_binary: that line,
 * then each word, a space and D little-endian 32-bit floats; some writers put a line end after each. */
#include "io/text/vectors.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/text/lines.h"

enum { D_MAX = 100000, WORD_MAX = 4096 };

const char *vectors_format(int i) { return (const char *const[]){"glove", "word2vec", "word2vec_binary", NULL}[i]; }

typedef struct Reader {
    Lines lines;
    const Vocab *vocab;
    Vectors *out;
    Arena *run;
    double *sum;             /* (D) of all vectors, for the mean */
    float *row;              /* (D) */
    int64_t wanted;          /* vectors that the header promises; -1: no header */
    int64_t exact;           /* rows that are a word and D numbers and not more numbers before them */
    int64_t wide, wide_line; /* numbers of the first row that is not so, and its line; 0: none yet */
    bool given;              /* D is the model's */
} Reader;

static Status make_room(Reader *r, int64_t D)
{
    Vectors *o = r->out;
    REQUIRE(D >= 1 && D <= D_MAX, ERR_DATA, "%s:1: vectors of %" PRId64 " numbers; 1 to %d are possible", r->lines.path,
            D, (int)D_MAX);
    REQUIRE(o->D == 0 || o->D == D, ERR_DATA, "%s:1: vectors of %" PRId64 " numbers; the model needs %" PRId64,
            r->lines.path, D, o->D);
    o->D = D;
    o->V = vocab_size(r->vocab);
    TRY_NEW(o->row, r->run, o->V * D);
    TRY_NEW(o->found, r->run, o->V);
    TRY_NEW(r->sum, r->run, D);
    TRY_NEW(r->row, r->run, D);
    return OK;
}

static void keep(Reader *r, const char *word, size_t size)
{
    Vectors *o = r->out;
    o->read++;
    for (int64_t i = 0; i < o->D; i++) r->sum[i] += (double)r->row[i];
    const int64_t id = vocab_id(r->vocab, word, size);
    if (id < 0 || (id == VOCAB_UNK && vocab_special(r->vocab)) || o->found[id]) return;
    memcpy(o->row + id * o->D, r->row, (size_t)o->D * sizeof *r->row);
    o->found[id] = true;
    o->known++;
}

/* Where the last n fields of the line begin; NULL when there is nothing before them. A word may hold spaces. */
static char *last_fields(char *line, size_t size, int64_t n)
{
    char *at = line + size;
    for (; n > 0; n--) {
        while (at > line && at[-1] != ' ') at--;
        if (n > 1)
            while (at > line && at[-1] == ' ') at--;
    }
    return at > line ? at : NULL;
}

static bool is_number(const char *field, size_t size)
{
    char *stop;
    (void)strtof(field, &stop);
    return size > 0 && stop == field + size;
}

/* Numbers at the end of a line, of which the first field is the word unless a space stands before it. */
static int64_t count_numbers(const char *line)
{
    int64_t n = 0;
    for (const char *p = line + strspn(line, " "); *p; p += strspn(p, " ")) {
        const size_t size = strcspn(p, " ");
        n = p > line && is_number(p, size) ? n + 1 : 0;
        p += size;
    }
    return n;
}

/* Whether all fields before the last D are a word: the one before those is not a number, or is the only one. */
static void note_width(Reader *r, const char *line, size_t word)
{
    size_t from = word;
    while (from > 0 && line[from - 1] != ' ') from--;
    const bool more = from > 0 && is_number(line + from, word - from);
    r->exact += !more;
    if (!more || r->wide > 0) return;
    r->wide = count_numbers(line);
    r->wide_line = r->lines.number;
}

static Status wrong_width(const Reader *r, int64_t line, int64_t width)
{
    FAIL(ERR_DATA, "%s:%" PRId64 ": vectors of %" PRId64 " numbers; the model needs %" PRId64, r->lines.path, line,
         width, r->out->D);
}

static Status read_row(Reader *r, char *line, size_t size)
{
    const int64_t D = r->out->D, number = r->lines.number;
    char *at = last_fields(line, size, D);
    if (!at && r->exact == 0 && r->given) return wrong_width(r, number, count_numbers(line));
    REQUIRE(at, ERR_DATA, "%s:%" PRId64 ": %" PRId64 " numbers; %" PRId64 " were expected", r->lines.path, number,
            count_numbers(line), D);
    size_t word = (size_t)(at - line);
    while (word > 0 && line[word - 1] == ' ') word--;
    note_width(r, line, word);
    for (int64_t i = 0; i < D; i++) {
        char *stop;
        r->row[i] = strtof(at, &stop);
        REQUIRE(stop > at && (*stop == ' ' || *stop == '\0') && isfinite(r->row[i]), ERR_DATA,
                "%s:%" PRId64 ": \"%.*s\" is not a finite number", r->lines.path, number, (int)strcspn(at, " ") % 64,
                at);
        for (at = stop; *at == ' ';) at++;
    }
    keep(r, line, word);
    return OK;
}

static Status next_line(Reader *r, char **line, size_t *size, bool *end)
{
    const char *text;
    *line = NULL;
    *size = 0;
    TRY(lines_next(&r->lines, &text, size, end));
    *line = r->lines.line.data; /* the same bytes, which may be changed */
    return OK;
}

/* "words D" */
static Status read_header(Reader *r)
{
    char *line;
    size_t size;
    bool end;
    TRY(next_line(r, &line, &size, &end));
    REQUIRE(!end, ERR_DATA, "%s: the file is empty", r->lines.path);
    char *stop, *stop2;
    const long long words = strtoll(line, &stop, 10), D = strtoll(stop, &stop2, 10);
    while (*stop2 == ' ') stop2++;
    REQUIRE(stop > line && stop2 > stop && *stop2 == '\0' && words >= 0, ERR_DATA,
            "%s:1: a header with the number of words and of their numbers was expected: \"%.*s\"", r->lines.path,
            (int)(size < 60 ? size : 60), line);
    r->wanted = words;
    return make_room(r, D);
}

/* A line for read_row: tabs are spaces, and none stand at its end. */
static Status next_row(Reader *r, char **line, size_t *size, bool *end)
{
    do {
        TRY(next_line(r, line, size, end));
        if (*end) return OK;
        REQUIRE(!memchr(*line, 0, *size), ERR_DATA, "%s:%" PRId64 ": not text: a 0 byte", r->lines.path,
                r->lines.number);
        for (size_t i = 0; i < *size; i++)
            if ((*line)[i] == '\t') (*line)[i] = ' ';
        while (*size > 0 && (*line)[*size - 1] == ' ') (*line)[--*size] = '\0';
    } while (*size == 0); /* a blank line */
    return OK;
}

static Status read_text(Reader *r, bool header)
{
    enum { LOOK = 100 }; /* rows after which a file of another width is refused */
    if (header) TRY(read_header(r));
    for (;;) {
        char *line;
        size_t size;
        bool end;
        TRY(next_row(r, &line, &size, &end));
        const bool wrong = r->given && r->exact == 0 && r->wide > 0 && (end || r->out->read == LOOK);
        if (wrong) return wrong_width(r, r->wide_line, r->wide);
        if (end) return OK;
        if (!r->row) TRY(make_room(r, r->given ? r->out->D : count_numbers(line)));
        TRY(read_row(r, line, size));
    }
}

static float little_endian(const unsigned char *b)
{
    const uint32_t bits = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static Status read_binary(Reader *r)
{
    TRY(read_header(r));
    char word[WORD_MAX + 1];
    for (int64_t n = 0; n < r->wanted; n++) {
        const char *bytes;
        size_t size;
        TRY(lines_until(&r->lines, ' ', WORD_MAX, &bytes, &size));
        while (size > 0 && *bytes == '\n') bytes++, size--;
        memcpy(word, bytes, size);
        TRY(lines_bytes(&r->lines, (size_t)r->out->D * 4, &bytes));
        for (int64_t i = 0; i < r->out->D; i++) {
            r->row[i] = little_endian((const unsigned char *)bytes + 4 * i);
            REQUIRE(isfinite(r->row[i]), ERR_DATA, "%s: word %" PRId64 ", \"%.*s\": number %" PRId64 " is not finite",
                    r->lines.path, n + 1, (int)(size < 60 ? size : 60), word, i + 1);
        }
        keep(r, word, size);
    }
    return OK;
}

static Status read_all(Reader *r, const char *path, VectorsFormat format, bool with_mean)
{
    TRY(lines_open_regular(&r->lines, path));
    const bool binary = format == VECTORS_WORD2VEC_BINARY;
    TRY(binary ? read_binary(r) : read_text(r, format == VECTORS_WORD2VEC));
    Vectors *o = r->out;
    REQUIRE(r->wanted < 0 || o->read == r->wanted, ERR_DATA, "%s: %" PRId64 " vectors; the header promises %" PRId64,
            path, o->read, r->wanted);
    if (!with_mean || !vocab_special(r->vocab) || o->read == 0) return OK;
    for (int64_t i = 0; i < o->D; i++) o->row[VOCAB_UNK * o->D + i] = (float)(r->sum[i] / (double)o->read);
    o->found[VOCAB_UNK] = true;
    return OK;
}

Status vectors_read(Vectors *out, Arena *run, const char *path, VectorsFormat format, const Vocab *v, int64_t D,
                    bool with_mean)
{
    *out = (Vectors){.D = D};
    Reader r = {.vocab = v, .out = out, .run = run, .wanted = -1, .given = D > 0};
    const Status st = read_all(&r, path, format, with_mean);
    lines_free(&r.lines);
    return st;
}
