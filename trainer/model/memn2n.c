/* memn2n.c - end-to-end memory networks (Sukhbaatar, Szlam, Weston, Fergus 2015).
 *
 *   m_i = sum_j l_j * A x_ij + T_A(i),  c_i likewise with C and T_C,  u_1 = sum_j l_j * B q_j
 *   p = softmax(u_k . m_i),  o = sum_i p_i c_i,  u_k+1 = f(u_k + o)  or  f(H u_k + o) layer-wise,  logits = W u_K+1
 * adjacent:   A_1 = B = E_0,  C_k = A_k+1 = E_k,  W rows from E_K. Each of the K+1 sums of sentences is made once.
 * layer-wise: A and C are the same in all hops; B is apart; W rows from C, where the paper leaves open what W is, or
 * of its own with answer: free. */
#include <float.h>
#include <string.h>

#include "trainer/model/model.h"
#include "trainer/model/story.h"

typedef enum Tying { ADJACENT, LAYERWISE } Tying;
typedef enum Encoding { POSITION, CENTRED, BAG } Encoding;
typedef enum Nonlinear { LINEAR, RELU, RELU_HALF } Nonlinear;
typedef enum AnswerRows { TIED, FREE } AnswerRows;

typedef struct Settings {
    int64_t hops, dim, memory, linear_epochs;
    Tying tying;
    Encoding encoding;
    Nonlinear nonlinear;
    AnswerRows answer;
    bool temporal, linear_start, empty_slots;
    double noise, init;
} Settings;

static const char *tying_name(int i) { return (const char *const[]){"adjacent", "layerwise", NULL}[i]; }
static const char *encoding_name(int i) { return (const char *const[]){"position", "centred", "bow", NULL}[i]; }
static const char *nonlinear_name(int i) { return (const char *const[]){"none", "relu", "half", NULL}[i]; }
static const char *answer_name(int i) { return (const char *const[]){"tied", "free", NULL}[i]; }

enum { MOST_HOPS = 16 };

static const Field fields[] = {
    FIELD(Settings, hops, .preset = "3", .min = 1, .max = MOST_HOPS, .help = "Looks into the memory."),
    FIELD(Settings, dim, .preset = "50", .min = 1, .max = 8192, .unit = "units",
          .help = "Width of the embeddings and of the state."),
    FIELD(Settings, memory, .preset = "50", .min = 1, .max = 1000000, .unit = "sentences",
          .help = "Sentences of a story that are remembered: the newest."),
    FIELD(Settings, tying, .preset = "adjacent", .choice = tying_name,
          .help = "Which hops share embeddings: the output of one is the input of the next, or all are alike."),
    FIELD(Settings, encoding, .preset = "position", .choice = encoding_name,
          .help = "Sentences as sums of words weighted by position as in the paper (over the length of the sentence) "
                  "or as in "
                  "its authors' program (centred, over the longest sentence), or as bags of words."),
    FIELD(Settings, temporal, .preset = "true", .help = "A learnt vector for how long ago a sentence was said."),
    FIELD(Settings, noise, .preset = "0.1", .min = 0, .max = 0.9,
          .help = "Chance of an empty memory behind each sentence while training."),
    FIELD(Settings, empty_slots, .preset = "false",
          .help =
              "Slots of the memory without a sentence take their share of the attention and give nothing, as in the "
              "authors' program; otherwise they get none."),
    FIELD(Settings, linear_start, .preset = "false",
          .help = "Train without the softmaxes of the hops until the validation loss stops falling."),
    FIELD(Settings, linear_epochs, .preset = "0", .max = 1e6, .unit = "epochs",
          .help = "Length of the linear start; 0: until the validation loss stops falling."),
    FIELD(Settings, nonlinear, .preset = "none", .choice = nonlinear_name,
          .help = "What follows each hop: nothing, a ReLU, or a ReLU on the second half of the units."),
    FIELD(Settings, answer, .preset = "tied", .choice = answer_name,
          .help = "Answers that are words use the last embedding's rows, or all have rows of their own."),
    FIELD(Settings, init, .preset = "0.1", .min = 0, .max = 10, .help = "Standard deviation of the initial values."),
};

static const ModelNeed needs[] = {{.role = ROLE_INPUT, .levels = 2, .meaning = "words of sentences"},
                                  {.role = ROLE_QUERY, .levels = 1, .meaning = "words"},
                                  {.role = ROLE_TARGET, .levels = 0, .meaning = "one label"}};

enum { MEMORY_LINEAR, MEMORY_BEST, MEMORY_COUNT };

typedef struct State {
    Param *table[MOST_HOPS + 1], *time[MOST_HOPS + 1]; /* adjacent: E_0..E_K; layer-wise: A, C */
    int n_tables;
    Param *question;   /* layer-wise: B; NULL: E_0 */
    Param *between;    /* layer-wise: H (d,d) */
    Param *answer;     /* rows of the answers that are no words; NULL: there are none */
    int64_t n_tied;    /* answers with a row of the last table */
    int32_t *tied_row; /* (n_tied) that row */
    int32_t *place;    /* (labels) where the answer is among tied rows, then own rows; NULL: in that order already */
    bool whole_table;  /* the answers are the words, in the same order */
} State;

static Status add_table(Model *m, Param **out, const char *name, const char *meaning)
{
    const Settings *s = m->settings;
    TRY(param_add(out, m->params, name, SHAPE2(model_words(&m->data, ROLE_INPUT), s->dim), INIT_NORMAL, s->init));
    (*out)->meaning = meaning;
    (*out)->zero_row = true;
    return OK;
}

static Status add_matrix(Model *m, Param **out, const char *name, const char *meaning, int64_t rows)
{
    const Settings *s = m->settings;
    TRY(param_add(out, m->params, name, SHAPE2(rows, s->dim), INIT_NORMAL, s->init));
    (*out)->meaning = meaning;
    return OK;
}

static Status add_memory(Model *m, State *st, const char *table, const char *time)
{
    const Settings *s = m->settings;
    const int i = st->n_tables++;
    TRY(add_table(m, &st->table[i], table, "rows are words"));
    if (s->temporal) TRY(add_matrix(m, &st->time[i], time, "row i: said i sentences before the newest", s->memory));
    return OK;
}

static Status add_memories(Model *m, State *st, const Settings *s)
{
    if (s->tying == LAYERWISE) {
        TRY(add_table(m, &st->question, "question/B", "rows are words"));
        TRY(add_memory(m, st, "memory/A", "memory/T_A"));
        TRY(add_memory(m, st, "memory/C", "memory/T_C"));
        return add_matrix(m, &st->between, "hop/H", "state to next state: rows are inputs", s->dim);
    }
    for (int64_t k = 0; k <= s->hops; k++) {
        const char *table = arena_format(m->run, "memory/E%lld", (long long)k);
        const char *time = arena_format(m->run, "memory/T%lld", (long long)k);
        REQUIRE(table && time, ERR_HOST, "out of memory");
        TRY(add_memory(m, st, table, time));
    }
    return OK;
}

/* Which answers share a word's row, and where each answer's row lies. */
static Status add_answers(Model *m, State *st, const Settings *s)
{
    const int64_t labels = model_words(&m->data, ROLE_TARGET);
    const int32_t *word = s->answer == TIED ? m->data.answer_word : NULL;
    TRY_NEW(st->tied_row, m->run, labels);
    TRY_NEW(st->place, m->run, labels);
    st->whole_table = word && labels == model_words(&m->data, ROLE_INPUT);
    for (int64_t a = 0; a < labels; a++) {
        REQUIRE(!word || word[a] < model_words(&m->data, ROLE_INPUT), ERR_INTERNAL, "answer %lld is word %d of %lld",
                (long long)a, (int)word[a], (long long)model_words(&m->data, ROLE_INPUT));
        if (!word || word[a] != a) st->whole_table = false;
        if (word && word[a] >= 0) st->tied_row[st->n_tied++] = word[a];
    }
    int32_t tied = 0, own = (int32_t)st->n_tied;
    for (int64_t a = 0; a < labels; a++) st->place[a] = word && word[a] >= 0 ? tied++ : own++;
    if (st->n_tied == 0 || st->n_tied == labels) st->place = NULL;
    if (st->n_tied < labels) TRY(add_matrix(m, &st->answer, "answer/W", "rows are answers", labels - st->n_tied));
    return OK;
}

static Status build(Model *m)
{
    const Settings *s = m->settings;
    State *st;
    TRY_NEW(st, m->run, 1);
    m->state = st;
    m->memory[MEMORY_LINEAR] = s->linear_start;
    m->memory[MEMORY_BEST] = DBL_MAX;
    TRY(add_memories(m, st, s));
    return add_answers(m, st, s);
}

/* (labels, d) */
static Node *answer_rows(const State *st, Tape *t, Node *table)
{
    if (st->whole_table) return table;
    Node *own = st->answer ? tape_param(t, st->answer) : NULL;
    if (st->n_tied == 0) return own;
    Node *tied = op_gather(t, table, st->n_tied, st->tied_row);
    if (!own) return tied;
    Node *both = op_stack(t, tied, own);
    return op_gather(t, both, both->shape.d[0], st->place);
}

static Node *nonlinear(const Settings *s, Tape *t, Node *u)
{
    if (s->nonlinear == RELU) return op_relu(t, u);
    if (s->nonlinear == RELU_HALF) return op_relu_half(t, u);
    return u;
}

/* The state after all hops. memory[k]: sums of the sentences with table k. */
static Node *hops(const Model *m, Tape *t, Node *u, Node *const *memory, Segments segments)
{
    const Settings *s = m->settings;
    const State *st = m->state;
    Node *between = st->between ? tape_param(t, st->between) : NULL;
    const MemoryRead how = {m->memory[MEMORY_LINEAR] != 0, s->empty_slots ? s->memory : 0};
    for (int64_t k = 0; k < s->hops; k++) {
        Node *weight;
        const int64_t in = between ? 0 : k, out = between ? 1 : k + 1;
        Node *o = op_memory_hop(t, u, memory[in], memory[out], segments, how, &weight);
        tape_view(t, &(TapeView){.name = "story",
                                 .hop = (int)k,
                                 .columns = {.unit = AXIS_SENTENCES, .role = ROLE_INPUT},
                                 .weight = weight,
                                 .keys = segments});
        u = nonlinear(s, t, op_add(t, between ? op_linear(t, u, between, NULL) : u, o));
    }
    return u;
}

/* op_sentence_sum, from a row for each place where the gradients of these words are wanted. */
static Node *sentences(Tape *t, Node *table, Node *temporal, const SentenceRows *rows, const Ragged *words)
{
    if (!tape_wants(t, rows->id) || t->status != OK) return op_sentence_sum(t, table, temporal, rows);
    const int64_t n = words->count[words->field->levels];
    SentenceRows apart = *rows;
    int32_t *place = tape_alloc(t, (size_t)n * sizeof *place);
    if (!place) return op_sentence_sum(t, table, temporal, rows);
    for (int64_t i = 0; i < n; i++) place[i] = (int32_t)i;
    apart.id = place;
    return op_sentence_sum(t, op_input(t, table, n, rows->id, rows->id), temporal, &apart);
}

static void forward(Model *m, Tape *t, const Batch *b, Prediction *out)
{
    const Settings *s = m->settings;
    const Ragged *story = batch_role(b, ROLE_INPUT), *asked = batch_role(b, ROLE_QUERY);
    const State *st = m->state;
    SentenceRows rows, question = story_questions(asked);
    Segments segments;
    story_memories(t, b, story, s->memory, s->noise, &rows, &segments);
    rows.position = question.position = s->encoding != BAG;
    rows.centred = question.centred = s->encoding == CENTRED ? model_longest(&m->data) : 0;
    if (t->status != OK) return;

    Node *table[MOST_HOPS + 1] = {NULL}, *memory[MOST_HOPS + 1];
    for (int i = 0; i < st->n_tables; i++) {
        table[i] = tape_param(t, st->table[i]);
        memory[i] = sentences(t, table[i], st->time[i] ? tape_param(t, st->time[i]) : NULL, &rows, story);
    }
    Node *first = st->question ? tape_param(t, st->question) : table[0];
    Node *u = sentences(t, first, NULL, &question, asked);
    out->scores = op_linear_nt(t, hops(m, t, u, memory, segments), answer_rows(st, t, table[st->n_tables - 1]));
}

/* Linear start (4.2): the softmaxes come in once the validation loss falls no more. */
static bool on_validation(Model *m, int64_t epoch, double loss)
{
    const Settings *s = m->settings;
    if (m->memory[MEMORY_LINEAR] == 0) return false;
    if (s->linear_epochs > 0 ? epoch < s->linear_epochs : loss < m->memory[MEMORY_BEST]) {
        m->memory[MEMORY_BEST] = loss;
        return false;
    }
    m->memory[MEMORY_LINEAR] = 0;
    return true;
}

const ModelDef model_memn2n = {
    .component = {.name = "memn2n",
                  .help = "End-to-end memory network: several looks into a story answer a question.",
                  .source = "Sukhbaatar et al. 2015",
                  ROWS(fields, Settings)},
    .needs = needs,
    .n_needs = COUNT(needs),
    .predicts = PREDICTION_CLASSES,
    .n_memory = MEMORY_COUNT,
    .build = build,
    .forward = forward,
    .on_validation = on_validation,
    .tiny = "source: {name: stories, tasks: [one_fact], train: 24, valid: 6, test: 6}\n"
            "model: {name: memn2n, dim: 4, hops: 2}\n"
            "task: {name: answer}\n",
};
