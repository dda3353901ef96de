/* seq2seq.c - sequence to sequence with attention (Sutskever 2014, Bahdanau 2015, Luong 2015).
 *
 *   source words -> recurrent encoder -> bridge -> recurrent decoder, which looks at the encoder's states, -> readout
 * -> output layer over the target's words The papers' models are configurations of it: see configs/. */
#include <string.h>

#include "trainer/model/seq2seq.h"

const char *seq2seq_tie_name(int i)
{
    return (const char *const[]){"none", "source_target", "target_output", "all", NULL}[i];
}

static const Field fields[] = {
#include "trainer/model/seq2seq_rows.h"
};

static const ModelNeed needs[] = {{"source", 1, "words of the source"}, {"target", 1, "words of the target"}};

Status seq2seq_init(Model *m)
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

/* Of an attention that learns from rewards. */
typedef struct Reward {
    Node *made; /* the decoder's result */
    Param *baseline;
} Reward;

static void reward(Tape *t, void *context, const real *loss)
{
    const Reward *r = context;
    (void)t;
    decoder_reward(r->made, loss, r->baseline);
}

Status seq2seq_tokens(const Model *m, Tape *t, const Batch *b, const Seq2SeqSource *source, Prediction *out,
                      Node **result)
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
    DecoderStart start = source->start;
    int32_t *wanted = NULL;
    if (t->train && set->guide > 0 && s->attend) TRY(seq2seq_guide(t->arena, b, &wanted));
    start.wanted = wanted;
    const DecoderOut made = decoder_forward(&s->decoder, t, x, index, target.seq, &start);
    TRY(tape_status(t));
    decoder_view(made.y, t,
                 &(TapeView){.name = "source", .rows = {AXIS_WORDS, ROLE_TARGET}, .columns = {AXIS_WORDS, ROLE_INPUT}});
    Node *features = op_dropout(t, readout_forward(&s->readout, t, made.y, e), set->dropout_output, key);
    out->words = (PredictionWords){
        .x = features, .w = tape_param(t, s->w), .bias = tape_param(t, s->bias), .target = target.output};
    out->seq = target.seq;
    out->penalty = made.penalty;
    *result = made.y;
    if (s->baseline && t->train) {
        Reward *r = out->context = tape_alloc(t, sizeof *r);
        if (r) *r = (Reward){made.y, s->baseline};
        out->reward = reward;
    }
    return tape_status(t);
}

static void forward(Model *m, Tape *t, const Batch *b, Prediction *out)
{
    Seq2SeqSource source;
    seq2seq_encode(m, t, b, &source);
    if (t->status != OK) return;
    Node *made;
    const Status st = seq2seq_tokens(m, t, b, &source, out, &made);
    if (st != OK) tape_fail(t, st);
}

const ModelDef model_seq2seq = {
    .component = {.name = "seq2seq",
                  .help = "Sequence to sequence: an encoder, a decoder, and attention between them.",
                  .source = "Sutskever et al. 2014, Bahdanau et al. 2015, Luong et al. 2015",
                  ROWS(fields, Seq2SeqSettings)},
    .needs = needs,
    .n_needs = COUNT(needs),
    .target = "target",
    .predicts = PREDICTION_WORDS,
    .build = seq2seq_build,
    .init = seq2seq_init,
    .forward = forward,
    .generate = &seq2seq_generate,
    .tiny = "source: {name: language, train: 24, valid: 6, test: 6, max_words: 8}\n"
            "model: {name: seq2seq, dim: 4, hidden: 4, attend: 3}\n"
            "task: {name: translation}\n",
};
