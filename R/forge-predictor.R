# contree_predictor() of forged forests: rows that come one by one.

#' @rdname predict.contree
#' @export
contree_predictor.forged_forest <- function(fit, type = c("response", "margin", "prob", "class",
                                                          "leaf", "contributions"), ...) {
  check_no_dots(...)
  type <- check_choice("type", type)
  forest <- fit$forest
  if (type %in% c("prob", "class")) check_has_classes(forest, type)
  code <- forged_code(fit)
  rows <- function(newdata) predict_rows(fit, newdata, type)
  if (any(lengths(forest$levels) > 0) || !is.null(forest$rest) ||
      type %in% c("leaf", "contributions")) {
    return(rows)
  }
  finish <- row_finisher(forest, type)
  may_refuse <- refuses_missing(forest)
  function(newdata) {
    if (may_refuse && anyNA(newdata)) return(rows(newdata))
    sums <- .Call(ffi_forged_row, code, newdata)
    if (is.null(sums)) {
      if (!.Call(ffi_forged_alive, code)) code <<- forged_code(fit)
      return(rows(newdata))
    }
    if (is.null(finish)) sums else finish(sums)
  }
}

# What makes an answer of the sums of one row; NULL: they are it.
row_finisher <- function(forest, type) {
  plain <- forest$link != "shares" && type == "margin" ||
    type == "response" && forest$link == "identity" && forest$average == 1
  if (plain && n_forest_outputs(forest) == 1L && !has_more(forest)) return(NULL)
  function(sums) said_by_sums(forest, matrix(sums, 1L), type)
}

# A data frame, matrix, list or vector, as as_rows() takes them; the answer of predict() unnamed.
predict_rows <- function(fit, newdata, type) {
  newdata <- as_rows(newdata, feature_names(fit$forest))
  if (is.list(newdata) && !is.data.frame(newdata)) newdata <- list_to_frame(newdata)
  answer <- stats::predict(fit, newdata, type = type)
  if (is.array(answer)) dimnames(answer)[1] <- list(NULL) else names(answer) <- NULL
  answer
}
