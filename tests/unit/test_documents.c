/* test_documents.c - labelled documents from JSON lines, columns and folders, and their faults. */
#include "import_test.h"

static Importer *open_first(const char *importer, const void *settings, const TextSettings *text, const char *split)
{
    Importer *im;
    CHECK_OK(import_open(&im, &run, importer, settings, text, split));
    return im;
}

/* The next example as "text => label", or "end". */
static const char *next_text(Importer *im)
{
    static char out[4096];
    Record r;
    Example e;
    bool end;
    CHECK_OK(import_next(im, &r, &end));
    if (end) return "end";
    CHECK_OK(import_parse(im, &r, &scratch, &e));
    const size_t n = (size_t)snprintf(out, sizeof out, "%s => ", field_text(import_def(im), &e, "text"));
    snprintf(out + n, sizeof out - n, "%s", field_text(import_def(im), &e, "label"));
    return out;
}

#define LINES(settings, n) walk("jsonl", (settings), text_of(NULL, NULL), "train", (n))

TEST(json_lines_hold_text_sentences_or_words)
{
    FILE_OF("a.jsonl", "{\"text\": \"One two. Three!\", \"label\": \"pos\"}\n\n"
                       "{\"id\": 1, \"text\": [\"A b. c\", \"\", \"d\\ne\"], \"label\": 3}\r\n"
                       "{\"label\": \" neg \", \"text\": [[\"It's\", \"X-y\"], [\"z\"]]}");
    Importer *im = open_first("jsonl", settings_of("jsonl", "train", "a.jsonl", "valid_share", "0", NULL),
                              text_of(NULL, NULL), "train");
    assert_string_equal(next_text(im), "one two . / three ! => pos");
    assert_string_equal(next_text(im), "a b . c / d e => 3");
    assert_string_equal(next_text(im), "it's x-y / z => neg");
    assert_string_equal(next_text(im), "end");
    import_close(im);
}

static void json_fault(const char *text, size_t size, const char *message)
{
    int n;
    file_of("a.jsonl", text, size);
    CHECK_SAYS(LINES(settings_of("jsonl", "train", "a.jsonl", "valid_share", "0", NULL), &n), ERR_DATA, message);
}
#define JSON_FAULT(text, message) json_fault((text), sizeof(text) - 1, "a.jsonl:" message)

TEST(faults_of_json_lines_name_file_and_line)
{
    JSON_FAULT("{\"text\": \"a\", \"label\": 1}\n{\"text\": \"b\"}\n", "2: the key \"label\" is missing");
    JSON_FAULT("{\"label\": 1}\n", "1: the key \"text\" is missing");
    JSON_FAULT("[1]\n", "1: a list; an object was expected");
    JSON_FAULT("{\"text\": 7, \"label\": 1}\n",
               "1: \"text\" is a whole number; a string or a list of sentences was expected");
    JSON_FAULT("{\"text\": [\"a\", [\"b\"]], \"label\": 1}\n",
               "1: \"text\": sentences must all be strings or all be lists of words, but one is a list");
    JSON_FAULT("{\"text\": [[\"a\", 1]], \"label\": 1}\n",
               "1: \"text\": a word must be a string, but one is a whole number");
    JSON_FAULT("{\"text\": \"a\", \"label\": 1.5}\n",
               "1: \"label\" is a number with a fraction; a string or a whole number was expected");
    JSON_FAULT("{\"text\": \"a\", \"label\": \" \"}\n", "1: the label is empty");
    JSON_FAULT("{\"text\": \" \", \"label\": 1}\n", "1: a document without words");
    JSON_FAULT("{\"text\": [], \"label\": 1}\n", "1: a document without words");
    JSON_FAULT("{\"text\": \"a\", \"label\": 99999999999999999999}\n",
               "1: \"label\" is a number that does not fit, or null; a string or a whole number was expected");
    JSON_FAULT("{\"text\": \"a\", \"label\": null, \"n\": 1}\n",
               "1: \"label\" is null; a string or a whole number was expected");
    JSON_FAULT("{\"text\": \"a\",\n", "1:13: string or '}' expected near end of file");
    JSON_FAULT("{\"text\": \"a\", \"text\": \"b\"}\n", "1:20: duplicate object key near '\"text\"'");
    JSON_FAULT("{\"text\": \"a\xff\"}\n", "1: not UTF-8 at byte 12");
    JSON_FAULT("\n \n", " only blank lines");
    int n;
    CHECK_SAYS(LINES(settings_of("jsonl", "train", "none.jsonl", NULL), &n), ERR_INPUT,
               "source.train: no file matches none.jsonl");
    CHECK_SAYS(LINES(settings_of("jsonl", NULL), &n), ERR_INPUT, "source.train: no file to train on is given");
    mkdir("f.jsonl", 0755);
    CHECK_SAYS(LINES(settings_of("jsonl", "train", "f.jsonl", NULL), &n), ERR_INPUT,
               "f.jsonl: a folder, a file was expected");
    rmdir("f.jsonl");
}

TEST(a_hundred_thousand_brackets_are_refused)
{
    char *text = arena_alloc(&run, 200000);
    memset(text, '[', 100000);
    file_of("a.jsonl", text, 100000);
    int n;
    CHECK_SAYS(LINES(settings_of("jsonl", "train", "a.jsonl", "valid_share", "0", NULL), &n), ERR_DATA,
               "a.jsonl:1:2049: maximum parsing depth reached near '['");
}

TEST(documents_without_words_can_be_left_out_and_are_counted)
{
    FILE_OF("a.jsonl",
            "{\"text\": \"\", \"label\": 1}\n{\"text\": \"b\", \"label\": 1}\n{\"text\": [\" \"], \"label\": 1}\n");
    Importer *im =
        open_first("jsonl", settings_of("jsonl", "train", "a.jsonl", "valid_share", "0", "empty", "skip", NULL),
                   text_of(NULL, NULL), "train");
    assert_string_equal(next_text(im), "b => 1");
    assert_string_equal(next_text(im), "end");
    assert_int_equal(import_skipped(im), 2);
    import_close(im);
}

TEST(every_document_is_trained_or_validated_on_and_files_may_be_packed)
{
    FILE *f = popen("gzip > many.jsonl.gz", "w");
    for (int i = 0; i < 2000; i++) fprintf(f, "{\"text\": \"w%d\", \"label\": %d}\n", i, i / 1000);
    pclose(f);
    int seen[2000] = {0};
    int valid = 0;
    for (int k = 0; k < 2; k++) {
        Importer *im = open_first("jsonl", settings_of("jsonl", "train", "many.jsonl.gz", NULL), text_of(NULL, NULL),
                                  k ? "valid" : "train");
        int number, label;
        for (const char *t; strcmp(t = next_text(im), "end") != 0;) {
            assert_int_equal(sscanf(t, "w%d => %d", &number, &label), 2);
            seen[number]++;
            valid += k;
        }
        import_close(im);
    }
    for (int i = 0; i < 2000; i++) assert_int_equal(seen[i], 1);
    CHECK(valid > 150 && valid < 250, "%d documents to validate on", valid); /* 200 expected, deviation 13 */
    assert_int_equal(truncate("many.jsonl.gz", 900), 0);
    int n;
    CHECK_FAILS(walk("jsonl", settings_of("jsonl", "train", "many.jsonl.gz", NULL), text_of(NULL, NULL), "train", &n),
                ERR_DATA);
    CHECK(strstr(status_message(), "the gzip file ends early"), "%s", status_message());
}

static Status columns(const char *text, size_t size, const void *settings)
{
    int n;
    file_of("a.tsv", text, size);
    return walk("tsv", settings, text_of(NULL, NULL), "train", &n);
}
#define TSV(text, ...)                                                                                                 \
    columns((text), sizeof(text) - 1, settings_of("tsv", "train", "a.tsv", "valid_share", "0", __VA_ARGS__))

TEST(columns_are_named_by_the_header_or_counted)
{
    FILE_OF("a.tsv", "id\tlabel\ttext\textra\n1\tpos\tGood \"film\".\tx\n2\tneg\tBad\n");
    Importer *im =
        open_first("tsv", settings_of("tsv", "train", "a.tsv", "valid_share", "0", NULL), text_of(NULL, NULL), "train");
    assert_string_equal(next_text(im), "good \" film \" . => pos");
    assert_string_equal(next_text(im), "bad => neg");
    assert_string_equal(next_text(im), "end");
    import_close(im);
    FILE_OF("a.tsv", "\xef\xbb\xbf"
                     "0\tSome words\n1\tMore\n");
    im = open_first("tsv",
                    settings_of("tsv", "train", "a.tsv", "valid_share", "0", "header", "false", "text_column", "2",
                                "label_column", "1", NULL),
                    text_of(NULL, NULL), "train");
    assert_string_equal(next_text(im), "some words => 0");
    assert_string_equal(next_text(im), "more => 1");
    import_close(im);
}

TEST(faults_of_columns_name_file_and_line)
{
    CHECK_SAYS(TSV("a\tb\n1\t2\n", NULL), ERR_DATA,
               "a.tsv:1: source.text_column: there is no column \"text\" in the header \"a\tb\"");
    CHECK_SAYS(TSV("text\tlabel\nx\tpos\ny\n", NULL), ERR_DATA, "a.tsv:3: 1 columns, but the label is in column 2");
    CHECK_SAYS(TSV("label\ttext\npos\n", NULL), ERR_DATA, "a.tsv:2: 1 columns, but the text is in column 2");
    CHECK_SAYS(TSV("text\tlabel\nx\t\n", NULL), ERR_DATA, "a.tsv:2: the label is empty");
    CHECK_SAYS(TSV("text\tlabel\n \tpos\n", NULL), ERR_DATA, "a.tsv:2: a document without words");
    CHECK_SAYS(TSV("text\tlabel\nx\xc3\tpos\n", NULL), ERR_DATA, "a.tsv:2: not UTF-8 at byte 2");
    CHECK_SAYS(TSV("x\tpos\n", "header", "false", NULL), ERR_CONFIG,
               "source.text_column is \"text\"; without a header the number of the column, from 1, was expected");
    CHECK_SAYS(TSV("x\tpos\n", "header", "false", "text_column", "1", "label_column", "3", NULL), ERR_DATA,
               "a.tsv:1: source.label_column is 3, but there are 2 columns");
    CHECK_OK(TSV("text\tlabel\n \tpos\ny\tpos\n", "empty", "skip", NULL));
}

static Status rows(const char *text, size_t size, const void *settings)
{
    int n;
    file_of("a.csv", text, size);
    return walk("csv", settings, text_of(NULL, NULL), "train", &n);
}
#define CSV(text, ...)                                                                                                 \
    rows((text), sizeof(text) - 1, settings_of("csv", "train", "a.csv", "valid_share", "0", __VA_ARGS__))

static void check_rows(const char *importer, const void *settings, const char *const *expected)
{
    Importer *im = open_first(importer, settings, text_of(NULL, NULL), "train");
    for (; *expected; expected++) assert_string_equal(next_text(im), *expected);
    assert_string_equal(next_text(im), "end");
    import_close(im);
}

/* The same rows as Python's csv module reads. */
TEST(cells_of_csv_are_those_of_rfc_4180)
{
    static const char *const expected[] = {"one , two => a b", "say \" hi \" => a b", "first / second => x",
                                           "it's => y", NULL};
    static const char *const ends[] = {"\n", "\r\n", "\r", "\r\r\n"};
    for (int e = 0; e < COUNT(ends); e++) {
        FILE *f = fopen("a.csv", "wb");
        fprintf(f, "\xef\xbb\xbf\"label\",id,\"text\"%s", ends[e]);
        fprintf(f, "a b,1,\"one, two\"%s", ends[e]);
        fprintf(f, "\" a b\",2,\"say \"\"hi\"\"\"%s%s", ends[e], ends[e]);
        fprintf(f, "x,,\"first%s%ssecond\"%s", ends[e], ends[e], ends[e]);
        fprintf(f, "y,\"\",it's");
        fclose(f);
        check_rows("csv", settings_of("csv", "train", "a.csv", "valid_share", "0", NULL), expected);
    }
    FILE_OF("a.csv", "text;label\n\"a;b\";x\nc, d;y\n");
    check_rows("csv", settings_of("csv", "train", "a.csv", "valid_share", "0", "delimiter", ";", NULL),
               (const char *const[]){"a ; b => x", "c , d => y", NULL});
    FILE_OF("a.csv", "caf\xe9,x\n\x93q\x94,y\n");
    check_rows("csv",
               settings_of("csv", "train", "a.csv", "valid_share", "0", "encoding", "windows-1252", "header", "false",
                           "text_column", "1", "label_column", "2", NULL),
               (const char *const[]){"caf\xc3\xa9 => x", "\xe2\x80\x9c q \xe2\x80\x9d => y", NULL});
    FILE_OF("a.csv", "\xff\xfet\0e\0x\0t\0,\0l\0a\0b\0e\0l\0\n\0\x3d\xd8\x00\xde,\0y\0");
    check_rows("csv", settings_of("csv", "train", "a.csv", "valid_share", "0", "encoding", "UTF-16", NULL),
               (const char *const[]){"\xf0\x9f\x98\x80 => y", NULL});
    FILE_OF("a.tsv", "text\tlabel\n\"a\tb\"\tx\n");
    check_rows("tsv", settings_of("tsv", "train", "a.tsv", "valid_share", "0", "quotes", "true", NULL),
               (const char *const[]){"a b => x", NULL});
}

TEST(faults_of_csv_name_file_and_line)
{
    CHECK_SAYS(CSV("text,label\na,x\n\"b,x\nc,y\n", NULL), ERR_DATA,
               "a.csv:3: the quotes that are opened in this row are never closed");
    CHECK_SAYS(CSV("text,label\n\"a\nb\",x\nc\n", NULL), ERR_DATA, "a.csv:4: 1 columns, but the label is in column 2");
    CHECK_SAYS(CSV("text,label\na,b,x\n", NULL), ERR_DATA, "a.csv:2: 3 columns, but line 1 has 2");
    CHECK_SAYS(CSV("text,label,id\na,b\n", NULL), ERR_DATA, "a.csv:2: 2 columns, but line 1 has 3");
    CHECK_SAYS(CSV("text,label\n\"a\"b,x\n", NULL), ERR_DATA,
               "a.csv:2: something stands behind the quotes of a cell; a quote mark within quotes is written twice");
    CHECK_SAYS(
        CSV("Text,lable\na,x\n", "text_column", "Text", NULL), ERR_DATA,
        "a.csv:1: source.label_column: there is no column \"label\" in the header \"Text,lable\"; did you mean lable?");
    CHECK_SAYS(CSV("text,label\n,x\n", NULL), ERR_DATA, "a.csv:2: a document without words");
    CHECK_SAYS(CSV("text,label\na,\"\"\n", NULL), ERR_DATA, "a.csv:2: the label is empty");
    CHECK_SAYS(CSV("text,label\na\xff,x\n", NULL), ERR_DATA, "a.csv:2: not UTF-8 at byte 2");
    CHECK_SAYS(CSV("text,label\na,x\n\xff,x\n", "encoding", "shift_jis", NULL), ERR_DATA,
               "a.csv: after line 0: bytes that are not shift_jis");
    CHECK_SAYS(CSV("text,label\na,x\n", "encoding", "klingon", NULL), ERR_CONFIG,
               "encoding klingon is not known; utf-8, windows-1252 and utf-16 are");
    CHECK_SAYS(CSV("text,label\na,x\n", "delimiter", "::", NULL), ERR_CONFIG,
               "source.delimiter: \"::\" is no delimiter; one character such as , or ; or tab was expected");
    CHECK_SAYS(TSV("text\tlabel\na\tb\tx\n", NULL), ERR_DATA, "a.tsv:2: 3 columns, but line 1 has 2");
}

/* Whatever the seed, each class is trained on, and no document is lost. */
TEST(no_class_is_only_validated_on)
{
    enum { N = 12 };
    for (int form = 0; form < 3; form++)
        for (int seed = 1; seed <= 40; seed++) {
            FILE *f = fopen("few", "w");
            if (form) fprintf(f, form == 1 ? "text\tlabel\n" : "text,label\n");
            for (int i = 0; i < N; i++)
                fprintf(f,
                        form == 0   ? "{\"text\": \"w%d\", \"label\": \"c%d\"}\n"
                        : form == 1 ? "w%d\tc%d\n"
                                    : "w%d,c%d\n",
                        i, i % 7);
            fclose(f);
            char number[8];
            int trained[7] = {0}, all = 0;
            snprintf(number, sizeof number, "%d", seed);
            const char *importer = form == 0 ? "jsonl" : form == 1 ? "tsv" : "csv";
            for (int k = 0; k < 2; k++) {
                Importer *im = open_first(
                    importer, settings_of(importer, "train", "few", "valid_share", "0.5", "seed", number, NULL),
                    text_of(NULL, NULL), k ? "valid" : "train");
                int word, label;
                for (const char *t; strcmp(t = next_text(im), "end") != 0; all++) {
                    assert_int_equal(sscanf(t, "w%d => c%d", &word, &label), 2);
                    if (!k) trained[label]++;
                }
                import_close(im);
            }
            assert_int_equal(all, N);
            for (int c = 0; c < 7; c++)
                CHECK(trained[c] > 0, "%s, seed %d: class %d is not trained on", importer, seed, c);
        }
}

static void make_folders(void)
{
    char path[64], text[64];
    mkdir("docs", 0755);
    for (int c = 0; c < 2; c++) {
        snprintf(path, sizeof path, "docs/%s", c ? "neg" : "pos");
        mkdir(path, 0755);
        for (int i = 0; i < 100; i++) {
            snprintf(path, sizeof path, "docs/%s/cv%03d_%d.txt", c ? "neg" : "pos", i * 10, 777 - i);
            const int n = snprintf(text, sizeof text, "class%d number%d .\nsecond line\n", c, i);
            file_of(path, text, (size_t)n);
        }
    }
}

TEST(folders_are_classes_and_folds_are_found_by_name)
{
    make_folders();
    const TextSettings *text = text_of(NULL, "words", "space", "sentences", "line", NULL);
    Importer *im =
        open_first("folders", settings_of("folders", "train", "docs", "valid_share", "0", NULL), text, "train");
    assert_string_equal(next_text(im), "class1 number0 . / second line => neg");
    import_close(im);
    int train, valid, test, all = 0;
    for (int fold = 0; fold < 10; fold++) {
        char number[8];
        snprintf(number, sizeof number, "%d", fold);
        const void *s = settings_of("folders", "train", "docs", "fold_of", "cv([0-9])", "fold", number, NULL);
        CHECK_OK(walk("folders", s, text, "train", &train));
        CHECK_OK(walk("folders", s, text, "valid", &valid));
        CHECK_OK(walk("folders", s, text, "test", &test));
        assert_int_equal(train + valid, 180);
        assert_int_equal(test, 20);
        CHECK(valid > 5 && valid < 35, "%d documents to validate on", valid);
        all += test;
    }
    assert_int_equal(all, 200);
    CHECK_OK(walk("folders", settings_of("folders", "train", "docs", NULL), text, "test", &test));
    assert_int_equal(test, 0);
    CHECK_OK(walk("folders", settings_of("folders", "train", "docs", "test", "docs", NULL), text, "test", &test));
    assert_int_equal(test, 200);
}

static void folders_fault(const char *root, const char *fold_of, const char *fold, const char *test, Status code,
                          const char *message)
{
    int n;
    const void *s =
        settings_of("folders", "train", root, "fold_of", fold_of, "fold", fold, "test", test, "valid_share", "0", NULL);
    CHECK_SAYS(walk("folders", s, text_of(NULL, NULL), "train", &n), code, message);
}

TEST(faults_of_folders_name_the_folder_or_the_setting)
{
    folders_fault("nowhere", "\"\"", "0", "\"\"", ERR_INPUT, "nowhere: No such file or directory");
    mkdir("bare", 0755);
    folders_fault("bare", "\"\"", "0", "\"\"", ERR_INPUT,
                  "bare: one folder per class was expected in it, but there is none");
    mkdir("bare/pos", 0755);
    folders_fault("bare", "\"\"", "0", "\"\"", ERR_INPUT, "bare/pos: there is no document in the folder");
    folders_fault("docs", "cv([0-9])", "0", "docs", ERR_CONFIG,
                  "source.test and source.fold_of are both set: give one of them");
    folders_fault("docs", "cv[0-9]", "0", "\"\"", ERR_CONFIG,
                  "source.fold_of: cv[0-9] has no group (...) for the number of the fold");
    folders_fault("docs", "cv([0-9]", "0", "\"\"", ERR_CONFIG, "source.fold_of: cv([0-9]: Unmatched ( or \\(");
    folders_fault("docs", "x([0-9])", "0", "\"\"", ERR_DATA,
                  "docs/neg/cv000_777.txt: source.fold_of: the name does not match x([0-9])");
    folders_fault("docs", "(cv)", "0", "\"\"", ERR_DATA,
                  "docs/neg/cv000_777.txt: source.fold_of: \"cv\" is not the number of a fold");
    folders_fault("docs", "cv([0-9])", "12", "\"\"", ERR_INPUT, "source.fold: there is no document in fold 12");
    file_of("bare/pos/a.txt", "", 0);
    folders_fault("bare", "\"\"", "0", "\"\"", ERR_DATA, "bare/pos/a.txt: the file is empty");
    FILE_OF("bare/pos/a.txt", "one\ntwo\0three\n");
    folders_fault("bare", "\"\"", "0", "\"\"", ERR_DATA, "bare/pos/a.txt:2: not text: a 0 byte at byte 4");
    FILE_OF("bare/pos/a.txt", " \n");
    folders_fault("bare", "\"\"", "0", "\"\"", ERR_DATA, "bare/pos/a.txt:1: a document without words");
    file_of("bare/pos/b.txt", "", 0);
    FILE_OF("bare/pos/c.txt", "word");
    int n;
    CHECK_OK(walk("folders", settings_of("folders", "train", "bare", "empty", "skip", "valid_share", "0", NULL),
                  text_of(NULL, NULL), "train", &n));
    assert_int_equal(n, 1);
}

/* One example from opening to closing; the n-th allocation of the run's arena, or of scratch, fails. */
static Status one_example(const char *importer, const void *settings, const TextSettings *text, Arena *own,
                          Arena *scrap)
{
    Importer *im = NULL;
    Record r;
    Example e;
    bool end;
    Status st = import_open(&im, own, importer, settings, text, "train");
    if (st == OK) st = import_next(im, &r, &end);
    if (st == OK) st = import_parse(im, &r, scrap, &e);
    import_close(im);
    return st;
}

TEST(every_allocation_of_an_importer_may_fail)
{
    FILE_OF("qa1_x_train.txt", "1 A b.\n2 Where is A?\tb\t1\n");
    FILE_OF("b.jsonl", "{\"text\": [[\"a\"]], \"label\": 1}\n");
    FILE_OF("b.tsv", "text\tlabel\na b. c\tx\n");
    make_folders();
    const TextSettings *text = text_of(NULL, NULL);
    const struct {
        const char *importer;
        const void *settings;
    } cases[] = {
        {"babi", settings_of("babi", "folder", ".", "valid_share", "0", NULL)},
        {"jsonl", settings_of("jsonl", "train", "b.jsonl", "valid_share", "0", NULL)},
        {"tsv", settings_of("tsv", "train", "b.tsv", "valid_share", "0", NULL)},
        {"folders", settings_of("folders", "train", "docs", "fold_of", "cv([0-9])", NULL)},
        {"stories", settings_of("stories", NULL)},
        {"reviews", settings_of("reviews", NULL)},
    };
    for (int c = 0; c < COUNT(cases); c++)
        for (int which = 0; which < 2; which++)
            for (long n = 1;; n++) {
                Arena own = {.fail_in = which ? 0 : n}, scrap = {.fail_in = which ? n : 0};
                const Status st = one_example(cases[c].importer, cases[c].settings, text, &own, &scrap);
                const bool reached = own.fail_in == 0 && scrap.fail_in == 0;
                arena_close(&own);
                arena_close(&scrap);
                if (!reached) {
                    CHECK(st == OK && n > 2, "%s: %ld allocations: %s", cases[c].importer, n, status_text());
                    break;
                }
                CHECK_FAILS(st, ERR_HOST);
            }
    unlink("qa1_x_train.txt");
}

TEST(the_published_corpora_are_read_whole)
{
    const char *data = getenv("MNEME_DATA");
    if (!data) {
        print_message("MNEME_DATA, the folder with movie_reviews and 20newsgroups, is not set\n");
        skip();
    }
    char command[1024];
    snprintf(command, sizeof command,
             "mkdir movies && tar -xJf %s/movie_reviews/review_polarity_v2.tar.xz -C movies && "
             "xz -dc %s/20newsgroups/test.jsonl.xz > news.jsonl",
             data, data);
    assert_int_equal(system(command), 0);
    int train, valid, test, n;
    const TextSettings *text = text_of(NULL, "words", "space", "sentences", "line", NULL);
    const void *s = settings_of("folders", "train", "movies", "fold_of", "cv([0-9])", "fold", "5", NULL);
    CHECK_OK(walk("folders", s, text, "train", &train));
    CHECK_OK(walk("folders", s, text, "valid", &valid));
    CHECK_OK(walk("folders", s, text, "test", &test));
    assert_int_equal(train + valid, 1800);
    assert_int_equal(test, 200);
    CHECK_OK(walk("jsonl", settings_of("jsonl", "train", "news.jsonl", "valid_share", "0", NULL), text_of(NULL, NULL),
                  "train", &n));
    assert_int_equal(n, 7532);
}

int main(void)
{
    folder_make();
    const struct CMUnitTest tests[] = {
        RUN(json_lines_hold_text_sentences_or_words),
        RUN(faults_of_json_lines_name_file_and_line),
        RUN(a_hundred_thousand_brackets_are_refused),
        RUN(documents_without_words_can_be_left_out_and_are_counted),
        RUN(every_document_is_trained_or_validated_on_and_files_may_be_packed),
        RUN(columns_are_named_by_the_header_or_counted),
        RUN(faults_of_columns_name_file_and_line),
        RUN(cells_of_csv_are_those_of_rfc_4180),
        RUN(faults_of_csv_name_file_and_line),
        RUN(no_class_is_only_validated_on),
        RUN(folders_are_classes_and_folds_are_found_by_name),
        RUN(faults_of_folders_name_the_folder_or_the_setting),
        RUN(every_allocation_of_an_importer_may_fail),
        RUN(the_published_corpora_are_read_whole),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    folder_remove();
    arena_close(&run);
    arena_close(&scratch);
    return failed;
}
