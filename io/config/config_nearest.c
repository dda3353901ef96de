/* config_nearest.c - which name did the user mean? */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "io/config/config.h"

enum { LONGEST = 64, NAMES_MOST = 32 };

static int least(int a, int b, int c)
{
    const int ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* Edits to turn a into b: insert, delete, replace, exchange neighbours (Damerau-Levenshtein in its form without edits
 * inside an exchange), in three rows of the table. Upper and lower case are one. */
static int distance(const char *a, int n, const char *b, int m)
{
    int rows[3][LONGEST + 1];
    int *before = rows[0], *above = rows[1], *row = rows[2];
    for (int j = 0; j <= m; j++) above[j] = j;
    for (int i = 1; i <= n; i++) {
        row[0] = i;
        for (int j = 1; j <= m; j++) {
            const int ca = tolower((unsigned char)a[i - 1]), cb = tolower((unsigned char)b[j - 1]);
            row[j] = least(above[j] + 1, row[j - 1] + 1, above[j - 1] + (ca != cb));
            const bool exchanged =
                i > 1 && j > 1 && ca == tolower((unsigned char)b[j - 2]) && cb == tolower((unsigned char)a[i - 2]);
            if (exchanged && before[j - 2] + 1 < row[j]) row[j] = before[j - 2] + 1;
        }
        int *const oldest = before;
        before = above;
        above = row;
        row = oldest;
    }
    return above[m];
}

const char *config_nearest(const char *text, const char *const *names, int n)
{
    const size_t size = strlen(text);
    if (size == 0 || size > LONGEST) return NULL;
    const char *best = NULL, *begun = NULL;
    int best_distance = LONGEST;
    for (int i = 0; i < n; i++) {
        const size_t other = strlen(names[i]);
        if (other == 0 || other > LONGEST) continue;
        const size_t shorter = size < other ? size : other, longer = size < other ? other : size;
        if (!begun && shorter >= 3 && strncmp(text, names[i], shorter) == 0) begun = names[i];
        const int d = distance(text, (int)size, names[i], (int)other);
        const bool near = d <= (int)(longer + 2) / 3 && d < (int)shorter; /* one edit in three letters */
        if (near && d < best_distance) {
            best = names[i];
            best_distance = d;
        }
    }
    return best ? best : begun;
}

bool config_lists(const char *(*list)(int i), const char *name)
{
    for (int i = 0; list(i); i++)
        if (strcmp(list(i), name) == 0) return true;
    return false;
}

const char *config_hint(char out[CONFIG_HINT], const char *text, const char *(*list)(int i))
{
    const char *names[NAMES_MOST];
    int n = 0;
    for (; n < NAMES_MOST && list(n); n++) names[n] = list(n);
    const char *near = config_nearest(text, names, n);
    int at = near ? snprintf(out, CONFIG_HINT, "; did you mean %s?", near) : snprintf(out, CONFIG_HINT, "; there are");
    for (int i = 0; !near && i < n && at < CONFIG_HINT; i++)
        at += snprintf(out + at, (size_t)(CONFIG_HINT - at), "%s %s", i ? "," : "", names[i]);
    return out;
}
