/* Stems of English words: score/stems.tsv holds what NLTK's stemmer makes of them. */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "trainer/metric/quality/porter.h"

TEST(words_have_the_stems_of_the_reference)
{
    char path[4096], word[64], stem[64];
    snprintf(path, sizeof path, "%s/tests/golden/score/stems.tsv", getenv("SOURCE"));
    FILE *f = fopen(path, "r");
    CHECK(f != NULL, "%s", path);
    int words = 0, wrong = 0;
    while (fscanf(f, "%63s %63s", word, stem) == 2) {
        char got[64];
        const size_t n = strlen(word);
        memcpy(got, word, n);
        const size_t left = porter_stem(got, n);
        CHECK(left <= n, "%s: longer than before", word);
        got[left] = '\0';
        if (strcmp(got, stem) != 0) print_error("%s: %s instead of %s\n", word, got, stem), wrong++;
        words++;
    }
    fclose(f);
    CHECK(words > 800 && wrong == 0, "%d of %d words", wrong, words);
}

int main(void)
{
    if (!getenv("SOURCE")) return 77;
    const struct CMUnitTest tests[] = {RUN(words_have_the_stems_of_the_reference)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
