/* pack_count.c - the first pass: how many examples, how large, which words. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/progress.h"
#include "io/corpus/pack_parts.h"

static const size_t VOCAB_MEMORY = (size_t)192 << 20; /* bytes of the words of one vocabulary */

static Status walk_records(const Pack *p, int split, Importer *im, PackWalk *w, Arena *scratch)
{
    Progress progress;
    progress_work(&progress, w->work, "examples");
    for (int64_t record = 0, left = 0;; record++) {
        Record r;
        bool end = false;
        TRY(import_next(im, &r, &end));
        if (end) break;
        if (left < p->n_left_out[split] && p->left_out[split][left] == record) {
            left++;
            continue;
        }
        if (w->mine(w->context, w->records)) {
            Example e = {0};
            const ArenaMark mark = arena_mark(scratch);
            TRY(import_parse(im, &r, scratch, &e));
            if (!e.left_out) TRY(pack_spell(p, &e, scratch));
            TRY(w->each(w->context, w->records, &r, &e, scratch));
            arena_release(scratch, mark);
        }
        if (w->passed) TRY(w->passed(w->context, w->records));
        w->records++;
        progress_at(&progress, w->records, p->examples[split], -1);
    }
    progress_clear(&progress);
    return OK;
}

Status pack_walk(const Pack *p, int split, PackWalk *w)
{
    Arena arena = {0}, scratch = {0};
    Importer *im;
    w->records = 0;
    Status st =
        import_open(&im, &arena, p->source->importer, p->source->settings, p->source->text, pack_split_name[split]);
    if (st == OK) {
        st = walk_records(p, split, im, w, &scratch);
        w->skipped = import_skipped(im);
        import_close(im);
    }
    arena_close(&scratch);
    arena_close(&arena);
    TRY(st);
    return OK;
}

/* Of several failures the one that a single rank would have met first is told: the same for every number of ranks. */
Status pack_agree(const Pack *p, Status st, int64_t record)
{
    int64_t first = st == OK ? INT64_MAX : record;
    const bool failed = st != OK;
    TRY(comm_allreduce(p->comm, &first, 1, COMM_I64, COMM_MIN));
    TRY(comm_agree(p->comm, failed && record == first ? st : OK));
    return OK;
}

/* --- Counting --- */

enum { SPLIT_BITS = 56 };

typedef struct First {
    int64_t at[PACK_REASONS];
    char where[PACK_REASONS][PACK_WHERE];
} First;

typedef struct Counting {
    Pack *p;
    int split;
    Buffer left_out; /* int64_t: numbers of this rank's records that become no example */
} Counting;

/* Record i belongs to rank i % ranks. */
static bool mine(void *context, int64_t number)
{
    const Pack *p = ((Counting *)context)->p;
    return number % comm_size(p->comm) == comm_rank(p->comm);
}

static Status each(void *context, int64_t number, const Record *r, const Example *e, Arena *scratch)
{
    Counting *c = context;
    Pack *p = c->p;
    (void)scratch;
    if (e->left_out) {
        const int k = e->left_out - 1;
        if (p->report.left_out[k]++ == 0) {
            p->first_at[k] = ((int64_t)c->split << SPLIT_BITS) + number;
            snprintf(p->report.first[k], PACK_WHERE, "%s:%" PRId64, r->file, r->line);
        }
        return buffer_append(&c->left_out, &number, sizeof number);
    }
    for (int f = 0; f < p->n_fields; f++) {
        const ExampleField *x = &e->field[f];
        const int levels = p->field[f].levels, v = p->vocab_of[f];
        for (int l = 0; l < levels; l++) p->bytes[c->split] += 8 * x->count[l];
        p->bytes[c->split] += (int64_t)field_bytes(&p->field[f]) * x->count[levels];
        if (v < 0 || !p->vocab[v].builder) continue;
        if (c->split > 0 && (p->vocab[v].special || p->vocab[v].closed)) continue; /* train alone makes these */
        for (int64_t i = 0; i < x->count[levels]; i++)
            TRY(vocab_builder_add(p->vocab[v].builder, x->word[i].text, x->word[i].size, 1));
    }
    return OK;
}

static int by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* [collective] All ranks learn which records are left out. */
static Status share_left_out(Pack *p, int split, const Buffer *mine)
{
    const int ranks = comm_size(p->comm);
    const int64_t own = (int64_t)mine->size;
    int64_t *sizes = arena_zeros(&p->arena, ranks, sizeof *sizes);
    size_t *bytes = arena_zeros(&p->arena, ranks, sizeof *bytes), all = 0;
    TRY(comm_agree(p->comm, sizes && bytes ? OK : ERR_HOST));
    TRY(comm_allgather(p->comm, &own, sizeof own, sizes));
    for (int r = 0; r < ranks; r++) all += bytes[r] = (size_t)sizes[r];
    int64_t *number = arena_alloc(&p->arena, all);
    TRY(comm_agree(p->comm, number ? OK : ERR_HOST));
    TRY(comm_allgatherv(p->comm, mine->data ? mine->data : "", bytes, number));
    p->left_out[split] = number;
    p->n_left_out[split] = (int64_t)(all / sizeof *number);
    if (all > 0) qsort(number, all / sizeof *number, sizeof *number, by_number);
    return OK;
}

static Status count_split_with(Pack *p, Counting *c)
{
    static const char *const work[PACK_SPLITS] = {"counting train", "counting valid", "counting test"};
    PackWalk w = {.mine = mine, .each = each, .context = c, .work = work[c->split]};
    const Status st = pack_walk(p, c->split, &w);
    TRY(pack_agree(p, st, w.records));
    TRY(share_left_out(p, c->split, &c->left_out));
    p->examples[c->split] = w.records - p->n_left_out[c->split];
    p->report.skipped += w.skipped;
    return OK;
}

static Status count_split(Pack *p, int split)
{
    Counting c = {.p = p, .split = split};
    const Status st = count_split_with(p, &c);
    buffer_close(&c.left_out);
    TRY(st);
    return OK;
}

/* --- Vocabularies --- */

/* [collective] Each rank's words in turn go to all; who has them already adds nothing. */
static Status merge_one(const Pack *p, VocabBuilder *b, const Buffer *own)
{
    for (int r = 0; r < comm_size(p->comm); r++) {
        Buffer bytes = {0};
        const bool here = r == comm_rank(p->comm);
        int64_t size = here ? (int64_t)own->size : 0;
        TRY(comm_broadcast(p->comm, &size, sizeof size, r));
        Status st = here ? OK : buffer_reserve(&bytes, (size_t)size + 1);
        st = comm_agree(p->comm, st);
        if (st == OK) st = comm_broadcast(p->comm, here ? own->data : bytes.data, (size_t)size, r);
        if (st == OK && !here) st = vocab_builder_merge(b, bytes.data, (size_t)size);
        buffer_close(&bytes);
        TRY(comm_agree(p->comm, st));
    }
    return OK;
}

Status pack_merge_words(const Pack *p, VocabBuilder *b)
{
    if (comm_size(p->comm) == 1) return OK;
    Buffer own = {0};
    Status st = comm_agree(p->comm, vocab_builder_write(b, &own));
    if (st == OK) st = merge_one(p, b, &own);
    buffer_close(&own);
    TRY(st);
    return OK;
}

static Status build_vocab(Pack *p, PackVocab *v)
{
    const VocabLimits limits = {.special = v->special,
                                .min_count = v->special ? p->settings->min_count : 0,
                                .max_size = v->special ? p->settings->max_size : 0};
    Vocab *vocab = NULL;
    TRY(pack_merge_words(p, v->builder));
    TRY(comm_agree(p->comm, vocab_build(&vocab, &p->arena, v->builder, &limits)));
    vocab_builder_close(v->builder);
    v->builder = NULL;
    v->vocab = vocab;
    return OK;
}

/* The vocabularies of another corpus. */
static Status take_vocabs(Pack *p)
{
    for (int i = 0; i < p->n_vocabs; i++) {
        p->vocab[i].vocab = corpus_vocab(p->other, p->vocab[i].name);
        REQUIRE(p->vocab[i].vocab, ERR_DATA, "%s: has no vocabulary %s", corpus_folder(p->other), p->vocab[i].name);
    }
    return OK;
}

static Status open_builders(Pack *p)
{
    for (int i = 0; i < p->n_vocabs; i++)
        TRY(vocab_builder_open(&p->vocab[i].builder, &p->arena, p->vocab[i].name, VOCAB_MEMORY));
    return OK;
}

/* [collective] Of each reason the first record that it met on any rank. */
static Status share_first(Pack *p)
{
    const int ranks = comm_size(p->comm);
    First *all = arena_zeros(&p->arena, ranks, sizeof *all), own;
    memcpy(own.at, p->first_at, sizeof own.at);
    memcpy(own.where, p->report.first, sizeof own.where);
    TRY(comm_agree(p->comm, all ? OK : ERR_HOST));
    TRY(comm_allgather(p->comm, &own, sizeof own, all));
    for (int k = 0; k < PACK_REASONS; k++)
        for (int r = 0; r < ranks; r++) {
            if (!all[r].where[k][0] || (p->report.first[k][0] && all[r].at[k] >= p->first_at[k])) continue;
            p->first_at[k] = all[r].at[k];
            memcpy(p->report.first[k], all[r].where[k], PACK_WHERE);
        }
    return OK;
}

/* Why there is nothing to train on, as far as it is known. */
static Status nothing_left(const Pack *p)
{
    const PackReport *r = &p->report;
    int most = 0;
    for (int k = 1; k < PACK_REASONS; k++)
        if (r->left_out[k] > r->left_out[most]) most = k;
    REQUIRE(r->left_out[most] > 0, ERR_DATA, "importer %s: the split train has no examples", p->source->importer);
    FAIL(ERR_DATA, "importer %s: the split train has no examples; %" PRId64 " were left out (%s), the first is %s",
         p->source->importer, r->left_out[most], r->reason[most], r->first[most]);
}

Status pack_count(Pack *p)
{
    const bool taken = p->other != NULL;
    if (taken)
        TRY(take_vocabs(p));
    else
        TRY(comm_agree(p->comm, open_builders(p)));
    for (int s = 0; s < PACK_SPLITS; s++) TRY(count_split(p, s));
    TRY(comm_allreduce(p->comm, p->bytes, PACK_SPLITS, COMM_I64, COMM_SUM));
    TRY(comm_allreduce(p->comm, p->report.left_out, PACK_REASONS, COMM_I64, COMM_SUM));
    TRY(share_first(p));
    if (p->examples[0] + (taken ? p->examples[1] + p->examples[2] : 0) == 0) return nothing_left(p);
    for (int i = 0; i < p->n_vocabs && !taken; i++) TRY(build_vocab(p, &p->vocab[i]));
    return OK;
}
