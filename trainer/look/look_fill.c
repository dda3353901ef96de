/* look_fill.c - the words of an input, and what the corpus knows of it. */
#include <string.h>

#include "io/text/form.h"
#include "trainer/look/look.h"

/* The end of a target is no word of the corpus, but the model looks somewhere for it too. */
static const Word END = {"</s>", 4};

static Status fill_words(AttentionWords *w, int64_t n, const Word *word, bool end, Arena *arena)
{
    size_t bytes = end ? END.size : 0;
    for (int64_t i = 0; i < n; i++) bytes += word[i].size;
    int64_t *start;
    char *text;
    TRY_NEW(start, arena, n + 2);
    TRY_NEW(text, arena, (int64_t)bytes + 1);
    for (int64_t i = 0; i < n + end; i++) {
        const Word *from = i < n ? &word[i] : &END;
        memcpy(text + start[i], from->text, from->size);
        start[i + 1] = start[i] + (int64_t)from->size;
    }
    *w = (AttentionWords){.n = n + end, .text = text, .start = start};
    return OK;
}

/* Where words are cut into subwords: the word of each. */
static Status fill_pieces(AttentionWords *w, int64_t n, const Word *word, bool end, Arena *arena)
{
    int64_t *part;
    TRY_NEW(part, arena, n + 1);
    const int64_t words = form_word_of(n, word, part);
    if (end) part[n] = -1;
    if (words < n || end) w->part_of = part;
    return OK;
}

static Status fill_side(AttentionWords *w, const Ragged *r, const Word *word, bool end, Arena *arena)
{
    TRY(fill_words(w, r->count[1], word, end, arena));
    return fill_pieces(w, r->count[1], word, end, arena);
}

static Status fill_sentences(AttentionExample *e, int64_t n, const int64_t *first, Arena *arena)
{
    int64_t *sentence;
    TRY_NEW(sentence, arena, n + 1);
    memcpy(sentence, first, (size_t)(n + 1) * sizeof *sentence);
    e->n_sentences = n;
    e->sentence = sentence;
    return OK;
}

static Status fill_field(AttentionExample *e, const Ragged *r, const Word *word, Arena *arena)
{
    if (r->field->levels == 2 && (strcmp(r->field->name, "text") == 0 || strcmp(r->field->name, "story") == 0)) {
        TRY(fill_words(&e->words, r->count[2], word, false, arena));
        return fill_sentences(e, r->count[1], r->offset[1], arena);
    }
    if (r->field->levels != 1) return OK;
    if (strcmp(r->field->name, "question") == 0) {
        e->kind = ATTENTION_STORY;
        return fill_words(&e->question, r->count[1], word, false, arena);
    }
    if (strcmp(r->field->name, "source") == 0) {
        e->kind = ATTENTION_PAIR;
        TRY(fill_side(&e->words, r, word, false, arena));
        return fill_sentences(e, 1, (const int64_t[]){0, e->words.n}, arena);
    }
    if (strcmp(r->field->name, "target") == 0) return fill_side(&e->target, r, word, true, arena);
    return OK;
}

/* Words, not pieces. */
static int64_t words_in(const AttentionWords *w)
{
    int64_t n = w->part_of ? 0 : w->n;
    for (int64_t i = 0; w->part_of && i < w->n; i++)
        if (w->part_of[i] >= n) n = w->part_of[i] + 1;
    return n;
}

/* Links of words that a cap of section `data` cut off are left out. */
static Status fill_links(AttentionLinks *l, const AttentionExample *e, const Ragged *r, Arena *arena)
{
    if (!r || r->field->levels != 1 || !r->id) return OK;
    const int64_t source = words_in(&e->words), target = words_in(&e->target);
    int64_t *at;
    TRY_NEW(at, arena, r->count[1] + 1);
    for (int64_t k = 0; k + 1 < r->count[1]; k += 2) {
        if (r->id[k] >= source || r->id[k + 1] >= target) continue;
        at[2 * l->n] = r->id[k];
        at[2 * l->n++ + 1] = r->id[k + 1];
    }
    l->at = at;
    return OK;
}

/* The sentences that the answer rests on, when the corpus knows them; data.max_sentences may have cut some off. */
static Status fill_facts(AttentionExample *e, const Batch *b, Arena *arena)
{
    const Ragged *r = batch_field(b, "support");
    if (!r) r = batch_field(b, "key_sentence");
    if (!r || r->field->levels != 1 || !r->id) return OK;
    int64_t *fact;
    TRY_NEW(fact, arena, r->count[1]);
    for (int64_t i = 0; i < r->count[1]; i++)
        if (r->id[i] < e->n_sentences) fact[e->n_facts++] = r->id[i];
    e->fact = fact;
    return OK;
}

Status look_fill(const Batch *b, const Word *const *word, Arena *arena, AttentionExample *e)
{
    for (int f = 0; f < b->n_fields; f++)
        if (word[f]) TRY(fill_field(e, &b->field[f], word[f], arena));
    if (e->kind == ATTENTION_PAIR) {
        TRY(fill_links(&e->sure, e, batch_field(b, "sure"), arena));
        TRY(fill_links(&e->possible, e, batch_field(b, "possible"), arena));
    }
    return fill_facts(e, b, arena);
}

Status look_words(const Session *s, const Batch *b, Arena *arena, const Word *word[BATCH_FIELDS])
{
    for (int f = 0; f < b->n_fields; f++) {
        const Ragged *r = &b->field[f];
        const DataField *field = corpus_field(s->corpus, r->field->name);
        const Vocab *vocab = field ? corpus_vocab(s->corpus, field->vocab) : NULL;
        Word *w;
        word[f] = NULL;
        if (!vocab || !r->id) continue;
        TRY_NEW(w, arena, r->count[r->field->levels]);
        for (int64_t i = 0; i < r->count[r->field->levels]; i++) {
            const char *text = vocab_word(vocab, r->id[i]);
            w[i] = (Word){text, strlen(text)};
        }
        word[f] = w;
    }
    return OK;
}
