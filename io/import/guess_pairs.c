/* guess_pairs.c - two files whose lines belong together, and the translation that fits them. */
#include <string.h>
#include <sys/stat.h>

#include "io/import/files.h"
#include "io/import/guess_parts.h"
#include "io/text/check.h"
#include "io/text/lines.h"

static const char *const sides[] = {"source", "target"};

/* --- The look --- */

typedef struct Side {
    Lines lines;
    int64_t n_words;
    int64_t *length; /* (GUESS_RECORDS) */
    Word *word;      /* (WORDS) */
} Side;
enum { WORDS = 1 << 20 };

static Status look_at_side(Side *s, TextTool *tool, Arena *arena, int64_t row, const char *text, size_t size)
{
    TextWords t;
    TRY(text_require(text, size, s->lines.path, s->lines.number));
    TRY(text_split(tool, text, size, arena, &t));
    s->length[row] = t.words;
    for (int64_t k = 0; k < t.words && s->n_words < WORDS; k++) s->word[s->n_words++] = t.word[k];
    return OK;
}

static Status differ(const Side *shorter, Side *longer)
{
    for (bool end = false; !end;) { /* to its end, for the message */
        const char *text;
        size_t size;
        TRY(lines_next(&longer->lines, &text, &size, &end));
    }
    FAIL(ERR_DATA, "%s has %lld lines, but %s has %lld: they are no translations of each other, line by line",
         shorter->lines.path, (long long)shorter->lines.number, longer->lines.path, (long long)longer->lines.number);
}

/* All lines are counted, the first are measured. */
static Status read_pairs(GuessPairs *g, Side side[2], TextTool *tool, Arena *arena)
{
    size_t bytes = 0;
    for (;; g->n++) {
        const bool measured = g->n < GUESS_RECORDS && bytes < GUESS_BYTES;
        bool end[2];
        for (int k = 0; k < 2; k++) {
            const char *text;
            size_t size;
            TRY(lines_next(&side[k].lines, &text, &size, &end[k]));
            if (end[k] || !measured) continue;
            TRY(look_at_side(&side[k], tool, arena, g->n, text, size));
            bytes += size;
        }
        if (end[0] != end[1]) return end[0] ? differ(&side[0], &side[1]) : differ(&side[1], &side[0]);
        if (end[0]) return OK;
        g->looked += measured;
    }
}

static Status sum_up(GuessPairs *g, Side side[2], Arena *arena)
{
    int64_t *longer;
    TRY_NEW(longer, arena, g->looked);
    for (int64_t i = 0; i < g->looked; i++) {
        const int64_t a = side[0].length[i], b = side[1].length[i], low = a < b ? a : b, high = a < b ? b : a;
        longer[i] = high;
        g->empty += low == 0;
        g->uneven += low > 0 && high > GUESS_RATIO * low;
    }
    int64_t usual[2];
    guess_two_of(g->looked, longer, usual); /* in order */
    g->longest = longer[(99 * g->looked - 1) / 100];
    for (int k = 0; k < 2; k++) {
        guess_two_of(g->looked, side[k].length, g->words[k]);
        g->vocabulary[k] = guess_distinct(side[k].n_words, side[k].word);
    }
    return OK;
}

/* The file whose name has `other` in place of "train", when it is there. */
static Status beside(Arena *arena, const char *path, const char *other, const char **out)
{
    const char *base = files_base(path), *at = strstr(base, "train");
    struct stat info;
    *out = NULL;
    if (!at) return OK;
    const char *name = arena_format(arena, "%.*s%s%s", (int)(at - path), path, other, at + strlen("train"));
    if (!name) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    if (stat(name, &info) == 0 && S_ISREG(info.st_mode)) *out = name;
    return OK;
}

static Status find_beside(GuessPairs *g, Arena *arena, const char *const *names, const char *out[2])
{
    for (; *names; names++) {
        for (int k = 0; k < 2; k++) TRY(beside(arena, g->train[k], *names, &out[k]));
        if (out[0] && out[1]) return OK;
    }
    out[0] = out[1] = NULL;
    return OK;
}

Status guess_pairs(GuessPairs *g, Arena *arena, const char *source, const char *target)
{
    static const TextSettings usual = {.punctuation = true, .sentences = TEXT_SENTENCES_NONE};
    static const char *const valid[] = {"valid", "val", "dev", NULL}, *const test[] = {"test", NULL};
    Side side[2] = {0};
    TextTool *tool;
    *g = (GuessPairs){.train = {source, target}};
    for (int k = 0; k < 2; k++) {
        TRY_NEW(side[k].length, arena, GUESS_RECORDS);
        TRY_NEW(side[k].word, arena, WORDS);
    }
    TRY(text_open(&tool, arena, &usual));
    Status st = lines_open_regular(&side[0].lines, source);
    if (st == OK) st = lines_open_regular(&side[1].lines, target);
    if (st == OK) st = read_pairs(g, side, tool, arena);
    for (int k = 0; k < 2; k++) lines_free(&side[k].lines);
    text_close(tool);
    TRY(st);
    REQUIRE(g->n >= 4, ERR_DATA, "%s: %lld lines are too few to tell what they are", source, (long long)g->n);
    REQUIRE(g->empty < g->looked, ERR_DATA, "%s, %s: no line has words on both sides", source, target);
    TRY(find_beside(g, arena, valid, g->valid));
    TRY(find_beside(g, arena, test, g->test));
    return sum_up(g, side, arena);
}

/* --- The configuration --- */

/* By the number of pairs. Sizes of recurrent translation as in the quickstart for few, as in Bahdanau 2015 for many. */
typedef struct Size {
    int64_t pairs; /* fewer than */
    int dim, hidden, batch, epochs;
    const char *lr, *dropout;
    double share;
} Size;
static const Size sizes[] = {
    {1000, 32, 32, 8, 40, "0.01", "0", 0.1},
    {10000, 64, 128, 32, 20, "0.003", "0.2", 0.05},
    {100000, 256, 512, 64, 12, "0.001", "0.3", 0.02},
    {INT64_MAX, 256, 512, 128, 5, "0.001", "0.2", 0.005},
};

static Status put_head(const GuessPairs *g, Buffer *out)
{
    TRY(buffer_say(out, "# Written by mneme init --from %s %s after a look at %s: %lld pairs.\n", g->train[0],
                   g->train[1], g->looked == g->n ? "all of them" : "their beginning alone", (long long)g->n));
    for (int k = 0; k < 2; k++)
        TRY(buffer_format(
            out, "# %s: %lld words a sentence in the median, 95 of 100 have no more than %lld; %lld different.\n",
            sides[k], (long long)g->words[k][0], (long long)g->words[k][1], (long long)g->vocabulary[k]));
    if (g->empty > 0)
        TRY(buffer_format(out, "# %lld pairs have a side without words: they are left out, and counted.\n",
                          (long long)g->empty));
    return OK;
}

static Status put_files(const char *split, const char *const path[2], Buffer *out)
{
    for (int k = 0; k < 2 && path[0]; k++) {
        TRY(buffer_format(out, "  %s_%s: [", split, sides[k]));
        TRY(guess_put_path(out, path[k]));
        TRY(buffer_text(out, "]\n"));
    }
    return OK;
}

static Status put_source(const GuessPairs *g, const Size *s, Buffer *out)
{
    TRY(buffer_text(out, "source:\n  name: parallel      # cased, with marks by which words are put together again\n"));
    TRY(put_files("train", g->train, out));
    TRY(put_files("valid", g->valid, out));
    TRY(put_files("test", g->test, out));
    if (!g->valid[0])
        TRY(buffer_format(out,
                          "  valid_share: %g  # of train, chosen at random, to validate on; or valid_source: and "
                          "valid_target: with files\n",
                          s->share));
    TRY(buffer_format(out, "  max_length: %lld      # words; 99 of 100 pairs have no longer side\n",
                      (long long)(g->longest < 10 ? 10 : g->longest)));
    if (g->uneven > 0)
        TRY(buffer_format(out, "  max_ratio: %d        # %lld pairs have a side of more than so many times the words\n",
                          GUESS_RATIO, (long long)g->uneven));
    return OK;
}

Status guess_pairs_write(const GuessPairs *g, const char *stem, Buffer *out)
{
    const Size *s = sizes;
    while (g->n >= s->pairs) s++;
    TRY(put_head(g, out));
    TRY(put_source(g, s, out));
    TRY(buffer_text(out, "# Words are cut into pieces, as many kinds as fit the size of the corpus (subwords.by_size, "
                         "a preset of parallel).\ndata: {corpus: "));
    TRY(guess_put_name(out, stem, "corpus"));
    TRY(buffer_format(
        out,
        "}\nmodel: # sizes for %lld pairs\n  name: seq2seq\n  dim: %d\n  encoder: {cell: gru, hidden: %d, "
        "bidirectional: true, dropout: %s}\n  decoder: {bridge: linear, dropout: %s}\n",
        (long long)g->n, s->dim, s->hidden, s->dropout, s->dropout));
    TRY(buffer_format(out,
                      "  attention: {score: additive} # Bahdanau 2015\ntask: {name: translation}\n"
                      "train: {batch: %d, epochs: %d, clip_norm: 1}\noptim: {name: adam, lr: %s}\nrun: {folder: ",
                      s->batch, s->epochs, s->lr));
    TRY(guess_put_name(out, stem, "run"));
    return buffer_text(out, "}\n");
}
