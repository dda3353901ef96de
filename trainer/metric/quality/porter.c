/* porter.c - the algorithm of Porter 1980 ("An algorithm for suffix stripping") with the changes of NLTK, which is what
 * google's rouge_score stems with: a few words by heart; ies and ied of four letters keep their e; y becomes i only
 * after a consonant; alli first in step 2, then step 2 again; fulli; logi, its l counted to the stem; in two letters,
 * vowel and consonant count as a short syllable.
 *
 * m of a word is the number of times that a consonant follows a vowel: [C](VC){m}[V]. */
#include "trainer/metric/quality/porter.h"

#include <stdbool.h>
#include <string.h>

typedef struct Stem {
    char *at;
    size_t n;
} Stem;

typedef bool (*Condition)(const char *word, size_t n); /* of what is left of the word */

typedef struct Rule {
    const char *suffix, *replacement;
    Condition when; /* NULL: always */
} Rule;

static bool is_vowel_letter(char c) { return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u'; }

/* y is a consonant at the beginning and after a vowel. */
static bool is_consonant(const char *word, size_t i)
{
    bool flip = false;
    for (; i > 0 && word[i] == 'y'; i--) flip = !flip;
    return !is_vowel_letter(word[i]) != flip;
}

static int measure(const char *word, size_t n)
{
    int m = 0;
    bool before = true;
    for (size_t i = 0; i < n; i++) {
        const bool consonant = word[i] == 'y' ? i == 0 || !before : !is_vowel_letter(word[i]);
        m += consonant && !before;
        before = consonant;
    }
    return m;
}

static bool above_0(const char *word, size_t n) { return measure(word, n) > 0; }
static bool above_1(const char *word, size_t n) { return measure(word, n) > 1; }
static bool above_0_with_l(const char *word, size_t n) { return measure(word, n + 1) > 0; }
static bool above_1_with_l(const char *word, size_t n) { return measure(word, n + 1) > 1; }

static bool above_1_after_st(const char *word, size_t n)
{
    return above_1(word, n) && (word[n - 1] == 's' || word[n - 1] == 't');
}

static bool after_consonant(const char *word, size_t n) { return n > 1 && is_consonant(word, n - 1); }

static bool has_vowel(const char *word, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!is_consonant(word, i)) return true;
    return false;
}

static bool ends_double(const Stem *s)
{
    return s->n >= 2 && s->at[s->n - 1] == s->at[s->n - 2] && is_consonant(s->at, s->n - 1);
}

/* consonant, vowel, consonant other than w, x, y */
static bool ends_short(const char *word, size_t n)
{
    if (n == 2) return !is_consonant(word, 0) && is_consonant(word, 1);
    return n >= 3 && is_consonant(word, n - 3) && !is_consonant(word, n - 2) && is_consonant(word, n - 1) &&
           !strchr("wxy", word[n - 1]);
}

static bool ends(const Stem *s, const char *suffix)
{
    const size_t n = strlen(suffix);
    return s->n >= n && memcmp(s->at + s->n - n, suffix, n) == 0;
}

static void exchange(Stem *s, size_t suffix, const char *replacement)
{
    const size_t n = strlen(replacement);
    memcpy(s->at + s->n - suffix, replacement, n);
    s->n = s->n - suffix + n;
}

/* The first rule whose suffix fits decides, whether its condition holds or not. True when a suffix fitted. */
static bool apply(Stem *s, const Rule *rule)
{
    for (; rule->suffix; rule++) {
        const size_t n = strlen(rule->suffix);
        if (!ends(s, rule->suffix)) continue;
        if (!rule->when || rule->when(s->at, s->n - n)) exchange(s, n, rule->replacement);
        return true;
    }
    return false;
}

static void plurals(Stem *s)
{
    static const Rule rule[] = {
        {"sses", "ss", NULL}, {"ies", "i", NULL}, {"ss", "ss", NULL}, {"s", "", NULL}, {NULL, NULL, NULL}};
    if (s->n == 4 && ends(s, "ies"))
        exchange(s, 3, "ie");
    else
        apply(s, rule);
}

/* What follows when ed or ing has gone. */
static void mend(Stem *s)
{
    static const Rule rule[] = {{"at", "ate", NULL}, {"bl", "ble", NULL}, {"iz", "ize", NULL}, {NULL, NULL, NULL}};
    if (apply(s, rule)) return;
    if (ends_double(s)) {
        if (!strchr("lsz", s->at[s->n - 1])) s->n--;
    } else if (measure(s->at, s->n) == 1 && ends_short(s->at, s->n)) {
        exchange(s, 0, "e");
    }
}

static void pasts(Stem *s)
{
    if (ends(s, "ied")) {
        exchange(s, 3, s->n == 4 ? "ie" : "i");
    } else if (ends(s, "eed")) {
        if (above_0(s->at, s->n - 3)) s->n--;
    } else {
        const size_t n = ends(s, "ed") ? 2 : ends(s, "ing") ? 3 : 0;
        if (n == 0 || !has_vowel(s->at, s->n - n)) return;
        s->n -= n;
        mend(s);
    }
}

static const Rule step_1c[] = {{"y", "i", after_consonant}, {NULL, NULL, NULL}};

static const Rule step_2[] = {{"ational", "ate", above_0},     {"tional", "tion", above_0}, {"enci", "ence", above_0},
                              {"anci", "ance", above_0},       {"izer", "ize", above_0},    {"bli", "ble", above_0},
                              {"alli", "al", above_0},         {"entli", "ent", above_0},   {"eli", "e", above_0},
                              {"ousli", "ous", above_0},       {"ization", "ize", above_0}, {"ation", "ate", above_0},
                              {"ator", "ate", above_0},        {"alism", "al", above_0},    {"iveness", "ive", above_0},
                              {"fulness", "ful", above_0},     {"ousness", "ous", above_0}, {"aliti", "al", above_0},
                              {"iviti", "ive", above_0},       {"biliti", "ble", above_0},  {"fulli", "ful", above_0},
                              {"logi", "log", above_0_with_l}, {NULL, NULL, NULL}};

static const Rule step_3[] = {{"icate", "ic", above_0}, {"ative", "", above_0},  {"alize", "al", above_0},
                              {"iciti", "ic", above_0}, {"ical", "ic", above_0}, {"ful", "", above_0},
                              {"ness", "", above_0},    {NULL, NULL, NULL}};

static const Rule step_4[] = {
    {"al", "", above_1},    {"ance", "", above_1}, {"ence", "", above_1}, {"er", "", above_1},
    {"ic", "", above_1},    {"able", "", above_1}, {"ible", "", above_1}, {"ant", "", above_1},
    {"ement", "", above_1}, {"ment", "", above_1}, {"ent", "", above_1},  {"ion", "", above_1_after_st},
    {"ou", "", above_1},    {"ism", "", above_1},  {"ate", "", above_1},  {"iti", "", above_1},
    {"ous", "", above_1},   {"ive", "", above_1},  {"ize", "", above_1},  {NULL, NULL, NULL}};

static const Rule step_5b[] = {{"ll", "l", above_1_with_l}, {NULL, NULL, NULL}};

static void derivations(Stem *s)
{
    while (ends(s, "alli") && above_0(s->at, s->n - 4)) exchange(s, 4, "al");
    apply(s, step_2);
}

static void last_e(Stem *s)
{
    if (!ends(s, "e")) return;
    const int m = measure(s->at, s->n - 1);
    if (m > 1 || (m == 1 && !ends_short(s->at, s->n - 1))) s->n--;
}

/* Words that the rules would get wrong; true when it was one of them. */
static bool by_heart(Stem *s)
{
    static const char *const word[][2] = {
        {"sky", "sky"},        {"skies", "sky"},       {"dying", "die"},        {"lying", "lie"},
        {"tying", "tie"},      {"news", "news"},       {"innings", "inning"},   {"inning", "inning"},
        {"outings", "outing"}, {"outing", "outing"},   {"cannings", "canning"}, {"canning", "canning"},
        {"howe", "howe"},      {"proceed", "proceed"}, {"exceed", "exceed"},    {"succeed", "succeed"}};
    for (size_t i = 0; i < sizeof word / sizeof *word; i++) {
        if (s->n != strlen(word[i][0]) || !ends(s, word[i][0])) continue;
        exchange(s, s->n, word[i][1]);
        return true;
    }
    return false;
}

size_t porter_stem(char *word, size_t n)
{
    Stem s = {word, n};
    if (n <= 2 || by_heart(&s)) return s.n;
    plurals(&s);
    pasts(&s);
    apply(&s, step_1c);
    derivations(&s);
    apply(&s, step_3);
    apply(&s, step_4);
    last_e(&s);
    apply(&s, step_5b);
    return s.n;
}
