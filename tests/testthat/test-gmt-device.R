# The host twin of a GPU, and the GPU, where there is one.

# All that does not depend on where it was computed, and on the clock.
same_tree <- function(a, b, info = NULL) {
  timeless <- function(fit) {
    fit$gmt[c("elapsed", "device_answers", "device_note", "settings")] <- NULL
    fit$gmt$history$time <- NULL
    unclass(fit)[setdiff(names(fit), c("call", "device"))]
  }
  expect_identical(timeless(a), timeless(b), info = info, ignore_formula_env = TRUE)
}

test_that("trees evolved on the twin of a GPU are those of the CPU", {
  cars <- transform(mtcars, gear = factor(gear), wt = replace(wt, 4:6, NA))
  fits <- function(device) {
    by <- function(...) {
      gmt_control(search = "paper", effort = 25, population = 10, device = device, ...)
    }
    list(gmt(y ~ ., armchair(600), control = by(), seed = 3),
         gmt(y ~ ., armchair(600), control = by(fitness = "weighted"), seed = 3),
         gmt(y ~ ., armchair(1500), control = by(sample = 200, threads = 1), seed = 3),
         gmt(mpg ~ wt + gear, cars, control = by(minbucket = 4), seed = 3),
         gmt(mpg ~ wt | hp + gear, cars, weights = rep(c(1, 2, 0, 3), 8),
             control = by(smoothing = 4), seed = 3))
  }
  expect_silent(on_twin <- with_twin(fits("twin")))
  on_cpu <- fits("cpu")
  by_choice <- fits("auto")
  for (i in seq_along(on_cpu)) {
    expect_identical(on_twin[[i]]$device, "twin")
    expect_gt(on_twin[[i]]$gmt$device_answers, 100)
    expect_identical(on_cpu[[i]]$device, "cpu")
    expect_identical(on_cpu[[i]]$gmt$device_answers, 0)
    expect_gt(nrow(on_cpu[[i]]$gmt$history), 1)
    same_tree(on_twin[[i]], on_cpu[[i]], i)
    same_tree(by_choice[[i]], on_cpu[[i]], i)
  }
})

test_that("gmt_control(device = ) takes the names of devices and nothing else", {
  expect_identical(gmt_control()$device, "auto")
  expect_identical(gmt_control(device = "cpu")$device, "cpu")
  expect_identical(gmt_control(search = "paper", device = "cuda")$device, "cuda:0")
  expect_identical(gmt_control(search = "paper", device = "cuda:3")$device, "cuda:3")
  for (bad in list("gpu", "cuda:", "cuda:x", "twin", NA_character_, 1, NULL, c("cpu", "cuda"))) {
    expect_contree_error(gmt_control(search = "paper", device = bad), "input",
                         c("'device'", "\"cuda:1\""))
  }
})

test_that("a GPU for a search that does not use it is an error", {
  for (search in c("local", "memetic")) {
    problem <- expect_contree_error(gmt(mpg ~ wt, mtcars, search = search, device = "cuda"),
                                    "unsupported", c("'device'", search, "search = \"paper\""))
    expect_identical(problem$argument, "device")
  }
  expect_identical(gmt(mpg ~ wt, mtcars, device = "auto", seed = 1)$device, "cpu")
  expect_identical(gmt(mpg ~ wt, mtcars, seed = 1)$gmt$device_note, "")
})

test_that("without a GPU device = \"cuda\" is a clear error of gmt(), and 'auto' the CPU", {
  skip_if_not(no_gpu(), "there is a GPU")
  problem <- expect_contree_error(gmt(mpg ~ wt, mtcars, search = "paper", device = "cuda"),
                                  "input", c("'device'", contree_gpu()$reason[1], "\"cpu\"",
                                             "contree_gpu()"))
  expect_identical(problem$argument, "device")
  expect_silent(fit <- gmt(mpg ~ wt, mtcars, search = "paper", effort = 5, seed = 1))
  expect_identical(fit$device, "cpu")
})

test_that("fits keep their device for update(), folds and cross-validation", {
  d <- armchair(300)
  with_twin({
    fit <- gmt(y ~ ., d, search = "paper", effort = 5, population = 4, seed = 1, conformal = 3,
               device = "twin")
    expect_identical(update(fit, effort = 4)$device, "twin")
    chosen <- gmt_cv(y ~ ., d, search = "paper", effort = 5, population = 4, seed = 1, folds = 3,
                     complexity = c(1, 4), device = "twin")
  })
  expect_identical(fit$device, "twin")
  expect_identical(chosen$fit$device, "twin")
  same <- gmt(y ~ ., d, search = "paper", effort = 5, population = 4, seed = 1, conformal = 3,
              device = "cpu")
  expect_identical(predict(fit, d, interval = "conformal"),
                   predict(same, d, interval = "conformal"))
})

test_that("with a GPU trees are evolved as on the CPU", {
  skip_if(no_gpu(), "no GPU")
  d <- armchair(20000, columns = 4)
  evolve <- function(device) {
    gmt(y ~ ., d, search = "paper", effort = 60, seed = 1, device = device)
  }
  gpu <- evolve("cuda")
  expect_identical(gpu$device, "cuda:0")
  expect_gt(gpu$gmt$device_answers, 1000)
  same_tree(gpu, evolve("cpu"))
})
