#!/bin/sh
# A program under ThreadSanitizer, which sees copies of structs and calls of memcpy only without the
# option ignore_noninstrumented_modules. OpenMP's runtime wants that: programs that have no threads
# of its go without.
case $1 in
  */test_batches) ;;
  *) TSAN_OPTIONS=$TSAN_OPTIONS:ignore_noninstrumented_modules=0; export TSAN_OPTIONS ;;
esac
exec "$@"
