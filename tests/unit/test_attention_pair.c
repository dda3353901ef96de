/* Attention of pairs: what is saved is read back and by h5py, damage is named, entropy and links are those worked out
 * by hand, words stand on the axes as their scripts want. */
#include <stdio.h>

#include "attention_samples.h"
#include "file_test.h"
#include "io/attention/alignment.h"
#include "io/attention/entropy.h"
#include "io/file/file.h"
#include "io/h5/h5.h"

static void same_words(const AttentionWords *a, const AttentionWords *b)
{
    CHECK(a->n == b->n, "%lld words, %lld", (long long)a->n, (long long)b->n);
    CHECK(memcmp(a->start, b->start, (size_t)(a->n + 1) * 8) == 0, "starts");
    CHECK(memcmp(a->text, b->text, (size_t)a->start[a->n]) == 0, "text");
    CHECK((a->part_of != NULL) == (b->part_of != NULL), "pieces");
    if (a->part_of) CHECK(memcmp(a->part_of, b->part_of, (size_t)a->n * 8) == 0, "pieces");
}

TEST(what_is_saved_is_read_back)
{
    AttentionExample e[8];
    AttentionFile f;
    int n = sample_all(&arena, e);
    n += sample_pairs(&arena, e + n);
    CHECK_OK(attention_save(path, "mneme", "seq2seq", n, e));
    CHECK_OK(attention_read(&f, path, &arena));
    CHECK(f.n == n && f.version == 2 && strcmp(f.model, "seq2seq") == 0, "%d examples", f.n);
    for (int i = 0; i < n; i++) {
        const AttentionExample *a = &e[i], *b = &f.example[i];
        CHECK(a->kind == b->kind && strcmp(a->id, b->id) == 0 && a->n_views == b->n_views, "example %d", i);
        same_words(&a->words, &b->words);
        if (a->target.n) same_words(&a->target, &b->target);
        CHECK(a->sure.n == b->sure.n && a->possible.n == b->possible.n && a->n_facts == b->n_facts, "links");
        if (a->sure.n) CHECK(memcmp(a->sure.at, b->sure.at, (size_t)a->sure.n * 16) == 0, "sure links");
        if (a->loss) CHECK(memcmp(a->loss, b->loss, (size_t)a->target.n * 8) == 0, "losses");
        for (int v = 0; v < a->n_views; v++) {
            const AttentionView *x = &a->view[v], *y = &b->view[v];
            CHECK(x->over == y->over && x->measure == y->measure && x->head == y->head, "view %d", v);
            CHECK(x->n == y->n && memcmp(x->weight, y->weight, (size_t)x->n * 8) == 0, "weights of view %d", v);
        }
        for (int k = 0; k < a->n_classes; k++) CHECK(strcmp(a->class_name[k], b->class_name[k]) == 0, "class %d", k);
    }
}

TEST(h5py_reads_matrices_links_and_entropies)
{
    static const char script[] =
        "import sys, h5py, numpy\n"
        "f = h5py.File(sys.argv[1], 'r')\n"
        "def words(g):\n"
        "    at, text = g['word'][...], g['text'][...].tobytes()\n"
        "    return [text[a:b].decode() for a, b in zip(at[:-1], at[1:])]\n"
        "e = f['example-00000']\n"
        "source, target = words(e['tokens']), words(e['target'])\n"
        "assert e.attrs['kind'] == b'pair' and source[6:8] == ['Fu\u00df@@', 'ball'] and target[-1] == '</s>'\n"
        "assert list(e['tokens/part_of'][...]) == [0, 1, 2, 3, 4, 5, 6, 6, 7, 8], e['tokens/part_of'][...]\n"
        "assert list(e['target/part_of'][...])[-3:] == [7, 8, -1], e['target/part_of'][...]\n"
        "assert e['gold/sure'].shape == (7, 2) and list(e['gold/possible'][0]) == [5, 6]\n"
        "assert e['loss'].shape == (len(target),)\n"
        "v = e['view-00']\n"
        "w = v['weights'][...]\n"
        "assert w.shape == (len(target), len(source)) and v.attrs['over'] == b'pairs' and v.attrs['measure'] == "
        "b'weight'\n"
        "h = -(w * numpy.log(w)).sum(1)\n"
        "assert abs(h - v['entropy'][...]).max() < 1e-12 and abs(h.mean() - v.attrs['entropy']) < 1e-12\n"
        "assert abs(h.mean() / numpy.log(len(source)) - v.attrs['entropy_share']) < 1e-12\n"
        "assert e['view-02'].attrs['measure'] == b'input_x_gradient' and 'entropy' not in e['view-02']\n";
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
        "  example-00000  pair, test 17: 10 source words, 11 target words, 3 views\n",
        "decoder hop 1 head 1: entropy 0.",
        " of the most) over 35 rows; alignment error 18.8 % over 1 pairs\ndecoder hop 1 head 2: entropy 1."};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        CHECK(strstr(text.data, part[i]), "no %s in\n%s", part[i], text.data);
    buffer_close(&text);
}

/* A file in which one thing is wrong. */
static void damaged(void (*change)(H5 *h), const char *message)
{
    H5 *h;
    Buffer text = {0};
    static const int64_t word[] = {0, 1, 2}, sentence[] = {0, 2}, one[] = {0, 1};
    static const double weight[] = {0.25, 0.75};
    CHECK_OK(h5_create(&h, path));
    CHECK_OK(h5_set_text(h, "/", "format", "mneme-attention"));
    CHECK_OK(h5_set_int(h, "/", "version", 2));
    CHECK_OK(h5_group(h, "example-00000"));
    CHECK_OK(h5_set_text(h, "example-00000", "kind", "pair"));
    CHECK_OK(h5_write_list(h, "example-00000/tokens/text", H5_U8, 2, "ab"));
    CHECK_OK(h5_write_list(h, "example-00000/tokens/word", H5_I64, 3, word));
    CHECK_OK(h5_write_list(h, "example-00000/tokens/sentence", H5_I64, 2, sentence));
    CHECK_OK(h5_write_list(h, "example-00000/target/text", H5_U8, 1, "c"));
    CHECK_OK(h5_write_list(h, "example-00000/target/word", H5_I64, 2, one));
    if (change) change(h);
    if (!h5_has(h, "example-00000/view-00/weights"))
        CHECK_OK(h5_write(h, "example-00000/view-00/weights", H5_F64, 2, (const int64_t[]){1, 2}, weight));
    if (!h5_has_attribute(h, "example-00000/view-00", "over"))
        CHECK_OK(h5_set_text(h, "example-00000/view-00", "over", "pairs"));
    CHECK_OK(h5_save(h, path));
    h5_close(h);
    if (message)
        CHECK_SAYS(attention_inspect(path, &text), ERR_DATA, arena_format(&arena, "%s: %s", path, message));
    else
        CHECK_OK(attention_inspect(path, &text));
    buffer_close(&text);
}

static void turned(H5 *h)
{
    static const double w[] = {0.5, 0.5};
    CHECK_OK(h5_write(h, "example-00000/view-00/weights", H5_F64, 2, (const int64_t[]){2, 1}, w));
}

static void flat(H5 *h)
{
    static const double w[] = {0.5, 0.5};
    CHECK_OK(h5_write_list(h, "example-00000/view-00/weights", H5_F64, 2, w));
}

static void infinite(H5 *h)
{
    static const double w[] = {0.5, INFINITY};
    CHECK_OK(h5_write(h, "example-00000/view-00/weights", H5_F64, 2, (const int64_t[]){1, 2}, w));
}

static void over_moons(H5 *h)
{
    CHECK_OK(h5_group(h, "example-00000/view-00"));
    CHECK_OK(h5_set_text(h, "example-00000/view-00", "over", "moons"));
}

static void gold_outside(H5 *h)
{
    static const int64_t at[] = {0, 0, 2, 0};
    CHECK_OK(h5_write(h, "example-00000/gold/sure", H5_I64, 2, (const int64_t[]){2, 2}, at));
}

static void gold_flat(H5 *h)
{
    static const int64_t at[] = {0, 0};
    CHECK_OK(h5_write_list(h, "example-00000/gold/possible", H5_I64, 2, at));
}

static void pieces(H5 *h)
{
    static const int64_t of[] = {0, 2};
    CHECK_OK(h5_write_list(h, "example-00000/tokens/part_of", H5_I64, 2, of));
}

static void losses(H5 *h)
{
    static const double loss[] = {1, 2};
    CHECK_OK(h5_write_list(h, "example-00000/loss", H5_F64, 2, loss));
}

static void planet(H5 *h) { CHECK_OK(h5_set_text(h, "example-00000", "kind", "planet")); }

static void layer(H5 *h)
{
    CHECK_OK(h5_group(h, "example-00000/view-00"));
    CHECK_OK(h5_set_int(h, "example-00000/view-00", "layer", -1));
}

TEST(damage_is_named)
{
    damaged(NULL, NULL);
    damaged(turned, "example-00000/view-00/weights: found 2 x 1 values, expected 1 target x 2 source words");
    damaged(flat, "example-00000/view-00/weights: found 1 axes of float64, expected 2 of float64");
    damaged(infinite, "example-00000: view -: value 1 is not finite");
    damaged(over_moons, "example-00000/view-00: over \"moons\" is not known");
    damaged(gold_outside, "example-00000: the sure link 2-0 lies outside the 2 source and 1 target words");
    damaged(gold_flat, "example-00000/gold/possible: expected pairs of int64");
    damaged(pieces, "example-00000: words: piece 1 is said to be part of word 2 after 1 words");
    damaged(losses, "example-00000/loss: found 2 values for 1 target words");
    damaged(planet, "example-00000: kind \"planet\" is not known");
    damaged(layer, "example-00000/view-00: layer -1");
}

/* Two target words and the end over three pieces of two words: Fuss@@ ball da. */
static AttentionExample small(const double *weight)
{
    static const int64_t start[] = {0, 6, 10, 12}, part[] = {0, 0, 1};
    static const int64_t target_start[] = {0, 5, 10, 14}, target_part[] = {0, 1, -1};
    static AttentionView view;
    view = (AttentionView){"decoder", 0, 0, 0, ATTENTION_PAIRS, 9, weight, ATTENTION_WEIGHT};
    return (AttentionExample){.kind = ATTENTION_PAIR,
                              .words = {3, "Fuss@@ballda", start, part},
                              .target = {3, "therefoot.</s>", target_start, target_part},
                              .n_views = 1,
                              .view = &view};
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
    AttentionLinks l;
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
    AttentionLinks l;
    AlignmentCounts sum = {0};
    CHECK_OK(alignment_links(&e, e.view, (AttentionReadout){0}, &arena, &l));
    CHECK(alignment_error(&e, &l, &sum) == -1 && sum.links == 0, "no gold, no error");
    e.sure = (AttentionLinks){1, sure};
    e.possible = (AttentionLinks){1, possible};
    CHECK_NEAR(alignment_error(&e, &l, &sum), 1 - (1.0 + 1) / (2 + 1), 1e-15); /* 0-1 is wrong, 1-0 is sure */
    CHECK(sum.links == 2 && sum.sure == 1 && sum.hits_sure == 1 && sum.hits_possible == 1, "counts");
}

#define TEST_WITH_FILE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST_WITH_FILE(what_is_saved_is_read_back),
                                       TEST_WITH_FILE(h5py_reads_matrices_links_and_entropies),
                                       TEST_WITH_FILE(inspecting_tells_sizes_and_entropies),
                                       TEST_WITH_FILE(damage_is_named),
                                       TEST_WITH_FILE(entropy_is_that_of_the_formula),
                                       TEST_WITH_FILE(links_are_read_out_by_maximum_or_threshold),
                                       TEST_WITH_FILE(the_error_counts_sure_and_possible_links)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
