test_that("each rule selects exactly the rows of its leaf", {
  data <- many_classes()
  fit <- contree(class ~ ., data, depth = 4)
  rules <- contree_rules(fit, digits = 17)
  expect_s3_class(rules, c("contree_rules", "data.frame"), exact = TRUE)
  expect_identical(names(rules), c("node", "rule", "n", "class", "probability"))
  inside <- vapply(rules$rule, function(rule) eval(parse(text = rule), data), logical(nrow(data)))
  expect_true(all(rowSums(inside) == 1))
  expect_equal(unname(colSums(inside)), rules$n)
  expect_identical(rules$node[max.col(inside)], unname(predict(fit, data, type = "node")))
  expect_equal(sum(rules$n * (1 - rules$probability)), fit$objective)
})

test_that("conditions on one variable are merged", {
  data <- data.frame(a = 1:9, y = rep(c("u", "v", "u"), each = 3))
  # a penalty on splits leaves just one best tree
  rules <- contree_rules(contree(y ~ a, data, depth = 2, complexity = 0.1))
  expect_identical(rules$rule, c("a < 3.5", "a >= 3.5 & a < 6.5", "a >= 6.5"))
})

test_that("a root has the rule TRUE, and a call stays a call", {
  expect_identical(contree_rules(contree(Species ~ ., iris, depth = 0))$rule, "TRUE")
  fit <- contree(Species ~ log(Petal.Length), iris, depth = 1)
  expect_match(contree_rules(fit)$rule, "^log\\(Petal.Length\\) ")
  expect_equal(sum(eval(parse(text = contree_rules(fit)$rule[1]), iris)), contree_rules(fit)$n[1])
})

test_that("print aligns and survives changes by hand", {
  rules <- contree_rules(iris2)
  expect_output(print(rules), "node  class +prob +n  rule")
  expect_output(print(rules), "when ")
  expect_output(print(rules[c("node", "n")]), "node")
  expect_output(print(rules[0, ]))
  expect_identical(nrow(rules[rules$n > 10, ]), sum(rules$n > 10))
  expect_contree_error(contree_rules(iris), "input", c("'fit'", "data.frame"))
})

test_that("rules are printed with a column a variable, or a condition a line", {
  data <- expand.grid(a = 1:4, "b b" = c("u", "v"), c = c(TRUE, FALSE))
  data$y <- ifelse(data$a < 3, ifelse(data$c, "p", "q"), ifelse(data[["b b"]] == "u", "r", "s"))
  rules <- contree_rules(contree(y ~ ., data, depth = 2))
  wide <- capture.output(print(rules))
  expect_length(unique(unlist(gregexpr("&", wide[2:3]))), 1)
  expect_match(wide[4], "when a >= 2.5 +& `b b` == \"u\"$")
  tall <- capture.output(print(rules, style = "tall"))
  expect_identical(tall[1:4], c("q with probability 1.00 (n = 4, node 4) when", "    a < 2.5",
                                "    c < 0.5", ""))
  # lines that are too long are not made longer
  old <- options(width = 30)
  on.exit(options(old))
  expect_match(capture.output(print(rules))[-1], "when [^ ]+ [^ ]+ [^ ]+ & [^ ]")
  expect_contree_error(print(rules, style = "thin"), "input", c("'style'", "thin"))
  rules$rule[1] <- "no R (at all"
  expect_output(print(rules, style = "tall"), "    no R (at all", fixed = TRUE)
})

# The rows of each leaf by its rule, evaluated in the data: the number of the leaf, NA for none.
leaf_by_rule <- function(fit, data) {
  rules <- contree_rules(fit, digits = 17)
  leaf <- rep(NA_integer_, nrow(data))
  for (i in seq_len(nrow(rules))) {
    here <- which(eval(parse(text = rules$rule[i]), data))
    expect_true(all(is.na(leaf[here])))
    leaf[here] <- rules$node[i]
  }
  leaf
}

odd_levels <- c("", " ", "NA", "<NA>", "it's", "say \"x\"", "back\\slash", "\\n", "a\nb", "\u00fc",
                "e\u0301", "\u00e9", "a", "a ", " a", "A", "1", "01", "1.0", "%d", "`", "TRUE",
                "is.na(f)", "c(\"a\", \"b\")")

test_that("rules select the rows of their leaves whatever levels and predictors are called", {
  for (seed in seeds(40, 12)) {
    set.seed(seed)
    n <- 160
    f <- factor(sample(odd_levels, n, TRUE), levels = sample(odd_levels))
    f[sample(n, 30)] <- NA
    f <- switch(1 + seed %% 5, f, addNA(f), as.character(f), ordered(f), addNA(ordered(f)))
    g <- factor(sample(c("u", "", "NA", NA), n, TRUE))
    if (seed %% 2) g <- addNA(g)
    data <- data.frame(f, g, x = replace(rnorm(n), 1:9, NA))
    names(data) <- sample(c("a b", "a`b", "50%", "it's", "if", "TRUE", "NA", "a:b", "-x", "log(b)",
                            "x < 3", "%in%", "{", "_x", "1", ".", "back\\n", "is.na(f)"), 3)
    y <- factor(ifelse(as.integer(factor(f)) %% 3 == 0 | g %in% NA, "yes",
                       sample(c("no", "maybe"), n, TRUE)))
    y[is.na(y)] <- "yes"
    fit <- contree(data, y, depth = 3)
    expect_equal(leaf_by_rule(fit, data), unname(predict(fit, data, type = "node")), info = seed)
    again <- contree_from_json(as_json(fit))
    expect_equal(leaf_by_rule(again, data), leaf_by_rule(fit, data), info = seed)
  }
})

test_that("the level NA of a factor, ordered or not, is a missing value", {
  f <- rep(c("a", "b", "c", NA), each = 5)
  for (order in c(FALSE, TRUE)) {
    for (level in list(c("a", "b", "c", NA), c(NA, "a", "b", "c"))) {
      data <- data.frame(f = factor(f, level, exclude = NULL, ordered = order),
                         y = rep(c("p", "q", "q", "p"), each = 5))
      fit <- contree(y ~ f, data, depth = 2)
      plain <- transform(data, f = factor(as.character(f), c("a", "b", "c"), ordered = order))
      expect_equal(fit$objective, 0)
      expect_identical(fit$frame, contree(y ~ f, plain, depth = 2)$frame)
      for (rows in list(data, plain)) {
        expect_identical(as.character(predict(fit, rows)), data$y)
        expect_equal(leaf_by_rule(fit, rows), unname(predict(fit, rows, type = "node")))
      }
    }
  }
})

test_that("predictors that are operations keep their meaning in rules", {
  data <- data.frame(a = c(-2:7, NA), l = rep(c(TRUE, FALSE, FALSE), length.out = 11))
  for (term in c("!l", "(a > 3)", "I(a == 1 | l)", "I(-a)", "(if (TRUE) a else l)", "a %/% 2",
                 "log(abs(a) + 1)", "a[]")) {
    data$y <- factor(with(data, eval(parse(text = term))) > 0.5)
    data$y[is.na(data$y)] <- "TRUE"
    fit <- contree(stats::as.formula(paste("y ~", term)), data, depth = 1)
    known <- !is.na(data$a) | term == "!l"
    expect_equal(leaf_by_rule(fit, data)[known],
                 unname(predict(fit, data, type = "node"))[known], info = term)
    expect_gt(nrow(fit$frame), 1)
  }
})
