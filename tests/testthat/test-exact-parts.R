# Open ranges of root thresholds, as the state of a search in parts has them.
open_ranges <- function(feature, first, last, proven) {
  n <- length(feature)
  list(feature = feature, first = first, last = last, rows = rep(1, n), proven = proven,
       ends = as.list(seq_len(n)))
}

# Every threshold of them by name.
thresholds_of <- function(open) {
  sort(unlist(Map(function(feature, first, last) paste(feature, first:last), open$feature,
                  open$first, open$last)))
}

# What one part answers.
part_answer <- function(searched, open, tree = c(0, 9, 1), interrupted = FALSE) {
  list(part = list(searched = searched, open = open, known = matrix(0, 2, 2), tree = tree),
       search = 1, cost = 9, status = "optimal", interrupted = interrupted)
}

test_that("a part leaves open what it did not search, and what it was not done with", {
  given <- open_ranges(1:2, c(1L, 5L), c(4L, 9L), c(3, 2))
  begun <- contree:::take_in(contree:::new_state(),
                             part_answer(TRUE, open_ranges(3L, 1L, 2L, 7)))
  expect_identical(contree:::state_bound(begun), 7)
  # stopped before it began
  state <- contree:::take_in(begun, part_answer(FALSE, contree:::nothing_open()), given)
  expect_identical(thresholds_of(state$open), sort(c(thresholds_of(given), "3 1", "3 2")))
  expect_identical(contree:::state_bound(state), 2)
  # done with one of the two
  state <- contree:::take_in(begun, part_answer(TRUE, contree:::pick_ranges(given, 1)), given)
  expect_identical(thresholds_of(state$open), sort(c("1 1", "1 2", "1 3", "1 4", "3 1", "3 2")))
  expect_identical(contree:::state_bound(state), 3)
  expect_identical(contree:::state_bound(state, contree:::pick_ranges(given, 2)), 2)
})

test_that("ranges are divided and dealt out, each threshold once", {
  set.seed(3)
  for (i in 1:30) {
    n <- sample(5, 1)
    first <- sample(100L, n)
    open <- open_ranges(seq_len(n), first, first + sample(0:20, n, TRUE), runif(n))
    all <- thresholds_of(open)
    for (more in 1:3) open <- contree:::split_widest(open)
    expect_identical(thresholds_of(open), all)
    workers <- sample(4, 1)
    mine <- contree:::deal_ranges(open, workers)
    expect_equal(mine, which((seq_along(open$feature) - 1) %% workers == 0))
  }
})

test_that("of what two parts know the less counts, and of two trees the better", {
  set.seed(4)
  for (i in 1:30) {
    a <- matrix(sample(0:2, 10, TRUE), 2)
    b <- matrix(sample(0:2, 10, TRUE), 2)
    less <- contree:::least_known(a, b)
    expect_equal(less[1, ] * 3 + less[2, ], pmin(a[1, ] * 3 + a[2, ], b[1, ] * 3 + b[2, ]))
    expect_identical(contree:::is_better_tree(a[1, ], b[1, ]),
                     sum(a[1, ] * 3^(4:0)) < sum(b[1, ] * 3^(4:0)))
  }
})
