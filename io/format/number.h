/* number.h - numbers as short text that reads back to the same bits.
 *
 * The locale is never set in this program, so the decimal point is always a point. */
#ifndef IO_FORMAT_NUMBER_H
#define IO_FORMAT_NUMBER_H

enum { NUMBER_SIZE = 32 }; /* room for any number and the final 0 */

/* The fewest digits that strtod turns into v again; nan, inf, -inf for those. Returns text. */
const char *number_double(char text[NUMBER_SIZE], double v);
/* The same with strtof: 0.1f gives 0.1. */
const char *number_float(char text[NUMBER_SIZE], float v);

#endif
