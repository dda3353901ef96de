/* config_nested.h - a table whose rows nest: groups, parts, parts of parts, and a family that is its own part. */
#ifndef TESTS_CONFIG_NESTED_H
#define TESTS_CONFIG_NESTED_H
#include "io/config/config.h"

typedef enum Keep { KEEP_HEAD, KEEP_TAIL, KEEP_BOTH } Keep;

typedef struct Reading {
    int64_t words;
    Keep keep;
} Reading;

typedef struct Attention {
    Chosen score;
    bool coverage;
    const char *file;
} Attention;

typedef struct Pairs {
    int64_t hidden;
    Reading reading;
    Attention attention;
    Chosen encoder;
} Pairs;

typedef struct Single {
    Attention word;
    int hidden;
} Single;

typedef struct ManyScores {
    int64_t rows;
} ManyScores;

typedef struct Recurrent {
    Chosen cell;
    int64_t layers;
} Recurrent;

typedef struct Stacked {
    Chosen inner;
} Stacked;

typedef struct Lstm {
    double forget_bias;
} Lstm;

typedef struct Text {
    Reading reading;
    int64_t lines;
    const char *bucket; /* NULL: auto */
} Text;

static const char *nested_keep(int i) { return (const char *const[]){"head", "tail", "both", NULL}[i]; }
static const char *nested_size(int i) { return (const char *const[]){"small", "large", NULL}[i]; }

static const Field nested_lstm[] = {
    FIELD(Lstm, forget_bias, .preset = "1", .max = 10, .help = "Where the bias starts."),
};
static const Component nested_cells[] = {
    {.name = "gru", .help = "Gated."},
    {.name = "lstm", .help = "Long.", .fields = nested_lstm, .n_fields = 1, .size = sizeof(Lstm)},
};
static const Component *nested_cell(int i) { return i < COUNT(nested_cells) ? &nested_cells[i] : NULL; }

static const Field nested_many[] = {
    FIELD(ManyScores, rows, .preset = "4", .min = 1, .max = 64, .help = "Side by side."),
};
static const Component nested_scores[] = {
    {.name = "dot", .help = "A product."},
    {.name = "multi_dim",
     .help = "Several.",
     .source = "Lin 2017",
     .fields = nested_many,
     .n_fields = 1,
     .size = sizeof(ManyScores)},
};
static const Component *nested_score(int i) { return i < COUNT(nested_scores) ? &nested_scores[i] : NULL; }

static const Component *nested_encoder(int i);
static const Field nested_recurrent[] = {
    FIELD_PART(Recurrent, cell, nested_cell, .preset = "{name: lstm, forget_bias: 2}", .help = "The cell."),
    FIELD(Recurrent, layers, .preset = "1", .min = 1, .max = 8, .help = "Layers."),
};
static const Field nested_stacked[] = {
    FIELD_PART(Stacked, inner, nested_encoder, .preset = "features", .help = "What is stacked on."),
};
static const Component nested_encoders[] = {
    {.name = "recurrent", .help = "Cells.", .fields = nested_recurrent, .n_fields = 2, .size = sizeof(Recurrent)},
    {.name = "stacked", .help = "Another.", .fields = nested_stacked, .n_fields = 1, .size = sizeof(Stacked)},
    {.name = "features", .help = "Numbers."},
};
static const Component *nested_encoder(int i) { return i < COUNT(nested_encoders) ? &nested_encoders[i] : NULL; }

static const Field nested_reading[] = {
    FIELD(Reading, words, .preset = "100", .min = 1, .max = 1e6, .unit = "words", .help = "Words that are read."),
    FIELD(Reading, keep, .preset = "head", .choice = nested_keep, .help = "Which end stays."),
};
static const Field nested_attention_rows[] = {
    FIELD_PART(Attention, score, nested_score, .preset = "dot", .help = "The score."),
    FIELD(Attention, coverage, .preset = "false", .effect = EFFECT_EXTENT, .help = "See what was seen."),
    FIELD(Attention, file, .preset = "\"\"", .is_file = true, .help = "A file."),
};
static const FieldRows nested_attention = {nested_attention_rows, COUNT(nested_attention_rows), sizeof(Attention)};
static const Field nested_pairs[] = {
    FIELD(Pairs, hidden, .preset = "50", .min = 1, .max = 16384, .help = "Units."),
    FIELD_GROUP(Pairs, reading, nested_reading, .preset = "{words: 7}", .help = "What is read."),
    FIELD_ROWS(Pairs, attention, &nested_attention, .help = "How it looks."),
    FIELD_PART(Pairs, encoder, nested_encoder, .help = "What reads."),
};
static const Moved nested_pairs_moved[] = {
    {"score", "attention.score"}, {"rows", "attention.score.rows"}, {"size", "hidden reading.words"}, {0}};
static const Field nested_single[] = {
    FIELD_ROWS(Single, word, &nested_attention, .preset = "{score: {name: multi_dim, rows: 2}, coverage: true}",
               .help = "How it looks."),
    FIELD(Single, hidden, .preset = "small", .choice = nested_size, .help = "How large."),
};
static const Component nested_models_list[] = {
    {.name = "pairs",
     .help = "Pairs.",
     .fields = nested_pairs,
     .n_fields = COUNT(nested_pairs),
     .size = sizeof(Pairs),
     .moved = nested_pairs_moved},
    {.name = "single",
     .help = "One.",
     .fields = nested_single,
     .n_fields = COUNT(nested_single),
     .size = sizeof(Single)},
};
static const Component *nested_models(int i) { return i < COUNT(nested_models_list) ? &nested_models_list[i] : NULL; }

static const Field nested_text[] = {
    FIELD_GROUP(Text, reading, nested_reading, .help = "What is read."),
    FIELD(Text, lines, .preset = "0", .help = "Lines."),
    FIELD(Text, bucket, .preset = "auto", .none = "auto", .help = "Field that sorts."),
};
static const Moved nested_text_moved[] = {{"words", "reading.words"}, {0}};
static const Section nested_sections[] = {
    {.name = "model", .help = "The model.", .choice = nested_models},
    {.name = "text",
     .help = "The text.",
     .fields = nested_text,
     .n_fields = COUNT(nested_text),
     .size = sizeof(Text),
     .moved = nested_text_moved},
};
static const Section *const nested_list[] = {&nested_sections[0], &nested_sections[1], NULL};
static const ConfigTable nested_table = {.sections = nested_list};

#endif
