/* `mneme score` and `mneme links` say what the reference tools say, to the last digit. score/make.py tells where the
 * values come from: a line `$ WORDS` with the words of a command, and below it what has to be printed. All in one
 * process: there are many. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "comm/comm.h"
#include "io/file/file.h"
#include "trainer/command/command.h"

enum { WORDS = 64 };

static Comm *comm;
static Arena arena;

/* What the command prints, into out, by way of a file in place of the standard output. */
static void run(char *line, Buffer *out)
{
    static char program[] = "mneme";
    char *argv[WORDS] = {program}, *rest = NULL;
    int argc = 1;
    for (char *w = strtok_r(line, " ", &rest); w && argc < WORDS; w = strtok_r(NULL, " ", &rest)) argv[argc++] = w;
    FILE *file = tmpfile();
    CHECK(file != NULL, "no temporary file");
    fflush(stdout);
    const int keep = dup(STDOUT_FILENO);
    CHECK(dup2(fileno(file), STDOUT_FILENO) >= 0, "dup2");
    Command c;
    Status st = command_parse(&c, &arena, argc, argv);
    c.comm = comm;
    if (st == OK) st = c.def->run(&c);
    fflush(stdout);
    dup2(keep, STDOUT_FILENO);
    close(keep);
    CHECK(st == OK, "%s", status_message());
    rewind(file);
    char text[4096];
    for (size_t n; (n = fread(text, 1, sizeof text, file)) > 0;) CHECK_OK(buffer_append(out, text, n));
    fclose(file);
}

/* The version in a signature is left open. */
static void forget_version(char *text)
{
    for (char *v = text; (v = strstr(v, "version:")); v += strlen("version:")) {
        char *from = v + strlen("version:"), *to = from + strcspn(from, " \n");
        memmove(from, to, strlen(to) + 1);
    }
}

static void check_case(char *words, const char *wanted)
{
    Buffer out = {0};
    char shown[512];
    snprintf(shown, sizeof shown, "%s", words);
    const ArenaMark mark = arena_mark(&arena);
    run(words, &out);
    forget_version(out.data);
    CHECK(strcmp(out.data, wanted) == 0, "%s\nexpected\n%s\nfound\n%s", shown, wanted, out.data);
    buffer_close(&out);
    arena_release(&arena, mark);
}

/* Every case of a file; how many there were. */
static int check_file(const char *path)
{
    Buffer file = {0};
    CHECK_OK(file_read(path, (size_t)1 << 24, &file));
    int cases = 0;
    for (char *at = file.data; at && *at; cases++) {
        CHECK(strncmp(at, "$ ", 2) == 0, "%s: case %d does not begin", path, cases + 1);
        char *end = strchr(at, '\n'), *next = strstr(end, "\n$ ");
        char *answer = end + 1, keep = '\0';
        *end = '\0';
        if (next) keep = next[1], next[1] = '\0';
        check_case(at + 2, answer);
        if (next) next[1] = keep;
        at = next ? next + 1 : NULL;
    }
    buffer_close(&file);
    return cases;
}

TEST(bleu_is_that_of_sacrebleu) { CHECK(check_file("bleu.txt") > 100, "few cases"); }
TEST(chrf_is_that_of_sacrebleu) { CHECK(check_file("chrf.txt") > 40, "few cases"); }
TEST(gleu_is_that_of_jfleg) { CHECK(check_file("gleu.txt") == 12, "few cases"); }
TEST(error_rates_of_links_are_those_of_nltk) { CHECK(check_file("aer.txt") == 4, "few cases"); }
TEST(links_combine_as_in_moses_and_fast_align) { CHECK(check_file("combine.txt") == 9, "few cases"); }
TEST(rouge_is_that_of_rouge_score) { CHECK(check_file("rouge.txt") == 24, "few cases"); }

int main(int argc, char **argv)
{
    const char *source = getenv("SOURCE");
    if (!source || chdir(source) != 0 || chdir("tests/golden/score") != 0) return 77;
    if (comm_init(&comm, &argc, &argv) != OK) return 1;
    const struct CMUnitTest tests[] = {RUN(bleu_is_that_of_sacrebleu),
                                       RUN(chrf_is_that_of_sacrebleu),
                                       RUN(gleu_is_that_of_jfleg),
                                       RUN(rouge_is_that_of_rouge_score),
                                       RUN(error_rates_of_links_are_those_of_nltk),
                                       RUN(links_combine_as_in_moses_and_fast_align)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    comm_finalize(comm);
    arena_close(&arena);
    return failed;
}
