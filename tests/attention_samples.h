/* attention_samples.h - a document, a Chinese and an Arabic one, and a story, with weights, for the tests of pages. */
#ifndef TESTS_ATTENTION_SAMPLES_H
#define TESTS_ATTENTION_SAMPLES_H
#include "check.h"
#include "comm/arena.h"
#include "io/attention/attention.h"

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
    *w = (AttentionWords){.n = n, .text = all, .start = start};
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
        "word",          0, 0, 0, ATTENTION_WORDS, e.words.n, sample_weights(arena, e.n_sentences, e.sentence, 1),
        ATTENTION_WEIGHT};
    view[1] = (AttentionView){
        "sentence", 0, 0, 0, ATTENTION_SENTENCES, e.n_sentences, sample_weights(arena, 1, whole, 2), ATTENTION_WEIGHT};
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
    for (int h = 0; h < 3; h++)
        view[h] = (AttentionView){"memory", 0, 0, h, ATTENTION_SENTENCES, 6, hop[h], ATTENTION_WEIGHT};
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

/* Pieces end in "@@" where the word goes on; "</s>" is no word. */
static inline void sample_pieces(Arena *arena, AttentionWords *w)
{
    int64_t *part = arena_zeros(arena, w->n + 1, sizeof *part), word = 0;
    for (int64_t i = 0; i < w->n; i++) {
        const char *end = w->text + w->start[i + 1];
        const bool mark = w->start[i + 1] - w->start[i] == 4 && memcmp(end - 4, "</s>", 4) == 0;
        part[i] = mark ? -1 : word;
        if (memcmp(end - 2, "@@", 2) != 0) word++;
    }
    w->part_of = part;
}

/* Weights near the place place[j] of each target word. */
static inline const double *sample_matrix(Arena *arena, int64_t rows, int64_t columns, const int *place, double spread)
{
    double *w = arena_zeros(arena, rows * columns + 1, sizeof *w);
    for (int64_t j = 0; j < rows; j++) {
        double sum = 0;
        for (int64_t i = 0; i < columns; i++) {
            const double far = fabs((double)(i - place[j]));
            sum += w[j * columns + i] = exp(-far / spread) + 0.02 * (1 + sin(3.1 * (double)(i + j)));
        }
        for (int64_t i = 0; i < columns; i++) w[j * columns + i] /= sum;
    }
    return w;
}

/* The last word of the target is the end. */
static inline AttentionExample sample_pair(Arena *arena, const char *id, const char *source, const char *target,
                                           const int *place)
{
    AttentionExample e = {.id = id, .kind = ATTENTION_PAIR};
    sample_words(arena, source, &e.words, &e.n_sentences, &e.sentence);
    sample_words(arena, target, &e.target, NULL, NULL);
    sample_pieces(arena, &e.words);
    sample_pieces(arena, &e.target);
    const int64_t n = e.words.n * e.target.n;
    double *loss = arena_zeros(arena, e.target.n + 1, sizeof *loss), *slope = arena_zeros(arena, n + 1, sizeof *slope);
    AttentionView *view = arena_zeros(arena, 3, sizeof *view);
    for (int64_t j = 0; j < e.target.n; j++) loss[j] = 1.2 + 1.1 * sin(1.7 * (double)j);
    for (int64_t i = 0; i < n; i++) slope[i] = 0.3 * sin(0.9 * (double)i) * exp(0.5 * sin(0.13 * (double)i));
    view[0] = (AttentionView){
        "decoder",       0, 0, 0, ATTENTION_PAIRS, n, sample_matrix(arena, e.target.n, e.words.n, place, 0.35),
        ATTENTION_WEIGHT};
    view[1] = (AttentionView){
        "decoder",       0, 1, 0, ATTENTION_PAIRS, n, sample_matrix(arena, e.target.n, e.words.n, place, 1.6),
        ATTENTION_WEIGHT};
    view[2] = (AttentionView){"gradient", 0, 0, 0, ATTENTION_PAIRS, n, slope, ATTENTION_INPUT_X_GRADIENT};
    e.loss = loss;
    e.n_views = 3;
    e.view = view;
    return e;
}

/* German with gold links and pieces, Chinese, Japanese and Arabic sources. */
static inline int sample_pairs(Arena *arena, AttentionExample *e)
{
    static const int german[] = {0, 1, 2, 7, 3, 4, 5, 6, 6, 8, 9}, chinese[] = {0, 1, 5, 3, 3, 2, 2, 6, 7};
    static const int japanese[] = {0, 4, 6, 6, 2, 3, 7, 8}, arabic[] = {1, 1, 2, 2, 0, 3, 4};
    static const int64_t sure[] = {0, 0, 1, 1, 2, 2, 6, 3, 3, 4, 4, 5, 7, 7}, possible[] = {5, 6, 5, 5, 3, 5};
    e[0] = sample_pair(arena, "test 17", "Zwei junge Männer haben im <b>&\"Garten\" Fuß@@ ball gespielt .",
                       "Two young men played the whole Donaudampfschifffahrtsgesellschaft foot@@ ball ; </s>", german);
    e[0].sure = (AttentionLinks){7, sure};
    e[0].possible = (AttentionLinks){3, possible};
    e[1] = sample_pair(arena, "zh 3", "两 个 年轻人 在 花园 踢 足球 。", "Two men play in a young people garden </s>",
                       chinese);
    e[2] = sample_pair(arena, "ja 1", "私 は コンピューター を NHK で 買った 。 😀",
                       "I bought a new computer at NHK </s>", japanese);
    e[3] = sample_pair(arena, "ar 1", "قرأ الولد الكتاب أمس، وشكراً", "The boy את הספר read yesterday </s>", arabic);
    return 4;
}

/* n pairs, the i-th with the loss of a word 7 i modulo n, and words that a page must not take for its own. */
static inline void sample_many(Arena *arena, int n, AttentionExample *e)
{
    static const int place[] = {0, 1, 2};
    for (int i = 0; i < n; i++) {
        e[i] = sample_pair(arena, arena_format(arena, "p %d", i), "ein </script><b> Haus", "a house </s>", place);
        double *loss = arena_zeros(arena, e[i].target.n + 1, sizeof *loss);
        for (int64_t j = 0; j < e[i].target.n; j++) loss[j] = 7 * i % n;
        e[i].loss = loss;
    }
}

#endif
