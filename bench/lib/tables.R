# Tables made up by rule: the same for everyone who runs this, whatever the version of R.

seed_tables <- function(seed) {
  suppressWarnings(RNGversion("4.0.0"))
  set.seed(seed)
}

# `rows` x `features` numbers of which each feature has `distinct` values (Inf: all differ), and
# classes that follow a tree of depth three over the first features, but for a share of `noise` of
# the rows, whose class is drawn. The tree is drawn before the rows: tables of all sizes follow the
# same one.
planted_table <- function(rows, features, distinct = Inf, classes = 2, noise = 0.2, seed = 1) {
  seed_tables(seed)
  tree <- list(feature = sample.int(min(features, 5), 7, replace = TRUE),
               threshold = stats::runif(7, 0.3, 0.7))
  columns <- lapply(seq_len(features), function(j) stats::runif(rows))
  names(columns) <- paste0("x", seq_len(features))
  class <- planted_leaf(tree, columns) %% classes
  drawn <- which(stats::runif(rows) < noise)
  class[drawn] <- sample.int(classes, length(drawn), replace = TRUE) - 1L
  # small values are more frequent than large ones, as in counts
  if (is.finite(distinct)) columns <- lapply(columns, function(x) floor(distinct * x^2))
  as_table(class, columns, classes)
}

# The leaf, 0 to 7, of each row in a tree of seven splits, numbered level by level.
planted_leaf <- function(tree, columns) {
  node <- rep(1L, length(columns[[1]]))
  for (level in 1:3) {
    goes_right <- logical(length(node))
    for (split in unique(node)) {
      rows <- which(node == split)
      goes_right[rows] <- columns[[tree$feature[split]]][rows] >= tree$threshold[split]
    }
    node <- 2L * node + goes_right
  }
  node - 8L
}

# Three colour values of 0 to 255 a row: one row in five is like skin, whose colours move together,
# the others are not.
skin_table <- function(rows = 245057, seed = 1) {
  seed_tables(seed)
  skin <- stats::runif(rows) < 0.2
  light <- ifelse(skin, stats::runif(rows, 110, 240), stats::runif(rows, 0, 255))
  shift <- 25 * stats::rnorm(rows)
  colour <- function(of_skin, spread, of_other) {
    value <- ifelse(skin, of_skin * light + spread * stats::rnorm(rows),
                    light + of_other * shift + 10 * stats::rnorm(rows))
    pmin(pmax(floor(value), 0), 255)
  }
  as_table(as.integer(skin),
           list(blue = colour(0.55, 12, 1), green = colour(0.68, 10, 0), red = colour(1, 8, -1)), 2)
}

# Small tables like iris: a few hundred rows, values with one decimal, clouds that overlap.
small_table <- function(seed) {
  seed_tables(seed)
  rows <- sample(60:300, 1)
  features <- sample(2:6, 1)
  classes <- sample(2:4, 1)
  class <- sample.int(classes, rows, replace = TRUE) - 1L
  columns <- lapply(seq_len(features),
                    function(j) round(5 + stats::rnorm(classes)[class + 1] + stats::rnorm(rows), 1))
  names(columns) <- paste0("x", seq_len(features))
  as_table(class, columns, classes)
}

as_table <- function(class, columns, classes) {
  structure(c(list(class = factor(class, levels = seq_len(classes) - 1L)), columns),
            class = "data.frame", row.names = .set_row_names(length(class)))
}

# Hands a table to the peer, through a file that both read alike.
write_table <- function(data) {
  path <- tempfile(fileext = ".csv")
  connection <- file(path, "w")
  on.exit(close(connection))
  writeLines(paste(names(data), collapse = ","), connection)
  for (rows in split(seq_len(nrow(data)), (seq_len(nrow(data)) - 1) %/% 50000)) {
    text <- lapply(data[rows, ],
                   function(x) if (is.factor(x)) as.character(x) else format_exactly(x))
    writeLines(do.call(paste, c(unname(text), sep = ",")), connection)
  }
  path
}

format_exactly <- function(x) if (all(x == round(x, 1))) as.character(x) else sprintf("%.17g", x)
