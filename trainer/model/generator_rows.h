/* generator_rows.h - the settings of a generator as rows: stands inside the table of a model. Before it OWNER is
 * defined, the model's struct of settings, which has a GeneratorSettings `words`. */
#define SHARE .min = 0, .max = 0.95
#define ROW(member, ...)                                                                                               \
    {                                                                                                                  \
        .key = #member, .kind = FIELD_KIND(((OWNER *)0)->words.member), .offset = offsetof(OWNER, words.member),       \
        __VA_ARGS__                                                                                                    \
    }
ROW(embedding, .preset = "learned", .choice = embedding_kind,
    .help = "Where the vectors of source words come from; those of target words are learnt unless tied."),
    ROW(dim, .preset = "512", .min = 1, .max = 8192, .unit = "units", .help = "Width of the embeddings."),
    ROW(frozen, .preset = "false", .help = "The source's embeddings stay as they are at the start."),
    ROW(embedding_spread, .preset = "0.1", .min = 0, .max = 10,
        .help = "Standard deviation of embeddings that are drawn."),
    ROW(tie, .preset = "none", .choice = generator_tie_name,
        .help = "Which tables are one: source_target (a shared vocabulary), target_output (embeddings of target words "
                "and weights of the output layer), all."),
    ROW(cell, .preset = "lstm", .choice = cell_name, .help = "Recurrent cell of encoder and decoder."),
    ROW(hidden, .preset = "512", .min = 1, .max = 8192, .unit = "units",
        .help = "Width of the encoder's recurrent state, of each direction."),
    ROW(decoder_hidden, .preset = "0", .min = 0, .max = 8192, .unit = "units",
        .help = "Width of the decoder's recurrent state; 0: that of the encoder."),
    ROW(layers, .preset = "1", .min = 1, .max = 16, .help = "Recurrent layers of the encoder and of the decoder."),
    ROW(bidirectional, .preset = "false", .help = "The encoder reads in both directions."),
    ROW(reverse_source, .preset = "false",
        .help = "The encoder reads from the last word to the first (Sutskever 2014); the order of its states stays."),
    ROW(forget_bias, .preset = "1", .min = -10, .max = 10, .help = "Cell lstm: added to the forget gate's sum."),
    ROW(bridge, .preset = "copy", .choice = bridge_name,
        .help = "What the decoder starts from: the encoder's last states, a linear map of them, a linear map of the "
                "backward direction's (Bahdanau 2015), or zero."),
    ROW(apply, .preset = "after", .choice = recurrent_apply_name,
        .help = "Where attention is applied: between the steps (Bahdanau 2015), after the step (Luong 2015), none."),
    ROW(input_feeding, .preset = "true", .help = "Apply after: the result of a step enters the next one."),
    {.key = "attention",
     .kind = FIELD_GROUP,
     .offset = offsetof(OWNER, words.attention),
     .size = sizeof(AttendSettings),
     .rows = &attend_rows,
     .help = "What the decoder sees of the source's states."},
    ROW(guide, .preset = "0", .min = 0, .max = 1000,
        .help = "Weight of -log of the attention to the source word that, with the fewest edits, becomes the target's "
                "word: for the correction of text, where both are one language (a shared vocabulary)."),
    ROW(readout, .preset = "state", .choice = readout_name,
        .help = "What the output layer reads: the decoder's result, tanh or maxout of it and the word before."),
    ROW(maxout, .preset = "500", .min = 1, .max = 8192, .unit = "units", .help = "Width of readouts tanh and maxout."),
    ROW(dropout_embedding, .preset = "0", SHARE, .help = "Share of each word's vector dropped."),
    ROW(dropout_layers, .preset = "0", SHARE, .help = "Share of the states dropped between recurrent layers."),
    ROW(dropout_state, .preset = "0", SHARE,
        .help = "Share of the recurrent state dropped, the same units all along a sequence."),
    ROW(dropout_output, .preset = "0", SHARE, .help = "Share of what the output layer reads dropped."),
    ROW(sampling, .preset = "none", .choice = sampling_name,
        .help = "Scheduled sampling (Bengio 2015): how the chance of the true word before falls with the steps."),
    ROW(sampling_rate, .preset = "0", .min = 0, .max = 1e9,
        .help = "k of the decay after i steps: linear 1 - k i, exponential k^i, inverse_sigmoid k / (k + exp(i / k)); "
                "0: 0.0001, 0.9999 or 1000."),
    ROW(sampling_least, .preset = "0", .min = 0, .max = 1, .help = "The chance falls no lower."),
    ROW(sampling_start, .preset = "0", .min = 0, .max = 1e12, .unit = "steps",
        .help = "Steps before it begins to fall."),
    ROW(sampling_choose, .preset = "sample", .choice = sampling_choose_name,
        .help = "The model's own word: drawn by its probability, or the most likely."),
