/* pack_learn.c - truecase and subwords of each vocabulary of words, learned before the first pass from the words of the
 * split train. All ranks count, then each learns from the sum: so all have the same. */
#include <string.h>

#include "io/corpus/pack_parts.h"
#include "io/text/joiner.h"

static const size_t WORDS_MEMORY = (size_t)192 << 20; /* bytes */

static const Field fields[] = {
    FIELD(SubwordSettings, merges, .preset = "0", .max = 1e7, .unit = "merges",
          .help =
              "Cut words into subwords by so many merges of byte pair encoding, learned from train; 0: whole words."),
    FIELD(SubwordSettings, by_size, .preset = "false",
          .help =
              "Where merges is 0 and there are no files, as many merges as the words of train allow: one for each 100, "
              "but at least 100 and at most 32,000."),
    FIELD(SubwordSettings, files, .preset = "[]", .is_file = true,
          .help = "Merges from files in subword-nmt's format instead: one for all vocabularies, or one each (source, "
                  "target)."),
    FIELD(SubwordSettings, joint, .preset = "true", .help = "Learn from all vocabularies together."),
    FIELD(SubwordSettings, min_count, .preset = "2", .min = 1, .max = 1e12, .unit = "occurrences",
          .help = "Pairs that are seen less often are not merged."),
    FIELD(SubwordSettings, threshold, .preset = "0", .max = 1e12, .unit = "occurrences",
          .help = "Subwords seen less often in train are cut at the merges that made them; 0: none."),
};

const Section pack_subwords_section = {
    .name = "subwords", .help = "How words are cut into subwords.", ROWS(fields, SubwordSettings)};

/* What is learned, for one vocabulary. */
typedef struct Lesson {
    VocabBuilder *place[TRUECASE_PLACES]; /* words where they stand; without truecase all are counted as inside */
    VocabBuilder *spelled;                /* all words after truecase */
} Lesson;

typedef struct Learning {
    Pack *p;
    bool truecase;
    Lesson lesson[PACK_VOCABS];
    VocabBuilder *all; /* of all vocabularies */
} Learning;

static bool wants_form(const Pack *p, int v) { return p->vocab[v].words; }

/* --- Counting --- */

static bool mine(void *context, int64_t number)
{
    const Pack *p = ((const Learning *)context)->p;
    return number % comm_size(p->comm) == comm_rank(p->comm);
}

static Status count_sentence(const Learning *l, Lesson *lesson, int64_t n, const Word *word, Arena *scratch)
{
    TruecasePlace *place;
    TRY_NEW(place, scratch, n);
    truecase_places(n, word, place);
    for (int64_t i = 0; i < n; i++) {
        Word bare;
        (void)joiner_take(word[i], &bare);
        TRY(vocab_builder_add(lesson->place[l->truecase ? place[i] : TRUECASE_INSIDE], bare.text, bare.size, 1));
    }
    return OK;
}

static Status each(void *context, int64_t number, const Record *r, const Example *e, Arena *scratch)
{
    Learning *l = context;
    const Pack *p = l->p;
    (void)number;
    (void)r;
    for (int f = 0; f < p->n_fields && !e->left_out; f++) {
        const ExampleField *x = &e->field[f];
        const int levels = p->field[f].levels, v = p->vocab_of[f];
        if (v < 0 || !wants_form(p, v) || levels < 1 || levels > 2) continue;
        if (levels == 1) TRY(count_sentence(l, &l->lesson[v], x->count[1], x->word, scratch));
        for (int64_t u = 0; levels == 2 && u < x->count[1]; u++)
            TRY(count_sentence(l, &l->lesson[v], x->offset[1][u + 1] - x->offset[1][u], x->word + x->offset[1][u],
                               scratch));
    }
    return OK;
}

static Status open_lessons(Learning *l)
{
    Pack *p = l->p;
    TRY(vocab_builder_open(&l->all, &p->arena, "subwords", 2 * WORDS_MEMORY));
    for (int v = 0; v < p->n_vocabs; v++) {
        Lesson *x = &l->lesson[v];
        if (!wants_form(p, v)) continue;
        for (int k = 0; k < TRUECASE_PLACES; k++)
            TRY(vocab_builder_open(&x->place[k], &p->arena, p->vocab[v].name, WORDS_MEMORY));
        TRY(vocab_builder_open(&x->spelled, &p->arena, p->vocab[v].name, 2 * WORDS_MEMORY));
    }
    return OK;
}

static void close_lessons(Learning *l)
{
    vocab_builder_close(l->all);
    for (int v = 0; v < l->p->n_vocabs; v++) {
        for (int k = 0; k < TRUECASE_PLACES; k++) vocab_builder_close(l->lesson[v].place[k]);
        vocab_builder_close(l->lesson[v].spelled);
    }
}

/* [collective] */
static Status count_words(Learning *l)
{
    PackWalk w = {.mine = mine, .each = each, .context = l, .work = "learning words of train"};
    TRY(comm_agree(l->p->comm, open_lessons(l)));
    const Status st = pack_walk(l->p, 0, &w);
    TRY(pack_agree(l->p, st, w.records));
    for (int v = 0; v < l->p->n_vocabs; v++)
        for (int k = 0; k < TRUECASE_PLACES && wants_form(l->p, v); k++)
            TRY(pack_merge_words(l->p, l->lesson[v].place[k]));
    return OK;
}

/* --- Learning: local, and the same on all ranks --- */

static Status all_words(Vocab **out, Arena *arena, const VocabBuilder *b)
{
    return vocab_build(out, arena, b, &(VocabLimits){.special = false});
}

/* The words of one place, as they are spelled, to another count. */
static Status add_words(const VocabBuilder *from, Truecase *cases, VocabBuilder *to, Arena *scratch)
{
    Vocab *words;
    TRY(all_words(&words, scratch, from));
    for (int64_t i = 0; i < vocab_size(words); i++) {
        const char *text = vocab_word(words, i);
        Word word = {text, strlen(text)};
        if (cases) TRY(truecase_word(cases, word, &word));
        TRY(vocab_builder_add(to, word.text, word.size, vocab_count(words, i)));
    }
    return OK;
}

static Status learn_cases(Learning *l, int v, Arena *scratch)
{
    Vocab *inside;
    Truecase **cases = &l->p->vocab[v].form.cases;
    Lesson *x = &l->lesson[v];
    if (l->truecase) {
        TRY(all_words(&inside, scratch, x->place[TRUECASE_INSIDE]));
        TRY(truecase_learn(cases, &l->p->arena, inside));
    }
    for (int k = 0; k < TRUECASE_PLACES; k++)
        TRY(add_words(x->place[k], k == TRUECASE_FIRST ? *cases : NULL, x->spelled, scratch));
    return add_words(x->spelled, NULL, l->all, scratch);
}

/* What the merges make of the words of train: are they for this text at all, and which subwords are frequent enough? */
static Status try_merges(Learning *l, int v, Arena *scratch)
{
    PackVocab *x = &l->p->vocab[v];
    const SubwordSettings *s = l->p->source->subwords;
    Vocab *words, *pieces;
    VocabBuilder *count;
    TRY(all_words(&words, scratch, l->lesson[v].spelled));
    TRY(vocab_builder_open(&count, scratch, "subwords", 2 * WORDS_MEMORY));
    Status st = OK;
    for (int64_t i = 0; st == OK && i < vocab_size(words); i++) {
        const char *text = vocab_word(words, i);
        const Word word = {text, strlen(text)};
        const ArenaMark mark = arena_mark(scratch);
        Word *piece;
        int64_t n;
        st = form_words(&(Form){.subwords = x->form.subwords}, 1, &word, scratch, &n, &piece);
        for (int64_t k = 0; st == OK && k < n; k++)
            st = vocab_builder_add(count, piece[k].text, piece[k].size, vocab_count(words, i));
        arena_release(scratch, mark);
    }
    if (st == OK) st = vocab_build(&pieces, scratch, count, &(VocabLimits){.min_count = s->threshold});
    vocab_builder_close(count);
    TRY(st);
    REQUIRE(s->files.n == 0 || bpe_used(x->form.subwords) > 0, ERR_DATA,
            "subwords.files: none of the %lld merges occurs in the words of vocabulary %s: they are of another text",
            (long long)bpe_merges(x->form.subwords), x->name);
    for (int64_t i = 0; s->threshold > 0 && i < vocab_size(pieces); i++) {
        const char *text = vocab_word(pieces, i);
        TRY(bpe_allow(x->form.subwords, (Word){text, strlen(text)}, vocab_count(pieces, i)));
    }
    return OK;
}

/* A merge for each 100 words: subwords are then seen often enough to be learnt, and a small text has short ones. */
static int64_t merges_of(const SubwordSettings *s, const Vocab *words)
{
    enum { WORDS_A_MERGE = 100, LEAST = 100, MOST = 32000 };
    int64_t n = 0;
    if (s->merges > 0) return s->merges;
    for (int64_t i = 0; i < vocab_size(words); i++) n += vocab_count(words, i);
    n /= WORDS_A_MERGE;
    return n < LEAST ? LEAST : n > MOST ? MOST : n;
}

static Status learn_merges(Learning *l, int v, int number, Arena *scratch)
{
    Pack *p = l->p;
    const SubwordSettings *s = p->source->subwords;
    Vocab *words;
    Bpe **out = &p->vocab[v].form.subwords;
    if (s->files.n > 0) {
        TRY(pack_read_merges(p, s->files.item[s->files.n == 1 ? 0 : number], out));
    } else {
        TRY(all_words(&words, scratch, s->joint ? l->all : l->lesson[v].spelled));
        TRY(bpe_learn(out, &p->arena, words, merges_of(s, words), s->min_count));
    }
    return try_merges(l, v, scratch);
}

static Status learn_here(Learning *l)
{
    Pack *p = l->p;
    const SubwordSettings *s = p->source->subwords;
    Arena scratch = {0};
    Status st = OK;
    int n = 0;
    for (int v = 0; v < p->n_vocabs; v++) n += wants_form(p, v);
    if (s && s->files.n > 1 && s->files.n != n)
        FAIL(ERR_CONFIG, "subwords.files: %d files for %d vocabularies of words; one for all, or one each", s->files.n,
             n);
    for (int v = 0; st == OK && v < p->n_vocabs; v++)
        if (wants_form(p, v)) st = learn_cases(l, v, &scratch);
    for (int v = 0, k = 0; st == OK && pack_wants_subwords(s) && v < p->n_vocabs; v++)
        if (wants_form(p, v)) st = learn_merges(l, v, k++, &scratch);
    arena_close(&scratch);
    TRY(st);
    return OK;
}

/* Walks without forms: they come into being at the end. */
Status pack_learn(Pack *p)
{
    Learning l = {.p = p, .truecase = p->source->text->truecase};
    if (!l.truecase && !pack_wants_subwords(p->source->subwords)) return OK;
    for (int v = 0; v < p->n_vocabs; v++) p->vocab[v].own_form = true;
    Status st = count_words(&l);
    if (st == OK) st = comm_agree(p->comm, learn_here(&l));
    close_lessons(&l);
    TRY(st);
    return OK;
}
