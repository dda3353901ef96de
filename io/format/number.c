/* number.c - numbers as short text that reads back to the same bits. */
#include "io/format/number.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static bool special(char *text, double v)
{
    if (isfinite(v)) return false;
    snprintf(text, NUMBER_SIZE, "%s", isnan(v) ? "nan" : v > 0 ? "inf" : "-inf");
    return true;
}

/* 15 digits always survive text -> double -> text, 17 always survive double -> text -> double. */
const char *number_double(char text[NUMBER_SIZE], double v)
{
    if (special(text, v)) return text;
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, NUMBER_SIZE, "%.*g", digits, v);
        if (strtod(text, NULL) == v) break;
    }
    return text;
}

const char *number_float(char text[NUMBER_SIZE], float v)
{
    if (special(text, (double)v)) return text;
    for (int digits = 6; digits <= 9; digits++) {
        snprintf(text, NUMBER_SIZE, "%.*g", digits, (double)v);
        if (strtof(text, NULL) == v) break;
    }
    return text;
}
