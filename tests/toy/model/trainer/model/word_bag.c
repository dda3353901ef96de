/* word_bag.c - logits = W mean + b, with the mean of the vectors of a document's words. */
#include "trainer/layer/embedding.h"
#include "trainer/layer/linear.h"
#include "trainer/model/model.h"

typedef struct Settings {
    int64_t dim;
} Settings;

static const Field fields[] = {
    FIELD(Settings, dim, .preset = "50", .min = 1, .max = 8192, .unit = "units", .help = "Width of a word."),
};

static const ModelNeed needs[] = {
    {.role = ROLE_INPUT, .levels = 2, .meaning = "the document"},
    {.role = ROLE_TARGET, .levels = 0, .meaning = "its label"},
};

typedef struct State {
    Embedding embedding;
    Linear label;
} State;

static Status build(Model *m)
{
    const Settings *s = m->settings;
    State *st;
    TRY_NEW(st, m->run, 1);
    m->state = st;
    const EmbeddingOptions embedding = {
        .kind = EMBEDDING_LEARNED, .words = model_words(&m->data, ROLE_INPUT), .width = s->dim, .spread = 0.1};
    TRY(embedding_build(&st->embedding, m->params, "word/embedding", &embedding));
    return linear_build(&st->label, m->params, "label", s->dim, model_words(&m->data, ROLE_TARGET));
}

/* mean (B,dim): sum over a document's n words of x / n; 0 where there are none. Who looks sees the shares 1 / n. */
static Node *mean(Tape *t, const Ragged *text, Node *x, int64_t B)
{
    const int64_t N = text->count[2];
    int64_t *offset = tape_alloc(t, (size_t)(B + 1) * sizeof *offset);
    real *share = tape_alloc(t, (size_t)(N + 1) * sizeof *share);
    if (t->status != OK) return x;
    for (int64_t b = 0; b <= B; b++) offset[b] = text->offset[1][text->offset[0][b]];
    for (int64_t b = 0; b < B; b++)
        for (int64_t i = offset[b]; i < offset[b + 1]; i++) share[i] = 1 / (real)(offset[b + 1] - offset[b]);
    Node *weight = tape_leaf(t, SHAPE2(N, 1), share, NULL);
    const Segments words = {B, offset};
    tape_view(t, &(TapeView){.name = "bag",
                             .rows = {.unit = AXIS_HEADS},
                             .columns = {.unit = AXIS_WORDS, .role = ROLE_INPUT},
                             .weight = weight,
                             .keys = words});
    return op_segment_weighted_sum(t, weight, x, words);
}

static void forward(Model *m, Tape *t, const Batch *b, Prediction *out)
{
    const State *st = m->state;
    const Ragged *text = batch_role(b, ROLE_INPUT);
    const Lookup word = embedding_forward(&st->embedding, t, text->count[2], text->id);
    Node *x = word.index ? op_gather(t, word.rows, word.n, word.index) : word.rows;
    out->scores = linear_forward(&st->label, t, mean(t, text, x, b->B));
}

const ModelDef model_word_bag = {
    .component = {.name = "word_bag",
                  .help = "The mean of a document's words names its label.",
                  ROWS(fields, Settings)},
    .needs = needs,
    .n_needs = COUNT(needs),
    .predicts = PREDICTION_CLASSES | PREDICTION_LABELS,
    .build = build,
    .forward = forward,
    .tiny = "source: {name: reviews, train: 24, valid: 6, test: 6, max_sentences: 4}\n"
            "model: {name: word_bag, dim: 4}\n"
            "task: {name: classification}\n",
};
