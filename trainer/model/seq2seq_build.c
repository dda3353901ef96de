/* seq2seq_build.c - parameters of the model, and what cannot be together. */
#include <math.h>
#include <string.h>

#include "trainer/model/seq2seq.h"

static bool tied(const Seq2SeqSettings *s, const char *how)
{
    return strcmp(s->tie, how) == 0 || strcmp(s->tie, "all") == 0;
}

static int choice(const char *(*name)(int i), const char *wanted)
{
    int i = 0;
    while (strcmp(name(i), wanted) != 0) i++;
    return i;
}

static int64_t decoder_units(const Seq2SeqSettings *s) { return s->decoder_hidden ? s->decoder_hidden : s->hidden; }

static Status build_source(Model *m)
{
    const Seq2SeqSettings *s = m->settings;
    Seq2Seq *st = m->state;
    if (strcmp(s->embedding, "pretrained") == 0) m->pretrained = s->dim;
    const EmbeddingOptions o = {.kind = s->embedding,
                                .frozen = s->frozen,
                                .words = m->data.words,
                                .width = s->dim,
                                .spread = s->embedding_spread};
    st->source = (Embedding){.words = m->data.words, .width = s->dim}; /* tie all: its table is made last */
    if (strcmp(s->tie, "all") != 0) TRY(embedding_build(&st->source, m->params, "source/embedding", &o));
    const RnnSettings rnn = {.cell = (RnnCell)choice(rnn_cell_name, s->cell),
                             .hidden = s->hidden,
                             .layers = s->layers,
                             .bidirectional = s->bidirectional,
                             .reversed = s->reverse_source,
                             .every_last = true,
                             .dropout = s->dropout_layers,
                             .recurrent_dropout = s->dropout_state,
                             .forget_bias = s->forget_bias};
    TRY(rnn_declare(&st->encoder, m->params, "encoder", rnn, st->source.width));
    const BridgeSizes size = {.layers = s->layers,
                              .encoder = s->hidden,
                              .decoder = decoder_units(s),
                              .directions = s->bidirectional ? 2 : 1,
                              .reversed = s->reverse_source,
                              .cell = rnn.cell == RNN_LSTM};
    return bridge_build(&st->bridge, m->params, "bridge", s->bridge, &size);
}

/* The table of target words: of its own, or the source's. That of the output layer is made with it. */
static Status build_target(Model *m)
{
    const Seq2SeqSettings *s = m->settings;
    Seq2Seq *st = m->state;
    if (tied(s, "target_output")) return OK;
    if (tied(s, "source_target")) {
        st->target = st->source;
        return OK;
    }
    const EmbeddingOptions o = {
        .kind = "learned", .words = m->data.labels, .width = s->dim, .spread = s->embedding_spread};
    return embedding_build(&st->target, m->params, "target/embedding", &o);
}

static Status build_attention(Model *m)
{
    const Seq2SeqSettings *s = m->settings;
    Seq2Seq *st = m->state;
    if (strcmp(s->apply, "none") == 0) return OK;
    const char *reason = attend_refuses(s->score, s->select, s->range, s->apply);
    REQUIRE(!reason, ERR_CONFIG, "model seq2seq: score %s, select %s, range %s, apply %s: %s", s->score, s->select,
            s->range, s->apply, reason);
    const AttendSettings a = {.score = s->score,
                              .select = s->select,
                              .range = s->range,
                              .apply = s->apply,
                              .attend = s->attend,
                              .rows = s->rows,
                              .window = s->window,
                              .selection = {.temperature = s->temperature,
                                            .straight_through = s->straight_through,
                                            .reinforce = s->reinforce,
                                            .entropy = s->entropy},
                              .orthogonality = s->orthogonality,
                              .coverage = s->coverage,
                              .coverage_loss = s->coverage_loss,
                              .guide = s->guide};
    const AttendSizes size = {
        .keys = s->hidden * (s->bidirectional ? 2 : 1), .query = decoder_units(s), .longest = m->data.longest_words};
    TRY(attend_build(&st->attend, m->params, &a, size, "attention"));
    if (strcmp(s->score, "location") == 0) m->most_words = m->data.longest_words;
    if (!st->attend->select->rewards) return OK;
    TRY(param_average(&st->baseline, m->params, "attention/baseline", SHAPE1(1), -log((double)m->data.labels),
                      s->baseline_rate));
    st->baseline->meaning = "mean log probability of a target word";
    return OK;
}

static Status build_decoder(Model *m)
{
    const Seq2SeqSettings *s = m->settings;
    Seq2Seq *st = m->state;
    const DecoderSettings d = {.cell = (RnnCell)choice(rnn_cell_name, s->cell),
                               .input = tied(s, "target_output") ? s->dim : st->target.width,
                               .hidden = decoder_units(s),
                               .layers = s->layers,
                               .apply = (DecoderApply)choice(decoder_apply_name, s->apply),
                               .input_feeding = s->input_feeding,
                               .dropout = s->dropout_layers,
                               .recurrent_dropout = s->dropout_state,
                               .forget_bias = s->forget_bias};
    TRY(decoder_build(&st->decoder, m->params, "decoder", &d, st->attend));
    return readout_build(&st->readout, m->params, "readout", s->readout, decoder_width(&st->decoder), d.input,
                         s->maxout);
}

static Status build_output(Model *m)
{
    const Seq2SeqSettings *s = m->settings;
    Seq2Seq *st = m->state;
    const int64_t V = m->data.labels, D = st->readout.width;
    const bool one = tied(s, "target_output");
    REQUIRE(!one || s->dim == D, ERR_CONFIG,
            "tie %s: embeddings have %lld units (dim), but the output layer reads %lld (readout %s)", s->tie,
            (long long)s->dim, (long long)D, s->readout);
    TRY(param_add(&st->w, m->params, "output/W", SHAPE2(V, D), one ? INIT_NORMAL : INIT_XAVIER,
                  one ? s->embedding_spread : 1));
    st->w->meaning = one ? "rows are words: their embeddings, and what features are compared with" : "rows are words";
    TRY(param_add(&st->bias, m->params, "output/b", SHAPE1(V), INIT_ZERO, 0));
    st->bias->meaning = "bias of each word";
    if (one) st->target = (Embedding){.table = st->w, .words = V, .width = D};
    if (one && tied(s, "source_target")) st->source = st->target;
    return OK;
}

static Status check(const Model *m)
{
    const Seq2SeqSettings *s = m->settings;
    REQUIRE(!tied(s, "source_target") || m->data.shared, ERR_CONFIG,
            "tie %s: source and target have vocabularies of their own; pack the corpus with one (source.shared)",
            s->tie);
    REQUIRE(strcmp(s->tie, "all") != 0 || strcmp(s->embedding, "learned") == 0, ERR_CONFIG,
            "tie all: the source's embeddings are the output layer's weights, so embedding must be learned, not %s",
            s->embedding);
    REQUIRE(strcmp(s->tie, "source_target") != 0 || strcmp(s->embedding, "one_hot") != 0, ERR_CONFIG,
            "tie source_target: one-hot vectors are no table");
    REQUIRE(s->guide == 0 || m->data.shared, ERR_CONFIG,
            "guide %g: source and target have vocabularies of their own, and none of their words are the same; pack "
            "the corpus with one (source.shared)",
            s->guide);
    REQUIRE(!s->straight_through || strcmp(s->select, "gumbel") == 0 || strcmp(s->apply, "none") == 0, ERR_CONFIG,
            "straight_through is for select gumbel, which draws; select is %s", s->select);
    return seq2seq_sampling_check(s);
}

Status seq2seq_build(Model *m)
{
    Seq2Seq *st = m->state;
    if (!st) TRY_NEW(st, m->run, 1);
    m->state = st;
    TRY(check(m));
    TRY(build_source(m));
    TRY(build_target(m));
    TRY(build_attention(m));
    TRY(build_decoder(m));
    return build_output(m);
}
