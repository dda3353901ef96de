/* recurrent.c - recurrent decoder with attention: one node for all steps of all sequences of a batch.
 *
 * apply none: s_t = cell(s_{t-1}, e_t), nothing is looked at. between (Bahdanau 2015): the query is s_{t-1}, the
 * context c_t enters the step beside e_t. after (Luong 2015): the query is s_t, s~_t = tanh(W_c [c_t ; s_t]) is the
 * result and, with input feeding, enters the next step beside e_{t+1}. Cells may be stacked: the query is of the last
 * layer, what enters goes into the first. */
#include <math.h>
#include <string.h>

#include "trainer/generate/decoder/recurrent_run.h"
#include "trainer/op/op.h"

int64_t recurrent_width(const Recurrent *d)
{
    return d->settings.hidden + (d->apply == RECURRENT_BETWEEN ? d->context : 0);
}

/* --- Settings. --- */

#define ROW(member, ...) FIELD(RecurrentSettings, member, __VA_ARGS__)
#define SHARE            .min = 0, .max = 0.95

const Component recurrent_same = {.name = "same", .help = "That of the encoder, with its settings."};

static const Component *same_or_cell(int i) { return i == 0 ? &recurrent_same : cell_choice(i - 1); }

static const Field after_rows[] = {
    FIELD(RecurrentAfter, input_feeding, .preset = "true", .help = "The result of a step enters the next one."),
};

static const char *between_name(int i) { return (const char *const[]){"new", "before", NULL}[i]; }

static const Field between_rows[] = {
    FIELD(
        RecurrentBetween, state, .preset = "new", .choice = between_name,
        .help =
            "The state that makes a step's result together with the context: the new one, which knows the word before "
            "by its gates, or the one before (Bahdanau 2015, A.2.2), which only the readout tells that word."),
};

static const Component applies[] = {
    [RECURRENT_NONE] = {.name = "none", .help = "Nothing is looked at.", .source = "Sutskever et al. 2014"},
    [RECURRENT_BETWEEN] = {.name = "between",
                           .help = "The state before a step asks, the context enters the step.",
                           .source = "Bahdanau et al. 2015",
                           ROWS(between_rows, RecurrentBetween)},
    [RECURRENT_AFTER] = {.name = "after",
                         .help = "The state after a step asks, context and state make its result.",
                         .source = "Luong et al. 2015",
                         ROWS(after_rows, RecurrentAfter)},
};

const Component *recurrent_apply_choice(int i) { return i < COUNT(applies) ? &applies[i] : NULL; }

static const Field fields[] = {
    FIELD_PART(RecurrentSettings, cell, same_or_cell, .preset = "same", .help = "Recurrent cell."),
    ROW(hidden, .preset = "0", .min = 0, .max = 8192, .unit = "units",
        .help = "Width of the recurrent state; 0: that of the encoder."),
    ROW(layers, .preset = "0", .min = 0, .max = 16, .help = "Recurrent layers; 0: as many as the encoder has."),
    ROW(bridge, .preset = "copy", .choice = bridge_name,
        .help = "What it starts from: the encoder's last states, a linear map of them, a linear map of the backward "
                "direction's (Bahdanau 2015), a linear map of the mean of all states (Xu 2015), or zero."),
    FIELD_PART(RecurrentSettings, apply, recurrent_apply_choice, .preset = "after",
               .help = "Where attention is applied."),
    ROW(dropout, .preset = "0", SHARE, .help = "Share of the states dropped between layers."),
    ROW(dropout_state, .preset = "0", SHARE,
        .help = "Share of the recurrent state dropped, the same units all along a sequence."),
};

/* --- Parameters. --- */

/* What is not said is taken from the encoder. */
static Status settle(const Decoder *d, Recurrent *own)
{
    const MemoryShape *from = &d->memory;
    RecurrentSettings *s = &own->settings;
    *s = *(const RecurrentSettings *)d->settings;
    own->apply = (RecurrentApply)(s->apply.def - applies);
    own->feeds = own->apply == RECURRENT_AFTER && ((const RecurrentAfter *)s->apply.settings)->input_feeding;
    own->results_before =
        own->apply == RECURRENT_BETWEEN && ((const RecurrentBetween *)s->apply.settings)->state == BETWEEN_BEFORE;
    own->kind = s->cell.def == &recurrent_same ? from->cell : cell_of(&s->cell);
    REQUIRE(own->kind.def, ERR_CONFIG, "decoder.cell is same, but the encoder has no cells: name one");
    if (s->hidden == 0) s->hidden = from->hidden;
    REQUIRE(s->hidden > 0, ERR_CONFIG, "decoder.hidden is 0, but the encoder has no recurrent units: say how many");
    if (s->layers == 0) s->layers = from->layers ? from->layers : 1;
    return OK;
}

static Status join(Decoder *d, Params *ps, const DecoderPaths *path)
{
    Recurrent *own;
    TRY_NEW(own, ps->arena, 1);
    d->own = own;
    TRY(settle(d, own));
    const RecurrentSettings *s = &own->settings;
    const BridgeSizes to = {.layers = s->layers, .hidden = s->hidden, .second = own->kind.def->second >= 0};
    return bridge_build(&own->bridge, ps, path->join, s->bridge, &d->memory, &to);
}

static Status build_attention(Decoder *d, Params *ps, const char *path, int64_t words)
{
    Recurrent *own = d->own;
    const RecurrentSettings *s = &own->settings;
    const AttendSettings *a = &d->look.attend;
    if (own->apply == RECURRENT_NONE) return OK;
    const char *score = a->score.def->name, *select = a->select.def->name, *range = a->range.def->name;
    const char *apply = s->apply.def->name, *reason = attend_refuses(score, select, range, apply);
    REQUIRE(d->memory.width > 0, ERR_CONFIG, "apply %s: there is no memory to look at; use apply none", apply);
    REQUIRE(!reason, ERR_CONFIG, "score %s, select %s, range %s, apply %s: %s", score, select, range, apply, reason);
    const AttendUse use = {.apply = apply,
                           .keys = d->memory.width,
                           .query = s->hidden,
                           .longest = d->memory.longest,
                           .guide = d->look.guide};
    TRY(attend_build(&own->attend, ps, a, use, path));
    own->context = attend_width(own->attend);
    d->heads = attend_heads(own->attend);
    if (own->attend->score.def->placed) d->most = d->memory.longest;
    d->rewards = own->attend->select->rewards;
    if (!d->rewards) return OK;
    const char *name = arena_format(ps->arena, "%s/baseline", path);
    if (!name) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    TRY(param_average(&own->baseline, ps, name, SHAPE1(1), -log((double)words),
                      ((const RewardSettings *)a->select.settings)->baseline_rate));
    own->baseline->meaning = "mean log probability of a target word";
    return OK;
}

static Status build_combine(Recurrent *d, Params *ps, const char *path)
{
    const int64_t h = d->settings.hidden;
    const char *name = arena_format(ps->arena, "%s/combine/W", path);
    if (!name) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    TRY(param_add(&d->combine, ps, name, SHAPE2(d->context + h, h), INIT_XAVIER, 1));
    d->combine->meaning = "context and state to the result: rows are the context's units, then the state's";
    return OK;
}

static Status build(Decoder *decoder, Params *ps, const DecoderPaths *path, int64_t words)
{
    Recurrent *d = decoder->own;
    const RecurrentSettings *s = &d->settings;
    TRY(build_attention(decoder, ps, path->attention, words));
    d->input = decoder->input;
    TRY_NEW(d->cell, ps->arena, s->layers);
    for (int64_t l = 0; l < s->layers; l++) {
        RecurrentCell *c = &d->cell[l];
        c->input = l == 0 ? d->input : s->hidden;
        if (l == 0 && d->apply == RECURRENT_BETWEEN) c->extra = d->context;
        if (l == 0 && d->feeds) c->extra = s->hidden;
        const char *own = arena_format(ps->arena, "%s/layer%lld", path->decoder, (long long)l + 1);
        if (!own) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
        TRY(recurrent_cell_build(c, ps, own, &d->kind, s->hidden));
    }
    decoder->width = recurrent_width(d);
    decoder->projection = d->kind.def->gates * s->hidden;
    return d->apply == RECURRENT_AFTER ? build_combine(d, ps, path->decoder) : OK;
}

/* --- The order of the rows, memory, and one step forward. --- */

AttendBlock recurrent_attend_step(const RecurrentRun *r, const RecurrentRows *s)
{
    const RecurrentCellRun *top = &r->cell[r->decoder->settings.layers - 1];
    const bool after = r->decoder->apply == RECURRENT_AFTER, start = !after && s->slot_before < 0;
    return (AttendBlock){.rows = s->rows,
                         .step = s->step,
                         .slot = s->slot,
                         .sentence = r->sentence,
                         .query =
                             start ? top->first_state : top->state + (after ? s->slot : s->slot_before) * top->ld_state,
                         .ld_query = start ? top->h : top->ld_state,
                         .context = r->context + s->slot * r->ld_context,
                         .ld_context = r->ld_context,
                         .coverage = r->coverage};
}

static void look(const RecurrentRun *r, const RecurrentRows *s)
{
    const AttendBlock step = recurrent_attend_step(r, s);
    attend_forward(r->attend, &step);
}

static int64_t length(const RecurrentRun *r, int64_t i) { return r->seq.offset[i + 1] - r->seq.offset[i]; }

/* Longest first, equal ones in their own order: a counting sort by length. */
static Status make_plan(RecurrentRun *r, Arena *arena)
{
    for (int64_t i = 0; i < r->n; i++)
        if (length(r, i) > r->steps) r->steps = length(r, i);
    int64_t *end; /* end[l]: sequences of l words or more; then where the next sequence of l words goes, from behind */
    TRY_NEW(r->order, arena, r->n);
    TRY_NEW(r->start, arena, r->steps + 1);
    TRY_NEW(r->position, arena, r->slots);
    TRY_NEW(r->slot, arena, r->slots);
    TRY_NEW(end, arena, r->steps + 1);
    for (int64_t i = 0; i < r->n; i++) end[length(r, i)]++;
    for (int64_t l = r->steps; l > 0; l--) end[l - 1] += end[l];
    for (int64_t t = 0; t < r->steps; t++) r->start[t + 1] = r->start[t] + end[t + 1];
    for (int64_t i = r->n - 1; i >= 0; i--) r->order[--end[length(r, i)]] = (int32_t)i;
    for (int64_t t = 0; t < r->steps; t++)
        for (int64_t s = r->start[t]; s < r->start[t + 1]; s++) {
            const int64_t p = r->seq.offset[r->order[s - r->start[t]]] + t;
            r->position[s] = (int32_t)p;
            r->slot[p] = (int32_t)s;
        }
    r->sentence = r->order;
    return OK;
}

static real *reals(Arena *arena, int64_t rows, int64_t columns)
{
    return arena_alloc(arena, (size_t)(rows * columns) * sizeof(real));
}

static Status open_cells(RecurrentRun *r, Arena *arena, int64_t slots, int64_t rows)
{
    const Recurrent *d = r->decoder;
    const RecurrentSettings *s = &d->settings;
    TRY_NEW(r->cell, arena, s->layers);
    for (int64_t l = 0; l < s->layers; l++) {
        RecurrentCellRun *c = &r->cell[l];
        c->cell = &d->cell[l];
        c->kind = &d->kind;
        c->h = s->hidden;
        real *state = r->both && l == s->layers - 1 ? r->both + d->context : NULL;
        TRY(recurrent_cell_open(c, arena, slots, rows, state, d->context + s->hidden));
        if (l == 0) continue;
        c->x = r->cell[l - 1].state;
        c->ld_x = r->cell[l - 1].ld_state;
        if (!r->drop) continue;
        c->x = c->dropped = reals(arena, slots, s->hidden);
        c->ld_x = s->hidden;
        c->stays = arena_alloc(arena, (size_t)(slots * s->hidden));
        if (!c->x || !c->stays) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    }
    return OK;
}

/* Memory for that many slots, and rows of a step. */
static Status open_run(RecurrentRun *r, Arena *arena, int64_t slots, int64_t rows)
{
    const Recurrent *d = r->decoder;
    const int64_t h = d->settings.hidden, c = d->context;
    bool there = true;
    if (d->apply == RECURRENT_BETWEEN) {
        there = (r->context = reals(arena, slots, c)) != NULL;
        r->ld_context = c;
    } else if (d->apply == RECURRENT_AFTER) {
        r->context = r->both = reals(arena, slots, c + h);
        r->ld_context = c + h;
        r->out = reals(arena, slots, h);
        there = r->both && r->out;
        if (d->feeds) there = (r->feed = reals(arena, slots, h)) && there;
    }
    return there ? open_cells(r, arena, slots, rows) : status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
}

static Status pack(RecurrentRun *r, Arena *scratch)
{
    const Recurrent *d = r->decoder;
    const int64_t h = d->settings.hidden;
    for (int64_t l = 0; l < d->settings.layers; l++) TRY(recurrent_cell_pack(&r->cell[l], scratch));
    return d->combine ? panel_pack(&r->combine, scratch, d->combine->value, false, d->context + h, h) : OK;
}

/* x (n, E) -> y (n, G H): what the first layer gets of its input */
static void project_rows(const RecurrentRun *r, int64_t n, const real *x, real *y)
{
    const RecurrentCellRun *c = &r->cell[0];
    panel_gemm_bias(n, x, c->cell->input, &c->w, c->bias, y, c->kind->def->gates * c->h);
}

RecurrentRows recurrent_rows(const RecurrentRun *r, int64_t t)
{
    return (RecurrentRows){.step = t,
                           .rows = r->start[t + 1] - r->start[t],
                           .slot = r->start[t],
                           .slot_before = t > 0 ? r->start[t - 1] : -1,
                           .next_slot = r->start[t + 1],
                           .next_rows = t + 1 < r->steps ? r->start[t + 2] - r->start[t + 1] : 0};
}

/* In the first layer: the projection of the embedding and, times its part of W, what enters beside it. */
static void first_input(const RecurrentRun *r, const RecurrentRows *s, const real *const *projection)
{
    const RecurrentCellRun *c = &r->cell[0];
    const int64_t gates = c->kind->def->gates * c->h;
    if (!c->cell->extra) {
        memcpy(c->input, projection, (size_t)s->rows * sizeof *projection);
        return;
    }
    for (int64_t i = 0; i < s->rows; i++) {
        c->input[i] = c->projected + i * gates;
        memcpy(c->projected + i * gates, projection[i], (size_t)gates * sizeof(real));
    }
    const bool feeds = r->feed != NULL;
    const int64_t ld = feeds ? c->cell->extra : r->ld_context;
    panel_gemm(s->rows, (feeds ? r->feed : r->context) + s->slot * ld, ld, &c->extra, 1, c->projected, gates);
}

/* In a layer above: the states below, some of their units dropped. */
static void upper_input(const RecurrentRun *r, const RecurrentRows *s, int64_t l)
{
    const RecurrentCellRun *c = &r->cell[l], *below = &r->cell[l - 1];
    const int64_t h = c->h, gates = c->kind->def->gates * h;
    for (int64_t i = 0; r->drop && i < s->rows; i++) {
        uint8_t *stays = c->stays + (s->slot + i) * h;
        const uint64_t key = op_row_key((int64_t)r->row_key[r->sentence[i]], s->step);
        kernels()->dropout_draw(r->drop[l], key, h, r->drop_threshold, stays);
        kernels()->dropout_apply(h, stays, r->drop_scale, below->state + (s->slot + i) * below->ld_state,
                                 c->dropped + (s->slot + i) * h);
    }
    panel_gemm_bias(s->rows, c->x + s->slot * c->ld_x, c->ld_x, &c->w, c->bias, c->projected, gates);
    for (int64_t i = 0; i < s->rows; i++) c->input[i] = c->projected + i * gates;
}

/* s~ = tanh(W_c [c ; s]) */
static void combine(const RecurrentRun *r, const RecurrentRows *s)
{
    const int64_t h = r->decoder->settings.hidden;
    real *out = r->out + s->slot * h;
    panel_gemm(s->rows, r->both + s->slot * r->ld_context, r->ld_context, &r->combine, 0, out, h);
    kernels()->tanh(s->rows * h, out, out);
    if (r->feed) memcpy(r->feed + s->next_slot * h, out, (size_t)(s->next_rows * h) * sizeof(real));
}

static void run_step(const RecurrentRun *r, const RecurrentRows *s, const real *const *projection)
{
    const RecurrentSettings *set = &r->decoder->settings;
    if (r->decoder->apply == RECURRENT_BETWEEN) look(r, s);
    first_input(r, s, projection);
    for (int64_t l = 0; l < set->layers; l++) {
        if (l > 0) upper_input(r, s, l);
        recurrent_cell_forward(&r->cell[l], s);
    }
    if (r->decoder->apply != RECURRENT_AFTER) return;
    look(r, s);
    combine(r, s);
}

/* The result of a slot: *state (H) and *context (C, or NULL when it is no part of the result). */
static void result_of(const RecurrentRun *r, int64_t slot, const real **state, const real **context)
{
    const RecurrentCellRun *top = &r->cell[r->decoder->settings.layers - 1];
    *state = r->out                       ? r->out + slot * top->h
             : r->decoder->results_before ? top->first_state + slot * top->h /* of the rows of this step */
                                          : top->state + slot * top->ld_state;
    *context = r->decoder->apply == RECURRENT_BETWEEN ? r->context + slot * r->ld_context : NULL;
}

/* What each key of each sequence got so far. */
static Status open_coverage(RecurrentRun *r, Arena *arena)
{
    if (!attend_covers(r->decoder->attend)) return OK;
    real *sums;
    TRY_NEW(sums, arena, r->keys.offset[r->keys.n]);
    TRY_NEW(r->coverage, arena, r->n);
    for (int64_t i = 0; i < r->n; i++) r->coverage[i] = sums + r->keys.offset[r->order[i]];
    return OK;
}

static Status open_attention(RecurrentRun *r, Tape *t, const Node *states, bool train, bool backward)
{
    if (!states) return OK;
    const bool draws = train && r->decoder->attend->select->draws;
    REQUIRE(!draws || r->row_key, ERR_INTERNAL, "an attention draws without keys");
    TRY(open_coverage(r, t->arena));
    int32_t *wanted = NULL;
    if (r->wanted) TRY_NEW(wanted, t->arena, r->slots);
    for (int64_t s = 0; wanted && s < r->slots; s++) wanted[s] = r->wanted[r->position[s]];
    const AttendBatch b = {.key = states->value,
                           .keys = r->keys,
                           .slots = r->slots,
                           .train = train,
                           .backward = backward,
                           .step = t->step,
                           .noise = draws ? tape_random(t, RANDOM_SELECT) : (RandomKey){{0, 0}},
                           .row_key = r->row_key,
                           .wanted = wanted};
    return attend_open(&r->attend, r->decoder->attend, t->arena, &b);
}

/* --- Forward over whole sequences. --- */

static const OpDef op = {"decoder", recurrent_backward};

/* The decoder's backward takes it from there. */
static void penalty_backward(Tape *t, Node *y)
{
    (void)t;
    RecurrentRun *r = y->data;
    r->d_penalty += y->grad[0];
    y->in[0]->owes = true;
}

static const OpDef penalty_op = {"decoder_penalty", penalty_backward};

static Node *penalty_node(Tape *t, Node *y, RecurrentRun *r)
{
    bool ok;
    Node *n = tape_node(t, &penalty_op, SHAPE1(1), 1, &y, &ok);
    if (!ok) return n;
    n->data = r;
    n->value[0] = (real)attend_penalty(r->attend);
    return n;
}

static void gather_rows(const RecurrentRun *r, const Node *from, real *to, int64_t ld)
{
    const int64_t h = r->decoder->settings.hidden;
    kernels()->gather(r->n, h, from->value, h, r->order, to, ld);
}

static Status draw_masks(RecurrentRun *r, Tape *t)
{
    const double p = r->decoder->settings.dropout_state;
    const real keep = (real)(1 / (1 - p));
    const int64_t h = r->decoder->settings.hidden;
    for (int64_t l = 0; t->train && p > 0 && l < r->decoder->settings.layers; l++) {
        const RandomKey key = tape_random(t, RANDOM_DROPOUT);
        TRY_NEW(r->cell[l].mask, t->arena, r->n * h);
        for (int64_t i = 0; i < r->n; i++)
            for (int64_t j = 0; j < h; j++)
                r->cell[l].mask[i * h + j] = random_uniform(key, r->row_key[r->order[i]], (uint64_t)j) < p ? 0 : keep;
    }
    return OK;
}

static Status draw_dropout(RecurrentRun *r, Tape *t)
{
    const RecurrentSettings *s = &r->decoder->settings;
    const bool drops = t->train && s->dropout > 0 && s->layers > 1;
    REQUIRE(!t->train || (s->dropout == 0 && s->dropout_state == 0) || r->row_key, ERR_INTERNAL,
            "dropout without keys");
    r->drop_threshold = (uint32_t)lrint(s->dropout * 65536); /* as in op/dropout.c */
    if (!drops || r->drop_threshold == 0) return OK;
    r->drop_scale = (real)(65536.0 / (65536.0 - r->drop_threshold));
    TRY_NEW(r->drop, t->arena, s->layers);
    for (int64_t l = 1; l < s->layers; l++) r->drop[l] = tape_random(t, RANDOM_DROPOUT);
    return OK;
}

/* States before the first step, in the order of the rows; as inputs of U they are masked. */
static void begin_cells(RecurrentRun *r)
{
    const int64_t h = r->decoder->settings.hidden;
    for (int64_t l = 0; l < r->decoder->settings.layers; l++) {
        RecurrentCellRun *c = &r->cell[l];
        const RnnLast *from = &r->begin[l];
        gather_rows(r, from->state, c->first_state, h);
        if (from->second)
            gather_rows(r, from->second, c->first_record + c->kind->def->second * h, c->kind->def->columns * h);
        if (c->mask)
            kernels()->multiply((r->steps ? r->start[1] : 0) * h, c->first_state, c->mask, c->before);
        else if (r->steps)
            memcpy(c->before, c->first_state, (size_t)(r->start[1] * h) * sizeof(real));
    }
    if (r->feed && r->steps) memset(r->feed, 0, (size_t)(r->start[1] * h) * sizeof(real));
}

static Status run_steps(RecurrentRun *r, Arena *scratch, const real *x)
{
    const RecurrentCellRun *first = &r->cell[0];
    const int64_t gates = first->kind->def->gates * first->h;
    real *projected;
    const real **row;
    TRY(pack(r, scratch));
    projected = arena_alloc(scratch, (size_t)(r->rows * gates) * sizeof *projected);
    if (!projected) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    TRY_NEW(row, scratch, r->n);
    project_rows(r, r->rows, x, projected);
    for (int64_t t = 0; t < r->steps; t++) {
        const RecurrentRows s = recurrent_rows(r, t);
        for (int64_t i = 0; i < s.rows; i++) {
            const int32_t p = r->position[s.slot + i];
            row[i] = projected + (r->index ? r->index[p] : p) * gates;
        }
        run_step(r, &s, row);
    }
    return OK;
}

/* y (positions, width): s_{t-1} of each. */
static void states_before(const RecurrentRun *r, const RecurrentCellRun *top, real *y, int64_t width)
{
    for (int64_t t = 0; t < r->steps; t++)
        for (int64_t s = r->start[t]; s < r->start[t + 1]; s++) {
            const int64_t i = s - r->start[t];
            const real *from = t ? top->state + (r->start[t - 1] + i) * top->ld_state : top->first_state + i * top->h;
            memcpy(y + r->position[s] * width, from, (size_t)top->h * sizeof(real));
        }
}

/* From slots to positions: [s ; c], s or s~. */
static void result(const RecurrentRun *r, real *y)
{
    const int64_t h = r->decoder->settings.hidden, c = r->decoder->context, width = recurrent_width(r->decoder);
    const RecurrentCellRun *top = &r->cell[r->decoder->settings.layers - 1];
    if (r->decoder->results_before)
        states_before(r, top, y, width);
    else
        kernels()->gather(r->slots, h, r->out ? r->out : top->state, r->out ? h : top->ld_state, r->slot, y, width);
    if (width > h) kernels()->gather(r->slots, c, r->context, r->ld_context, r->slot, y + h, width);
}

static Status run_all(RecurrentRun *r, Tape *t, const Node *x, const Node *states, Node *y)
{
    TRY(draw_dropout(r, t));
    TRY(make_plan(r, t->arena));
    TRY(open_run(r, t->arena, r->slots, r->n));
    TRY(draw_masks(r, t));
    TRY(open_attention(r, t, states, t->train, true));
    begin_cells(r);
    const ArenaMark mark = arena_mark(t->arena);
    const Status st = run_steps(r, t->arena, x->value);
    arena_release(t->arena, mark);
    if (st == OK) result(r, y->value);
    return st;
}

/* What a pass begins with: the states before the first step. */
static Status begin_run(RecurrentRun *r, const Decoder *decoder, Tape *t, const Memory *m)
{
    const Recurrent *d = decoder->own;
    *r = (RecurrentRun){.decoder = d, .keys = m->seq, .row_key = m->key};
    r->begin = bridge_forward(&d->bridge, t, m);
    return tape_status(t);
}

static Status forward(const Decoder *decoder, Tape *t, const DecoderInput *in, const Memory *m, Decoded *out)
{
    const Recurrent *d = decoder->own;
    const int64_t positions = in->seq.n ? in->seq.offset[in->seq.n] : 0;
    Node *states = d->attend ? m->states : NULL;
    RecurrentRun *r;
    TRY_NEW(r, t->arena, 1);
    TRY(begin_run(r, decoder, t, m));
    r->seq = in->seq;
    r->n = in->seq.n;
    r->slots = positions;
    r->rows = in->x->shape.d[0];
    r->index = in->index;
    r->wanted = in->wanted;
    bool ok;
    Node *y = tape_node(t, &op, SHAPE2(positions, decoder->width), states ? 2 : 1, (Node *[]){in->x, states}, &ok);
    out->y = y;
    if (!ok) return tape_status(t);
    out->run = y->data = r;
    y->needs_grad = true; /* there are parameters */
    TRY(run_all(r, t, in->x, states, y));
    if (r->attend && t->train) out->penalty = penalty_node(t, y, r);
    return OK;
}

static const real *weights(const void *run, int64_t position)
{
    const RecurrentRun *r = run;
    return attend_weights(r->attend, r->slot[position]);
}

/* A choice at position t is followed by the words from t on, so it earns sum_{t' >= t} (log p_t' - baseline); with
 * apply after and without input feeding it has a part in word t alone, and earns log p_t - baseline: the words that
 * follow would be noise. The baseline (1), a moving average, follows log p of a word. */
static void reward(void *run, const real *loss)
{
    RecurrentRun *r = run;
    r->loss = loss;
}

/* --- Word by word: each row takes the state of a row of the step before, and goes the same step as in training. --- */

typedef struct Steps {
    RecurrentRun run;
    int64_t longest;   /* most keys of a sequence */
    real *coverage[2]; /* (rows, longest) of this step and the one before; NULL: none */
} Steps;

/* Coverage has its place of `longest` numbers for each row, twice. */
static Status open_row_coverage(Steps *s, Arena *arena, int64_t rows)
{
    const Segments *keys = &s->run.keys;
    for (int64_t i = 0; i < keys->n; i++) {
        const int64_t n = keys->offset[i + 1] - keys->offset[i];
        s->longest = n > s->longest ? n : s->longest;
    }
    if (!s->run.coverage) return OK;
    for (int i = 0; i < 2; i++) TRY_NEW(s->coverage[i], arena, rows * s->longest);
    TRY_NEW(s->run.coverage, arena, rows);
    return OK;
}

static Status open_steps(const Decoder *decoder, Tape *t, int64_t rows, const Memory *m, void **run)
{
    const Recurrent *d = decoder->own;
    Steps *s;
    TRY_NEW(s, t->arena, 1);
    RecurrentRun *r = &s->run;
    TRY(begin_run(r, decoder, t, m));
    r->slots = rows;
    TRY(open_run(r, t->arena, rows, rows));
    TRY(pack(r, t->arena));
    TRY(open_attention(r, t, d->attend ? m->states : NULL, false, false));
    if (d->attend) TRY(open_row_coverage(s, t->arena, rows));
    *run = s;
    return OK;
}

static void project(const void *run, int64_t n, const real *x, real *y)
{
    const Steps *s = run;
    project_rows(&s->run, n, x, y);
}

/* State and second state before the step: of the parents, or those before the first step. */
static void take_cell(const Steps *s, const DecoderStep *step, int64_t l)
{
    const RecurrentRun *r = &s->run;
    const RecurrentCellRun *c = &r->cell[l];
    const int64_t h = c->h, width = c->kind->def->columns * h;
    const RnnLast *first = &r->begin[l];
    const bool start = !step->parent;
    const int32_t *from = start ? step->sentence : step->parent;
    kernels()->gather(step->rows, h, start ? first->state->value : c->state, start ? h : c->ld_state, from,
                      c->first_state, h);
    memcpy(c->before, c->first_state, (size_t)(step->rows * h) * sizeof(real));
    const int64_t second = c->kind->def->second * h;
    if (second >= 0)
        kernels()->gather(step->rows, h, start ? first->second->value : c->record + second, start ? h : width, from,
                          c->first_record + second, width);
}

static void take_rest(Steps *s, const DecoderStep *step)
{
    RecurrentRun *r = &s->run;
    const int64_t h = r->decoder->settings.hidden;
    if (r->feed && step->parent)
        kernels()->gather(step->rows, h, r->out, h, step->parent, r->feed, h);
    else if (r->feed)
        memset(r->feed, 0, (size_t)(step->rows * h) * sizeof(real));
    if (!r->coverage) return;
    real *now = s->coverage[step->step % 2], *before = s->coverage[(step->step + 1) % 2];
    if (step->parent)
        kernels()->gather(step->rows, s->longest, before, s->longest, step->parent, now, s->longest);
    else
        memset(now, 0, (size_t)(step->rows * s->longest) * sizeof(real));
    for (int64_t i = 0; i < step->rows; i++) r->coverage[i] = now + i * s->longest;
}

static void step(void *run, const DecoderStep *step, real *y)
{
    Steps *s = run;
    RecurrentRun *r = &s->run;
    const int64_t h = r->decoder->settings.hidden, width = recurrent_width(r->decoder);
    for (int64_t l = 0; l < r->decoder->settings.layers; l++) take_cell(s, step, l);
    take_rest(s, step);
    r->sentence = step->sentence;
    const RecurrentRows rows = {.step = step->step, .rows = step->rows, .slot_before = -1};
    run_step(r, &rows, step->projection);
    for (int64_t i = 0; i < step->rows; i++) {
        const real *state, *context;
        result_of(r, i, &state, &context);
        memcpy(y + i * width, state, (size_t)h * sizeof(real));
        if (context) memcpy(y + i * width + h, context, (size_t)(width - h) * sizeof(real));
    }
}

static const real *row_weights(const void *run, int64_t row)
{
    const Steps *s = run;
    return attend_weights(s->run.attend, row);
}

const DecoderDef decoder_recurrent = {
    .component = {.name = "recurrent",
                  .help = "Recurrent layers, and attention between or after their steps.",
                  .source = "Bahdanau et al. 2015, Luong et al. 2015",
                  ROWS(fields, RecurrentSettings)},
    .join = join,
    .build = build,
    .forward = forward,
    .weights = weights,
    .reward = reward,
    .open = open_steps,
    .project = project,
    .step = step,
    .row_weights = row_weights,
};
