/* document.c - the common part of jsonl, tsv, csv and folders. */
#include "io/import/document.h"

#include <inttypes.h>
#include <string.h>

#include "io/batch/example.h"

const DataField document_fields[DOCUMENT_FIELDS] = {
    [DOCUMENT_TEXT] = {.name = "text", .role = ROLE_INPUT, .vocab = "words", .levels = 2, .special = true},
    [DOCUMENT_LABEL] = {.name = "label", .role = ROLE_TARGET, .vocab = "labels", .levels = 0, .closed = true},
};

const char *document_empty(int i) { return (const char *const[]){"error", "skip", NULL}[i]; }

DocumentSplit document_split(const char *split, bool has_valid, double share, int64_t seed)
{
    return (DocumentSplit){.by_share = !has_valid && share > 0 && strcmp(split, "test") != 0,
                           .wants_chosen = strcmp(split, "valid") == 0,
                           .share = share,
                           .seed = seed};
}

Status document_belongs(DocumentSplit *s, Word label, bool *belongs)
{
    const int64_t record = s->records++;
    *belongs = true;
    if (!s->by_share) return OK;
    const bool new = label.size > 0 && symbols_find(&s->labels, label) < 0;
    const bool chosen = import_chosen(s->seed, 0, record, s->share) && !new;
    int32_t number;
    if (new) TRY(symbols_add(&s->labels, label, &number));
    *belongs = chosen == s->wants_chosen;
    return OK;
}

Word document_trim(Word text)
{
    while (text.size > 0 && (*text.text == ' ' || *text.text == '\t')) text.text++, text.size--;
    while (text.size > 0 && (text.text[text.size - 1] == ' ' || text.text[text.size - 1] == '\t')) text.size--;
    return text;
}

Status document_lines_open(DocumentLines *d, Arena *run, const DocumentSource *from, const char *split)
{
    *d = (DocumentLines){.split = document_split(split, from->valid->n > 0, from->valid_share, from->seed)};
    const bool train = d->split.by_share || strcmp(split, "train") == 0;
    REQUIRE(!train || from->train->n > 0, ERR_INPUT, "source.train: no file to train on is given");
    const TextList *list = train ? from->train : strcmp(split, "valid") == 0 ? from->valid : from->test;
    const char *key = train ? "source.train" : list == from->valid ? "source.valid" : "source.test";
    const bool known = train || strcmp(split, "valid") == 0 || strcmp(split, "test") == 0;
    return known ? files_match(&d->files, run, key, list) : OK;
}

void document_lines_close(DocumentLines *d)
{
    lines_free(&d->lines);
    symbols_close(&d->split.labels);
}

static bool is_blank(const char *text, size_t size)
{
    while (size > 0 && (text[size - 1] == ' ' || text[size - 1] == '\t')) size--;
    return size == 0;
}

Status document_lines_next(DocumentLines *d, Record *out, bool *first, bool *end)
{
    for (*first = false;;) {
        if (!d->lines.file.open) {
            *end = d->next == d->files.n;
            if (*end) return OK;
            TRY(lines_open_regular(&d->lines, d->files.path[d->next++]));
            *first = true;
        }
        const char *line;
        size_t size;
        TRY(lines_next(&d->lines, &line, &size, end));
        if (!*end && !is_blank(line, size)) {
            *out = (Record){line, size, d->lines.path, d->lines.number};
            return OK;
        }
        REQUIRE(!*end || !*first, ERR_DATA, "%s: only blank lines", d->lines.path);
        if (*end) lines_close(&d->lines);
    }
}

Status document_label(Word text, const Record *r, Word *label)
{
    text = document_trim(text);
    REQUIRE(text.size > 0, ERR_DATA, "%s:%" PRId64 ": the label is empty", r->file, r->line);
    REQUIRE(text.size <= TEXT_WORD_BYTES, ERR_DATA, "%s:%" PRId64 ": a label of %zu bytes; at most %d are possible",
            r->file, r->line, text.size, TEXT_WORD_BYTES);
    *label = text;
    return OK;
}

Status document_put(const TextWords *text, Word label, const Record *r, Arena *scratch, Example *out)
{
    *out = (Example){0};
    REQUIRE(text->words > 0, ERR_DATA, "%s:%" PRId64 ": a document without words", r->file, r->line);
    REQUIRE(text->words <= INT32_MAX, ERR_DATA, "%s:%" PRId64 ": a document of %" PRId64 " words", r->file, r->line,
            text->words);
    TRY(example_sentences(&out->field[DOCUMENT_TEXT], scratch, text));
    return example_word(&out->field[DOCUMENT_LABEL], scratch, label.text, label.size);
}
