# What is registered, run as parsnip would.
parsnip_code <- "
models <- new.env()
registered <- function(model = 'decision_tree', mode = 'classification', eng = 'contree') {
  models[[paste(model, mode, eng)]]
}
note <- function(model, mode, eng, what, ...) {
  engine <- registered(model, mode, eng)
  engine[[what]] <- c(engine[[what]], list(list(...)))
}
known <- function(model, mode, eng) {
  stopifnot(paste(model, mode, eng) %in%
              c('decision_tree classification contree', 'decision_tree regression contree',
                'decision_tree regression gmt', 'rand_forest classification contree',
                'rand_forest regression contree', 'rand_forest censored regression contree',
                'rand_forest quantile regression contree'))
}
set_model_mode <- function(model, mode) {
  stopifnot(model == 'rand_forest', mode %in% c('censored regression', 'quantile regression'))
}
matrix_to_quantile_pred <- function(x, object) {
  stopifnot(is.matrix(x), ncol(x) == length(object$spec$quantile_levels))
  data.frame(.pred_quantile = I(x))
}
set_model_engine <- function(model, mode, eng) {
  known(model, mode, eng)
  stopifnot(is.null(registered(model, mode, eng)))
  models[[paste(model, mode, eng)]] <- new.env()
}
set_dependency <- function(model, eng, pkg = 'parsnip', mode = NULL) {
  known(model, mode, eng)
  note(model, mode, eng, 'pkg', pkg)
}
# of all modes that there are so far
set_model_arg <- function(model, eng, parsnip, original, func, has_submodel) {
  stopifnot(names(func) == c('pkg', 'fun'), is.logical(has_submodel),
            any(startsWith(ls(models), model)))
  of_engine <- grep(paste0('^', model, ' .* ', eng, '$'), ls(models), value = TRUE)
  for (name in of_engine) models[[name]]$arg[[parsnip]] <- original
}
set_fit <- function(model, mode, eng, value) {
  known(model, mode, eng)
  stopifnot(setequal(names(value), c('interface', 'protect', 'func', 'defaults')))
  assign('fit', value, registered(model, mode, eng))
}
set_encoding <- function(model, mode, eng, options) {
  known(model, mode, eng)
  stopifnot(setequal(names(options), c('predictor_indicators', 'compute_intercept',
                                       'remove_intercept', 'allow_sparse_x')))
}
set_pred <- function(model, mode, eng, type, value) {
  known(model, mode, eng)
  stopifnot(setequal(names(value), c('pre', 'post', 'func', 'args')),
            type %in% c(switch(mode, regression = 'numeric', classification = c('class', 'prob'),
                               'censored regression' = c('time', 'survival'),
                               'quantile regression' = 'quantile'), 'raw'))
  assign(type, value, registered(model, mode, eng))
}
fit <- function(formula, data, case_weights = NULL, ..., model = 'decision_tree',
                mode = 'classification', eng = 'contree') {
  known <- registered(model, mode, eng)
  environment(formula) <- list2env(list(data = data, weights = case_weights),
                                   parent = environment(formula))
  call <- as.call(c(call('::', as.name(known$fit$func[['pkg']]), as.name(known$fit$func[['fun']])),
                    list(formula = formula, data = quote(data), weights = quote(weights)),
                    utils::modifyList(known$fit$defaults, list(...))))
  list(fit = eval(call, list2env(list(data = data, weights = case_weights))), known = known,
       spec = list(quantile_levels = c(0.25, 0.75)))
}
answer <- function(object, new_data, type, eval_time = NULL) {
  value <- object$known[[type]]
  x <- eval(as.call(c(as.name(value$func[['fun']]), value$args)))
  if (is.null(value$post)) x else value$post(x, object)
}"

beside_parsnip <- function(code) {
  skip_on_cran()
  skip_if(requireNamespace("parsnip", quietly = TRUE), "parsnip is here itself")
  run_beside(stand_in("parsnip", parsnip_code), "parsnip", code)
}

test_that("the engine is registered, before and after contree is loaded, and its calls work", {
  said <- beside_parsnip(c(
    "arg <- unlist(parsnip::registered()$arg)",
    "say(paste(names(arg), arg, sep = '='))",
    "w <- rep(c(1, 3), 75)",
    "gaps <- transform(iris, Petal.Width = replace(Petal.Width, 1:60, NA))",
    "object <- parsnip::fit(Species ~ ., gaps, w, depth = 2, cp = 0.001)",
    "own <- contree(Species ~ ., gaps, weights = w, depth = 2, cp = 0.001)",
    "say(object$fit$threads, identical(object$fit$frame, own$frame),",
    "    object.size(object$fit) < 5e5)",
    "class <- parsnip::answer(object, iris, 'class')",
    "say(identical(class, unname(predict(own, iris))))",
    "prob <- parsnip::answer(object, iris, 'prob')",
    "expected <- predict(own, iris, type = 'prob')",
    "same <- all.equal(as.matrix(prob), expected, check.attributes = FALSE)",
    "say(class(prob), names(prob), isTRUE(same))",
    "say(identical(parsnip::answer(object, iris, 'raw'), predict(own, iris)))",
    "object <- parsnip::fit(mpg ~ ., mtcars, depth = 2, cp = 0.01, mode = 'regression')",
    "own <- contree(mpg ~ ., mtcars, depth = 2, cp = 0.01)",
    "say(identical(parsnip::answer(object, mtcars, 'numeric'), unname(predict(own, mtcars))))"))
  expected <- c("tree_depth=depth min_n=min_n cost_complexity=cp", "1 TRUE TRUE", "TRUE",
                "data.frame setosa versicolor virginica TRUE", "TRUE", "TRUE", "end")
  expect_said(said, expected)
})

test_that("the engine of forests is registered, for classes and numbers, and its calls work", {
  said <- beside_parsnip(c(
    "arg <- unlist(parsnip::registered('rand_forest', 'regression')$arg)",
    "say(paste(names(arg), arg, sep = '='))",
    "w <- rep(c(1, 3), 75)",
    "object <- parsnip::fit(Species ~ ., iris, w, trees = 7, seed = 2, mtry = 3,",
    "                       model = 'rand_forest')",
    "own <- hist_forest(Species ~ ., iris, weights = w, trees = 7, seed = 2, mtry = 3)",
    "say(identical(object$fit$forest, own$forest))",
    "say(identical(parsnip::answer(object, iris, 'class'), unname(predict(own, iris))))",
    "prob <- parsnip::answer(object, iris, 'prob')",
    "expected <- predict(own, iris, type = 'prob')",
    "say(class(prob), isTRUE(all.equal(as.matrix(prob), expected, check.attributes = FALSE)))",
    "object <- parsnip::fit(mpg ~ ., mtcars, trees = 7, seed = 2, min_n = 3,",
    "                       model = 'rand_forest', mode = 'regression')",
    "own <- hist_forest(mpg ~ ., mtcars, trees = 7, seed = 2, min_n = 3)",
    "say(identical(parsnip::answer(object, mtcars, 'numeric'), unname(predict(own, mtcars))))",
    "say(identical(parsnip::answer(object, mtcars, 'raw'), predict(own, mtcars)))"))
  expected <- c("mtry=mtry trees=trees min_n=min_n", "TRUE", "TRUE", "data.frame TRUE", "TRUE",
                "TRUE", "end")
  expect_said(said, expected)
})

test_that("forests have engines for quantiles and survival", {
  skip_if_not_installed("survival")
  said <- beside_parsnip(c(
    "forest <- function(...) parsnip::fit(..., trees = 9, seed = 2, model = 'rand_forest')",
    "object <- forest(mpg ~ ., mtcars, mode = 'quantile regression')",
    "own <- hist_forest(mpg ~ ., mtcars, trees = 9, seed = 2, quantiles = TRUE)",
    "told <- parsnip::answer(object, mtcars, 'quantile')$.pred_quantile",
    "own <- predict(own, mtcars, type = 'quantiles', quantiles = c(0.25, 0.75))",
    "say(identical(unclass(told), unname(own)))",
    "f <- survival::Surv(time, status) ~ age + sex",
    "object <- forest(f, survival::lung, mode = 'censored regression')",
    "own <- hist_forest(f, survival::lung, trees = 9, seed = 2)",
    "told <- parsnip::answer(object, survival::lung[1:3, ], 'survival', c(100, 300))",
    "own <- predict(own, survival::lung[1:3, ], type = 'survival', times = c(100, 300))",
    "say(class(told)[1], names(told), names(told$.pred[[1]]), told$.pred[[2]]$.eval_time,",
    "    isTRUE(all.equal(told$.pred[[2]]$.pred_survival, unname(own[2, ]))))",
    "say(length(parsnip::answer(object, survival::lung[1:3, ], 'time')))"))
  expected <- c("TRUE", "tbl_df .pred .eval_time .pred_survival 100 300 TRUE", "3", "end")
  expect_said(said, expected)
})

test_that("the engine of model trees is registered, and its calls work", {
  said <- beside_parsnip(c(
    "arg <- unlist(parsnip::registered('decision_tree', 'regression', 'gmt')$arg)",
    "say(paste(names(arg), arg, sep = '='))",
    "w <- rep(c(1, 3), 16)",
    "object <- parsnip::fit(mpg ~ ., mtcars, w, seed = 2, depth = 2, mode = 'regression',",
    "                       eng = 'gmt')",
    "own <- gmt(mpg ~ ., mtcars, weights = w, seed = 2, depth = 2)",
    "say(identical(coef(object$fit), coef(own)))",
    "say(identical(parsnip::answer(object, mtcars, 'numeric'), unname(predict(own, mtcars))))",
    "say(identical(parsnip::answer(object, mtcars, 'raw'), predict(own, mtcars)))"))
  expected <- c("tree_depth=depth min_n=min_n", "TRUE", "TRUE", "TRUE", "end")
  expect_said(said, expected)
})

test_that("parsnip grows forests", {
  skip_if_not_installed("parsnip")
  forest <- parsnip::set_engine(parsnip::rand_forest("regression", trees = 9, min_n = 3), "contree",
                                seed = 4)
  object <- generics::fit(forest, mpg ~ ., data = mtcars)
  own <- hist_forest(mpg ~ ., mtcars, trees = 9, min_n = 3, seed = 4)
  expect_identical(predict(object, mtcars)$.pred, unname(predict(own, mtcars)))
})

test_that("parsnip fits and predicts", {
  skip_if_not_installed("parsnip")
  tree <- parsnip::set_engine(parsnip::decision_tree("classification", tree_depth = 2, min_n = 5),
                              "contree")
  gaps <- transform(iris, Petal.Width = replace(Petal.Width, 1:60, NA))
  object <- generics::fit(tree, Species ~ ., data = gaps)
  own <- contree(Species ~ ., gaps, depth = 2, min_n = 5)
  fit <- parsnip::extract_fit_engine(object)
  expect_identical(fit$frame, own$frame)
  expect_identical(fit$threads, 1L)
  expect_identical(predict(object, iris)$.pred_class, unname(predict(own, iris)))
  expect_equal(as.matrix(predict(object, iris, type = "prob")), predict(own, iris, type = "prob"),
               ignore_attr = TRUE)
})

test_that("arguments that come as quosures stand in the call as they were written", {
  quosure <- function(formula) structure(formula, class = c("quosure", "formula"))
  call <- call("contree", formula = Species ~ ., data = quote(data), depth = quosure(~2),
               minsplit = quosure(~2 * k))
  expect_identical(as.list(contree:::small_call(call))[c("depth", "minsplit")],
                   list(depth = 2, minsplit = quote(2 * k)))
})

test_that("vip finds the importance of the columns", {
  vi <- contree:::vi_model.contree_model(iris2)
  expect_s3_class(vi, c("vi", "data.frame"))
  expect_identical(vi$Variable, names(iris2$variable.importance))
  expect_identical(vi$Importance, unname(iris2$variable.importance))
  expect_identical(nrow(contree:::vi_model.contree_model(contree(Species ~ ., iris, depth = 0))),
                   0L)
  skip_if_not_installed("vip")
  # not a package of CRAN, so that it cannot be suggested
  expect_setequal(getExportedValue("vip", "vi")(iris2)$Variable, names(iris2$variable.importance))
})
