/* clock.h - time for people and for limits; never for results. */
#ifndef COMM_CLOCK_H
#define COMM_CLOCK_H

double clock_seconds(void); /* since some moment, never going back */
double clock_epoch(void);   /* since 1970, UTC */

#endif
