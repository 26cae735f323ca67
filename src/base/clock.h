/* Time. */
#ifndef CT_BASE_CLOCK_H
#define CT_BASE_CLOCK_H

double ct_seconds(void); /* since some fixed moment, never running backwards */

/* For tests, of the whole process: from now on each call of ct_seconds() finds the clock `step`
 * later than the call before it, so that what ends by the clock ends by counts, on every machine
 * after the same. 0, as it is: the clock of the machine. */
void ct_clock_step(double step);

void ct_pause(void);     /* lets other threads run for some 20 microseconds */
void ct_sleep(unsigned microseconds); /* at least about so long */

#endif
