/* features.c - rows of numbers with a caption or a label, one JSON object a line: what a network for pictures made of
 * the regions of a picture, and what is said of it. */
#include <inttypes.h>

#include "io/import/document.h"
#include "io/import/families.h"
#include "io/import/json_fields.h"

typedef enum TargetKind { TARGET_TEXT, TARGET_LABEL } TargetKind;

typedef struct FeaturesSettings {
    TextList train, valid, test;
    const char *features_key, *target_key;
    TargetKind target;
    double valid_share;
    int64_t width, seed;
} FeaturesSettings;

static const char *target_choice(int i) /* of TargetKind */ { return (const char *const[]){"text", "label", NULL}[i]; }

static const Field rows[] = {
    FIELD(FeaturesSettings, train, .is_file = true, .help = "Files to train on; patterns such as data/*.jsonl."),
    FIELD(FeaturesSettings, valid, .preset = "[]", .is_file = true, .help = "Files to validate on."),
    FIELD(FeaturesSettings, test, .preset = "[]", .is_file = true, .help = "Files to test on."),
    FIELD(FeaturesSettings, width, .min = 1, .max = 1e6, .unit = "numbers", .help = "Numbers of each row."),
    FIELD(FeaturesSettings, features_key, .preset = "features", .help = "Key of the rows: a list of lists of numbers."),
    FIELD(FeaturesSettings, target_key, .preset = "target", .help = "Key of the caption or label."),
    FIELD(FeaturesSettings, target, .preset = "text", .choice = target_choice,
          .help = "text: a caption, a string or a list of words; label: a string or a whole number."),
    FIELD(FeaturesSettings, valid_share, .preset = "0.1", .min = 0, .max = 0.9,
          .help = "Share of the training examples, chosen at random, to validate on when there are no files for that."),
    FIELD(FeaturesSettings, seed, .preset = "1", .min = 0, .max = 1e15,
          .help = "Of the choice of examples to validate on."),
};

enum { FEATURES_ROWS, FEATURES_TARGET, FEATURES_FIELDS };

static int features_fields(const void *settings, DataField *fields)
{
    const FeaturesSettings *s = settings;
    fields[FEATURES_ROWS] =
        (DataField){.name = "features", .role = ROLE_FEATURES, .levels = 1, .type = FIELD_FLOATS, .width = s->width};
    fields[FEATURES_TARGET] =
        s->target == TARGET_TEXT
            ? (DataField){.name = "target", .role = ROLE_TARGET, .vocab = "target", .levels = 1, .special = true}
            : (DataField){.name = "label", .role = ROLE_TARGET, .vocab = "labels", .levels = 0, .closed = true};
    return FEATURES_FIELDS;
}

typedef struct Features {
    DocumentLines lines;
    JsonTools tools;
    DataField field[FEATURES_FIELDS];
    JsonKey key[FEATURES_FIELDS];
} Features;

static void features_close(void *state)
{
    Features *f = state;
    document_lines_close(&f->lines);
    json_close(&f->tools);
}

static Status features_open(void **state, Arena *run, const void *settings, const TextSettings *text, const char *split)
{
    Features *f;
    TRY_NEW(f, run, 1);
    const FeaturesSettings *s = settings;
    const DocumentSource from = {&s->train, &s->valid, &s->test, s->valid_share, s->seed};
    (void)features_fields(s, f->field);
    f->key[FEATURES_ROWS] = (JsonKey){.key = s->features_key, .field = &f->field[FEATURES_ROWS], .at = FEATURES_ROWS};
    f->key[FEATURES_TARGET] =
        (JsonKey){.key = s->target_key, .field = &f->field[FEATURES_TARGET], .at = FEATURES_TARGET};
    TRY(document_lines_open(&f->lines, run, &from, split));
    TRY(json_open(&f->tools, run, text));
    *state = f;
    return OK;
}

static Status features_next(void *state, Record *out, bool *end)
{
    Features *f = state;
    const bool labels = f->lines.split.by_share && f->field[FEATURES_TARGET].levels == 0;
    for (bool first, belongs = false; !belongs;) {
        Word label = {0};
        TRY(document_lines_next(&f->lines, out, &first, end));
        if (*end) return OK;
        if (labels) TRY(json_label(&f->tools, out, f->key[FEATURES_TARGET].key, &label));
        TRY(document_belongs(&f->lines.split, document_trim(label), &belongs));
    }
    return OK;
}

static Status features_parse(void *state, const Record *r, Arena *scratch, Example *out)
{
    Features *f = state;
    *out = (Example){0};
    TRY(json_parse(&f->tools, r, FEATURES_FIELDS, f->key, scratch, out, NULL));
    const bool empty = f->field[FEATURES_TARGET].levels == 1 && out->field[FEATURES_TARGET].count[1] == 0;
    REQUIRE(!empty, ERR_DATA, "%s:%" PRId64 ": \"%s\" has no words", r->file, r->line, f->key[FEATURES_TARGET].key);
    return OK;
}

const ImporterDef import_features = {
    .component = {.name = "features",
                  .help = "Rows of numbers, such as the regions of a picture, with a caption or a label.",
                  ROWS(rows, FeaturesSettings)},
    .fields_of = features_fields,
    .open = features_open,
    .next = features_next,
    .parse = features_parse,
    .close = features_close,
    .sample = {.rows = "train: [sample.jsonl], test: [sample.jsonl], width: 2, valid_share: 0.25",
               .file = {{"sample.jsonl", "{\"features\": [[0.5, 1], [-1, 0.25]], \"target\": \"a red cat\"}\n"
                                         "{\"features\": [[2, 0]], \"target\": \"a dog\"}\n"
                                         "{\"features\": [[0, 0.1], [1, 1], [3, -2]], \"target\": \"a red dog sits\"}\n"
                                         "{\"features\": [[0.5, 0.5]], \"target\": \"a cat sits\"}\n"
                                         "{\"features\": [[2, 1], [1, 2]], \"target\": \"the dog\"}\n"
                                         "{\"features\": [[-2, 1]], \"target\": \"the cat\"}\n"}},
               .question = "{\"features\": [[0.5, 1], [2, 0]]}"},
};
