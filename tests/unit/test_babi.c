/* test_babi.c - stories with questions, their faults, the split by story, and the published files. */
#include "import_test.h"

static const char story[] = "1 Mary moved to the bathroom.\n"
                            "2 John went to the hallway.\n"
                            "3 Where is Mary? \tbathroom\t1\n"
                            "4 Daniel went back to the Hallway.\n"
                            "5 What does he carry?\tapple,Milk\t4 2\n"
                            "1 Sandra travelled to the office .\r\n"
                            "2 Where is Sandra ?\toffice\t1\r\n";

TEST(a_question_has_the_sentences_before_it_and_where_its_answer_comes_from)
{
    FILE_OF("qa7_things_train.txt", story);
    const void *s = settings_of("babi", "folder", folder, "valid_share", "0", NULL);
    Importer *im;
    Record r;
    Example e;
    bool end;
    CHECK_OK(import_open(&im, &run, "babi", s, NULL, "train"));
    const ImporterDef *def = import_def(im);
    static const char *const expected[3][5] = {
        {"mary moved to the bathroom / john went to the hallway", "where is mary", "bathroom", "0", "7"},
        {"mary moved to the bathroom / john went to the hallway / daniel went back to the hallway",
         "what does he carry", "apple,milk", "2 1", "7"},
        {"sandra travelled to the office", "where is sandra", "office", "0", "7"},
    };
    for (int i = 0; i < 3; i++) {
        CHECK_OK(import_next(im, &r, &end));
        assert_false(end);
        CHECK_OK(import_parse(im, &r, &scratch, &e));
        for (int k = 0; k < 5; k++) assert_string_equal(field_text(def, &e, def->fields[k].name), expected[i][k]);
        assert_int_equal(r.line, i < 2 ? 1 : 6);
    }
    CHECK_OK(import_next(im, &r, &end));
    assert_true(end);
    import_close(im);
    unlink("qa7_things_train.txt");
}

static void fault(const char *text, size_t size, Status code, const char *message)
{
    file_of("qa1_x.txt", text, size);
    int n;
    CHECK_SAYS(walk("babi", settings_of("babi", "train", "qa1_x.txt", "valid_share", "0", NULL), NULL, "train", &n),
               code, message);
    unlink("qa1_x.txt");
}
#define FAULT(text, message) fault((text), sizeof(text) - 1, ERR_DATA, "qa1_x.txt:" message)

TEST(faults_name_file_and_line)
{
    FAULT("1 A b.\n2 Where is A?\n3 Where?\tb\t1\n",
          "2: the question has no tab and answer behind it: \"Where is A?\"");
    FAULT("1 A b.\nx Where?\tb\t1\n", "2: a number and a space were expected before the sentence: \"x Where?\tb\t1\"");
    FAULT("1\n", "1: a number and a space were expected before the sentence: \"1\"");
    FAULT("99999999999 A b.\n", "1: a number and a space were expected before the sentence: \"99999999999 A b.\"");
    FAULT("1 A b.\n2 Where?\tb\t7\n", "2: the supporting sentence 7 is not one of the story before the question");
    FAULT("1 A b.\n2 Q?\tb\t1\n3 Q?\tb\t2\n",
          "3: the supporting sentence 2 is not one of the story before the question");
    FAULT("1 A b.\n2 Where?\tb\t1,2\n", "2: numbers of supporting sentences were expected behind the answer: \"1,2\"");
    FAULT("1 Where?\tb\t\n", "1: a story without sentences before its question");
    FAULT("1 A b.\n2 Where?\t\t1\n", "2: the question has no answer");
    FAULT("1 A b.\n2 ?\tb\t1\n", "2: a question without words");
    FAULT("1 A b.\n2 .\n3 Where?\tb\t1\n", "2: a sentence without words");
    FAULT("1 A b.\n\n1 C d.\n3 Q?\tb\t1\n", "3: the number 1 comes twice in a story");
    FAULT("1 A b.\n2 \xc3\x28.\n3 Where?\tb\t1\n", "2: not UTF-8 at byte 3");
    FAULT("1 A b.\n2 \0.\n3 Where?\tb\t1\n", "2: not text: a 0 byte at byte 3");
    FAULT("\n", " there is no story in the file");
    fault("", 0, ERR_DATA, "qa1_x.txt: the file is empty");
    fault("\xfd"
          "7zXZ\0\0",
          7, ERR_DATA, "qa1_x.txt: after line 0: the xz file ends early");
}

TEST(settings_that_name_no_file_are_faults)
{
    int n;
    FILE_OF("qa2_x_train.txt", story);
    FILE_OF("other.txt", story);
    CHECK_SAYS(walk("babi", settings_of("babi", "train", "qa9_*.txt", NULL), NULL, "train", &n), ERR_INPUT,
               "source.train: no file matches qa9_*.txt");
    CHECK_SAYS(walk("babi", settings_of("babi", "train", "qa2*,qa2_x_*", NULL), NULL, "train", &n), ERR_DATA,
               "source.train: the file qa2_x_train.txt is given twice");
    CHECK_SAYS(walk("babi", settings_of("babi", "train", "other.txt", NULL), NULL, "train", &n), ERR_DATA,
               "other.txt: a name such as qa1_..., with the number of the task, was expected");
    CHECK_SAYS(walk("babi", settings_of("babi", "folder", "nowhere", NULL), NULL, "train", &n), ERR_INPUT,
               "nowhere: No such file or directory");
    CHECK_SAYS(walk("babi", settings_of("babi", NULL), NULL, "train", &n), ERR_INPUT,
               "source: no file to train on: set `folder` (now \"\") to one with files qaN_..._train.txt, or `train`");
    CHECK_SAYS(walk("babi", settings_of("babi", "folder", ".", "tasks", "1..2", NULL), NULL, "train", &n), ERR_INPUT,
               "source.tasks: there is no file for task 1 to train on");
    CHECK_SAYS(walk("babi", settings_of("babi", "folder", ".", "tasks", "2..", NULL), NULL, "train", &n), ERR_CONFIG,
               "source.tasks: \"2..\" is not a task: a number, a range such as 3..5, or all was expected");
    CHECK_OK(
        walk("babi", settings_of("babi", "folder", ".", "tasks", "2", "valid_share", "0", NULL), NULL, "train", &n));
    assert_int_equal(n, 3);
    CHECK_OK(walk("babi", settings_of("babi", "folder", ".", NULL), NULL, "test", &n));
    assert_int_equal(n, 0);
    unlink("qa2_x_train.txt");
    unlink("other.txt");
}

TEST(a_share_of_the_stories_is_kept_to_validate_on)
{
    FILE *f = fopen("qa1_x_train.txt", "wb");
    for (int i = 0; i < 1000; i++) fprintf(f, "1 A%d b.\n2 Where?\tb\t1\n3 Where is A%d?\tb\t1\n", i, i);
    fclose(f);
    int train, valid;
    CHECK_OK(walk("babi", settings_of("babi", "folder", ".", NULL), NULL, "train", &train));
    CHECK_OK(walk("babi", settings_of("babi", "folder", ".", NULL), NULL, "valid", &valid));
    assert_int_equal(train + valid, 2000);
    assert_int_equal(valid % 2, 0);
    CHECK(valid > 140 && valid < 260, "%d questions to validate on", valid); /* 200 expected, deviation 19 */
    FILE_OF("qa1_valid.txt", story);
    CHECK_OK(walk("babi", settings_of("babi", "folder", ".", NULL), NULL, "train", &train));
    CHECK_OK(walk("babi", settings_of("babi", "folder", ".", NULL), NULL, "valid", &valid));
    assert_int_equal(train, 2000);
    assert_int_equal(valid, 3);
    unlink("qa1_x_train.txt");
    unlink("qa1_valid.txt");
}

TEST(the_published_files_have_a_thousand_questions_of_each_task)
{
    const char *data = getenv("MNEME_DATA");
    if (!data) {
        print_message("MNEME_DATA, the folder with babi/babi_en.tar.xz, is not set\n");
        skip();
    }
    char command[512];
    snprintf(command, sizeof command, "tar -xJf %s/babi/babi_en.tar.xz && tar -xJf %s/babi/babi_en-10k.tar.xz", data,
             data);
    assert_int_equal(system(command), 0);
    int n;
    for (int task = 1; task <= 20; task++) {
        char number[8];
        snprintf(number, sizeof number, "%d", task);
        const void *s = settings_of("babi", "folder", "en", "tasks", number, "valid_share", "0", NULL);
        CHECK_OK(walk("babi", s, NULL, "train", &n));
        assert_int_equal(n, 1000);
        CHECK_OK(walk("babi", s, NULL, "test", &n));
        assert_int_equal(n, 1000);
    }
    CHECK_OK(walk("babi", settings_of("babi", "folder", "en-valid", NULL), NULL, "train", &n));
    assert_int_equal(n, 18013);
    CHECK_OK(walk("babi", settings_of("babi", "folder", "en-valid", NULL), NULL, "valid", &n));
    assert_int_equal(n, 1987);
    CHECK_OK(walk("babi", settings_of("babi", "folder", "en-10k", "tasks", "3", "valid_share", "0", NULL), NULL,
                  "train", &n));
    assert_int_equal(n, 1925);
    CHECK_SAYS(walk("babi", settings_of("babi", "folder", "en-valid-10k", "tasks", "1..20", NULL), NULL, "train", &n),
               ERR_INPUT, "source.tasks: there is no file for task 3 to train on");
}

int main(void)
{
    folder_make();
    const struct CMUnitTest tests[] = {
        RUN(a_question_has_the_sentences_before_it_and_where_its_answer_comes_from),
        RUN(faults_name_file_and_line),
        RUN(settings_that_name_no_file_are_faults),
        RUN(a_share_of_the_stories_is_kept_to_validate_on),
        RUN(the_published_files_have_a_thousand_questions_of_each_task),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    folder_remove();
    arena_close(&run);
    arena_close(&scratch);
    return failed;
}
