/* Pictures of pairs: words stand on the axes as their scripts want, several models side by side, many pairs on one
 * page, images of their own. */
#include <stdio.h>
#include <stdlib.h>

#include "attention_samples.h"
#include "file_test.h"
#include "io/file/file.h"
#include "io/page/script.h"

TEST(words_stand_on_the_axes_as_their_scripts_want)
{
    AttentionExample e[4];
    Buffer out = {0};
    const int n = sample_pairs(&arena, e);
    for (int i = 0; i < n; i++) CHECK_OK(attention_html(&out, &e[i]));
    static const char *const part[] = {
        "<p dir=\"auto\">Zwei junge Männer haben im &lt;b&gt;&amp;&quot;Garten&quot; Fußball gespielt.</p>",
        "<title>3: Männer</title>Männer</text>", /* turned */
        "text-anchor=\"end\"><title>7: Donaudampfschifffahrtsgesellschaft</title>Donaudampfschifff…</text>", /* cut */
        " class=\"vertical\" text-anchor=\"end\"><title>3: 年轻人</title>年轻人</text>", /* upright */
        " class=\"vertical\" text-anchor=\"end\"><title>5: NHK</title>NHK</text>",       /* in a vertical line */
        " text-anchor=\"end\" direction=\"rtl\" unicode-bidi=\"embed\"><title>2: الولد</title>الولد</text>",
        " direction=\"rtl\" unicode-bidi=\"embed\"><title>4: הספר</title>הספר</text>",
        "<title>men · Männer  0.7669<",
        "<rect class=\"sure\"",
        "<rect class=\"possible\"",
        "<circle class=\"link\"",
        "<span>alignment error 18.8 %</span>",
        "<span>Loss a word <b>1.2",
        "<span>entropy 0.957 nats, 42 % of the most"};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) CHECK(strstr(out.data, part[i]), "no %s", part[i]);
    buffer_close(&out);
}

TEST(scripts_are_told_apart)
{
    CHECK(script_is_vertical("年", 3) && script_is_vertical("ー。", 6) && !script_is_vertical("a年", 4), "vertical");
    CHECK(script_is_right_to_left("\"את", 5) && script_is_right_to_left("، و", 5), "the first letter decides");
    CHECK(!script_is_right_to_left("a א", 4) && !script_is_right_to_left("12.", 3), "numbers have no direction");
    CHECK(script_columns("年a", 4) == 3 && script_columns("e\xcc\x81", 3) == 1, "marks take no room");
    CHECK(script_cut("e\xcc\x81te\xcc\x81", 7, 2) == 4 && script_cut("年月", 6, 3) == 3, "nothing is cut in two");
    CHECK(script_columns("\xff\xfe", 2) == 2, "what is not UTF-8 is one column a byte");
}

TEST(pages_join_several_models_over_the_same_inputs)
{
    AttentionExample e[4], other[4];
    const int n = sample_pairs(&arena, e);
    (void)sample_pairs(&arena, other);
    AttentionFile file[2] = {{.label = "luong.h5", .n = n, .example = e}, {.label = "b.h5", .n = n, .example = other}};
    const AttentionPage page = {.title = "Two", .n_files = 2, .file = file};
    CHECK_OK(attention_page(path, &page));
    Buffer b = {0};
    CHECK_OK(file_read(path, 1 << 24, &b));
    CHECK(strstr(b.data, "<strong>luong.h5</strong><span>decoder</span><span>loss a word 1.2"), "side by side");
    int notes = 0;
    for (const char *p = b.data; (p = strstr(p, "<p class=\"sub\">")); p++) notes++;
    CHECK(notes == 1, "%d notes: what a heat map shows is said once", notes);
    CHECK(strstr(b.data, "<strong>b.h5</strong><span>decoder</span>") && !strstr(b.data, "<h3>"), "side by side");
    buffer_close(&b);
    static const int place[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    other[3] = sample_pair(&arena, "ar 1", "قرأ الولد الكتاب أمس، وشكراً", "Another </s>", place);
    CHECK_OK(attention_page(path, &page));
    CHECK_OK(file_read(path, 1 << 24, &b));
    CHECK(strstr(b.data, "<h3>luong.h5</h3>") && strstr(b.data, "<h3>b.h5</h3>"), "other targets, one below the other");
    buffer_close(&b);
    file[1].n = 3;
    CHECK_SAYS(attention_page(path, &page), ERR_DATA,
               "b.h5 has 3 inputs, luong.h5 has 4: they must be the same inputs");
    file[1].n = 4;
    other[2] = e[1];
    CHECK_SAYS(attention_page(path, &page), ERR_DATA, "b.h5: input 3 is not that of luong.h5");
}

TEST(many_pairs_are_packed_into_one_page_worst_first)
{
    static const char script[] =
        "import base64, json, re, sys, zlib\n"
        "page = open(sys.argv[1], encoding='utf-8').read()\n"
        "part = lambda id: json.loads(re.search(r'<script type=\"application/json\" id=\"%s\">(.*?)</script>' % id, "
        "page,"
        " re.S).group(1))\n"
        "index, pictures = part('index'), part('pictures')\n"
        "assert len(pictures) == 20 and index['loss'] == [7 * i % 20 for i in range(20)], index\n"
        "assert 'error' not in index and index['length'] == [6] * 20 and index['text'][3].split()[1] == "
        "'</script><b>'\n"
        "for i, s in enumerate(pictures):\n"
        "    html = zlib.decompress(base64.b64decode(s)).decode()\n"
        "    assert html.startswith('<article') and html.endswith('</article>\\n') and '<svg' in html, html[:80]\n"
        "    assert 'Input <b dir=\"auto\">p %d</b>' % i in html and '&lt;/script&gt;' in html\n"
        "still = re.findall(r'Input <b dir=\"auto\">p (\\d+)<', "
        "page[page.index('<noscript>'):page.index('</noscript>')])\n"
        "assert [7 * int(i) % 20 for i in still] == [19, 18, 17, 16, 15, 14, 13, 12, 11, 10], still\n"
        "assert not re.search(r'https?:|src=|href=|url\\(|@import', page)\n";
    AttentionExample e[20];
    sample_many(&arena, 20, e);
    const AttentionFile one = {.n = 20, .example = e};
    CHECK_OK(attention_page(path, &(AttentionPage){.title = "x", .n_files = 1, .file = &one}));
    const char *file = arena_format(&arena, "%s.py", path);
    CHECK_OK(file_write(file, script, sizeof script - 1));
    const int rc = system(arena_format(&arena, "/usr/bin/python3 %s %s", file, path));
    unlink(file);
    CHECK(rc == 0, "the script failed");
}

TEST(an_image_holds_all_words_and_failures_leave_none_half_written)
{
    AttentionExample e[4];
    Buffer b = {0};
    (void)sample_pairs(&arena, e);
    CHECK_OK(attention_svg(path, &e[1], (AttentionReadout){0}));
    CHECK_OK(file_read(path, 1 << 24, &b));
    CHECK(strstr(b.data, ">年轻人</text>") && strstr(b.data, ">garden</text>") && !strstr(b.data, "var("), "words");
    buffer_close(&b);
    for (long call = 1;; call++) {
        CHECK_OK(file_write(path, "old", 3));
        file_fail_in(call, 28);
        const Status st = attention_svg(path, &e[0], (AttentionReadout){0});
        const bool reached = file_fail_left() == 0;
        file_fail_in(0, 0);
        if (!reached) break;
        CHECK_FAILS(st, ERR_IO);
        b.size = 0;
        CHECK_OK(file_read(path, 1 << 24, &b));
        CHECK(b.size == 3 || strstr(b.data, "</svg>\n"), "torn by call %ld", call);
        buffer_close(&b);
    }
}

/* The words of a field in turn: what XML does not allow or takes for its own, and a word of 5000 characters. */
static void make_odd(AttentionField *f)
{
    static const char *const odd[] = {"\xef\xbf\xbe",
                                      "\xef\xbf\xbf",
                                      "\xf0\x9f\xbf\xbf",
                                      "\xed\xa0\x80",
                                      "\x1b[31m\x01",
                                      "\xc2\x9b",
                                      "]]>",
                                      "<!--",
                                      "&x;",
                                      "\xff",
                                      "\xe2\x80\xae\xd8\xa7",
                                      "\n\t\r",
                                      ""};
    enum { N = sizeof odd / sizeof *odd };
    char *text = arena_alloc(&arena, (size_t)(f->words.n + 1) * 5000);
    int64_t *start = arena_zeros(&arena, f->words.n + 1, sizeof *start), at = 0;
    for (int64_t i = 0; i < f->words.n; i++) {
        const char *word = odd[i % (N + 1) % N];
        const size_t n = i % (N + 1) == N ? 5000 : strlen(word);
        if (n < 5000)
            memcpy(text + at, word, n);
        else
            memset(text + at, 'w', n);
        start[i + 1] = at += (int64_t)n;
    }
    if (f->height > 0) return;
    f->words = (AttentionWords){.n = f->words.n, .text = text, .start = start};
}

TEST(pictures_and_pages_of_odd_words_are_xml_and_no_wider_than_a_word_may_be)
{
    static const char script[] =
        "import re, sys\n"
        "from xml.etree import ElementTree\n"
        "for path in sys.argv[1:]:\n"
        "    text = open(path, encoding='utf-8').read()\n"
        "    if path.endswith('.svg'):\n"
        "        assert float(ElementTree.fromstring(text).get('width')) < 4000, path\n"
        "        continue\n"
        "    text = re.sub(r'<(meta|br|hr|img|input|link)\\b([^>]*?)/?>', r'<\\1\\2/>', text)\n"
        "    text = re.sub(r'(?s)<(script|style)\\b([^>]*)>.*?</\\1>', '', text)\n"
        "    text = re.sub(r' (hidden|selected|checked|disabled|open|multiple)(?=[ />])', r' \\1=\"\"', text)\n"
        "    ElementTree.fromstring(text.replace('<!doctype html>', ''))\n";
    AttentionExample e[SAMPLES];
    const int n = sample_each(&arena, e);
    const char *names = path;
    for (int i = 0; i < n; i++) {
        for (int f = 0; f < e[i].n_fields; f++) make_odd((AttentionField *)(uintptr_t)&e[i].field[f]);
        for (int v = 0; v < e[i].n_views; v++) ((AttentionView *)(uintptr_t)e[i].view)[v].name = "a<b>&\xef\xbf\xbf";
        e[i].id = e[i].prediction = e[i].truth = "p<\"'&\xef\xbf\xbe\xc2\x80\xff";
        if (!attention_has_picture(&e[i])) continue;
        const char *picture = arena_format(&arena, "%s-%d.svg", path, i);
        CHECK_OK(attention_svg(picture, &e[i], (AttentionReadout){0}));
        names = arena_format(&arena, "%s %s", names, picture);
    }
    const AttentionFile one = {.n = n, .example = e};
    CHECK_OK(attention_page(path, &(AttentionPage){.title = "x\xef\xbf\xbe", .n_files = 1, .file = &one}));
    const char *file = arena_format(&arena, "%s.py", path);
    CHECK_OK(file_write(file, script, sizeof script - 1));
    const int rc = system(arena_format(&arena, "/usr/bin/python3 %s %s", file, names));
    CHECK(system(arena_format(&arena, "rm -f %s %s-*.svg", file, path)) == 0, "left behind");
    CHECK(rc == 0, "the script failed");
}

/* A bar beside each row: the longest is seen whatever the losses are, and its name tells the scale. */
TEST(small_losses_are_seen)
{
    static const struct {
        double most;
        const char *name;
    } scale[] = {{5, "loss"}, {0.3, "loss ≤1"}, {0.04, "loss ≤0.1"}, {0.004, "loss ≤0.01"}, {2e-4, "loss ≤0.001"}};
    AttentionExample e[4];
    (void)sample_pairs(&arena, e);
    AttentionField *target = (AttentionField *)(uintptr_t)&e[0].field[1];
    for (size_t k = 0; k < sizeof scale / sizeof *scale; k++) {
        double *loss = arena_zeros(&arena, target->words.n + 1, sizeof *loss), longest = 0;
        for (int64_t j = 0; j < target->words.n; j++)
            loss[j] = scale[k].most * (double)(j + 1) / (double)target->words.n;
        target->loss = loss;
        Buffer b = {0};
        CHECK_OK(attention_svg(path, &e[0], (AttentionReadout){0}));
        CHECK_OK(file_read(path, 1 << 24, &b));
        const char *bars = strstr(b.data, "<g class=\"bars second\">"),
                   *name = bars ? strstr(bars, scale[k].name) : NULL;
        CHECK(name && name[strlen(scale[k].name)] == '<', "no %s", scale[k].name);
        const char *end = strstr(bars, "</g>");
        for (const char *w = strstr(bars, " width=\""); w && w < end; w = strstr(w + 1, " width=\""))
            longest = fmax(longest, strtod(w + 8, NULL));
        CHECK(longest >= 0.19 * 40, "%s: %g of 40 pixels", scale[k].name, longest);
        buffer_close(&b);
    }
}

#define TEST_WITH_FILE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_WITH_FILE(words_stand_on_the_axes_as_their_scripts_want),
        TEST_WITH_FILE(scripts_are_told_apart),
        TEST_WITH_FILE(pages_join_several_models_over_the_same_inputs),
        TEST_WITH_FILE(many_pairs_are_packed_into_one_page_worst_first),
        TEST_WITH_FILE(pictures_and_pages_of_odd_words_are_xml_and_no_wider_than_a_word_may_be),
        TEST_WITH_FILE(small_losses_are_seen),
        TEST_WITH_FILE(an_image_holds_all_words_and_failures_leave_none_half_written)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
