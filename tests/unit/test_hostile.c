/* Files that point elsewhere, declare too much or have no checksums are refused before anything is read. */
#include "corpus_test.h"

#include "io/h5/h5.h"

/* The script writes the files and says what must be said of them; see hostile_h5.py. */
TEST(hostile_files_are_refused_with_the_reason)
{
    const char *source = getenv("SOURCE");
    char command[600], line[600], file[700];
    if (!source || system("/usr/bin/python3 -c 'import h5py' 2>/dev/null") != 0) {
        print_message("skipped: /usr/bin/python3 has no h5py, or SOURCE is not set\n");
        skip();
    }
    snprintf(command, sizeof command, "/usr/bin/python3 %s/tests/unit/hostile_h5.py %s", source, folder);
    FILE *out = popen(command, "r");
    int n = 0;
    while (out && fgets(line, sizeof line, out)) {
        char expected[1200], *tab = strchr(line, '\t');
        H5 *h = NULL;
        CHECK(tab, "%s", line);
        line[strcspn(line, "\n")] = '\0';
        *tab = '\0';
        n++;
        snprintf(file, sizeof file, "%s/%s", folder, line);
        if (tab[1] == '\0') {
            CHECK_OK(h5_open(&h, file, 0));
            h5_close(h);
            continue;
        }
        snprintf(expected, sizeof expected, "%s: %s", file, tab + 1);
        CHECK_SAYS(h5_open(&h, file, 0), ERR_DATA, expected);
    }
    CHECK(pclose(out) == 0 && n == 22, "%d files", n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN_IN_FOLDER(hostile_files_are_refused_with_the_reason)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
