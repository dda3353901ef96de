/* Attention is saved as it was, drawn with every script set properly, and refused when its parts do not fit. */
#include <stdio.h>

#include "attention_samples.h"
#include "file_test.h"
#include "io/file/file.h"
#include "io/h5/h5.h"

static void save(void)
{
    AttentionExample e[4];
    CHECK_OK(attention_save(path, "mneme 0.1.0", "han", sample_all(&arena, e), e));
}

static Status page(int n, const AttentionExample *e)
{
    const AttentionFile one = {.n = n, .example = e};
    return attention_page(path, &(AttentionPage){.title = "x", .n_files = 1, .file = &one});
}

TEST(the_file_holds_the_same_numbers)
{
    AttentionExample e[4];
    H5 *h;
    const int n = sample_all(&arena, e);
    save();
    CHECK_OK(h5_open(&h, path, 0));
    for (int i = 0; i < n; i++) {
        for (int v = 0; v < e[i].n_views; v++) {
            const char *object = arena_format(&arena, "example-%05d/view-%03d/weights", i, v);
            const int64_t size = e[i].view[v].columns.size;
            double weight[500];
            CHECK_OK(h5_read_range(h, object, H5_F64, 0, size, weight));
            CHECK(memcmp(weight, e[i].view[v].weight, (size_t)size * 8) == 0, "%s", object);
        }
    }
    int64_t fact[2];
    CHECK_OK(h5_read_range(h, "example-00003/gold-00/at", H5_I64, 0, 2, fact));
    CHECK(fact[0] == 1 && fact[1] == 4, "facts");
    h5_close(h);
}

TEST(h5py_reads_it_as_the_header_says)
{
    static const char script[] =
        "import sys, h5py\n"
        "f = h5py.File(sys.argv[1], 'r')\n"
        "assert f.attrs['n'] == 4 and len(f) == 4\n"
        "def words(g):\n"
        "    at, text = g['word'][...], g['text'][...].tobytes()\n"
        "    return [text[a:b].decode() for a, b in zip(at[:-1], at[1:])]\n"
        "assert words(f['example-00001/field-00'])[:4] == ['\u8fd9', '\u90e8', '\u7535\u5f71', '\u7684']\n"
        "e = f['example-00003']\n"
        "assert words(e['field-01']) == ['Where', 'is', 'the', 'lamp', '?']\n"
        "assert words(e['class']) == ['kitchen', 'garden', 'hallway'] and abs(e['probability'][1] - 0.97) < 1e-15\n"
        "hops = [e[v].attrs['hop'] for v in e if v.startswith('view-')]\n"
        "assert hops == [0, 1, 2], hops\n"
        "d = f['example-00000']\n"
        "s, w = d['field-00/sentence'][...], d['view-000/weights'][...]\n"
        "assert all(abs(w[a:b].sum() - 1) < 1e-12 for a, b in zip(s[:-1], s[1:]))\n"
        "v = d['view-000'].attrs\n"
        "assert v['rows'] == b'none' and v['columns'] == b'words' and v['columns_of'] == b'text' and v['by_sentence'] "
        "== 1\n"
        "assert d['field-00'].attrs['role'] == b'input' and d['field-00'].attrs['levels'] == 2\n"
        "g = e['gold-00'].attrs\n"
        "assert g['of'] == b'story' and g['unit'] == b'sentences' and g['possible'] == 0 and 'to' not in g\n"
        "assert list(e['gold-00/at'][...]) == [1, 4]\n";
    if (system("/usr/bin/python3 -c 'import h5py' 2>/dev/null") != 0) skip(); /* needs python3-h5py */
    save();
    const char *file = arena_format(&arena, "%s.py", path);
    CHECK_OK(file_write(file, script, sizeof script - 1));
    const int rc = system(arena_format(&arena, "/usr/bin/python3 %s %s", file, path));
    unlink(file);
    CHECK(rc == 0, "the script failed");
}

TEST(inspecting_tells_what_is_there)
{
    Buffer text = {0};
    save();
    CHECK_OK(attention_inspect(path, &text));
    static const char *const part[] = {
        ": attention, format 3\n", "  model        han\n", "  examples     4\n",
        ("  example-00003  story 7: story (6 sentences, 33 words), question (5 words), 3 views; predicted garden, true "
         "garden\n"),
        "  example-00002  ar/1: text (2 sentences, "};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        CHECK(strstr(text.data, part[i]), "no %s in\n%s", part[i], text.data);
    CHECK_OK(file_write(path, "hello", 5));
    CHECK_SAYS(attention_inspect(path, &text), ERR_DATA, arena_format(&arena, "%s: not an HDF5 file", path));
    H5 *h;
    CHECK_OK(h5_create(&h, path));
    CHECK_OK(h5_set_text(h, "/", "format", "other"));
    CHECK_OK(h5_save(h, path));
    h5_close(h);
    CHECK_SAYS(attention_inspect(path, &text), ERR_DATA,
               arena_format(&arena, "%s: not an attention file of Mneme", path));
    buffer_close(&text);
}

TEST(words_are_set_as_their_script_wants)
{
    AttentionExample e[4];
    Buffer out = {0};
    sample_all(&arena, e);
    for (int i = 0; i < 4; i++) {
        AttentionExample plain = e[i];
        plain.n_views = i == 3 ? 3 : 0;
        CHECK_OK(attention_html(&out, &plain));
    }
    static const char *const part[] = {
        "<p dir=\"auto\">The opening is slow, and the first half hour drags.</p>",
        "<p dir=\"auto\">这部电影的开头有些慢，但是结尾非常精彩。</p>",
        "<p dir=\"auto\">هذا الفيلم رائع جدا.</p>",
        "<p class=\"question\" dir=\"auto\">Where is the lamp?</p>",
        ("<td class=\"mark\" title=\"supporting fact\">&#10003;</td><td dir=\"auto\">Nora "
         "took the lamp.</td><td class=\"hop\" style=\"--a:0.920\" title=\"0.9200\">0.92</td>"),
        "<span class=\"wrong\">Predicted <b dir=\"auto\">positive</b></span>",
        "mixed &lt;b&gt;&amp;"};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        CHECK(strstr(out.data, part[i]), "no %s in\n%s", part[i], out.data);
    buffer_close(&out);
}

TEST(the_heaviest_word_of_the_heaviest_sentence_is_shaded_fully)
{
    AttentionExample e[4];
    Buffer out = {0};
    sample_all(&arena, e);
    CHECK_OK(attention_html(&out, &e[0]));
    int full = 0;
    for (const char *p = out.data; (p = strstr(p, "class=\"tok\" style=\"--a:1.000\"")); p++) full++;
    CHECK(full == 1, "%d words are shaded fully", full);
    buffer_close(&out);
}

/* Without weights of sentences none is paler than another: in each the heaviest word is shaded fully. */
TEST(without_sentences_no_word_is_pale)
{
    AttentionExample e[4];
    Buffer out = {0};
    sample_all(&arena, e);
    AttentionExample one = e[0];
    one.n_views = 0;
    AttentionView words = {0};
    for (int v = 0; v < e[0].n_views; v++)
        if (e[0].view[v].columns.unit == AXIS_WORDS) words = e[0].view[v];
    one.view = &words;
    one.n_views = 1;
    CHECK_OK(attention_html(&out, &one));
    int full = 0, sentences = 0;
    for (const char *p = out.data; (p = strstr(p, "class=\"tok\" style=\"--a:1.000\"")); p++) full++;
    for (const char *p = out.data; (p = strstr(p, "<div class=\"sent\">")); p++) sentences++;
    CHECK(words.columns.by_sentence && sentences > 1 && full == sentences,
          "%d of %d sentences have a word that is shaded fully", full, sentences);
    buffer_close(&out);
}

TEST(parts_that_do_not_fit_are_our_own_mistake)
{
    AttentionExample e[4];
    sample_all(&arena, e);
    AttentionView view = e[0].view[0];
    view.columns.size--;
    AttentionExample bad = e[0];
    bad.view = &view;
    bad.n_views = 1;
    const char *text = arena_format(&arena, "attention: view word has %lld columns, expected %lld words",
                                    (long long)view.columns.size, (long long)bad.field[0].words.n);
    CHECK_SAYS(attention_save(path, NULL, NULL, 1, &bad), ERR_INTERNAL, text);
    CHECK_SAYS(page(1, &bad), ERR_INTERNAL, text);
    bad = e[3];
    const int64_t fact[] = {6};
    const AttentionGold gold = {.to = -1, .unit = AXIS_SENTENCES, .n = 1, .at = fact};
    bad.gold = &gold;
    CHECK_SAYS(attention_check(&bad), ERR_INTERNAL, "attention: gold 6 of 6 sentences of story");
    bad = e[3];
    const int64_t sentence[] = {0, 6, 4, 12, 15, 21, 33};
    AttentionField field[] = {bad.field[0], bad.field[1]};
    field[0].sentence = sentence;
    bad.field = field;
    CHECK_SAYS(attention_check(&bad), ERR_INTERNAL, "attention: story: sentences 1 ends before it begins");
    field[0] = e[3].field[0];
    field[1].name = "story";
    CHECK_SAYS(attention_check(&bad), ERR_INTERNAL, "attention: two fields are named story");
    bad = e[0];
    view = e[0].view[0];
    view.rows = (AttentionAxis){AXIS_WORDS, -1, 1, false};
    bad.view = &view;
    CHECK_SAYS(attention_check(&bad), ERR_INTERNAL, "attention: view word: rows are words of no field");
    view.rows = (AttentionAxis){AXIS_HEADS, 0, 1, false};
    CHECK_SAYS(attention_check(&bad), ERR_INTERNAL, "attention: view word: rows are heads of a field");
}

TEST(a_failing_write_leaves_nothing_half_written)
{
    AttentionExample e[4];
    const int n = sample_all(&arena, e);
    for (long call = 1;; call++) {
        CHECK_OK(file_write(path, "old", 3));
        file_fail_in(call, 28);
        const Status st = call % 2 ? attention_save(path, NULL, NULL, n, e) : page(n, e);
        const bool reached = file_fail_left() == 0;
        file_fail_in(0, 0);
        if (!reached) break;
        CHECK_FAILS(st, ERR_IO);
        Buffer b = {0};
        CHECK_OK(file_read(path, 1 << 24, &b));
        const bool older = b.size == 3; /* else it was renamed, and only the folder could not be synced */
        b.size = 0;
        if (!older && call % 2) CHECK_OK(attention_inspect(path, &b));
        if (!older && call % 2 == 0) CHECK(strstr(b.data, "</html>\n"), "torn by call %ld", call);
        buffer_close(&b);
    }
}

#define TEST_WITH_FILE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST_WITH_FILE(the_file_holds_the_same_numbers),
                                       TEST_WITH_FILE(h5py_reads_it_as_the_header_says),
                                       TEST_WITH_FILE(inspecting_tells_what_is_there),
                                       TEST_WITH_FILE(words_are_set_as_their_script_wants),
                                       TEST_WITH_FILE(the_heaviest_word_of_the_heaviest_sentence_is_shaded_fully),
                                       TEST_WITH_FILE(without_sentences_no_word_is_pale),
                                       TEST_WITH_FILE(parts_that_do_not_fit_are_our_own_mistake),
                                       TEST_WITH_FILE(a_failing_write_leaves_nothing_half_written)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
