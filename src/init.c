/* The table of .Call entries, which R asks for when the package is loaded. */
#define R_NO_REMAP
#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>
#include <Rinternals.h>

SEXP ffi_exact_solve(SEXP columns, SEXP y, SEXP n_classes, SEXP control);
SEXP ffi_set_new(SEXP columns, SEXP y, SEXP n_classes, SEXP control, SEXP groups);
SEXP ffi_set_alive(SEXP pointer);
SEXP ffi_set_about(SEXP pointer);
SEXP ffi_set_tree(SEXP pointer, SEXP number);
SEXP ffi_set_draw(SEXP pointer, SEXP n);
SEXP ffi_set_ranges(SEXP pointer, SEXP columns);
SEXP ffi_set_without(SEXP pointer);
SEXP ffi_set_best(SEXP pointer, SEXP columns, SEXP gain, SEXP goal, SEXP per_leaf, SEXP exchanged,
                  SEXP sparing, SEXP with_tree);
SEXP ffi_set_certify(SEXP pointer, SEXP columns, SEXP y, SEXP n_classes, SEXP control, SEXP groups,
                     SEXP labels, SEXP n_splits, SEXP within);
SEXP ffi_coded_sides(SEXP codes, SEXP n_levels, SEXP where, SEXP nodes, SEXP repeats);
SEXP ffi_any_infinite(SEXP values);
SEXP ffi_trim(void);
SEXP ffi_data_hash(SEXP columns, SEXP y, SEXP n_classes, SEXP control);
SEXP ffi_column_hashes(SEXP columns);
SEXP ffi_part_keep(void);
SEXP ffi_part_forget(SEXP owner);
SEXP ffi_seconds(void);
SEXP ffi_processor_seconds(void);
SEXP ffi_count_time(SEXP step, SEXP rows);
SEXP ffi_cost_grain(SEXP columns, SEXP y, SEXP n_classes, SEXP control);
SEXP ffi_sum_products(SEXP x, SEXP y);
SEXP ffi_complexities(SEXP errors, SEXP splits, SEXP unit, SEXP weights, SEXP n);
SEXP ffi_certificate(SEXP columns, SEXP y, SEXP n_classes, SEXP control, SEXP bound, SEXP labels,
                     SEXP n_splits, SEXP limit);
SEXP ffi_certify(SEXP columns, SEXP y, SEXP n_classes, SEXP control, SEXP labels, SEXP n_splits,
                 SEXP certificate);
SEXP ffi_tree_route(SEXP feature, SEXP threshold, SEXP left, SEXP right, SEXP default_left,
                    SEXP levels_left, SEXP values, SEXP columns, SEXP threads);
SEXP ffi_other_than_numbers(SEXP frame);
SEXP ffi_places(SEXP names, SEXP table);
SEXP ffi_distinct(SEXP texts);
SEXP ffi_is_plain(SEXP x, SEXP type, SEXP n);
SEXP ffi_is_amounts(SEXP x, SEXP n, SEXP low, SEXP high);
SEXP ffi_list_arguments(SEXP call);
SEXP ffi_hist_criteria(SEXP is_classes);
SEXP ffi_concordance(SEXP survival, SEXP ranks);
SEXP ffi_hist_curves(SEXP forest, SEXP columns, SEXP asked, SEXP threads);
SEXP ffi_hist_grow(SEXP columns, SEXP y, SEXP n_classes, SEXP control);
SEXP ffi_hist_members(SEXP forest, SEXP columns, SEXP asked, SEXP threads);
SEXP ffi_hist_predict(SEXP forest, SEXP columns, SEXP what, SEXP threads, SEXP device);
SEXP ffi_hist_sample(SEXP control, SEXP number);
SEXP ffi_hist_shuffle(SEXP control);
SEXP ffi_hist_tree(SEXP forest, SEXP number);
SEXP ffi_image_grow(SEXP images, SEXP labels, SEXP n_classes, SEXP control);
SEXP ffi_image_predict(SEXP forest, SEXP images, SEXP what, SEXP control);
SEXP ffi_image_draw(SEXP control);
SEXP ffi_image_filter(SEXP channel, SEXP rows, SEXP columns, SEXP threads);
SEXP ffi_policy_solve(SEXP columns, SEXP rewards, SEXP control);
SEXP ffi_policy_certificate(SEXP columns, SEXP rewards, SEXP control, SEXP bound, SEXP slack,
                            SEXP limit);
SEXP ffi_policy_certify(SEXP columns, SEXP rewards, SEXP control, SEXP actions, SEXP n_splits,
                        SEXP certificate);
SEXP ffi_gmt_fit(SEXP columns, SEXP y, SEXP weights, SEXP control);
SEXP ffi_gmt_loo(SEXP x, SEXP y, SEXP weights, SEXP where, SEXP counted, SEXP nodes, SEXP ridge,
                 SEXP smoothing);
SEXP ffi_gmt_shrink(SEXP nodes, SEXP ridge, SEXP smoothing, SEXP weight);
SEXP ffi_forest_predict(SEXP nodes, SEXP leaf, SEXP columns, SEXP threads);
SEXP ffi_ensemble_check(SEXP ensemble);
SEXP ffi_forge(SEXP ensemble);
SEXP ffi_forged_alive(SEXP pointer);
SEXP ffi_forged_info(SEXP pointer);
SEXP ffi_protobuf(SEXP message);
SEXP ffi_protobuf_packed(SEXP bytes, SEXP wire);
SEXP ffi_schedule_read(SEXP text);
SEXP ffi_schedule_rules(void);
SEXP ffi_schedule_predict(SEXP pointer, SEXP text, SEXP any_order, SEXP columns, SEXP threads,
                          SEXP simd);
SEXP ffi_schedule_show(SEXP pointer, SEXP text, SEXP any_order, SEXP what, SEXP name);
SEXP ffi_forged_device_pays(SEXP pointer, SEXP n_rows, SEXP threads);
SEXP ffi_forged_device_predict(SEXP pointer, SEXP text, SEXP any_order, SEXP columns, SEXP threads,
                               SEXP number);
SEXP ffi_forged_device_time(SEXP pointer, SEXP text, SEXP any_order, SEXP columns, SEXP threads,
                            SEXP number, SEXP seconds);
SEXP ffi_forged_row(SEXP pointer, SEXP row);
SEXP ffi_forged_interactions(SEXP pointer, SEXP columns, SEXP background, SEXP threads, SEXP simd);
SEXP ffi_forged_shap(SEXP pointer, SEXP columns, SEXP background, SEXP threads, SEXP simd);
SEXP ffi_forged_predict(SEXP pointer, SEXP columns, SEXP leaves, SEXP threads, SEXP way, SEXP simd);
SEXP ffi_numbers(SEXP text);
SEXP ffi_floats(SEXP numbers);
SEXP ffi_float_logit(SEXP p);
SEXP ffi_float_log(SEXP p);
SEXP ffi_info(void);
SEXP ffi_processors(void);
SEXP ffi_threads_limited(void);
SEXP ffi_is_forked(SEXP);
SEXP ffi_gpu_info(void);

#define ENTRY(name, n_arguments) {#name, (DL_FUNC) (void (*)(void)) &name, n_arguments}

static const R_CallMethodDef calls[] = {
    ENTRY(ffi_exact_solve, 4),
    ENTRY(ffi_seconds, 0),
    ENTRY(ffi_processor_seconds, 0),
    ENTRY(ffi_count_time, 2),
    ENTRY(ffi_cost_grain, 4),
    ENTRY(ffi_complexities, 5),
    ENTRY(ffi_sum_products, 2),
    ENTRY(ffi_data_hash, 4),
    ENTRY(ffi_column_hashes, 1),
    ENTRY(ffi_set_new, 5),
    ENTRY(ffi_set_alive, 1),
    ENTRY(ffi_set_about, 1),
    ENTRY(ffi_set_tree, 2),
    ENTRY(ffi_set_draw, 2),
    ENTRY(ffi_set_ranges, 2),
    ENTRY(ffi_set_without, 1),
    ENTRY(ffi_set_best, 8),
    ENTRY(ffi_set_certify, 9),
    ENTRY(ffi_coded_sides, 5),
    ENTRY(ffi_any_infinite, 1),
    ENTRY(ffi_trim, 0),
    ENTRY(ffi_part_keep, 0),
    ENTRY(ffi_part_forget, 1),
    ENTRY(ffi_certificate, 8),
    ENTRY(ffi_certify, 7),
    ENTRY(ffi_tree_route, 9),
    ENTRY(ffi_other_than_numbers, 1),
    ENTRY(ffi_places, 2),
    ENTRY(ffi_distinct, 1),
    ENTRY(ffi_is_plain, 3),
    ENTRY(ffi_is_amounts, 4),
    ENTRY(ffi_list_arguments, 1),
    ENTRY(ffi_hist_criteria, 1),
    ENTRY(ffi_concordance, 2),
    ENTRY(ffi_hist_curves, 4),
    ENTRY(ffi_hist_grow, 4),
    ENTRY(ffi_hist_members, 4),
    ENTRY(ffi_hist_predict, 5),
    ENTRY(ffi_hist_sample, 2),
    ENTRY(ffi_hist_shuffle, 1),
    ENTRY(ffi_hist_tree, 2),
    ENTRY(ffi_image_grow, 4),
    ENTRY(ffi_image_predict, 4),
    ENTRY(ffi_image_draw, 1),
    ENTRY(ffi_image_filter, 4),
    ENTRY(ffi_policy_solve, 3),
    ENTRY(ffi_policy_certificate, 6),
    ENTRY(ffi_policy_certify, 6),
    ENTRY(ffi_gmt_fit, 4),
    ENTRY(ffi_gmt_loo, 8),
    ENTRY(ffi_gmt_shrink, 4),
    ENTRY(ffi_forest_predict, 4),
    ENTRY(ffi_ensemble_check, 1),
    ENTRY(ffi_forge, 1),
    ENTRY(ffi_forged_alive, 1),
    ENTRY(ffi_forged_info, 1),
    ENTRY(ffi_forged_predict, 6),
    ENTRY(ffi_protobuf, 1),
    ENTRY(ffi_protobuf_packed, 2),
    ENTRY(ffi_forged_device_pays, 3),
    ENTRY(ffi_forged_device_predict, 6),
    ENTRY(ffi_forged_device_time, 7),
    ENTRY(ffi_forged_row, 2),
    ENTRY(ffi_schedule_read, 1),
    ENTRY(ffi_schedule_rules, 0),
    ENTRY(ffi_schedule_predict, 6),
    ENTRY(ffi_schedule_show, 5),
    ENTRY(ffi_forged_interactions, 5),
    ENTRY(ffi_forged_shap, 5),
    ENTRY(ffi_numbers, 1),
    ENTRY(ffi_floats, 1),
    ENTRY(ffi_float_logit, 1),
    ENTRY(ffi_float_log, 1),
    ENTRY(ffi_info, 0),
    ENTRY(ffi_processors, 0),
    ENTRY(ffi_threads_limited, 0),
    ENTRY(ffi_is_forked, 1),
    ENTRY(ffi_gpu_info, 0),
    {NULL, NULL, 0},
};

attribute_visible void R_init_contree(DllInfo *dll)
{
    R_registerRoutines(dll, NULL, calls, NULL, NULL);
    R_useDynamicSymbols(dll, FALSE);
    R_forceSymbols(dll, TRUE);
}
