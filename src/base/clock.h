/* Time. */
#ifndef CT_BASE_CLOCK_H
#define CT_BASE_CLOCK_H

double ct_seconds(void); /* since some fixed moment, never running backwards */
void ct_pause(void);     /* lets other threads run for some 20 microseconds */
void ct_sleep(unsigned microseconds); /* at least about so long */

#endif
