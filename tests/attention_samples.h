/* attention_samples.h - a document, a Chinese and an Arabic one, and a story, with weights, for the tests of pages. */
#ifndef TESTS_ATTENTION_SAMPLES_H
#define TESTS_ATTENTION_SAMPLES_H
#include "check.h"
#include "comm/arena.h"
#include "io/record/attention.h"

/* Words apart by spaces; sentences apart by '|'. */
static inline void sample_words(Arena *arena, const char *text, AttentionWords *w, int64_t *n_sentences,
                                const int64_t **sentences)
{
    char *all = arena_alloc(arena, strlen(text) + 1);
    int64_t *start = arena_zeros(arena, 500, sizeof *start), *first = arena_zeros(arena, 100, sizeof *first);
    int64_t at = 0, n = 0, s = 1;
    for (const char *p = text; *p;) {
        const size_t size = strcspn(p, " |");
        memcpy(all + at, p, size);
        at += (int64_t)size;
        if (size) start[++n] = at;
        p += size;
        if (*p == '|') first[s++] = n;
        if (*p) p++;
    }
    first[s] = n;
    *w = (AttentionWords){n, all, start};
    if (n_sentences) *n_sentences = s;
    if (sentences) *sentences = first;
}

/* Some weights that sum to 1 over each part. */
static inline const double *sample_weights(Arena *arena, int64_t parts, const int64_t *start, int seed)
{
    double *w = arena_zeros(arena, start[parts] + 1, sizeof *w);
    for (int64_t p = 0; p < parts; p++) {
        double sum = 0;
        for (int64_t i = start[p]; i < start[p + 1]; i++) sum += w[i] = exp(2.2 * sin(2.1 * (double)i + seed));
        for (int64_t i = start[p]; i < start[p + 1]; i++) w[i] /= sum;
    }
    return w;
}

static inline AttentionExample sample_document(Arena *arena, const char *id, const char *text, const char *truth)
{
    static const char *const class_name[] = {"positive", "negative", "mixed <b>&"};
    static const double probability[] = {0.913, 0.071, 0.016};
    AttentionExample e = {.id = id, .kind = ATTENTION_DOCUMENT, .prediction = "positive", .truth = truth};
    sample_words(arena, text, &e.words, &e.n_sentences, &e.sentence);
    e.n_classes = 3;
    e.class_name = class_name;
    e.probability = probability;
    const int64_t whole[] = {0, e.n_sentences};
    AttentionView *view = arena_zeros(arena, 2, sizeof *view);
    view[0] = (AttentionView){
        "word", 0, 0, 0, ATTENTION_WORDS, e.words.n, sample_weights(arena, e.n_sentences, e.sentence, 1)};
    view[1] =
        (AttentionView){"sentence", 0, 0, 0, ATTENTION_SENTENCES, e.n_sentences, sample_weights(arena, 1, whole, 2)};
    e.n_views = 2;
    e.view = view;
    return e;
}

static inline AttentionExample sample_story(Arena *arena)
{
    static const int64_t fact[] = {1, 4};
    static const char *const class_name[] = {"kitchen", "garden", "hallway"};
    static const double probability[] = {0.02, 0.97, 0.01};
    AttentionExample e = {.id = "story 7", .kind = ATTENTION_STORY, .prediction = "garden", .truth = "garden"};
    sample_words(arena,
                 "Nora walked to the hallway .|Nora took the lamp .|Omar went to the kitchen .|Lena slept .|"
                 "Nora went on to the garden .|Omar put down the jug .",
                 &e.words, &e.n_sentences, &e.sentence);
    sample_words(arena, "Where is the lamp ?", &e.question, NULL, NULL);
    e.n_classes = 3;
    e.class_name = class_name;
    e.probability = probability;
    e.n_facts = 2;
    e.fact = fact;
    static const double hop[3][6] = {{0.01, 0.92, 0.02, 0.01, 0.03, 0.01},
                                     {0.03, 0.21, 0.01, 0.004, 0.74, 0.006},
                                     {0.001, 0.003, 0.001, 0.001, 0.99, 0.004}};
    AttentionView *view = arena_zeros(arena, 3, sizeof *view);
    for (int h = 0; h < 3; h++) view[h] = (AttentionView){"memory", 0, 0, h, ATTENTION_SENTENCES, 6, hop[h]};
    e.n_views = 3;
    e.view = view;
    return e;
}

static inline int sample_all(Arena *arena, AttentionExample *e)
{
    e[0] = sample_document(
        arena, "reviews/17",
        "The opening is slow , and the first half hour drags .|But what a finish !|Every scene "
        "between the two brothers is a small wonder of timing and restraint .|<script>alert(1)</script> "
        "& \"quotes\" stay text .|I would see it again tomorrow .",
        "positive");
    e[1] = sample_document(
        arena, "zh/3", "这 部 电影 的 开头 有些 慢 ， 但是 结尾 非常 精彩 。|演员 的 表演 令人 难忘 ！", "negative");
    e[2] = sample_document(arena, "ar/1", "هذا الفيلم رائع جدا .|لن أنسى المشهد الأخير أبدا .", NULL);
    e[3] = sample_story(arena);
    return 4;
}

#endif
