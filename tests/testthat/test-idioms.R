# contree used as people use trees: ten habits, each written as its user would write it, without
# regard to what contree has of its own. What can be said in the words of another package is run
# with that package as well.

# A device that takes plots and keeps none, until the calling function ends.
fresh_device <- function() {
  grDevices::pdf(NULL)
  do.call(on.exit, list(bquote(grDevices::dev.off(.(grDevices::dev.cur()))), add = TRUE),
          envir = parent.frame())
}

test_that("1. the rpart user changes the name of the function", {
  skip_if_not_installed("rpart")
  fresh_device()
  habit <- function(rpart) {
    kyphosis <- rpart::kyphosis
    fit <- rpart(Kyphosis ~ Age + Number + Start, data = kyphosis, subset = Age > 5, maxdepth = 3,
                 minsplit = 10, cp = 0.01)
    plot(fit, uniform = TRUE, margin = 0.1, main = "Kyphosis")
    text(fit, use.n = TRUE, all = TRUE, cex = 0.8)
    class <- predict(fit, kyphosis, type = "class")
    prob <- predict(fit, kyphosis, type = "prob")
    printed <- capture.output(print(fit, digits = 3))
    list(class = class, prob = prob, table = table(kyphosis$Kyphosis, class), leaf = fit$where,
         leaves = sum(fit$frame$var == "<leaf>"),
         used = unique(fit$frame$var[fit$frame$var != "<leaf>"]),
         pruned = nrow(prune(fit, cp = 0.99)$frame), root = printed[grep("^ *1) root", printed)],
         importance = names(fit$variable.importance), terms = class(fit$terms),
         residuals = as.numeric(residuals(fit)))
  }
  theirs <- habit(rpart::rpart)
  ours <- habit(contree)
  expect_identical(lapply(ours, class), lapply(theirs, class))
  shape <- function(x) list(names(x), levels(x), dimnames(x))
  expect_identical(lapply(ours[c("class", "prob", "table", "leaf")], shape),
                   lapply(theirs[c("class", "prob", "table", "leaf")], shape))
  expect_identical(ours[c("pruned", "root")], theirs[c("pruned", "root")])
  expect_lte(sum(ours$class != rpart::kyphosis$Kyphosis),
             sum(theirs$class != rpart::kyphosis$Kyphosis))
})

test_that("2. the partykit user takes a tree apart", {
  skip_if_not_installed("partykit")
  fresh_device()
  habit <- function(fit) {
    party <- partykit::as.party(fit)
    plot(party)
    leaves <- partykit::nodeids(party, terminal = TRUE)
    rules <- getFromNamespace(".list.rules.party", "partykit")(party)
    node <- predict(party, iris, type = "node")
    sizes <- table(node)
    list(leaves = length(leaves), width = partykit::width(party), rules = length(rules),
         selected = all(vapply(names(rules), function(leaf) {
           all(with(iris, eval(str2lang(rules[[leaf]]))) == (node == as.integer(leaf)))
         }, NA)),
         majority = unlist(partykit::nodeapply(party, leaves,
                                               function(n) partykit::info_node(n)$none)),
         sizes = sum(sizes), prob = dim(predict(party, iris[1:3, ], type = "prob")))
  }
  skip_if_not_installed("rpart")
  expect_identical(habit(contree(Species ~ ., iris, depth = 2)),
                   habit(rpart::rpart(Species ~ ., iris)))
})

test_that("3. the caret user tunes, compares and judges", {
  skip_if_not_installed("caret")
  skip_if_not_installed("rpart")
  set.seed(1)
  inside <- caret::createDataPartition(iris$Species, p = 0.7, list = FALSE)
  control <- caret::trainControl(method = "cv", number = 3, classProbs = TRUE)
  fits <- lapply(list(contree = contree_caret(), rpart = "rpart"), function(method) {
    set.seed(2)
    caret::train(Species ~ ., data = iris[inside, ], method = method, trControl = control,
                 tuneLength = 2)
  })
  expect_s3_class(summary(caret::resamples(fits)), "summary.resamples")
  judged <- caret::confusionMatrix(predict(fits$contree, iris[-inside, ]), iris$Species[-inside])
  expect_gt(judged$overall[["Accuracy"]], 0.85)
})

test_that("4. the tidy user fits by group", {
  skip_if_not_installed("dplyr")
  skip_if_not_installed("generics")
  cars <- dplyr::group_by(transform(mtcars, am = factor(am)), vs)
  glances <- dplyr::group_modify(
    cars, function(rows, key) generics::glance(contree(am ~ mpg + wt + hp, rows, depth = 1)))
  expect_identical(as.integer(glances$nobs), as.integer(table(mtcars$vs)))
  expect_s3_class(glances, "grouped_df")
  rows <- dplyr::group_modify(
    cars, function(rows, key) generics::augment(contree(am ~ mpg + wt, rows, depth = 1), rows))
  wrong <- dplyr::summarise(rows, errors = sum(.pred_class != am))
  fits <- lapply(split(mtcars, mtcars$vs),
                 function(rows) contree(factor(am) ~ mpg + wt, rows, depth = 1))
  expect_equal(wrong$errors, unname(vapply(fits, `[[`, 0, "objective")))
  tidied <- do.call(rbind, lapply(fits, generics::tidy))
  expect_true(all(c("rule", "class", "n") %in% names(tidied)))
})

test_that("5. a knitr report is the same every time, and has nothing in it that nobody asked for", {
  skip_if_not_installed("knitr")
  report <- c("```{r, echo = FALSE}", "fit <- contree(Species ~ ., iris, depth = 3)", "fit",
              "summary(fit)", "```",
              "```{r, echo = FALSE}", "knitr::kable(contree_rules(fit))", "plot(fit)", "```",
              "The tree makes `r fit$objective` error.")
  folder <- tempfile("report")
  dir.create(folder)
  old <- setwd(folder)
  on.exit(setwd(old))
  knit <- function() knitr::knit(text = report, quiet = TRUE, envir = new.env(parent = globalenv()))
  once <- knit()
  expect_identical(knit(), once)
  expect_match(once, "proven optimal")
  expect_match(once, "\\|:---")
  expect_match(once, "The tree makes 1 error.", fixed = TRUE)
  expect_false(grepl("Warning|Error in|thresholds", once))
  expect_length(list.files("figure"), 1)
})

test_that("6. an app fits anew whenever an input changes", {
  server <- function(input, session) {
    data <- function() iris[iris$Species %in% input$classes, ]
    fit <- function() {
      if (length(input$classes) < 2) stop(structure(class = c("validation", "error", "condition"),
                                                    list(message = "Choose two classes",
                                                         call = NULL)))
      contree(reformulate(input$variables, "Species"), droplevels(data()), depth = input$depth)
    }
    plotted <- function(file) {
      grDevices::png(file, input$width, 400)
      on.exit(grDevices::dev.off())
      plot(fit(), main = input$title)
    }
    list(rules = function() contree_rules(fit()), plot = plotted)
  }
  input <- list2env(list(classes = levels(iris$Species), variables = names(iris)[3:4], depth = 2,
                         width = 600, title = "Irises"))
  output <- server(input)
  expect_identical(nrow(output$rules()), sum(iris2$frame$var == "<leaf>"))
  file <- tempfile(fileext = ".png")
  output$plot(file)
  expect_gt(file.size(file), 3000)
  input$classes <- c("versicolor", "virginica")
  input$depth <- 1
  expect_identical(levels(output$rules()$class), input$classes)
  input$classes <- "setosa"
  expect_error(output$rules(), class = "validation")
})

test_that("7. a batch job reads, fits, writes, and says nothing", {
  skip_on_cran()
  folder <- tempfile("batch")
  dir.create(folder)
  utils::write.csv(iris, file.path(folder, "in.csv"), row.names = FALSE)
  script <- file.path(folder, "job.R")
  writeLines(c(
    sprintf(".libPaths(%s)", deparse1(.libPaths())),
    "arguments <- commandArgs(trailingOnly = TRUE)",
    "suppressPackageStartupMessages(library(contree))",
    "data <- read.csv('in.csv', stringsAsFactors = TRUE)",
    "fit <- contree(Species ~ ., data, depth = as.integer(arguments[1]), time_limit = 60)",
    "write.csv(data.frame(data, class = predict(fit)), 'out.csv', row.names = FALSE)",
    "pdf('tree.pdf')", "plot(fit)",
    "invisible(dev.off())", "writeLines(as_sql(fit), 'tree.sql')",
    "quit(status = if (fit$status == 'optimal') 0 else 3)"), script)
  old <- setwd(folder)
  on.exit(setwd(old))
  said <- system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", "job.R", "2"), stdout = TRUE,
                  stderr = TRUE)
  expect_null(attr(said, "status"))
  expect_identical(as.character(said), character())
  expect_identical(utils::read.csv("out.csv")$class,
                   as.character(predict(contree(Species ~ ., iris, depth = 2))))
  expect_true(all(file.size(c("tree.pdf", "tree.sql")) > 100))
})

test_that("8. folds run side by side under future", {
  skip_on_cran()
  skip_if_not_installed("future")
  old <- future::plan("multisession", workers = 2)
  on.exit(future::plan(old))
  set.seed(3)
  fold <- sample(rep(1:4, length.out = 150))
  errors <- function(k) {
    fit <- contree(Species ~ ., iris, subset = fold != k, depth = 2, threads = 1)
    sum(predict(fit, iris[fold == k, ]) != iris$Species[fold == k])
  }
  beside <- lapply(1:4, function(k) future::future(errors(k), packages = "contree",
                                                   globals = c("errors", "fold", "k")))
  expect_identical(vapply(beside, future::value, 0L), vapply(1:4, errors, 0L))
  set.seed(4)
  here <- contree_cv(Species ~ ., iris, depth = 1:2, folds = fold)
  expect_identical(as.data.frame(here), as.data.frame(suppressWarnings(local({
    future::plan("sequential")
    contree_cv(Species ~ ., iris, depth = 1:2, folds = fold)
  }))))
})

test_that("9. a fit that was saved is read in another session", {
  skip_on_cran()
  data <- mixed_data()
  data$class <- factor(ifelse(data$f %in% c("a", "b"), "yes", "no"))
  fit <- contree(class ~ f + x + o + d + t, data, depth = 2)
  files <- file.path(tempfile("saved"), c("fit.rds", "class.rds", "data.rds"))
  dir.create(dirname(files[1]))
  saveRDS(fit, files[1])
  saveRDS(predict(fit, data), files[2])
  saveRDS(data, files[3])
  expect_lt(file.size(files[1]), 20000)
  said <- run_session(c(
    sprintf("setwd(%s)", deparse1(dirname(files[1]))), "unloadNamespace('contree')",
    "fit <- readRDS('fit.rds')",
    "data <- readRDS('data.rds')", "library(contree)",
    "say(identical(predict(fit, data), readRDS('class.rds')))",
    "pdf(NULL)", "plot(fit)", "invisible(capture.output(print(fit), summary(fit)))",
    "say(nrow(contree_rules(fit)))",
    "say(update(fit, depth = 1, data = data)$objective >= fit$objective)"))
  expect_identical(tail(said, 4), c("TRUE", as.character(nrow(contree_rules(fit))), "TRUE", "end"))
})

test_that("10. a package imports contree", {
  skip_on_cran()
  library <- new_package("irisgrader", imports = "contree", namespace = c(
    "importFrom(contree, contree, contree_control)", "importFrom(stats, predict)", "export(grade)",
    "S3method(print, grade)"),
    code = c(
      "grow <- function(data, ..., settings = contree_control(minbucket = 2)) {",
      "  response <- 'Species'",
      "  contree(stats::reformulate('.', response), data = data, ..., control = settings)",
      "}",
      "squared <- function(x) x^2",
      "grade <- function(data, depth = 2) {",
      "  local <- grow(data, depth = depth)",
      "  own <- contree(Species ~ squared(Petal.Length) + Petal.Width, data, depth = depth)",
      "  structure(list(fit = local, own = own, class = predict(own, data)), class = 'grade')",
      "}",
      "print.grade <- function(x, ...) { print(x$fit); invisible(x) }"))
  said <- run_session(c("unloadNamespace('contree')",
                        sprintf(".libPaths(c(%s, .libPaths()))", deparse1(library)),
                        "library(irisgrader)", "graded <- grade(iris)", "graded",
                        "say('contree' %in% loadedNamespaces())",
                        "errors <- sum(predict(graded$fit, iris) != iris$Species)",
                        "say(sum(graded$class != iris$Species), errors)",
                        "say('package:contree' %in% search())"))
  fit <- contree(Species ~ ., iris, depth = 2, minbucket = 2)
  own <- contree(Species ~ Petal.Length + Petal.Width, iris, depth = 2)
  expect_identical(tail(said, 4), c("TRUE", paste(own$objective, fit$objective), "FALSE", "end"))
  expect_true(any(grepl("proven optimal", said)))
})
