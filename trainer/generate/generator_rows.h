/* generator_rows.h - the settings of a generator as rows: stands inside the table of a model. Before it OWNER is
 * defined, the model's struct of settings, which has a GeneratorSettings `words`. */
#define SHARE .min = 0, .max = 0.95
#define ROW(member, ...)                                                                                               \
    {                                                                                                                  \
        .key = #member, .kind = FIELD_KIND(((OWNER *)0)->words.member), .offset = offsetof(OWNER, words.member),       \
        __VA_ARGS__                                                                                                    \
    }
#define PART(member, choices, ...)                                                                                     \
    {                                                                                                                  \
        .key = #member, .kind = FIELD_PART, .offset = offsetof(OWNER, words.member), .family = (choices), __VA_ARGS__  \
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
    PART(encoder, encoder_choice, .preset = "recurrent", .help = "What reads, and leaves a memory of states."),
    PART(decoder, decoder_choice, .preset = "recurrent", .help = "What writes, and looks at the memory."),
    {.key = "attention",
     .kind = FIELD_GROUP,
     .offset = offsetof(OWNER, words.attention),
     .size = sizeof(AttendSettings),
     .rows = &attend_rows,
     .help = "What the decoder sees of the memory."},
    ROW(guide, .preset = "0", .min = 0, .max = 1000,
        .help = "Weight of -log of the attention to the source word that, with the fewest edits, becomes the target's "
                "word: for the correction of text, where both are one language (a shared vocabulary)."),
    PART(readout, readout_choice, .preset = "state",
         .help = "What the output layer reads: the decoder's result, tanh or maxout of it and the word before."),
    ROW(dropout_embedding, .preset = "0", SHARE, .help = "Share of each word's vector dropped."),
    ROW(dropout_output, .preset = "0", SHARE, .help = "Share of what the output layer reads dropped."),
    PART(sampling, sampling_choice, .preset = "none",
         .help = "Scheduled sampling (Bengio 2015): how the chance of the true word before falls with the steps."),
