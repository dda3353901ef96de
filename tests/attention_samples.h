/* attention_samples.h - a document, a Chinese and an Arabic one, a story, pairs, a text that looks at itself, a
 * question about a document, a grid and a memory with heads, with weights, for the tests of files and pages. */
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

/* Over all places of a field; of none: field -1 and a size. */
static inline AttentionView sample_view(const AttentionExample *e, const char *name, AxisUnit rows, int rows_of,
                                        AxisUnit columns, int columns_of, const double *weight)
{
    return (AttentionView){.name = name,
                           .rows = attention_axis(e, rows, rows_of, 1),
                           .columns = attention_axis(e, columns, columns_of, 1),
                           .weight = weight};
}

static inline AttentionField *sample_fields(Arena *arena, AttentionExample *e, int n)
{
    AttentionField *f = arena_zeros(arena, n, sizeof *f);
    e->n_fields = n;
    e->field = f;
    return f;
}

/* levels 2: sentences apart by '|' */
static inline AttentionField sample_field(Arena *arena, const char *name, Role role, int levels, const char *text)
{
    AttentionField f = {.name = name, .role = role, .levels = levels};
    sample_words(arena, text, &f.words, levels == 2 ? &f.n_sentences : NULL, levels == 2 ? &f.sentence : NULL);
    return f;
}

static inline AttentionExample sample_document(Arena *arena, const char *id, const char *text, const char *truth)
{
    static const char *const class_name[] = {"positive", "negative", "mixed <b>&"};
    static const double probability[] = {0.913, 0.071, 0.016};
    AttentionExample e = {.id = id, .prediction = "positive", .truth = truth};
    AttentionField *f = sample_fields(arena, &e, 1);
    *f = sample_field(arena, "text", ROLE_INPUT, 2, text);
    e.n_classes = 3;
    e.class_name = class_name;
    e.probability = probability;
    const int64_t whole[] = {0, f->n_sentences};
    AttentionView *view = arena_zeros(arena, 2, sizeof *view);
    view[0] =
        sample_view(&e, "word", AXIS_NONE, -1, AXIS_WORDS, 0, sample_weights(arena, f->n_sentences, f->sentence, 1));
    view[0].columns.by_sentence = true;
    view[1] = sample_view(&e, "sentence", AXIS_NONE, -1, AXIS_SENTENCES, 0, sample_weights(arena, 1, whole, 2));
    e.n_views = 2;
    e.view = view;
    return e;
}

static inline AttentionExample sample_story(Arena *arena)
{
    static const int64_t fact[] = {1, 4};
    static const AttentionGold gold = {.of = 0, .to = -1, .unit = AXIS_SENTENCES, .n = 2, .at = fact};
    static const char *const class_name[] = {"kitchen", "garden", "hallway"};
    static const double probability[] = {0.02, 0.97, 0.01};
    AttentionExample e = {.id = "story 7", .prediction = "garden", .truth = "garden"};
    AttentionField *f = sample_fields(arena, &e, 2);
    f[0] = sample_field(arena, "story", ROLE_INPUT, 2,
                        "Nora walked to the hallway .|Nora took the lamp .|Omar went to the kitchen .|Lena slept .|"
                        "Nora went on to the garden .|Omar put down the jug .");
    f[1] = sample_field(arena, "question", ROLE_QUERY, 1, "Where is the lamp ?");
    e.n_classes = 3;
    e.class_name = class_name;
    e.probability = probability;
    e.n_gold = 1;
    e.gold = &gold;
    static const double hop[3][6] = {{0.01, 0.92, 0.02, 0.01, 0.03, 0.01},
                                     {0.03, 0.21, 0.01, 0.004, 0.74, 0.006},
                                     {0.001, 0.003, 0.001, 0.001, 0.99, 0.004}};
    AttentionView *view = arena_zeros(arena, 3, sizeof *view);
    for (int h = 0; h < 3; h++) {
        view[h] = sample_view(&e, "memory", AXIS_NONE, -1, AXIS_SENTENCES, 0, hop[h]);
        view[h].hop = h;
    }
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
    AttentionExample e = {.id = id};
    AttentionField *f = sample_fields(arena, &e, 2);
    f[0] = sample_field(arena, "source", ROLE_INPUT, 1, source);
    f[1] = sample_field(arena, "target", ROLE_TARGET, 1, target);
    sample_pieces(arena, &f[0].words);
    sample_pieces(arena, &f[1].words);
    const int64_t S = f[0].words.n, T = f[1].words.n;
    double *loss = arena_zeros(arena, T + 1, sizeof *loss), *slope = arena_zeros(arena, S * T + 1, sizeof *slope);
    AttentionView *view = arena_zeros(arena, 3, sizeof *view);
    for (int64_t j = 0; j < T; j++) loss[j] = 1.2 + 1.1 * sin(1.7 * (double)j);
    for (int64_t i = 0; i < S * T; i++) slope[i] = 0.3 * sin(0.9 * (double)i) * exp(0.5 * sin(0.13 * (double)i));
    view[0] = sample_view(&e, "decoder", AXIS_WORDS, 1, AXIS_WORDS, 0, sample_matrix(arena, T, S, place, 0.35));
    view[1] = sample_view(&e, "decoder", AXIS_WORDS, 1, AXIS_WORDS, 0, sample_matrix(arena, T, S, place, 1.6));
    view[1].head = 1;
    view[2] = sample_view(&e, "gradient", AXIS_WORDS, 1, AXIS_WORDS, 0, slope);
    view[2].measure = ATTENTION_INPUT_X_GRADIENT;
    f[1].loss = loss;
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
    static const AttentionGold gold[] = {{.to = 1, .unit = AXIS_WORDS, .n = 7, .at = sure},
                                         {.to = 1, .unit = AXIS_WORDS, .possible = true, .n = 3, .at = possible}};
    e[0].n_gold = 2;
    e[0].gold = gold;
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
        AttentionField *target = (AttentionField *)(uintptr_t)&e[i].field[1];
        double *loss = arena_zeros(arena, target->words.n + 1, sizeof *loss);
        for (int64_t j = 0; j < target->words.n; j++) loss[j] = 7 * i % n;
        target->loss = loss;
    }
}

/* Rows that sum to 1, the j-th most on place (3 j + 1) modulo columns. */
static inline const double *sample_rows(Arena *arena, int64_t rows, int64_t columns)
{
    int place[64];
    for (int64_t j = 0; j < rows; j++) place[j] = (int)((3 * j + 1) % columns);
    return sample_matrix(arena, rows, columns, place, 0.8);
}

/* A sentence that looks at itself, two layers; who it is about is known. */
static inline AttentionExample sample_self(Arena *arena)
{
    static const int64_t link[] = {1, 5};
    static const AttentionGold gold = {.of = 0, .to = 0, .unit = AXIS_WORDS, .n = 1, .at = link};
    AttentionExample e = {.id = "self 1", .n_gold = 1, .gold = &gold};
    AttentionField *f = sample_fields(arena, &e, 1);
    f[0] = sample_field(arena, "text", ROLE_INPUT, 1, "The <b>dog</b> slept because it was \"tired\" & old .");
    AttentionView *view = arena_zeros(arena, 2, sizeof *view);
    for (int l = 0; l < 2; l++) {
        view[l] = sample_view(&e, "self", AXIS_WORDS, 0, AXIS_WORDS, 0, sample_rows(arena, f->words.n, f->words.n));
        view[l].layer = l;
    }
    e.n_views = 2;
    e.view = view;
    return e;
}

/* A reader: the words of a question look at those of a document, whose deciding words are known; and the way back. */
static inline AttentionExample sample_reader(Arena *arena)
{
    static const int64_t word[] = {5, 6}, sentence[] = {1};
    static const AttentionGold gold[] = {{.of = 0, .to = -1, .unit = AXIS_WORDS, .n = 2, .at = word},
                                         {.of = 0, .to = -1, .unit = AXIS_SENTENCES, .n = 1, .at = sentence}};
    AttentionExample e = {.id = "cloze 3", .prediction = "the cat", .n_gold = 2, .gold = gold};
    AttentionField *f = sample_fields(arena, &e, 2);
    f[0] = sample_field(arena, "document", ROLE_INPUT, 2, "A dog barked .|Then the cat <i>ran</i> .|It rained .");
    f[1] = sample_field(arena, "cloze", ROLE_QUERY, 1, "XXX ran & hid");
    const int64_t D = f[0].words.n, Q = f[1].words.n;
    AttentionView *view = arena_zeros(arena, 3, sizeof *view);
    view[0] = sample_view(&e, "query", AXIS_WORDS, 1, AXIS_WORDS, 0, sample_rows(arena, Q, D));
    view[1] = sample_view(&e, "document", AXIS_WORDS, 0, AXIS_WORDS, 1, sample_rows(arena, D, Q));
    view[2] = sample_view(&e, "sum", AXIS_NONE, -1, AXIS_WORDS, 0, sample_rows(arena, 1, D));
    e.n_views = 3;
    e.view = view;
    return e;
}

/* A caption of a picture of 3 x 4 cells, and one glance over all of it; the cells of the dog are known. */
static inline AttentionExample sample_caption(Arena *arena)
{
    static const int64_t cell[] = {5, 6};
    static const AttentionGold gold = {.of = 0, .to = -1, .unit = AXIS_CELLS, .n = 2, .at = cell};
    AttentionExample e = {.id = "picture 2", .n_gold = 1, .gold = &gold};
    AttentionField *f = sample_fields(arena, &e, 2);
    double *grey = arena_zeros(arena, 12, sizeof *grey);
    for (int i = 0; i < 12; i++) grey[i] = i / 11.0;
    f[0] =
        (AttentionField){.name = "regions", .role = ROLE_FEATURES, .levels = 1, .height = 3, .width = 4, .grey = grey};
    f[1] = sample_field(arena, "caption", ROLE_TARGET, 1, "a <dog> runs on grass today </s>");
    AttentionView *view = arena_zeros(arena, 2, sizeof *view);
    view[0] = sample_view(&e, "picture", AXIS_WORDS, 1, AXIS_CELLS, 0, sample_rows(arena, f[1].words.n, 12));
    view[1] = sample_view(&e, "glance", AXIS_NONE, -1, AXIS_CELLS, 0, sample_rows(arena, 1, 12));
    e.n_views = 2;
    e.view = view;
    return e;
}

/* Two heads that read and write a memory of 6 slots in 9 steps. */
static inline AttentionExample sample_machine(Arena *arena)
{
    static const char *const name[] = {"read", "write", "read"};
    AttentionExample e = {.id = "copy <3>", .prediction = "1 0 1"};
    sample_fields(arena, &e, 1)[0] = sample_field(arena, "bits", ROLE_INPUT, 1, "1 0 1");
    AttentionView *view = arena_zeros(arena, 3, sizeof *view);
    for (int k = 0; k < 3; k++) {
        view[k] = sample_view(&e, name[k], AXIS_STEPS, -1, AXIS_SLOTS, -1, sample_rows(arena, 9, 6));
        view[k].rows.size = 9;
        view[k].columns.size = 6;
        view[k].head = k / 2;
    }
    e.n_views = 3;
    e.view = view;
    return e;
}

/* One of each and of each pair. */
enum { SAMPLES = 12 };
static inline int sample_each(Arena *arena, AttentionExample e[SAMPLES])
{
    int n = sample_all(arena, e);
    n += sample_pairs(arena, e + n);
    e[n++] = sample_self(arena);
    e[n++] = sample_reader(arena);
    e[n++] = sample_caption(arena);
    e[n++] = sample_machine(arena);
    return n;
}

#endif
