/* Attention of pairs: what is saved is read back and by h5py, entropy and links are those worked out by hand. */
#include <stdio.h>

#include "attention_samples.h"
#include "file_test.h"
#include "io/attention/alignment.h"
#include "io/attention/entropy.h"
#include "io/file/file.h"

TEST(h5py_reads_matrices_links_and_entropies)
{
    static const char script[] =
        "import sys, h5py, numpy\n"
        "f = h5py.File(sys.argv[1], 'r')\n"
        "def words(g):\n"
        "    at, text = g['word'][...], g['text'][...].tobytes()\n"
        "    return [text[a:b].decode() for a, b in zip(at[:-1], at[1:])]\n"
        "e = f['example-00000']\n"
        "source, target = words(e['field-00']), words(e['field-01'])\n"
        "assert e['field-01'].attrs['role'] == b'target' and source[6:8] == ['Fu\u00df@@', 'ball'] and target[-1] == "
        "'</s>'\n"
        "assert list(e['field-00/part_of'][...]) == [0, 1, 2, 3, 4, 5, 6, 6, 7, 8], e['field-00/part_of'][...]\n"
        "assert list(e['field-01/part_of'][...])[-3:] == [7, 8, -1], e['field-01/part_of'][...]\n"
        "assert e['gold-00/at'].shape == (7, 2) and list(e['gold-01/at'][0]) == [5, 6]\n"
        "assert [e[g].attrs['possible'] for g in ('gold-00', 'gold-01')] == [0, 1] and e['gold-00'].attrs['to'] == "
        "b'target'\n"
        "assert e['field-01/loss'].shape == (len(target),)\n"
        "v = e['view-000']\n"
        "w = v['weights'][...]\n"
        "assert w.shape == (len(target), len(source)) and v.attrs['rows_of'] == b'target' and v.attrs['columns_of'] "
        "== b'source' and v.attrs['measure'] == b'weight'\n"
        "h = -(w * numpy.log(w)).sum(1)\n"
        "assert abs(h - v['entropy'][...]).max() < 1e-12 and abs(h.mean() - v.attrs['entropy']) < 1e-12\n"
        "assert abs(h.mean() / numpy.log(len(source)) - v.attrs['entropy_share']) < 1e-12\n"
        "assert e['view-002'].attrs['measure'] == b'input_x_gradient' and 'entropy' not in e['view-002']\n";
    AttentionExample e[4];
    if (system("/usr/bin/python3 -c 'import h5py' 2>/dev/null") != 0) skip(); /* needs python3-h5py */
    const int n = sample_pairs(&arena, e);
    CHECK_OK(attention_save(path, NULL, NULL, n, e));
    const char *file = arena_format(&arena, "%s.py", path);
    CHECK_OK(file_write(file, script, sizeof script - 1));
    const int rc = system(arena_format(&arena, "/usr/bin/python3 %s %s", file, path));
    unlink(file);
    CHECK(rc == 0, "the script failed");
}

TEST(inspecting_tells_sizes_and_entropies)
{
    AttentionExample e[4];
    Buffer text = {0};
    const int n = sample_pairs(&arena, e);
    CHECK_OK(attention_save(path, NULL, NULL, n, e));
    CHECK_OK(attention_inspect(path, &text));
    static const char *const part[] = {
        "  example-00000  test 17: source (10 words), target (11 words), 3 views\n", "decoder hop 1 head 1: entropy 0.",
        " of the most) over 35 rows; alignment error 18.8 % over 1 pairs\ndecoder hop 1 head 2: entropy 1."};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        CHECK(strstr(text.data, part[i]), "no %s in\n%s", part[i], text.data);
    buffer_close(&text);
}

/* Two target words and the end over three pieces of two words: Fuss@@ ball da. */
static AttentionExample small(const double *weight)
{
    static const int64_t start[] = {0, 6, 10, 12}, part[] = {0, 0, 1};
    static const int64_t target_start[] = {0, 5, 10, 14}, target_part[] = {0, 1, -1};
    static const AttentionField field[] = {
        {.name = "source", .role = ROLE_INPUT, .levels = 1, .words = {3, "Fuss@@ballda", start, part}},
        {.name = "target",
         .role = ROLE_TARGET,
         .levels = 1,
         .words = {3, "therefoot.</s>", target_start, target_part}}};
    static AttentionView view;
    AttentionExample e = {.n_fields = 2, .field = field, .n_views = 1, .view = &view};
    view = sample_view(&e, "decoder", AXIS_WORDS, 1, AXIS_WORDS, 0, weight);
    return e;
}

TEST(entropy_is_that_of_the_formula)
{
    static const double w[] = {0.5, 0.5, 0, 0, 0, 1, 0, 0, 0};
    const AttentionExample e = small(w);
    double share;
    CHECK_NEAR(entropy_of_row(&e, e.view, 0, &share), log(2), 1e-15);
    CHECK_NEAR(share, log(2) / log(3), 1e-15);
    CHECK(entropy_of_row(&e, e.view, 1, &share) == 0 && share == 0, "one place has no entropy");
    CHECK(entropy_of_row(&e, e.view, 2, &share) == -1 && share == -1, "a row without weight has none");
    const Entropy all = entropy_of_view(&e, e.view);
    CHECK(all.rows == 2, "%lld rows", (long long)all.rows);
    CHECK_NEAR(entropy_mean(&all), log(2) / 2, 1e-15);
}

static void links_are(const AttentionExample *e, AttentionReadout how, const char *expected)
{
    AlignmentLinks l;
    Buffer text = {0};
    CHECK_OK(alignment_links(e, e->view, how, &arena, &l));
    CHECK_OK(alignment_pharaoh(&l, &text));
    CHECK(strcmp(text.data, expected) == 0, "%s instead of %s", text.data, expected);
    buffer_close(&text);
}

TEST(links_are_read_out_by_maximum_or_threshold)
{
    static const double w[] = {0.1, 0.2, 0.7, 0.4, 0.4, 0.2, 0.9, 0.05, 0.05};
    const AttentionExample e = small(w);
    links_are(&e, (AttentionReadout){0}, "0-1 1-0\n"); /* the end is linked to nothing */
    links_are(&e, (AttentionReadout){true, 0.2}, "0-0 0-1 1-0 1-1\n");
    links_are(&e, (AttentionReadout){true, 0.95}, "\n");
    CHECK(alignment_linked(&e, e.view, (AttentionReadout){0}, 0, 1), "of equal weights the first");
    CHECK(!alignment_linked(&e, e.view, (AttentionReadout){0}, 1, 1), "of equal weights the first alone");
    static const double none[9] = {0};
    const AttentionExample dark = small(none);
    links_are(&dark, (AttentionReadout){0}, "\n");
}

TEST(the_error_counts_sure_and_possible_links)
{
    static const double w[] = {0.1, 0.2, 0.7, 0.4, 0.4, 0.2, 0.9, 0.05, 0.05};
    static const int64_t sure[] = {1, 0}, possible[] = {0, 0};
    AttentionExample e = small(w);
    AlignmentLinks l;
    AlignmentCounts sum = {0};
    CHECK_OK(alignment_links(&e, e.view, (AttentionReadout){0}, &arena, &l));
    AlignmentGold known = alignment_gold(&e, e.view);
    CHECK(alignment_error(&known, &l, &sum) == -1 && sum.links == 0, "no gold, no error");
    const AttentionGold gold[] = {{.to = 1, .unit = AXIS_WORDS, .n = 1, .at = sure},
                                  {.to = 1, .unit = AXIS_WORDS, .possible = true, .n = 1, .at = possible}};
    e.n_gold = 2;
    e.gold = gold;
    known = alignment_gold(&e, e.view);
    CHECK_NEAR(alignment_error(&known, &l, &sum), 1 - (1.0 + 1) / (2 + 1), 1e-15); /* 0-1 is wrong, 1-0 is sure */
    CHECK(sum.links == 2 && sum.sure == 1 && sum.hits_sure == 1 && sum.hits_possible == 1, "counts");
}

#define TEST_WITH_FILE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_WITH_FILE(h5py_reads_matrices_links_and_entropies), TEST_WITH_FILE(inspecting_tells_sizes_and_entropies),
        TEST_WITH_FILE(entropy_is_that_of_the_formula), TEST_WITH_FILE(links_are_read_out_by_maximum_or_threshold),
        TEST_WITH_FILE(the_error_counts_sure_and_possible_links)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
