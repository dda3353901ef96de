/* example.c - offsets as in batch.h: count[0] = 1, offset[0] = {0, units of level 1}. */
#include "io/batch/example.h"

#include <string.h>

static Status one_parent(ExampleField *f, Arena *scratch, int64_t n)
{
    f->count[0] = 1;
    f->count[1] = n;
    TRY_NEW(f->offset[0], scratch, 2);
    f->offset[0][1] = n;
    return OK;
}

Status example_word(ExampleField *f, Arena *scratch, const char *text, size_t size)
{
    *f = (ExampleField){.count = {1}};
    char *copy;
    TRY_NEW(f->word, scratch, 1);
    TRY_NEW(copy, scratch, (int64_t)size + 1);
    memcpy(copy, text, size);
    f->word[0] = (Word){copy, size};
    return OK;
}

Status example_number(ExampleField *f, Arena *scratch, int32_t number)
{
    *f = (ExampleField){.count = {1}};
    TRY_NEW(f->number, scratch, 1);
    f->number[0] = number;
    return OK;
}

Status example_numbers(ExampleField *f, Arena *scratch, int64_t n, const int32_t *number)
{
    *f = (ExampleField){0};
    TRY(one_parent(f, scratch, n));
    TRY_NEW(f->number, scratch, n);
    if (n > 0) memcpy(f->number, number, (size_t)n * sizeof *number);
    return OK;
}

Status example_words(ExampleField *f, Arena *scratch, const TextWords *words)
{
    *f = (ExampleField){0};
    f->word = words->word;
    return one_parent(f, scratch, words->words);
}

Status example_sentences(ExampleField *f, Arena *scratch, const TextWords *words)
{
    *f = (ExampleField){0};
    f->word = words->word;
    f->offset[1] = words->start;
    f->count[2] = words->words;
    return one_parent(f, scratch, words->sentences);
}

Status example_rows(ExampleField *f, Arena *scratch, int64_t n, float *value)
{
    *f = (ExampleField){.value = value};
    return one_parent(f, scratch, n);
}

Status example_characters(ExampleField *f, Arena *scratch, int64_t n, const Word *word)
{
    TextWords chars = {.sentences = n};
    int64_t bytes = 0;
    for (int64_t i = 0; i < n; i++) bytes += (int64_t)word[i].size;
    TRY_NEW(chars.start, scratch, n + 1);
    TRY_NEW(chars.word, scratch, bytes);
    for (int64_t i = 0; i < n; i++) {
        const Word *w = &word[i];
        for (size_t at = 0, next; at < w->size; at = next) {
            next = at + 1;
            while (next < w->size && ((unsigned char)w->text[next] & 0xc0) == 0x80) next++; /* UTF-8 goes on */
            chars.word[chars.words++] = (Word){w->text + at, next - at};
        }
        chars.start[i + 1] = chars.words;
    }
    return example_sentences(f, scratch, &chars);
}

Status example_spell(ExampleField *f, int levels, const Form *form, Arena *scratch)
{
    const int64_t units = levels == 2 ? f->count[1] : 1;
    int64_t *end, all = 0;
    Word **word;
    TRY_NEW(end, scratch, units + 1);
    TRY_NEW(word, scratch, units);
    for (int64_t u = 0; u < units; u++) {
        const int64_t begin = levels == 2 ? f->offset[1][u] : 0;
        const int64_t n = (levels == 2 ? f->offset[1][u + 1] : f->count[1]) - begin;
        TRY(form_words(form, n, f->word + begin, scratch, &end[u + 1], &word[u]));
        end[u + 1] += end[u];
    }
    all = end[units];
    TRY_NEW(f->word, scratch, all);
    for (int64_t u = 0; u < units; u++)
        if (end[u + 1] > end[u]) memcpy(f->word + end[u], word[u], (size_t)(end[u + 1] - end[u]) * sizeof **word);
    f->count[levels] = all;
    if (levels == 2)
        f->offset[1] = end;
    else
        f->offset[0] = end;
    return OK;
}
