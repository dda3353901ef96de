/* value.h - the words of a config as values: numbers, sizes, durations, yes and no; and back again.
 *
 * What a writer here writes, the reader here reads to the same bits. */
#ifndef IO_CONFIG_VALUE_H
#define IO_CONFIG_VALUE_H
#include <stdbool.h>
#include <stdint.h>

typedef enum ValueFault {
    VALUE_OK,
    VALUE_KIND,  /* not such a value at all */
    VALUE_HEX,   /* hexadecimal */
    VALUE_RANGE, /* too large or too small for the type */
    VALUE_WHOLE, /* a number, but not a whole one */
    VALUE_UNIT   /* a number with an unknown unit */
} ValueFault;

ValueFault value_bool(const char *text, bool *out);      /* true false yes no on off, in any of yes Yes YES */
ValueFault value_int(const char *text, int64_t *out);    /* 12, +3, 1_000, 1e3 */
ValueFault value_real(const char *text, double *out);    /* 1e-4, .5, 5., 1_000; always finite */
ValueFault value_bytes(const char *text, int64_t *out);  /* 512MiB, 4 GB, 0.5GiB, 100000 */
ValueFault value_seconds(const char *text, double *out); /* 90s, 15min, 1h30min, 1d, 250ms, 30 */

enum { VALUE_SIZE = 40 };
const char *value_write_bytes(char text[VALUE_SIZE], int64_t v);
const char *value_write_seconds(char text[VALUE_SIZE], double v);

#endif
