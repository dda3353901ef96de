/* A checkpoint gives back every bit, and refuses what does not belong to it. */
#include "checkpoint_model.h"
#include "file_test.h"
#include "io/file/hash.h"
#include "io/h5/h5.h"

static Model model, other;

static Checkpoint describe(Model *m)
{
    Checkpoint c;
    model_register(&c, &arena, m);
    c.step = 1234;
    return c;
}

static void save(const Checkpoint *c)
{
    Buffer image = {0};
    char digest[HASH_HEX];
    CHECK_OK(checkpoint_image(c, path, &image, digest));
    CHECK((int64_t)image.size <= checkpoint_bytes(c), "%zu bytes, %lld announced", image.size,
          (long long)checkpoint_bytes(c));
    CHECK_OK(file_write(path, image.data, image.size));
    buffer_close(&image);
}

static void save_model(int seed)
{
    model_fill(&model, seed);
    const Checkpoint c = describe(&model);
    save(&c);
}

/* Loading into a description with one thing changed fails with this message behind the path. */
static void load_says(Checkpoint *c, int use, Status code, const char *text)
{
    const char *expected = arena_format(&arena, "%s: %s", path, text);
    CHECK_SAYS(checkpoint_load(path, c, use), code, expected);
}

TEST(every_bit_comes_back)
{
    for (int seed = 1; seed < 4; seed++) {
        save_model(seed);
        CHECK_OK(checkpoint_verify(path));
        memset(&other, 0x55, sizeof other);
        Checkpoint c = describe(&other);
        c.step = 0;
        CHECK_OK(checkpoint_load(path, &c, CHECKPOINT_RESUME));
        model_same(&model, &other);
        CHECK(c.step == 1234, "%lld", (long long)c.step);
    }
}

TEST(the_same_state_gives_the_same_bytes)
{
    Buffer one = {0}, two = {0};
    char digest[HASH_HEX];
    model_fill(&model, 5);
    const Checkpoint c = describe(&model);
    CHECK_OK(checkpoint_image(&c, "one", &one, digest));
    CHECK_OK(checkpoint_image(&c, "two", &two, digest));
    CHECK(one.size == two.size && memcmp(one.data, two.data, one.size) == 0, "%zu and %zu bytes", one.size, two.size);
    buffer_close(&one);
    buffer_close(&two);
}

TEST(the_digest_is_that_of_the_content_alone)
{
    CheckpointHead head[3];
    save_model(1);
    CHECK_OK(checkpoint_head(path, &arena, &head[0]));
    Checkpoint c = describe(&model);
    c.environment = "{\"ranks\": 99}";
    save(&c);
    CHECK_OK(checkpoint_head(path, &arena, &head[1]));
    model.cursor[1]++;
    save(&c);
    CHECK_OK(checkpoint_head(path, &arena, &head[2]));
    assert_string_equal(head[0].digest, head[1].digest);
    assert_string_not_equal(head[0].digest, head[2].digest);
}

TEST(the_head_tells_what_the_file_is)
{
    CheckpointHead head;
    save_model(1);
    CHECK_OK(checkpoint_head(path, &arena, &head));
    assert_string_equal(head.model, "han");
    assert_string_equal(head.program, "mneme 0.1.0");
    assert_string_equal(head.vocabulary, "0123456789abcdef");
    assert_string_equal(head.environment, "{\"ranks\": 2}");
    assert_string_equal(head.config, "model:\n  name: han\n");
    CHECK(head.step == 1234 && head.width == 4, "%lld %d", (long long)head.step, head.width);
}

TEST(a_model_alone_can_be_taken_from_it)
{
    save_model(2);
    memset(&other, 0, sizeof other);
    Checkpoint c = describe(&other);
    CHECK_OK(checkpoint_int(&c, "not/there", &other.epoch, 1, false));
    CHECK_OK(checkpoint_load(path, &c, CHECKPOINT_MODEL));
    CHECK(memcmp(model.value, other.value, sizeof model.value) == 0 && other.cursor[0] == 0, "only the buffers");
    load_says(&c, CHECKPOINT_RESUME, ERR_DATA, "state/not/there: is missing");
}

TEST(what_is_optional_may_be_missing)
{
    save_model(2);
    Checkpoint c = describe(&other);
    CHECK_OK(checkpoint_buffer(&c, "mean", other.value, true));
    CHECK_OK(checkpoint_int(&c, "new", &other.epoch, 1, true));
    CHECK_OK(checkpoint_load(path, &c, CHECKPOINT_RESUME));
    CHECK(!c.buffer[2].found && c.buffer[1].found && !c.state[5].found && c.state[4].found, "found");
    CHECK_OK(checkpoint_buffer(&c, "optimizer/other", other.value, false));
    load_says(&c, CHECKPOINT_RESUME, ERR_DATA, "optimizer/other: is missing");
}

TEST(another_precision_is_converted_only_when_asked_for)
{
    save_model(3);
    static double wide[MODEL_COUNT];
    Checkpoint c = describe(&other);
    c.width = 8;
    c.n_buffers = 0;
    CHECK_OK(checkpoint_buffer(&c, "parameters", wide, false));
    load_says(&c, CHECKPOINT_RESUME, ERR_DATA, "holds numbers of single precision, expected double");
    CHECK_OK(checkpoint_load(path, &c, CHECKPOINT_CONVERT));
    for (int i = 0; i < MODEL_COUNT; i++) CHECK(wide[i] == (double)model.value[i], "element %d", i);
    save(&c); /* now in double */
    Checkpoint narrow = describe(&other);
    narrow.n_buffers = 1;
    CHECK_OK(checkpoint_load(path, &narrow, CHECKPOINT_CONVERT | CHECKPOINT_MODEL));
    CHECK(memcmp(model.value, other.value, sizeof model.value) == 0, "back to the same bits");
    wide[15] = 1e300; /* finite in double, not in float */
    save(&c);
    load_says(&narrow, CHECKPOINT_CONVERT | CHECKPOINT_MODEL, ERR_DATA,
              "parameters/word/gru/forward/b: the number at element 3 is not finite");
}

TEST(what_does_not_belong_together_is_refused)
{
    save_model(1);
    Checkpoint c = describe(&other);
    c.model = "memn2n";
    load_says(&c, 0, ERR_DATA, "a checkpoint of the model han, expected memn2n");
    c = describe(&other);
    c.vocabulary = "feed";
    load_says(&c, 0, ERR_DATA, "belongs to a corpus with the vocabulary 0123456789abcdef, this one has feed");
    c = describe(&other);
    c.param[0].shape[0] = 4, c.param[0].shape[1] = 3;
    load_says(&c, 0, ERR_DATA, "parameters/word/gru/forward/W: found shape 3 x 4, expected 4 x 3");
    c = describe(&other);
    c.param[0].rank = 1, c.param[0].shape[0] = 12;
    load_says(&c, 0, ERR_DATA, "parameters/word/gru/forward/W: found 2 axes, expected 1");
    c = describe(&other);
    c.param[2].name = "sentence/U";
    load_says(&c, 0, ERR_DATA, "parameters/sentence/W: this model has no such parameter");
    c = describe(&other);
    c.n_params = 2;
    load_says(&c, 0, ERR_DATA, "parameters/sentence/W: this model has no such parameter");
    c = describe(&other);
    const CheckpointParam more = {"word/x", NULL, 1, {1}, 0, 1};
    CHECK_OK(checkpoint_param(&c, &more));
    load_says(&c, 0, ERR_DATA, "parameters/word/x: is missing");
    c = describe(&other);
    c.state[0].n = 3;
    load_says(&c, 0, ERR_DATA, "state/cursor: found shape 2, expected 3");
    c = describe(&other);
    c.state[0].kind = CHECKPOINT_REAL;
    load_says(&c, 0, ERR_DATA, "state/cursor: found int64, expected float64");
}

TEST(what_is_not_finite_is_never_saved)
{
    Buffer image = {0};
    char digest[HASH_HEX];
    const float bad[] = {NAN, INFINITY, -INFINITY};
    const char *const name[] = {"nan", "inf", "-inf"};
    for (int i = 0; i < 3; i++) {
        model_fill(&model, 1);
        model.moment[17 + 69999] = bad[i];
        const Checkpoint c = describe(&model);
        CHECK_SAYS(checkpoint_image(&c, path, &image, digest), ERR_CHECK,
                   arena_format(&arena, "step 1234 is not saved: optimizer/adam_m/sentence/W holds %s at element 69999",
                                name[i]));
    }
    buffer_close(&image);
}

/* A file made by hand, as another program might. */
static void make(int64_t version, const char *format, bool swap)
{
    H5 *h;
    CHECK_OK(h5_create(&h, path));
    CHECK_OK(h5_set_text(h, "/", "format", format));
    CHECK_OK(h5_set_text(h, "/", "program", "mneme 9.9"));
    CHECK_OK(h5_set_int(h, "/", "version", version));
    CHECK_OK(h5_set_int(h, "/", "step", 1));
    CHECK_OK(h5_set_int(h, "/", "precision", 4));
    CHECK_OK(h5_set_text(h, "/", "digest", "0"));
    char hex[HASH_HEX];
    const float value[] = {1, NAN};
    hash_bytes(value, 8, hex);
    CHECK_OK(h5_write_list(h, "parameters/W", H5_F32, 2, value));
    CHECK_OK(h5_set_text(h, "parameters/W", "xxh3", swap ? "00000000000000000000000000000000" : hex));
    hash_bytes("x", 2, hex);
    CHECK_OK(h5_write_list(h, "config", H5_U8, 2, "x"));
    CHECK_OK(h5_set_text(h, "config", "xxh3", hex));
    CHECK_OK(h5_save(h, path));
    h5_close(h);
}

TEST(files_of_others_and_of_newer_formats_are_refused)
{
    Checkpoint c = describe(&other);
    CheckpointHead head;
    make(1, "something", false);
    load_says(&c, 0, ERR_DATA, "not a checkpoint of Mneme");
    make(2, "mneme-checkpoint", false);
    const char *newer =
        "written in checkpoint format 2 by mneme 9.9; this program reads up to format 1: use a newer one";
    load_says(&c, 0, ERR_CONFIG, newer);
    CHECK_SAYS(checkpoint_head(path, &arena, &head), ERR_CONFIG, arena_format(&arena, "%s: %s", path, newer));
    CHECK_SAYS(checkpoint_verify(path), ERR_CONFIG, arena_format(&arena, "%s: %s", path, newer));
    make(1, "mneme-checkpoint", false);
    CHECK_SAYS(checkpoint_verify(path), ERR_DATA,
               arena_format(&arena, "%s: parameters/W: the number at element 1 is not finite", path));
    make(1, "mneme-checkpoint", true);
    CHECK_FAILS(checkpoint_verify(path), ERR_DATA);
    CHECK(strstr(status_message(), "parameters/W: damaged: its digest is "), "%s", status_message());
    CHECK_OK(file_write(path, "hello", 5));
    load_says(&c, 0, ERR_DATA, "not an HDF5 file");
    CHECK_OK(file_remove(path));
    load_says(&c, 0, ERR_INPUT, "No such file or directory");
    CHECK_OK(file_write(path, "", 0));
    load_says(&c, 0, ERR_DATA, "not an HDF5 file");
}

TEST(inspecting_tells_what_is_there)
{
    save_model(1);
    Buffer text = {0};
    CHECK_OK(checkpoint_inspect(path, &text));
    static const char *const part[] = {": checkpoint, format 1\n",
                                       "  model        han\n",
                                       "  step         1234\n",
                                       "parameters/sentence/W                    700 x 100 ",
                                       "rows are sentences\n",
                                       "state/cursor                               1099511627776 -1\n",
                                       "state/schedule/name                        \"plateau \"½\"\"\n",
                                       "\nmodel:\n  name: han\n"};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        CHECK(strstr(text.data, part[i]), "no %s in\n%s", part[i], text.data);
    buffer_close(&text);
}

TEST(h5py_reads_it_as_the_header_says)
{
    static const char script[] =
        "import sys, h5py\n"
        "f = h5py.File(sys.argv[1], 'r')\n"
        "assert f.attrs['model'] == b'han' or f.attrs['model'] == 'han', f.attrs['model']\n"
        "assert f.attrs['step'] == 1234 and f.attrs['precision'] == 4\n"
        "assert bytes(f['config'])[:-1].decode() == 'model:\\n  name: han\\n'\n"
        "seen = []\n"
        "f['parameters'].visititems(lambda name, d: seen.append((name, getattr(d, 'shape', ''), d.attrs.get('meaning', "
        "''))))\n"
        "assert len(seen) == 3 + 4, seen\n"
        "W = f['parameters/word/gru/forward/W'][...]\n"
        "assert W.shape == (3, 4) and W.dtype == 'float32' and abs(W[0, 1] - 0.9799080) < 1e-6, W\n"
        "assert f['optimizer/adam_m/sentence/W'].fletcher32 and f['state/cursor'][0] == 1 << 40\n";
    if (system("/usr/bin/python3 -c 'import h5py' 2>/dev/null") != 0) skip(); /* needs python3-h5py */
    save_model(1);
    const char *file = arena_format(&arena, "%s.py", path);
    CHECK_OK(file_write(file, script, sizeof script - 1));
    const int rc = system(arena_format(&arena, "/usr/bin/python3 %s %s", file, path));
    unlink(file);
    CHECK(rc == 0, "the script failed");
}

#define TEST_WITH_FILE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST_WITH_FILE(every_bit_comes_back),
                                       TEST_WITH_FILE(the_same_state_gives_the_same_bytes),
                                       TEST_WITH_FILE(the_digest_is_that_of_the_content_alone),
                                       TEST_WITH_FILE(the_head_tells_what_the_file_is),
                                       TEST_WITH_FILE(a_model_alone_can_be_taken_from_it),
                                       TEST_WITH_FILE(what_is_optional_may_be_missing),
                                       TEST_WITH_FILE(another_precision_is_converted_only_when_asked_for),
                                       TEST_WITH_FILE(what_does_not_belong_together_is_refused),
                                       TEST_WITH_FILE(what_is_not_finite_is_never_saved),
                                       TEST_WITH_FILE(files_of_others_and_of_newer_formats_are_refused),
                                       TEST_WITH_FILE(inspecting_tells_what_is_there),
                                       TEST_WITH_FILE(h5py_reads_it_as_the_header_says)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
