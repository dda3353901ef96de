/* seq2seq.c - sequence to sequence with attention (Sutskever 2014, Bahdanau 2015, Luong 2015).
 *
 *   source words -> recurrent encoder -> bridge -> recurrent decoder, which looks at the encoder's states, -> readout
 * -> output layer over the target's words The papers' models are configurations of it: see configs/. */
#include <string.h>

#include "trainer/model/seq2seq.h"

#define SHARE .min = 0, .max = 0.95

static const char *tie_name(int i)
{
    return (const char *const[]){"none", "source_target", "target_output", "all", NULL}[i];
}

#define ROW(member, ...) FIELD(Seq2SeqSettings, member, __VA_ARGS__)

static const Field fields[] = {
    ROW(embedding, .preset = "learned", .choice = embedding_kind,
        .help = "Where the vectors of source words come from; those of target words are learnt unless tied."),
    ROW(dim, .preset = "512", .min = 1, .max = 8192, .unit = "units", .help = "Width of the embeddings."),
    ROW(frozen, .preset = "false", .help = "The source's embeddings stay as they are at the start."),
    ROW(embedding_spread, .preset = "0.1", .min = 0, .max = 10,
        .help = "Standard deviation of embeddings that are drawn."),
    ROW(tie, .preset = "none", .choice = tie_name,
        .help = "Which tables are one: source_target (a shared vocabulary), target_output (embeddings of target words "
                "and weights of the output layer), all."),
    ROW(cell, .preset = "lstm", .choice = rnn_cell_name, .help = "Recurrent cell of encoder and decoder."),
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
    ROW(apply, .preset = "after", .choice = decoder_apply_name,
        .help = "Where attention is applied: between the steps (Bahdanau 2015), after the step (Luong 2015), none."),
    ROW(input_feeding, .preset = "true", .help = "Apply after: the result of a step enters the next one."),
    ROW(score, .preset = "general", .choice = score_name, .help = "Attention score."),
    ROW(select, .preset = "soft", .choice = select_name, .help = "How scores become weights."),
    ROW(range, .preset = "global", .choice = range_name, .help = "Where a query may look."),
    ROW(attend, .preset = "512", .min = 1, .max = 8192, .unit = "units",
        .help = "Width of the hidden layer of scores that have one."),
    ROW(rows, .preset = "4", .min = 1, .max = 256, .help = "Score multi_dim: attentions side by side."),
    ROW(window, .preset = "10", .min = 1, .max = 100000, .unit = "words",
        .help = "Ranges local_m and local_p: words to each side of the window's middle."),
    ROW(temperature, .preset = "1", .min = 0.001, .max = 1000, .help = "Selection gumbel: temperature."),
    ROW(temperature_rate, .preset = "0", .min = 0, .max = 1,
        .help = "Selection gumbel: r of the temperature at step i, temperature exp(-r i) (Jang 2017)."),
    ROW(temperature_least, .preset = "0.1", .min = 0.001, .max = 1000, .help = "The temperature falls no lower."),
    ROW(straight_through, .preset = "false", .help = "Selection gumbel: one position forward, all of them backward."),
    ROW(reinforce, .preset = "1", .min = 0, .max = 1000,
        .help = "Selection hard_sample: weight of the reward in the gradient."),
    ROW(baseline_rate, .preset = "0.01", .min = 0.000001, .max = 1,
        .help = "Selection hard_sample: share by which the baseline moves to the mean log probability of a step."),
    ROW(entropy, .preset = "0.01", .min = 0, .max = 1000,
        .help = "Selection hard_sample: weight of the entropy that keeps it looking around."),
    ROW(orthogonality, .preset = "0", .min = 0, .max = 1000,
        .help = "Score multi_dim: weight of the penalty on attentions that look at the same place."),
    ROW(coverage, .preset = "false", .help = "Scores with a hidden layer see what each word got before (Tu 2016)."),
    ROW(coverage_loss, .preset = "0", .min = 0, .max = 1000,
        .help = "Weight of the penalty on looking where was looked before (See 2017)."),
    ROW(readout, .preset = "state", .choice = readout_name,
        .help = "What the output layer reads: the decoder's result, tanh or maxout of it and the word before."),
    ROW(maxout, .preset = "500", .min = 1, .max = 8192, .unit = "units", .help = "Width of readouts tanh and maxout."),
    ROW(dropout_embedding, .preset = "0", SHARE, .help = "Share of each word's vector dropped."),
    ROW(dropout_layers, .preset = "0", SHARE, .help = "Share of the states dropped between recurrent layers."),
    ROW(dropout_state, .preset = "0", SHARE,
        .help = "Share of the recurrent state dropped, the same units all along a sequence."),
    ROW(dropout_output, .preset = "0", SHARE, .help = "Share of what the output layer reads dropped."),
    ROW(sampling, .preset = "none", .choice = seq2seq_sampling_name,
        .help = "Scheduled sampling (Bengio 2015): how the chance of the true word before falls with the steps."),
    ROW(sampling_rate, .preset = "0.0001", .min = 0, .max = 1e9,
        .help = "k of the decay: linear 1 - k i, exponential k^i, inverse_sigmoid k / (k + exp(i / k)), i steps."),
    ROW(sampling_least, .preset = "0", .min = 0, .max = 1, .help = "The chance falls no lower."),
    ROW(sampling_start, .preset = "0", .min = 0, .max = 1e12, .unit = "steps",
        .help = "Steps before it begins to fall."),
    ROW(sampling_choose, .preset = "sample", .choice = seq2seq_choose_name,
        .help = "The model's own word: drawn by its probability, or the most likely."),
};

static const ModelNeed needs[] = {{"source", 1, "words of the source"}, {"target", 1, "words of the target"}};

static Status init(Model *m)
{
    const ModelData *data = &m->data;
    Seq2Seq *s = m->state;
    if (!m->pretrained) return OK;
    REQUIRE(data->vectors, ERR_CONFIG, "embedding pretrained: there are no vectors of words");
    REQUIRE(data->vector_width == m->pretrained, ERR_CONFIG,
            "embedding pretrained: dim is %lld, but the vectors have %lld numbers", (long long)m->pretrained,
            (long long)data->vector_width);
    embedding_fill(&s->source, data->vectors, data->vector_known);
    return OK;
}

static Status tokens(const Model *m, Tape *t, const Batch *b, const Seq2SeqSource *source, ModelOutput *out)
{
    const Seq2SeqSettings *set = m->settings;
    const Seq2Seq *s = m->state;
    Seq2SeqTarget target;
    TRY(seq2seq_target(m, t->arena, b, &target));
    if (t->train && strcmp(set->sampling, "none") != 0) TRY(seq2seq_sample(m, t, b, source, &target));
    const int64_t N = target.seq.offset[b->B];
    uint64_t *key = NULL;
    if (t->train) {
        TRY_NEW(key, t->arena, N);
        for (int64_t i = 0; i < b->B; i++)
            for (int64_t p = target.seq.offset[i]; p < target.seq.offset[i + 1]; p++)
                key[p] = op_row_key(b->example[i], p - target.seq.offset[i]);
    }
    const Lookup lookup = embedding_forward(&s->target, t, N, target.input);
    Node *x = lookup.rows, *e = NULL;
    const int32_t *index = lookup.index;
    if (t->train && set->dropout_embedding > 0) {
        x = e = op_dropout(t, op_gather(t, x, N, index), set->dropout_embedding, key);
        index = NULL;
    } else if (readout_reads_embedding(&s->readout)) {
        e = op_gather(t, x, N, index);
    }
    const DecoderOut made = decoder_forward(&s->decoder, t, x, index, target.seq, &source->start);
    TRY(tape_status(t));
    decoder_view(made.y, t, "source");
    Node *features = op_dropout(t, readout_forward(&s->readout, t, made.y, e), set->dropout_output, key);
    out->tokens = tape_alloc(t, sizeof *out->tokens);
    real *loss = tape_alloc(t, (size_t)N * sizeof *loss);
    TRY(tape_status(t));
    *out->tokens = (ModelTokens){.x = features,
                                 .w = tape_param(t, s->w),
                                 .bias = tape_param(t, s->bias),
                                 .seq = target.seq,
                                 .target = target.output,
                                 .loss = loss};
    out->penalty = made.penalty;
    if (s->baseline && t->train) decoder_reward(made.y, loss, s->baseline);
    return tape_status(t);
}

static void forward(Model *m, Tape *t, const Batch *b, ModelOutput *out)
{
    Seq2SeqSource source;
    seq2seq_encode(m, t, b, &source);
    if (t->status != OK) return;
    const Status st = tokens(m, t, b, &source, out);
    if (st != OK) tape_fail(t, st);
}

const ModelDef model_seq2seq = {
    .component = {"seq2seq", "Sequence to sequence: an encoder, a decoder, and attention between them.",
                  "Sutskever et al. 2014, Bahdanau et al. 2015, Luong et al. 2015", fields, COUNT(fields),
                  sizeof(Seq2SeqSettings)},
    .needs = needs,
    .n_needs = COUNT(needs),
    .target = "target",
    .build = seq2seq_build,
    .init = init,
    .forward = forward,
    .generate = &seq2seq_generate,
};
