# Sums over trees on a device: its host twin here, and schedules by a driver that is a stand-in.

fit <- hist_forest(mpg ~ ., mtcars, trees = 40, seed = 1)
rows <- mtcars[rep(1:32, 5), ]

on_twin <- function(object, ...) with_twin(predict(object, ..., device = "twin"))

test_that("forests of all sources have the CPU's bits on the twin", {
  models <- forge_models()
  for (i in seq_len(nrow(models))) {
    model <- models[i, ]
    forged <- forge(import_model(model))
    if (has_linear_models(forged$forest)) {
      expect_contree_error(on_twin(forged, forge_rows(model)), "unsupported",
                           c("'device'", "linear models", "\"cpu\""))
    } else {
      expect_identical(on_twin(forged, forge_rows(model), type = "margin"),
                       predict(forged, forge_rows(model), type = "margin", device = "cpu"),
                       label = model$name)
    }
  }
})

test_that("all types that are sums are computed on the twin", {
  classes <- forge(hist_forest(Species ~ ., iris, trees = 30, seed = 1))
  for (type in c("response", "margin", "prob", "class")) {
    expect_identical(on_twin(classes, iris, type = type), predict(classes, iris, type = type))
  }
  exact <- forge(fit, sums = "reproducible")
  expect_identical(on_twin(exact, rows), predict(exact, rows))
  expect_identical(on_twin(exact, rows[0, ]), predict(exact, rows[0, ]))
  for (type in c("leaf", "contributions")) {
    expect_contree_error(on_twin(exact, rows, type = type), "unsupported",
                         c("'device'", type, "the CPU"))
    expect_identical(predict(exact, rows, type = "leaf", device = "auto"),
                     predict(exact, rows, type = "leaf"))
  }
})

test_that("the device is that of forge(), unless predict() is given another", {
  old <- options(contree.twin = TRUE)
  on.exit(options(old))
  forged <- forge(fit, device = "twin")
  expect_identical(forged$device, "twin")
  expect_output(print(forged), "Sums over trees are computed on twin")
  expect_identical(forge(fit)$device, "auto")
  expected <- predict(forge(fit, device = "cpu"), rows)
  expect_identical(predict(forged, rows), expected)
  expect_identical(predict(forged, rows, device = "cpu"), expected)
  # the twin that is open is not the GPU that is asked for
  expect_contree_error(predict(forged, rows, device = "cuda:9999"), "input", "'device'")
  expect_identical(predict(forged, rows), expected)
  kept <- unserialize(serialize(forged, NULL))
  expect_identical(predict(kept, rows), expected)
  before <- forge(fit)
  before$device <- NULL
  expect_identical(predict(before, rows), expected)
})

test_that("what cannot be had is named", {
  for (bad in list("gpu", "cuda:", "twin", NA_character_, 1, character())) {
    expect_contree_error(forge(fit, device = bad), "input", c("'device'", "\"cuda:1\""))
    expect_contree_error(predict(forge(fit), rows, device = bad), "input", "'device'")
  }
  expect_contree_error(forge(fit, device = "cuda:9999"), "input",
                       c("'device'", "cannot be used", "\"auto\""))
  expect_contree_error(predict(forge(fit), rows, device = "cuda:9999"), "input", "'device'")
  expect_contree_error(forge(fit, device = "cuda:9999", schedule = schedule_preset("gpu")), "input",
                       "rule order")
  expect_contree_error(forge(fit, device = "cuda", schedule = schedule_preset("xgboost")),
                       "unsupported", c("'device'", "\"cuda:0\"", "no loop of the schedule"))
  old <- options(contree.twin = TRUE)
  on.exit(options(old))
  expect_contree_error(forge(fit, device = "twin", schedule = schedule_preset("tahoe-direct")),
                       "unsupported", c("'device'", "the twin runs no schedules"))
})

test_that("each device has its number, and a schedule says whether it is for one", {
  forged <- forge(fit)
  number <- function(device, schedule = NULL) {
    forged$schedule <- schedule
    device_number(forged, as.matrix(rows), 1L, device)
  }
  expect_null(number("cpu"))
  expect_null(number("cpu", schedule_preset("tahoe-direct")))
  expect_null(number("auto"))
  expect_null(number("auto", schedule_preset("xgboost")))
  expect_identical(number("auto", schedule_preset("tahoe-direct")), 0L)
  expect_identical(number("cuda:3"), 3L)
  expect_identical(number("twin"), -1L)
})

test_that("a GPU that failed is a warning, and one that is not there nothing with \"auto\"", {
  for (device in c("auto", "cuda:0")) {
    expect_warning(without_device(c("lost", "gone"), device), "without the GPU: gone",
                   class = "contree_without_gpu")
  }
  expect_silent(without_device(c("open", "none"), "auto"))
  expect_silent(without_device(c("refused", "too deep"), "auto"))
  expect_contree_error(without_device(c("open", "none"), "cuda:1"), "input", "none")
  expect_contree_error(without_device(c("refused", "too deep"), "cuda:1"), "unsupported",
                       c("\"cuda:1\"", "too deep"))
})

test_that("with \"auto\" few rows are the CPU's, and many are a GPU's if it should be faster", {
  large <- forge(hist_forest(mpg ~ ., mtcars, trees = 200, seed = 1))
  pays <- function(rows, threads) .Call(ffi_forged_device_pays, forged_code(large), rows, threads)
  expect_false(pays(1000, 1L))
  expect_true(pays(1e8, 1L))
  # what more threads take less, a device need not
  expect_false(pays(1e8, 4096L))
  models <- forge_models()
  linear <- forge(import_model(models[models$name == "lgb-linear", ]))
  expect_false(.Call(ffi_forged_device_pays, forged_code(linear), 1e8, 1L))
  expect_silent(sums <- predict(large, rows[rep(1:160, 40), ], device = "auto"))
  expect_identical(sums, predict(large, rows[rep(1:160, 40), ], device = "cpu"))
})

test_that("a GPU has the CPU's bits", {
  skip_if_not(contree_gpu()$available[1], "no GPU")
  for (exact in c("source", "reproducible")) {
    forged <- forge(fit, sums = exact)
    expect_identical(predict(forged, rows, device = "cuda"), predict(forged, rows, device = "cpu"))
  }
})

# ---- schedules -----------------------------------------------------------------------------------

# In another session, with CUDA's driver and NVRTC as stand-ins that work on the CPU: what it says.
with_driver <- function(code, timeout = 600) {
  script <- testthat::test_path("..", "c", "cuda_on_cpu", "stand_ins.sh")
  skip_if_not(file.exists(script) && nzchar(Sys.which("c++")),
              "CUDA on the CPU and a C++ compiler are here")
  folder <- tempfile("driver")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  expect_identical(system2("sh", c(shQuote(script), shQuote(folder))), 0L)
  libraries <- file.path(folder, c("libcuda.so.1", "libnvrtc.so"))
  run_session(c(sprintf("dyn.load(%s)", vapply(libraries, deparse1, "")),
                "fit <- hist_forest(mpg ~ ., mtcars, trees = 9, seed = 1)",
                "rows <- mtcars[rep(1:32, 5), ]",
                "exact <- forge(fit, sums = 'reproducible')",
                "expected <- predict(exact, rows)",
                "said <- function(code) tryCatch(code, error = conditionMessage)", code),
              timeout = timeout)
}

test_that("schedules run as CUDA text on a device, with the CPU's bits", {
  expect_identical(with_driver(c(
    "names <- c('tahoe-direct', 'tahoe-data', 'tahoe-forest', 'tahoe-partial', 'fil', 'gpu')",
    "for (name in names) {",
    "  on_gpu <- forge(fit, sums = 'reproducible', schedule = schedule_preset(name),",
    "                  device = 'cuda')",
    "  say(name, identical(predict(on_gpu, rows), expected),",
    "      identical(predict(on_gpu, rows, device = 'cpu'), expected))",
    "}",
    "say(identical(predict(on_gpu, rows, device = 'auto'), expected))",
    "say(said(predict(on_gpu, rows, device = 'cuda:1')))")),
    c("tahoe-direct TRUE TRUE", "tahoe-data TRUE TRUE", "tahoe-forest TRUE TRUE",
      "tahoe-partial TRUE TRUE", "fil TRUE TRUE", "gpu TRUE TRUE", "TRUE",
      paste("the GPU given as 'device' cannot be used: there is no CUDA device 1, only 1 of them,",
            "counted from 0; use device = \"auto\" or \"cpu\"; contree_gpu() lists the GPUs"),
      "end"))
})

test_that("a device that fails, or has little memory, leaves it to the CPU with a warning", {
  expect_identical(with_driver(c(
    "on_gpu <- forge(fit, schedule = schedule_preset('tahoe-direct'))",
    "expected <- predict(on_gpu, rows, device = 'cpu')",
    "warned <- function(code) {",
    "  seen <- NULL",
    "  sums <- withCallingHandlers(code, contree_without_gpu = function(problem) {",
    "    seen <<- sub('[0-9.e-]+ GB.*', '.. GB', conditionMessage(problem))",
    "    invokeRestart('muffleWarning')",
    "  })",
    "  say(identical(sums, expected), seen)",
    "}",
    "warned(predict(on_gpu, rows))",
    "invisible(.C('driver_on_cpu_fail', 7L))",
    "warned(predict(on_gpu, rows))",
    "invisible(.C('driver_on_cpu_fail', 0L))",
    "warned(predict(on_gpu, rows))",
    "invisible(.C('driver_on_cpu_memory', 20L))",
    "warned(predict(on_gpu, rows[rep(1:160, 10), ])[1:160])",
    "invisible(.C('driver_on_cpu_memory', 1L))",
    "again <- forge(fit, schedule = schedule_preset('tahoe-direct'))",
    "warned(predict(again, rows))")),
    c("TRUE", "TRUE predictions were made without the GPU: CUDA: launch failure", "TRUE", "TRUE",
      "TRUE predictions were made without the GPU: the trees take .. GB", "end"))
})

test_that("Algorithm 1 measures launches where there is a GPU", {
  expect_identical(with_driver(c(
    "tuned <- autotune(exact, rows[1:40, ], device = 'cuda')",
    "times <- tuned$tuned$times",
    "say(nrow(times), sum(times$seconds > 0, na.rm = TRUE) > 20, tuned$schedule$gpu)",
    "say(identical(predict(tuned, rows), expected))",
    "say(said(autotune(exact, rows, device = 'cuda:5')))")),
    c("39 TRUE TRUE", "TRUE",
      paste("the GPU given as 'device' cannot be used: there is no CUDA device 5, only 1 of them,",
            "counted from 0; use device = \"auto\" or \"cpu\"; contree_gpu() lists the GPUs"),
      "end"))
})
