/* generator.c - a generator is put together: its parameters in the order of their use, and the ways through it. */
#include "trainer/generate/generator.h"

#include "trainer/generate/guide.h"

const char *generator_tie_name(int i)
{
    return (const char *const[]){"none", "source_target", "target_output", "all", NULL}[i];
}

/* --- Parameters. --- */

static bool ties_source(const Generator *g)
{
    return g->settings->tie == GENERATOR_SOURCE_TARGET || g->settings->tie == GENERATOR_ALL;
}

static bool ties_output(const Generator *g)
{
    return g->settings->tie == GENERATOR_TARGET_OUTPUT || g->settings->tie == GENERATOR_ALL;
}

static bool reads_words(const Generator *g) { return encoder_reads(g->settings->encoder.def) == ENCODER_WORDS; }

/* Vectors of words that are read, where none are. */
static Status check_features(const Generator *g)
{
    const GeneratorSettings *s = g->settings;
    const char *encoder = s->encoder.def->name;
    REQUIRE(!ties_source(g), ERR_CONFIG, "tie %s: encoder %s reads no words", generator_tie_name((int)s->tie), encoder);
    REQUIRE(s->embedding == EMBEDDING_LEARNED && !s->frozen, ERR_CONFIG,
            "embedding and frozen are of words that are read, and encoder %s reads none", encoder);
    REQUIRE(s->guide == 0, ERR_CONFIG, "guide %g: encoder %s reads no words that could become the target's", s->guide,
            encoder);
    return OK;
}

static Status check(const Generator *g)
{
    const GeneratorSettings *s = g->settings;
    const char *tie = generator_tie_name((int)s->tie);
    if (!reads_words(g)) TRY(check_features(g));
    REQUIRE(!ties_source(g) || g->size.shared, ERR_CONFIG,
            "tie %s: source and target have vocabularies of their own; pack the corpus with one (source.shared)", tie);
    REQUIRE(s->tie != GENERATOR_ALL || s->embedding == EMBEDDING_LEARNED, ERR_CONFIG,
            "tie all: the source's embeddings are the output layer's weights, so embedding must be learned, not %s",
            embedding_kind((int)s->embedding));
    REQUIRE(s->tie != GENERATOR_SOURCE_TARGET || s->embedding != EMBEDDING_ONE_HOT, ERR_CONFIG,
            "tie source_target: one-hot vectors are no table");
    REQUIRE(s->guide == 0 || g->size.shared, ERR_CONFIG,
            "guide %g: source and target have vocabularies of their own, and none of their words are the same; pack "
            "the corpus with one (source.shared)",
            s->guide);
    return sampling_check(s->sampling);
}

static Status build_source(Generator *g, Params *ps)
{
    const GeneratorSettings *s = g->settings;
    if (!reads_words(g))
        return encoder_build(&g->encoder, ps, "encoder", s->encoder, g->size.features, g->size.longest);
    const EmbeddingOptions o = {.kind = s->embedding,
                                .frozen = s->frozen,
                                .words = g->size.source,
                                .width = s->dim,
                                .spread = s->embedding_spread};
    g->source = (Embedding){.words = g->size.source, .width = s->dim}; /* tie all: its table is made last */
    if (s->tie != GENERATOR_ALL) TRY(embedding_build(&g->source, ps, "source/embedding", &o));
    return encoder_build(&g->encoder, ps, "encoder", s->encoder, g->source.width, g->size.longest);
}

/* The table of target words: of its own, or the source's. That of the output layer is made with it. */
static Status build_target(Generator *g, Params *ps)
{
    const GeneratorSettings *s = g->settings;
    g->writer.words = (Embedding){.words = g->size.target, .width = s->dim};
    if (ties_output(g)) return OK;
    if (ties_source(g)) {
        g->writer.words = g->source;
        return OK;
    }
    const EmbeddingOptions o = {
        .kind = EMBEDDING_LEARNED, .words = g->size.target, .width = s->dim, .spread = s->embedding_spread};
    return embedding_build(&g->writer.words, ps, "target/embedding", &o);
}

Status generator_build(Generator *g, Params *ps, const GeneratorSettings *s, const GeneratorSizes *size)
{
    const DecoderPaths path = {.join = "bridge", .attention = "attention", .decoder = "decoder"};
    const DecoderLook look = {.attend = s->attention, .guide = s->guide};
    g->settings = s;
    g->size = *size;
    const bool one = ties_output(g);
    TRY(check(g));
    TRY(build_source(g, ps));
    TRY(decoder_join(&g->writer.decoder, ps, s->decoder, &look, &g->encoder.memory, &path));
    TRY(build_target(g, ps));
    TRY(writer_build(&g->writer, ps, &path, "readout", s->readout, size->target));
    REQUIRE(s->guide == 0 || g->writer.decoder.heads > 0, ERR_CONFIG,
            "guide %g is for an attention, and the decoder looks at nothing", s->guide);
    REQUIRE(!one || s->dim == g->writer.readout.width, ERR_CONFIG,
            "tie %s: embeddings have %lld units (dim), but the output layer reads %lld (readout %s)",
            generator_tie_name((int)s->tie), (long long)s->dim, (long long)g->writer.readout.width,
            s->readout.def->name);
    TRY(writer_build_output(&g->writer, ps, "output", size->target, one, s->embedding_spread));
    if (one && ties_source(g)) g->source = g->writer.words;
    return OK;
}

int64_t generator_pretrained(const Generator *g)
{
    return g->settings->embedding == EMBEDDING_PRETRAINED ? g->settings->dim : 0;
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
static Status read_keys(Tape *t, const Batch *b, const Ragged *read, uint64_t **example, uint64_t **position)
{
    if (!t->train) return OK;
    TRY_NEW(*example, t->arena, b->B);
    TRY_NEW(*position, t->arena, read->count[1]);
    for (int64_t i = 0; i < b->B; i++) {
        (*example)[i] = (uint64_t)b->example[i];
        for (int64_t p = read->offset[0][i]; p < read->offset[0][i + 1]; p++)
            (*position)[p] = op_row_key(b->example[i], p - read->offset[0][i]);
    }
    return OK;
}

static void read_words(const Generator *g, Tape *t, const Batch *b, const Ragged *source, const uint64_t *position,
                       EncoderInput *in)
{
    const Lookup lookup =
        g->vectors ? g->vectors(g->owner, t, b) : embedding_forward(&g->source, t, source->count[1], source->id);
    in->x = lookup.rows;
    in->index = lookup.index;
    if (!t->train || g->settings->dropout_embedding == 0 || t->status != OK) return;
    in->x = op_dropout(t, op_gather(t, in->x, lookup.n, in->index), g->settings->dropout_embedding, position);
    in->index = NULL;
}

/* Rows of numbers as they are. */
static void read_features(const Generator *g, Tape *t, const Ragged *features, EncoderInput *in)
{
    const int64_t rows = features->count[1], width = g->size.features;
    real *x = tape_alloc(t, (size_t)(rows * width) * sizeof *x);
    for (int64_t i = 0; x && i < rows * width; i++) x[i] = (real)features->value[i];
    in->x = tape_leaf(t, SHAPE2(x ? rows : 0, width), x, NULL);
}

void generator_encode(const Generator *g, Tape *t, const Batch *b, Memory *out)
{
    const Ragged *read = batch_role(b, reads_words(g) ? ROLE_INPUT : ROLE_FEATURES);
    uint64_t *key = NULL, *position = NULL;
    *out = (Memory){0};
    if (t->status == OK) tape_fail(t, read_keys(t, b, read, &key, &position));
    if (t->status != OK) return;
    EncoderInput in = {.seq = {b->B, read->offset[0]}, .key = key};
    if (reads_words(g))
        read_words(g, t, b, read, position, &in);
    else
        read_features(g, t, read, &in);
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
    if (t->train && sampling_samples(set->sampling))
        TRY(sampling_replace(set->sampling, &g->writer, t, m, &out->positions));
    int32_t *wanted = NULL;
    if (t->train && set->guide > 0 && g->writer.decoder.heads > 0) TRY(guide_wanted(t->arena, b, &wanted));
    const WriterPass pass = {
        .dropout_embedding = set->dropout_embedding, .dropout_output = set->dropout_output, .wanted = wanted};
    writer_forward(&g->writer, t, &out->positions, m, &pass, &out->written);
    TRY(tape_status(t));
    const TapeAxis words = {.unit = AXIS_WORDS, .role = ROLE_INPUT},
                   cells = {.unit = AXIS_CELLS, .role = ROLE_FEATURES};
    decoder_view(&out->written.made, t,
                 &(TapeView){.name = reads_words(g) ? "source" : "features",
                             .rows = {.unit = AXIS_WORDS, .role = ROLE_TARGET},
                             .columns = reads_words(g) ? words : cells});
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
