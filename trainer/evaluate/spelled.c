/* spelled.c - the outputs are given to the model once more, and the characters of each unknown word put together. */
#include "trainer/evaluate/spelled.h"

#include <string.h>

/* The characters of unknown word k as one text. */
static Status text_of(const Vocab *characters, const GenerateSpelled *s, int64_t k, Arena *arena, Word *out)
{
    size_t size = 0;
    for (int64_t c = s->offset[k]; c < s->offset[k + 1]; c++) size += strlen(vocab_word(characters, s->id[c]));
    char *text = arena_alloc(arena, size + 1);
    if (!text) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    *out = (Word){text, size};
    for (int64_t c = s->offset[k]; c < s->offset[k + 1]; c++) {
        const char *character = vocab_word(characters, s->id[c]);
        memcpy(text, character, strlen(character));
        text += strlen(character);
    }
    *text = '\0';
    return OK;
}

static Status spell(const Session *session, const Batch *b, const DecodeOutput *o, Arena *arena, Word **spelled)
{
    Tape tape = tape_begin(arena);
    GenerateWords *words;
    GenerateSpelled s;
    const DataField *field = corpus_role_of(session->corpus, ROLE_SPELLING, ROLE_TARGET);
    TRY_NEW(words, arena, b->B);
    for (int64_t i = 0; i < b->B; i++) {
        if (o[i].n > 0) words[i] = (GenerateWords){o[i].item[0].n, o[i].item[0].word};
        TRY_NEW(spelled[i], arena, words[i].n);
    }
    REQUIRE(field, ERR_DATA, "%s: the corpus has no spelling of the target", corpus_folder(session->corpus));
    TRY(session->model->def->generate->spell(session->model, &tape, b, words, &s));
    for (int64_t k = 0; k < s.n; k++)
        if (s.offset[k + 1] > s.offset[k])
            TRY(text_of(corpus_vocab(session->corpus, field->vocab), &s, k, arena, &spelled[s.example[k]][s.word[k]]));
    return OK;
}

Status spelled_words(const Session *s, const Batch *b, const DecodeOutput *o, Arena *arena, const Word *const **spelled)
{
    Word **out;
    *spelled = NULL;
    if (!s->model->def->generate->spell) return OK;
    TRY_NEW(out, arena, b->B);
    TRY(spell(s, b, o, arena, out));
    *spelled = (const Word *const *)out;
    return OK;
}
