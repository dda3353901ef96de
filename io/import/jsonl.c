/* jsonl.c - labelled documents, one JSON object a line. */
#include "io/import/document.h"
#include "io/import/families.h"
#include "io/import/json_fields.h"

#include <string.h>

typedef struct JsonlSettings {
    TextList train, valid, test;
    const char *text_key, *label_key;
    DocumentEmpty empty;
    double valid_share;
    int64_t seed;
} JsonlSettings;

static const Field fields[] = {
    FIELD(JsonlSettings, train, .is_file = true, .help = "Files to train on; patterns such as data/*.jsonl."),
    FIELD(JsonlSettings, valid, .preset = "[]", .is_file = true, .help = "Files to validate on."),
    FIELD(JsonlSettings, test, .preset = "[]", .is_file = true, .help = "Files to test on."),
    FIELD(JsonlSettings, text_key, .preset = "text",
          .help = "Key of the text: a string, a list of sentences, or a list of lists of words."),
    FIELD(JsonlSettings, label_key, .preset = "label", .help = "Key of the label: a string or a whole number."),
    FIELD(JsonlSettings, valid_share, .preset = "0.1", .min = 0, .max = 0.9,
          .help =
              "Share of the training documents, chosen at random, to validate on when there are no files for that."),
    FIELD(JsonlSettings, seed, .preset = "1", .min = 0, .max = 1e15,
          .help = "Of the choice of documents to validate on."),
    FIELD(JsonlSettings, empty, .preset = "error", .choice = document_empty,
          .help = "A document without words is a fault, or is left out and counted."),
};

typedef struct Jsonl {
    const JsonlSettings *settings;
    DocumentLines lines;
    JsonTools tools;
    Arena look; /* to see whether a document has words */
    bool skip;
    int64_t skipped;
} Jsonl;

static void jsonl_close(void *state)
{
    Jsonl *j = state;
    document_lines_close(&j->lines);
    json_close(&j->tools);
    arena_close(&j->look);
}

static Status jsonl_open(void **state, Arena *run, const void *settings, const TextSettings *text, const char *split)
{
    Jsonl *j;
    TRY_NEW(j, run, 1);
    j->settings = settings;
    const JsonlSettings *s = j->settings;
    j->skip = s->empty == DOCUMENT_SKIP;
    const DocumentSource from = {&s->train, &s->valid, &s->test, s->valid_share, s->seed};
    TRY(document_lines_open(&j->lines, run, &from, split));
    TRY(json_open(&j->tools, run, text));
    *state = j;
    return OK;
}

static Status has_words(Jsonl *j, const Record *r, bool *words)
{
    TextWords text;
    arena_release(&j->look, (ArenaMark){0});
    TRY(json_text_parse(&j->tools, r, j->settings->text_key, NULL, &j->look, &text, NULL));
    *words = text.words > 0;
    return OK;
}

static Status jsonl_next(void *state, Record *out, bool *end)
{
    Jsonl *j = state;
    for (bool first, words = true;; j->skipped++) {
        for (bool belongs = false; !belongs;) {
            Word label = {0};
            TRY(document_lines_next(&j->lines, out, &first, end));
            if (*end) return OK;
            if (j->lines.split.by_share) TRY(json_label(&j->tools, out, j->settings->label_key, &label));
            TRY(document_belongs(&j->lines.split, document_trim(label), &belongs));
        }
        if (j->skip) TRY(has_words(j, out, &words));
        if (words) return OK;
    }
}

static Status jsonl_parse(void *state, const Record *r, Arena *scratch, Example *out)
{
    Jsonl *j = state;
    TextWords text;
    Word label;
    TRY(json_text_parse(&j->tools, r, j->settings->text_key, j->settings->label_key, scratch, &text, &label));
    TRY(document_label(label, r, &label));
    return document_put(&text, label, r, scratch, out);
}

static int64_t jsonl_skipped(const void *state) { return ((const Jsonl *)state)->skipped; }

const ImporterDef import_jsonl = {
    .component = {.name = "jsonl", .help = "Labelled documents, one JSON object a line.", ROWS(fields, JsonlSettings)},
    .fields = document_fields,
    .n_fields = DOCUMENT_FIELDS,
    .open = jsonl_open,
    .next = jsonl_next,
    .parse = jsonl_parse,
    .close = jsonl_close,
    .skipped = jsonl_skipped,
    .sample = {.rows = "train: [sample.jsonl], test: [sample.jsonl], valid_share: 0.25",
               .file = {{"sample.jsonl", "{\"text\": \"a fine film. go and see it.\", \"label\": \"good\"}\n"
                                         "{\"text\": \"dull. i left early.\", \"label\": \"bad\"}\n"
                                         "{\"text\": \"the best of the year.\", \"label\": \"good\"}\n"
                                         "{\"text\": \"a bad film.\", \"label\": \"bad\"}\n"
                                         "{\"text\": \"fine actors, and a good end.\", \"label\": \"good\"}\n"
                                         "{\"text\": \"nothing in it is good.\", \"label\": \"bad\"}\n"
                                         "{\"text\": \"i liked it.\", \"label\": \"good\"}\n"
                                         "{\"text\": \"a dull end.\", \"label\": \"bad\"}\n"}},
               .question = "{\"text\": \"a fine end. i liked it.\"}"},
};
