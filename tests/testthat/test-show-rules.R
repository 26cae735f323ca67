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
