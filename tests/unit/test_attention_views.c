/* Views with every pair of axes: what is saved is read back; pictures take hostile words for what they are; files of
 * the versions before hold the same numbers; damage is named; where the highest weight lies. */
#include <stdio.h>

#include "attention_samples.h"
#include "file_test.h"
#include "io/attention/entropy.h"
#include "io/attention/hits.h"
#include "io/config/schema.h"
#include "io/file/file.h"
#include "io/h5/h5.h"

enum { UNITS = AXIS_STEPS + 1 };

static void same_text(const char *a, const char *b)
{
    CHECK((a == NULL) == (b == NULL) && (!a || strcmp(a, b) == 0), "%s instead of %s", b ? b : "none", a ? a : "none");
}

static void same_bytes(const void *a, const void *b, int64_t n, const char *what)
{
    CHECK((a == NULL) == (b == NULL), "%s is missing", what);
    if (a) CHECK(memcmp(a, b, (size_t)n) == 0, "%s", what);
}

static void same_field(const AttentionField *a, const AttentionField *b)
{
    same_text(a->name, b->name);
    CHECK(a->role == b->role && a->levels == b->levels && a->words.n == b->words.n && a->height == b->height &&
              a->width == b->width && a->n_sentences == b->n_sentences,
          "field %s", a->name);
    if (a->words.n) {
        same_bytes(a->words.start, b->words.start, (a->words.n + 1) * 8, "starts");
        same_bytes(a->words.text, b->words.text, a->words.start[a->words.n], "text");
    }
    same_bytes(a->words.part_of, b->words.part_of, a->words.n * 8, "pieces");
    if (a->levels == 2) same_bytes(a->sentence, b->sentence, (a->n_sentences + 1) * 8, "sentences");
    same_bytes(a->loss, b->loss, a->words.n * 8, "losses");
    same_bytes(a->grey, b->grey, a->height * a->width * 8, "grey");
}

static void same_view(const AttentionView *a, const AttentionView *b)
{
    same_text(a->name, b->name);
    CHECK(a->rows.unit == b->rows.unit && a->rows.field == b->rows.field && a->rows.size == b->rows.size, "rows");
    CHECK(a->columns.unit == b->columns.unit && a->columns.field == b->columns.field &&
              a->columns.size == b->columns.size && a->columns.by_sentence == b->columns.by_sentence,
          "columns of view %s", a->name);
    CHECK(a->layer == b->layer && a->head == b->head && a->hop == b->hop && a->measure == b->measure, "view %s",
          a->name);
    same_bytes(a->weight, b->weight, a->rows.size * a->columns.size * 8, "weights");
}

static void same_example(const AttentionExample *a, const AttentionExample *b)
{
    same_text(a->id, b->id);
    same_text(a->prediction, b->prediction);
    same_text(a->truth, b->truth);
    CHECK(a->n_fields == b->n_fields && a->n_gold == b->n_gold && a->n_views == b->n_views &&
              a->n_classes == b->n_classes,
          "%s has %d fields, %d gold, %d views, %d classes", a->id, b->n_fields, b->n_gold, b->n_views, b->n_classes);
    for (int f = 0; f < a->n_fields; f++) same_field(&a->field[f], &b->field[f]);
    for (int g = 0; g < a->n_gold; g++) {
        const AttentionGold *x = &a->gold[g], *y = &b->gold[g];
        CHECK(x->of == y->of && x->to == y->to && x->unit == y->unit && x->possible == y->possible && x->n == y->n,
              "gold %d", g);
        same_bytes(x->at, y->at, x->n * (x->to < 0 ? 8 : 16), "gold");
    }
    for (int v = 0; v < a->n_views; v++) same_view(&a->view[v], &b->view[v]);
    for (int k = 0; k < a->n_classes; k++) same_text(a->class_name[k], b->class_name[k]);
    same_bytes(a->probability, b->probability, a->n_classes * 8, "probabilities");
}

static const char hostile[] = "<script>alert(1)</script> \"><img &amp; '|]]> <!-- </title></svg> & \xf0\x9f\x98\x80 "
                              "onload=\"x\" \xd7\x90\xd7\xaa|</p></td></article> --> javascript:";

/* One view with these axes, over a text and a grid whose words and names are hostile. */
static AttentionExample hostile_view(AxisUnit rows, AxisUnit columns)
{
    const bool of_text[] = {[AXIS_WORDS] = true, [AXIS_SENTENCES] = true, [AXIS_TURNS] = true, [AXIS_STEPS] = false};
    AttentionExample e = {.id = "<i>&\"", .prediction = "</b>", .truth = "'<script>"};
    AttentionField *f = sample_fields(&arena, &e, 2);
    double *grey = arena_zeros(&arena, 6, sizeof *grey);
    AttentionView *v = arena_zeros(&arena, 1, sizeof *v);
    grey[3] = 1;
    f[0] = sample_field(&arena, "<text>", ROLE_INPUT, 2, hostile);
    f[1] = (AttentionField){"grid\"", ROLE_FEATURES, 1, .height = 2, .width = 3, .grey = grey};
    const int row = rows == AXIS_CELLS ? 1
                    : of_text[rows]    ? 0
                                       : -1,
              column = columns == AXIS_CELLS ? 1
                       : of_text[columns]    ? 0
                                             : -1;
    *v = sample_view(&e, "</span><script>", rows, row, columns, column, NULL);
    if (row < 0 && rows != AXIS_NONE) v->rows.size = 5;
    if (column < 0 && columns != AXIS_NONE) v->columns.size = 4;
    v->weight = sample_rows(&arena, v->rows.size, v->columns.size);
    v->layer = v->head = 1;
    v->hop = 2;
    e.n_views = 1;
    e.view = v;
    return e;
}

TEST(what_is_saved_is_read_back)
{
    AttentionExample e[SAMPLES];
    AttentionFile f;
    const int n = sample_each(&arena, e);
    assert_int_equal(n, SAMPLES);
    CHECK_OK(attention_save(path, "mneme", "several", n, e));
    CHECK_OK(attention_read(&f, path, &arena));
    CHECK(f.n == n && f.version == 3 && strcmp(f.model, "several") == 0, "%d examples", f.n);
    for (int i = 0; i < n; i++) same_example(&e[i], &f.example[i]);
}

/* The names that the example of the header prints. */
TEST(h5py_reads_views_as_the_header_says)
{
    AttentionExample e[SAMPLES];
    char line[200], more[200];
    const char *source = getenv("SOURCE");
    if (!source || system("/usr/bin/python3 -c 'import h5py' 2>/dev/null") != 0) skip(); /* needs python3-h5py */
    CHECK_OK(attention_save(path, NULL, NULL, sample_each(&arena, e), e));
    FILE *out = popen(arena_format(&arena,
                                   "/usr/bin/python3 %s/tests/unit/h5py_snippets.py %s/io/attention/attention.h "
                                   "'Read it with h5py' attention.h5=%s",
                                   source, source, path),
                      "r");
    CHECK(out && fgets(line, sizeof line, out), "the example prints nothing");
    CHECK(strncmp(line, "b'word' b'none' b'words' ['The', 'opening', 'is', 'slow', ", 57) == 0, "%s", line);
    while (fgets(more, sizeof more, out)) continue;
    CHECK(pclose(out) == 0, "the example failed");
}

TEST(every_pair_of_axes_is_saved_and_read_back)
{
    static AttentionExample e[UNITS * UNITS];
    AttentionFile f;
    for (int r = 0; r < UNITS; r++)
        for (int c = 0; c < UNITS; c++) e[r * UNITS + c] = hostile_view((AxisUnit)r, (AxisUnit)c);
    CHECK_OK(attention_save(path, NULL, NULL, UNITS * UNITS, e));
    CHECK_OK(attention_read(&f, path, &arena));
    CHECK(f.n == UNITS * UNITS, "%d examples", f.n);
    for (int i = 0; i < f.n; i++) same_example(&e[i], &f.example[i]);
}

static void run_python(const char *script, size_t size, const char *arguments)
{
    const char *file = arena_format(&arena, "%s.py", path);
    CHECK_OK(file_write(file, script, size));
    const int rc = system(arena_format(&arena, "/usr/bin/python3 %s %s", file, arguments));
    unlink(file);
    CHECK(rc == 0, "the script failed");
}

TEST(every_pair_of_axes_is_drawn_and_hostile_words_stay_text)
{
    static const char words[] = "import re, sys, html\n"
                                "page = open(sys.argv[1], encoding='utf-8').read()\n"
                                "assert '<script' not in page and '<img' not in page and '-->' not in page, 'escape'\n"
                                "text = html.unescape(re.sub('<[^>]*>', '', page))\n"
                                "assert '<script>alert(1)</script>' in text and ']]>' in text\n";
    static AttentionExample e[UNITS];
    for (int r = 0; r < UNITS; r++) {
        for (int c = 0; c < UNITS; c++) e[c] = hostile_view((AxisUnit)r, (AxisUnit)c);
        const AttentionFile one = {.n = UNITS, .example = e};
        CHECK_OK(attention_page(path, &(AttentionPage){.title = "</title><script>", .n_files = 1, .file = &one}));
        run_python(words, sizeof words - 1, path);
        if (!getenv("SOURCE")) continue;
        const int rc =
            system(arena_format(&arena, "/usr/bin/python3 %s/tests/unit/check_html.py %s", getenv("SOURCE"), path));
        CHECK(rc == 0, "the tags of rows %s", attention_unit_name(r));
    }
}

TEST(every_picture_is_an_image_that_xml_can_read)
{
    static const char script[] = "import sys, xml.etree.ElementTree as xml\n"
                                 "root = xml.parse(sys.argv[1]).getroot()\n"
                                 "assert root.tag.endswith('svg')\n"
                                 "assert all(not t.tag.endswith('script') for t in root.iter())\n";
    for (int r = 0; r < UNITS; r++)
        for (int c = 0; c < UNITS; c++) {
            const AttentionExample e = hostile_view((AxisUnit)r, (AxisUnit)c);
            if (!attention_has_picture(&e) || (r + c) % 3) continue; /* a process for each takes its time */
            CHECK_OK(attention_svg(path, &e, (AttentionReadout){0}));
            run_python(script, sizeof script - 1, path);
        }
}

static void drawn(const AttentionExample *e, int n, const char *const *part)
{
    Buffer out = {0};
    CHECK_OK(attention_html(&out, e));
    for (int i = 0; i < n; i++) CHECK(strstr(out.data, part[i]), "%s: no %s in\n%s", e->id, part[i], out.data);
    buffer_close(&out);
}

static int count(const char *text, const char *what)
{
    int n = 0;
    for (const char *p = text; (p = strstr(p, what)); p++) n++;
    return n;
}

TEST(a_sentence_that_looks_at_itself_is_arcs)
{
    static const char *const part[] = {
        "<div class=\"sides\">\n<p dir=\"auto\">The &lt;b&gt;dog&lt;/b&gt; slept because it was",
        "<strong>self</strong><span class=\"shade\">",
        "<strong>self</strong><span>layer 2</span>",
        "<title>&lt;b&gt;dog&lt;/b&gt; → because  ",
        "<path class=\"arc known\"",
        "<circle class=\"arc\""};
    const AttentionExample e = sample_self(&arena);
    drawn(&e, COUNT(part), part);
    const AttentionExample other = hostile_view(AXIS_WORDS, AXIS_WORDS);
    Buffer out = {0};
    CHECK(!attention_has_links(&e, e.view), "an alignment error is one of two fields");
    CHECK_OK(attention_html(&out, &other));
    CHECK(strstr(out.data, "class=\"arc\"") && !strstr(out.data, "class=\"cells\""), "arcs alone");
    buffer_close(&out);
}

TEST(a_question_and_a_document_are_heat_maps_beside_their_words)
{
    static const char *const part[] = {
        "<div class=\"doc\">\n<div class=\"sent\"><p dir=\"auto\"><span class=\"tok\"", /* the sum over the document */
        ">the</span> <span class=\"tok gold\" style=\"--a:0.0",
        "<span class=\"decides\" title=\"supporting fact\">&#10003;</span></p></div>\n<div class=\"sent\"><p "
        "dir=\"auto\">"
        "<span class=\"tok\" style=\"--a:0.0",
        "<p class=\"question\" dir=\"auto\">XXX ran &amp; hid</p>",
        "<strong>query</strong>",
        "<strong>document</strong>",
        "<title>ran · dog  ",
        "<rect class=\"sure\"",
        "<circle class=\"link\""};
    const AttentionExample e = sample_reader(&arena);
    drawn(&e, COUNT(part), part);
    Buffer out = {0};
    CHECK_OK(attention_html(&out, &e));
    CHECK(count(out.data, "<svg") == 2, "%d pictures", count(out.data, "<svg"));
    /* two deciding words for each word of the question; the way back has none */
    CHECK(count(out.data, "class=\"sure\"") == 2 * 4, "%d marks", count(out.data, "class=\"sure\""));
    buffer_close(&out);
}

TEST(a_caption_is_its_picture_once_a_word)
{
    static const char *const part[] = {"<p dir=\"auto\">a &lt;dog&gt; runs on grass today",
                                       "<title>2: &lt;dog&gt;</title>&lt;dog&gt;</text>",
                                       " fill=\"#000000\"/>",
                                       " fill=\"#ffffff\"/>",
                                       "<g class=\"cells over\">",
                                       "<title>2, 3  ",
                                       "<strong>glance</strong>"};
    const AttentionExample e = sample_caption(&arena);
    drawn(&e, COUNT(part), part);
    Buffer out = {0};
    CHECK_OK(attention_html(&out, &e));
    CHECK(count(out.data, "fill=\"#ffffff\"") == 7 + 1, "a picture for each word, and one");
    CHECK(count(out.data, "class=\"sure\"") == 2 * 8, "two cells decide");
    buffer_close(&out);
}

/* Time runs to the right: a column for each step. */
TEST(heads_of_a_memory_are_drawn_over_time)
{
    static const char *const part[] = {"<strong>read</strong>",
                                       "<strong>write</strong>",
                                       "<span>head 2</span>",
                                       "<title>9: step 9</title>step 9</text>",
                                       "<title>6: slot 6</title>slot 6</text>",
                                       "<title>slot 2 · step 1  0.5",
                                       "<title>slot 5 · step 2  0.5"};
    const AttentionExample e = sample_machine(&arena);
    drawn(&e, COUNT(part), part);
}

TEST(one_look_into_a_memory_is_bars)
{
    AttentionExample e = sample_story(&arena);
    static const char *const part[] = {
        "<th class=\"num\" colspan=\"2\">hop 1</th>",
        "<td class=\"one\"><span class=\"bar\"><i style=\"width:92.0%\"></i></span></td>"};
    e.n_views = 1;
    drawn(&e, COUNT(part), part);
    AttentionView v = {.name = "slots", .rows = {AXIS_SLOTS, -1, 2, false}, .columns = {AXIS_STEPS, -1, 3, false}};
    static const double w[] = {0.1, 0.2, 0.3, 0.9, 0.8, 0.7};
    static const char *const table[] = {"hop 3</th></tr>", "<td dir=\"auto\">slot 2</td><td class=\"hop\" "
                                                           "style=\"--a:0.900\" title=\"0.9000\">0.90</td>"};
    v.weight = w;
    e.view = &v;
    drawn(&e, COUNT(table), table);
}

TEST(heads_over_one_memory_are_named_in_its_table)
{
    AttentionExample e = sample_story(&arena);
    AttentionView view[3];
    for (int i = 0; i < 3; i++) view[i] = e.view[i];
    view[1].head = 1;
    view[1].hop = 0;
    view[2].layer = 1;
    e.view = view;
    static const char *const part[] = {"<th class=\"num\">memory head 1 hop 1</th>",
                                       "<th class=\"num\">memory head 2 hop 1</th>",
                                       "<th class=\"num\">memory layer 2 head 1 hop 3</th>"};
    drawn(&e, COUNT(part), part);
}

/* As many sentences are not yet the same sentences. */
TEST(looks_into_two_memories_are_two_tables)
{
    AttentionExample e = {.id = "two memories"};
    AttentionField *f = sample_fields(&arena, &e, 2);
    f[0] = sample_field(&arena, "story", ROLE_INPUT, 2, "Nora took the lamp .|Lena slept .");
    f[1] = sample_field(&arena, "facts", ROLE_GROUP, 2, "Lamps are things .|People sleep .");
    static const double weight[2][2] = {{0.9, 0.1}, {0.2, 0.8}};
    AttentionView view[3];
    for (int i = 0; i < 2; i++) view[i] = sample_view(&e, "memory", AXIS_NONE, -1, AXIS_SENTENCES, i, weight[i]);
    view[2] = view[0];
    view[2].hop = 1;
    e.n_views = 3;
    e.view = view;
    static const int64_t fact[] = {1};
    static const AttentionGold gold = {.of = 1, .to = -1, .unit = AXIS_SENTENCES, .n = 1, .at = fact};
    e.n_gold = 1;
    e.gold = &gold;
    Buffer out = {0};
    CHECK_OK(attention_html(&out, &e));
    CHECK(count(out.data, "&#10003;</td><td dir=\"auto\">People sleep.") == 1 && count(out.data, "&#10003;") == 1,
          "the fact is in the second: %s", out.data);
    CHECK(count(out.data, "<table") == 2 && count(out.data, "Lamps are things.") == 1, "%s", out.data);
    buffer_close(&out);
}

/* --- Files of the versions before --- */

static void open_old(const char *name, int version, int n, const AttentionExample *e)
{
    AttentionFile f;
    const char *source = getenv("SOURCE");
    if (!source) skip(); /* as set by ctest */
    CHECK_OK(attention_read(&f, arena_format(&arena, "%s/tests/unit/attention/%s", source, name), &arena));
    CHECK(f.version == version && f.n == n && strcmp(f.program, "mneme 0.1.0") == 0, "%d examples of version %d", f.n,
          f.version);
    for (int i = 0; i < n; i++) same_example(&e[i], &f.example[i]);
    const AttentionPage p = {.title = "x", .n_files = 1, .file = &f};
    CHECK_OK(attention_page(path, &p));
}

TEST(files_of_version_1_and_2_hold_the_same_numbers)
{
    AttentionExample e[8];
    const int n = sample_all(&arena, e);
    (void)sample_pairs(&arena, e + n);
    const AttentionExample some[] = {e[0], e[3], e[4]};
    open_old("version-1.h5", 1, 2, some);
    open_old("version-2.h5", 2, 3, some);
}

/* --- Damage --- */

static void put_words(H5 *h, const char *field, const char *name, const char *text, int64_t n, const int64_t *word)
{
    CHECK_OK(h5_group(h, field));
    CHECK_OK(h5_write_list(h, arena_format(&arena, "%s/text", field), H5_U8, (int64_t)strlen(text), text));
    CHECK_OK(h5_write_list(h, arena_format(&arena, "%s/word", field), H5_I64, n + 1, word));
    CHECK_OK(h5_set_text(h, field, "name", name));
    CHECK_OK(h5_set_int(h, field, "levels", 1));
}

#define VIEW "example-00000/view-000"

/* A file in which one thing is wrong. */
static void damaged(int version, void (*change)(H5 *h), const char *message)
{
    H5 *h;
    Buffer text = {0};
    static const int64_t word[] = {0, 1, 2}, one[] = {0, 1};
    static const double weight[] = {0.25, 0.75};
    CHECK_OK(h5_create(&h, path));
    CHECK_OK(h5_set_text(h, "/", "format", "mneme-attention"));
    CHECK_OK(h5_set_int(h, "/", "version", version));
    CHECK_OK(h5_group(h, "example-00000"));
    if (version == 3) {
        put_words(h, "example-00000/field-00", "source", "ab", 2, word);
        put_words(h, "example-00000/field-01", "target", "c", 1, one);
    } else {
        CHECK_OK(h5_set_text(h, "example-00000", "kind", "pair"));
        put_words(h, "example-00000/tokens", "-", "ab", 2, word);
        put_words(h, "example-00000/target", "-", "c", 1, one);
        CHECK_OK(h5_write_list(h, "example-00000/tokens/sentence", H5_I64, 2, (const int64_t[]){0, 2}));
    }
    if (change) change(h);
    if (!h5_has(h, VIEW "/weights")) CHECK_OK(h5_write(h, VIEW "/weights", H5_F64, 2, (const int64_t[]){1, 2}, weight));
    static const char *const key[][2] = {
        {"over", "pairs"}, {"rows", "words"}, {"columns", "words"}, {"rows_of", "target"}, {"columns_of", "source"}};
    for (size_t k = 0; k < COUNT(key); k++)
        if ((k == 0) == (version < 3) && !h5_has_attribute(h, VIEW, key[k][0]))
            CHECK_OK(h5_set_text(h, VIEW, key[k][0], key[k][1]));
    CHECK_OK(h5_save(h, path));
    h5_close(h);
    if (message)
        CHECK_SAYS(attention_inspect(path, &text), version > 3 ? ERR_CONFIG : ERR_DATA,
                   arena_format(&arena, "%s: %s", path, message));
    else
        CHECK_OK(attention_inspect(path, &text));
    buffer_close(&text);
}

static void turned(H5 *h)
{
    static const double w[] = {0.5, 0.5};
    CHECK_OK(h5_write(h, VIEW "/weights", H5_F64, 2, (const int64_t[]){2, 1}, w));
}

static void flat(H5 *h)
{
    static const double w[] = {0.5, 0.5};
    CHECK_OK(h5_write_list(h, VIEW "/weights", H5_F64, 2, w));
}

static void infinite(H5 *h)
{
    static const double w[] = {0.5, INFINITY};
    CHECK_OK(h5_write(h, VIEW "/weights", H5_F64, 2, (const int64_t[]){1, 2}, w));
}

static void set(H5 *h, const char *group, const char *key, const char *text)
{
    CHECK_OK(h5_group(h, group));
    CHECK_OK(h5_set_text(h, group, key, text));
}

static void over_moons(H5 *h) { set(h, VIEW, "over", "moons"); }
static void over_question(H5 *h) { set(h, VIEW, "over", "question"); }
static void rows_of_moons(H5 *h) { set(h, VIEW, "rows", "moons"); }
static void rows_of_nobody(H5 *h) { set(h, VIEW, "rows_of", "nobody"); }
static void rows_of_heads(H5 *h) { set(h, VIEW, "rows", "heads"); }
static void cells(H5 *h) { set(h, VIEW, "columns", "cells"); }
static void role(H5 *h) { set(h, "example-00000/field-01", "role", "king"); }
static void planet(H5 *h) { set(h, "example-00000", "kind", "planet"); }

static void twins(H5 *h)
{
    static const int64_t word[] = {0, 1};
    put_words(h, "example-00000/field-02", "source", "d", 1, word);
}

static void ends(H5 *h)
{
    static const int64_t word[] = {0, 5};
    put_words(h, "example-00000/field-02", "last", "d", 1, word);
}

static void by_sentence(H5 *h)
{
    CHECK_OK(h5_group(h, VIEW));
    CHECK_OK(h5_set_int(h, VIEW, "by_sentence", 1));
}

static void levels(H5 *h) { CHECK_OK(h5_set_int(h, "example-00000/field-00", "levels", 2)); }
static void too_many_levels(H5 *h) { CHECK_OK(h5_set_int(h, "example-00000/field-00", "levels", 3)); }
static void grid(H5 *h) { CHECK_OK(h5_set_int(h, "example-00000/field-00", "height", 2)); }

static void grey(H5 *h)
{
    static const double dots[3] = {0};
    grid(h);
    CHECK_OK(h5_set_int(h, "example-00000/field-00", "width", 3));
    CHECK_OK(h5_write(h, "example-00000/field-00/grey", H5_F64, 2, (const int64_t[]){1, 3}, dots));
}

static void gold_of(H5 *h, const char *group, const char *of, int64_t a, int64_t b)
{
    CHECK_OK(h5_write(h, arena_format(&arena, "%s/at", group), H5_I64, 2, (const int64_t[]){1, 2}, (int64_t[]){a, b}));
    CHECK_OK(h5_set_text(h, group, "of", of));
    CHECK_OK(h5_set_text(h, group, "to", "target"));
    CHECK_OK(h5_set_text(h, group, "unit", "words"));
}

static void gold_outside(H5 *h) { gold_of(h, "example-00000/gold-00", "source", 2, 0); }
static void gold_of_nobody(H5 *h) { gold_of(h, "example-00000/gold-00", "nobody", 0, 0); }

static void gold_flat(H5 *h)
{
    static const int64_t at[] = {0, 0};
    CHECK_OK(h5_write_list(h, "example-00000/gold-00/at", H5_I64, 2, at));
    CHECK_OK(h5_set_text(h, "example-00000/gold-00", "of", "source"));
    CHECK_OK(h5_set_text(h, "example-00000/gold-00", "to", "target"));
    CHECK_OK(h5_set_text(h, "example-00000/gold-00", "unit", "words"));
}

static void old_gold_outside(H5 *h)
{
    static const int64_t at[] = {0, 0, 2, 0};
    CHECK_OK(h5_write(h, "example-00000/gold/sure", H5_I64, 2, (const int64_t[]){2, 2}, at));
}

static void old_gold_flat(H5 *h)
{
    static const int64_t at[] = {0, 0};
    CHECK_OK(h5_write_list(h, "example-00000/gold/possible", H5_I64, 2, at));
}

static void pieces(H5 *h)
{
    static const int64_t of[] = {0, 2};
    const char *group = h5_has(h, "example-00000/tokens") ? "example-00000/tokens" : "example-00000/field-00";
    CHECK_OK(h5_write_list(h, arena_format(&arena, "%s/part_of", group), H5_I64, 2, of));
}

static void losses(H5 *h)
{
    static const double loss[] = {1, 2};
    CHECK_OK(h5_write_list(h, "example-00000/field-01/loss", H5_F64, 2, loss));
}

static void old_losses(H5 *h)
{
    static const double loss[] = {1, 2};
    CHECK_OK(h5_write_list(h, "example-00000/loss", H5_F64, 2, loss));
}

static void layer(H5 *h)
{
    CHECK_OK(h5_group(h, VIEW));
    CHECK_OK(h5_set_int(h, VIEW, "layer", -1));
}

TEST(damage_is_named)
{
    damaged(3, NULL, NULL);
    damaged(3, turned, "example-00000: view - has 2 rows, expected 1 words");
    damaged(3, flat, VIEW "/weights: found 1 axes of float64, expected 2 of float64");
    damaged(3, infinite, "example-00000: view -: value 1 is not finite");
    damaged(3, rows_of_moons, VIEW ": rows \"moons\" is not known");
    damaged(3, rows_of_nobody, VIEW ": rows_of names no field: \"nobody\"");
    damaged(3, rows_of_heads, "example-00000: view -: rows are heads of a field");
    damaged(3, cells, "example-00000: view - has 2 columns, expected 0 cells");
    damaged(3, by_sentence, "example-00000: view -: columns are no words of sentences");
    damaged(3, role, "example-00000/field-01: role \"king\" is not known");
    damaged(3, ends, "example-00000/field-02/word: the last word ends at byte 5 of 1");
    damaged(3, twins, "example-00000: two fields are named source");
    damaged(3, levels, "example-00000/field-00: sentence is missing");
    damaged(3, too_many_levels, "example-00000: source: found 3 levels, expected 1 or 2");
    damaged(3, grid, "example-00000: source: a grid of 2 x 0 cells");
    damaged(3, grey, "example-00000/field-00/grey: found 1 x 3 values, expected 2 x 3");
    damaged(3, gold_outside, "example-00000: the sure link 2-0 lies outside the 2 words of source and 1 of target");
    damaged(3, gold_of_nobody, "example-00000/gold-00: of names no field: \"nobody\"");
    damaged(3, gold_flat, "example-00000/gold-00/at: expected pairs of int64");
    damaged(3, pieces, "example-00000: source: piece 1 is said to be part of word 2 after 1 words");
    damaged(3, losses, "example-00000/field-01/loss: found 2 values for 1 words");
    damaged(3, layer, VIEW ": layer -1");
    damaged(4, NULL, "attention format 4, this program reads formats 1 to 3");
}

TEST(damage_of_version_2_is_named)
{
    damaged(2, NULL, NULL);
    damaged(2, turned, VIEW "/weights: found 2 x 1 values, expected 1 target x 2 source words");
    damaged(2, flat, VIEW "/weights: found 1 axes of float64, expected 2 of float64");
    damaged(2, infinite, "example-00000: view -: value 1 is not finite");
    damaged(2, over_moons, VIEW ": over \"moons\" is not known");
    damaged(2, over_question, VIEW ": over \"question\" without one");
    damaged(2, old_gold_outside, "example-00000: the sure link 2-0 lies outside the 2 words of source and 1 of target");
    damaged(2, old_gold_flat, "example-00000/gold/possible: expected pairs of int64");
    damaged(2, pieces, "example-00000: source: piece 1 is said to be part of word 2 after 1 words");
    damaged(2, old_losses, "example-00000/loss: found 2 values for 1 target words");
    damaged(2, planet, "example-00000: kind \"planet\" is not known");
    damaged(2, layer, VIEW ": layer -1");
}

/* --- Where the highest weight lies --- */

TEST(hits_are_counted_where_gold_fits_the_axis)
{
    AttentionExample e[4] = {sample_story(&arena), sample_reader(&arena), sample_caption(&arena),
                             sample_pair(&arena, "x", "a", "b", (const int[]){0})};
    Hits h = {0};
    Buffer text = {0};
    for (int i = 0; i < 4; i++) hits_add(&h, &e[i]);
    /* Hops 1 to 3 of the story lie on its facts 1 and 4; the sum over the document lies on word 1, which is not gold;
     * the glance on cell 1, which is not either; views with rows do not count. */
    CHECK_OK(hits_say(&h, &text));
    assert_string_equal(text.data,
                        "memory hop 1 head 1: the highest weight is on what decides in 1 of 1 inputs (100.0 %)\n"
                        "memory hop 2 head 1: the highest weight is on what decides in 1 of 1 inputs (100.0 %)\n"
                        "memory hop 3 head 1: the highest weight is on what decides in 1 of 1 inputs (100.0 %)\n"
                        "sum hop 1 head 1: the highest weight is on what decides in 0 of 1 inputs (0.0 %)\n"
                        "glance hop 1 head 1: the highest weight is on what decides in 0 of 1 inputs (0.0 %)\n");
    buffer_close(&text);
}

/* The highest word of each gold sentence must be gold; words of other sentences do not matter. */
TEST(words_hit_sentence_by_sentence)
{
    static const double good[] = {0.9, 0.05, 0.05, 0, 0.1, 0.6, 0.2, 0.1, 0, 1, 0, 0};
    static const double bad[] = {0.9, 0.05, 0.05, 0, 0.6, 0.1, 0.2, 0.1, 0, 1, 0, 0};
    AttentionExample e = sample_reader(&arena);
    AttentionView v = sample_view(&e, "word", AXIS_NONE, -1, AXIS_WORDS, 0, good);
    v.columns.by_sentence = true;
    CHECK(v.columns.size == 12, "%lld words", (long long)v.columns.size);
    e.n_views = 1;
    e.view = &v;
    Hits h = {0};
    hits_add(&h, &e);
    v.weight = bad;
    hits_add(&h, &e);
    CHECK(h.n == 1 && h.view[0].inputs == 2 && h.view[0].hits == 1, "%d views, %lld of %lld", h.n,
          (long long)h.view[0].hits, (long long)h.view[0].inputs);
    CHECK(entropy_rows(&e, &v) == 3, "a row a sentence");
    double share;
    CHECK_NEAR(entropy_of_row(&e, &v, 2, &share), 0, 1e-15);
}

#define TEST_WITH_FILE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST_WITH_FILE(what_is_saved_is_read_back),
                                       TEST_WITH_FILE(h5py_reads_views_as_the_header_says),
                                       TEST_WITH_FILE(every_pair_of_axes_is_saved_and_read_back),
                                       TEST_WITH_FILE(every_pair_of_axes_is_drawn_and_hostile_words_stay_text),
                                       TEST_WITH_FILE(every_picture_is_an_image_that_xml_can_read),
                                       TEST_WITH_FILE(a_sentence_that_looks_at_itself_is_arcs),
                                       TEST_WITH_FILE(a_question_and_a_document_are_heat_maps_beside_their_words),
                                       TEST_WITH_FILE(a_caption_is_its_picture_once_a_word),
                                       TEST_WITH_FILE(heads_of_a_memory_are_drawn_over_time),
                                       TEST_WITH_FILE(one_look_into_a_memory_is_bars),
                                       TEST_WITH_FILE(heads_over_one_memory_are_named_in_its_table),
                                       TEST_WITH_FILE(looks_into_two_memories_are_two_tables),
                                       TEST_WITH_FILE(files_of_version_1_and_2_hold_the_same_numbers),
                                       TEST_WITH_FILE(damage_is_named),
                                       TEST_WITH_FILE(damage_of_version_2_is_named),
                                       TEST_WITH_FILE(hits_are_counted_where_gold_fits_the_axis),
                                       TEST_WITH_FILE(words_hit_sentence_by_sentence)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
