/* The report holds what the run's files hold, escaped, in valid HTML, and reaches nothing outside. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "allocations.h"
#include "attention_samples.h"
#include "io/checkpoint/checkpoint_index.h"
#include "io/file/file.h"
#include "io/page/page.h"
#include "io/page/svg.h"
#include "io/record/curves.h"
#include "io/record/metrics.h"
#include "io/record/report.h"

static Arena arena;
static char folder[256];
static bool keep; /* MNEME_PAGES names a folder for the pages: another test looks at them */

static int set_up(void **state)
{
    (void)state;
    const char *pages = getenv("MNEME_PAGES");
    keep = pages != NULL;
    snprintf(folder, sizeof folder, "%s", pages ? pages : "/tmp/mneme-report-XXXXXX");
    return keep || mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    char command[300];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    arena_close(&arena);
    return keep ? 0 : system(command);
}

static void write_metrics(void)
{
    static const char *const train[] = {"loss", "rate", "examples_per_second"};
    static const char *const valid[] = {"loss", "accuracy", "error/task 1", "error/task 2", "constant"};
    Metrics *m;
    CHECK_OK(metrics_open(&m, &arena, folder, METRICS_ALL, 3, train, -1));
    for (int step = 1; step <= 1200; step++) {
        const double value[] = {2.2 * exp(-step / 300.0) + 0.15 + 0.12 * sin(12.9 * step) * exp(-step / 900.0),
                                1e-3 * fmin(1, step / 100.0) * 0.5 * (1 + cos(step * 3.14159 / 1200)), 4200 + step % 7};
        CHECK_OK(metrics_write(m, &(MetricsRow){step, step / 400.0, "train", 1.7e9 + step, 3, train, value}));
        if (step % 100) continue;
        const double measured[] = {2.1 * exp(-step / 350.0) + 0.3 + step * 1e-4, 0.92 - 0.6 * exp(-step / 250.0),
                                   0.5 * exp(-step / 200.0), step == 300 ? (double)NAN : 0.7 * exp(-step / 600.0), 7};
        CHECK_OK(metrics_write(m, &(MetricsRow){step, step / 400.0, "valid", 1.7e9 + step, 5, valid, measured}));
    }
    CHECK_OK(metrics_close(m));
}

static void write_run(void)
{
    static const char config[] = "seed: 7\nmodel:\n  name: han # <default> & more\n";
    static CheckpointIndex index = {.higher = true};
    const RunFact fact[] = {{"processor", "x86-64-v4, 2 cores"}, {"BLAS", "OpenBLAS 0.3.21 <SkylakeX>"}};
    RunFolder *f;
    CHECK_OK(run_folder_open(&f, &arena, folder, false));
    CHECK_OK(run_folder_describe(f, config, sizeof config - 1, 2, fact, "mpirun -np 4 mneme train 'my config.yaml'"));
    for (int i = 1; i <= 3; i++) {
        CheckpointEntry e = {.step = i * 400, .bytes = 104857600 / i, .metric = i == 2 ? 0.9 : 0.8, .digest = "0"};
        snprintf(e.file, sizeof e.file, "step-%09d.h5", i * 400);
        CHECK_OK(checkpoint_index_add(&index, &e));
    }
    CHECK_OK(checkpoint_index_write(&index, run_folder_checkpoints(f)));
    CHECK_OK(run_folder_finish(f, 1200, "{\"for\": \"programs\"}"));
    run_folder_close(f);
    write_metrics();
}

static Buffer make_report(void)
{
    static AttentionExample example[4];
    static const char *const column[] = {"valid", "test"};
    static const ReportRow row[] = {{"accuracy", {"0.9", "0.8912"}}, {"loss <b>", {NULL, "0.312"}}};
    const Report r = {.folder = folder,
                      .title = "Reviews & <others>",
                      .subtitle = "han on reviews, 4 ranks",
                      .main_measure = "accuracy",
                      .higher = true,
                      .end = "Stopped early: no better accuracy for 3 epochs.",
                      .n_columns = 2,
                      .column = column,
                      .n_rows = 2,
                      .row = row,
                      .n_examples = sample_all(&arena, example),
                      .example = example};
    Buffer page = {0};
    write_run();
    CHECK_OK(report_page(&r, &page));
    CHECK_OK(report_write(&r));
    return page;
}

static void has(const Buffer *page, const char *text) { CHECK(strstr(page->data, text), "no %s", text); }

TEST(a_report_holds_what_the_files_of_the_run_hold)
{
    Buffer page = make_report();
    has(&page, "<title>Reviews &amp; &lt;others&gt;</title>");
    has(&page, "Finished at step 1200. Stopped early: no better accuracy for 3 epochs.");
    has(&page, "<b>0.9151</b><span>best validation accuracy, step 1200</span>");
    has(&page, "<tr><th>Measure</th><th class=\"num\">valid</th><th class=\"num\">test</th></tr>");
    has(&page, "<td dir=\"auto\">accuracy</td><td class=\"num\">0.9</td><td class=\"num\">0.8912</td>");
    has(&page, "<td dir=\"auto\">loss &lt;b&gt;</td><td class=\"num\"></td><td class=\"num\">0.312</td>");
    has(&page, "<td dir=\"auto\">step-000000800.h5</td><td class=\"num\">800</td><td class=\"num\">52.4 MB</td>"
               "<td class=\"num\">0.9</td><td dir=\"auto\">best</td>");
    has(&page, "<pre>mpirun -np 4 mneme train &#39;my config.yaml&#39;\n</pre>");
    has(&page, "name: han # &lt;default&gt; &amp; more");
    has(&page, "<td dir=\"auto\">OpenBLAS 0.3.21 &lt;SkylakeX&gt;</td>");
    has(&page, "<strong>accuracy</strong>");
    has(&page, "valid task 2 0.0947");
    has(&page, "<title>valid 0.9151 at step 1,200</title>");
    has(&page, "&lt;script&gt;alert(1)&lt;/script&gt;");
    CHECK(!strstr(page.data, "<script"), "no script");
    CHECK(!strstr(page.data, "programs"), "the state is for programs");
    CHECK(!strstr(page.data, "<strong>constant</strong>"), "a curve that never changes is not drawn");
    buffer_close(&page);
}

TEST(only_the_charts_that_are_asked_for_are_drawn_and_in_their_order)
{
    static const char *const curve[] = {"accuracy", "loss", "unheard of"};
    const Report r = {.folder = folder, .n_curves = 3, .curve = curve};
    Buffer page = {0};
    write_run();
    CHECK_OK(report_page(&r, &page));
    const char *accuracy = strstr(page.data, "<strong>accuracy</strong>");
    CHECK(accuracy && strstr(accuracy, "<strong>loss</strong>"), "accuracy, then loss");
    CHECK(!strstr(page.data, "<strong>rate</strong>") && !strstr(page.data, "<strong>error</strong>"), "no more");
    buffer_close(&page);
}

TEST(a_report_reaches_nothing_outside)
{
    static const char *const outside[] = {"http:", "https:", "src=", "href=", "url(", "@import", "file:", "<link"};
    Buffer page = make_report();
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
        CHECK(!strstr(page.data, outside[i]), "%s", outside[i]);
    buffer_close(&page);
}

TEST(its_tags_are_balanced)
{
    const char *source = getenv("SOURCE");
    if (!source || system("python3 -c 1 2>/dev/null") != 0) skip(); /* needs python3, and SOURCE as set by ctest */
    AttentionExample example[SAMPLES];
    Buffer report = make_report();
    buffer_close(&report);
    const int n = sample_each(&arena, example);
    const AttentionFile one = {.n = n, .example = example};
    const AttentionPage page = {.title = "Attention of some inputs", .n_files = 1, .file = &one};
    CHECK_OK(attention_page(arena_format(&arena, "%s/attention.html", folder), &page));
    AttentionExample many[20];
    sample_many(&arena, 20, many);
    const AttentionFile twenty = {.n = 20, .example = many};
    const AttentionPage leaves = {.title = "Attention of many inputs", .n_files = 1, .file = &twenty};
    CHECK_OK(attention_page(arena_format(&arena, "%s/leaves.html", folder), &leaves));
    CHECK_OK(attention_svg(arena_format(&arena, "%s/pair.svg", folder), &example[4], (AttentionReadout){0}));
    CHECK_OK(attention_svg(arena_format(&arena, "%s/arcs.svg", folder), &example[8], (AttentionReadout){0}));
    CHECK_OK(attention_svg(arena_format(&arena, "%s/grid.svg", folder), &example[10], (AttentionReadout){0}));
    CHECK_OK(attention_svg(arena_format(&arena, "%s/heads.svg", folder), &example[11], (AttentionReadout){0}));
    const char *command =
        arena_format(&arena, "cd '%s' && python3 '%s/tests/unit/check_html.py' report.html attention.html leaves.html",
                     folder, source);
    CHECK(system(command) == 0, "%s", command);
}

TEST(a_run_that_was_killed_at_once_has_a_report_too)
{
    char empty[] = "/tmp/mneme-empty-XXXXXX";
    CHECK(mkdtemp(empty), "mkdtemp");
    const Report r = {.folder = empty};
    Buffer page = {0};
    CHECK_OK(report_page(&r, &page));
    has(&page, "Not finished.");
    CHECK(!strstr(page.data, "<h2>"), "no sections");
    buffer_close(&page);
    CHECK_OK(file_write(arena_format(&arena, "%s/metrics.jsonl", empty),
                        "nonsense\n{\"step\": 1}\n{\"step\": 2, \"kind\": \"train\", \"loss\": null}\n{\"step\": 3",
                        75));
    CHECK_OK(file_write(arena_format(&arena, "%s/environment.json", empty), "[1", 2));
    CHECK_OK(report_page(&r, &page));
    buffer_close(&page);
    const char *command = arena_format(&arena, "rm -r %s", empty);
    CHECK(system(command) == 0, "%s", command);
    const Report nowhere = {.folder = "/nonexistent/run"};
    CHECK_SAYS(report_write(&nowhere), ERR_IO, "/nonexistent/run/report.html: No such file or directory");
}

static Status curves_again(Arena *scratch)
{
    char path[400];
    snprintf(path, sizeof path, "%s/metrics.jsonl", folder);
    Curves *c;
    TRY_NEW(c, scratch, 1);
    return curves_read(c, scratch, path);
}

TEST(curves_come_back_as_they_were_written)
{
    Curves *c = arena_zeros(&arena, 1, sizeof *c);
    write_run();
    CHECK_OK(curves_read(c, &arena, arena_format(&arena, "%s/metrics.jsonl", folder)));
    const Curve *loss = curves_find(c, "loss", "valid"), *error = curves_find(c, "error/task 2", "valid");
    CHECK(loss && loss->n == 12 && loss->step[11] == 1200, "12 points");
    CHECK(loss->value[0] == 2.1 * exp(-100 / 350.0) + 0.3 + 100 * 1e-4, "%.17g", loss->value[0]);
    CHECK(error && isnan(error->value[2]) && !curves_find(c, "loss", "test"), "nan");
    EACH_ALLOCATION_FAILS(curves_again(&failing), (void)0);
    CHECK(c->last_step == 1200 && c->lines == 1212 && c->skipped == 0, "%lld lines", (long long)c->lines);
}

TEST(text_is_escaped_whatever_it_is)
{
    Buffer out = {0};
    CHECK_OK(page_text_n(&out, "a<b>&\"'\x01\x7f\n\xff\xc3\xa9\xed\xa0\x80", 16));
    assert_string_equal(out.data,
                        "a&lt;b&gt;&amp;&quot;&#39;\n\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    out.size = 0;
    CHECK_OK(page_text(&out, "\xc2\x9b \xef\xbf\xbe\xef\xbf\xbf \xf0\x9f\xbf\xbf \xef\xbf\xbd"));
    assert_string_equal(out.data, "\xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd \xef\xbf\xbd \xef\xbf\xbd");
    buffer_close(&out);
}

TEST(ticks_are_round_numbers_within_the_range)
{
    static const double range[][2] = {{0, 1}, {0, 1200}, {-3.7, 9.2}, {1e-6, 4e-6}, {0.12, 0.13}, {1e9, 3e9}};
    for (size_t i = 0; i < sizeof range / sizeof *range; i++) {
        double tick[12];
        const int n = svg_ticks(range[i][0], range[i][1], 5, 12, tick);
        CHECK(n >= 3 && n <= 10, "%d ticks in %g .. %g", n, range[i][0], range[i][1]);
        const double step = tick[1] - tick[0], digit = step / pow(10, floor(log10(step) + 1e-9));
        CHECK(fabs(digit - 1) < 1e-6 || fabs(digit - 2) < 1e-6 || fabs(digit - 5) < 1e-6, "step %g", step);
        CHECK(tick[0] >= range[i][0] - step * 1e-6 && tick[n - 1] <= range[i][1] + step * 1e-6, "outside");
    }
    double none[2];
    CHECK(svg_ticks(1, 1, 5, 2, none) == 0, "an empty range has none");
}

TEST(numbers_are_written_for_people)
{
    static const struct {
        double v;
        const char *text;
    } number[] = {{0, "0"},
                  {1200, "1,200"},
                  {-1234567, "-1,234,567"},
                  {0.12345678, "0.1235"},
                  {1.5e-7, "1.50e-07"},
                  {2.5e9, "2,500,000,000"},
                  {1234567.5, "1.23e+06"},
                  {INFINITY, "inf"}};
    char text[32];
    for (size_t i = 0; i < sizeof number / sizeof *number; i++) {
        page_number(text, number[i].v);
        assert_string_equal(text, number[i].text);
    }
    page_bytes(text, 999);
    assert_string_equal(text, "999 B");
    page_bytes(text, 1536000);
    assert_string_equal(text, "1.5 MB");
}

#define TEST_IN_FOLDER(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST_IN_FOLDER(a_report_holds_what_the_files_of_the_run_hold),
                                       TEST_IN_FOLDER(only_the_charts_that_are_asked_for_are_drawn_and_in_their_order),
                                       TEST_IN_FOLDER(a_report_reaches_nothing_outside),
                                       TEST_IN_FOLDER(its_tags_are_balanced),
                                       TEST_IN_FOLDER(a_run_that_was_killed_at_once_has_a_report_too),
                                       TEST_IN_FOLDER(curves_come_back_as_they_were_written),
                                       RUN(text_is_escaped_whatever_it_is),
                                       RUN(ticks_are_round_numbers_within_the_range),
                                       RUN(numbers_are_written_for_people)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
