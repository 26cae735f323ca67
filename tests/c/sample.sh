#!/bin/sh
# A sample of faults made by rule: sh sample.sh SRC FILE N SEED [ROOM...]
#
# Writes N records into FILE, of all rooms of the library or of those named (exact/search), with the
# tests that should find them: those of the room, first what finds most. What the portable build
# does not have is left out: instruction sets, kernels of CUDA.
here=`cd "\`dirname "$0"\`" && pwd`
src=$1 file=$2 n=$3 seed=$4
shift 4
tests='
 base/ = test_parallel, test_rng, test_memory, test_kernels, test_search, test_forest;
 data/ = test_sort, test_search, test_costs, test_certify, test_limits, test_forest;
 tree/ = test_route, test_predict, test_edges, test_forest;
 exact/ = test_search, test_costs, test_regression, test_bounds, test_kernels, test_incumbent,
  test_team, test_leaves, test_parts, test_cache, test_limits, test_instances, test_certify,
  test_memory;
 exact/offload/ = test_offload, test_batches, test_device;
 certify/ = test_certify, test_certify_response, test_policy;
 policy/ = test_policy, test_memory;
 evolve/ = test_evolve, test_gmt, test_optimum, test_leave_one_out, test_evolve_device;
 evolve/offload/ = test_evolve_device;
 forest/ = test_scan, test_forest, test_forest_sets, test_forest_wide;
 forest/offload/ = test_forest_walk, test_forest_grow;
 pixels/ = test_image;
 forge/ = test_forge, test_shap, test_protobuf;
 forge/offload/ = test_forge_device, test_schedule_device;
 forge/schedule/ = test_schedule, test_schedule_text, test_schedule_device'
for room in ${*:-base data tree exact certify policy evolve forest pixels forge}; do
  find "$src/$room" -name '*.[ch]'
done | grep -Ev '_(avx2|avx512|neon|stub|x86)[.]' | sort |
  xargs awk -v root="$src/" -v n="$n" -v seed="$seed" -v killers="`echo $tests | sed 's/ = /=/g'`" \
    -f "$here/../sample_mutants.awk" > "$file"
