/* Seconds since some fixed moment, never running backwards. */
#ifndef CT_CORE_CLOCK_H
#define CT_CORE_CLOCK_H

double ct_seconds(void);

#endif
