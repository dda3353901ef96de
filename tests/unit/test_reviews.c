/* test_reviews.c - generated documents: the deciding words decide, and stand where it is said. */
#include "import_test.h"

static bool has(const char *words, const char *word)
{
    char padded[80];
    snprintf(padded, sizeof padded, " %.70s ", word);
    return strstr(words, padded) != NULL;
}

static const char *const label_names[] = {"praise", "blame", "doubt", "surprise", "calm"};
static const char *const deciding[] = {
    " delightful superb charming splendid brilliant lovely masterly wonderful ",
    " dreadful clumsy tedious shoddy awful dull hopeless miserable ",
    " questionable unproven uncertain dubious vague unclear debatable puzzling ",
    " unexpected startling astonishing sudden unforeseen stunning amazing shocking ",
    " peaceful serene gentle tranquil soothing restful mellow placid ",
};

static int class_of(const char *word)
{
    for (int c = 0; c < 5; c++)
        if (has(deciding[c], word)) return c;
    return -1;
}

/* Every word of the document is looked at: those that decide are the ones named, and all speak for the label. */
static void check_document(const ImporterDef *def, const Example *e, int keys, int classes[5])
{
    const ExampleField *text = &e->field[0], *sentence = &e->field[2], *word = &e->field[3];
    assert_string_equal(def->fields[2].name, "key_sentence");
    assert_string_equal(def->fields[3].name, "key_word");
    const char *label = field_text(def, e, "label");
    int c = 0, found = 0;
    while (strcmp(label_names[c], label) != 0) c++;
    classes[c]++;
    assert_int_equal(sentence->count[1], keys);
    assert_int_equal(word->count[1], keys);
    for (int64_t s = 0; s < text->count[1]; s++)
        for (int64_t i = text->offset[1][s]; i < text->offset[1][s + 1]; i++) {
            char one[64];
            snprintf(one, sizeof one, "%.*s", (int)text->word[i].size, text->word[i].text);
            const int speaks_for = class_of(one);
            if (speaks_for < 0) continue;
            assert_int_equal(speaks_for, c);
            CHECK(found < keys, "more deciding words than %d", keys);
            assert_int_equal(sentence->number[found], s);
            assert_int_equal(word->number[found], i);
            found++;
        }
    assert_int_equal(found, keys);
}

static void check_split(const void *settings, int documents, int keys, int n_classes)
{
    Importer *im;
    Record r;
    Example e;
    bool end;
    int n = 0, classes[5] = {0}, first = 0;
    CHECK_OK(import_open(&im, &run, "reviews", settings, text_of(NULL, NULL), "train"));
    for (;; n++) {
        CHECK_OK(import_next(im, &r, &end));
        if (end) break;
        arena_release(&scratch, (ArenaMark){0});
        CHECK_OK(import_parse(im, &r, &scratch, &e));
        check_document(import_def(im), &e, keys, classes);
        first += e.field[2].number[0] == 0;
        for (int64_t s = 0; s < e.field[0].count[1]; s++) {
            const int64_t words = e.field[0].offset[1][s + 1] - e.field[0].offset[1][s];
            CHECK(words >= 5 && words <= 12, "%d words", (int)words);
        }
        CHECK(e.field[0].count[1] >= 3 && e.field[0].count[1] <= 10, "%d sentences", (int)e.field[0].count[1]);
    }
    assert_int_equal(n, documents);
    for (int c = 0; c < 5; c++) assert_int_equal(classes[c] > documents / n_classes * 8 / 10, c < n_classes);
    CHECK(first > documents / 20 && first < documents * 2 / 3, "the first sentence decides %d times", first);
    import_close(im);
}

TEST(the_deciding_words_are_where_they_are_said_to_be_and_nowhere_else)
{
    check_split(settings_of("reviews", NULL), 2000, 1, 2);
    check_split(settings_of("reviews", "classes", "5", "deciding", "3", "train", "1000", "names", "100000", NULL), 1000,
                3, 5);
}

TEST(a_document_depends_on_its_number_and_split_alone)
{
    char texts[3][2000];
    const char *splits[] = {"train", "train", "test"}, *sizes[] = {"100", "7", "100"};
    for (int k = 0; k < 3; k++) {
        Importer *im;
        Record r;
        Example e;
        bool end;
        CHECK_OK(import_open(&im, &run, "reviews", settings_of("reviews", "train", sizes[k], NULL), NULL, splits[k]));
        for (int i = 0; i < 5; i++) CHECK_OK(import_next(im, &r, &end));
        CHECK_OK(import_parse(im, &r, &scratch, &e));
        snprintf(texts[k], sizeof texts[k], "%s", field_text(import_def(im), &e, "text"));
        import_close(im);
    }
    assert_string_equal(texts[0], texts[1]);
    assert_string_not_equal(texts[0], texts[2]);
}

TEST(bounds_that_cross_are_faults)
{
    int n;
    CHECK_SAYS(walk("reviews", settings_of("reviews", "min_sentences", "11", NULL), NULL, "train", &n), ERR_CONFIG,
               "source.min_sentences is 11, more than source.max_sentences, 10");
    CHECK_SAYS(walk("reviews", settings_of("reviews", "min_words", "20", NULL), NULL, "train", &n), ERR_CONFIG,
               "source.min_words is 20, more than source.max_words, 12");
    CHECK_SAYS(walk("stories", settings_of("stories", "min_sentences", "11", NULL), NULL, "train", &n), ERR_CONFIG,
               "source.min_sentences is 11, more than source.max_sentences, 10");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(the_deciding_words_are_where_they_are_said_to_be_and_nowhere_else),
        RUN(a_document_depends_on_its_number_and_split_alone),
        RUN(bounds_that_cross_are_faults),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_close(&run);
    arena_close(&scratch);
    return failed;
}
