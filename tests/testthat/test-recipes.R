# Packages that explain any model, by the recipes of the help pages, where they are installed.
pima <- contree(type ~ ., MASS::Pima.tr, depth = 3)
predictors <- MASS::Pima.te[names(MASS::Pima.te) != "type"]
diabetes <- MASS::Pima.te$type == "Yes"
chance <- function(model, newdata) unname(predict(model, newdata, type = "prob")[, "Yes"])

test_that("DALEX explains a tree", {
  skip_if_not_installed("DALEX")
  call <- function(name, ...) getExportedValue("DALEX", name)(...)
  explainer <- call("explain", pima, data = predictors, y = diabetes, predict_function = chance,
                    verbose = FALSE)
  expect_equal(explainer$y_hat, chance(pima, predictors))
  parts <- call("model_parts", explainer, B = 2)
  used <- contree:::used_predictors(pima)
  lost <- tapply(parts$dropout_loss, as.character(parts$variable), mean)
  unused <- setdiff(names(predictors), used)
  expect_equal(unname(lost[unused]), rep(lost[["_full_model_"]], length(unused)))
})

test_that("iml explains a tree", {
  skip_if_not_installed("iml")
  predictor <- getExportedValue("iml", "Predictor")$new(pima, data = predictors, type = "prob")
  expect_equal(predictor$predict(predictors)$Yes, chance(pima, predictors))
})

test_that("vip permutes the columns of a tree", {
  skip_if_not_installed("vip")
  found <- getExportedValue("vip", "vi_permute")(
    pima, train = data.frame(predictors, type = MASS::Pima.te$type), target = "type",
    metric = "accuracy", pred_wrapper = function(object, newdata) predict(object, newdata))
  expect_true(all(found$Importance[!found$Variable %in% contree:::used_predictors(pima)] == 0))
})

test_that("permutation importance through a prediction function, as these packages compute it", {
  errors <- function(newdata) sum((chance(pima, newdata) > 0.5) != diabetes)
  set.seed(1)
  lost <- vapply(names(predictors), function(name) {
    shuffled <- predictors
    shuffled[[name]] <- sample(shuffled[[name]])
    errors(shuffled) - errors(predictors)
  }, 0)
  used <- contree:::used_predictors(pima)
  expect_true(all(lost[!names(lost) %in% used] == 0))
  expect_gt(max(lost[used]), 0)
})

test_that("the examples of the help pages give no warnings", {
  skip_on_cran()
  skip_if(nzchar(Sys.getenv("CONTREE_QUICK")))
  pages <- tryCatch(names(tools::Rd_db("contree")), error = function(problem) NULL)
  skip_if(length(pages) == 0, "contree was installed without help")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  # other packages warn of what they do not find on a machine
  for (topic in setdiff(sub("[.]Rd$", "", pages), c("contree_caret", "contree-package"))) {
    expect_no_warning(utils::capture.output(suppressMessages(
      utils::example(topic, "contree", character.only = TRUE, echo = FALSE, ask = FALSE,
                     local = TRUE))), message = NULL)
  }
})
