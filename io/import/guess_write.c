/* guess_write.c - the configuration that fits what was seen: small models for few examples, as many steps as they need. */
#include <string.h>

#include "io/format/json.h"
#include "io/import/guess_parts.h"

/* By the number of examples. */
typedef struct Size {
    int64_t examples; /* fewer than */
    int dim, hidden, batch, epochs;
    const char *lr;
} Size;
static const Size sizes[] = {
    {500, 32, 16, 8, 20, "0.005"},
    {5000, 50, 25, 16, 12, "0.002"},
    {50000, 100, 50, 32, 8, "0.001"},
    {INT64_MAX, 200, 50, 64, 5, "0.001"},
};

/* In quotes as JSON and YAML have them. */
Status guess_put_quoted(Buffer *out, const char *text)
{
    Json j = json_begin(out);
    json_text(&j, text);
    return json_finish(&j);
}

/* A path that names this file alone, where patterns may stand. */
Status guess_put_path(Buffer *out, const char *path)
{
    Buffer b = {0};
    Status st = *path == '~' ? buffer_text(&b, "./") : OK;
    for (; *path && st == OK; path++) {
        if (strchr("*?[\\", *path)) st = buffer_text(&b, "\\");
        if (st == OK) st = buffer_append(&b, path, 1);
    }
    if (st == OK) st = guess_put_quoted(out, b.data);
    buffer_close(&b);
    return st;
}

Status guess_put_name(Buffer *out, const char *stem, const char *end)
{
    TRY(guess_put_quoted(out, stem));
    out->size--; /* the quotation mark at the end */
    return buffer_format(out, "-%s\"", end);
}

static Status put_column(const Guess *g, const char *key, int i, Buffer *out)
{
    TRY(buffer_format(out, "  %s: ", key));
    TRY(g->column[i].name ? guess_put_quoted(out, g->column[i].name) : buffer_format(out, "%d", i + 1));
    return buffer_text(out, "\n");
}

static Status put_empty(const Guess *g, Buffer *out)
{
    return g->empty == 0 ? OK
                         : buffer_format(out, "  empty: skip # %lld documents have no words\n", (long long)g->empty);
}

static Status put_folders(const Guess *g, Buffer *out)
{
    const struct {
        const char *key, *path;
    } split[] = {{"train", g->train}, {"valid", g->valid}, {"test", g->test}};
    TRY(buffer_text(out, "source:\n  name: folders  # one folder a class\n"));
    for (int i = 0; i < COUNT(split); i++) {
        if (!split[i].path) continue;
        TRY(buffer_format(out, "  %s: ", split[i].key));
        TRY(guess_put_quoted(out, split[i].path));
        TRY(buffer_text(out, "\n"));
    }
    if (!g->valid) TRY(buffer_text(out, "  valid_share: 0.1  # of train, chosen at random, to validate on\n"));
    return put_empty(g, out);
}

static Status put_source(const Guess *g, Buffer *out)
{
    if (g->train) return put_folders(g, out);
    const bool tab = g->delimiter == '\t';
    TRY(buffer_format(out, "source:\n  name: %s\n  train: [", g->json ? "jsonl" : tab ? "tsv" : "csv"));
    TRY(guess_put_path(out, g->path));
    TRY(buffer_text(out, "]\n"));
    if (!g->json) TRY(buffer_format(out, "  header: %s\n", g->header ? "true" : "false"));
    if (!g->json && tab && g->quotes) TRY(buffer_text(out, "  quotes: true\n"));
    if (!g->json && !tab && g->delimiter != ',') TRY(buffer_format(out, "  delimiter: \"%c\"\n", g->delimiter));
    TRY(put_column(g, g->json ? "text_key" : "text_column", g->text, out));
    TRY(put_column(g, g->json ? "label_key" : "label_column", g->label, out));
    TRY(buffer_text(
        out, "  valid_share: 0.1  # of train, chosen at random, to validate on; or valid: and test: with files\n"));
    return put_empty(g, out);
}

static int64_t cap(const int64_t seen[2]) { return seen[1] < 5 ? 5 : seen[1]; }

static Status put_head(const Guess *g, Buffer *out)
{
    const int64_t labels = g->column[g->label].distinct;
    TRY(buffer_say(out, "# Written by mneme init --from %s after a look at %s: %lld examples,\n", g->path, g->seen,
                   (long long)g->n));
    TRY(buffer_format(
        out,
        "# %lld labels (of %lld to %lld examples each), %lld different words, %lld sentences a document in "
        "the median.\n",
        (long long)labels, (long long)g->least, (long long)g->most, (long long)g->vocabulary,
        (long long)g->sentences[0]));
    if (2 * g->most > 3 * g->n / 2)
        TRY(buffer_text(out,
                        "# One label has most of the examples: look at the F1 of each label, not at the accuracy.\n"));
    return OK;
}

static Status put_rest(const Guess *g, const char *stem, const Size *s, Buffer *out)
{
    const bool large = g->vocabulary > 20000;
    if (large) TRY(buffer_text(out, "pack: {min_count: 2}  # many words are seen once\n"));
    TRY(buffer_text(out, "data:\n  corpus: "));
    TRY(guess_put_name(out, stem, "corpus"));
    TRY(buffer_format(out,
                      "\n  max_sentences: %lld # 95 of 100 documents have no more\n"
                      "  max_words: %lld     # 95 of 100 sentences have no more\n",
                      (long long)cap(g->sentences), (long long)cap(g->words)));
    TRY(buffer_format(out,
                      "model: # sizes for %s%lld examples\n  name: han\n  dim: %d\n  word: {hidden: %d}\n  sentence: "
                      "{hidden: %d}\ntask: {name: classification}\n"
                      "train: {batch: %d, epochs: %d, clip_norm: 5}\noptim: {name: adam, lr: %s}\n",
                      g->whole ? "" : "more than ", (long long)g->n, s->dim, s->hidden, s->hidden, s->batch, s->epochs,
                      s->lr));
    if (g->n < 1000)
        TRY(buffer_text(out,
                        "eval: {measure: loss} # which checkpoint is best: accuracy is coarse on so few examples\n"));
    TRY(buffer_text(out, "run: {folder: "));
    TRY(guess_put_name(out, stem, "run"));
    return buffer_text(out, "}\n");
}

Status guess_write(const Guess *g, const char *stem, Buffer *out)
{
    const Size *s = sizes;
    while (g->n >= s->examples || (!g->whole && s->examples < 50000)) s++;
    TRY(put_head(g, out));
    TRY(put_source(g, out));
    return put_rest(g, stem, s, out);
}
