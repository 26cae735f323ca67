#!/bin/sh
# A program under ThreadSanitizer. Without ignore_noninstrumented_modules, which OpenMP's runtime wants, it sees copies of structs
# and calls of memcpy too; so do those programs that have no threads of OpenMP.
case $1 in
  */test_waves) ;;
  *) TSAN_OPTIONS=$TSAN_OPTIONS:ignore_noninstrumented_modules=0; export TSAN_OPTIONS ;;
esac
exec "$@"
