/* What both kinds of certificates have in common: bytes that R owns, and what a check says. */
#ifndef CT_R_CERTIFY_H
#define CT_R_CERTIFY_H

#include "certify/rewards.h"
#include "r/callbacks.h"

/* Bytes owned by an external pointer: an R error later on leaks nothing. Protect it. */
SEXP r_bytes_handle(ct_bytes **bytes, double limit);

/* Lists for R: log, status, elapsed; and verdict, bound, ... of a check. Protect them. */
SEXP r_certificate_of(const ct_bytes *bytes, const char *end, double seconds);
SEXP r_checked(const ct_certify_result *checked, double seconds);

#endif
