/* generator.c - a generator is put together: its parameters in the order of their use, and the ways through it. */
#include "trainer/generate/generator.h"

#include <string.h>

#include "trainer/generate/guide.h"

const char *generator_tie_name(int i)
{
    return (const char *const[]){"none", "source_target", "target_output", "all", NULL}[i];
}

/* --- Parameters. --- */

const Moved generator_moved[] = {{"score", "attention.score"},
                                 {"select", "attention.select"},
                                 {"range", "attention.range"},
                                 {"attend", "attention.score.width"},
                                 {"rows", "attention.score.rows"},
                                 {"orthogonality", "attention.score.orthogonality"},
                                 {"coverage", "attention.score.coverage"},
                                 {"coverage_loss", "attention.coverage_loss"},
                                 {"window", "attention.range.window"},
                                 {"temperature", "attention.select.temperature"},
                                 {"temperature_rate", "attention.select.temperature_rate"},
                                 {"temperature_least", "attention.select.temperature_least"},
                                 {"straight_through", "attention.select.straight_through"},
                                 {"reinforce", "attention.select.reinforce"},
                                 {"entropy", "attention.select.entropy"},
                                 {"baseline_rate", "attention.select.baseline_rate"},
                                 {0}};

static bool tied(const GeneratorSettings *s, const char *how)
{
    return strcmp(s->tie, how) == 0 || strcmp(s->tie, "all") == 0;
}

static int choice(const char *(*name)(int i), const char *wanted)
{
    int i = 0;
    while (strcmp(name(i), wanted) != 0) i++;
    return i;
}

static void spread_settings(Generator *g)
{
    const GeneratorSettings *s = g->settings;
    const CellDef *def = cell_find(s->cell);
    g->lstm = (LstmSettings){s->forget_bias};
    const Cell cell = {def, def->component.size ? &g->lstm : NULL};
    g->encoding = (RecurrentEncoderSettings){.cell = cell,
                                             .hidden = s->hidden,
                                             .layers = s->layers,
                                             .bidirectional = s->bidirectional,
                                             .reverse = s->reverse_source,
                                             .dropout = s->dropout_layers,
                                             .dropout_state = s->dropout_state};
    g->decoding = (RecurrentSettings){.cell = cell,
                                      .hidden = s->decoder_hidden ? s->decoder_hidden : s->hidden,
                                      .layers = s->layers,
                                      .bridge = (BridgeKind)choice(bridge_name, s->bridge),
                                      .apply = (RecurrentApply)choice(recurrent_apply_name, s->apply),
                                      .input_feeding = s->input_feeding,
                                      .dropout = s->dropout_layers,
                                      .recurrent_dropout = s->dropout_state,
                                      .attention = s->attention,
                                      .guide = s->guide};
    g->sampling = (SamplingSettings){.decay = s->sampling,
                                     .choose = s->sampling_choose,
                                     .rate = s->sampling_rate,
                                     .least = s->sampling_least,
                                     .start = s->sampling_start};
}

static Status check(const Generator *g)
{
    const GeneratorSettings *s = g->settings;
    REQUIRE(!tied(s, "source_target") || g->size.shared, ERR_CONFIG,
            "tie %s: source and target have vocabularies of their own; pack the corpus with one (source.shared)",
            s->tie);
    REQUIRE(strcmp(s->tie, "all") != 0 || strcmp(s->embedding, "learned") == 0, ERR_CONFIG,
            "tie all: the source's embeddings are the output layer's weights, so embedding must be learned, not %s",
            s->embedding);
    REQUIRE(strcmp(s->tie, "source_target") != 0 || strcmp(s->embedding, "one_hot") != 0, ERR_CONFIG,
            "tie source_target: one-hot vectors are no table");
    REQUIRE(s->guide == 0 || g->size.shared, ERR_CONFIG,
            "guide %g: source and target have vocabularies of their own, and none of their words are the same; pack "
            "the corpus with one (source.shared)",
            s->guide);
    return sampling_check(&g->sampling);
}

static Status build_source(Generator *g, Params *ps)
{
    const GeneratorSettings *s = g->settings;
    const EmbeddingOptions o = {.kind = s->embedding,
                                .frozen = s->frozen,
                                .words = g->size.source,
                                .width = s->dim,
                                .spread = s->embedding_spread};
    g->source = (Embedding){.words = g->size.source, .width = s->dim}; /* tie all: its table is made last */
    if (strcmp(s->tie, "all") != 0) TRY(embedding_build(&g->source, ps, "source/embedding", &o));
    return encoder_build(&g->encoder, ps, "encoder", &encoder_recurrent.component, &g->encoding, g->source.width,
                         g->size.longest);
}

/* The table of target words: of its own, or the source's. That of the output layer is made with it. */
static Status build_target(Generator *g, Params *ps)
{
    const GeneratorSettings *s = g->settings;
    g->writer.words = (Embedding){.words = g->size.target, .width = s->dim};
    if (tied(s, "target_output")) return OK;
    if (tied(s, "source_target")) {
        g->writer.words = g->source;
        return OK;
    }
    const EmbeddingOptions o = {
        .kind = "learned", .words = g->size.target, .width = s->dim, .spread = s->embedding_spread};
    return embedding_build(&g->writer.words, ps, "target/embedding", &o);
}

Status generator_build(Generator *g, Params *ps, const GeneratorSettings *s, const GeneratorSizes *size)
{
    const DecoderPaths path = {.join = "bridge", .attention = "attention", .decoder = "decoder"};
    const bool one = tied(s, "target_output");
    g->settings = s;
    g->size = *size;
    spread_settings(g);
    TRY(check(g));
    TRY(build_source(g, ps));
    TRY(decoder_join(&g->writer.decoder, ps, &decoder_recurrent.component, &g->decoding, &g->encoder.memory, &path));
    TRY(build_target(g, ps));
    TRY(writer_build(&g->writer, ps, &path, "readout", s->readout, s->maxout, size->target));
    REQUIRE(!one || s->dim == g->writer.readout.width, ERR_CONFIG,
            "tie %s: embeddings have %lld units (dim), but the output layer reads %lld (readout %s)", s->tie,
            (long long)s->dim, (long long)g->writer.readout.width, s->readout);
    TRY(writer_build_output(&g->writer, ps, "output", size->target, one, s->embedding_spread));
    if (one && tied(s, "source_target")) g->source = g->writer.words;
    return OK;
}

int64_t generator_pretrained(const Generator *g)
{
    return strcmp(g->settings->embedding, "pretrained") == 0 ? g->settings->dim : 0;
}

Status generator_init(Generator *g, const float *vectors, const bool *known, int64_t width)
{
    const int64_t wanted = generator_pretrained(g);
    if (!wanted) return OK;
    REQUIRE(vectors, ERR_CONFIG, "embedding pretrained: there are no vectors of words");
    REQUIRE(width == wanted, ERR_CONFIG, "embedding pretrained: dim is %lld, but the vectors have %lld numbers",
            (long long)wanted, (long long)width);
    embedding_fill(&g->source, vectors, known);
    return OK;
}

/* --- What is read. --- */

/* Keys of examples, and of the positions of each. */
static Status source_keys(Tape *t, const Batch *b, const Ragged *source, uint64_t **example, uint64_t **position)
{
    if (!t->train) return OK;
    TRY_NEW(*example, t->arena, b->B);
    TRY_NEW(*position, t->arena, source->count[1]);
    for (int64_t i = 0; i < b->B; i++) {
        (*example)[i] = (uint64_t)b->example[i];
        for (int64_t p = source->offset[0][i]; p < source->offset[0][i + 1]; p++)
            (*position)[p] = op_row_key(b->example[i], p - source->offset[0][i]);
    }
    return OK;
}

void generator_encode(const Generator *g, Tape *t, const Batch *b, Memory *out)
{
    const Ragged *source = batch_role(b, ROLE_INPUT);
    uint64_t *key = NULL, *position = NULL;
    *out = (Memory){0};
    if (t->status == OK) tape_fail(t, source_keys(t, b, source, &key, &position));
    const Lookup lookup =
        g->vectors ? g->vectors(g->owner, t, b) : embedding_forward(&g->source, t, source->count[1], source->id);
    EncoderInput in = {.x = lookup.rows, .index = lookup.index, .seq = {b->B, source->offset[0]}, .key = key};
    if (t->train && g->settings->dropout_embedding > 0 && t->status == OK) {
        in.x = op_dropout(t, op_gather(t, in.x, lookup.n, in.index), g->settings->dropout_embedding, position);
        in.index = NULL;
    }
    encoder_forward(&g->encoder, t, &in, out);
}

/* --- What is written. --- */

static Status target_positions(Arena *arena, const Batch *b, WriterPositions *out)
{
    const Ragged *target = batch_role(b, ROLE_TARGET);
    GenerateWords *words;
    REQUIRE(target && target->field->levels == 1 && target->id, ERR_DATA, "the batch has no target of words");
    TRY_NEW(words, arena, b->B);
    for (int64_t i = 0; i < b->B; i++) {
        const int64_t first = target->offset[0][i];
        words[i] = (GenerateWords){target->offset[0][i + 1] - first, target->id + first};
    }
    return writer_positions(arena, b->B, words, out);
}

static Status forward(const Generator *g, Tape *t, const Batch *b, const Memory *m, Generated *out)
{
    const GeneratorSettings *set = g->settings;
    TRY(target_positions(t->arena, b, &out->positions));
    if (t->train && strcmp(set->sampling, "none") != 0)
        TRY(sampling_replace(&g->sampling, &g->writer, t, m, &out->positions));
    int32_t *wanted = NULL;
    if (t->train && set->guide > 0 && g->writer.decoder.heads > 0) TRY(guide_wanted(t->arena, b, &wanted));
    const WriterPass pass = {
        .dropout_embedding = set->dropout_embedding, .dropout_output = set->dropout_output, .wanted = wanted};
    writer_forward(&g->writer, t, &out->positions, m, &pass, &out->written);
    TRY(tape_status(t));
    decoder_view(&out->written.made, t,
                 &(TapeView){.name = "source", .rows = {AXIS_WORDS, ROLE_TARGET}, .columns = {AXIS_WORDS, ROLE_INPUT}});
    return tape_status(t);
}

void generator_forward(const Generator *g, Tape *t, const Batch *b, const Memory *m, Generated *out)
{
    *out = (Generated){0};
    if (t->status == OK) tape_fail(t, forward(g, t, b, m, out));
}

Status generator_start(const Generator *g, Tape *t, const Batch *b, int64_t rows, Generation *out)
{
    Memory *m;
    WriterSteps *s;
    TRY_NEW(m, t->arena, 1);
    generator_encode(g, t, b, m);
    TRY(writer_open(&s, &g->writer, t, m, rows));
    *out = (Generation){.state = s, .memory = m->seq};
    return OK;
}

Status generator_step(void *state, const GenerateStep *step, GenerateOut *out) { return writer_step(state, step, out); }
