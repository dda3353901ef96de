/* The man page, the reference and the completion are what groff, readers and bash take. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "io/config/manual.h"

#include "config_fixture.h"
#include "config_nested.h"

static const CommandOption common[] = {
    {"--set", "SECTION.KEY=VALUE", NULL, "Override one value."},
    {"--help", NULL, NULL, "Say what the command does."},
};
static const CommandOption of_train[] = {
    {"--fresh", NULL, NULL, "Start anew."},
    {"--kind", "KIND", fixture_kind, "What to do."},
};
static const char *const examples[] = {"mpirun -np 4 mneme train a.yaml", NULL};
static const CommandDoc commands[] = {
    {"train", "CONFIG", "Train a model.", "Goes on from the newest checkpoint.", examples, of_train, COUNT(of_train),
     NULL},
    {"doctor", "", "Look at the machine.", NULL, NULL, NULL, 0, NULL},
};
static const Manual manual = {"mneme",
                              "0.1.0",
                              "trains attention models",
                              ".A paragraph \\ with 'markup' - in it.",
                              commands,
                              COUNT(commands),
                              common,
                              COUNT(common),
                              &fixture_table};

TEST(help_lists_commands_and_options)
{
    Buffer b = {0};
    CHECK_OK(manual_help(&manual, NULL, 80, &b));
    assert_string_equal(b.data, "usage: mneme COMMAND [arguments] [options]\n\ntrains attention models\n"
                                ".A paragraph \\ with 'markup' - in it.\n\ncommands:\n"
                                "  train CONFIG              Train a model.\n"
                                "  doctor                    Look at the machine.\n\noptions of every command:\n"
                                "  --set SECTION.KEY=VALUE   Override one value.\n"
                                "  --help                    Say what the command does.\n\n"
                                "mneme COMMAND --help says more about a command.\n");
    b.size = 0;
    CHECK(manual_find(&manual, "trian") == NULL, "no such command");
    CHECK_OK(manual_help(&manual, manual_find(&manual, "train"), 80, &b));
    assert_string_equal(b.data, "usage: mneme train CONFIG [options]\n\nTrain a model.\n"
                                "Goes on from the newest checkpoint.\n\noptions:\n"
                                "  --fresh                   Start anew.\n"
                                "  --kind KIND               What to do. One of stories, documents, tables.\n"
                                "  --set SECTION.KEY=VALUE   Override one value.\n"
                                "  --help                    Say what the command does.\n\nexamples:\n"
                                "  mpirun -np 4 mneme train a.yaml\n");
    buffer_close(&b);
}

TEST(help_is_broken_between_words_at_the_width)
{
    for (int width = 20; width <= 200; width += 7) {
        Buffer b = {0};
        CHECK_OK(manual_help(&manual, manual_find(&manual, "train"), width, &b));
        CHECK(strstr(b.data, "\n  --fresh                   Start anew.\n"), "%d: %s", width, b.data);
        for (const char *line = b.data; *line; line += strcspn(line, "\n") + 1) {
            const int size = (int)strcspn(line, "\n"), text = size - (int)strspn(line, " ");
            const bool fixed = strncmp(line, "usage", 5) == 0 || strncmp(line, "  mpirun", 8) == 0 || line[2] == '-';
            CHECK(size <= width || fixed || text <= 24, "%d: %.*s", width, size, line);
            CHECK(size == 0 || line[size - 1] != ' ', "%d: %.*s", width, size, line);
        }
        buffer_close(&b);
    }
    Buffer b = {0};
    CHECK_OK(manual_help(&manual, manual_find(&manual, "train"), 60, &b));
    CHECK(strstr(b.data, "  --kind KIND               What to do. One of stories,\n"
                         "                            documents, tables.\n"),
          "%s", b.data);
    buffer_close(&b);
}

static bool have(const char *command)
{
    char text[100];
    snprintf(text, sizeof text, "command -v %s >/dev/null 2>&1", command);
    return system(text) == 0;
}

/* What the command prints, errors too. */
static const char *output(const char *format, const char *path)
{
    static char text[1 << 16];
    char command[1024];
    snprintf(command, sizeof command, format, path);
    FILE *f = popen(command, "r");
    assert_non_null(f);
    const size_t n = fread(text, 1, sizeof text - 1, f);
    text[n] = '\0';
    CHECK(pclose(f) == 0, "%s: %s", command, text);
    return text;
}

static void save(char path[32], const Buffer *b)
{
    strcpy(path, "/tmp/mneme-manual-XXXXXX");
    const int fd = mkstemp(path);
    CHECK(fd >= 0 && write(fd, b->data, b->size) == (ssize_t)b->size && close(fd) == 0, "%s", path);
}

TEST(groff_takes_the_man_page_without_a_warning)
{
    if (!have("groff")) skip();
    char path[32];
    Buffer b = {0};
    CHECK_OK(manual_roff(&manual, &b));
    save(path, &b);
    assert_string_equal(output("groff -man -Tascii -ww -z %s 2>&1", path), "");
    const char *page = output("groff -man -Tascii %s | sed 's/.\\x08//g; s/\\x1b\\[[0-9;]*m//g'", path);
    CHECK(strstr(page, ".A paragraph \\ with 'markup' - in it."), "%s", page);
    CHECK(strstr(page, "mneme - trains attention models"), "%s", page);
    CHECK(strstr(page, "--kind KIND"), "%s", page);
    CHECK(strstr(page, "One of stories, documents, tables."), "%s", page);
    CHECK(strstr(page, "learning_rate = 1e-3"), "%s", page);
    CHECK(strstr(page, "configuration"), "%s", page);
    unlink(path);
    buffer_close(&b);
}

/* An argument stands on the line of its command alone: groff would take what follows for part of the heading. */
TEST(a_heading_of_the_man_page_ends_with_its_line)
{
    Buffer b = {0};
    CHECK_OK(manual_roff(&manual, &b));
    CHECK(strstr(b.data, ".SS mneme train CONFIG\nTrain a model.\n.PP\nGoes on from the newest checkpoint.\n"), "%s",
          b.data);
    buffer_close(&b);
}

TEST(the_reference_has_commands_and_keys)
{
    Buffer b = {0};
    CHECK_OK(manual_markdown(&manual, &b));
    CHECK(strstr(b.data, "### `mneme train CONFIG`\n\nTrain a model.\n"), "%s", b.data);
    CHECK(strstr(b.data, "| `--kind KIND` | What to do. One of stories, documents, tables. |\n"), "%s", b.data);
    CHECK(strstr(b.data, "| 78 | configuration |\n"), "%s", b.data);
    CHECK(strstr(b.data, "| `batch` | whole number, 1 to 65536 examples |"), "%s", b.data);
    buffer_close(&b);
}

static void completes(const char *path, const char *words, const char *expected)
{
    char script[900];
    snprintf(script, sizeof script,
             "bash -c 'source %%s; COMP_WORDS=(%s); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); _mneme; echo "
             "\"${COMPREPLY[*]}\"' 2>&1",
             words);
    assert_string_equal(output(script, path), expected);
}

TEST(bash_completes_commands_options_keys_and_values)
{
    if (!have("bash")) skip();
    char path[32];
    Buffer b = {0};
    CHECK_OK(manual_bash(&manual, &b));
    save(path, &b);
    completes(path, "mneme t", "train\n");
    completes(path, "mneme train --f", "--fresh\n");
    completes(path, "mneme doctor --", "--set --help\n");
    completes(path, "mneme train --kind t", "tables\n");
    completes(path, "mneme train --set model.h", "model.hidden= model.heads= model.hops=\n");
    completes(path, "mneme train --set model.name =", "han memn2n\n");
    completes(path, "mneme train --set model.name = m", "memn2n\n");
    completes(path, "mneme train --set train.shuffle = t", "true\n");
    completes(path, "mneme train /de", "/dev\n");
    unlink(path);
    buffer_close(&b);
}

TEST(bash_completes_first_words_files_beside_names_and_keys)
{
    if (!have("bash")) skip();
    static const CommandOption options_of_write[] = {
        {"--to", "FILE", fixture_kind, "A file, or one that has a name."},
        {"--of", "KEY", NULL, "A setting."},
    };
    static const CommandDoc write[] = {
        {"write", "KIND", "Write one.", NULL, NULL, options_of_write, COUNT(options_of_write), fixture_kind}};
    char path[32];
    Buffer b = {0};
    Manual m = manual;
    m.commands = write;
    m.n_commands = COUNT(write);
    CHECK_OK(manual_bash(&m, &b));
    save(path, &b);
    completes(path, "mneme write d", "documents\n");
    completes(path, "mneme write --t", "--to\n");
    completes(path, "mneme write tables /de", "/dev\n");
    completes(path, "mneme write tables --to stor", "stories\n");
    completes(path, "mneme write tables --to /de", "/dev\n");
    completes(path, "mneme write tables --of model.ho", "model.hops\n");
    completes(path, "mneme help w", "write\n");
    unlink(path);
    CHECK_OK(manual_help(&m, write, 80, &b));
    CHECK(!strstr(b.data, "One of"), "a file is no one of the names: %s", b.data);
    buffer_close(&b);
}

TEST(bash_completes_paths_into_groups_and_parts)
{
    if (!have("bash")) skip();
    char path[32];
    Buffer b = {0};
    Manual nested = manual;
    nested.config = &nested_table;
    CHECK_OK(manual_bash(&nested, &b));
    save(path, &b);
    completes(path, "mneme train --set model.attention.s", "model.attention.score= model.attention.score.rows=\n");
    completes(path, "mneme train --set model.attention.score = m", "multi_dim\n");
    completes(path, "mneme train --set model.encoder.cell =", "gru lstm\n");
    completes(path, "mneme train --set text.reading.keep = t", "tail\n");
    unlink(path);
    buffer_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(help_lists_commands_and_options),
                                       RUN(help_is_broken_between_words_at_the_width),
                                       RUN(a_heading_of_the_man_page_ends_with_its_line),
                                       RUN(groff_takes_the_man_page_without_a_warning),
                                       RUN(the_reference_has_commands_and_keys),
                                       RUN(bash_completes_commands_options_keys_and_values),
                                       RUN(bash_completes_first_words_files_beside_names_and_keys),
                                       RUN(bash_completes_paths_into_groups_and_parts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
